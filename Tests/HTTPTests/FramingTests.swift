import HTTP
import Testing

@Suite struct FramingTests {
    private func post(_ lines: String..., body: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n" + body
    }

    @Test func `a body ends after its length, and the next message follows`() {
        let message = post("Content-Length: 5", body: "helloGET")
        guard case .request(let summary, let consumed) = whole(Array(message.utf8)) else {
            Issue.record("not taken")
            return
        }
        #expect(summary.body == Array("hello".utf8))
        #expect(consumed == message.utf8.count - 3)
        #expect(judge(post("Content-Length: 5", body: "hello")).summary?.body.count == 5)
    }

    @Test(arguments: ["0", "00", "000005"])
    func `leading zeros are digits`(length: String) {
        let verdict = judge(post("Content-Length: \(length)", body: "hello"))
        #expect(verdict != .needsMore)
        #expect(verdict.malformation == nil)
    }

    @Test(arguments: Method.allCases)
    func `a body is framed alike for every method`(method: Method) {
        let verdict = judge(
            wire("\(method.name) / HTTP/1.1", "Host: a", "Content-Length: 2", body: "ok"))
        #expect(verdict.summary?.body == Array("ok".utf8))
    }

    @Test func `bytes of a body are never read as a request`() {
        let inner = "GET /inner HTTP/1.1\r\nHost: a\r\n\r\n"
        let message = post("Content-Length: \(inner.utf8.count)", body: inner)
        #expect(judge(message).summary?.path == "/")
    }

    @Test(arguments: [
        "", "+5", "-5", "-0", "0x5", "5 ,5", "5, 5", "5,5", "5 5", "5;", "5.0", "5e0", " ",
        "\u{ff15}",
        "\u{0665}", "five", "5\u{a0}", "1_0",
    ])
    func `a length is decimal digits and nothing else`(length: String) {
        #expect(judge(post("Content-Length: \(length)", body: "hello")) == .refused(.contentLength))
    }

    @Test func `two lengths are refused, even if they are equal`() {
        let message = post("Content-Length: 5", "Content-Length: 5", body: "hello")
        #expect(judge(message) == .refused(.repeatedField(.contentLength)))
    }

    @Test(arguments: [
        "1048577", "9223372036854775807", "9223372036854775808", "18446744073709551615",
        "18446744073709551616", "99999999999999999999999999999999999999999",
    ])
    func `a length over the limit is 413 before the body`(length: String) {
        let verdict = judge(post("Expect: 100-continue", "Content-Length: \(length)"))
        #expect(verdict == .refused(.bodyTooLarge(bytesMax: 1_048_576)))
        #expect(verdict.malformation?.status == .bodyTooLarge)
    }

    @Test func `a length at the limit is waited for`() {
        #expect(whole(Array(post("Content-Length: 1048576").utf8)) == .needsMore)
    }

    @Test(arguments: ["chunked", "Chunked", "CHUNKED", " chunked \t"])
    func `chunked is not case-sensitive`(coding: String) {
        let message = post("Transfer-Encoding: \(coding)", body: "5\r\nhello\r\n0\r\n\r\n")
        #expect(judge(message).summary?.body == Array("hello".utf8))
    }

    @Test(arguments: [
        "gzip, chunked", "gzip,deflate,chunked", "chunked, chunked", "chunked,", ", chunked",
    ])
    func `other codings before chunked are 501`(coding: String) {
        #expect(judge(post("Transfer-Encoding: \(coding)")) == .refused(.transferCoding))
    }

    @Test(arguments: [
        "", "\"chunked\"", "chunked;q=1", "chunked\u{e9}", "ch\u{FF55}nked", "[chunked]", ",",
    ])
    func `a value that is not a list of codings is 400`(coding: String) {
        #expect(judge(post("Transfer-Encoding: \(coding)")) == .refused(.transferEncoding))
    }

    @Test(arguments: [
        "gzip", "identity", "xchunked", "chunkedx", "chunked, gzip", "chunked chunked",
    ])
    func `a body whose last coding is not chunked has no end and is 400`(coding: String) {
        let verdict = judge(post("Transfer-Encoding: \(coding)"))
        #expect(verdict == .refused(.transferEncoding))
        #expect(verdict.malformation?.status == .badRequest)
    }

    @Test(arguments: ["chunked", "gzip, chunked"])
    func `a length together with a coding is refused, in either order`(coding: String) {
        let (length, transfer) = ("Content-Length: 5", "Transfer-Encoding: \(coding)")
        #expect(judge(post(length, transfer)) == .refused(.lengthBesideChunked))
        #expect(judge(post(transfer, length)) == .refused(.lengthBesideChunked))
    }

    @Test func `two codings on two lines are refused`() {
        let line = "Transfer-Encoding: chunked"
        #expect(judge(post(line, line)) == .refused(.repeatedField(.transferEncoding)))
    }

    @Test(arguments: [
        "Transfer-Encoding : chunked", "Transfer-Encoding\t: chunked", "Transfer-Encoding",
    ])
    func `a coding that another reader might see is refused`(line: String) {
        #expect(judge(post(line, "Content-Length: 5", body: "hello")) == .refused(.fieldName))
    }

    @Test func `a name that resembles Transfer-Encoding is another name`() {
        let message = post("X-Transfer-Encoding: chunked", "Content_Length: 9")
        #expect(judge(message).summary?.body == [])
    }

    @Test func `HTTP 1 point 0 has no chunks`() {
        let message = wire("POST / HTTP/1.0", "Transfer-Encoding: chunked", body: "0\r\n\r\n")
        #expect(judge(message) == .refused(.chunkedInHTTP10))
    }

    @Test(
        arguments: [
            (["close"], 1, false), (["Close"], 1, false), (["x, CLOSE"], 1, false), ([], 1, true),
            (["x", "close"], 1, false), (["closed"], 1, true), (["keep-alive"], 1, true),
            (["keep-alive, close"], 1, false), ([], 0, false), (["keep-alive"], 0, true),
            (["Keep-Alive ,x"], 0, true), (["keep-alive", "close"], 0, false), (["x"], 0, false),
            ([",,close,,"], 1, false), ([""], 1, true), (["clo se"], 1, true),
        ] as [([String], Int, Bool)])
    func `the version and the options decide whether a connection stays open`(
        values: [String], minor: Int, keepsAlive: Bool
    ) {
        let lines = values.map { "Connection: \($0)\r\n" }.joined()
        let summary = judge("GET / HTTP/1.\(minor)\r\nHost: a\r\n\(lines)\r\n").summary
        #expect(summary?.keepsAlive == keepsAlive)
    }

    @Test func `an upgrade is ignored`() {
        let summary = judge(get("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c")).summary
        #expect(summary?.keepsAlive == true)
        #expect(summary?.lines[.connection] == ["Upgrade, HTTP2-Settings"])
    }
}

@Suite struct ExpectTests {
    private func needs(_ message: String) -> ParseStatus? {
        var parser = RequestParser()
        let bytes = Array(message.utf8)
        if case .needsMore(let need) = parser.parse(bytes, from: 0, to: bytes.count) { return need }
        return nil
    }

    @Test(arguments: ["100-continue", "100-Continue"])
    func `a client that expects 100 is told to go on`(value: String) {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: \(value)\r\nContent-Length: 2\r\n\r\n"
        #expect(needs(head) == .body(sendsContinue: true))
        #expect(needs(head + "o") == .body(sendsContinue: false))
        #expect(judge(head + "ok").summary?.expectsContinue == true)
    }

    @Test func `the client is asked once`() {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n"
        let bytes = Array(head.utf8)
        var parser = RequestParser()
        var asked = 0
        for end in [bytes.count - 1, bytes.count, bytes.count] {
            if case .needsMore(.body(sendsContinue: true)) = parser.parse(bytes, from: 0, to: end) {
                asked += 1
            }
        }
        #expect(asked == 1)
    }

    @Test func `chunks are asked for too`() {
        let head = get("Expect: 100-continue", "Transfer-Encoding: chunked")
        #expect(needs(head) == .body(sendsContinue: true))
    }

    @Test func `a client of HTTP 1 point 0 is not asked`() {
        let head = "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        #expect(needs(head) == .body(sendsContinue: false))
    }

    @Test func `a client without a body is not asked`() {
        #expect(judge(get("Expect: 100-continue")).summary?.expectsContinue == true)
    }

    @Test(arguments: [", 100-continue", "100-continue,", "100-continue,, 100-continue"])
    func `empty elements and repetitions have no meaning`(value: String) {
        let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: \(value)\r\nContent-Length: 2\r\n\r\n"
        #expect(needs(head) == .body(sendsContinue: true))
    }

    @Test(arguments: ["", ","])
    func `an empty list expects nothing`(value: String) {
        #expect(judge(get("Expect: \(value)")).summary?.expectsContinue == false)
    }

    @Test(arguments: ["200-ok", "100-continue, x", "100-continue;a"])
    func `other expectations are 417`(value: String) {
        let verdict = judge(get("Expect: \(value)"))
        #expect(verdict == .refused(.expectation))
        #expect(verdict.malformation?.status == .expectationFailed)
        #expect(judge(get("Expect: 100-continue", "Expect: \(value)")) == .refused(.expectation))
    }
}
