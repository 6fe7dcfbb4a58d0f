import NavstateRules
import Testing

/// The session in process. That it does what the server does is tested in `APITests`.
@Suite struct LocalSessionTests {
    private func shop(_ body: String = "{}") throws -> LocalSession {
        try LocalSession(try Examples.app("shop"), creating: body)
    }

    @Test func `a command is carried out, held back, and resumed`() throws {
        var session = try shop()
        let held = try session.perform("navigate", #"{"route":"orders"}"#)
        #expect(held.changed && held.heldBy == "member" && held.added == ["e1"])
        #expect(held.json.contains(#""held":"member","session":{"id":"local""#))
        #expect(session.holds("member") == false && session.holds("nobody") == nil)
        let resumed = try session.perform("setFacts", #"{"facts":{"signedIn":true}}"#)
        #expect(resumed.event?.contains(#""resumed":{"command":"navigate""#) == true)
        #expect(session.json.contains(#""entry":"e2","route":"orders""#))
        let again = try session.perform("navigate", #"{"route":"orders","mode":"single"}"#)
        #expect(!again.changed && again.reason == "same-entry" && again.event == nil)
        #expect(session.link == nil && session.revision == 3)
    }

    @Test func `a refusal is the problem of the API, and changes nothing`() throws {
        var session = try shop()
        let before = session.json
        let unknown = #expect(throws: Rejection.self) {
            try session.perform("navigate", #"{"route":"ordrs"}"#)
        }
        #expect(unknown?.code == "unknown-route" && unknown?.status == 422)
        #expect(unknown?.pointer == "/route" && unknown?.near.first == "orders")
        #expect(
            unknown?.description
                == "422 unknown-route: There is no route ordrs. Did you mean orders?")
        let misplaced = #expect(throws: Rejection.self) {
            try session.perform("navigate", #"{"route":"login"}"#)
        }
        #expect(misplaced?.code == "route-not-allowed-here")
        #expect(misplaced?.allowed.contains("product") == true)
        let guarded = #expect(throws: Rejection.self) {
            try session.perform("navigate", #"{"route":"orders"}"#, strict: true)
        }
        #expect(guarded?.json.hasPrefix(#"{"type":"/problems/guarded","title":"#) == true)
        #expect(throws: Rejection.self) { try session.perform("fly") }
        #expect(throws: Rejection.self) { try session.perform("back", "nonsense") }
        #expect(session.json == before)
    }

    @Test func `a copy is a session of its own, with its own undo`() throws {
        var session = try shop()
        try session.perform("navigate", #"{"route":"delivery"}"#)
        var copy = session
        try copy.perform("navigate", #"{"route":"payment"}"#)
        try session.perform("undo")
        #expect(session.json.contains(#""path":[]"#) && copy.json.contains("payment"))
        try copy.perform("undo", #"{"count":2}"#)
        #expect(copy.json.contains(#""path":[]"#) && copy.json.contains(#""canRedo":true"#))
        try copy.perform("redo", #"{"count":2}"#)
        #expect(copy.json.contains("payment"))
        #expect(session.steps(to: copy).hasPrefix(#"[{"step":"push","in":"shop""#))
    }

    @Test func `undo goes as far as on a server`() throws {
        var session = try LocalSession(nil)
        for number in 1...100 { try session.perform("navigate", #"{"route":"r\#(number)"}"#) }
        let undone = try session.perform("undo", #"{"count":50}"#)
        #expect(undone.json.contains(#""undone":32"#))
        #expect(session.json.contains(#""canUndo":false,"canRedo":true"#))
        for _ in 1...32 { try session.perform("redo") }
        #expect(session.json.contains(#""route":"r100""#))
        for _ in 1...200 {
            try session.perform("undo")
            try session.perform("redo")
        }
        try session.perform("undo", #"{"count":32}"#)
        #expect(session.json.contains(#""entry":"e68""#))
    }

    @Test func `a session that continues one of a server does not know its former states`() throws {
        let app = try Examples.app("shop")
        var server = try LocalSession(app, creating: #"{"labels":{"a":"b"},"ttlSeconds":60}"#)
        try server.perform("navigate", #"{"route":"delivery"}"#)
        try server.perform("navigate", #"{"route":"orders"}"#)
        var session = try LocalSession(app, continuing: server.json)
        #expect(session.json == server.json)
        let refusal = #expect(throws: Rejection.self) { try session.perform("undo") }
        #expect(refusal?.code == "revision-gone" && session.json == server.json)
        try session.perform("setFacts", #"{"facts":{"signedIn":true}}"#)
        try server.perform("setFacts", #"{"facts":{"signedIn":true}}"#)
        #expect(session.json == server.json)
        try session.perform("undo")
        try server.perform("undo")
        #expect(session.json == server.json)
        for text in ["", "{}", "[1]", #"{"id":"a"}"#, server.json + "x", #"{"app":"other"}"#] {
            #expect(throws: Rejection.self) { try LocalSession(app, continuing: text) }
        }
        #expect(throws: Rejection.self) { try LocalSession(nil, continuing: server.json) }
    }

    @Test func `a state can be restored, in a new session and in one that is there`() throws {
        let app = try Examples.app("shop")
        var first = try LocalSession(app)
        try first.perform("navigate", #"{"route":"delivery"}"#)
        let second = try LocalSession(app, restoring: first.json)
        #expect(second.json.contains("delivery") && second.revision == 1)
        var third = try LocalSession(app)
        let outcome = try third.restore(first.json)
        #expect(outcome.changed && outcome.json == third.json && third.revision == 2)
        #expect(try third.restore(first.json).changed == false)
        let lossy = first.json.replacing(#""route":"delivery""#, with: #""route":"gone""#)
        #expect(try third.restore(lossy).json.contains(#""why":"route-gone"}]}"#))
        #expect(throws: Rejection.self) { try third.restore(#"{"app":"chat","tabs":[]}"#) }
        #expect(throws: Rejection.self) { try LocalSession(app, restoring: "{}", id: "no id") }
    }

    @Test func `params as deep as a command allows can be restored`() throws {
        let deep = String(repeating: "[", count: 62) + String(repeating: "]", count: 62)
        var session = try LocalSession(nil)
        try session.perform("navigate", #"{"route":"a","params":{"p":\#(deep)}}"#)
        #expect(throws: Rejection.self) {
            try session.perform("navigate", #"{"route":"a","params":{"p":[\#(deep)]}}"#)
        }
        let state = session.json
        let again = try LocalSession(nil, restoring: state)
        #expect(again.json.contains(deep))
        #expect(try session.restore(state).changed == false)
        let deeper = state.replacing(deep, with: "[\(deep)]")
        #expect(throws: Rejection.self) { try LocalSession(nil, restoring: deeper) }
    }

    @Test func `what is due happens when the time comes, in its order`() throws {
        var session = try LocalSession(nil)
        let idle = #"{"idle":{"seconds":30,"command":{"command":"navigate","route":"home"}}}"#
        try session.update(idle)
        try session.perform("present", #"{"route":"note","ttlSeconds":20}"#)
        #expect(session.advance(to: 19_999) == nil && session.now == 19_999)
        let first = session.advance(to: 100_000)
        let gone = try #require(first)
        #expect(
            gone.event
                == #"{"command":{"command":"expire","sheet":"e1"},"added":[],"removed":["e1"]}"#)
        #expect(session.now == 20_000)
        let second = session.advance(to: 100_000)
        let moved = try #require(second)
        #expect(moved.event?.hasSuffix(#""by":"idle"}"#) == true && session.now == 50_000)
        // It is carried out once, until something else changes.
        #expect(session.advance(to: 1_000_000) == nil && session.now == 1_000_000)
        try session.perform("back")
        #expect(session.advance(to: 1_030_000)?.changed == true)
    }

    @Test func `an expired session does not change any more`() throws {
        var session = try LocalSession(
            nil, creating: #"{"ttlSeconds":10,"idle":{"seconds":10,"command":{"command":"back"}}}"#)
        #expect(session.expiresAt == 10_000)
        try session.perform("navigate", #"{"route":"a"}"#, at: 5_000)
        #expect(session.expiresAt == 15_000)
        #expect(session.advance(to: 60_000) == nil && session.revision == 2)
    }

    @Test func `time only goes on`() throws {
        var session = try LocalSession(nil, at: 5_000)
        try session.perform("navigate", #"{"route":"a"}"#, at: 1_000)
        #expect(session.now == 5_000)
        #expect(session.advance(to: 10) == nil && session.now == 5_000)
    }

    @Test func `an app that a server would refuse has its faults`() throws {
        let faults = #expect(throws: InvalidApp.self) {
            try AppDefinition.with(#""tabs":[{"id":"a","routes":["b"]}]"#)
        }?.faults
        #expect(faults?.map(\.pointer) == ["/tabs/0/routes/0"])
        #expect(throws: InvalidApp.self) { try AppDefinition(json: "{") }
        #expect(throws: InvalidApp.self) { try AppDefinition(json: #"{"tabs":[{"id":"a"}]}"#) }
        #expect(throws: InvalidApp.self) { try AppDefinition(json: "[]", id: "x") }
        let several = #expect(throws: InvalidApp.self) {
            try AppDefinition(json: #"{"id":"bé","tabs":[{"id":"t","routes":"q"}],"zz":1}"#)
        }
        #expect(several?.faults.map(\.pointer) == ["/id", "/zz", "/tabs/0/routes"])
        let template = #""templates":{"t":{"commands":[{"command":"undo"}]}}"#
        let refused = #expect(throws: InvalidApp.self) {
            try AppDefinition.with(#""tabs":[{"id":"a"}],\#(template)"#)
        }
        #expect(refused?.description.hasPrefix("/templates/t/commands/0") == true)
        let app = try AppDefinition(json: #"{"tabs":[{"id":"a"}],"title":"T"}"#, id: "x")
        #expect(app.id == "x" && app.title == "T" && !app.opens("/nothing"))
        #expect(try Examples.app("shop").opens("https://shop.example/orders/7"))
    }
}
