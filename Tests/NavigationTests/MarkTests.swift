import Navigation
import Testing

/// Names that commands give to entries and sheets.
@Suite struct MarkTests {
    /// The marks of all screens, `-` where there is none.
    private func marks(_ world: World) -> String {
        world.session.state.screens.map { $0.mark?.rawValue ?? "-" }.joined(separator: " ")
    }

    /// `main* [x, y, x{"n":1}]` with the marks m, - and m: e1, e2, e3.
    private func world() throws -> World {
        var world = try World()
        try world.run(.navigate, #"{"route":"x","mark":"m"}"#)
        try world.run(.navigate, #"{"route":"y"}"#)
        try world.run(.navigate, #"{"route":"x","params":{"n":1},"mark":"m"}"#)
        return world
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: CommandName
        var body: String
        var ids: String
        var marks: String
        init(_ name: CommandName, _ body: String, _ ids: String, _ marks: String) {
            (self.name, self.body, self.ids, self.marks) = (name, body, ids, marks)
        }
        var testDescription: String { "\(name) \(body)" }
    }

    static let cases: [Case] = [
        Case(.navigate, #"{"route":"z","mark":"k"}"#, "e1 e2 e3 e4", "m - m k"),
        Case(
            .navigate, #"{"route":"x","mode":"single","params":{"n":1},"mark":"k"}"#,
            "e1 e2 e3", "m - k"),
        Case(
            .navigate, #"{"route":"x","mode":"single","params":{"n":2}}"#, "e1 e2 e3", "m - m"),
        Case(.navigate, #"{"route":"y","mode":"popTo","mark":"k"}"#, "e1 e2", "m k"),
        Case(.navigate, #"{"route":"x","mode":"toFront","mark":"k"}"#, "e2 e3 e1", "- m k"),
        Case(
            .navigate, #"{"route":"x","mode":"toFront","params":{"n":1.0},"mark":"k"}"#,
            "e1 e2 e3", "m - k"),
        Case(.navigate, #"{"route":"x","mode":"toFront"}"#, "e2 e3 e1", "- m m"),
        Case(.navigate, #"{"route":"z","mode":"replace","mark":"k"}"#, "e1 e2 e4", "m - k"),
        Case(.navigate, #"{"route":"z","mode":"replace"}"#, "e1 e2 e4", "m - -"),
        Case(.navigate, #"{"route":"z","mode":"reset","mark":"k"}"#, "e4", "k"),
        Case(
            .setPath, #"{"in":"main","path":[{"route":"x"},{"route":"y","mark":"k"}]}"#,
            "e1 e2", "m k"),
        Case(
            .setPath,
            #"{"in":"main","path":[{"route":"x","mark":"k"},{"route":"z","mark":"l"}]}"#,
            "e1 e4", "k l"),
        Case(
            .setPath,
            #"{"in":"main","path":[{"route":"y","id":"e2","mark":"k"},{"route":"x","id":"e1"}]}"#,
            "e2 e1", "k m"),
        Case(
            .setPath,
            #"""
            {"in":"main","path":[{"route":"x"},{"route":"y"},
             {"route":"x","params":{"n":1},"mark":"k"}]}
            """#,
            "e1 e2 e3", "m - k"),
        Case(
            .present, #"{"route":"s","mark":"k","path":[{"route":"u","mark":"l"},{"route":"v"}]}"#,
            "e1 e2 e3 e4 e5 e6", "m - m k l -"),
    ]

    @Test(arguments: cases)
    func `a command that names a mark sets it, one that names none leaves it`(
        _ example: Case
    ) throws {
        var world = try world()
        #expect(try world.run(example.name, example.body).changed)
        #expect(world.session.state.ids.map(\.description).joined(separator: " ") == example.ids)
        #expect(marks(world) == example.marks)
        try world.run(.undo)
        #expect(marks(world) == "m - m")
    }

    static let same: [(CommandName, String, NoChange)] = [
        (.navigate, #"{"route":"x","mode":"single","params":{"n":1}}"#, .sameEntry),
        (.navigate, #"{"route":"x","mode":"single","params":{"n":1},"mark":"m"}"#, .sameEntry),
        (.navigate, #"{"route":"x","mode":"toFront","params":{"n":1},"mark":"m"}"#, .sameEntry),
        (
            .setPath,
            #"""
            {"in":"main",
             "path":[{"route":"x","mark":"m"},{"route":"y"},{"route":"x","params":{"n":1}}]}
            """#, .alreadyThere
        ),
    ]

    @Test(arguments: same)
    func `the mark that is there is no change`(
        _ name: CommandName, _ body: String, _ reason: NoChange
    ) throws {
        var world = try world()
        #expect(try world.run(name, body).reason == reason)
    }

    @Test func `a sheet that is found by its tag is marked, and a new one has its own mark`() throws
    {
        var world = try World()
        try world.run(.present, #"{"route":"s","tag":"t","mark":"m"}"#)
        #expect(try world.run(.present, #"{"route":"s","tag":"t"}"#).reason == .sameEntry)
        #expect(marks(world) == "m")
        let trial = try world.trial(.present, #"{"route":"s","tag":"t","mark":"k"}"#)
        #expect(trial.changeCount == 1)
        world.adopt(trial)
        #expect(marks(world) == "k")
        try world.run(.present, #"{"route":"r","tag":"t"}"#)
        #expect(marks(world) == "-")
    }

    @Test func `a link marks what it shows, new or found`() throws {
        var world = try TabWorld.world(.stay)
        try world.run(.open, #"{"url":"app://b"}"#)
        #expect(marks(world) == "m -")
        #expect(try world.run(.open, #"{"url":"app://b"}"#).reason == .alreadyThere)
        try world.run(.setPath, #"{"in":"b","path":[{"route":"x","mark":"k"},{"route":"x"}]}"#)
        #expect(marks(world) == "k -")
        try world.run(.open, #"{"url":"app://b"}"#)
        #expect(marks(world) == "m -")
        #expect(world.session.state.ids.count == 2)
        try world.run(.open, #"{"url":"app://s"}"#)
        #expect(marks(world) == "m - n m")
        #expect(try world.run(.open, #"{"url":"app://s"}"#).reason == .alreadyThere)
        #expect(world.json.objects("sheets").first?.string("mark") == "n")
    }

    @Test func `a link's mark is a name`() throws {
        let document = TabWorld.document(.stay)
            .replacing(#"{"route":"x","mark":"m"},"x""#, with: #"{"route":"x","mark":"?"}"#)
        #expect(try report(document).errors.map(\.pointer) == ["/links/0/path/0/mark"])
    }

    // MARK: - back

    /// `a* [x, y] b [x] | s [u, v] t []` with the marks: x1 m, y k, b's x q, s m, u k, t -.
    private func deepWorld() throws -> World {
        var world = try World(tabs: ["a", "b"])
        try world.run(.navigate, #"{"route":"x","in":"b","mark":"q"}"#)
        try world.run(.navigate, #"{"route":"x","in":"a","mark":"m"}"#)
        try world.run(.navigate, #"{"route":"y","mark":"p"}"#)
        try world.run(
            .present,
            #"{"route":"s","mark":"m","path":[{"route":"u","mark":"k"},{"route":"v"}]}"#)
        try world.run(.present, #"{"route":"t"}"#)
        return world
    }

    static let goals: [(to: String, options: String, picture: String)] = [
        ("k", "", "a* [x, y] b [x] | s [u]"),
        ("k", #","inclusive":true"#, "a* [x, y] b [x] | s []"),
        ("m", "", "a* [x, y] b [x] | s []"),
        ("m", #","inclusive":true"#, "a* [x, y] b [x]"),
        ("p", "", "a* [x, y] b [x]"),
        ("p", #","inclusive":true"#, "a* [x] b [x]"),
    ]

    @Test(arguments: goals)
    func `back goes to the nearest mark from what is visible downwards`(
        _ to: String, _ options: String, _ picture: String
    ) throws {
        var world = try deepWorld()
        try world.run(.back, #"{"to":{"mark":"\#(to)"}\#(options)}"#)
        #expect(world.picture == picture)
    }

    @Test func `another tab's mark is not found, nor one that is gone`() throws {
        var world = try deepWorld()
        #expect(try world.refusal(.back, #"{"to":{"mark":"q"}}"#) == .entryNotFound("q"))
        try world.run(.back, #"{"to":{"mark":"m"},"inclusive":true}"#)
        try world.run(.back, #"{"to":{"mark":"m"}}"#)
        #expect(world.picture == "a* [x] b [x]")
        #expect(try world.run(.back, #"{"to":{"mark":"m"}}"#).reason == .alreadyThere)
        try world.run(.back)
        #expect(try world.refusal(.back, #"{"to":{"mark":"m"}}"#) == .entryNotFound("m"))
    }

    @Test func `within the path only the active container is looked at`() throws {
        var world = try deepWorld()
        let refusal = try world.refusal(.back, #"{"to":{"mark":"k"},"within":"path"}"#)
        #expect(refusal == .entryNotFound("k"))
        try world.run(.dismiss)
        try world.run(.back, #"{"to":{"mark":"m"},"within":"path"}"#)
        #expect(world.picture == "a* [x, y] b [x] | s []")
        #expect(
            try world.refusal(.back, #"{"to":{"mark":"m"},"within":"path","inclusive":true}"#)
                == .atRoot)
    }

    @Test func `a locked sheet is in the way of a mark under it`() throws {
        var world = try world()
        try world.run(.present, #"{"route":"s","dismissible":false}"#)
        #expect(
            try world.refusal(.back, #"{"to":{"mark":"m"}}"#)
                == .sheetLocked(EntryID(number: 4)))
    }
}
