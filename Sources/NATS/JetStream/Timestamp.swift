internal import Bytes

/// A timestamp written by a server.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// Nanoseconds since 1 January 1970, UTC.
    package let nanoseconds: Int

    package init(nanoseconds: Int) { self.nanoseconds = nanoseconds }

    /// Parses an RFC 3339 time in UTC, such as `2026-11-22T18:25:05.166373702Z`, from 1970 to 2261.
    /// Returns nil for anything else; servers use no other form.
    package init?(_ text: some Collection<UInt8>) {
        let text = Array(text)
        let pattern = Array("0000-00-00T00:00:00".utf8)
        guard text.count > pattern.count, text.count <= 30, text.last == UInt8(ascii: "Z")
        else { return nil }
        for (byte, expected) in zip(text, pattern) {
            let isDigit = expected == ASCII.zero && ASCII.isDigit(byte)
            guard isDigit || byte == expected else { return nil }
        }
        func number(_ range: Range<Int>) -> Int {
            Decimal.number(text[range], digitsMax: 4) ?? 0
        }
        let date = CivilDate(year: number(0..<4), month: number(5..<7), day: number(8..<10))
        let (hour, minute, second) = (number(11..<13), number(14..<16), number(17..<19))
        guard (1970...2261).contains(date.year), (1...12).contains(date.month),
            CivilDate(daysSince1970: date.daysSince1970) == date,
            hour < 24, minute < 60, second < 60,
            let fraction = Self.fraction(text[pattern.count..<text.count - 1])
        else { return nil }
        let seconds = ((date.daysSince1970 * 24 + hour) * 60 + minute) * 60 + second
        nanoseconds = seconds * 1_000_000_000 + fraction
    }

    /// Whether the left time is earlier.
    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Parses an empty fraction, or a point followed by one to nine digits. Returns nanoseconds.
    private static func fraction(_ text: ArraySlice<UInt8>) -> Int? {
        guard let point = text.first else { return 0 }
        let digits = text.dropFirst()
        guard point == ASCII.dot, let number = Decimal.number(digits, digitsMax: 9) else {
            return nil
        }
        return (digits.count..<9).reduce(number) { value, _ in value * 10 }
    }
}
