internal import Bytes

/// A set of paths such as `/v1/sessions/{id}`, in which `{…}` is a variable segment that is not
/// empty. The template `/` has one empty segment, as the path `/` has.
package struct PathTemplate: Sendable {
    /// The ranges of the variable segments in the bytes of a request, in order. A template has at
    /// most two.
    package typealias Variables = InlineArray<2, Range<Int>>

    /// The segments; a variable one is nil.
    private let segments: [[UInt8]?]

    /// The number of segments.
    package var count: Int { segments.count }
    /// The key of the last segment, by which templates are found quickly. Nil if it is variable.
    package let lastKey: UInt64?

    /// Reads a template that is written in the program.
    package init(_ text: String) {
        segments = text.utf8.dropFirst()
            .split(separator: ASCII.slash, omittingEmptySubsequences: false)
            .map { $0.first == UInt8(ascii: "{") ? nil : Array($0) }
        lastKey = segments[segments.count - 1].map { Self.key(of: 0..<$0.count, in: $0) }
        precondition(segments.count { $0 == nil } <= Variables.count, "room for each variable")
    }

    /// A number made of the first seven bytes of a segment and its length above them.
    package static func key(of segment: Range<Int>, in bytes: [UInt8]) -> UInt64 {
        var key = UInt64(truncatingIfNeeded: segment.count)
        for index in segment.prefix(7) { key = key &<< 8 | UInt64(bytes[index]) }
        return key
    }

    /// The variable segments of a path, percent-encoded, or nil if the path does not match the
    /// template byte for byte, without decoding. Ranges that are not needed are empty.
    package func variables(of path: PathSegments, in bytes: [UInt8]) -> Variables? {
        guard path.count == segments.count else { return nil }
        var variables = Variables(repeating: 0..<0)
        var found = Variables.count
        // Most templates differ in their last segment.
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
        // A single variable is the first one.
        if found == 1 { variables.swapAt(0, 1) }
        return variables
    }

    /// Whether the last segment is a literal, and this one.
    package func endsWith(_ segment: Range<Int>, in bytes: [UInt8]) -> Bool {
        segments[segments.count - 1]?.isSame(as: bytes, segment) ?? false
    }
}

extension [UInt8] {
    fileprivate func isSame(as bytes: [UInt8], _ range: Range<Int>) -> Bool {
        guard count == range.count else { return false }
        for index in indices where self[index] != bytes[range.lowerBound &+ index] { return false }
        return true
    }
}
