import HTTP
import TestSupport
import Testing

@Suite struct RequestTests {
    private func parsed(_ message: String) throws -> Request {
        try #require(try Request.parsed(Array(message.utf8)))
    }

    @Test func `a request shares the buffer and points into it`() throws {
        let request = try parsed(get("Accept: text/html", target: "/a?b"))
        #expect(request[.accept].flatMap(request.text) == "text/html")
        #expect(request.value(of: .accept) == "text/html")
        #expect(request.value(of: .prefer) == nil)
        #expect(request.has(.accept, "text/html"))
        #expect(!request.has(.accept, "text/htm"))
    }

    @Test func `a body without chunks is a range of the buffer`() throws {
        let message = wire("PUT / HTTP/1.1", "Host: a", "Content-Length: 2", body: "ok")
        let request = try parsed(message)
        #expect(request.bodyRange == message.utf8.count - 2..<message.utf8.count)
        #expect(Array(request.body) == Array("ok".utf8))
    }

    @Test(arguments: ["Content-Length: 4", "Transfer-Encoding: chunked"])
    func `a compacted request is the same and holds only its own bytes`(framing: String) throws {
        let body = framing.hasPrefix("C") ? "body" : "4\r\nbody\r\n0\r\n\r\n"
        let message =
            "\r\n"
            + wire(
                "POST /x?y HTTP/1.1", "Host: h:1", "If-Match: \"a\"", "if-match: \"b\"", framing,
                body: body)
        let buffer = Array("junk".utf8) + Array(message.utf8) + Array("GET".utf8)
        var parser = RequestParser()
        guard
            case .request(let request, _) = parser.parse(buffer, from: 4, to: buffer.count)
        else {
            Issue.record("not taken")
            return
        }
        let compacted = request.compacted()
        #expect(Summary(compacted) == Summary(request))
        #expect(compacted.bytes.count <= message.utf8.count)
        #expect(compacted.body.elementsEqual("body".utf8))
    }

    @Test func `a request without a body has none when it is compacted, wherever it begins`() throws
    {
        let message = "DELETE /x HTTP/1.1\r\nHost: h\r\n\r\n"
        let buffer = Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8) + Array(message.utf8)
        var parser = RequestParser()
        let start = buffer.count - message.utf8.count
        guard case .request(let request, _) = parser.parse(buffer, from: start, to: buffer.count)
        else {
            Issue.record("not taken")
            return
        }
        let compacted = request.compacted()
        #expect(Summary(compacted) == Summary(request))
        #expect(compacted.body.isEmpty)
    }

    @Test func `a text that ends too early is not a request`() throws {
        #expect(try Request.parsed(Array("GET / HT".utf8)) == nil)
        #expect(throws: MalformedMessageError.target) {
            try Request.parsed(Array(get(target: "x").utf8))
        }
    }

    @Test(arguments: [
        ("HEAD / HTTP/1.1\r\n\r\n", true), ("HEAD /\u{7}", true), ("HEAD / HTTP/1.1\r\nX", true),
        ("GET / HTTP/1.1\r\n\r\n", false), ("HEADS / HTTP/1.1\r\n\r\n", false), ("HEA", false),
    ])
    func `a request that is refused or late is known to be a HEAD request`(
        message: String, isHead: Bool
    ) {
        let bytes = Array(message.utf8)
        for step in [1, bytes.count] {
            var parser = RequestParser()
            for end in stride(from: step, through: bytes.count, by: step) {
                if case .refused = parser.parse(bytes, from: 0, to: end) { break }
            }
            #expect(parser.isHead == isHead)
        }
    }

    @Test func `the example in the documentation is correct`() throws {
        let first = "GET /v1/sessions/a HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let buffer = Array((first + "GET /v1/ses").utf8)
        var parser = RequestParser()
        guard case .request(let request, 48) = parser.parse(buffer, from: 0, to: 59) else {
            Issue.record("not taken")
            return
        }
        #expect(request.text(request.path) == "/v1/sessions/a")
        #expect(request[.host] == 35..<44)
        guard case .needsMore(.head) = parser.parse(buffer, from: 48, to: 59) else {
            Issue.record("not waited for")
            return
        }
        let own = Array(buffer[48...]) + [UInt8](repeating: 0, count: 49)
        #expect(parser.judgedBytes == 11)
        #expect(verdict(parser.parse(own, from: 0, to: 60)) == .refused(.controlByte(0)))
    }

    @Test func `pipelined requests come one after another`() {
        let all = ["/a", "/b", "/c"].map { get(target: $0) }.joined()
        let buffer = Array(all.utf8)
        var parser = RequestParser()
        var (start, paths) = (0, [String?]())
        while case .request(let request, let consumed) = parser.parse(
            buffer, from: start, to: buffer.count)
        {
            paths.append(request.text(request.path))
            start += consumed
        }
        #expect(paths == ["/a", "/b", "/c"])
        #expect(start == buffer.count)
    }
}
