import HTTP
import Testing

/// Responses as a client reads them, wherever the network splits them.
@Suite struct ResponseParserTests {
    /// The parts that were read from a response.
    private struct Reading: Equatable {
        var status: Int?
        var body = ""
        var isFinished = false
        var error: MalformedResponseError?
    }

    /// Reads the parts, then the end of the connection.
    private func read(_ parts: [ArraySlice<UInt8>]) -> Reading {
        var parser = ResponseParser()
        var body: [UInt8] = []
        var reading = Reading()
        do {
            for part in parts { body += try parser.feed(part) }
            try parser.finish()
        } catch {
            reading.error = error
        }
        reading.status = parser.head?.statusCode
        reading.body = String(decoding: body, as: UTF8.self)
        reading.isFinished = parser.isFinished
        return reading
    }

    private func read(_ text: String) -> Reading { read([Array(text.utf8)[...]]) }

    private static let chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "5\r\nhello\r\n1;x=y\r\n \r\n5\r\nworld\r\n0\r\nExpires: never\r\n\r\n"

    /// Good responses, and what they are.
    private static let good: [(text: String, status: Int, body: String)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, more", 200, "hello"),
        ("HTTP/1.1 404 \r\ncontent-LENGTH:\t0 \r\n\r\n", 404, ""),
        ("HTTP/1.1 204\r\n\r\n", 204, ""),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 304, ""),
        ("HTTP/1.0 200 OK\r\n\r\nto the end", 200, "to the end"),
        (chunked, 200, "hello world"),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                + "HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx",
            201, "x"
        ),
    ]

    @Test(arguments: good.indices)
    func `a response is read whole, byte by byte, and cut at every byte`(index: Int) {
        let (text, status, body) = Self.good[index]
        let bytes = Array(text.utf8)
        let expected = Reading(status: status, body: body, isFinished: true)
        #expect(read(text) == expected)
        #expect(read(bytes.indices.map { bytes[$0...$0] }) == expected)
        for cut in bytes.indices {
            #expect(read([bytes[..<cut], bytes[cut...]]) == expected, "cut at \(cut)")
        }
    }

    @Test func `a response that ends early is incomplete at every byte`() {
        for text in [Self.good[0].text, Self.chunked] {
            let bytes = Array(text.utf8)
            for count in 0..<bytes.count {
                #expect(read([bytes[..<count]]).error == .incomplete, "\(count) bytes")
            }
        }
    }

    @Test(arguments: [
        ("SSH-2.0-OpenSSH\r\n", MalformedResponseError.statusLine),
        ("HTTP/2 200 OK\r\n\r\n", .statusLine), ("HTTP/1.1 20 OK\r\n\r\n", .statusLine),
        ("HTTP/1.1 2000 OK\r\n\r\n", .statusLine), ("HTTP/1.1 099 OK\r\n\r\n", .statusLine),
        ("HTTP/1.1 200 \u{1B}[0m\r\n\r\n", .statusLine), ("HTTP/1.1\r\n\r\n", .statusLine),
        ("HTTP/1.1 200 OK\r\nA: 1\n\r\n\r\n", .line), ("HTTP/1.1 200 OK\r\nA : 1\r\n\r\n", .line),
        ("HTTP/1.1 200 OK\r\n: 1\r\n\r\n", .line), ("HTTP/1.1 200 OK\r\nA\r\n\r\n", .line),
        ("HTTP/1.1 200 OK\r\nA: 1\r\n folded\r\n\r\n", .line),
        ("HTTP/1.1 200 OK\r\nA: \u{7}\r\n\r\n", .line),
        ("HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n", .framing),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", .framing),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999999\r\n\r\n", .framing),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", .framing),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
            .framing
        ),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", .chunk),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab", .chunk),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: 1\n", .chunk),
        ("HTTP/1.1 101 Switching Protocols\r\n\r\n", .tooLong),
    ])
    func `what is not a response is refused`(text: String, error: MalformedResponseError) {
        #expect(read(text).error == error)
        #expect(!error.text.isEmpty)
        let bytes = Array(text.utf8)
        #expect(read(bytes.indices.map { bytes[$0...$0] }).error == error)
    }

    @Test func `everything that is not the body has a limit`() {
        let many = (0...100).map { "A\($0): 1\r\n" }.joined()
        #expect(read("HTTP/1.1 200 OK\r\n\(many)\r\n").error == .headTooLarge)
        let long = String(repeating: "x", count: 40_000)
        #expect(read("HTTP/1.1 200 OK\r\nA: \(long)").error == .headTooLarge)
        let interim = String(repeating: "HTTP/1.1 103 E\r\n\r\n", count: 9)
        #expect(read(interim).error == .tooLong)
        let trailers = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
        #expect(read(trailers + "A: \(long)").error == .tooLong)
        #expect(read(String(trailers.dropLast(2)) + ";" + long + long).error == .chunk)
    }

    @Test func `a stream of any length is handed over in parts`() throws {
        var parser = ResponseParser()
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(try parser.feed(Array(head.utf8)[...]).isEmpty)
        // The bytes around the chunks are more than one request may have.
        let part = Array(String(repeating: "1\r\nx\r\n", count: 1_000).utf8)
        for _ in 0..<40 { #expect(try parser.feed(part[...]).count == 1_000) }
        #expect(!parser.isFinished)
        #expect(throws: MalformedResponseError.incomplete) { try parser.finish() }
    }

    @Test func `fields are found by their names`() throws {
        var parser = ResponseParser()
        let text =
            "HTTP/1.1 200 OK\r\nContent-Type: Application/JSON; charset=utf-8\r\n"
            + "Vary: a\r\nVARY: b\r\n\r\n"
        _ = try parser.feed(Array(text.utf8)[...])
        let head = try #require(parser.head)
        #expect(head.mediaType == "application/json")
        #expect(head["vary"] == "a, b")
        #expect(head["etag"] == nil)
    }
}
