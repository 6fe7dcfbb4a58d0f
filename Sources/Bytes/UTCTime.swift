/// A time as RFC 3339 writes it in UTC, such as `2026-11-22T18:25:05.166373702Z`. The years are
/// 1970 to 9999. The fraction, of one to nine digits, may be missing.
public struct UTCTime: Equatable, Sendable {
    /// Seconds since 1 January 1970.
    public let seconds: Int
    /// The fraction of a second, in nanoseconds.
    public let nanoseconds: Int

    /// Reads a time. Returns nil for any other form, and for a time that does not exist.
    public init?(_ text: [UInt8]) { self.init(text, text.indices) }

    /// Reads a time. Returns nil for any other form, and for a time that does not exist.
    public init?(_ text: [UInt8], _ range: Range<Int>) {
        guard (20...30).contains(range.count), text[range.upperBound - 1] == UInt8(ascii: "Z")
        else { return nil }
        let at = range.lowerBound
        func number(_ offset: Int, _ count: Int, after separator: Unicode.Scalar? = nil) -> Int? {
            if let separator, text[at + offset - 1] != UInt8(ascii: separator) { return nil }
            return Self.number(text.span, at: at + offset, count: count)
        }
        guard let year = number(0, 4), let month = number(5, 2, after: "-"),
            let day = number(8, 2, after: "-"), let hour = number(11, 2, after: "T"),
            let minute = number(14, 2, after: ":"), let second = number(17, 2, after: ":"),
            year >= 1970, (1...12).contains(month), (1...31).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        let days = date.daysSince1970
        guard CivilDate(daysSince1970: days) == date else { return nil }
        seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
        guard range.count > 20 else {
            nanoseconds = 0
            return
        }
        let digits = range.count - 21
        guard digits > 0, let fraction = number(20, digits, after: ".") else { return nil }
        nanoseconds = (digits..<9).reduce(fraction) { value, _ in value * 10 }
    }

    /// Reads a number of exactly so many digits.
    private static func number(_ text: Span<UInt8>, at start: Int, count: Int) -> Int? {
        var number = 0
        for index in start..<start + count {
            guard ASCII.isDigit(text[index]) else { return nil }
            number = number * 10 + Int(text[index] &- ASCII.zero)
        }
        return number
    }
}
