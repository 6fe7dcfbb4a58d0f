internal import Bytes

// The forms of a request target (RFC 9112 §3.2).
//
//     origin-form      /v1/sessions?limit=2                 any method
//     absolute-form    http://host:80/v1/sessions?limit=2   its authority is used instead of Host
//     asterisk-form    *                                    OPTIONS only
//
// The authority-form is only for `CONNECT`, which is not supported. Nothing is decoded and no dot
// segment is resolved: a path is its bytes.
extension RequestHead {
    /// Finds the parts of the target.
    mutating func readTarget(
        _ message: Span<UInt8>, _ range: Range<Int>
    ) throws(MalformedMessageError) {
        if message[range.lowerBound] == ASCII.slash {
            readPath(message, range)
        } else if range.count == 1, message[range.lowerBound] == ASCII.asterisk, method == .options
        {
            target.isAsterisk = true
            target.path = PackedRange(range)
        } else {
            try readAbsolute(message, range)
        }
    }

    /// Finds the path and the query of a target in origin-form.
    mutating func readPath(_ message: Span<UInt8>, _ range: Range<Int>) {
        let end = message.index(of: 0x3F, in: range)
        target.path = PackedRange(range.lowerBound..<end)
        target.query = nil
        guard end < range.upperBound else { return }
        target.query = PackedRange(end + 1..<range.upperBound)
    }

    private mutating func readAbsolute(
        _ message: Span<UInt8>, _ range: Range<Int>
    ) throws(MalformedMessageError) {
        guard let schemeEnd = Self.schemeEnd(message, range) else { throw .target }
        var end = schemeEnd
        while end < range.upperBound, message[end] != ASCII.slash, message[end] != 0x3F { end += 1 }
        guard let authority = Authority(message, schemeEnd..<end) else { throw .target }
        self.authority = authority.packed
        readPath(message, end..<range.upperBound)
    }

    /// The end of `http://` or `https://`, in upper or lower case, or nil for any other scheme.
    private static func schemeEnd(_ message: Span<UInt8>, _ range: Range<Int>) -> Int? {
        for scheme: StaticName in ["http://", "https://"] where scheme.bytes.count < range.count {
            let end = range.lowerBound + scheme.bytes.count
            if message.matches(range.lowerBound..<end, ignoringCase: scheme) { return end }
        }
        return nil
    }
}
