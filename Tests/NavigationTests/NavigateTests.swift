import Navigation
import Testing

@Suite struct NavigateTests {
    @Test func `a navigate pushes on the selected tab and always makes a new entry`() throws {
        var world = try World(tabs: ["a", "b"])
        #expect(try world.run(.navigate, #"{"route":"x"}"#).addedIDs == ["e1"])
        #expect(try world.run(.navigate, #"{"route":"x"}"#).addedIDs == ["e2"])
        #expect(world.picture == "a* [x, x] b []")
        #expect(world.session.revision == 3)
    }

    @Test func `a navigate pushes on the top sheet while one is up`() throws {
        var world = try World()
        try world.run(.present, #"{"route":"s"}"#)
        try world.run(.navigate, #"{"route":"x","params":{"b":1,"a":2}}"#)
        #expect(world.picture == #"main* [] | s [x{"a":2,"b":1}]"#)
        #expect(world.text.contains(#""params":{"b":1,"a":2}"#), "params keep their key order")
    }

    @Test func `naming a tab selects it and pushes there`() throws {
        var world = try World(tabs: ["a", "b"])
        try world.run(.navigate, #"{"route":"x","in":"b"}"#)
        #expect(world.picture == "a [] b* [x]")
    }

    @Test func `naming a lower sheet pushes under the one above it`() throws {
        var world = try World()
        try world.run(.present, #"{"route":"low"}"#)
        try world.run(.present, #"{"route":"high"}"#)
        try world.run(.navigate, #"{"route":"x","in":"e1"}"#)
        #expect(world.picture == "main* [] | low [x] high []")
        #expect(world.session.state.active == .sheet(1))
    }

    @Test func `a target that is not there is not found`() throws {
        var world = try World(tabs: ["a", "b"])
        try world.run(.navigate, #"{"route":"x"}"#)
        let known = world.session.state.tabs.map(\.id)
        #expect(
            try world.refusal(.navigate, #"{"route":"x","in":"c"}"#)
                == .tabNotFound("c", known: known))
        #expect(
            try world.refusal(.navigate, #"{"route":"x","in":"e7"}"#) == .sheetNotFound("e7"))
        // An entry is no container.
        #expect(
            try world.refusal(.navigate, #"{"route":"x","in":"e1"}"#) == .sheetNotFound("e1"))
        #expect(try world.refusal(.navigate, #"{"route":"x","in":""}"#).problem == "tab-not-found")
    }

    // MARK: - Sheets over the target

    static let underASheet: [(handling: String, picture: String)] = [
        ("keep", "a [] b* [x] | s [] t []"),
        ("dismiss", "a [] b* [x]"),
    ]

    @Test(arguments: underASheet)
    func `sheets over the target are treated as told`(
        _ handling: String, _ picture: String
    ) throws {
        var world = try World(tabs: ["a", "b"])
        try world.run(.present, #"{"route":"s"}"#)
        try world.run(.present, #"{"route":"t"}"#)
        try world.run(.navigate, #"{"route":"x","in":"b","sheets":"\#(handling)"}"#)
        #expect(world.picture == picture)
    }

    @Test func `sheets are kept if nothing is said, and may refuse the command`() throws {
        var world = try World()
        try world.run(.present, #"{"route":"s"}"#)
        try world.run(.present, #"{"route":"t"}"#)
        #expect(
            try world.refusal(.navigate, #"{"route":"x","in":"main","sheets":"reject"}"#)
                == .sheetOpen(EntryID(number: 2)))
        #expect(
            try world.refusal(.navigate, #"{"route":"x","in":"e1","sheets":"reject"}"#)
                == .sheetOpen(EntryID(number: 2)))
        try world.run(.navigate, #"{"route":"x","in":"main"}"#)
        #expect(world.picture == "main* [x] | s [] t []")
    }

    @Test func `the top sheet lies under none, so nothing refuses or goes`() throws {
        var world = try World()
        try world.run(.present, #"{"route":"s"}"#)
        for handling in ["keep", "dismiss", "reject"] {
            for target in ["active", "e1"] {
                try world.run(
                    .navigate, #"{"route":"x","in":"\#(target)","sheets":"\#(handling)"}"#)
            }
        }
        #expect(world.picture == "main* [] | s [x, x, x, x, x, x]")
    }

    @Test func `dismissing for a lower sheet takes only those above it`() throws {
        var world = try World()
        for route in ["s", "t", "u"] { try world.run(.present, #"{"route":"\#(route)"}"#) }
        let answer = try world.run(.navigate, #"{"route":"x","in":"e1","sheets":"dismiss"}"#)
        #expect(world.picture == "main* [] | s [x]")
        #expect(answer.addedIDs == ["e4"])
        #expect(answer.removedIDs == ["e2", "e3"])
    }

    // MARK: - Limits

    @Test func `a path has an end`() throws {
        var world = try World()
        world.limits.pathDepthMax = 2
        try world.run(.navigate, #"{"route":"x"}"#)
        try world.run(.navigate, #"{"route":"y"}"#)
        let refusal = try world.refusal(.navigate, #"{"route":"z"}"#)
        #expect(refusal.problem == "limit-exceeded")
        #expect(refusal.pointers == ["/route"])
        // These do not make the path longer.
        try world.run(.navigate, #"{"route":"z","mode":"replace"}"#)
        try world.run(.navigate, #"{"route":"x","mode":"toFront"}"#)
        try world.run(.navigate, #"{"route":"x","params":{"a":1},"mode":"single"}"#)
        #expect(world.picture == #"main* [z, x{"a":1}]"#)
    }

    @Test func `params have a size`() throws {
        var world = try World()
        world.limits.paramsBytesMax = 9
        try world.run(.navigate, #"{"route":"x","params": { "a" : 123 } }"#)
        let refusal = try world.refusal(.navigate, #"{"route":"x","params":{"a":1234}}"#)
        #expect(refusal.problem == "limit-exceeded")
        #expect(refusal.pointers == ["/params"])
    }

    @Test func `ids that are used up refuse the command instead of breaking the session`() throws {
        var world = try World()
        world.session.nextEntry = EntryID.numberMax
        try world.run(.navigate, #"{"route":"x"}"#)
        #expect(world.session.state.ids == [EntryID(number: EntryID.numberMax)])
        #expect(try world.refusal(.navigate, #"{"route":"x"}"#).problem == "limit-exceeded")
        #expect(try world.refusal(.present, #"{"route":"x"}"#).problem == "limit-exceeded")
        try world.run(.back)
        #expect(world.picture == "main* []")
    }
}

extension Answer {
    var addedIDs: [String] { added.map(\.description) }
    var removedIDs: [String] { removed.map(\.description) }

    /// The number that `back`, `undo` and `redo` add.
    var count: Int? {
        switch extra {
        case .popped(let count, _), .undone(let count), .redone(let count): count
        case .none, .results: nil
        }
    }
}
