public import Bytes

/// The segments of a request path, which is split at its slashes before anything is decoded.
///
///     /v1/sessions/a   →  v1  sessions  a
///     /                →  (one empty segment)
///     /v1/             →  v1  (empty)
///
/// Dot segments are segments like any other and are not resolved. A path of more than eight
/// segments belongs to no route; it is nil, as is `*`.
public struct PathSegments: Sendable {
    /// The greatest number of segments.
    public static let countMax = 8

    /// The number of segments, at least 1.
    public let count: Int
    private let base: Int
    private let ranges: InlineArray<8, PackedRange>

    /// The segments of the path of a request.
    public init?(_ request: borrowing Request) {
        guard !request.isAsterisk else { return nil }
        self.init(request.bytes, request.path)
    }

    /// The segments of a path that is empty or begins with a slash.
    public init?(_ bytes: borrowing [UInt8], _ path: Range<Int>) {
        let span = bytes.span
        var ranges = InlineArray<8, PackedRange>(repeating: PackedRange())
        var count = 0
        var end = path.lowerBound
        repeat {
            guard count < Self.countMax else { return nil }
            let start = min(end + 1, path.upperBound)
            end = span.index(of: ASCII.slash, in: start..<path.upperBound)
            ranges[count] = PackedRange(start - path.lowerBound..<end - path.lowerBound)
            count += 1
        } while end < path.upperBound
        self.count = count
        self.base = path.lowerBound
        self.ranges = ranges
    }

    /// The range of a segment in the bytes, which are percent-encoded.
    public subscript(index: Int) -> Range<Int> {
        precondition(index < count, "the path has no such segment")
        return ranges[index].range(from: base)
    }
}

extension PercentCoding {
    /// Decodes one path segment. `%2F` becomes a slash of the text.
    ///
    /// - Returns: nil for a bad escape, a control byte (plain or escaped), and bytes that are not
    ///   UTF-8 after decoding.
    public static func decodeSegment(_ bytes: [UInt8], _ range: Range<Int>) -> String? {
        decode(bytes[range], plusIsSpace: false, allowsControls: false)
    }

    /// Decodes one name or value of a query, in which `+` is a space. It fails as `decodeSegment`
    /// does.
    public static func decodeQuery(_ bytes: [UInt8], _ range: Range<Int>) -> String? {
        decode(bytes[range], plusIsSpace: true, allowsControls: false)
    }
}
