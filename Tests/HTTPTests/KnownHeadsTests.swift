import HTTP
import TestSupport
import Testing

/// Equal field lines are recognized, and nothing else is different for it.
@Suite struct KnownHeadsTests {
    private static let lines = "Host: a.example:80\r\nAccept: application/json\r\n"

    /// Parses messages that come one after another on a connection.
    private func parse(
        _ messages: [String], _ heads: KnownHeads?, limits: ParserLimits = ParserLimits()
    ) -> [Request] {
        var parser = RequestParser(limits: limits)
        return messages.compactMap { message in
            let bytes = Array("....\(message)".utf8)
            guard
                case .request(let request, let consumed) =
                    parser.parse(bytes, from: 4, to: bytes.count, heads)
            else { return nil }
            #expect(consumed == bytes.count - 4)
            return request
        }
    }

    private func message(
        _ target: String, _ lines: String = Self.lines, body: String? = nil, key: String = "k-1"
    ) -> String {
        guard let body else { return "GET \(target) HTTP/1.1\r\n\(lines)\r\n" }
        return "POST \(target) HTTP/1.1\r\n\(lines)Content-Length: \(body.utf8.count)\r\n"
            + "If-Match: \"x\"\r\nIdempotency-Key: \(key)\r\n\r\n\(body)"
    }

    @Test func `field lines that came before have a number`() {
        let requests = parse(["/a", "/bc?d=e", "/"].map { message($0) }, KnownHeads())
        #expect(requests.count == 3 && requests[0].fieldLines == 0)
        #expect(requests[1].fieldLines != 0)
        #expect(requests[1].fieldLines == requests[2].fieldLines)
        #expect(requests[1].value(of: .accept) == "application/json")
        #expect(requests[1].host.flatMap(requests[1].text) == "a.example")
        #expect(requests[1].port == 80)
        #expect(requests[1].query.flatMap(requests[1].text) == "d=e")
        #expect(requests[2].query == nil)
    }

    @Test func `only the digits of the length may differ`() {
        let messages = ["12345", "abcdefg", "1234567890"].map { message("/a", body: $0) }
        let requests = parse(messages, KnownHeads())
        #expect(requests.map { $0.fieldLines != 0 } == [false, true, false])
        #expect(
            requests.map { String(decoding: $0.body, as: UTF8.self) }
                == ["12345", "abcdefg", "1234567890"])
        #expect(requests.allSatisfy { $0.value(of: .ifMatch) == "\"x\"" })
    }

    @Test func `keys of the same length may differ, unless white space is at their ends`() {
        let keys = ["k-1", "k-2", "k 3", " k4", "k5 ", "ké", "k-66", "k-7"]
        let requests = parse(keys.map { message("/a", body: "{}", key: $0) }, KnownHeads())
        let isKnown = requests.map { $0.fieldLines != 0 }
        #expect(isKnown == [false, true, false, false, false, false, false, true])
        #expect(
            requests.map { $0.value(of: .idempotencyKey) }
                == ["k-1", "k-2", "k 3", "k4", "k5", "ké", "k-66", "k-7"])
    }

    @Test func `connections with the same lines share a number, after their own first request`() {
        let heads = KnownHeads()
        let first = parse([message("/a"), message("/b")], heads)
        let second = parse([message("/c"), message("/d")], heads)
        #expect(second[0].fieldLines == 0)
        #expect(first[1].fieldLines == second[1].fieldLines)
    }

    @Test(arguments: [
        "GET http://b.example/ HTTP/1.1", "GET /a HTTP/1.0", "OPTIONS * HTTP/1.1",
    ])
    func `only plain request lines are recognized`(line: String) {
        let message = "\(line)\r\n\(Self.lines)\r\n"
        let requests = parse([message, message, self.message("/a"), message], KnownHeads())
        #expect(requests.map(\.fieldLines) == [0, 0, 0, 0])
    }

    @Test(arguments: ["Expect: 100-continue\r\n", "Transfer-Encoding: chunked\r\n"])
    func `lines that say more than the length of the body are not kept`(line: String) {
        let body = line.hasPrefix("T") ? "0\r\n\r\n" : ""
        let message = "POST /a HTTP/1.1\r\n\(Self.lines)\(line)\r\n\(body)"
        #expect(parse([message, message], KnownHeads()).map(\.fieldLines) == [0, 0])
    }

    @Test func `a connection that sends other lines each time is not recognized any more`() {
        let messages = (0..<20).flatMap { number in
            [message("/a", "\(Self.lines)X-Number: \(number)\r\n")]
        }
        let numbers = parse(messages + [messages[19], messages[19]], KnownHeads())
            .map(\.fieldLines)
        #expect(numbers == Array(repeating: 0, count: 22))
    }

    @Test(.seeded) func `a message has the same outcome with and without known lines`() {
        var random = SplitMix64()
        let heads = KnownHeads()
        var limits = ParserLimits()
        limits.bodyBytesMax = 64
        for _ in 0..<2_000 {
            var parser = RequestParser(limits: limits)
            let usual = Array(message("/v1/sessions/abc", body: "{\"route\":\"a\"}").utf8)
            for _ in 0..<2 { _ = parser.parse(usual, from: 0, to: usual.count, heads) }
            var bytes = usual
            for _ in 0..<random.next() % 3 {
                let index = Int(random.next() % UInt64(bytes.count))
                bytes[index] =
                    Array("aA0 /?:,\r\n\t\0\u{7F}9é".utf8).randomElement(using: &random) ?? 0
            }
            if random.next() % 4 == 0 {
                bytes.removeLast(Int(random.next() % UInt64(bytes.count)))
            }
            var plain = RequestParser(limits: limits)
            #expect(
                outcome(parser.parse(bytes, from: 0, to: bytes.count, heads))
                    == outcome(plain.parse(bytes, from: 0, to: bytes.count)))
        }
    }

    private func outcome(_ step: ParserStep) -> String {
        switch step {
        case .needsMore(let status): return "\(status)"
        case .refused(let error): return "\(error)"
        case .request(let request, let consumed):
            let fields = Field.allCases.map { request.value(of: $0) ?? "-" }
            let parts = [request.path, request.query, request.host].map { range in
                range.flatMap(request.text) ?? "-"
            }
            return "\(request.method) \(parts) \(fields) \(request.body) \(consumed)"
                + " \(request.keepsAlive) \(request.minorVersion) \(request.port ?? 0)"
        }
    }
}
