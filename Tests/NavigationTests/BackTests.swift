import Navigation
import Testing

@Suite struct BackTests {
    /// `a* [x, y] b [z] | s [u, v] t []`: entries e1 x, e2 y, e3 z, sheets e4 s with e5 u and
    /// e6 v, and e7 t.
    private func world(locked: Bool = false) throws -> World {
        var world = try World(tabs: ["a", "b"])
        try world.run(.navigate, #"{"route":"x"}"#)
        try world.run(.navigate, #"{"route":"y"}"#)
        try world.run(.navigate, #"{"route":"z","in":"b"}"#)
        try world.run(.select, #"{"tab":"a"}"#)
        try world.run(
            .present,
            #"{"route":"s","dismissible":\#(!locked),"path":[{"route":"u"},{"route":"v"}]}"#)
        try world.run(.present, #"{"route":"t"}"#)
        return world
    }

    // MARK: - Steps

    static let steps: [(count: Int, popped: Int, picture: String)] = [
        (1, 1, "a* [x, y] b [z] | s [u, v]"),
        (2, 2, "a* [x, y] b [z] | s [u]"),
        (3, 3, "a* [x, y] b [z] | s []"),
        (4, 4, "a* [x, y] b [z]"),
        (5, 5, "a* [x] b [z]"),
        (6, 6, "a* [] b [z]"),
        (7, 6, "a* [] b [z]"),
        (Int.max, 6, "a* [] b [z]"),
    ]

    @Test(arguments: steps)
    func `each step pops an entry or dismisses an empty sheet, down to the tab's root`(
        _ count: Int, _ popped: Int, _ picture: String
    ) throws {
        var world = try world()
        let answer = try world.run(.back, #"{"count":\#(count)}"#)
        #expect(world.picture == picture)
        #expect(answer.count == popped)
        #expect(answer.removed.count == popped)
        #expect(answer.added.isEmpty)
    }

    @Test func `what went is told from bottom to top`() throws {
        var world = try world()
        #expect(try world.run(.back, #"{"count":5}"#).removedIDs == ["e2", "e4", "e5", "e6", "e7"])
    }

    @Test func `at a tab's root there is nothing to do`() throws {
        var world = try World()
        let answer = try world.run(.back)
        #expect(answer.reason == .atRoot)
        #expect(answer.count == 0)
        #expect(world.session.revision == 1)
        #expect(try world.refusal(.back, strict: true) == .nothingToDo(.atRoot))
    }

    @Test func `within a path no sheet is dismissed`() throws {
        var world = try World()
        try world.run(.navigate, #"{"route":"x"}"#)
        try world.run(.present, #"{"route":"s","path":[{"route":"u"},{"route":"v"}]}"#)
        #expect(try world.run(.back, #"{"count":9,"within":"path"}"#).count == 2)
        #expect(world.picture == "main* [x] | s []")
        #expect(try world.run(.back, #"{"within":"path"}"#).reason == .atRoot)
    }

    @Test func `a locked sheet stops it like a root`() throws {
        var world = try world(locked: true)
        #expect(try world.run(.back, #"{"count":9}"#).count == 3)
        #expect(world.picture == "a* [x, y] b [z] | s []")
        let answer = try world.run(.back)
        #expect(answer.reason == .sheetLocked)
        #expect(answer.count == 0)
        #expect(try world.refusal(.back, strict: true) == .nothingToDo(.sheetLocked))
        #expect(try world.run(.back, #"{"within":"path"}"#).reason == .atRoot)
    }

    // MARK: - To an entry

    static let entries: [(to: String, inclusive: Bool, popped: Int, picture: String)] = [
        ("e1", false, 5, "a* [x] b [z]"),
        ("e1", true, 6, "a* [] b [z]"),
        ("e2", false, 4, "a* [x, y] b [z]"),
        ("e3", false, 4, "a [x, y] b* [z]"),
        ("e3", true, 5, "a [x, y] b* []"),
        ("e4", false, 3, "a* [x, y] b [z] | s []"),
        ("e4", true, 4, "a* [x, y] b [z]"),
        ("e5", false, 2, "a* [x, y] b [z] | s [u]"),
        ("e6", true, 2, "a* [x, y] b [z] | s [u]"),
        ("e7", true, 1, "a* [x, y] b [z] | s [u, v]"),
    ]

    @Test(arguments: entries)
    func `an entry is looked for everywhere, its tab selected, sheets above it go`(
        _ to: String, _ inclusive: Bool, _ popped: Int, _ picture: String
    ) throws {
        var world = try world()
        let answer = try world.run(.back, #"{"to":{"entry":"\#(to)"},"inclusive":\#(inclusive)}"#)
        #expect(world.picture == picture)
        #expect(answer.count == popped)
    }

    @Test(arguments: ["e8", "nope", "", "e01", "z"])
    func `an entry that is not there is not found`(_ name: String) throws {
        let refusal = try world().refusal(.back, #"{"to":{"entry":"\#(name)"}}"#)
        #expect(refusal == .entryNotFound(name))
    }

    @Test func `the top entry is there already`() throws {
        var world = try world()
        #expect(try world.run(.back, #"{"to":{"entry":"e7"}}"#).reason == .alreadyThere)
        #expect(
            try world.refusal(.back, #"{"to":{"entry":"e7"}}"#, strict: true)
                == .nothingToDo(.alreadyThere))
    }

    @Test func `no way leads through a locked sheet, but one leads up to it`() throws {
        var world = try world(locked: true)
        #expect(
            try world.refusal(.back, #"{"to":{"entry":"e1"}}"#)
                == .sheetLocked(EntryID(number: 4)))
        #expect(
            try world.refusal(.back, #"{"to":{"entry":"e4"},"inclusive":true}"#)
                == .sheetLocked(EntryID(number: 4)))
        try world.run(.back, #"{"to":{"entry":"e4"}}"#)
        #expect(world.picture == "a* [x, y] b [z] | s []")
    }

    @Test func `within a path an entry under a sheet is not found, as nothing is dismissed`() throws
    {
        var world = try world()
        #expect(
            try world.refusal(.back, #"{"to":{"entry":"e5"},"within":"path"}"#)
                == .entryNotFound("e5"))
        try world.run(.dismiss, #"{"all":true}"#)
        try world.run(.back, #"{"to":{"entry":"e1"},"within":"path"}"#)
        #expect(world.picture == "a* [x] b [z]")
        try world.run(.back, #"{"to":{"entry":"e3"},"within":"path"}"#)
        #expect(world.picture == "a [x] b* [z]", "no sheet is in the way of another tab")
    }

    // MARK: - To a route

    @Test func `a route is looked for in the active container, the nearest first`() throws {
        var world = try World(tabs: ["a", "b"])
        for route in ["x", "y", "x", "z"] {
            try world.run(.navigate, #"{"route":"\#(route)"}"#)
        }
        try world.run(.back, #"{"to":{"route":"x"}}"#)
        #expect(world.picture == "a* [x, y, x] b []")
        #expect(try world.run(.back, #"{"to":{"route":"x"}}"#).reason == .alreadyThere)
        #expect(try world.run(.back, #"{"to":{"route":"x"},"inclusive":true}"#).count == 1)
        try world.run(.back, #"{"to":{"route":"x"},"inclusive":true}"#)
        #expect(world.picture == "a* [] b []")
    }

    @Test func `a route of another container is not found`() throws {
        let world = try world()
        for route in ["x", "z", "u", "s", "a"] {
            #expect(
                try world.refusal(.back, #"{"to":{"route":"\#(route)"}}"#)
                    == .entryNotFound(route))
        }
    }

    @Test func `the container's own root is looked at last`() throws {
        var world = try World(tabs: ["a", "b"])
        try world.run(.navigate, #"{"route":"x"}"#)
        try world.run(.present, #"{"route":"s","path":[{"route":"s"},{"route":"u"}]}"#)
        try world.run(.back, #"{"to":{"route":"s"}}"#)
        #expect(world.picture == "a* [x] b [] | s [s]")
        try world.run(.back, #"{"to":{"route":"s"},"inclusive":true}"#)
        #expect(world.picture == "a* [x] b [] | s []")
        try world.run(.back, #"{"to":{"route":"s"},"inclusive":true}"#)
        #expect(world.picture == "a* [x] b []", "a sheet's root taken with is the sheet")
        #expect(try world.refusal(.back, #"{"to":{"route":"a"},"inclusive":true}"#) == .atRoot)
        try world.run(.back, #"{"to":{"route":"a"}}"#)
        #expect(world.picture == "a* [] b []")
        #expect(try world.run(.back, #"{"to":{"route":"a"}}"#).reason == .alreadyThere)
    }

    @Test func `a tab's root goes by the name that the app declares`() throws {
        var world = try World(
            app: app(#"{"routes":{"x":{}},"tabs":[{"id":"a","root":"home","routes":["x"]}]}"#))
        try world.run(.navigate, #"{"route":"x"}"#)
        #expect(try world.refusal(.back, #"{"to":{"route":"a"}}"#) == .entryNotFound("a"))
        try world.run(.back, #"{"to":{"route":"home"}}"#)
        #expect(world.picture == "a* []")
    }

    @Test func `within a path a sheet's own root cannot be taken with`() throws {
        var world = try World()
        try world.run(.present, #"{"route":"s","path":[{"route":"u"}]}"#)
        #expect(
            try world.refusal(.back, #"{"to":{"route":"s"},"inclusive":true,"within":"path"}"#)
                == .atRoot)
        try world.run(.back, #"{"to":{"route":"s"},"within":"path"}"#)
        #expect(world.picture == "main* [] | s []")
    }

    @Test func `a locked sheet's root cannot be taken with`() throws {
        var world = try World()
        try world.run(.present, #"{"route":"s","dismissible":false}"#)
        #expect(
            try world.refusal(.back, #"{"to":{"route":"s"},"inclusive":true}"#)
                == .sheetLocked(EntryID(number: 1)))
    }
}
