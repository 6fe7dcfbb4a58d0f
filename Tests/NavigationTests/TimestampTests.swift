import Bytes
import JSON
import Navigation
import Testing

@Suite struct TimestampTests {
    /// Seconds since 1970 and how they are written; checked against `date -u`.
    static let facts: [(seconds: Int64, text: String)] = [
        (0, "1970-01-01T00:00:00Z"),
        (951_782_399, "2000-02-28T23:59:59Z"),
        (951_782_400, "2000-02-29T00:00:00Z"),
        (951_868_800, "2000-03-01T00:00:00Z"),
        (1_709_164_800, "2024-02-29T00:00:00Z"),
        (1_740_787_199, "2025-02-28T23:59:59Z"),
        (1_740_787_200, "2025-03-01T00:00:00Z"),
        (1_795_262_400, "2026-11-21T12:00:00Z"),
        (4_107_542_399, "2100-02-28T23:59:59Z"),
        (4_107_542_400, "2100-03-01T00:00:00Z"),
        (13_574_563_200, "2400-02-29T00:00:00Z"),
        (253_402_300_799, "9999-12-31T23:59:59Z"),
    ]

    private func written(_ time: Milliseconds) -> String {
        var out = ByteWriter()
        out.append(time: time)
        return out.string
    }

    private func read(_ text: String) -> Milliseconds? {
        let bytes = Array(text.utf8)
        return Timestamp.read(bytes, bytes.indices)
    }

    @Test(arguments: facts)
    func `times are written as RFC 3339 in UTC and read back`(_ seconds: Int64, _ text: String) {
        #expect(written(seconds * 1000) == "\"\(text)\"")
        #expect(read(text) == seconds * 1000)
    }

    @Test func `fractions of a second are left out, never rounded up`() {
        #expect(written(999) == "\"1970-01-01T00:00:00Z\"")
        #expect(written(1000) == "\"1970-01-01T00:00:01Z\"")
    }

    @Test func `a time outside the years is written as the nearest one`() {
        #expect(written(-1) == "\"1970-01-01T00:00:00Z\"")
        #expect(written(Milliseconds.min) == "\"1970-01-01T00:00:00Z\"")
        #expect(written(253_402_300_800_000) == "\"9999-12-31T23:59:59Z\"")
        #expect(written(Milliseconds.max) == "\"9999-12-31T23:59:59Z\"")
    }

    @Test func `every day of the years 1970 to 2410 follows the day before it`() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var time: Milliseconds = 0
        var wrong: [String] = []
        for year in 1970...2410 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for (index, length) in lengths.enumerated() {
                for day in 1...(index == 1 && isLeap ? 29 : length) {
                    let expected = "\(year)-\(padded(index + 1))-\(padded(day))T00:00:00Z"
                    if written(time) != "\"\(expected)\"" || read(expected) != time {
                        wrong.append(expected)
                    }
                    time += 86_400_000
                }
            }
        }
        #expect(wrong.isEmpty)
    }

    private func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T10:00:00", "2026-11-21T10:00:00.0Z", "2026-11-21t10:00:00Z",
        "2026-11-21T10:00:00z", "2026/11/21T10:00:00Z", "2026-11-21 10:00:00Z",
        "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
        "2026-02-29T00:00:00Z", "2026-02-30T00:00:00Z", "2026-04-31T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z",
        "1969-12-31T23:59:59Z", "+026-01-01T00:00:00Z", "2026-01-01T00:00:0٣Z",
    ])
    func `any other form is no time`(_ text: String) {
        #expect(read(text) == nil)
    }
}
