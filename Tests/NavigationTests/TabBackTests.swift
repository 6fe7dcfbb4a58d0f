import JSON
import Navigation
import Testing

/// The way back at the root of a tab.
@Suite struct TabBackTests {
    private func history(_ world: World) -> [String] { world.json.strings("tabHistory") }

    @Test func `a tab is remembered when it is left, once, and forgotten when it is selected`()
        throws
    {
        var world = try TabWorld.world(.history)
        try world.run(.select, #"{"tab":"b"}"#)
        #expect(history(world) == ["a"])
        try world.run(.navigate, #"{"route":"x","in":"c"}"#)
        #expect(history(world) == ["a", "b"])
        try world.run(.select, #"{"tab":"a"}"#)
        #expect(history(world) == ["b", "c"])
        try world.run(.open, #"{"url":"app://b"}"#)
        #expect(history(world) == ["c", "a"])
        try world.run(.back, #"{"to":{"entry":"e1"}}"#)
        #expect(history(world) == ["a", "b"])
        try world.run(.select, #"{"tab":"c"}"#)
        #expect(history(world) == ["a", "b"], "selecting the selected tab leaves none")
    }

    @Test(arguments: [TabBack.stay, .first])
    func `without the history nothing is remembered`(_ tabBack: TabBack) throws {
        var world = try TabWorld.world(tabBack)
        try world.run(.select, #"{"tab":"b"}"#)
        #expect(world.json["tabHistory"] == nil)
        #expect(try world.trial(.root, #"{"scope":"all"}"#).changeCount == 1)
    }

    @Test func `steps back go along the paths of the tabs, newest first`() throws {
        var world = try TabWorld.world(.history)
        try world.run(.navigate, #"{"route":"x"}"#)
        try world.run(.navigate, #"{"route":"x","in":"b"}"#)
        try world.run(.navigate, #"{"route":"x","in":"c"}"#)
        try world.run(.present, #"{"route":"s"}"#)
        let answer = try world.run(.back, #"{"count":4}"#)
        #expect(answer.extra == .popped(3, selected: TabID(trusted: "b")))
        #expect(world.picture == "a [x] b* [] c []")
        #expect(history(world) == ["a"])
        let rest = try world.run(.back, #"{"count":9}"#)
        #expect(rest.extra == .popped(1, selected: TabID(trusted: "a")))
        #expect(world.picture == "a* [] b [] c []")
        #expect(try world.run(.back).reason == .atRoot)
        try world.run(.undo)
        #expect(history(world) == ["a"])
        #expect(world.json.string("selectedTab") == "b")
    }

    @Test func `a step that stays on its tab names none`() throws {
        var world = try TabWorld.world(.history)
        try world.run(.navigate, #"{"route":"x","in":"b"}"#)
        #expect(try world.run(.back).extra == .popped(1, selected: nil))
        try world.run(.navigate, #"{"route":"x","in":"c"}"#)
        try world.run(.select, #"{"tab":"a"}"#)
        let answer = try world.run(.back, #"{"to":{"entry":"e2"}}"#)
        #expect(answer.extra == .popped(0, selected: nil), "an entry that is named is no step")
    }

    @Test func `a locked sheet is in the way of every tab`() throws {
        var world = try TabWorld.world(.history)
        try world.run(.select, #"{"tab":"b"}"#)
        try world.run(.present, #"{"route":"s","dismissible":false}"#)
        #expect(try world.run(.back).reason == .sheetLocked)
        #expect(world.json.flag("canGoBack") == false)
    }

    @Test func `within the path no tab is left`() throws {
        var world = try TabWorld.world(.history)
        try world.run(.select, #"{"tab":"b"}"#)
        #expect(try world.run(.back, #"{"count":3,"within":"path"}"#).reason == .atRoot)
        #expect(history(world) == ["a"])
    }

    @Test func `a hidden tab is passed over and forgotten with the newer ones`() throws {
        var world = try TabWorld.world(.history)
        try world.run(.select, #"{"tab":"b"}"#)
        try world.run(.select, #"{"tab":"c"}"#)
        try world.run(.setTabs, #"{"hidden":["b"]}"#)
        #expect(history(world) == ["a", "b"], "it stays until it is passed over")
        #expect(try world.run(.back).extra == .popped(0, selected: TabID(trusted: "a")))
        #expect(history(world) == [])
        #expect(world.json.flag("canGoBack") == false)
    }

    @Test func `where all tabs of the history are hidden there is nothing to do`() throws {
        var world = try TabWorld.world(.history)
        try world.run(.select, #"{"tab":"b"}"#)
        try world.run(.setTabs, #"{"hidden":["a"]}"#)
        #expect(world.json.flag("canGoBack") == false)
        #expect(try world.run(.back).reason == .atRoot)
        #expect(history(world) == ["a"])
        try world.run(.setTabs, #"{"hidden":[]}"#)
        #expect(world.json.flag("canGoBack") == true)
    }

    @Test func `root of all forgets the history, even if that is all there is to do`() throws {
        var world = try TabWorld.world(.history)
        try world.run(.select, #"{"tab":"b"}"#)
        try world.run(.select, #"{"tab":"a"}"#)
        #expect(history(world) == ["b"])
        #expect(try world.run(.root).reason == .atRoot, "root of the tab does not")
        #expect(try world.run(.root, #"{"scope":"all"}"#).changed)
        #expect(history(world) == [])
        #expect(try world.run(.root, #"{"scope":"all"}"#).reason == .atRoot)
    }

    @Test func `the first tab is the way back of every other one`() throws {
        var world = try TabWorld.world(.first)
        #expect(world.json.flag("canGoBack") == false)
        try world.run(.navigate, #"{"route":"x","in":"c"}"#)
        #expect(try world.run(.back, #"{"count":7}"#).extra == .popped(1, selected: TabID("a")))
        try world.run(.setTabs, #"{"order":["b","a","c"]}"#)
        #expect(try world.run(.back).extra == .popped(0, selected: TabID("b")))
        try world.run(.select, #"{"tab":"c"}"#)
        try world.run(.setTabs, #"{"hidden":["b"]}"#)
        #expect(try world.run(.back).extra == .popped(0, selected: TabID("a")))
        #expect(world.json.flag("canGoBack") == false)
        #expect(try world.run(.back).reason == .atRoot)
    }

    @Test func `a free-form session goes back in the way that it was created with`() throws {
        let body = try object(#"{"tabs":["a","b"],"selectedTab":"b","tabBack":"first"}"#)
        let create = try CreateSession(body, limits: Limits(), work: WorkBudget())
        var world = World(
            try create.session(id: SessionID(trusted: "s"), app: nil, at: World.noon))
        #expect(world.json.string("tabBack") == "first")
        #expect(try world.run(.back).extra == .popped(0, selected: TabID("a")))
        let wrong = try object(#"{"app":"x","tabBack":"none"}"#)
        let refusal = try #require(throws: RejectionError.self) {
            try CreateSession(wrong, limits: Limits(), work: WorkBudget())
        }
        #expect(refusal.pointers == ["/tabBack"])
    }

    @Test func `undo brings no history back to a session that keeps none any more`() throws {
        var world = try TabWorld.freeWorld(.history)
        try world.run(.select, #"{"tab":"b"}"#)
        try world.run(.navigate, #"{"route":"x"}"#)
        var settings = world.session.settings
        settings.tabBack = .stay
        let restore = try RestoreSession(
            try object(#"{"tabs":[{"id":"a"},{"id":"b"}],"selectedTab":"b"}"#),
            id: world.session.id, limits: Limits(), work: WorkBudget())
        let restored = try restore.state(nextEntry: 9, app: nil)
        #expect(try world.restore(restored, settings) != nil)
        try world.run(.undo)
        #expect(world.picture == "a [] b* [x] c []")
        #expect(history(world) == [])
    }

    private func guardedWorld(_ tabBack: TabBack) throws -> World {
        try World(app: app(GuardedTabs.document(tabBack)))
    }

    @Test func `a tab under a guard that fails is passed over`() throws {
        var world = try guardedWorld(.history)
        try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        for tab in ["c", "b", "a"] { try world.run(.select, #"{"tab":"\#(tab)"}"#) }
        #expect(history(world) == ["c", "b"])
        try world.run(.setFacts, #"{"facts":{"in":null}}"#)
        #expect(history(world) == ["c", "b"])
        #expect(try world.run(.back).extra == .popped(0, selected: TabID("c")))
        #expect(history(world) == [])
    }

    @Test func `whether one can go back depends on the facts`() throws {
        var world = try guardedWorld(.history)
        try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        for tab in ["b", "a"] { try world.run(.select, #"{"tab":"\#(tab)"}"#) }
        #expect(world.json.flag("canGoBack") == true)
        try world.run(.setFacts, #"{"facts":{"in":null}}"#)
        #expect(world.json.flag("canGoBack") == false)
        #expect(try world.run(.back).reason == .atRoot)
        try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        #expect(try world.run(.back).extra == .popped(0, selected: TabID("b")))
    }

    @Test func `the first tab is never one under a guard that fails`() throws {
        var world = try guardedWorld(.first)
        try world.run(.setTabs, #"{"order":["b","c","a"]}"#)
        #expect(try world.run(.back).extra == .popped(0, selected: TabID("c")))
        try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        #expect(try world.run(.back).extra == .popped(0, selected: TabID("b")))
    }
}
