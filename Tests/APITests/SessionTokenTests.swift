import API
import HTTP
import JSON
import Navigation
import TestSupport
import Testing

@Suite struct SessionTokenTests {
    let client: Client

    init() throws {
        client = try Client.guarded(by: "reader read\ncontroller control\nowner admin")
    }

    func make(
        _ body: String, of id: String = "a", by token: String = "controller"
    ) throws -> Client.Answer {
        try client.call("POST", "/v1/sessions/\(id)/tokens", body, bearer(token))
    }

    @Test func `a token is shown once and works for its session alone`() throws {
        let made = try make(#"{"scope":"control","ttlSeconds":60}"#)
        #expect(made.status == 201)
        #expect(made.visibleAfter > 0)
        #expect(made.response.value(of: "Cache-Control") == "no-store")
        let token = try #require(made.json["token"]?.string)
        #expect(token.hasPrefix("nst_") && token.utf8.count == 36)
        #expect(made.json["expiresAt"]?.string?.hasSuffix("Z") == true)
        #expect(try client.command("a", "navigate", #"{"route":"r"}"#, bearer(token)).status == 200)
        #expect(try client.call("GET", "/v1/sessions/%61", nil, bearer(token)).status == 200)
        for (method, target, body) in [
            ("GET", "/v1/sessions/b", nil), ("POST", "/v1/sessions/b/back", "{}"),
            ("GET", "/v1/sessions", nil), ("POST", "/v1/sessions", "{}"),
            ("GET", "/v1/apps", nil), ("GET", "/v1/sessions/a/tokens", nil),
            ("POST", "/v1/sessions/a/tokens", #"{"scope":"read"}"#),
            ("GET", "/v1/sessions/none", nil),
        ] {
            let answer = try client.call(method, target, body, bearer(token))
            #expect(answer.problem == "forbidden", "\(method) \(target)")
        }
        let list = try client.call("GET", "/v1/sessions/a/tokens", nil, bearer("reader"))
        #expect(list.status == 200)
        #expect(!list.text.contains(token))
        #expect(list.json["tokens"]?[0]?["id"] == made.json["id"])
        #expect(list.json["tokens"]?[0]?["scope"]?.string == "control")
    }

    @Test func `a display may look and not touch`() throws {
        let token = try #require(try make(#"{"scope":"read"}"#).json["token"]?.string)
        #expect(try client.call("GET", "/v1/sessions/a", nil, bearer(token)).status == 200)
        #expect(try client.command("a", "back", "{}", bearer(token)).problem == "forbidden")
        let gone = try client.call("DELETE", "/v1/sessions/a", nil, bearer(token))
        #expect(gone.problem == "forbidden")
    }

    @Test func `a token is void when it expires, when it is revoked, and with its session`() throws
    {
        let short = try #require(
            try make(#"{"scope":"read","ttlSeconds":60}"#).json["token"]?.string)
        let made = try make(#"{"scope":"control"}"#).json
        let (id, long) = (made["id"]?.string ?? "", made["token"]?.string ?? "")
        client.now += 59_999
        #expect(try client.call("GET", "/v1/sessions/a", nil, bearer(short)).status == 200)
        client.now += 1
        #expect(try client.call("GET", "/v1/sessions/a", nil, bearer(short)).status == 401)
        let list = try client.call("GET", "/v1/sessions/a/tokens", nil, bearer("owner"))
        #expect(list.json["tokens"]?.array.count == 1)
        let place = "/v1/sessions/a/tokens/\(id)"
        #expect(try client.call("DELETE", place, nil, bearer("reader")).status == 403)
        #expect(try client.call("DELETE", place, nil, bearer("owner")).status == 204)
        #expect(try client.call("GET", "/v1/sessions/a", nil, bearer(long)).status == 401)
        let again = try client.call("DELETE", place, nil, bearer("owner"))
        #expect(again.problem == "token-not-found")
        let last = try #require(try make(#"{"scope":"read"}"#).json["token"]?.string)
        try client.call("DELETE", "/v1/sessions/a", nil, bearer("owner"))
        #expect(try client.call("GET", "/v1/sessions/a", nil, bearer(last)).status == 401)
    }

    @Test(arguments: [
        "{}", #"{"scope":"admin"}"#, #"{"scope":"owner"}"#, #"{"scope":"read","ttlSeconds":0}"#,
        #"{"scope":"read","more":1}"#, #"{"scope":1}"#,
    ])
    func `a wrong wish for a token is 422`(body: String) throws {
        #expect(try make(body).problem == "invalid-request")
    }

    @Test func `a session has a bounded number of tokens`() throws {
        for _ in 0..<64 { #expect(try make(#"{"scope":"read"}"#).status == 201) }
        #expect(try make(#"{"scope":"read"}"#).problem == "limit-exceeded")
        #expect(try make(#"{"scope":"read"}"#, of: "none").problem == "session-not-found")
    }
}
