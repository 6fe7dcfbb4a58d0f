package import Bytes
internal import JSON

/// Milliseconds since 1970, by a clock that never goes back while the service runs.
package typealias Milliseconds = Int64

/// Times on the wire: RFC 3339 in UTC, whole seconds, years 1970 to 9999.
package enum Timestamp {
    /// The text of a time, like `2026-11-21T10:00:00Z`.
    package static func text(_ time: Milliseconds) -> String {
        var out = ByteWriter()
        out.append(time: time)
        return String(out.string.dropFirst().dropLast())
    }

    /// Reads the text that `append(time:)` writes, without the quotes. Returns nil for any other
    /// form.
    package static func read(_ bytes: [UInt8], _ range: Range<Int>) -> Milliseconds? {
        guard range.count == 20 else { return nil }
        let at = range.lowerBound
        func number(_ offset: Int, _ count: Int) -> Int? {
            Decimal.number(bytes[at + offset..<at + offset + count], digitsMax: count)
        }
        func separates(_ offset: Int, _ separator: Unicode.Scalar) -> Bool {
            bytes[at + offset] == UInt8(ascii: separator)
        }
        guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2),
            let hour = number(11, 2), let minute = number(14, 2), let second = number(17, 2),
            separates(4, "-"), separates(7, "-"), separates(10, "T"), separates(13, ":"),
            separates(16, ":"), separates(19, "Z"), year >= 1970, (1...12).contains(month),
            (1...31).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        let days = date.daysSince1970
        guard CivilDate(daysSince1970: days) == date else { return nil }
        return Milliseconds(days * 86400 + hour * 3600 + minute * 60 + second) * 1000
    }

    /// The last second of the year 9999.
    fileprivate static let secondsMax: Milliseconds = 253_402_300_799
    /// The last millisecond of the year 9999.
    package static let timeMax = secondsMax * 1000 + 999
}

extension ByteWriter {
    /// Appends `"2026-11-21T10:00:00Z"` with its quotes.
    package mutating func append(time: Milliseconds) {
        let seconds = max(0, min(time / 1000, Timestamp.secondsMax))
        let date = CivilDate(daysSince1970: Int(seconds / 86400))
        let rest = Int(seconds % 86400)
        // `:` follows `9`, so it is the digit 10 here.
        let day = pair(date.day)
        let minute = pair(rest / 60 % 60) << 24 | pair(rest % 60) << 48
        append(literal: #"""#)
        append(digits: pair(date.year / 100) | pair(date.year % 100) << 16, count: 4)
        append(literal: "-")
        append(digits: pair(date.month), count: 2)
        append(literal: "-")
        append(digits: day, count: 2)
        append(literal: "T")
        append(digits: pair(rest / 3600) | minute | 0x0000_0A00_000A_0000, count: 8)
        append(literal: #"Z""#)
    }

    /// The two digits of a number below 100, the first one in the lowest byte.
    @inline(__always)
    private func pair(_ number: Int) -> UInt64 {
        let number = UInt64(truncatingIfNeeded: number)
        let tens = (number &* 103) &>> 10
        return (number &- tens &* 10) &<< 8 | tens
    }
}
