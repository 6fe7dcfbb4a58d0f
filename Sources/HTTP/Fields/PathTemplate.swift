internal import Bytes

/// A set of paths such as `/v1/sessions/{id}`, in which `{…}` is a variable segment that is not
/// empty. The template `/` has one empty segment, as the path `/` has.
public struct PathTemplate: Sendable {
    /// The ranges of the variable segments in the bytes of a request, in order. A template has at
    /// most two.
    public struct Variables: Sendable {
        private var first = 0..<0
        private var second = 0..<0

        public init() {}

        /// The variables of a path with one of them.
        public init(_ only: Range<Int>) { first = only }

        public subscript(index: Int) -> Range<Int> { index == 0 ? first : second }

        /// Adds the variable before those that were added already.
        fileprivate mutating func prepend(_ variable: Range<Int>) {
            (first, second) = (variable, first)
        }
    }

    private static let variablesMax = 2

    /// The segments; a variable one is nil.
    private let segments: [[UInt8]?]

    /// The number of segments.
    public var count: Int { segments.count }
    /// The key of the last segment, by which templates are found quickly. Nil if it is variable.
    public let lastKey: UInt64?

    /// Reads a template that is written in the program.
    public init(_ text: String) {
        segments = text.utf8.dropFirst()
            .split(separator: ASCII.slash, omittingEmptySubsequences: false)
            .map { $0.first == UInt8(ascii: "{") ? nil : Array($0) }
        lastKey = segments[segments.count - 1].map { Self.key(of: 0..<$0.count, in: $0) }
        precondition(segments.count { $0 == nil } <= Self.variablesMax, "room for each variable")
    }

    /// A number made of the first seven bytes of a segment and its length above them.
    public static func key(of segment: Range<Int>, in bytes: [UInt8]) -> UInt64 {
        var key = UInt64(truncatingIfNeeded: segment.count)
        for index in segment.prefix(7) { key = key &<< 8 | UInt64(bytes[index]) }
        return key
    }

    /// The variable segments of a path, percent-encoded, or nil if the path does not match the
    /// template byte for byte, without decoding. Ranges that are not needed are empty.
    public func variables(of path: PathSegments, in bytes: [UInt8]) -> Variables? {
        guard path.count == segments.count else { return nil }
        var variables = Variables()
        // Most templates differ in their last segment.
        for index in segments.indices.reversed() {
            let range = path[index]
            if let literal = segments[index] {
                guard literal.isSame(as: bytes, range) else { return nil }
            } else {
                guard !range.isEmpty else { return nil }
                variables.prepend(range)
            }
        }
        return variables
    }

    /// Whether the last segment is a literal, and this one.
    public func endsWith(_ segment: Range<Int>, in bytes: [UInt8]) -> Bool {
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
