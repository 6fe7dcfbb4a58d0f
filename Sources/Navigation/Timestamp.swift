internal import JSON

/// Times on the wire: RFC 3339 in UTC, whole seconds, years 1970 to 9999.
package enum Timestamp {
    /// `2026-11-21T10:00:00Z`.
    package static func text(_ time: Milliseconds) -> String {
        var out = JSONWriter()
        out.append(time: time)
        return String(decoding: out.text.dropFirst().dropLast(), as: UTF8.self)
    }

    /// Reads what `append(time:)` wrote, without the quotes; nil for any other form.
    package static func read(_ bytes: [UInt8], _ range: Range<Int>) -> Milliseconds? {
        guard range.count == 20 else { return nil }
        let at = range.lowerBound
        func number(_ place: Int, _ count: Int) -> Int? {
            var value = 0
            for byte in bytes[at + place..<at + place + count] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            return value
        }
        guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2),
            let hour = number(11, 2), let minute = number(14, 2), let second = number(17, 2),
            (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let days = days(fromCivil: year, month, day)
        let time = Milliseconds(days * 86400 + hour * 3600 + minute * 60 + second) * 1000
        var again = JSONWriter()
        again.append(time: time)
        return again.text[1..<21] == bytes[range] ? time : nil
    }

    /// The end of the year 9999.
    fileprivate static let secondsMax: Milliseconds = 253_402_300_799

    /// Days are counted in eras of 400 years that begin on 1 March, so that the leap day is the
    /// last of its year.
    fileprivate static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func days(fromCivil year: Int, _ month: Int, _ day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear % 400
        let shiftedMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * shiftedMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension JSONWriter {
    /// Appends `"2026-11-21T10:00:00Z"` with its quotes.
    package mutating func append(time: Milliseconds) {
        let seconds = max(0, min(time / 1000, Timestamp.secondsMax))
        let (year, month, day) = Timestamp.civil(fromDays: Int(seconds / 86400))
        let rest = Int(seconds % 86400)
        var text = InlineArray<22, UInt8>(repeating: UInt8(ascii: "\""))
        func set(_ index: Int, _ number: Int, _ behind: Unicode.Scalar?) {
            text[index] = UInt8(ascii: "0") + UInt8(number / 10)
            text[index + 1] = UInt8(ascii: "0") + UInt8(number % 10)
            if let behind { text[index + 2] = UInt8(ascii: behind) }
        }
        set(1, year / 100, nil)
        set(3, year % 100, "-")
        set(6, month, "-")
        set(9, day, "T")
        set(12, rest / 3600, ":")
        set(15, rest / 60 % 60, ":")
        set(18, rest % 60, "Z")
        append(text.span)
    }
}
