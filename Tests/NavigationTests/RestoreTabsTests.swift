import JSON
import Navigation
import Testing

/// Tabs, marks and the way back in a restore.
@Suite struct RestoreTabsTests {
    /// Bodies with faults, for `RestoreSessionTests`.
    static let wrong: [(body: String, pointers: [String])] = [
        (#"{"tabs":[{"id":"a","hidden":true}]}"#, ["/tabs/0/hidden"]),
        (
            #"{"tabs":[{"id":"a"},{"id":"b","hidden":true}],"selectedTab":"b"}"#,
            ["/tabs/1/hidden"]
        ),
        (#"{"tabs":[{"id":"a","hidden":1}]}"#, ["/tabs/0/hidden"]),
        (#"{"tabs":[{"id":"a"}],"tabHistory":["a"]}"#, ["/tabHistory"]),
        (#"{"tabs":[{"id":"a"},{"id":"b"}],"tabHistory":["a"]}"#, ["/tabHistory/0"]),
        (
            #"{"tabs":[{"id":"a"},{"id":"b"},{"id":"c"}],"tabHistory":["c","c"]}"#,
            ["/tabHistory/1"]
        ),
        (
            #"{"tabs":[{"id":"a"},{"id":"b"},{"id":"c"}],"tabHistory":["d",1]}"#,
            ["/tabHistory/0", "/tabHistory/1"]
        ),
        (
            #"{"tabs":[{"id":"a"}],"tabHistory":{},"ownOrder":"no","tabBack":"last"}"#,
            ["/tabBack", "/ownOrder", "/tabHistory"]
        ),
        (
            #"{"tabs":[{"id":"a","path":[{"route":"x","mark":""}]}],"sheets":[{"route":"s","mark":1}]}"#,
            ["/tabs/0/path/0/mark", "/sheets/0/mark"]
        ),
    ]

    static let ofOthers: [(body: String, isBound: Bool, pointers: [String])] = [
        (#"{"tabBack":"none","tabs":[{"id":"a"}]}"#, true, ["/tabBack"]),
        (#"{"ownOrder":true,"tabs":[{"id":"a"}]}"#, false, ["/ownOrder"]),
        (#"{"tabHistory":["b"],"tabs":[{"id":"a"},{"id":"b"}]}"#, false, ["/tabHistory"]),
        (
            #"{"tabHistory":["b"],"tabBack":"first","tabs":[{"id":"a"},{"id":"b"}]}"#, false,
            ["/tabHistory"]
        ),
    ]

    @Test(arguments: ofOthers)
    func `what only sessions of another kind have is refused`(
        _ body: String, _ isBound: Bool, _ pointers: [String]
    ) throws {
        let app = isBound ? try app(TabWorld.document(.history)) : nil
        let request = try restore(body)
        let refusal = try #require(throws: RejectionError.self) {
            try request.state(nextEntry: 1, app: app)
        }
        #expect(refusal.pointers == pointers)
    }

    @Test func `without a name the first tab that is not hidden is selected`() throws {
        let state = try restore(#"{"tabs":[{"id":"a","hidden":true},{"id":"b"}]}"#)
            .state(nextEntry: 1, app: nil).state
        #expect(state.selected == 1)
        #expect(state.tabs.map(\.isHidden) == [true, false])
    }

    @Test func `only an order that is said to be the user's own stays`() throws {
        let app = try app(TabWorld.document(.stay))
        let tabs = #""tabs":[{"id":"c"},{"id":"q"},{"id":"a"}],"tabHistory":["q"]"#
        for (own, ids) in [("true", ["c", "a", "b"]), ("false", ["a", "b", "c"])] {
            let restored = try restore(#"{"ownOrder":\#(own),\#(tabs)}"#)
                .state(nextEntry: 1, app: app).reconciled(with: app, work: WorkBudget())
            #expect(restored.state.tabs.map(\.id.rawValue) == ids)
            #expect(restored.state.hasOwnOrder == (own == "true"))
            #expect(restored.state.tabs[restored.state.selected].id.rawValue == "c")
            #expect(restored.state.tabHistory == [], "the app keeps no history")
        }
        let same = try restore(#"{"ownOrder":true,"tabs":[{"id":"a"},{"id":"b"}]}"#)
            .state(nextEntry: 1, app: app).reconciled(with: app, work: WorkBudget())
        #expect(!same.state.hasOwnOrder, "it is the app's order")
    }

    static let differences: [String] = [
        #"{"tabs":[{"id":"a","path":[{"id":"e1","route":"x","mark":"k"}]},{"id":"b"},{"id":"c"}]}"#,
        #"{"tabs":[{"id":"a","path":[{"id":"e1","route":"x"}]},{"id":"b"},{"id":"c"}]}"#,
        #"""
        {"tabs":[{"id":"a","path":[{"id":"e1","route":"x","mark":"m"}]},{"id":"b","hidden":true},
         {"id":"c"}]}
        """#,
        #"""
        {"tabs":[{"id":"a","path":[{"id":"e1","route":"x","mark":"m"}]},{"id":"b"},{"id":"c"}],
         "tabHistory":["b"]}
        """#,
        #"""
        {"ownOrder":true,
         "tabs":[{"id":"a","path":[{"id":"e1","route":"x","mark":"m"}]},{"id":"c"},{"id":"b"}]}
        """#,
    ]

    @Test(arguments: differences)
    func `each of them that differs is a change, which undo reverts`(_ body: String) throws {
        var world = try TabWorld.world(.history)
        try world.run(.navigate, #"{"route":"x","mark":"m"}"#)
        let before = world.session.state
        let app = try #require(world.app)
        let restored = try restore(body).state(nextEntry: 2, app: app)
            .reconciled(with: app, work: WorkBudget())
        #expect(try world.restore(restored, world.session.settings) != nil)
        #expect(world.flaw == nil)
        #expect(world.session.state != before)
        try world.run(.undo)
        #expect(world.session.state == before)
    }

    @Test func `a patch leaves the way back as it is`() throws {
        let world = try TabWorld.freeWorld(.first)
        let patch = try PatchSession(
            try object(#"{"labels":{"k":"v"}}"#), limits: Limits(), work: WorkBudget())
        let settings = try patch.apply(to: world.session.settings, work: WorkBudget())
        #expect(settings.tabBack == .first)
    }
}
