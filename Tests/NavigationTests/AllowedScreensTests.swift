import JSON
import Navigation
import Testing

/// Routes that a token may show, where roots, dialogs and locks are concerned.
@Suite struct AllowedScreensTests {
    /// The tab b has a root with params, which begin with `{"sort":"new"}`.
    private static let document = #"""
        {"id":"screens",
         "routes":{
          "home":{},"talk":{},"shop":{"params":{"type":"object"}},
          "sure":{"presentation":"alert","title":"Sure?"}},
         "tabs":[{"id":"a","root":"home","routes":["talk"]},
                 {"id":"b","root":{"route":"shop","params":{"sort":"new"}},"routes":["talk"]}]}
        """#

    private func world(
        _ list: [String], after commands: [(CommandName, String)] = []
    ) throws -> World {
        var world = try World(app: app(Self.document))
        for (name, body) in commands { try world.run(name, body) }
        world.allowed = try AllowedRoutesTests.allowed(list, in: world.app)
        return world
    }

    private static let search: [(CommandName, String)] = [
        (.select, #"{"tab":"b","params":{"q":"tea"}}"#)
    ]
    private static let dialog: (CommandName, String) = (
        .present, #"{"style":"alert","title":"?"}"#
    )

    struct Case: Sendable, CustomTestStringConvertible {
        var name: CommandName
        var body: String
        /// The route because of which it is refused.
        var route: String
        /// The commands before.
        var before: [(CommandName, String)] = []
        var testDescription: String { "\(name) \(body) after \(before)" }
    }

    static let refusals: [Case] = [
        Case(name: .setParams, body: #"{"entry":"b","params":{"q":1}}"#, route: "shop"),
        Case(name: .setParams, body: #"{"params":{"q":1}}"#, route: "shop", before: search),
        Case(name: .select, body: #"{"tab":"b"}"#, route: "shop"),
        Case(name: .select, body: #"{"tab":"b","params":{}}"#, route: "shop", before: search),
        Case(name: .select, body: #"{"tab":"b","mark":"m"}"#, route: "shop", before: search),
        Case(name: .back, body: #"{"to":{"entry":"b"}}"#, route: "shop"),
        Case(
            name: .undo, body: "{}", route: "shop",
            before: search + [(.root, #"{"scope":"all"}"#)]),
        Case(name: .redo, body: "{}", route: "shop", before: search + [(.undo, "{}")]),
        Case(name: .present, body: dialog.1, route: "alert"),
        Case(name: .present, body: #"{"style":"alert","route":"sure"}"#, route: "sure"),
        Case(name: .navigate, body: #"{"route":"talk","in":"b","select":false}"#, route: "talk"),
    ]

    @Test(arguments: refusals)
    func `roots and dialogs count by their routes`(_ example: Case) throws {
        let world = try world(["home"], after: example.before)
        #expect(
            try world.refusal(example.name, example.body)
                == .routeNotPermitted(
                    RouteName(trusted: example.route), allowed: [RouteName(trusted: "home")]))
    }

    static let carriedOut: [Case] = [
        // Taking away, also of params.
        Case(name: .root, body: #"{"scope":"all"}"#, route: "", before: search),
        Case(name: .undo, body: "{}", route: "", before: search),
        Case(name: .dismiss, body: "{}", route: "", before: [dialog]),
        Case(name: .back, body: "{}", route: "", before: [dialog]),
        Case(name: .select, body: #"{"tab":"a"}"#, route: "", before: search),
        Case(
            name: .select, body: #"{"tab":"b","root":true}"#, route: "",
            before: search + [(.navigate, #"{"route":"talk"}"#)]),
        // A lock shows nothing.
        Case(
            name: .setParams, body: #"{"entry":"e1","locked":true}"#, route: "",
            before: [(.navigate, #"{"route":"talk"}"#)]),
    ]

    @Test(arguments: carriedOut)
    func `roots and dialogs are taken away, whatever they are`(_ example: Case) throws {
        var world = try world(["home"], after: example.before)
        #expect(try world.run(example.name, example.body).changed)
    }

    @Test func `a path is changed beneath what is shown`() throws {
        var world = try world(["talk", "alert"], after: [Self.dialog])
        #expect(try world.run(.navigate, #"{"route":"talk","in":"b","select":false}"#).changed)
        #expect(world.picture == "a* [] b [talk] | alert []")
        #expect(try world.run(.select, #"{"tab":"b"}"#).changed)
    }
}
