import Bytes
import JSON
import Navigation
import Testing

@Suite struct SetPathTests {
    /// `a* [x, y{"n":1}, z] b []`, the entries e1, e2, e3.
    private func world() throws -> World {
        var world = try World(tabs: ["a", "b"])
        try world.run(.navigate, #"{"route":"x"}"#)
        try world.run(.navigate, #"{"route":"y","params":{"n":1}}"#)
        try world.run(.navigate, #"{"route":"z"}"#)
        return world
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var path: String
        var picture: String
        var ids: [String]
        init(_ path: String, _ picture: String, _ ids: String...) {
            self.path = path
            self.picture = picture
            self.ids = ids
        }
        var testDescription: String { path }
    }

    static let cases: [Case] = [
        Case(#"[{"route":"x"}]"#, "[x]", "e1"),
        Case(#"[{"route":"x"},{"route":"y","params":{"n":1.0}}]"#, #"[x, y{"n":1}]"#, "e1", "e2"),
        Case(#"[{"route":"x"},{"route":"y"},{"route":"z"}]"#, "[x, y, z]", "e1", "e4", "e5"),
        Case(#"[{"route":"z"}]"#, "[z]", "e4"),
        Case("[]", "[]"),
        Case(#"[{"route":"z","id":"e3"},{"route":"x"}]"#, "[z, x]", "e3", "e4"),
        Case(#"[{"route":"x"},{"route":"z","id":"e3"}]"#, "[x, z]", "e4", "e3"),
        Case(#"[{"route":"y","id":"e2","params":{"n":2}}]"#, #"[y{"n":2}]"#, "e2"),
    ]

    @Test(arguments: cases)
    func `a path is replaced, and ids stay where they are named or the beginning is equal`(
        _ example: Case
    ) throws {
        var world = try world()
        try world.run(.setPath, #"{"in":"a","path":\#(example.path)}"#)
        #expect(world.picture == "a* \(example.picture) b []")
        #expect(world.session.state.ids.map(\.description) == example.ids)
    }

    @Test func `added and removed leave out what only moved or got other params`() throws {
        var world = try world()
        let answer = try world.run(
            .setPath,
            """
            {"in":"a","path":[{"route":"z","id":"e3"},{"route":"w"},
             {"route":"x","id":"e1","params":{"n":1}}]}
            """)
        #expect(answer.addedIDs == ["e4"])
        #expect(answer.removedIDs == ["e2"])
    }

    @Test(arguments: ["", #","id":"e1""#])
    func `the path that is there is there already`(_ id: String) throws {
        var world = try World()
        try world.run(.navigate, #"{"route":"x"}"#)
        let body = #"{"in":"active","path":[{"route":"x"\#(id)}]}"#
        #expect(try world.run(.setPath, body).reason == .alreadyThere)
        #expect(try world.refusal(.setPath, body, strict: true) == .nothingToDo(.alreadyThere))
    }

    @Test func `any container's path may be set, and nothing is selected`() throws {
        var world = try world()
        try world.run(.present, #"{"route":"s"}"#)
        try world.run(.present, #"{"route":"t"}"#)
        try world.run(.setPath, #"{"in":"b","path":[{"route":"w"}]}"#)
        try world.run(.setPath, #"{"in":"e4","path":[{"route":"u"}]}"#)
        try world.run(.setPath, #"{"in":"active","path":[{"route":"v"}]}"#)
        #expect(world.picture == #"a* [x, y{"n":1}, z] b [w] | s [u] t [v]"#)
    }

    @Test func `an id must be there, of that route, and named once`() throws {
        let world = try world()
        func refusal(_ path: String, in target: String = "a") throws -> RejectionError {
            try world.refusal(.setPath, #"{"in":"\#(target)","path":\#(path)}"#)
        }
        #expect(try refusal(#"[{"route":"x","id":"e9"}]"#) == .entryNotFound("e9"))
        #expect(try refusal(#"[{"route":"x","id":"x"}]"#) == .entryNotFound("x"))
        #expect(try refusal(#"[{"route":"x","id":"e1"}]"#, in: "b") == .entryNotFound("e1"))
        let other = try refusal(#"[{"route":"x"},{"route":"y","id":"e1"}]"#)
        #expect(other.problem == "invalid-request")
        #expect(other.pointers == ["/path/1/route"])
        let twice = try refusal(#"[{"route":"x","id":"e1"},{"route":"x","id":"e1"}]"#)
        #expect(twice.problem == "invalid-request")
        #expect(twice.pointers == ["/path/1/id"])
    }

    @Test func `a path has an end`() throws {
        var world = try world()
        world.limits.pathDepthMax = 1
        let refusal = try world.refusal(
            .setPath, #"{"in":"b","path":[{"route":"x"},{"route":"y"}]}"#)
        #expect(refusal.problem == "limit-exceeded")
        #expect(refusal.pointers == ["/path"])
    }
}

@Suite struct SetParamsTests {
    /// `main* [x{"a":{"b":1,"c":2},"d":3}]`, the entry e1.
    private func world() throws -> World {
        var world = try World()
        try world.run(.navigate, #"{"route":"x","params":{"a":{"b":1,"c":2},"d":3}}"#)
        return world
    }

    static let changes: [(body: String, params: String)] = [
        (#"{"params":{"d":4}}"#, #"{"a":{"b":1,"c":2},"d":4}"#),
        (#"{"params":{"a":{"b":null,"e":5},"f":6}}"#, #"{"a":{"c":2,"e":5},"d":3,"f":6}"#),
        (#"{"params":{"a":[1]},"mode":"merge","entry":"visible"}"#, #"{"a":[1],"d":3}"#),
        (#"{"params":{"d":null,"a":null},"entry":"e1"}"#, "{}"),
        (#"{"params":{"z":1},"mode":"replace"}"#, #"{"z":1}"#),
        (#"{"params":{"z":null},"mode":"replace"}"#, #"{"z":null}"#),
    ]

    @Test(arguments: changes)
    func `params are merged or replaced in place, and the entry keeps its id`(
        _ body: String, _ params: String
    ) throws {
        var world = try world()
        let answer = try world.run(.setParams, body)
        #expect(answer.changed)
        #expect(answer.added.isEmpty && answer.removed.isEmpty)
        #expect(world.session.state.ids.map(\.description) == ["e1"])
        #expect(world.json.object("visible").object("params") == (try object(params)))
    }

    @Test(arguments: [
        #"{"params":{}}"#, #"{"params":{"d":3.0}}"#, #"{"params":{"q":null}}"#,
        #"{"params":{"d":3,"a":{"c":2,"b":1}},"mode":"replace"}"#,
    ])
    func `equal params are the same entry`(_ body: String) throws {
        var world = try world()
        #expect(try world.run(.setParams, body).reason == .sameEntry)
        #expect(try world.refusal(.setParams, body, strict: true) == .nothingToDo(.sameEntry))
    }

    @Test func `any entry and any sheet may get other params`() throws {
        var world = try world()
        try world.run(.present, #"{"route":"s","path":[{"route":"u"}]}"#)
        for (number, id) in ["e1", "e2", "e3"].enumerated() {
            try world.run(
                .setParams, #"{"entry":"\#(id)","params":{"n":\#(number)},"mode":"replace"}"#)
        }
        #expect(world.picture == #"main* [x{"n":0}] | s{"n":1} [u{"n":2}]"#)
    }

    @Test(arguments: ["e9", "other", "nope", ""])
    func `an entry that is not there is not found`(_ name: String) throws {
        #expect(
            try world().refusal(.setParams, #"{"entry":"\#(name)","params":{}}"#)
                == .entryNotFound(name))
    }

    @Test(arguments: [#"{"params":{"n":1}}"#, #"{"entry":"main","params":{"n":1}}"#])
    func `the params of a tab's root are set like those of an entry`(_ body: String) throws {
        var world = try World()
        let answer = try world.run(.setParams, body)
        #expect(answer.added.isEmpty && answer.removed.isEmpty)
        #expect(world.session.state.tabs[0].root?.params.object == JSONObject([("n", .integer(1))]))
        #expect(try world.run(.setParams, body).reason == .sameEntry)
        try world.run(.setParams, #"{"params":{"n":null}}"#)
        #expect(world.session.state.tabs[0].root == nil, "as it was declared")
    }

    @Test func `the merged params have the size that all have`() throws {
        var world = try World()
        world.limits.paramsBytesMax = 12
        try world.run(.navigate, #"{"route":"x","params":{"a":1}}"#)
        let refusal = try world.refusal(.setParams, #"{"params":{"b":123}}"#)
        #expect(refusal.problem == "limit-exceeded")
        #expect(refusal.pointers == ["/params"])
    }
}

@Suite struct SetBadgeTests {
    static let examples: [(badge: String, shown: String)] = [
        ("3", "#3"), ("3.0", "#3"), ("9223372036854775807", "#9223372036854775807"),
        (#""new""#, "#new"), (#""0""#, "#0"), ("0", ""), ("0.0", ""), ("-0", ""), ("null", ""),
    ]

    @Test(arguments: examples)
    func `a badge is a number or a short text; 0 and null remove it`(
        _ badge: String, _ shown: String
    ) throws {
        var world = try World(tabs: ["a", "b"])
        try world.run(.setBadge, #"{"tab":"b","badge":7}"#)
        try world.run(.setBadge, #"{"tab":"b","badge":\#(badge)}"#)
        #expect(world.picture == "a* [] b\(shown) []")
        #expect(
            try world.run(.setBadge, #"{"tab":"b","badge":\#(badge)}"#).reason == .alreadyThere)
    }

    @Test func `a tab that is not there is not found`() throws {
        #expect(
            try World().refusal(.setBadge, #"{"tab":"x","badge":1}"#).problem == "tab-not-found")
    }
}
