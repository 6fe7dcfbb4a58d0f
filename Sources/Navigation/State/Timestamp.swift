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
        return String(decoding: out.text.dropFirst().dropLast(), as: UTF8.self)
    }

    /// Reads the text that `append(time:)` writes, without the quotes. Returns nil for any other
    /// form.
    package static func read(_ bytes: [UInt8], _ range: Range<Int>) -> Milliseconds? {
        guard range.count == 20 else { return nil }
        let at = range.lowerBound
        func number(_ offset: Int, _ count: Int) -> Int? {
            Decimal.number(bytes[at + offset..<at + offset + count], digitsMax: count)
        }
        guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2),
            let hour = number(11, 2), let minute = number(14, 2), let second = number(17, 2),
            (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let days = CivilDate(year: year, month: month, day: day).daysSince1970
        let time = Milliseconds(days * 86400 + hour * 3600 + minute * 60 + second) * 1000
        var again = ByteWriter()
        again.append(time: time)
        return again.text[1..<21] == bytes[range] ? time : nil
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
        var text = InlineArray<22, UInt8>(repeating: UInt8(ascii: "\""))
        func set(_ index: Int, _ number: Int, then separator: Unicode.Scalar?) {
            text[index] = UInt8(ascii: "0") + UInt8(number / 10)
            text[index + 1] = UInt8(ascii: "0") + UInt8(number % 10)
            if let separator { text[index + 2] = UInt8(ascii: separator) }
        }
        set(1, date.year / 100, then: nil)
        set(3, date.year % 100, then: "-")
        set(6, date.month, then: "-")
        set(9, date.day, then: "T")
        set(12, rest / 3600, then: ":")
        set(15, rest / 60 % 60, then: ":")
        set(18, rest % 60, then: "Z")
        append(text.span)
    }
}
