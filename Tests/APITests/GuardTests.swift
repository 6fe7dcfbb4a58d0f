import API
import HTTP
import JSON
import Navigation
import TestSupport
import Testing

/// Facts and guards on the wire.
@Suite struct GuardTests {
    let client: Client

    static let app = #"""
        {"facts":{"in":{"default":false,"schema":{"type":"boolean"}},"n":{"default":1}},
         "guards":{"member":{"when":{"in":true},"instead":{"command":"present","route":"login"}},
          "staff":{"when":{"n":[2,3]}}},
         "routes":{"x":{},"account":{"title":"Account","guard":"member"},"stock":{"guard":"staff"},
          "login":{"presentation":"sheet"}},
         "tabs":[{"id":"a","routes":["x","account","stock"]},{"id":"b","guard":"member"}]}
        """#

    init() throws {
        client = try Client()
        #expect(try client.call("PUT", "/v1/apps/shop", Self.app).status == 201)
        try client.call("POST", "/v1/sessions", #"{"id":"s","app":"shop"}"#)
    }

    @Test func `answer, history and event say what was held back`() throws {
        let held = try client.command("s", "navigate", #"{"route":"account"}"#)
        #expect(
            held.text.hasPrefix(#"{"changed":true,"added":["e1"],"removed":[],"held":"member","#))
        let again = try client.command("s", "present", #"{"route":"login","tag":"member"}"#)
        #expect(again.json["reason"]?.string == "same-entry")
        let newest = try client.call("GET", "/v1/sessions/s/history").json["history"]?[0]
        #expect(newest?["command"]?.text == #"{"command":"navigate","route":"account"}"#)
        #expect(newest?["held"]?.string == "member")
        let session = try client.call("GET", "/v1/sessions/s")
        #expect(
            session.json["pending"]?.text
                == #"{"guard":"member","command":{"command":"navigate","route":"account","in":"a"},"#
                + #""entry":"e1"}"#)
        #expect(session.json["facts"]?.text == #"{"in":false,"n":1}"#)
    }

    @Test func `answer, history and event say what was resumed, and a kept answer does, too`()
        throws
    {
        try client.command("s", "navigate", #"{"route":"account"}"#)
        let key = ["Idempotency-Key": "k"]
        let first = try client.command("s", "setFacts", #"{"facts":{"in":true}}"#, key)
        let resumed = #"{"command":"navigate","route":"account","in":"a"}"#
        #expect(
            first.text.hasPrefix(
                #"{"changed":true,"added":["e2"],"removed":["e1"],"resumed":\#(resumed),"session""#)
        )
        #expect(first.session.picture == "a* [account] b []")
        #expect(first.session["revision"]?.integer == 3)
        #expect(first.session["pending"] == nil)
        let again = try client.command("s", "setFacts", #"{"facts":{"in":true}}"#, key)
        #expect(again.text == first.text)
        let newest = try client.call("GET", "/v1/sessions/s/history").json["history"]?[0]
        #expect(newest?["resumed"]?.text == resumed)
    }

    @Test func `what is resumed and refused comes with its problem`() throws {
        try client.command("s", "navigate", #"{"route":"x","in":"a"}"#)
        let held = try client.command(
            "s", "navigate", #"{"route":"account","in":"a","mode":"replace"}"#)
        #expect(held.json["held"]?.string == "member")
        try client.command("s", "setPath", #"{"in":"a","path":[],"sheets":"keep"}"#)
        let set = try client.command("s", "setFacts", #"{"facts":{"in":true}}"#)
        #expect(set.status == 200)
        #expect(set.json["refused"]?["type"]?.string == "/problems/at-root")
        #expect(set.json["refused"]?["status"]?.integer == 409)
        #expect(set.session["pending"] == nil)
    }

    @Test func `the same held command again is no change`() throws {
        try client.command("s", "select", #"{"tab":"b"}"#)
        let again = try client.command("s", "select", #"{"tab":"b"}"#)
        let start = #"{"changed":false,"reason":"held","added":[],"removed":[],"held":"member","#
        #expect(again.text.hasPrefix(start))
        #expect(again.session["revision"]?.integer == 2)
    }

    @Test func `a command that cannot be held back is a conflict with its guard`() throws {
        let refused = try client.command("s", "navigate", #"{"route":"stock"}"#)
        #expect(refused.status == 409)
        #expect(refused.problem == "guarded")
        #expect(refused.json["guard"]?.string == "staff")
        #expect(refused.json["when"]?.text == #"{"n":[2,3]}"#)
        let created = try client.call(
            "POST", "/v1/sessions", #"{"app":"shop","selectedTab":"b"}"#)
        #expect(created.problem == "guarded")
        let body = #"{"app":"shop","selectedTab":"b","facts":{"in":true}}"#
        #expect(try client.call("POST", "/v1/sessions", body).status == 201)
        #expect(try client.call("GET", "/problems/guarded").status == 200)
        #expect(try client.call("GET", "/problems/unknown-fact").status == 200)
    }

    @Test func `an unknown fact is told with the near ones`() throws {
        let refused = try client.command("s", "setFacts", #"{"facts":{"im":true}}"#)
        #expect(refused.status == 422)
        #expect(refused.problem == "unknown-fact")
        #expect(refused.json["near"]?.text == #"["in"]"#)
        #expect(refused.json["errors"]?[0]?["pointer"]?.string == "/facts/im")
        let creation = try client.call(
            "POST", "/v1/sessions", #"{"app":"shop","facts":{"x":1}}"#)
        #expect(creation.problem == "unknown-fact")
        #expect(
            try client.call("POST", "/v1/sessions", #"{"facts":{"x":1}}"#).problem == "unknown-fact"
        )
    }

    @Test func `undo says what it does not bring back`() throws {
        try client.command("s", "setFacts", #"{"facts":{"in":true}}"#)
        try client.command("s", "navigate", #"{"route":"account"}"#)
        try client.command("s", "back")
        try client.command("s", "setFacts", #"{"facts":{"in":false}}"#)
        let undone = try client.command("s", "undo")
        let dropped = #"[{"id":"e1","route":"account","why":"guarded"}]"#
        #expect(undone.json["dropped"]?.text == dropped)
        #expect(undone.session.picture == "a* [] b []")
        let newest = try client.call("GET", "/v1/sessions/s/history").json["history"]?[0]
        #expect(newest?["dropped"]?.text == dropped)
    }

    @Test func `allowed lists guards and whether they hold`() throws {
        let before = try client.call("GET", "/v1/sessions/s/allowed").json
        #expect(
            before["push"]?.text
                == #"[{"route":"x"},{"route":"account","title":"Account","guard":"member","holds":false},"#
                + #"{"route":"stock","guard":"staff","holds":false}]"#)
        #expect(before["tabs"]?.text == #"[{"id":"a"},{"id":"b","guard":"member","holds":false}]"#)
        try client.command("s", "setFacts", #"{"facts":{"in":true,"n":3}}"#)
        let after = try client.call("GET", "/v1/sessions/s/allowed").json
        #expect(after["tabs"]?.text == #"[{"id":"a"},{"id":"b","guard":"member","holds":true}]"#)
    }

    @Test func `a replaced app brings its facts before the next command`() throws {
        let other = Self.app.replacing(
            #""n":{"default":1}"#, with: #""n":{"default":2},"m":{"default":"m"}"#)
        #expect(try client.call("PUT", "/v1/apps/shop", other).status == 200)
        let pushed = try client.command("s", "navigate", #"{"route":"x"}"#)
        #expect(pushed.session["facts"]?.text == #"{"in":false,"n":1,"m":"m"}"#)
        #expect(pushed.session["revision"]?.integer == 3)
        let bare = #"{"routes":{"x":{}},"tabs":[{"id":"a","routes":["x"]}]}"#
        #expect(try client.call("PUT", "/v1/apps/shop", bare).status == 200)
        let gone = try client.command("s", "navigate", #"{"route":"x"}"#)
        #expect(gone.session["facts"] == nil)
        #expect(gone.session.picture == "a* [x, x]")
    }

    @Test func `PUT takes facts and what is pending, and drops what does not fit`() throws {
        try client.command("s", "navigate", #"{"route":"account"}"#)
        let exported = try client.call("GET", "/v1/sessions/s")
        let copy = exported.text.replacing(#""id":"s""#, with: #""id":"t""#)
        let created = try client.call("PUT", "/v1/sessions/t", copy)
        #expect(created.status == 201)
        #expect(created.json["pending"] == exported.json["pending"])
        let same = try client.call("PUT", "/v1/sessions/s", exported.text)
        #expect(same.json["revision"]?.integer == 2, "nothing changed")
        let odd = copy.replacing(#""facts":{"in":false,"n":1}"#, with: #""facts":{"in":1,"o":2}"#)
        let fitted = try client.call("PUT", "/v1/sessions/t", odd)
        #expect(fitted.json["facts"]?.text == #"{"in":false,"n":1}"#)
        let open = copy.replacing(#""facts":{"in":false"#, with: #""facts":{"in":true"#)
        let set = try client.call("PUT", "/v1/sessions/t", open)
        #expect(set.json["facts"]?.text == #"{"in":true,"n":1}"#)
        #expect(set.json["pending"] == nil)
        let free = try client.call(
            "PUT", "/v1/sessions/free",
            #"{"tabs":[{"id":"a"}],"facts":{"in":true}}"#)
        #expect(free.problem == "unknown-fact")
        let waiting = try client.call(
            "PUT", "/v1/sessions/free",
            #"{"tabs":[{"id":"a"}],"pending":{"guard":"g","command":{"command":"back"}}}"#)
        #expect(waiting.status == 422)
    }
}
