import Bytes
import JSON
import Navigation
import Testing

@Suite struct PresentTests {
    @Test func `a sheet is presented over what is on top, and knows by what`() throws {
        var world = try World()
        try world.run(.present, #"{"route":"s"}"#)
        try world.run(.present, #"{"route":"t","path":[{"route":"u"},{"route":"v"}]}"#)
        try world.run(.present, #"{"route":"w","style":"fullScreenCover"}"#)
        #expect(world.picture == "main* [] | s [] t [u, v] <cover>w []")
        #expect(
            world.json.objects("sheets").map { $0.string("presentedBy") } == ["main", "e1", "e4"])
        #expect(world.session.state.ids.map(\.description) == ["e1", "e2", "e3", "e4", "e5"])
    }

    @Test func `a sheet keeps its tag, its detents and its lock`() throws {
        var world = try World()
        try world.run(
            .present, #"{"route":"s","tag":"t","detents":["medium"],"dismissible":false}"#)
        let sheet = try #require(world.json.objects("sheets").first)
        #expect(sheet.string("tag") == "t")
        #expect(sheet["detents"]?.text == #"["medium"]"#)
        #expect(sheet.flag("dismissible") == false)
    }

    @Test func `what a sheet does not have is absent`() throws {
        var world = try World()
        try world.run(.present, #"{"route":"s"}"#)
        let sheet = try #require(world.json.objects("sheets").first)
        #expect(
            sheet.members.map(\.key) == ["id", "style", "route", "params", "presentedBy", "path"])
    }

    // MARK: - Tags

    /// `main* [] | s{"n":1} [] t []`, the first tagged `one`.
    private func tagged() throws -> World {
        var world = try World()
        try world.run(.present, #"{"route":"s","params":{"n":1},"tag":"one"}"#)
        try world.run(.present, #"{"route":"t"}"#)
        return world
    }

    @Test func `the same tag replaces its sheet, and those above it go`() throws {
        var world = try tagged()
        let answer = try world.run(.present, #"{"route":"s","params":{"n":2},"tag":"one"}"#)
        #expect(world.picture == #"main* [] | s{"n":2} []"#)
        #expect(answer.addedIDs == ["e3"])
        #expect(answer.removedIDs == ["e1", "e2"])
        #expect(world.json.objects("sheets").map { $0.string("presentedBy") } == ["main"])
    }

    @Test func `the same tag, route, params and style stay, and those above go`() throws {
        var world = try tagged()
        let body = #"{"route":"s","params":{"n":1},"tag":"one"}"#
        let answer = try world.run(.present, body)
        #expect(world.picture == #"main* [] | s{"n":1} []"#)
        #expect(answer.addedIDs == [])
        #expect(answer.removedIDs == ["e2"])
        #expect(try world.run(.present, body).reason == .sameEntry)
        #expect(try world.refusal(.present, body, strict: true) == .nothingToDo(.sameEntry))
    }

    @Test(arguments: [#""tag":"two""#, #""detents":[]"#])
    func `another tag, or none, stacks`(_ member: String) throws {
        var world = try tagged()
        try world.run(.present, #"{"route":"s","params":{"n":1},\#(member)}"#)
        #expect(world.picture == #"main* [] | s{"n":1} [] t [] s{"n":1} []"#)
    }

    @Test func `another style under the same tag replaces`() throws {
        var world = try tagged()
        try world.run(
            .present,
            #"{"route":"s","params":{"n":1},"tag":"one","style":"fullScreenCover"}"#)
        #expect(world.picture == #"main* [] | <cover>s{"n":1} []"#)
    }

    // MARK: - Limits

    @Test func `a stack of sheets has an end, but a tag may still be replaced`() throws {
        var world = try World()
        world.limits.sheetsMax = 2
        try world.run(.present, #"{"route":"s","tag":"one"}"#)
        try world.run(.present, #"{"route":"t","tag":"two"}"#)
        let refusal = try world.refusal(.present, #"{"route":"u"}"#)
        #expect(refusal.problem == "limit-exceeded")
        #expect(refusal.pointers == ["/route"])
        try world.run(.present, #"{"route":"u","tag":"two"}"#)
        #expect(world.picture == "main* [] | s [] u []")
    }

    @Test func `a sheet's path has an end too`() throws {
        var world = try World()
        world.limits.pathDepthMax = 1
        let path = #"[{"route":"u"},{"route":"v"}]"#
        let refusal = try world.refusal(.present, #"{"route":"s","path":\#(path)}"#)
        #expect(refusal.problem == "limit-exceeded")
        #expect(refusal.pointers == ["/path"])
    }
}

@Suite struct DismissTests {
    /// `main* [x] | s [u] t [] u []`: the entry e1, sheets e2 (tagged `s`, with e3), e4, e5.
    private func world(locked: String = "") throws -> World {
        var world = try World()
        try world.run(.navigate, #"{"route":"x"}"#)
        for route in ["s", "t", "u"] {
            let path = route == "s" ? #"[{"route":"u"}]"# : "[]"
            try world.run(
                .present,
                """
                {"route":"\(route)","tag":"\(route)","path":\(path),
                 "dismissible":\(route != locked)}
                """)
        }
        return world
    }

    static let examples: [(body: String, removed: [String], picture: String)] = [
        ("{}", ["e5"], "main* [x] | s [u] t []"),
        (#"{"sheet":"e4"}"#, ["e4", "e5"], "main* [x] | s [u]"),
        (#"{"tag":"t"}"#, ["e4", "e5"], "main* [x] | s [u]"),
        (#"{"sheet":"e2","result":{"ok":true}}"#, ["e2", "e3", "e4", "e5"], "main* [x]"),
        (#"{"all":true}"#, ["e2", "e3", "e4", "e5"], "main* [x]"),
    ]

    @Test(arguments: examples)
    func `a sheet goes with all above it, tab paths stay`(
        _ body: String, _ removed: [String], _ picture: String
    ) throws {
        var world = try world()
        let answer = try world.run(.dismiss, body)
        #expect(world.picture == picture)
        #expect(answer.removedIDs == removed)
    }

    @Test(arguments: ["{}", #"{"all":true}"#, #"{"all":false}"#, #"{"result":1,"force":true}"#])
    func `with nothing up there is no sheet`(_ body: String) throws {
        var world = try World()
        #expect(try world.run(.dismiss, body).reason == .noSheet)
        #expect(try world.refusal(.dismiss, body, strict: true) == .nothingToDo(.noSheet))
    }

    @Test(arguments: [#"{"sheet":"e9"}"#, #"{"sheet":"e1"}"#, #"{"sheet":"x"}"#, #"{"tag":"x"}"#])
    func `a sheet that is not up is not found`(_ body: String) throws {
        #expect(try world().refusal(.dismiss, body).problem == "sheet-not-found")
        #expect(try World().refusal(.dismiss, body).problem == "sheet-not-found")
    }

    static let locks: [(locked: String, body: String)] = [
        ("u", ""), ("u", #""sheet":"e5""#), ("u", #""sheet":"e2""#), ("s", #""all":true"#),
        ("t", #""tag":"t""#),
    ]

    @Test(arguments: locks)
    func `a locked sheet, or one below it, goes only by force`(
        _ locked: String, _ body: String
    ) throws {
        var world = try world(locked: locked)
        let number = ["s": 2, "t": 4, "u": 5][locked] ?? 0
        #expect(
            try world.refusal(.dismiss, "{\(body)}")
                == .sheetLocked(EntryID(number: number)))
        let force = body.isEmpty ? #"{"force":true}"# : #"{\#(body),"force":true}"#
        #expect(try world.run(.dismiss, force).changed)
    }

    @Test func `a lock below what goes does not count`() throws {
        var world = try world(locked: "s")
        try world.run(.dismiss, #"{"tag":"t"}"#)
        #expect(world.picture == "main* [x] | s [u]")
    }
}
