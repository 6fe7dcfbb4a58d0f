import Bytes
import Testing

@Suite struct UTCTimeTests {
    private func read(_ text: String) -> UTCTime? { UTCTime(Array(text.utf8)) }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0, 0), ("1970-01-01T00:00:00.000000001Z", 0, 1),
        ("1970-01-01T00:00:01.5Z", 1, 500_000_000),
        ("2026-11-22T18:25:05.122721876Z", 1_795_371_905, 122_721_876),
        ("2024-02-29T23:59:59Z", 1_709_251_199, 0), ("9999-12-31T23:59:59Z", 253_402_300_799, 0),
    ])
    func `a time is read to the nanosecond`(text: String, seconds: Int, nanoseconds: Int) {
        #expect(read(text)?.seconds == seconds && read(text)?.nanoseconds == nanoseconds)
    }

    @Test(arguments: [
        "", "Z", "2026-11-22T18:25:05", "2026-11-22 18:25:05Z", "2026-11-22T18:25:05+00:00",
        "2026-13-22T18:25:05Z", "2026-02-30T18:25:05Z", "2026-11-00T18:25:05Z",
        "2026-00-10T18:25:05Z", "2026-11-22T24:25:05Z", "2026-11-22T18:60:05Z",
        "2026-11-22T18:25:60Z", "2026-11-22T18:25:05.Z", "2026-11-22T18:25:05.1234567890Z",
        "2026-11-22T18:25:05,1Z", "0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z",
        "2026-11-22T18:25:0/Z", "2026-11-22t18:25:05z",
    ])
    func `another form is no time`(text: String) { #expect(read(text) == nil) }
}
