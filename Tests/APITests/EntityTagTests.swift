import API
import JSON
import Testing

/// The entity tags in rows and events, with which a change can be made conditional.
@Suite struct EntityTagTests {
    let client: Client

    init() throws {
        client = try Client()
        client.service.environment.audience = { _ in 1 }
        try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        try client.command("a", "navigate", #"{"route":"r"}"#)
    }

    private func data(_ event: StreamEvent?) throws -> JSON {
        try JSON(parsing: try #require(event).data)
    }

    @Test func `a row has the tag that the session's GET has`() throws {
        let etag = try client.call("GET", "/v1/sessions/a").etag
        let row = try #require(try client.call("GET", "/v1/sessions").json["sessions"]?[0])
        #expect(row["etag"]?.string == etag)
        guard case .object(let object) = row else { return }
        #expect(object.members.suffix(2).map(\.key) == ["etag", "watchers"])
    }

    @Test func `snapshots and changes have the tag of the state that they show`() throws {
        let etag = try client.call("GET", "/v1/sessions/a").etag
        let change = try data(client.announcements.last)
        #expect(change["etag"]?.string == etag)
        let request = "GET /v1/sessions/a/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let opening = try #require(try client.opening(Array(request.utf8)))
        #expect(try data(opening.events.first)["etag"]?.string == etag)
        let resumed = request.replacing("events", with: "events?after=1", maxReplacements: 1)
        let missed = try #require(try client.opening(Array(resumed.utf8)))
        #expect(missed.events.map(\.name) == [.change])
        #expect(try data(missed.events.first)["etag"]?.string == etag)
        // And it is what If-Match takes.
        let next = try client.command("a", "back", "{}", ["If-Match": etag])
        #expect(next.status == 200)
        #expect(try client.command("a", "back", "{}", ["If-Match": etag]).status == 412)
    }
}
