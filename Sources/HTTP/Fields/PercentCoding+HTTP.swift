package import Bytes

extension PercentCoding {
    /// Decodes one path segment. `%2F` becomes a slash of the text.
    ///
    /// - Returns: nil for a bad escape, a control byte (plain or escaped), and bytes that are not
    ///   UTF-8 after decoding.
    package static func decodeSegment(_ bytes: [UInt8], _ range: Range<Int>) -> String? {
        decode(bytes[range], plusIsSpace: false, allowsControls: false)
    }

    /// Decodes one name or value of a query, in which `+` is a space. It fails as `decodeSegment`
    /// does.
    package static func decodeQuery(_ bytes: [UInt8], _ range: Range<Int>) -> String? {
        decode(bytes[range], plusIsSpace: true, allowsControls: false)
    }
}
