import API
import HTTP
import JSON
import Navigation
import Sessions
import TestSupport
import Testing

/// Who is watching, as far as the service answers it; the server's tests have real streams.
@Suite struct WatcherTests {
    let client: Client

    init() throws {
        client = try Client()
        try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        try client.command("a", "navigate", #"{"route":"r"}"#)
    }

    private func watch(_ list: Watcher...) {
        client.service.environment.watcherList = { id in id.rawValue == "a" ? list : [] }
    }

    private func watcher(_ name: String?, shown: Int? = nil) -> Watcher {
        Watcher(
            name: name.flatMap { WatcherName($0) }, since: 1_795_225_000_123, shown: shown)
    }

    @Test func `the list says who watches since when, and what is shown`() throws {
        #expect(try client.call("GET", "/v1/sessions/a/watchers").text == #"{"watchers":[]}"#)
        watch(watcher("wall", shown: 2), watcher(nil), watcher("wall"))
        let answer = try client.call("GET", "/v1/sessions/a/watchers")
        let since = #""since":"2026-11-21T01:36:40Z""#
        #expect(
            answer.text == #"{"watchers":[{"as":"wall",\#(since),"shown":2},{\#(since)},"#
                + #"{"as":"wall",\#(since)}]}"#)
        #expect(answer.response.value(of: "Cache-Control") == "no-store")
        #expect(try client.call("GET", "/v1/sessions/b/watchers").problem == "session-not-found")
    }

    @Test func `a display tells what it shows, and nothing is stored`() throws {
        watch(watcher("wall"))
        let before = client.store.durable
        let answer = try client.call(
            "POST", "/v1/sessions/a/shown", #"{"as":"wall","revision":1}"#)
        #expect(answer.status == 204)
        let report = try #require(client.reports.first).display
        #expect(report.id.rawValue == "a" && report.name.rawValue == "wall")
        #expect(report.revision == 1)
        #expect(client.store.durable == before)
        #expect(try client.call("GET", "/v1/sessions/a").json["revision"]?.integer == 2)
    }

    @Test(arguments: [
        (#"{"as":"hall","revision":1}"#, "watcher-not-found"),
        (#"{"as":"wall","revision":3}"#, "invalid-request"),
        (#"{"as":"wall","revision":0}"#, "invalid-request"),
        (#"{"as":"wall"}"#, "invalid-request"), (#"{"revision":1}"#, "invalid-request"),
        (#"{"as":"-","revision":1}"#, "invalid-request"),
        (#"{"as":"wall","revision":1,"more":1}"#, "invalid-request"),
        ("{", "malformed-json"),
    ])
    func `a report that cannot be is refused`(body: String, problem: String) throws {
        watch(watcher("wall"), watcher(nil))
        #expect(try client.call("POST", "/v1/sessions/a/shown", body).problem == problem)
        #expect(client.reports.isEmpty)
    }

    @Test func `reports are for reading tokens too, but not for another session's`() throws {
        let client = try Client.guarded(by: "reader read\nowner admin")
        let own = try client.reader(of: "a")
        client.service.environment.watcherList = { _ in [watcher("wall")] }
        let body = #"{"as":"wall","revision":1}"#
        let reader = bearer("reader")
        #expect(try client.call("POST", "/v1/sessions/a/shown", body, reader).status == 204)
        #expect(try client.call("POST", "/v1/sessions/a/shown", body, own).status == 204)
        #expect(try client.call("POST", "/v1/sessions/b/shown", body, own).status == 403)
        #expect(try client.call("POST", "/v1/sessions/a/shown", body).status == 401)
        #expect(try client.call("GET", "/v1/sessions/b/watchers", nil, own).status == 403)
    }

    @Test func `a read waits only for named watchers that show less`() throws {
        let target = "/v1/sessions/a/watchers?shown=2"
        watch(watcher(nil), watcher("wall", shown: 2), watcher("hall", shown: 3))
        #expect(try client.wait(target, "Prefer: wait=5") == nil)
        watch(watcher("wall", shown: 2), watcher("hall", shown: 1))
        let poll = try #require(try client.wait(target, "Prefer: wait=500"))
        #expect(poll.id.rawValue == "a" && poll.seconds == 60 && poll.goal == .shown(2))
        watch(watcher("wall"))
        #expect(try client.wait(target, "Prefer: wait=5")?.seconds == 5)
        #expect(try client.wait(target, "X: y") == nil)
        #expect(try client.wait("/v1/sessions/a/watchers", "Prefer: wait=5") == nil)
        let wrong = try client.call("GET", "/v1/sessions/a/watchers?shown=x")
        #expect(wrong.problem == "invalid-request")
    }

    @Test(arguments: [
        ("/v1/sessions/a/events?as=wall&watchers=true", "wall", true),
        ("/v1/sessions/a/events", nil, false),
        ("/v1/events?session=a&as=wall", "wall", false),
    ])
    func `a stream has a name if it says so`(
        target: String, name: String?, tells: Bool
    ) throws {
        let message = "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        let opening = try #require(try client.opening(Array(message.utf8)))
        #expect(opening.subscription.name?.rawValue == name)
        #expect(opening.subscription.sendsWatchers == tells)
    }

    @Test(arguments: [
        "/v1/sessions/a/events?as=-x", "/v1/sessions/a/events?as=",
        "/v1/sessions/a/events?watchers=yes", "/v1/events?as=wall",
        "/v1/events?session=a&watchers=true",
    ])
    func `a stream with a wrong name is refused`(target: String) throws {
        #expect(try client.call("GET", target).problem == "invalid-request")
    }
}
