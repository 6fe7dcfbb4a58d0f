internal import Bytes

/// The field `Date` with an IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
///
/// One is made per second and used for all responses of that second. It is a class so that passing
/// it on costs one reference count.
public final class DateField: Sendable {
    /// The time in seconds since 1970.
    public let unixSeconds: Int64
    /// The complete field line.
    let line: [UInt8]
    /// The start of the two most frequent responses, 200 with JSON, up to the entity tag: to a
    /// read, with `Cache-Control: no-cache`, and to a change, without it. Without them, encoding
    /// the response to a GET takes 31 % more instructions.
    let readStart, changeStart: [UInt8]

    /// The field for a time in seconds since 1970; times outside the years 0 to 9999 are clamped.
    public init(unixSeconds: Int64) {
        self.unixSeconds = min(max(unixSeconds, -62_167_219_200), 253_402_300_799)
        let date = Self.format(self.unixSeconds)
        line = Array("Date: ".utf8) + (0..<29).map { date[$0] } + Array("\r\n".utf8)
        changeStart = Status.ok.line + line + ContentType.json.line
        readStart = changeStart + Caching.askAgain.line
    }

    /// The value of the field.
    public var text: String {
        String(decoding: line[6..<35], as: UTF8.self)
    }

    private static func format(_ seconds: Int64) -> InlineArray<29, UInt8> {
        let day = Int((seconds >= 0 ? seconds : seconds - 86_399) / 86_400)
        let second = Int(seconds) - day * 86_400
        let date = CivilDate(daysSince1970: day)
        var out = InlineArray<29, UInt8>(repeating: ASCII.space)
        put("Sun,Mon,Tue,Wed,Thu,Fri,Sat,", from: date.weekday * 4, count: 4, at: 0, &out)
        put(date.day, digits: 2, at: 5, &out)
        put("JanFebMarAprMayJunJulAugSepOctNovDec", from: date.month * 3 - 3, count: 3, at: 8, &out)
        put(date.year, digits: 4, at: 12, &out)
        put(second / 3_600, digits: 2, at: 17, &out)
        put(second / 60 % 60, digits: 2, at: 20, &out)
        put(second % 60, digits: 2, at: 23, &out)
        (out[19], out[22]) = (ASCII.colon, ASCII.colon)
        put("GMT", from: 0, count: 3, at: 26, &out)
        return out
    }

    private static func put(
        _ text: String, from: Int, count: Int, at index: Int, _ out: inout InlineArray<29, UInt8>
    ) {
        for (offset, byte) in text.utf8.dropFirst(from).prefix(count).enumerated() {
            out[index + offset] = byte
        }
    }

    private static func put(
        _ number: Int, digits: Int, at index: Int, _ out: inout InlineArray<29, UInt8>
    ) {
        var rest = number
        for offset in (0..<digits).reversed() {
            out[index + offset] = ASCII.zero + UInt8(rest % 10)
            rest /= 10
        }
    }
}
