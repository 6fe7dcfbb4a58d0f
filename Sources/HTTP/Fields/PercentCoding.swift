package import Bytes

extension PercentCoding {
    /// Decodes one path segment. Nil for a bad escape, a control byte (plain or escaped), and for
    /// bytes that are not UTF-8 once decoded. `%2F` is a slash of the text, not of the path.
    package static func decodeSegment(_ bytes: [UInt8], _ range: Range<Int>) -> String? {
        decode(bytes[range], plusIsSpace: false, allowsControls: false)
    }

    /// Decodes one name or value of a query, in which `+` also means a space.
    package static func decodeQuery(_ bytes: [UInt8], _ range: Range<Int>) -> String? {
        decode(bytes[range], plusIsSpace: true, allowsControls: false)
    }
}
