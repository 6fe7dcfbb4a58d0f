import API
import Bytes
import HTTP
import JSON
import Navigation
import TestSupport
import Testing

@Suite struct SessionTests {
    let client: Client

    init() throws {
        client = try Client()
    }

    @Test func `a session without anything has one tab and revision 1`() throws {
        let answer = try client.call("POST", "/v1/sessions")
        #expect(answer.status == 201)
        #expect(answer.json.picture == "main* []")
        #expect(answer.json["revision"]?.integer == 1)
        let id = try #require(answer.json["id"]?.string)
        #expect(id.utf8.count == 26)
        #expect(answer.response.location == "/v1/sessions/\(id)")
        let read = try client.call("GET", "/v1/sessions/\(id)")
        #expect(read.response.body == answer.response.body)
        #expect(read.etag == answer.etag)
    }

    @Test func `clients that read a long session share its bytes until it changes`() throws {
        let body = #"{"route":"a","params":{"text":"\#(String(repeating: "x", count: 60_000))"}}"#
        try client.call("POST", "/v1/sessions", #"{"id":"long"}"#)
        try client.call("POST", "/v1/sessions", #"{"id":"short"}"#)
        for _ in 0..<2 { try client.command("long", "navigate", body) }
        let first = try client.call("GET", "/v1/sessions/long")
        try client.call("GET", "/v1/sessions/short")
        let second = try client.call("GET", "/v1/sessions/long")
        #expect(first.response.body.address == second.response.body.address)
        #expect(first.etag == second.etag)
        try client.command("long", "navigate", body)
        let changed = try client.call("GET", "/v1/sessions/long")
        #expect(changed.json["revision"]?.integer == 4 && changed.etag != first.etag)
    }

    @Test func `a chosen id is taken once`() throws {
        #expect(try client.call("POST", "/v1/sessions", #"{"id":"a"}"#).status == 201)
        let second = try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        #expect(second.status == 409)
        #expect(second.problem == "session-exists")
    }

    @Test func `a creation whose key is forgotten names the session that it made`() throws {
        let shared = SharedStoreParts(try ClientStore(keysMax: 1))
        shared.derivesIDs = true
        let client = Client(over: shared.store, as: shared.parts)
        let key = ["Idempotency-Key": "k1"]
        let first = try client.call("POST", "/v1/sessions", "{}", key)
        #expect(first.json["id"]?.string == "of-k1")
        let second = try client.call("POST", "/v1/sessions", "{}", key)
        #expect(second.status == 201 && second.response.body == first.response.body)
        try client.call("POST", "/v1/sessions", "{}", ["Idempotency-Key": "k2"])
        let again = try client.call("POST", "/v1/sessions", "{}", key)
        #expect(again.status == 409 && again.problem == "session-exists")
        #expect(again.json["detail"]?.string?.contains("GET /v1/sessions/of-k1") == true)
        let chosen = try client.call("POST", "/v1/sessions", #"{"id":"of-k1"}"#, key)
        #expect(chosen.status == 409)
    }

    @Test func `operations on apps wait until the apps are those of now`() throws {
        let shared = SharedStoreParts(try ClientStore())
        let client = Client(over: shared.store, as: shared.parts)
        try client.call("PUT", "/v1/apps/shop", #"{"tabs":["a"],"routes":{}}"#)
        try client.call("GET", "/v1/apps")
        try client.call("GET", "/v1/apps/shop")
        try client.call("DELETE", "/v1/apps/shop")
        #expect(shared.appsAwaited == 4)
        try client.call("POST", "/v1/sessions", "{}")
        #expect(shared.appsAwaited == 4)
    }

    @Test func `the body of a read is what the contract shows`() throws {
        try client.call(
            "POST", "/v1/sessions",
            #"{"id":"k","tabs":["chats","settings"],"ttlSeconds":60,"labels":{"room":"lobby"}}"#)
        try client.command(
            "k", "navigate", #"{"route":"contact","params":{"id":9007199254740993}}"#)
        try client.command("k", "setBadge", #"{"tab":"chats","badge":3}"#)
        let answer = try client.command(
            "k", "present", #"{"route":"compose","tag":"t","dismissible":false}"#)
        #expect(
            answer.session.text == #"""
                {"id":"k","revision":4,"labels":{"room":"lobby"},"ttlSeconds":60,"createdAt":"2026-11-21T01:36:40Z","updatedAt":"2026-11-21T01:36:40Z","expiresAt":"2026-11-21T01:37:40Z","selectedTab":"chats","tabs":[{"id":"chats","badge":3,"path":[{"id":"e1","route":"contact","params":{"id":9007199254740993}}]},{"id":"settings","path":[]}],"sheets":[{"id":"e2","style":"sheet","route":"compose","params":{},"tag":"t","dismissible":false,"presentedBy":"e1","path":[]}],"visible":{"container":"e2","entry":"e2","route":"compose","params":{},"tabBarHidden":true},"canGoBack":false,"canUndo":true,"canRedo":false,"nextEntry":3}
                """#)
    }

    @Test func `If-None-Match gives 304 until the session changes`() throws {
        let made = try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        let same = try client.call("GET", "/v1/sessions/a", nil, ["If-None-Match": made.etag])
        #expect(same.status == 304)
        #expect(same.response.body.isEmpty)
        try client.command("a", "navigate", #"{"route":"x"}"#)
        let changed = try client.call("GET", "/v1/sessions/a", nil, ["If-None-Match": made.etag])
        #expect(changed.status == 200)
    }

    @Test func `If-Match refuses what has changed and shows the session as it is`() throws {
        let made = try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        let moved = try client.command("a", "navigate", #"{"route":"x"}"#)
        let refused = try client.command("a", "back", "{}", ["If-Match": made.etag])
        #expect(refused.status == 412)
        #expect(refused.problem == "revision-mismatch")
        #expect(refused.etag == moved.etag)
        #expect(refused.session == moved.session)
        #expect(try client.command("a", "back", "{}", ["If-Match": moved.etag]).status == 200)
    }

    @Test func `an older revision is read again`() throws {
        let first = try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        try client.command("a", "navigate", #"{"route":"x"}"#)
        let old = try client.call("GET", "/v1/sessions/a?revision=1")
        #expect(old.response.body == first.response.body)
        #expect(old.etag == first.etag)
        for revision in ["9", "1152921504606846977", "9223372036854775807"] {
            let answer = try client.call("GET", "/v1/sessions/a?revision=\(revision)")
            #expect(answer.problem == "revision-gone", "\(revision)")
        }
        // The OpenAPI document says that it has 64 bits.
        for revision in ["9223372036854775808", "+9", "9.0", ""] {
            let answer = try client.call("GET", "/v1/sessions/a?revision=\(revision)")
            #expect(answer.problem == "invalid-request", "\(revision)")
        }
    }

    @Test func `PUT restores an exported session under another id with its ids`() throws {
        try client.call("POST", "/v1/sessions", #"{"id":"a","tabs":["x","y"]}"#)
        try client.command("a", "navigate", #"{"route":"r","in":"y"}"#)
        let exported = try client.command("a", "present", #"{"route":"s"}"#).session
        guard case .object(var copy) = exported else { return }
        copy["id"] = .string("b")
        let restored = try client.call("PUT", "/v1/sessions/b", JSON.object(copy).text)
        #expect(restored.status == 201)
        #expect(restored.json["tabs"] == exported["tabs"])
        #expect(restored.json["sheets"] == exported["sheets"])
        #expect(restored.json["revision"]?.integer == 1)
        let again = try client.call("PUT", "/v1/sessions/b", JSON.object(copy).text)
        #expect(again.status == 200)
        #expect(again.json["revision"]?.integer == 1)
        let pushed = try client.command("b", "navigate", #"{"route":"t"}"#)
        #expect(pushed.json["added"]?[0]?.string == "e3")
        let exists = try client.call(
            "PUT", "/v1/sessions/b", JSON.object(copy).text, ["If-None-Match": "*"])
        #expect(exists.status == 412)
    }

    @Test func `PATCH merges labels and time to live, and undo passes over it`() throws {
        try client.call("POST", "/v1/sessions", #"{"id":"a","labels":{"k":"1","l":"2"}}"#)
        try client.command("a", "navigate", #"{"route":"x"}"#)
        let patched = try client.call(
            "PATCH", "/v1/sessions/a", #"{"labels":{"k":null,"m":"3"},"ttlSeconds":5}"#)
        #expect(patched.status == 200)
        #expect(patched.json["labels"]?.text == #"{"l":"2","m":"3"}"#)
        #expect(patched.json["expiresAt"]?.string == "2026-11-21T01:36:45Z")
        let undone = try client.command("a", "undo")
        #expect(undone.session.picture == "main* []")
        #expect(undone.session["labels"]?.text == #"{"l":"2","m":"3"}"#)
        client.now += 5000
        #expect(try client.call("GET", "/v1/sessions/a").problem == "session-not-found")
    }

    @Test func `a deleted session is gone and its id is free`() throws {
        let first = try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        #expect(try client.call("DELETE", "/v1/sessions/a").status == 204)
        #expect(try client.call("DELETE", "/v1/sessions/a").status == 404)
        let second = try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        #expect(second.status == 201)
        #expect(second.etag != first.etag)
    }

    @Test func `lists page by id and filter by beginning, app and label`() throws {
        for id in ["a1", "a2", "a3", "b1"] {
            let label = id == "a2" ? "x" : "y"
            try client.call("POST", "/v1/sessions", #"{"id":"\#(id)","labels":{"l":"\#(label)"}}"#)
        }
        let first = try client.call("GET", "/v1/sessions?limit=2&q=a")
        #expect(first.json["sessions"]?.array.map { $0["id"]?.string } == ["a1", "a2"])
        #expect(first.json["next"]?.string == "a2")
        #expect(
            first.response.value(of: "Link")
                == #"</v1/sessions?q=a&limit=2&cursor=a2>; rel="next""#)
        let second = try client.call("GET", "/v1/sessions?q=a&limit=2&cursor=a2")
        #expect(second.json["sessions"]?.array.map { $0["id"]?.string } == ["a3"])
        #expect(second.json["next"] == nil)
        let labelled = try client.call("GET", "/v1/sessions?label=l:x")
        #expect(labelled.json["sessions"]?.array.map { $0["id"]?.string } == ["a2"])
        #expect(labelled.json["sessions"]?[0]?["watchers"]?.integer == 0)
    }

    /// With the colon, they are one character.
    @Test(arguments: ["\u{301}", "\u{200D}"])
    func `a label's value may begin with a mark that combines with the colon`(
        _ mark: String
    ) throws {
        for (id, value) in [("with", mark + "x"), ("without", "x")] {
            try client.call("POST", "/v1/sessions", #"{"id":"\#(id)","labels":{"k":"\#(value)"}}"#)
        }
        let escaped = mark.utf8.map { "%" + String($0, radix: 16) }.joined()
        let found = try client.call("GET", "/v1/sessions?label=k:\(escaped)x")
        #expect(found.json["sessions"]?.array.map { $0["id"]?.string } == ["with"])
    }

    @Test func `a dry run tells all and changes nothing`() throws {
        let made = try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        let dry = try client.call(
            "POST", "/v1/sessions/a/navigate?dryRun=true", #"{"route":"x"}"#)
        #expect(dry.json["changed"] == .bool(true))
        #expect(dry.session["revision"]?.integer == 2)
        #expect(try client.call("GET", "/v1/sessions/a").etag == made.etag)
        #expect(try client.call("POST", "/v1/sessions?dryRun=true", #"{"id":"z"}"#).status == 201)
        #expect(try client.call("GET", "/v1/sessions/z").status == 404)
        #expect(try client.call("DELETE", "/v1/sessions/a?dryRun=true").status == 204)
        #expect(try client.call("GET", "/v1/sessions/a").status == 200)
    }
}
