import API
import HTTP
import JSON
import Navigation
import TestSupport
import Testing

@Suite struct CommandTests {
    let client: Client

    init() throws {
        client = try Client()
        try client.call("POST", "/v1/sessions", #"{"id":"a","tabs":["x","y"]}"#)
    }

    @Test func `an answer names what came and what went`() throws {
        let pushed = try client.command("a", "navigate", #"{"route":"r"}"#)
        #expect(pushed.json["changed"] == .bool(true))
        #expect(pushed.json["added"]?.text == #"["e1"]"#)
        let back = try client.command("a", "back")
        #expect(back.json["removed"]?.text == #"["e1"]"#)
        #expect(back.json["popped"]?.integer == 1)
        let still = try client.command("a", "back")
        #expect(still.text.hasPrefix(#"{"changed":false,"reason":"at-root","added":[],"#))
        #expect(still.json["popped"]?.integer == 0)
        #expect(still.session["revision"]?.integer == 3)
    }

    @Test func `strict handling refuses what has nothing to do`() throws {
        let refused = try client.command("a", "back", "{}", ["Prefer": "handling=strict"])
        #expect(refused.response.value(of: "Preference-Applied") == "handling=strict")
        #expect(refused.status == 409)
        #expect(refused.problem == "at-root")
        let applied = try client.command(
            "a", "navigate", #"{"route":"r"}"#, ["Prefer": "handling=strict, return=minimal"])
        #expect(
            applied.response.value(of: "Preference-Applied") == "handling=strict, return=minimal")
        #expect(applied.text == #"{"changed":true,"added":["e1"],"removed":[],"revision":2}"#)
    }

    @Test func `undo and redo walk along the changes, also through branches`() throws {
        for route in ["r1", "r2", "r3"] {
            try client.command("a", "navigate", #"{"route":"\#(route)"}"#)
        }
        let twice = try client.command("a", "undo", #"{"count":2}"#)
        #expect(twice.session.picture == "x* [r1] y []")
        #expect(twice.json["undone"]?.integer == 2)
        #expect(try client.command("a", "redo").session.picture == "x* [r1, r2] y []")
        #expect(try client.command("a", "redo").session.picture == "x* [r1, r2, r3] y []")
        #expect(try client.command("a", "redo").json["reason"]?.string == "nothing-to-redo")
        try client.command("a", "undo")
        try client.command("a", "navigate", #"{"route":"r4"}"#)
        #expect(try client.command("a", "redo").json["reason"]?.string == "nothing-to-redo")
        let all = try client.command("a", "undo", #"{"count":99}"#)
        #expect(all.session.picture == "x* [] y []")
        #expect(all.json["undone"]?.integer == 3)
        #expect(try client.command("a", "undo").json["reason"]?.string == "nothing-to-undo")
    }

    @Test func `undo reaches back 32 changes and no further`() throws {
        for number in 1...40 { try client.command("a", "navigate", #"{"route":"r\#(number)"}"#) }
        let all = try client.command("a", "undo", #"{"count":99}"#)
        #expect(all.json["undone"]?.integer == 32)
        #expect(all.session["canUndo"] == .bool(false))
        #expect(try client.command("a", "redo", #"{"count":99}"#).json["redone"]?.integer == 32)
    }

    @Test func `a batch is one revision and names the command that fails`() throws {
        let body = #"{"commands":[{"command":"navigate","route":"r"},{"command":"back"}]}"#
        let done = try client.command("a", "batch", body)
        #expect(done.session["revision"]?.integer == 2)
        #expect(done.json["results"]?.array.count == 2)
        let wrong =
            #"{"commands":[{"command":"navigate","route":"r"},{"command":"select","tab":"q"}]}"#
        let failed = try client.command("a", "batch", wrong)
        #expect(failed.status == 404)
        #expect(failed.problem == "tab-not-found")
        #expect(failed.json["index"]?.integer == 1)
        let misshapen = #"{"commands":[{"command":"back","count":0}]}"#
        let refused = try client.command("a", "batch", misshapen)
        #expect(refused.json["errors"]?[0]?["pointer"]?.string == "/commands/0/count")
    }

    @Test func `the same key with the same request gives the first answer again`() throws {
        let key = ["Idempotency-Key": "k1"]
        let first = try client.command("a", "navigate", #"{"route":"r"}"#, key)
        try client.command("a", "navigate", #"{"route":"s"}"#)
        let again = try client.command("a", "navigate", #"{"route":"r"}"#, key)
        #expect(again.text == first.text)
        #expect(again.etag == first.etag)
        #expect(try client.call("GET", "/v1/sessions/a").json["revision"]?.integer == 3)
        let other = try client.command("a", "navigate", #"{"route":"q"}"#, key)
        #expect(other.problem == "idempotency-key-reused")
        let made = try client.call("POST", "/v1/sessions", "{}", key)
        let madeAgain = try client.call("POST", "/v1/sessions", "{}", key)
        #expect(madeAgain.text == made.text)
        #expect(madeAgain.status == 201)
        #expect(try client.call("DELETE", "/v1/sessions/a", nil, key).status == 422)
        let gone = ["Idempotency-Key": "k2"]
        #expect(try client.call("DELETE", "/v1/sessions/a", nil, gone).status == 204)
        #expect(try client.call("DELETE", "/v1/sessions/a", nil, gone).status == 204)
    }

    @Test func `what is not durable yet is shown only when it is`() throws {
        client.store.isInstant = false
        let pushed = try client.command("a", "navigate", #"{"route":"r"}"#)
        #expect(pushed.visibleAfter > client.store.durable)
        let read = try client.call("GET", "/v1/sessions/a")
        #expect(read.visibleAfter == pushed.visibleAfter)
        let stale = try client.command("a", "back", "{}", ["If-Match": #""test-1""#])
        #expect(stale.status == 412)
        #expect(stale.visibleAfter == pushed.visibleAfter)
        try client.store.sync()
        #expect(client.store.durable >= pushed.visibleAfter)
    }

    @Test func `records that are on the disk are loaded and the request is answered then`() throws {
        for route in ["r1", "r2"] { try client.command("a", "navigate", #"{"route":"\#(route)"}"#) }
        client.store.isForgetful = true
        #expect(try client.command("a", "undo").session.picture == "x* [r1] y []")
        #expect(try client.call("GET", "/v1/sessions").json["sessions"]?.array.count == 1)
        #expect(client.store.loads == 1)
    }

    @Test func `checks come in the order of the contract`() throws {
        let text = ["Content-Type": "text/plain"]
        #expect(try client.command("nobody", "back", "{", text).status == 415)
        #expect(try client.command("nobody", "back", "{").problem == "malformed-json")
        #expect(try client.command("nobody", "back", "[]").status == 404)
        #expect(try client.command("nobody", "back", #"{"x":1}"#).status == 404)
        let stale = ["If-Match": #""no""#]
        #expect(try client.command("a", "back", #"{"x":1}"#, stale).status == 412)
        #expect(try client.command("a", "back", #"{"x":1}"#).problem == "invalid-request")
        #expect(try client.call("POST", "/v1/sessions/a/back?x=1", "{}").status == 422)
    }
}
