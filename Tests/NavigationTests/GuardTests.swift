import JSON
import Navigation
import Testing

/// The effect of guards on commands, by examples.
@Suite struct GuardTests {
    private func world(_ facts: String = "{}") throws -> World {
        var world = try GuardedWorld.world()
        if facts != "{}" { try world.run(.setFacts, #"{"facts":\#(facts)}"#) }
        return world
    }

    private func pending(_ world: World) -> String? { world.json["pending"]?.text }

    // MARK: - Held back

    @Test func `what is pending names the container that was asked for, and what is shown instead`()
        throws
    {
        var world = try world()
        let answer = try world.run(.navigate, #"{"route":"account"}"#)
        #expect(answer.guarded.held?.rawValue == "member")
        #expect(answer.added.map(\.description) == ["e1"])
        #expect(world.picture == "a* [] b [] c [] | login []")
        #expect(
            pending(world)
                == #"{"guard":"member","command":{"command":"navigate","route":"account","in":"a"},"#
                + #""entry":"e1"}"#)
        let sheet = world.json.objects("sheets").first
        #expect(sheet?.string("tag") == "member")
    }

    @Test func `who asks twice meets one login, and lands where it was asked for`() throws {
        var world = try world()
        try world.run(.navigate, #"{"route":"account"}"#)
        let first = pending(world)
        let twice = try world.trial(.navigate, #"{"route":"account"}"#).answer
        #expect(twice.reason == .held && twice.guarded.held?.rawValue == "member")
        #expect(pending(world) == first)
        let path = #"[{"route":"account"},{"route":"account"}]"#
        try world.run(.setPath, #"{"in":"active","path":\#(path)}"#)
        #expect(world.session.pending?.command["in"] == .string("a"))
        try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        #expect(world.picture == "a* [account, account] b [] c []")
    }

    @Test func `in stays where it was written, and a sheet is named by its id`() throws {
        var world = try world()
        try world.run(.present, #"{"route":"login","tag":"mine"}"#)
        try world.run(.navigate, #"{"in":"active","route":"account"}"#)
        #expect(world.picture == "a* [] b [] c [] | login [] login []")
        #expect(
            pending(world)
                == #"{"guard":"member","command":{"command":"navigate","in":"e1","route":"account"},"#
                + #""entry":"e2"}"#)
        try world.run(.setPath, #"{"in":"a","path":[{"route":"account"}]}"#)
        #expect(world.session.pending?.command["in"] == .string("a"))
        try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        #expect(world.picture == "a* [account] b [] c [] | login []")
    }

    @Test func `what cannot be shown instead makes the command refused`() throws {
        var world = try world()
        try world.run(.present, #"{"route":"login"}"#)
        let refusal = try world.refusal(.navigate, #"{"route":"gold"}"#)
        guard case .guarded(let name, let when, let facts) = refusal else {
            return #expect(refusal.problem == "guarded")
        }
        #expect(name.rawValue == "rich" && when == JSONObject([("level", .integer(2))]))
        #expect(facts.map(\.name.rawValue) == ["level"])
        #expect(facts.map(\.value) == [.integer(0)] && facts.map(\.needs) == [[.integer(2)]])
    }

    @Test func `without something instead, in strict handling and in a batch it is refused`()
        throws
    {
        let world = try world()
        #expect(try world.refusal(.navigate, #"{"route":"stock"}"#).problem == "guarded")
        let strict = try world.refusal(.navigate, #"{"route":"account"}"#, strict: true)
        #expect(strict.problem == "guarded")
        let batch = try world.refusal(
            .batch,
            #"{"commands":[{"command":"navigate","route":"x"},{"command":"select","tab":"b"}]}"#)
        #expect(batch.problem == "guarded")
        #expect(batch.index == 1)
    }

    @Test func `a tab comes before its path, a tab before the next, sheets come last`() throws {
        var world = try world()
        let first = try world.run(.open, #"{"url":"app://gold"}"#)
        #expect(first.guarded.held?.rawValue == "member", "the tab before the entry")
        world = try self.world(#"{"in":true}"#)
        let entry = try world.run(.open, #"{"url":"app://gold"}"#)
        #expect(entry.guarded.held?.rawValue == "rich")
        #expect(world.picture == "a* [pay] b [] c []")
    }

    @Test func `what is shown instead may be a screen, and is popped to when asked again`() throws {
        var world = try world()
        try world.run(.navigate, #"{"route":"gold"}"#)
        #expect(world.picture == "a* [pay] b [] c []")
        try world.run(.navigate, #"{"route":"x"}"#)
        let again = try world.run(.navigate, #"{"route":"gold"}"#)
        #expect(again.guarded.held?.rawValue == "rich")
        #expect(world.picture == "a* [pay] b [] c []")
        let twice = try world.trial(.navigate, #"{"route":"gold"}"#).answer
        #expect(twice.reason == .held)
        try world.run(.setFacts, #"{"facts":{"level":2}}"#)
        #expect(world.picture == "a* [gold] b [] c []")
    }

    @Test func `a newer command takes the place of the older one, which is a change aside`() throws
    {
        var world = try world()
        try world.run(.select, #"{"tab":"b"}"#)
        let undos = world.session.undoing
        try world.run(.present, #"{"route":"cover"}"#)
        #expect(world.picture == "a* [] b [] c [] | login []")
        #expect(world.session.undoing.undo == undos.undo, "only what is pending has changed")
        try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        #expect(world.picture == "a* [] b [] c [] | cover []")
    }

    // MARK: - Resumed

    @Test func `what is resumed may be held back by another guard`() throws {
        var world = try world()
        try world.run(.open, #"{"url":"app://gold"}"#)
        let answer = try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        #expect(answer.guarded.resumed?["command"] == .string("open"))
        #expect(answer.guarded.held?.rawValue == "rich")
        #expect(world.picture == "a* [pay] b [] c []")
        let last = try world.run(.setFacts, #"{"facts":{"level":2}}"#)
        #expect(last.guarded.held == nil)
        #expect(world.picture == "a [] b* [gold] c []")
        #expect(world.session.pending == nil)
    }

    @Test func `what is resumed may be refused`() throws {
        var world = try world()
        try world.run(.navigate, #"{"route":"x"}"#)
        try world.run(.navigate, #"{"route":"account","mode":"replace"}"#)
        #expect(world.picture == "a* [x] b [] c [] | login []")
        try world.run(.setPath, #"{"in":"a","path":[],"sheets":"keep"}"#)
        let answer = try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        #expect(answer.guarded.refused == .atRoot)
        #expect(answer.guarded.resumed?["mode"] == .string("replace"))
        #expect(answer.removed.map(\.description) == ["e2"])
        #expect(world.session.pending == nil)
        #expect(world.picture == "a* [] b [] c []")
    }

    @Test func `in a batch it is resumed at its place, and may be held back again`() throws {
        var world = try world()
        try world.run(.open, #"{"url":"app://account"}"#)
        let answer = try world.run(
            .batch,
            #"""
            {"commands":[{"command":"setFacts","facts":{"in":true}},
             {"command":"navigate","route":"x"}]}
            """#)
        #expect(world.picture == "a* [x, account, x] b [] c []")
        guard case .results(let results) = answer.extra else {
            Issue.record("the answer has no results")
            return
        }
        #expect(results.first?.guarded.resumed?["url"] == .string("app://account"))
        #expect(results.last?.guarded == Answer.Guarded.none)
        world = try self.world()
        try world.run(.open, #"{"url":"app://gold"}"#)
        let held = try world.run(
            .batch, #"{"commands":[{"command":"setFacts","facts":{"in":true}}]}"#)
        guard case .results(let results) = held.extra else {
            Issue.record("the answer has no results")
            return
        }
        #expect(results.first?.guarded.held?.rawValue == "rich")
        #expect(world.session.pending?.guardName.rawValue == "rich")
    }

    // MARK: - Given up

    @Test func `who closes what is shown instead gives the command up`() throws {
        for (name, body) in [
            (CommandName.back, "{}"), (.dismiss, "{}"), (.root, "{}"), (.undo, "{}"),
            (.batch, #"{"commands":[{"command":"dismiss"}]}"#),
        ] {
            var world = try world()
            try world.run(.navigate, #"{"route":"account"}"#)
            try world.run(name, body)
            #expect(world.session.pending == nil, "\(name)")
            let set = try world.run(.setFacts, #"{"facts":{"in":true}}"#)
            #expect(set.guarded.resumed == nil, "\(name)")
        }
    }

    @Test func `where a tab's root is shown instead, it is given up by selecting another tab`()
        throws
    {
        var world = try world()
        try world.run(.navigate, #"{"route":"far"}"#)
        #expect(world.picture == "a [] b [] c* []")
        #expect(world.session.pending?.entry == nil)
        try world.run(.navigate, #"{"route":"x"}"#)
        #expect(world.session.pending != nil)
        try world.run(.select, #"{"tab":"a"}"#)
        #expect(world.session.pending == nil)
        try world.run(.navigate, #"{"route":"far"}"#)
        #expect(world.session.pending?.entry?.description == "e1", "the end of the tab's path")
        try world.run(.setFacts, #"{"facts":{"level":1}}"#)
        #expect(world.picture == "a* [far] b [] c []")
    }

    @Test func `undo brings neither facts nor what was pending back`() throws {
        var world = try world()
        try world.run(.navigate, #"{"route":"account"}"#)
        try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        try world.run(.undo, "{}")
        #expect(world.picture == "a* [] b [] c [] | login []")
        #expect(world.session.pending == nil)
        #expect(world.session.facts[FactName(trusted: "in")] == .bool(true))
    }

    // MARK: - Shut out

    @Test func `what is under a guard that fails goes with all that lies above it`() throws {
        var world = try world(#"{"in":true,"level":2}"#)
        try world.run(.navigate, #"{"route":"x"}"#)
        try world.run(.navigate, #"{"route":"account"}"#)
        try world.run(.navigate, #"{"route":"x"}"#)
        try world.run(.navigate, #"{"route":"x","in":"c"}"#)
        try world.run(.present, #"{"route":"login","dismissible":false}"#)
        let answer = try world.run(.setFacts, #"{"facts":{"in":false}}"#)
        #expect(world.picture == "a [x] b [] c* [x] | login []", "the sheet lies over another tab")
        #expect(answer.removed.map(\.description) == ["e2", "e3"])
        world = try self.world(#"{"in":true,"level":2}"#)
        try world.run(.navigate, #"{"route":"account"}"#)
        try world.run(.present, #"{"route":"login","dismissible":false}"#)
        try world.run(.setFacts, #"{"facts":{"in":false}}"#)
        #expect(world.picture == "a* [] b [] c []", "locked ones, too")
        world = try self.world(#"{"in":true,"level":2}"#)
        try world.run(.present, #"{"route":"login","path":[{"route":"x"},{"route":"gold"}]}"#)
        try world.run(.present, #"{"route":"cover"}"#)
        try world.run(.setFacts, #"{"facts":{"level":0}}"#)
        #expect(world.picture == "a* [] b [] c [] | login [x]")
    }

    @Test func `a selected tab is left for the first one, and its sheets go`() throws {
        var world = try world(#"{"in":true}"#)
        try world.run(.navigate, #"{"route":"x","in":"b"}"#)
        try world.run(.present, #"{"route":"login"}"#)
        try world.run(.setFacts, #"{"facts":{"in":null}}"#)
        #expect(world.picture == "a* [] b [] c []")
        let undone = try world.run(.undo, "{}")
        #expect(world.picture == "a* [] b [] c []")
        #expect(undone.guarded.dropped.map(\.id.text) == ["e1", "e2"])
        #expect(undone.guarded.dropped.map(\.why) == [.guarded, .guarded])
    }

    // MARK: - Facts

    @Test func `facts are set as a whole, null is the default`() throws {
        var world = try world()
        let same = try world.run(.setFacts, #"{"facts":{"in":false,"level":0.0}}"#)
        #expect(same.reason == .alreadyThere)
        #expect(try world.run(.setFacts, #"{"facts":{}}"#).reason == .alreadyThere)
        try world.run(.setFacts, #"{"facts":{"level":1}}"#)
        #expect(world.json["facts"]?.text == #"{"in":false,"level":1}"#)
        try world.run(.setFacts, #"{"facts":{"level":null}}"#)
        #expect(world.json["facts"]?.text == #"{"in":false,"level":0}"#)
        #expect(world.session.undoing.undo.isEmpty)
    }

    @Test func `unknown and invalid facts are refused`() throws {
        let world = try world()
        #expect(
            try world.refusal(.setFacts, #"{"facts":{"levl":1}}"#)
                == .unknownFact("levl", near: ["level"], pointer: "/facts/levl"))
        let both = try world.refusal(.setFacts, #"{"facts":{"in":1,"level":3}}"#)
        #expect(both.problem == "invalid-params")
        #expect(both.pointers == ["/facts/in", "/facts/level"])
        let inBatch = try world.refusal(
            .batch, #"{"commands":[{"command":"setFacts","facts":{"in":1}}]}"#)
        #expect(inBatch.pointers == ["/commands/0/facts/in"])
        #expect(try world.refusal(.setFacts, "{}").pointers == ["/facts"])
        let free = try World()
        #expect(try free.refusal(.setFacts, #"{"facts":{"in":1}}"#).problem == "unknown-fact")
        #expect(try free.trial(.setFacts, #"{"facts":{}}"#).answer.reason == .alreadyThere)
        let text = String(repeating: "x", count: 4095)
        let long = try World(app: app(#"{"facts":{"f":{"default":1}},"tabs":[{"id":"a"}]}"#))
        let refusal = try long.refusal(.setFacts, #"{"facts":{"f":"\#(text)"}}"#)
        #expect(refusal.problem == "limit-exceeded")
        #expect(refusal.pointers == ["/facts/f"])
    }

    // MARK: - Creation, reconciling and restoring

    private func create(_ body: String) throws -> Session {
        let world = try world()
        return try CreateSession(try object(body), limits: Limits(), work: WorkBudget())
            .session(id: SessionID(trusted: "s"), app: world.app, at: World.noon)
    }

    @Test func `a session begins with facts`() throws {
        let session = try create(#"{"app":"guarded","facts":{"in":true},"selectedTab":"b"}"#)
        #expect(session.facts.text == Array(#"{"in":true,"level":0}"#.utf8))
        #expect(session.state.selected == 1)
        #expect(throws: RejectionError.self) {
            try create(#"{"app":"guarded","selectedTab":"b"}"#)
        }
        #expect(throws: RejectionError.self) { try create(#"{"app":"guarded","facts":{"on":1}}"#) }
        #expect(throws: RejectionError.self) { try create(#"{"app":"guarded","facts":{"in":1}}"#) }
    }

    @Test func `a replaced app fits the facts, shuts out and gives up`() throws {
        var world = try world(#"{"in":true,"level":2}"#)
        try world.run(.navigate, #"{"route":"account"}"#)
        try world.run(.navigate, #"{"route":"far"}"#)
        #expect(world.picture == "a [account] b [] c* []")
        let other = try app(
            GuardedWorld.document
                .replacing(
                    #""in":{"default":false,"schema":{"type":"boolean"}}"#,
                    with:
                        #""in":{"default":"no","schema":{"type":"string"}},"new":{"default":7}"#
                )
                .replacing(#""in":true"#, with: #""in":"yes""#)
                .replacing(#"{"level":1}"#, with: #"{"level":[1,2]}"#))
        let steps = world.session.undoing.undo.count
        let (answer, dropped) = try #require(try world.reconcile(with: other))
        #expect(dropped.entries.map(\.why) == [.guarded])
        #expect(answer.guarded.givenUp != nil && world.session.pending == nil)
        #expect(world.session.undoing.undo.count == steps)
        #expect(world.json["facts"]?.text == #"{"in":"no","new":7,"level":2}"#)
        #expect(world.picture == "a [] b [] c* []")
        #expect(world.flaw == nil)
        #expect(try world.reconcile(with: other) == nil)
    }

    private func restored(_ body: String) throws -> RestoredState {
        let request = try RestoreSession(
            try object(body), id: SessionID(trusted: "s"), limits: Limits(), work: WorkBudget())
        let app = try #require(try world().app)
        return try request.state(nextEntry: 1, app: app).reconciled(with: app, work: WorkBudget())
    }

    @Test func `an exported session comes back with its facts and what is pending`() throws {
        var world = try world(#"{"level":1}"#)
        try world.run(.navigate, #"{"route":"account"}"#)
        let copy = try restored(world.text)
        #expect(copy.state == world.session.state)
        #expect(copy.facts == world.session.facts)
        #expect(copy.pending == world.session.pending)
        #expect(
            try world.restore(copy, world.session.settings) == nil, "nothing has changed")
        let open = try restored(world.text.replacing(#""in":false"#, with: #""in":true"#))
        #expect(open.pending == nil, "its guard holds")
        let gone = try restored(world.text.replacing(#""entry":"e1""#, with: #""entry":"e9""#))
        #expect(gone.pending == nil)
        let bare = try restored(#"{"tabs":[{"id":"b","path":[{"route":"x"}]}]}"#)
        #expect(bare.facts == world.app?.defaultFacts)
        #expect(bare.state.selected == 0)
        #expect(bare.losses.entries.map(\.why) == [.guarded])
    }

    @Test(arguments: [
        (#"{"guard":"member"}"#, ["/pending/command"]),
        (#"{"command":{"command":"back"}}"#, ["/pending/guard"]),
        (
            #"{"guard":"member","command":{"command":"back"},"entry":"x"}"#,
            ["/pending/entry"]
        ),
        (#"{"guard":"g","command":{"command":"select"}}"#, ["/pending/command/tab"]),
        (
            #"{"guard":"g","command":{"command":"batch","commands":[]}}"#,
            ["/pending/command/command"]
        ),
        (
            #"{"guard":"g","command":{"command":"setFacts","facts":{}}}"#,
            ["/pending/command/command"]
        ),
        (#"{"guard":"g","command":{"command":"back"},"more":1}"#, ["/pending/more"]),
    ])
    func `a pending command that is none is refused`(_ text: String, _ pointers: [String]) throws {
        let body = #"{"tabs":[{"id":"a"}],"pending":\#(text)}"#
        let refusal = try #require(throws: RejectionError.self) { try restored(body) }
        #expect(refusal.pointers == pointers)
    }
}
