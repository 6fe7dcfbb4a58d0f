public import Bytes
internal import JSON

/// Milliseconds since 1970, by a clock that never goes back while the service runs.
public typealias Milliseconds = Int64

/// Times on the wire: RFC 3339 in UTC, whole seconds, years 1970 to 9999.
public enum Timestamp {
    /// The text of a time, like `2026-11-21T10:00:00Z`.
    public static func text(_ time: Milliseconds) -> String {
        var out = ByteWriter()
        out.append(time: time)
        return String(out.string.dropFirst().dropLast())
    }

    /// Reads the text that `append(time:)` writes, without the quotes. Returns nil for any other
    /// form.
    public static func read(_ bytes: [UInt8], _ range: Range<Int>) -> Milliseconds? {
        guard range.count == 20, let time = UTCTime(bytes, range) else { return nil }
        return Milliseconds(time.seconds) * 1000
    }

    /// The last second of the year 9999.
    fileprivate static let secondsMax: Milliseconds = 253_402_300_799
    /// The last millisecond of the year 9999.
    public static let timeMax = secondsMax * 1000 + 999
}

/// A time and its text. Times that are written one after another are mostly in the same second.
public struct TimeText {
    private var second: Milliseconds = -1
    private var text: [UInt8] = []

    public init() {}

    /// Appends the time between quotes, as its text or newly.
    public mutating func append(_ time: Milliseconds, to out: inout ByteWriter) {
        if time / 1000 != second {
            var writer = ByteWriter(capacity: 24)
            writer.append(time: time)
            (second, text) = (time / 1000, writer.bytes)
        }
        out.append(text)
    }
}

extension ByteWriter {
    /// Appends a member that is a time.
    public mutating func member(_ name: StaticString, time: Milliseconds) {
        member(name)
        append(time: time)
    }

    /// Appends `"2026-11-21T10:00:00Z"` with its quotes.
    public mutating func append(time: Milliseconds) {
        let seconds = max(0, min(time / 1000, Timestamp.secondsMax))
        let date = CivilDate(daysSince1970: Int(seconds / 86400))
        let rest = Int(seconds % 86400)
        let minute = pair(rest / 60 % 60)
        reserve(24)
        // In each word, the first byte is the lowest: `"0000-00`, `-00T00:0` and `0:00Z"`.
        let year = pair(date.year / 100) << 8 | pair(date.year % 100) << 24
        append(word: 0x3030_2D30_3030_3022 | year | pair(date.month) << 48)
        let hour = pair(date.day) << 8 | pair(rest / 3600) << 32
        append(word: 0x303A_3030_5430_302D | hour | minute << 56)
        append(word: 0x225A_3030_3A30 | minute >> 8 | pair(rest % 60) << 16, count: 6)
    }

    /// The two digits of a number below 100, the first one in the lowest byte.
    @inline(__always)
    private func pair(_ number: Int) -> UInt64 {
        let number = UInt64(truncatingIfNeeded: number)
        let tens = (number &* 103) &>> 10
        return (number &- tens &* 10) &<< 8 | tens
    }
}
