import API
import HTTP
import JSON
import Navigation
import Sessions
import TestSupport
import Testing

@Suite struct TokenFileTests {
    @Test func `tokens stand one a line beside comments`() throws {
        var tokens = Tokens()
        try tokens.add(
            file: Array("# who may\n\nabc-123 read\r\n  x.y_z~9+/==\tadmin \nc control".utf8))
        #expect(tokens.count == 3)
        let limited =
            "a control n commands=back,create,signal routes=@x,y\nb control routes=y\n"
            + "d control routes=y commands=back,back"
        try tokens.add(file: Array(limited.utf8))
        #expect(tokens.count == 6)
    }

    @Test(arguments: [
        ("abc read\nsecret-1", 2, TokenTextError.noScope),
        ("secret-1 owner", 1, .unknownScope),
        ("\n\nsecret-1 read wall more", 3, .tooManyWords),
        ("secret-1 read -wall", 1, .badName), ("secret-1 read wa!ll", 1, .badName),
        ("a read\nsecrét admin", 2, .notAToken),
        ("a=b read", 1, .notAToken),
        ("a read\nb read\na admin", 3, .repeated),
        ("secret-1 control commands=", 1, .badCommands),
        ("secret-1 control n commands=back,,root", 1, .badCommands),
        ("secret-1 control commands=back,fly", 1, .badCommands),
        ("secret-1 control routes=@", 1, .badRoutes),
        ("secret-1 control routes=a, b", 1, .tooManyWords),
        ("secret-1 control routes=a b", 1, .tooManyWords),
        ("secret-1 control commands=back commands=root", 1, .tooManyWords),
        ("secret-1 control limits=back", 1, .tooManyWords),
        ("secret-1 read commands=back", 1, .limitsOfScope),
        ("secret-1 admin n routes=a", 1, .limitsOfScope),
        ("secret-1 commands=back", 1, .unknownScope),
        ("\u{FEFF}secret-1 read", 0, .byteOrderMark),
        ("# nothing\n", 0, .none),
        ("", 0, .none),
    ])
    func `a wrong line is named by number and never by its token`(
        text: String, line: Int, fault: TokenTextError
    ) {
        var tokens = Tokens()
        let error = #expect(throws: TokenFileError.self) {
            try tokens.add(file: Array(text.utf8))
        }
        #expect(error == TokenFileError(line: line, fault: fault))
        #expect(error?.description.contains("secr") == false)
    }

    @Test func `a secret is one token, whatever blanks are around it`() throws {
        var tokens = Tokens()
        try tokens.add(secret: Array("  abc\r\n".utf8))
        #expect(tokens.count == 1)
        #expect(throws: TokenTextError.none) { try tokens.add(secret: Array(" \n".utf8)) }
        #expect(throws: TokenTextError.notAToken) { try tokens.add(secret: Array("a b".utf8)) }
        #expect(throws: TokenTextError.notText) { try tokens.add(secret: [0xFF]) }
        #expect(throws: TokenTextError.byteOrderMark) {
            try tokens.add(secret: Array("\u{FEFF}abc".utf8))
        }
    }
}

@Suite struct AccessTests {
    let client: Client

    init() throws {
        var options = ServiceOptions()
        try options.tokens.add(
            file: Array("reader read\ncontroller control\nowner admin".utf8))
        client = try Client(options: options)
        let made = try client.call("POST", "/v1/sessions", #"{"id":"a"}"#, bearer("owner"))
        #expect(made.status == 201)
    }

    private let put = #"{"tabs":[{"id":"main","path":[]}],"selectedTab":"main"}"#

    @Test(arguments: [
        ("GET", "/v1/sessions/a", [200, 200, 200]),
        ("HEAD", "/v1/sessions/a", [200, 200, 200]),
        ("GET", "/v1/sessions", [200, 200, 200]),
        ("GET", "/v1/apps", [200, 200, 200]),
        ("GET", "/v1/sessions/none", [404, 404, 404]),
        // A mistake in the query is named, not the scope that a stream of all sessions needs.
        ("GET", "/v1/events?session=a&wathcers=true", [422, 422, 422]),
        ("GET", "/v1/events?session=a&limit=1&limit=2", [422, 422, 422]),
        ("GET", "/v1/events?session=a&x=%zz", [400, 400, 400]),
        ("POST", "/v1/sessions/a/back", [403, 200, 200]),
        ("POST", "/v1/sessions", [403, 201, 201]),
        ("PUT", "/v1/sessions/b", [403, 201, 200]),
        ("PATCH", "/v1/sessions/a", [403, 200, 200]),
        ("DELETE", "/v1/sessions/a", [403, 204, 404]),
        ("PUT", "/v1/apps/x", [403, 403, 422]),
        ("DELETE", "/v1/apps/x", [403, 403, 404]),
        ("GET", "/v1/backup?x", [403, 403, 422]),
    ])
    func `a scope reaches as far as the contract says`(
        method: String, target: String, statuses: [Int]
    ) throws {
        let body =
            method == "GET" || method == "HEAD" || method == "DELETE"
            ? nil : method == "PUT" ? put : "{}"
        for (token, status) in zip(["reader", "controller", "owner"], statuses) {
            let answer = try client.call(method, target, body, bearer(token))
            #expect(answer.status == status, "\(token)")
            guard status == 403 else { continue }
            #expect(answer.problem == "forbidden")
            let challenge = answer.response.value(of: "WWW-Authenticate")
            #expect(challenge?.contains("insufficient_scope") == true)
        }
    }

    @Test(arguments: [
        nil, "", "Bearer", "Bearer ", "Basic b3duZXI=", "Bearerowner", "owner", "Bearer owner2",
        "Bearer owne", "Bearer owner,reader", "Token owner", "Bearer  Owner",
    ])
    func `no token or a wrong one is 401`(field: String?) throws {
        let fields = field.map { ["Authorization": $0] } ?? [:]
        let answer = try client.call("GET", "/v1/sessions/a", nil, fields)
        #expect(answer.problem == "unauthorized")
        let challenge = try #require(answer.response.value(of: "WWW-Authenticate"))
        #expect(challenge.hasPrefix(#"Bearer realm="navstate""#))
        #expect(!answer.text.contains("owne"))
    }

    @Test(arguments: ["bearer owner", "BEARER owner", "Bearer   owner"])
    func `the scheme counts in any case`(field: String) throws {
        let answer = try client.call("GET", "/v1/sessions/a", nil, ["Authorization": field])
        #expect(answer.status == 200)
    }

    @Test(arguments: ["/livez", "/readyz", "/openapi.yaml", "/problems/forbidden"])
    func `documents, pages and probes need no token`(target: String) throws {
        #expect(try client.call("GET", target).status == 200)
    }

    @Test func `the schema of apps needs no token and may be kept`() throws {
        let answer = try client.call("GET", "/app.schema.json")
        #expect(answer.status == 200)
        #expect(answer.response.contentType?.value == "application/schema+json")
        #expect(answer.text.hasPrefix("{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/"))
        let fields = ["If-None-Match": answer.etag]
        #expect(try client.call("GET", "/app.schema.json", nil, fields).status == 304)
    }

    @Test func `access is checked before the body, the session and its rules`() throws {
        let fields = ["Content-Type": "text/plain"]
        #expect(try client.call("POST", "/v1/sessions/none/back", "{", fields).status == 401)
        let reader = fields.merging(bearer("reader")) { $1 }
        #expect(try client.call("POST", "/v1/sessions/none/back", "{", reader).status == 403)
        let control = fields.merging(bearer("controller")) { $1 }
        #expect(try client.call("POST", "/v1/sessions/none/back", "{", control).status == 415)
    }

    @Test func `two Authorization lines are no request`() throws {
        let text =
            "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n"
        #expect(throws: MalformedMessageError.self) { try Request.parsed(Array(text.utf8)) }
    }
}
