import HTTP
import Testing

@Suite struct LimitTests {
    private var small: ParserLimits {
        var limits = ParserLimits()
        limits.requestLineBytesMax = 40
        limits.targetBytesMax = 20
        limits.fieldLineBytesMax = 30
        limits.headBytesMax = 64
        limits.fieldsMax = 4
        return limits
    }

    @Test func `a target at the limit is accepted, one more byte is 414`() {
        #expect(judge(get(target: "/" + long(19)), limits: small).summary != nil)
        let verdict = judge(get(target: "/" + long(20)), limits: small)
        #expect(verdict == .refused(.targetTooLong(bytesMax: 20)))
        #expect(verdict.malformation?.status == .uriTooLong)
    }

    @Test func `an endless method is 501 at the limit of the line`() {
        #expect(judge(long(41), limits: small) == .refused(.method))
        #expect(judge(long(40), limits: small) == .needsMore)
    }

    @Test func `of the limits of the target and of the line, the first one to be reached counts`() {
        let message = long(30) + " /" + long(30)
        #expect(judge(message, limits: small) == .refused(.requestLineTooLong(bytesMax: 40)))
    }

    @Test func `a field line at the limit is accepted, one more byte is 431`() {
        #expect(judge(get("X: " + long(27)), limits: small).summary != nil)
        let verdict = judge(get("X: " + long(28)), limits: small)
        #expect(verdict == .refused(.fieldLineTooLong(bytesMax: 30)))
        #expect(verdict.malformation?.status == .headersTooLarge)
    }

    @Test func `an endless name is 431`() {
        let verdict = judge(get(long(31)), limits: small)
        #expect(verdict == .refused(.fieldLineTooLong(bytesMax: 30)))
    }

    @Test func `field lines over the limit together are 431`() {
        let verdict = judge(get("X: " + long(22), "Y: " + long(27)), limits: small)
        #expect(verdict == .refused(.headTooLarge(bytesMax: 64)))
    }

    @Test func `more fields than the limit are 431`() {
        #expect(judge(get("A:", "B:", "C:"), limits: small).summary != nil)
        let verdict = judge(get("A:", "B:", "C:", "D:"), limits: small)
        #expect(verdict == .refused(.tooManyFields(max: 4)))
    }

    @Test func `request lines of 8000 bytes are accepted by default`() {
        #expect(whole(Array(get(target: "/" + long(8_191)).utf8)).summary != nil)
        let verdict = whole(Array(get(target: "/" + long(8_192)).utf8))
        #expect(verdict == .refused(.targetTooLong(bytesMax: 8_192)))
    }

    @Test func `a hundred fields are accepted by default`() {
        let fields = (1...100).map { "X\($0): y\r\n" }.joined()
        let start = "GET / HTTP/1.0\r\n"
        #expect(whole(Array((start + fields + "\r\n").utf8)).summary != nil)
        let verdict = whole(Array((start + fields + "Z: z\r\n\r\n").utf8))
        #expect(verdict == .refused(.tooManyFields(max: 100)))
    }

    @Test(arguments: ["Content-Length: 9", "Transfer-Encoding: chunked"])
    func `the head is known of a message whose body alone is too large`(field: String) throws {
        var limits = ParserLimits()
        limits.bodyBytesMax = 8
        var parser = RequestParser(limits: limits)
        let message = Array(
            "POST /mcp HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n9\r\n123456789\r\n".utf8)
        guard case .refused(let error) = parser.parse(message, from: 0, to: message.count) else {
            Issue.record("not refused")
            return
        }
        #expect(error.isBodyTooLarge)
        let head = try #require(parser.head(message, from: 0))
        #expect(head.text(head.path) == "/mcp")
        #expect(head.method == .post)
        #expect(head.bodyRange.isEmpty)
    }

    @Test func `there is no head of a message that was refused within it`() {
        var parser = RequestParser()
        let message = Array("POST /mcp HTTP/1.1\r\nHost : a\r\n\r\n".utf8)
        _ = parser.parse(message, from: 0, to: message.count)
        #expect(parser.head(message, from: 0)?.method == nil)
    }

    @Test func `every error says what to do`() {
        let all: [MalformedMessageError] = [
            .tooManyEmptyLines, .requestLine, .target, .targetTooLong(bytesMax: 1), .version,
            .requestLineTooLong(bytesMax: 1), .method, .bareCarriageReturn, .bareLineFeed,
            .controlByte(0), .fieldName, .foldedField, .repeatedField(.host), .hostMissing, .host,
            .fieldLineTooLong(bytesMax: 1), .headTooLarge(bytesMax: 1), .tooManyFields(max: 1),
            .contentLength, .transferEncoding, .transferCoding, .lengthBesideChunked, .chunkSize,
            .chunkedInHTTP10, .expectation, .chunkExtension, .chunkEnd, .bodyTooLarge(bytesMax: 1),
            .chunkOverheadTooLarge(bytesMax: 1),
        ]
        for malformation in all {
            #expect(malformation.detail.hasSuffix("."))
            #expect(malformation.status.code >= 400)
            #expect(
                (malformation.status == .badRequest)
                    == (malformation.problem == "malformed-request"))
            #expect(malformation.isBodyTooLarge == (malformation.status == .bodyTooLarge))
        }
        #expect(Set(all.map(\.detail)).count == all.count)
    }
}
