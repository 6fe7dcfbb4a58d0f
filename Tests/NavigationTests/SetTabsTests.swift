import JSON
import Navigation
import Testing

/// Tabs of the user's own.
@Suite struct SetTabsTests {
    /// The ids of the tabs, a hidden one in parentheses.
    private func tabs(_ world: World) -> String {
        world.session.state.tabs
            .map { $0.isHidden ? "(\($0.id))" : "\($0.id)" }.joined(separator: " ")
    }

    private func world() throws -> World { try TabWorld.world(.stay) }

    @Test func `tabs are reordered, hidden and shown`() throws {
        var world = try world()
        try world.run(.navigate, #"{"route":"x","in":"b"}"#)
        let answer = try world.run(.setTabs, #"{"order":["c","b","a"],"hidden":["c"]}"#)
        #expect(answer.added.isEmpty && answer.removed.isEmpty)
        #expect(tabs(world) == "(c) b a")
        #expect(world.picture == "c [] b* [x] a []")
        #expect(world.json.flag("ownOrder") == true)
        try world.run(.setTabs, #"{"hidden":["a"]}"#)
        #expect(tabs(world) == "c b (a)", "those that are not named are shown")
        try world.run(.setTabs, #"{"order":["a","b","c"]}"#)
        #expect(tabs(world) == "(a) b c", "an order alone hides and shows none")
        #expect(world.json["ownOrder"] == nil, "it is the app's order again")
        try world.run(.undo, #"{"count":3}"#)
        #expect(tabs(world) == "a b c")
        #expect(world.json["ownOrder"] == nil)
    }

    @Test(arguments: [
        "{}", #"{"hidden":["c"]}"#, #"{"order":["b","a","c"]}"#,
        #"{"order":["b","a","c"],"hidden":["c"]}"#,
    ])
    func `what is so already is no change`(_ body: String) throws {
        var world = try world()
        try world.run(.setTabs, #"{"order":["b","a","c"],"hidden":["c"]}"#)
        #expect(try world.run(.setTabs, body).reason == .alreadyThere)
        #expect(try world.refusal(.setTabs, body, strict: true) == .nothingToDo(.alreadyThere))
    }

    static let refused: [(body: String, problem: String, pointers: [String])] = [
        (#"{"order":["a","b"]}"#, "invalid-request", ["/order"]),
        (#"{"order":["a","b","b"]}"#, "invalid-request", ["/order"]),
        (#"{"order":["a","b","c","a"]}"#, "invalid-request", ["/order"]),
        (#"{"order":[]}"#, "invalid-request", ["/order"]),
        (#"{"order":["a",1,"c"]}"#, "invalid-request", ["/order/1"]),
        (#"{"order":"a","hidden":{}}"#, "invalid-request", ["/order", "/hidden"]),
        (#"{"hidden":[null],"shown":[]}"#, "invalid-request", ["/hidden/0", "/shown"]),
        (#"{"hidden":["b","b"]}"#, "invalid-request", ["/hidden"]),
        (#"{"order":["a","b","d"]}"#, "tab-not-found", []),
        (#"{"hidden":["active"]}"#, "tab-not-found", []),
        (#"{"hidden":["a"]}"#, "tab-needed", []),
        (#"{"hidden":["a","b","c"]}"#, "tab-needed", []),
        (#"{"order":["a","b"],"hidden":["a"]}"#, "invalid-request", ["/order"]),
    ]

    @Test(arguments: refused)
    func `what cannot be is refused, and changes nothing`(
        _ body: String, _ problem: String, _ pointers: [String]
    ) throws {
        let refusal = try world().refusal(.setTabs, body)
        #expect(refusal.problem == problem)
        #expect(refusal.pointers == pointers)
    }

    @Test func `in a batch the pointers lead to the command`() throws {
        let refusal = try world().refusal(
            .batch, #"{"commands":[{"command":"root"},{"command":"setTabs","order":["a"]}]}"#)
        #expect(refusal.pointers == ["/commands/1/order"])
    }

    @Test func `the selected tab is told as such`() throws {
        var world = try world()
        try world.run(.select, #"{"tab":"b"}"#)
        #expect(
            try world.refusal(.setTabs, #"{"hidden":["a","b"]}"#)
                == .tabNeeded(TabID(trusted: "b"), isSelected: true))
    }

    @Test func `a tab that no guard can shut is always shown`() throws {
        var world = try World(app: app(GuardedTabs.document(.stay)))
        try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        try world.run(.select, #"{"tab":"b"}"#)
        #expect(
            try world.refusal(.setTabs, #"{"hidden":["c","a"]}"#)
                == .tabNeeded(TabID(trusted: "a"), isSelected: false))
        try world.run(.setTabs, #"{"hidden":["a"]}"#)
        #expect(tabs(world) == "(a) b c")
    }

    static let ways: [(CommandName, String)] = [
        (.select, #"{"tab":"b"}"#), (.navigate, #"{"route":"x","in":"b"}"#),
        (.open, #"{"url":"app://b"}"#), (.back, #"{"to":{"entry":"e1"}}"#),
    ]

    @Test(arguments: ways)
    func `a hidden tab keeps its path and is shown again by what selects it`(
        _ name: CommandName, _ body: String
    ) throws {
        var world = try world()
        try world.run(.navigate, #"{"route":"x","in":"b"}"#)
        try world.run(.select, #"{"tab":"a"}"#)
        try world.run(.setTabs, #"{"hidden":["b","c"]}"#)
        try world.run(.setPath, #"{"in":"b","path":[{"route":"x"},{"route":"x"}]}"#)
        #expect(tabs(world) == "a (b) (c)", "a path that is set does not show its tab")
        try world.run(name, body)
        #expect(tabs(world) == "a b (c)")
        #expect(world.json.string("selectedTab") == "b")
        try world.run(.undo)
        #expect(tabs(world) == "a (b) (c)")
    }

    @Test func `root of all selects the first tab that is shown`() throws {
        var world = try world()
        try world.run(.select, #"{"tab":"c"}"#)
        try world.run(.setTabs, #"{"order":["b","a","c"],"hidden":["b"]}"#)
        try world.run(.root, #"{"scope":"all"}"#)
        #expect(world.json.string("selectedTab") == "a")
        #expect(tabs(world) == "(b) a c")
    }

    @Test func `a free-form session has no order but its own`() throws {
        var world = try TabWorld.freeWorld(.stay)
        try world.run(.setTabs, #"{"order":["c","b","a"],"hidden":["b"]}"#)
        #expect(tabs(world) == "c (b) a")
        #expect(world.json["ownOrder"] == nil)
    }

    // MARK: - A replaced app

    private func reconciled(_ world: World, tabs: String, tabBack: String) throws -> World {
        var world = world
        let document = #"""
            {"id":"tabs","routes":{"x":{}},"tabBack":"\#(tabBack)","tabs":[\#(tabs)]}
            """#
        let app = try app(document)
        _ = try world.reconcile(with: app)
        #expect(world.flaw == nil)
        #expect(try world.reconcile(with: app) == nil)
        return world
    }

    private func tab(_ id: String) -> String { #"{"id":"\#(id)","routes":["x"]}"# }

    @Test func `the user's order outlives a new app, whose new tabs come last`() throws {
        var world = try TabWorld.world(.history)
        try world.run(.select, #"{"tab":"b"}"#)
        try world.run(.select, #"{"tab":"c"}"#)
        try world.run(.setTabs, #"{"order":["c","b","a"],"hidden":["b"]}"#)
        let more = try reconciled(
            world, tabs: ["d", "a", "b", "e", "c"].map(tab).joined(separator: ","),
            tabBack: "history")
        #expect(tabs(more) == "c (b) a d e")
        #expect(more.json.flag("ownOrder") == true)
        #expect(more.json.strings("tabHistory") == ["a", "b"])
        let fewer = try reconciled(
            more, tabs: ["b", "a", "d", "e"].map(tab).joined(separator: ","), tabBack: "first")
        #expect(tabs(fewer) == "(b) a d e")
        #expect(fewer.json["ownOrder"] == nil, "that is the app's order now")
        #expect(fewer.json.string("selectedTab") == "a", "the first that is shown")
        #expect(fewer.json["tabHistory"] == nil)
    }

    @Test func `without an order of its own a session follows the app, hidden tabs too`() throws {
        var world = try TabWorld.world(.history)
        try world.run(.select, #"{"tab":"c"}"#)
        try world.run(.select, #"{"tab":"b"}"#)
        try world.run(.setTabs, #"{"hidden":["c"]}"#)
        let next = try reconciled(
            world, tabs: ["c", "d", "a"].map(tab).joined(separator: ","), tabBack: "history")
        #expect(tabs(next) == "(c) d a")
        #expect(next.json.string("selectedTab") == "d")
        #expect(next.json.strings("tabHistory") == ["a", "c"])
    }

    @Test func `where every tab that is left is hidden, the first is shown again`() throws {
        var world = try TabWorld.world(.stay)
        try world.run(.select, #"{"tab":"c"}"#)
        try world.run(.setTabs, #"{"hidden":["a","b"]}"#)
        let next = try reconciled(world, tabs: tab("a") + "," + tab("b"), tabBack: "none")
        #expect(tabs(next) == "a (b)")
        #expect(next.json.string("selectedTab") == "a")
    }
}
