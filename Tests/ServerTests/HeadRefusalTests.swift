import API
import HTTP
import Navigation
import Testing

@testable import Server
import Sessions

/// A request whose head is enough to refuse it is refused before its content has come.
@Suite struct HeadRefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var status: Int
        var line: String
        var fields = ""
        var testDescription: String { "\(status) \(line) \(fields)" }
    }

    static let json = "Content-Type: application/json\r\n"
    static let admin = "Authorization: Bearer admin-token\r\n"
    static let reading = "Authorization: Bearer read-token\r\n"

    static let refused = [
        Case(status: 401, line: "POST /v1/sessions", fields: json),
        Case(status: 401, line: "PUT /v1/sessions/a", fields: json + "Authorization: Bearer x\r\n"),
        Case(status: 401, line: "PUT /v1/apps/a", fields: json),
        Case(status: 403, line: "POST /v1/sessions", fields: json + reading),
        Case(status: 403, line: "POST /v1/sessions", fields: json + admin + "Origin: http://x\r\n"),
        Case(status: 404, line: "POST /nothing", fields: json + admin),
        Case(status: 404, line: "GET /nothing", fields: admin),
        Case(status: 405, line: "POST /livez", fields: json + admin),
        Case(status: 415, line: "POST /v1/sessions", fields: admin),
        Case(status: 415, line: "POST /v1/sessions?x=y", fields: admin),
        Case(status: 415, line: "DELETE /v1/sessions/a", fields: admin),
        Case(
            status: 415, line: "PUT /v1/sessions/a",
            fields: json + admin + "Content-Encoding: gzip\r\n"),
    ]

    static func server(_ change: (inout ServerOptions) -> Void = { _ in }) throws -> TestServer {
        try TestServer { options in
            try? options.service.tokens.add("admin-token", .admin)
            try? options.service.tokens.add("read-token", .read)
            change(&options)
        }
    }

    static func head(_ test: Case, _ framing: String) -> String {
        "\(test.line) HTTP/1.1\r\nHost: localhost\r\n\(test.fields)\(framing)\r\n"
    }

    @Test(arguments: refused, ["", "Expect: 100-continue\r\n"])
    func `the refusal comes at once and closes the connection`(test: Case, expect: String) throws {
        let server = try Self.server()
        let client = try server.pair()
        try client.send(.get("/livez") + Self.head(test, expect + "Content-Length: 100000\r\n"))
        try server.turn(until: { client.answers == 2 }, clients: client)
        #expect(client.statuses == [200, test.status])
        #expect(client.text.contains("Connection: close\r\n"))
        #expect(server.loop.parts.budget.bytes == 0)
        // Bytes that were on their way are swallowed, so that they do not destroy the answer.
        try client.send(String(repeating: "x", count: 100_000) + .get("/livez"))
        try client.shutDownWriting()
        try server.turn(until: { client.isClosed }, clients: client)
        #expect(client.answers == 2)
    }

    @Test(arguments: refused)
    func `the whole request gets the same answer, and the connection goes on`(test: Case) throws {
        let server = try Self.server()
        let client = try server.pair()
        try client.send(Self.head(test, "Content-Length: 2\r\n") + "{}" + .get("/livez"))
        try server.turn(until: { client.answers == 2 }, clients: client)
        #expect(client.statuses == [test.status, 200])
    }

    @Test(arguments: ["Content-Length: 2\r\n", "Transfer-Encoding: chunked\r\n"])
    func `content that is wanted is asked for once`(framing: String) throws {
        let server = try Self.server()
        let client = try server.pair()
        let test = Case(
            status: 201, line: "POST /v1/sessions",
            fields: Self.json + Self.admin + "Expect: 100-continue\r\n")
        try client.send(Self.head(test, framing))
        try server.turn(until: { client.answers == 1 }, clients: client)
        #expect(client.statuses == [100])
        for byte in framing.contains("chunked") ? "2\r\n{}\r\n0\r\n\r\n" : "{}" {
            try client.send(String(byte))
            try server.settle()
        }
        try server.turn(until: { client.answers == 2 }, clients: client)
        #expect(client.statuses == [100, 201])
    }

    @Test(arguments: ["/v1/sessions?dryRun=true", "/mcp"])
    func `pages of allowed origins can read the refusal of content that is too large`(
        target: String
    ) throws {
        let server = try Self.server {
            $0.service.originPolicy.allowedOrigins = ["https://app.example"]
        }
        let client = try server.pair()
        let test = Case(
            status: 413, line: "POST \(target)",
            fields: Self.json + Self.admin + "Origin: https://app.example\r\n")
        try client.send(Self.head(test, "Content-Length: 99999999\r\n"))
        try server.turn(until: { client.answers == 1 }, clients: client)
        #expect(client.statuses == [413])
        #expect(client.text.contains("Access-Control-Allow-Origin: https://app.example\r\n"))
        #expect(client.text.contains(#""instance":"/v1/sessions""#) == (target != "/mcp"))
    }

    @Test func `a request in pieces counts once against the rate limit`() throws {
        let server = try Self.server { $0.addressRateLimit = RateLimit(perSecond: 1, burst: 3) }
        let test = Case(status: 201, line: "POST /v1/sessions", fields: Self.json + Self.admin)
        var statuses: [Int] = []
        for _ in 0..<5 {
            let client = try server.pair()
            try client.send(Self.head(test, "Content-Length: 2\r\n"))
            try server.settle()
            try client.send("{}")
            try server.turn(until: { client.answers == 1 }, clients: client)
            statuses += client.statuses
        }
        #expect(statuses == [201, 201, 201, 429, 429])
    }
}
