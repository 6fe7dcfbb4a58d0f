import Navigation
import Testing

/// `navigate` in each of its modes, on a path of three.
@Suite struct NavigationModeTests {
    /// `main* [x{"n":1}, y, x{"n":2}]`, the entries e1, e2, e3.
    private func world() throws -> World {
        var world = try World()
        try world.run(.navigate, #"{"route":"x","params":{"n":1}}"#)
        try world.run(.navigate, #"{"route":"y"}"#)
        try world.run(.navigate, #"{"route":"x","params":{"n":2}}"#)
        return world
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var mode: String
        var route: String
        var params: String
        var path: String
        var ids: [String]
        var added: [String] = []
        var removed: [String] = []
        var testDescription: String { "\(mode) \(route) \(params)" }
    }

    static let cases: [Case] = [
        Case(
            mode: "push", route: "x", params: #"{"n":2}"#,
            path: #"[x{"n":1}, y, x{"n":2}, x{"n":2}]"#, ids: ["e1", "e2", "e3", "e4"],
            added: ["e4"]),
        Case(
            mode: "single", route: "x", params: #"{"n":3}"#,
            path: #"[x{"n":1}, y, x{"n":3}]"#, ids: ["e1", "e2", "e3"]),
        Case(
            mode: "single", route: "y", params: "{}",
            path: #"[x{"n":1}, y, x{"n":2}, y]"#, ids: ["e1", "e2", "e3", "e4"], added: ["e4"]),
        Case(
            mode: "popTo", route: "y", params: "{}",
            path: #"[x{"n":1}, y]"#, ids: ["e1", "e2"], removed: ["e3"]),
        Case(
            mode: "popTo", route: "y", params: #"{"n":9}"#,
            path: #"[x{"n":1}, y{"n":9}]"#, ids: ["e1", "e2"], removed: ["e3"]),
        Case(
            mode: "popTo", route: "x", params: #"{"n":1}"#,
            path: #"[x{"n":1}, y, x{"n":1}]"#, ids: ["e1", "e2", "e3"]),
        Case(
            mode: "popTo", route: "z", params: "{}",
            path: #"[x{"n":1}, y, x{"n":2}, z]"#, ids: ["e1", "e2", "e3", "e4"], added: ["e4"]),
        Case(
            mode: "toFront", route: "x", params: #"{"n":1.0}"#,
            path: #"[y, x{"n":2}, x{"n":1}]"#, ids: ["e2", "e3", "e1"]),
        Case(
            mode: "toFront", route: "x", params: #"{"n":3}"#,
            path: #"[x{"n":1}, y, x{"n":2}, x{"n":3}]"#, ids: ["e1", "e2", "e3", "e4"],
            added: ["e4"]),
        Case(
            mode: "replace", route: "z", params: "{}",
            path: #"[x{"n":1}, y, z]"#, ids: ["e1", "e2", "e4"], added: ["e4"], removed: ["e3"]),
        Case(
            mode: "replace", route: "x", params: #"{"n":2}"#,
            path: #"[x{"n":1}, y, x{"n":2}]"#, ids: ["e1", "e2", "e4"],
            added: ["e4"], removed: ["e3"]),
        Case(
            mode: "reset", route: "y", params: "{}",
            path: "[y]", ids: ["e4"], added: ["e4"], removed: ["e1", "e2", "e3"]),
    ]

    @Test(arguments: cases)
    func `each mode places the route as the contract says`(_ example: Case) throws {
        var world = try world()
        let answer = try world.run(
            .navigate,
            """
            {"route":"\(example.route)","params":\(example.params),"mode":"\(example.mode)"}
            """)
        #expect(world.picture == "main* " + example.path)
        #expect(world.session.state.ids.map(\.description) == example.ids)
        #expect(answer.changed)
        #expect(answer.addedIDs == example.added)
        #expect(answer.removedIDs == example.removed)
        #expect(answer.count == nil)
        #expect(world.session.revision == 5)
    }

    @Test(arguments: ["single", "popTo", "toFront"])
    func `what is on top already is the same entry`(_ mode: String) throws {
        var world = try world()
        let before = world.bytes
        let body = #"{"route":"x","params":{"n":2.0},"mode":"\#(mode)"}"#
        #expect(try world.run(.navigate, body).reason == .sameEntry)
        #expect(world.bytes == before)
        #expect(try world.refusal(.navigate, body, strict: true) == .nothingToDo(.sameEntry))
    }

    @Test func `a replace on an empty path is at the root`() throws {
        var world = try World()
        let body = #"{"route":"x","mode":"replace"}"#
        #expect(try world.refusal(.navigate, body) == .atRoot)
        try world.run(.present, #"{"route":"s"}"#)
        #expect(try world.refusal(.navigate, body) == .atRoot)
    }

    @Test func `a mode acts on the named tab's path, and selecting it is a change`() throws {
        var world = try World(tabs: ["a", "b"])
        try world.run(.navigate, #"{"route":"x","in":"b"}"#)
        try world.run(.select, #"{"tab":"a"}"#)
        let answer = try world.run(.navigate, #"{"route":"x","in":"b","mode":"single"}"#)
        #expect(answer.changed)
        #expect(answer.added.isEmpty && answer.removed.isEmpty)
        #expect(world.picture == "a [] b* [x]")
    }

    @Test func `the route's mode is the one that counts when none is named`() throws {
        let app = try app(
            """
            {"routes":{"x":{"mode":"reset"},"y":{}},"tabs":[{"id":"a","routes":["x","y"]}]}
            """)
        var world = try World(app: app)
        try world.run(.navigate, #"{"route":"y"}"#)
        try world.run(.navigate, #"{"route":"x"}"#)
        #expect(world.picture == "a* [x]")
        try world.run(.navigate, #"{"route":"x","mode":"push"}"#)
        #expect(world.picture == "a* [x, x]")
    }
}
