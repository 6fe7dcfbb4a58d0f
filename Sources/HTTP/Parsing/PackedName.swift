internal import Bytes

/// A name of at most 32 bytes in four machine words, so that comparing names is comparing numbers.
///
/// Made from bytes with `A`–`Z` folded or from text as it stands. Two names are equal if and only
/// if their words and their lengths are; the length is kept by whoever compares.
struct PackedName: Equatable, Sendable {
    static let bytesMax = 32

    private var words = InlineArray<4, UInt64>(repeating: 0)

    init(_ text: String) {
        precondition(text.utf8.count <= Self.bytesMax, "a name longer than the words for it")
        for (index, byte) in text.utf8.enumerated() { put(byte, at: index) }
    }

    /// `range` has at most `bytesMax` bytes, all of them ASCII.
    @inline(__always)
    init(folding bytes: Span<UInt8>, _ range: Range<Int>) {
        guard range.upperBound &+ 8 <= bytes.count else {
            var index = 0
            for position in range {
                put(ASCII.lowercased(bytes[position]), at: index)
                index &+= 1
            }
            return
        }
        var position = range.lowerBound
        var index = 0
        while position < range.upperBound {
            var eight = EightBytes(bytes, at: position)
            eight.keep(min(8, range.upperBound &- position))
            eight.lowercase()
            words[index] = eight.word
            position &+= 8
            index &+= 1
        }
    }

    @inline(__always)
    private mutating func put(_ byte: UInt8, at index: Int) {
        words[index &>> 3] |= UInt64(byte) &<< UInt64((index & 7) &* 8)
    }

    @inline(__always)
    static func == (a: PackedName, b: PackedName) -> Bool {
        a.words[0] == b.words[0] && a.words[1] == b.words[1]
            && a.words[2] == b.words[2] && a.words[3] == b.words[3]
    }
}

/// A range in 8 bytes, counted from the first byte of its message.
struct PackedRange: Sendable {
    var offset: UInt32 = 0
    var count: UInt32 = 0

    /// Everything that is kept as a packed range lies in a head, and a head is far below 4 GiB.
    @inline(__always)
    init(_ range: Range<Int>) {
        offset = UInt32(truncatingIfNeeded: range.lowerBound)
        count = UInt32(truncatingIfNeeded: range.count)
    }

    init() {}

    @inline(__always)
    func range(from base: Int) -> Range<Int> {
        let low = base &+ Int(offset)
        return low..<low + Int(count)
    }
}
