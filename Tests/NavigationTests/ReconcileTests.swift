import JSON
import Navigation
import Testing

@Suite struct ReconcileTests {
    private static let old = #"""
        {"routes":{
          "x":{},"y":{"params":{"properties":{"n":{"type":"integer"}}}},
          "s":{"presentation":"any","routes":["x","y"]},"t":{"presentation":"any"}},
         "tabs":[{"id":"a","routes":["x","y"]},{"id":"b","routes":["x","y"]}]}
        """#

    /// `a [x, y{"n":1}, x] b* [x] | s [x, y] t [x]`: e1 e2 e3, e4, e5 with e6 e7, e8 with e9.
    private func world() throws -> World {
        var world = try World(app: app(Self.old))
        for route in ["x", "y", "x"] {
            let params = route == "y" ? #"{"n":1}"# : "{}"
            try world.run(.navigate, #"{"route":"\#(route)","params":\#(params)}"#)
        }
        try world.run(.navigate, #"{"route":"x","in":"b"}"#)
        try world.run(.present, #"{"route":"s","path":[{"route":"x"},{"route":"y"}]}"#)
        try world.run(.present, #"{"route":"t","path":[{"route":"x"}]}"#)
        return world
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var routes: String
        var tabs: String
        var dropped: [String]
        var picture: String
        var testDescription: String { name }
    }

    private static let s = #""s":{"presentation":"any","routes":["x","y"]}"#
    private static let t = #""t":{"presentation":"any"}"#
    private static let y = #""y":{"params":{"properties":{"n":{"type":"integer"}}}}"#
    /// The sheet that was presented by the one below it.
    private static let orphans = ["e8 t presenter-gone", "e9 x presenter-gone"]
    private static let tabs =
        #"{"id":"a","routes":["x","y"]},{"id":"b","routes":["x","y"]}"#

    static let cases: [Case] = [
        Case(
            name: "a route is gone",
            routes: [#""x":{}"#, s, t].joined(separator: ",")
                .replacing("\"x\",\"y\"", "\"x\""),
            tabs: #"{"id":"a","routes":["x"]},{"id":"b","routes":["x"]}"#,
            dropped: [
                "e2 y route-gone", "e7 y route-gone", "e8 t presenter-gone", "e9 x presenter-gone",
            ],
            picture: "a [x, x] b* [x] | s [x]"),
        Case(
            name: "a route may not be pushed in a tab",
            routes: [#""x":{}"#, y, s, t].joined(separator: ","),
            tabs: #"{"id":"a","routes":["y"]},{"id":"b","routes":["x","y"]}"#,
            dropped: ["e1 x route-not-allowed-here", "e3 x route-not-allowed-here"],
            picture: #"a [y{"n":1}] b* [x] | s [x, y] t [x]"#),
        Case(
            name: "a route is not pushed any more",
            routes: [#""x":{"presentation":"sheet"}"#, y, s, t].joined(separator: ","), tabs: tabs,
            dropped: [1, 3, 4, 6, 9].map { "e\($0) x route-not-allowed-here" }
                + ["e5 s", "e7 y", "e8 t"].map { "\($0) presenter-gone" },
            picture: #"a [y{"n":1}] b* []"#),
        Case(
            name: "params no longer fit",
            routes: [
                #""x":{}"#, #""y":{"params":{"properties":{"n":{"type":"string"}}}}"#, s, t,
            ].joined(separator: ","), tabs: tabs,
            dropped: ["e2 y invalid-params"],
            picture: "a [x, x] b* [x] | s [x, y] t [x]"),
        Case(
            name: "params that a route does not take any more",
            routes: [#""x":{}"#, #""y":{}"#, s, t].joined(separator: ","), tabs: tabs,
            dropped: ["e2 y invalid-params"], picture: "a [x, x] b* [x] | s [x, y] t [x]"),
        Case(
            name: "a sheet's route is gone, with what was pushed on it",
            routes: [#""x":{}"#, y, t].joined(separator: ","), tabs: tabs,
            dropped: ["e5 s route-gone", "e6 x sheet-dropped", "e7 y sheet-dropped"] + orphans,
            picture: #"a [x, y{"n":1}, x] b* [x]"#),
        Case(
            name: "a sheet's style is not allowed any more",
            routes: [
                #""x":{}"#, y, #""s":{"presentation":"fullScreenCover","routes":["x","y"]}"#, t,
            ].joined(separator: ","), tabs: tabs,
            dropped: [
                "e5 s route-not-allowed-here", "e6 x sheet-dropped", "e7 y sheet-dropped",
            ] + orphans,
            picture: #"a [x, y{"n":1}, x] b* [x]"#),
        Case(
            name: "a sheet's own params no longer fit",
            routes: [
                #""x":{}"#, y, s,
                #""t":{"presentation":"any","params":{"required":["q"]}}"#,
            ].joined(separator: ","), tabs: tabs,
            dropped: ["e8 t invalid-params", "e9 x sheet-dropped"],
            picture: #"a [x, y{"n":1}, x] b* [x] | s [x, y]"#),
        Case(
            name: "a tab is gone, the others are in the new order",
            routes: [#""x":{}"#, y, s, t].joined(separator: ","),
            tabs: #"{"id":"c"},{"id":"a","routes":["x","y"]}"#,
            dropped: ["e4 x tab-gone", "e5 s presenter-gone"]
                + ["e6 x", "e7 y", "e8 t", "e9 x"].map { "\($0) presenter-gone" },
            picture: #"c* [] a [x, y{"n":1}, x]"#),
    ]

    @Test(arguments: cases)
    func `what no longer fits is dropped, and it is said why`(_ example: Case) throws {
        var world = try world()
        let replaced = try app(
            #"{"routes":{\#(example.routes)},"tabs":[\#(example.tabs)]}"#)
        let (answer, losses) = try #require(try world.reconcile(with: replaced))
        let dropped = losses.entries.map { "\($0.id.text) \($0.route) \($0.why.rawValue)" }
        #expect(dropped == example.dropped)
        #expect(Set(answer.removed.map(ScreenID.entry)) == Set(losses.entries.map(\.id)))
        #expect(answer.added.isEmpty)
        #expect(world.picture == example.picture)
        #expect(world.session.revision == 8)
        #expect(world.flaw == nil)
        #expect(try world.reconcile(with: replaced) == nil)
    }

    @Test func `a session that fits is left alone`() throws {
        var world = try world()
        let longer = Self.old.replacing(#""x":{}"#, #""x":{"title":"X"},"z":{}"#)
        #expect(try world.reconcile(with: try app(longer)) == nil)
    }

    @Test func `the selected tab stays selected wherever it stands`() throws {
        var world = try world()
        let replaced = try app(
            Self.old.replacing(
                #"{"id":"a","routes":["x","y"]},{"id":"b","routes":["x","y"]}"#,
                #"{"id":"c"},{"id":"b","routes":["x","y"]},{"id":"a","routes":["x","y"]}"#))
        let (_, losses) = try #require(try world.reconcile(with: replaced))
        #expect(losses == Losses())
        #expect(world.picture == #"c [] b* [x] a [x, y{"n":1}, x] | s [x, y] t [x]"#)
    }

    @Test func `undo leads to the old state as far as the app still allows it`() throws {
        var world = try world()
        try world.run(.root, #"{"scope":"all"}"#)
        let replaced = try app(
            #"{"routes":{"x":{}},"tabs":[{"id":"b","routes":["x"]},{"id":"c"}]}"#)
        _ = try #require(try world.reconcile(with: replaced))
        #expect(world.picture == "b* [] c []")
        try world.run(.undo)
        #expect(world.picture == "b* [x] c []")
        #expect(try world.reconcile(with: replaced) == nil)
        try world.run(.redo)
        #expect(world.picture == "b* [] c []")
    }

    @Test func `reconciling is no step of undo, and clears redo`() throws {
        var world = try world()
        try world.run(.undo)
        #expect(!world.session.undoing.redo.isEmpty)
        let steps = world.session.undoing.undo.count
        let replaced = try app(
            #"{"routes":{"x":{}},"tabs":[{"id":"b","routes":["x"]},{"id":"c"}]}"#)
        _ = try #require(try world.reconcile(with: replaced))
        #expect(world.session.undoing.undo.count == steps)
        #expect(world.session.undoing.redo.isEmpty)
        #expect(world.picture == "b* [x] c []")
        try world.run(.undo)
        #expect(world.picture == "b* [x] c []", "the sheet that was presented then is not allowed")
        try world.run(.undo)
        #expect(world.picture == "b* [] c []")
    }

    @Test func `params that a default makes complete still fit`() throws {
        var world = try World(app: app(#"{"routes":{"x":{}},"tabs":[{"id":"a","routes":["x"]}]}"#))
        try world.run(.navigate, #"{"route":"x"}"#)
        let replaced = try app(
            #"""
            {"routes":{"x":{"params":{"required":["n"],
             "properties":{"n":{"type":"integer","default":7}}}}},
             "tabs":[{"id":"a","routes":["x"]}]}
            """#)
        let (_, losses) = try #require(try world.reconcile(with: replaced))
        #expect(losses == Losses())
        #expect(world.picture == #"a* [x{"n":7}]"#)
    }
}

extension String {
    /// The text with the other one in the place of all occurrences.
    func replacing(_ part: String, _ other: String) -> String {
        var text = ""
        var rest = self[...]
        while let range = rest.firstRange(of: part) {
            text += rest[..<range.lowerBound] + other
            rest = rest[range.upperBound...]
        }
        return text + rest
    }
}
