import API
import HTTP
import JSON
import Navigation
import TestSupport
import Testing

/// The hints of a problem about a thing that it could not find.
@Suite struct HintTests {
    let client: Client

    init() throws {
        client = try Client()
        try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
    }

    private func near(_ method: String, _ target: String) throws -> [String] {
        let answer = try client.call(method, target, method == "GET" ? nil : "{}")
        #expect(answer.problem == "not-found")
        return (answer.json["near"]?.array ?? []).compactMap(\.string)
    }

    @Test func `an unknown URL has the nearest ones`() throws {
        #expect(try near("GET", "/v1/session") == ["/v1/sessions"])
        #expect(try near("GET", "/v1/sessions/?limit=2") == ["/v1/sessions"])
        #expect(
            try near("POST", "/v1/sessions/kiosk-1/naviagte")
                == ["/v1/sessions/kiosk-1/navigate"])
        #expect(try near("POST", "/v1/session/a/back") == ["/v1/sessions/a/back"])
        #expect(try near("GET", "/v1/app/chat/resolve") == ["/v1/apps/chat/resolve"])
    }

    @Test(arguments: [
        "/v3", "/v1/", "/v1/everything", "/session", "/v1/sessions/a/b/c/d", "/v2/sessions",
        "/v1/sessions//back", "/v1/sessions/a/\(String(repeating: "x", count: 600))",
    ])
    func `a URL that is like no other has no hint`(target: String) throws {
        #expect(try near("GET", target).isEmpty)
    }

    @Test func `a session that is not there is named`() throws {
        for target in ["/v1/sessions/kiosk-9", "/v1/sessions/%6Biosk-9/history"] {
            let answer = try client.call("GET", target)
            #expect(answer.problem == "session-not-found")
            #expect(answer.json["detail"]?.string?.contains("kiosk-9") == true)
        }
        let stream = try client.call("GET", "/v1/events?session=a&session=kiosk-9")
        #expect(stream.json["detail"]?.string?.contains("kiosk-9") == true)
    }

    @Test(
        arguments: [
            ("POST", "/v1/sessions", #"{"ttl":60}"#, "ttlSeconds"),
            ("PATCH", "/v1/sessions/a", #"{"ttl":60}"#, "ttlSeconds"),
            ("GET", "/v1/sessions?page=2", nil, "cursor"),
            ("GET", "/v1/sessions?offset=2", nil, "cursor"),
            ("GET", "/v1/sessions/a/history?page=2", nil, "before"),
            ("POST", "/v1/sessions/a/navigate", #"{"route":"r","tab":"main"}"#, "in"),
            ("POST", "/v1/sessions/a/navigate", #"{"route":"r","parms":{}}"#, "params"),
            ("POST", "/v1/sessions/a/back", #"{"steps":2}"#, "count"),
            ("POST", "/v1/sessions/a/batch", #"{"commands":[{"command":"nvigate"}]}"#, "navigate"),
        ] as [(String, String, String?, String)])
    func `an unknown word comes with the right one`(
        method: String, target: String, body: String?, word: String
    ) throws {
        let answer = try client.call(method, target, body)
        #expect(answer.problem == "invalid-request")
        #expect(answer.text.contains("(did you mean \(word)?)"), "\(answer.text)")
    }

    @Test func `a problem repeats the id of its request`() throws {
        let message = "GET /v1/sessions/b HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let request = try #require(try Request.parsed(Array(message.utf8)))
        let outcome = client.service.respond(to: request, at: client.now, id: .made(0xAB))
        guard case .reply(let reply) = outcome else {
            Issue.record("no reply")
            return
        }
        let answer = Client.Answer(reply)
        #expect(answer.json["requestId"]?.string == "00000000000000ab")
        guard case .object(let object) = answer.json else { return }
        #expect(object.members.last?.key == "requestId")
    }
}
