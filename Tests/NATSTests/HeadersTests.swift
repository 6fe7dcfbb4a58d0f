import NATS
import Testing

/// The header block of a message.
@Suite struct HeadersTests {
    private func headers(_ text: String) throws(HeaderError) -> Headers {
        let bytes = Array(text.utf8)
        return try Headers([0] + bytes + [13, 10], 1..<bytes.count + 1)
    }

    private func headers(lines: String...) throws(HeaderError) -> Headers {
        try headers("NATS/1.0\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n")
    }

    @Test func `names are compared byte by byte, and the last header wins`() throws {
        let found = try headers(
            lines: "N: 1", "n: 2", "N-M: 3", "N:\t4 ", "Empty:", "U: é")
        #expect(found.text("N") == "4" && found.text("n") == "2" && found.text("N-M") == "3")
        #expect(found.text("Empty") == "" && found.text("U") == "é")
        #expect(found.text("M") == nil && found.text("") == nil && found.text("N-") == nil)
        #expect(found.status == nil)
    }

    @Test(arguments: [
        ("NATS/1.0", nil, ""), ("NATS/1.0 ", nil, ""), ("NATS/1.0 503", 503, ""),
        ("NATS/1.0 100 Idle Heartbeat", 100, "Idle Heartbeat"), ("NATS/1.0\t204  EOB ", 204, "EOB"),
        ("NATS/1.0 000", 0, ""),
    ])
    func `a status has a code and an optional text`(line: String, code: Int?, text: String) throws {
        let status = try headers(line + "\r\nA: b\r\n\r\n").status
        #expect(status?.code == code && (status?.text ?? "") == text)
    }

    @Test(arguments: [
        ("NATS/1.1\r\n\r\n", HeaderError.statusLine), ("nats/1.0\r\n\r\n", .statusLine),
        ("NATS/1.0 50\r\n\r\n", .statusLine), ("NATS/1.0 5034\r\n\r\n", .statusLine),
        ("NATS/1.0x503\r\n\r\n", .statusLine), ("NATS/1.0 -12\r\n\r\n", .statusLine),
        ("NATS/1.0 503 a\u{1}b\r\n\r\n", .statusLine), ("\r\n\r\n", .statusLine),
        ("NATS/1.0\r\n", .lineEnd), ("NATS/1.0\n\n", .lineEnd), ("NATS/1.0\r\nA: b\r\n", .lineEnd),
        ("NATS/1.0\r\nA: b\n\r\n", .lineEnd), ("NATS/1.0\r\n\r\nA: b\r\n\r\n", .lineEnd),
        ("", .lineEnd), ("NATS/1.0\r\nA b\r\n\r\n", .name), ("NATS/1.0\r\n: b\r\n\r\n", .name),
        ("NATS/1.0\r\nA : b\r\n\r\n", .name), ("NATS/1.0\r\nÄ: b\r\n\r\n", .name),
        ("NATS/1.0\r\n A: b\r\n\r\n", .name), ("NATS/1.0\r\nA: \u{0}\r\n\r\n", .value),
        ("NATS/1.0\r\nA: b\rc\r\n\r\n", .value), ("NATS/1.0\r\nA: \u{7f}\r\n\r\n", .value),
    ])
    func `a malformed header block is rejected`(text: String, error: HeaderError) {
        #expect(throws: error) { try headers(text) }
    }

    @Test func `a value that is not UTF-8 is rejected`() {
        let bytes = Array("NATS/1.0\r\nA: ".utf8) + [0xE9, 13, 10, 13, 10]
        #expect(throws: HeaderError.notUTF8) { try Headers(bytes, bytes.indices) }
    }

    @Test(arguments: ["-1", "1.5", "", "0x1", "9999999999999999999", "1 2"])
    func `a number has only digits and is bounded`(text: String) throws {
        let found = try headers(lines: "A: \(text)", "B: 007")
        #expect(throws: HeaderError.malformed("A")) { try found.number("A") }
        #expect(try found.number("B") == 7)
        #expect(try found.number("C") == nil)
        #expect(throws: HeaderError.missing("C")) { try found.required("C") }
    }

    @Test(arguments: [("", "a"), ("a b", "c"), ("a:", "b"), ("ä", "b"), ("a\r\n", "b")])
    func `a header with an invalid name cannot be created`(name: String, value: String) {
        #expect(throws: HeaderError.name) { try Header(name, value) }
    }

    @Test(arguments: ["a\r\nB: c", "\n", "\u{0}", "\u{7f}"])
    func `a header with control characters in its value cannot be created`(value: String) {
        #expect(throws: HeaderError.value) { try Header("A", value) }
    }

    @Test func `malformed headers do not end the link`() throws {
        let odd = "NATS/1.0\r\nnonsense\r\n\r\n"
        let found = judge("HMSG a 1 \(odd.utf8.count) \(odd.utf8.count)\r\n\(odd)\r\nPING\r\n")
        #expect(found.last == .ping && found.count == 2)
        #expect(throws: HeaderError.name) { try message(headers: odd).headers() }
    }
}
