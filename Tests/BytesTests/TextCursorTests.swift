import Bytes
import Testing

@Suite struct TextCursorTests {
    /// Reads text, after which there are other bytes, and returns where the cursor stops.
    private func read<Result>(
        _ text: String, _ body: (inout TextCursor) -> Result
    ) -> (result: Result, at: Int) {
        let bytes = Array("##\(text)\(String(repeating: "7\"", count: 8))".utf8)
        let range = 2..<2 + text.utf8.count
        return bytes.read(range) { cursor in
            let result = body(&cursor)
            return (result, cursor.at - range.lowerBound)
        }
    }

    @Test(arguments: [
        ("n=0,", 0), ("n=7,", 7), ("n=12,", 12), ("n=1234567,", 1_234_567),
        ("n=12345678,", 12_345_678), ("n=123456789,", 123_456_789), ("n=007,", 7),
        ("n=1795225000412,", 1_795_225_000_412), ("n=999999999999999,", 999_999_999_999_999),
    ])
    func `a number behind a literal is read`(text: String, value: UInt64) {
        var number: UInt64 = 1
        let (isRead, at) = read(text) { $0.take("n=", &number) }
        #expect(isRead && number == value && at == text.utf8.count - 1)
    }

    @Test(arguments: [
        "", "n", "n=", "m=1,", "n=,", "n=-1,", "n=x", "n=/", "n=:", "n=\u{B1}", "n=1", "n=12345678",
        "n=1234567890123456,", "n=12345678901234567890,",
    ])
    func `a number that is missing, too long or without an end is refused`(text: String) {
        var number: UInt64 = 1
        let (isRead, at) = read(text) { $0.take("n=", &number) }
        #expect(!isRead && number == 1 && at == 0)
    }

    @Test func `a literal is taken only as a whole`() {
        for count in 0...18 {
            let text = String("abcdefghijklmnopqr".prefix(count))
            #expect(read(text) { $0.take("abcdefghijklmnopqr") } == (count == 18, count / 18 * 18))
            guard count > 0 else { continue }
            let other = text.dropLast() + "_qrstuvwxyz"
            #expect(read(String(other)) { $0.take("abcdefghijklmnopqr") } == (false, 0))
        }
    }

    @Test func `text ends at its quotation mark`() {
        for count in 0...20 {
            let text = String(repeating: "é", count: count / 2) + (count % 2 == 1 ? "x" : "")
            #expect(read(text + "\"") { $0.text()?.count } == (count, count + 1))
            #expect(read(text) { $0.text()?.count } == (nil, 0))
            #expect(read(text + "\\\"\"") { $0.text()?.count } == (nil, 0))
        }
    }

    @Test func `bytes are skipped up to the end and no further`() {
        for count in UInt64(0)...4 {
            #expect(read("abcd") { $0.skip(count)?.count } == (Int(count), Int(count)))
        }
        for count in [5, 20, UInt64.max] {
            #expect(read("abcd") { $0.skip(count)?.count } == (nil, 0))
        }
    }
}
