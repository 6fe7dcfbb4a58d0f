internal import Bytes

/// A time that a server has written.
public struct ServerTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since 1 January 1970, UTC.
    public let nanoseconds: Int

    public init(nanoseconds: Int) { self.nanoseconds = nanoseconds }

    /// Parses an RFC 3339 time in UTC, such as `2026-11-22T18:25:05.166373702Z`, from 1970 to 2261.
    /// Returns nil for anything else; servers use no other form.
    public init?(_ text: some Collection<UInt8>) {
        guard text.count <= 30, let time = UTCTime(Array(text)), time.seconds < Self.secondsMax
        else { return nil }
        nanoseconds = time.seconds * 1_000_000_000 + time.nanoseconds
    }

    /// Milliseconds since 1970.
    public var milliseconds: Int64 { Int64(nanoseconds / 1_000_000) }

    /// The beginning of the year 2262, in which `nanoseconds` would overflow.
    private static let secondsMax = 9_214_646_400

    /// Whether the left time is earlier.
    public static func < (left: ServerTime, right: ServerTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
