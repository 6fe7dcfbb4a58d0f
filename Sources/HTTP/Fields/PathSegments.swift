internal import Bytes

/// A request path split at its slashes, before anything is decoded.
///
///     /v1/sessions/a   →  v1  sessions  a
///     /                →  (one empty segment)
///     /v1/             →  v1  (empty)
///
/// Dot segments are segments like others; nothing is resolved, so nothing can leave a root. A path
/// of more than eight segments belongs to no route and is nil, as is `*`.
package struct PathSegments: Sendable {
    package static let countMax = 8

    package let count: Int
    private let base: Int
    private let ranges: InlineArray<8, PackedRange>

    package init?(_ request: borrowing Request) {
        guard !request.isAsterisk else { return nil }
        self.init(request.bytes, request.path)
    }

    /// `path` is empty or begins with a slash.
    package init?(_ bytes: borrowing [UInt8], _ path: Range<Int>) {
        let span = bytes.span
        var ranges = InlineArray<8, PackedRange>(repeating: PackedRange())
        var count = 0
        var end = path.lowerBound
        repeat {
            guard count < Self.countMax else { return nil }
            let start = min(end + 1, path.upperBound)
            end = span.place(of: ASCII.slash, in: start..<path.upperBound)
            ranges[count] = PackedRange(start - path.lowerBound..<end - path.lowerBound)
            count += 1
        } while end < path.upperBound
        self.count = count
        self.base = path.lowerBound
        self.ranges = ranges
    }

    /// Where a segment lies in the bytes, percent-encoded.
    package subscript(index: Int) -> Range<Int> {
        precondition(index < count, "a segment that the path does not have")
        return ranges[index].range(from: base)
    }
}
