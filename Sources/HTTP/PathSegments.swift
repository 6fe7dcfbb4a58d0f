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

    package let bytes: [UInt8]
    package let count: Int
    private let base: Int
    private let ranges: InlineArray<8, PackedRange>

    package init?(_ request: Request) {
        guard !request.isAsterisk else { return nil }
        self.init(request.bytes, request.path)
    }

    /// `path` is empty or begins with a slash.
    package init?(_ bytes: [UInt8], _ path: Range<Int>) {
        let span = bytes.span
        var ranges = InlineArray<8, PackedRange>(repeating: PackedRange())
        var count = 0
        var start = min(path.lowerBound + 1, path.upperBound)
        var index = start
        while true {
            let isEnd = index >= path.upperBound
            if isEnd || span[index] == ASCII.slash {
                guard count < Self.countMax else { return nil }
                ranges[count] = PackedRange(start - path.lowerBound..<index - path.lowerBound)
                count += 1
                start = index + 1
            }
            if isEnd { break }
            index += 1
        }
        self.bytes = bytes
        self.count = count
        self.base = path.lowerBound
        self.ranges = ranges
    }

    /// Where a segment lies in `bytes`, percent-encoded.
    package subscript(index: Int) -> Range<Int> {
        precondition(index < count, "a segment that the path does not have")
        return ranges[index].range(from: base)
    }

    /// A segment decoded; nil if its escapes are bad.
    package func text(_ index: Int) -> String? { PercentCoding.decodeSegment(bytes, self[index]) }

    /// Whether a segment is exactly this, byte for byte and without decoding.
    package func segment(_ index: Int, is literal: StaticName) -> Bool {
        let range = self[index]
        guard literal.bytes.count == range.count else { return false }
        var position = range.lowerBound
        for byte in literal.bytes {
            guard bytes[position] == byte else { return false }
            position += 1
        }
        return true
    }
}
