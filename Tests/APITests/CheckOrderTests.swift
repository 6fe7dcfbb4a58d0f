import API
import HTTP
import Testing

/// The order of a change's checks: the session, the precondition, the shape of the request.
@Suite struct CheckOrderTests {
    private static let changes = [
        ("POST", "/setPath"), ("POST", "/back"), ("PATCH", ""), ("PUT", ""),
    ]

    @Test(arguments: changes)
    func `a session that is not there comes before the shape of a change`(
        method: String, rest: String
    ) throws {
        let client = try Client()
        for (target, body) in [("/gone\(rest)", "[]"), ("/gone\(rest)?x=1", "{}")] {
            let answer = try client.call(method, "/v1/sessions" + target, body)
            // PUT creates the session, so there its shape is the first thing that is wrong.
            #expect(answer.problem == (method == "PUT" ? "invalid-request" : "session-not-found"))
        }
        #expect(try client.call("DELETE", "/v1/sessions/gone?x=1").problem == "session-not-found")
    }

    @Test(arguments: changes)
    func `a precondition comes before the shape of a change`(method: String, rest: String) throws {
        let client = try Client()
        let etag = try client.call("POST", "/v1/sessions", #"{"id":"s"}"#).etag
        let target = "/v1/sessions/s" + rest
        for (query, body) in [("", "[]"), ("?x=1", "{}"), ("?dryRun=maybe", "{}")] {
            let failed = try client.call(method, target + query, body, ["If-None-Match": etag])
            #expect(failed.problem == "revision-mismatch")
            let held = try client.call(method, target + query, body, ["If-Match": etag])
            #expect(held.problem == "invalid-request")
        }
        #expect(try client.call("GET", "/v1/sessions/s").session["revision"]?.integer == 1)
    }

    @Test func `text that is not JSON comes before the session`() throws {
        let client = try Client()
        #expect(try client.command("gone", "back", "{").problem == "malformed-json")
    }

    @Test func `a dry run of deleting an app deletes nothing`() throws {
        let client = try Client()
        try client.call("PUT", "/v1/apps/x", #"{"tabs":[{"id":"t"}]}"#)
        #expect(try client.call("DELETE", "/v1/apps/x?dryRun=true").status == 204)
        #expect(try client.call("GET", "/v1/apps/x").status == 200)
        try client.call("POST", "/v1/sessions", #"{"id":"s","app":"x"}"#)
        #expect(try client.call("DELETE", "/v1/apps/x?dryRun=true").problem == "app-in-use")
        try client.call("DELETE", "/v1/sessions/s")
        #expect(try client.call("DELETE", "/v1/apps/x").status == 204)
        #expect(try client.call("DELETE", "/v1/apps/x?dryRun=true").problem == "app-not-found")
    }
}

/// Streams that began with a token of their session.
@Suite struct EndedTokenTests {
    private static let admin = "01234567890123456789012345678901"

    private func ending(revokesFirst: Bool) throws -> Bool {
        var options = ServiceOptions()
        try options.tokens.add(secret: Array(Self.admin.utf8))
        let client = try Client(options: options)
        let admin = ["Authorization": "Bearer \(Self.admin)"]
        try client.call("POST", "/v1/sessions", #"{"id":"s"}"#, admin)
        let made = try client.call("POST", "/v1/sessions/s/tokens", #"{"scope":"read"}"#, admin)
        let token = try #require(made.json["token"]?.string)
        let stream =
            "GET /v1/sessions/s/events HTTP/1.1\r\nHost: localhost\r\n"
            + "Authorization: Bearer \(token)\r\n\r\n"
        let opening = try #require(try client.opening(Array(stream.utf8)))
        if revokesFirst {
            let id = try #require(made.json["id"]?.string)
            try client.call("DELETE", "/v1/sessions/s/tokens/\(id)", nil, admin)
        }
        #expect(try client.call("DELETE", "/v1/sessions/s", nil, admin).status == 204)
        let announcement = try #require(client.announcements.last)
        #expect(announcement.name == .deleted)
        #expect(!client.service.mayListen(opening.subscription, at: client.now))
        return client.service.mayListen(
            opening.subscription, at: client.now, to: announcement)
    }

    @Test func `the end of the session is sent to a stream whose token ends with it`() throws {
        #expect(try ending(revokesFirst: false))
    }

    @Test func `nothing is sent to a stream whose token was revoked before`() throws {
        #expect(try !ending(revokesFirst: true))
    }
}
