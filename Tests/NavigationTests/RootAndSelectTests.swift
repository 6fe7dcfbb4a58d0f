import Navigation
import Testing

@Suite struct RootAndSelectTests {
    /// `a [x] b* [y] | s [u]`: entries e1 x and e2 y, the sheet e3 with e4 on it, which the root of
    /// the tab b presents.
    private func world() throws -> World {
        var world = try World(tabs: ["a", "b"])
        try world.run(.navigate, #"{"route":"x"}"#)
        try world.run(.select, #"{"tab":"b"}"#)
        try world.run(.navigate, #"{"route":"y"}"#)
        try world.run(.present, #"{"route":"s"}"#)
        try world.run(.navigate, #"{"route":"u"}"#)
        world.session.state.sheets[0].presentedBy = .tab(TabID(trusted: "b"))
        return world
    }

    static let scopes: [(body: String, removed: [String], picture: String)] = [
        ("{}", ["e2", "e3", "e4"], "a [x] b* []"),
        (#"{"scope":"tab"}"#, ["e2", "e3", "e4"], "a [x] b* []"),
        (#"{"scope":"path"}"#, ["e4"], "a [x] b* [y] | s []"),
        (#"{"scope":"all"}"#, ["e1", "e2", "e3", "e4"], "a* [] b []"),
    ]

    @Test(arguments: scopes)
    func `root empties what its scope says, in one revision`(
        _ body: String, _ removed: [String], _ picture: String
    ) throws {
        var world = try world()
        let answer = try world.run(.root, body)
        #expect(world.picture == picture)
        #expect(answer.removedIDs == removed)
        #expect(world.session.revision == 7)
        let again = try world.run(.root, body)
        #expect(again.reason == .atRoot)
        #expect(world.session.revision == 7)
        #expect(try world.refusal(.root, body, strict: true) == .nothingToDo(.atRoot))
    }

    @Test func `selecting the first tab is all that is left for root of all`() throws {
        var world = try World(tabs: ["a", "b"])
        try world.run(.select, #"{"tab":"b"}"#)
        #expect(try world.run(.root).reason == .atRoot)
        #expect(try world.run(.root, #"{"scope":"all"}"#).changed)
        #expect(world.picture == "a* [] b []")
    }

    // MARK: - select

    @Test func `selecting a tab keeps all paths, and sheets too`() throws {
        var world = try world()
        let answer = try world.run(.select, #"{"tab":"a"}"#)
        #expect(world.picture == "a* [x] b [y] | s [u]")
        #expect(answer.added.isEmpty && answer.removed.isEmpty)
    }

    @Test func `selecting the selected tab pops it to its root`() throws {
        var world = try world()
        #expect(try world.run(.select, #"{"tab":"b"}"#).removedIDs == ["e2"])
        #expect(world.picture == "a [x] b* [] | s [u]")
        #expect(try world.run(.select, #"{"tab":"b"}"#).reason == .alreadySelected)
        #expect(
            try world.refusal(.select, #"{"tab":"b"}"#, strict: true)
                == .nothingToDo(.alreadySelected))
    }

    @Test func `selecting the selected tab may leave it as it is`() throws {
        var world = try world()
        let body = #"{"tab":"b","reselect":"none"}"#
        #expect(try world.run(.select, body).reason == .alreadySelected)
        #expect(world.picture == "a [x] b* [y] | s [u]")
        try world.run(.select, #"{"tab":"b","reselect":"none","sheets":"dismiss"}"#)
        #expect(world.picture == "a [x] b* [y]")
    }

    @Test func `sheets may go or refuse when a tab is selected`() throws {
        var world = try world()
        #expect(
            try world.refusal(.select, #"{"tab":"a","sheets":"reject"}"#)
                == .sheetOpen(EntryID(number: 3)))
        try world.run(.select, #"{"tab":"a","sheets":"dismiss"}"#)
        #expect(world.picture == "a* [x] b [y]")
        try world.run(.select, #"{"tab":"b","sheets":"reject"}"#)
        #expect(world.picture == "a [x] b* [y]")
    }

    @Test func `a tab that is not there is not found`() throws {
        let world = try world()
        #expect(
            try world.refusal(.select, #"{"tab":"c"}"#)
                == .tabNotFound("c", known: world.session.state.tabs.map(\.id)))
        #expect(try world.refusal(.select, #"{"tab":"active"}"#).problem == "tab-not-found")
    }
}
