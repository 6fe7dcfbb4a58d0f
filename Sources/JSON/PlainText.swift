internal import Bytes

extension Span<UInt8> {
    /// The index of the first byte in a range that is not a plain character of a JSON string: a
    /// quote, a backslash, a control character, or a byte outside ASCII. The end of the range if
    /// all are plain.
    @inline(__always)
    func plainEnd(in range: Range<Int>) -> Int {
        var at = range.lowerBound
        while at &+ 8 <= range.upperBound {
            let bytes = EightBytes(self, at: at)
            let marks =
                bytes.marks(of: ASCII.quote) | bytes.marks(of: UInt8(ascii: "\\"))
                | bytes.marks(below: 0x20) | bytes.word
            let passed = EightBytes.count(before: marks)
            at &+= passed
            if passed < 8 { return at }
        }
        while at < range.upperBound, Self.isPlain(self[at]) { at &+= 1 }
        return at
    }

    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != ASCII.quote && byte != UInt8(ascii: "\\")
    }
}
