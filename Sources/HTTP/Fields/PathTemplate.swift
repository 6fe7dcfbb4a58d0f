internal import Bytes

/// The paths of one shape, such as `/v1/sessions/{id}`, where `{…}` stands for one segment that is
/// not empty. The template `/` is one empty segment, as the path is.
package struct PathTemplate: Sendable {
    /// Where in a request's bytes the variable segments are, in order; a template has no more.
    package typealias Variables = InlineArray<2, Range<Int>>

    /// nil stands for any segment.
    private let segments: [[UInt8]?]

    package var count: Int { segments.count }
    /// A number that a path's last segment must have to be the template's; nil if any will do.
    package let lastKey: UInt64?

    package init(_ text: String) {
        segments = text.utf8.dropFirst()
            .split(separator: ASCII.slash, omittingEmptySubsequences: false)
            .map { $0.first == UInt8(ascii: "{") ? nil : Array($0) }
        lastKey = segments[segments.count - 1].map { Self.key(of: 0..<$0.count, in: $0) }
        precondition(segments.count { $0 == nil } <= Variables.count, "room for each variable")
    }

    /// The segment's length above its first seven bytes.
    package static func key(of segment: Range<Int>, in bytes: [UInt8]) -> UInt64 {
        var key = UInt64(truncatingIfNeeded: segment.count)
        for index in segment.prefix(7) { key = key &<< 8 | UInt64(bytes[index]) }
        return key
    }

    /// The path's variable segments, percent-encoded; nil if it is not one of these paths, byte for
    /// byte and without decoding. Where there are fewer, the rest is empty.
    package func variables(of path: PathSegments, in bytes: [UInt8]) -> Variables? {
        guard path.count == segments.count else { return nil }
        var variables = Variables(repeating: 0..<0)
        var found = Variables.count
        // The last segment tells most templates apart.
        for index in segments.indices.reversed() {
            let range = path[index]
            if let literal = segments[index] {
                guard literal.isSame(as: bytes, range) else { return nil }
            } else {
                guard !range.isEmpty else { return nil }
                found -= 1
                variables[found] = range
            }
        }
        // One alone is the first.
        if found == 1 { variables.swapAt(0, 1) }
        return variables
    }
}

extension [UInt8] {
    @inline(__always)
    fileprivate func isSame(as bytes: [UInt8], _ range: Range<Int>) -> Bool {
        guard count == range.count else { return false }
        for index in indices where self[index] != bytes[range.lowerBound &+ index] { return false }
        return true
    }
}
