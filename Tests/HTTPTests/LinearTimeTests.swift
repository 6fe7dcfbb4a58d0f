import HTTP
import Testing

/// The cost is counted, not timed: what is judged once is not looked at again, so if after each
/// piece everything that came is judged, the work is linear in the bytes however they are cut.
@Suite struct LinearTimeTests {
    private func expectAllJudged(_ message: String, _ location: SourceLocation = #_sourceLocation) {
        let bytes = Array(message.utf8)
        var parser = RequestParser()
        for end in 1...bytes.count {
            guard case .needsMore = parser.parse(bytes, from: 0, to: end) else { return }
            guard parser.judgedBytes == end else {
                Issue.record("\(parser.judgedBytes) of \(end) judged", sourceLocation: location)
                return
            }
        }
    }

    @Test func `a long head that arrives byte by byte is checked once`() {
        expectAllJudged("\r\n\r\nGET /" + long(2_000) + " HTTP/1.1\r\nHost: a\r\n" + long(3_000))
        expectAllJudged(get("X: " + long(3_000), long(200) + ":", "Prefer: a"))
    }

    @Test func `a chunked body that arrives byte by byte is checked once`() {
        let chunks = "5;a=\"b\" ; c\r\nhello\r\n10\r\n0123456789abcdef\r\n0\r\nX: y\r\n\r\n"
        expectAllJudged(
            wire("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked", body: chunks))
    }

    @Test func `an idle parser is small and owns no memory`() {
        #expect(MemoryLayout<RequestParser>.size <= 100)
        var parser = RequestParser()
        let bytes = Array(get().utf8)
        _ = parser.parse(bytes, from: 0, to: bytes.count - 1)
        #expect(parser.heldBytes > 0)
        _ = parser.parse(bytes, from: 0, to: bytes.count)
        #expect(parser.heldBytes == 0)
    }

    @Test func `an empty buffer does not begin a message`() {
        var parser = RequestParser()
        guard case .needsMore(.message) = parser.parse([], from: 0, to: 0) else {
            Issue.record("not idle")
            return
        }
        #expect(parser.heldBytes == 0)
    }
}
