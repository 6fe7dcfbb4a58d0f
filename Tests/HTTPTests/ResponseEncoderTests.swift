import Bytes
import HTTP
import Testing

private let date = DateField(unixSeconds: 784_111_777)
private let dateLine = "Date: Sun, 06 Nov 1994 08:49:37 GMT"
private let modern = Exchange(isHead: false, minorVersion: 1, keepsAlive: true)

private func text(
    _ response: Response, _ exchange: Exchange = modern, id: RequestID? = nil
) -> String {
    var out = ByteWriter()
    ResponseEncoder.encode(response, to: exchange, id: id, date: date, into: &out)
    return out.string
}

@Suite struct ResponseEncoderTests {
    @Test func `a response is a status line, fields, an empty line and a body`() {
        let response = Response(
            .created, contentType: .json, etag: "x-1", location: "/v1/sessions/a",
            caching: .never, fields: [ResponseField(.vary, "Origin")], body: Array("{}".utf8))
        #expect(
            text(response)
                == wire(
                    "HTTP/1.1 201 Created", dateLine, "Content-Type: application/json",
                    "Cache-Control: no-store", "ETag: \"x-1\"", "Location: /v1/sessions/a",
                    "Vary: Origin", "Content-Length: 2", body: "{}"))
    }

    @Test func `the precomputed heads are the same as any other`() {
        func answer(_ caching: Caching?) -> String {
            let tag = ResponseTag("x").numbered(12)
            return text(
                Response(.ok, contentType: .json, etag: tag, caching: caching, body: [0x30]))
        }
        let start = "HTTP/1.1 200 OK\r\n\(dateLine)\r\nContent-Type: application/json\r\n"
        let end = "ETag: \"x-12\"\r\nContent-Length: 1\r\n\r\n0"
        #expect(answer(nil) == start + end)
        #expect(answer(.askAgain) == start + "Cache-Control: no-cache\r\n" + end)
        #expect(answer(.never) == start + "Cache-Control: no-store\r\n" + end)
    }

    @Test(arguments: [0, 9, 10, 99, 100, 65_535, Int(UInt32.max), Int.max])
    func `a number is its digits`(number: Int) {
        let tag = ResponseTag("x").numbered(UInt64(number))
        #expect(text(Response(.ok, etag: tag)).contains("ETag: \"x-\(number)\"\r\n"))
        var chunk: [UInt8] = []
        StreamFraming.chunks.append([UInt8](repeating: 0, count: number % 1000), to: &chunk)
        let size = String(number % 1000, radix: 16)
        #expect(number % 1000 == 0 || chunk.starts(with: "\(size)\r\n".utf8))
    }

    @Test func `an empty body has a length and no type`() {
        #expect(text(Response(.ok)) == wire("HTTP/1.1 200 OK", dateLine, "Content-Length: 0"))
    }

    @Test(arguments: [Status.noContent, .notModified])
    func `204 and 304 have neither length nor body`(status: Status) {
        let answer = text(Response(status, contentType: .json, etag: "e", body: Array("no".utf8)))
        #expect(answer.hasSuffix("\r\n\(dateLine)\r\nETag: \"e\"\r\n\r\n"))
    }

    @Test func `HEAD has the fields of GET and no body`() {
        let response = Response(.ok, contentType: .json, etag: "e", body: Array("{\"a\":1}".utf8))
        let head = text(response, Exchange(isHead: true, minorVersion: 1, keepsAlive: true))
        #expect(text(response) == head + "{\"a\":1}")
        #expect(head.contains("Content-Length: 7\r\n"))
    }

    @Test(
        arguments: [
            (1, true, false, nil), (1, false, false, "close"), (1, true, true, "close"),
            (0, true, false, "keep-alive"), (0, false, false, "close"), (0, true, true, "close"),
        ] as [(Int, Bool, Bool, String?)])
    func `Connection is sent where the default of the version does not apply`(
        minor: Int, keepsAlive: Bool, closes: Bool, says: String?
    ) {
        let exchange = Exchange(isHead: false, minorVersion: minor, keepsAlive: keepsAlive)
        var out = ByteWriter()
        let persists = ResponseEncoder.encode(
            Response(.ok, closes: closes), to: exchange, date: date, into: &out)
        let answer = out.string
        #expect(persists == (says != "close"))
        #expect(answer.contains("Connection: ") == (says != nil))
        if let says { #expect(answer.contains("\r\nConnection: \(says)\r\n")) }
    }

    @Test func `a body without a type is opaque`() {
        #expect(
            text(Response(.ok, body: [0])).contains("Content-Type: application/octet-stream\r\n"))
    }

    @Test func `no text can end a line of the head`() {
        let evil = "a\r\nSet-Cookie: x\u{0}\u{7F}\nb\tc\u{e9}"
        let response = Response(
            .ok, etag: ResponseTag(evil), location: evil, fields: [ResponseField(.link, evil)])
        let lines = text(response).split(separator: "\r\n", omittingEmptySubsequences: false)
        let clean = "a  Set-Cookie: x   b\tc\u{e9}"
        #expect(lines.contains("Location: \(clean)"))
        #expect(lines.contains("Link: \(clean)"))
        #expect(lines.contains("ETag: \"\(clean)\""))
        #expect(lines.count == 8)
    }

    @Test(arguments: Status.allCases)
    func `each status has its line`(status: Status) {
        let line = text(Response(status)).prefix { $0 != "\r\n" }
        #expect(line == "HTTP/1.1 \(status.code) \(status.reason)")
        #expect(!status.reason.isEmpty)
    }

    @Test func `100 Continue is only its status line`() {
        var out = ByteWriter()
        ResponseEncoder.encodeContinue(into: &out)
        #expect(out.string == wire("HTTP/1.1 100 Continue"))
    }

    @Test func `responses are appended to the existing bytes`() {
        var out = ByteWriter()
        out.append("before")
        ResponseEncoder.encode(Response(.ok), to: modern, date: date, into: &out)
        #expect(out.string.hasPrefix("beforeHTTP/1.1 200 OK"))
    }
}

@Suite struct StreamTests {
    private func stream(_ exchange: Exchange) -> (String, StreamFraming) {
        var head = ByteWriter()
        let framing = ResponseEncoder.encodeStreamHead(
            Response(.ok, contentType: .eventStream), to: exchange, date: date, into: &head)
        var out = head.finish()
        framing.append(Array("0123456789abcdef".utf8), to: &out)
        framing.append([], to: &out)
        framing.append([0x78], to: &out)
        framing.appendEnd(to: &out)
        return (String(decoding: out, as: UTF8.self), framing)
    }

    private let type = "Content-Type: text/event-stream"

    @Test func `a stream to 1 point 1 is chunked`() {
        let (text, framing) = stream(modern)
        #expect(framing == .chunks)
        #expect(
            text
                == wire(
                    "HTTP/1.1 200 OK", dateLine, type, "Transfer-Encoding: chunked",
                    body: "10\r\n0123456789abcdef\r\n1\r\nx\r\n0\r\n\r\n"))
    }

    @Test func `the parser reads the chunks of the encoder`() throws {
        let (text, _) = stream(modern)
        let body = try #require(text.split(separator: "\r\n\r\n", maxSplits: 1).last)
        let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(judge(head + body).summary?.body == Array("0123456789abcdefx".utf8))
    }

    @Test func `a stream to 1 point 0 ends with the connection`() {
        let (text, framing) = stream(Exchange(isHead: false, minorVersion: 0, keepsAlive: true))
        #expect(framing == .untilClose)
        #expect(
            text
                == wire(
                    "HTTP/1.1 200 OK", dateLine, type, "Connection: close",
                    body: "0123456789abcdefx"))
    }

    @Test func `HEAD of a stream is its head`() {
        let (text, framing) = stream(Exchange(isHead: true, minorVersion: 1, keepsAlive: true))
        #expect(framing == .nothing)
        #expect(text == wire("HTTP/1.1 200 OK", dateLine, type, "Transfer-Encoding: chunked"))
    }
}

@Suite struct DateFieldTests {
    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (.max, "Fri, 31 Dec 9999 23:59:59 GMT"), (.min, "Sat, 01 Jan 0000 00:00:00 GMT"),
        ] as [(Int64, String)])
    func `seconds become an IMF-fixdate`(seconds: Int64, text: String) {
        #expect(DateField(unixSeconds: seconds).text == text)
    }

    @Test func `each day of four centuries follows the one before`() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        var seconds: Int64 = 946_684_800
        for year in stride(from: 2000, to: 2400, by: 1) {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for (month, name) in months.enumerated() {
                let days = lengths[month] + (month == 1 && isLeap ? 1 : 0)
                for day in [1, days] {
                    let text = DateField(unixSeconds: seconds + Int64(day - 1) * 86_400).text
                    let digits = day < 10 ? "0\(day)" : "\(day)"
                    #expect(text.dropFirst(5).prefix(11) == "\(digits) \(name) \(year)")
                }
                seconds += Int64(days) * 86_400
            }
        }
    }

    @Test(arguments: [
        (RequestID.made(0), "0000000000000000"), (.made(0x0123_4567_89AB_CDEF), "0123456789abcdef"),
        (.made(.max), "ffffffffffffffff"), (.given("a-1"), "a-1"),
    ])
    func `the id of the request is a field`(id: RequestID, value: String) {
        let response = Response(.noContent, fields: [ResponseField(.vary, "Origin")])
        #expect(id.text == value)
        #expect(
            text(response, id: id)
                == wire(
                    "HTTP/1.1 204 No Content", dateLine, "X-Request-Id: \(value)", "Vary: Origin"))
    }

    @Test func `ids that are made differ`() {
        var ids = RequestIDs(seed: 7)
        var seen: Set<String> = []
        for _ in 0..<1000 { seen.insert(ids.next().text) }
        #expect(seen.count == 1000)
    }
}
