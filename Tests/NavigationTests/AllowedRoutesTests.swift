import JSON
import Navigation
import TestSupport
import Testing

/// Commands that come with a token which may show some routes only.
@Suite struct AllowedRoutesTests {
    /// May be shown: x and y, which are the group ok, and s. Not: f and g.
    static let document = #"""
        {"id":"limited","facts":{"in":{"default":false}},
         "guards":{"in":{"when":{"in":true},"instead":{"command":"present","route":"g"}},
                   "shut":{"when":{"in":1}}},
         "groups":{"ok":["x","y"],"none":[]},
         "routes":{
          "home":{},"f":{"params":{"type":"object"}},"x":{"params":{"type":"object"}},
          "y":{"guard":"in"},"z":{"guard":"in"},"v":{"guard":"shut"},"w":{"guard":"shut"},
          "s":{"presentation":"any","routes":["x","f"]},"g":{"presentation":"any"}},
         "tabs":[{"id":"a","root":"home","routes":["x","y","z","v","w","f","s"]},
                 {"id":"b","routes":["x","f"]},{"id":"c","root":"x","routes":["f","x"]}],
         "links":[{"pattern":"app://x","tab":"a","path":["x"]},
                  {"pattern":"app://f","tab":"a","path":["x","f"]},
                  {"pattern":"app://s","tab":"c","present":{"route":"s","path":["f"]}}]}
        """#

    static func allowed(_ list: [String], in app: App?) throws -> AllowedRoutes {
        try AllowedRoutes(list.compactMap { RouteSelector($0) }, in: app, work: WorkBudget())
    }

    private func world(_ list: [String] = ["@ok", "s", "v"]) throws -> World {
        let app = try app(Self.document)
        var world = try World(app: app)
        world.allowed = try Self.allowed(list, in: app)
        return world
    }

    /// Carries commands out that come with no limited token.
    private func prepare(_ world: inout World, _ commands: [(CommandName, String)]) throws {
        let allowed = world.allowed
        world.allowed = nil
        for (name, body) in commands { try world.run(name, body) }
        world.allowed = allowed
    }

    private func refused(_ route: String, _ world: World) -> RejectionError {
        .routeNotPermitted(RouteName(trusted: route), allowed: world.allowed?.names ?? [])
    }

    @Test func `a group stands for its routes in the order of their declaration`() throws {
        let app = try app(Self.document)
        let names = try Self.allowed(["s", "@ok", "x", "@gone"], in: app).names
        #expect(names.map(\.rawValue) == ["s", "x", "y"])
        #expect(try Self.allowed(["@none"], in: app).names.isEmpty)
        #expect(try Self.allowed(["f", "@ok"], in: nil).names.map(\.rawValue) == ["f"])
    }

    @Test func `what can be shown is known, declared or not`() throws {
        let app = try app(Self.document)
        for name in ["x", "@ok", "@none", "b", "home", "alert", "confirmationDialog"] {
            #expect(app.knows(try #require(RouteSelector(name))), "\(name)")
        }
        for name in ["a", "ok", "@x", "popover"] {
            #expect(!app.knows(try #require(RouteSelector(name))), "\(name)")
        }
        for text in ["", "@", "@@ok", "x y", "@ok,x"] { #expect(RouteSelector(text) == nil) }
        #expect(app.near(try #require(RouteSelector("@okk")), work: WorkBudget()) == ["@ok"])
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: CommandName
        var body: String
        /// The route because of which it is refused.
        var route: String
        /// The commands before.
        var before: [(CommandName, String)] = []
        var testDescription: String { "\(name) \(body) after \(before)" }
    }

    static let pushF: (CommandName, String) = (.navigate, #"{"route":"f"}"#)
    static let pushX: (CommandName, String) = (.navigate, #"{"route":"x"}"#)

    static let refusals: [Case] = [
        Case(name: .navigate, body: #"{"route":"f"}"#, route: "f"),
        Case(name: .navigate, body: #"{"route":"f","in":"b"}"#, route: "f"),
        Case(name: .navigate, body: #"{"route":"f","mode":"reset"}"#, route: "f"),
        Case(name: .navigate, body: #"{"route":"w"}"#, route: "w"),
        Case(name: .present, body: #"{"route":"g"}"#, route: "g"),
        Case(name: .present, body: #"{"route":"s","path":[{"route":"f"}]}"#, route: "f"),
        Case(name: .open, body: #"{"url":"app://f"}"#, route: "f"),
        Case(name: .open, body: #"{"url":"app://s"}"#, route: "f"),
        Case(name: .setPath, body: #"{"in":"b","path":[{"route":"f"},{"route":"x"}]}"#, route: "f"),
        Case(name: .select, body: #"{"tab":"b"}"#, route: "b"),
        // Params and marks, whatever gives them.
        Case(name: .setParams, body: #"{"params":{"n":1}}"#, route: "f", before: [pushF]),
        Case(
            name: .navigate, body: #"{"route":"f","params":{"n":1},"mode":"single"}"#, route: "f",
            before: [pushF]),
        Case(
            name: .navigate, body: #"{"route":"f","mode":"popTo","mark":"m"}"#, route: "f",
            before: [pushF, pushX]),
        // A sheet that is beneath is not brought to the top.
        Case(
            name: .navigate, body: #"{"route":"f","mode":"toFront"}"#, route: "f",
            before: [pushF, pushX]),
        Case(
            name: .setPath,
            body: #"{"in":"a","path":[{"route":"x","id":"e2"},{"route":"f","id":"e1"}]}"#,
            route: "f", before: [pushF, pushX]),
        // Steps back in time.
        Case(name: .undo, body: "{}", route: "f", before: [pushF, (.back, "{}")]),
        Case(name: .redo, body: "{}", route: "f", before: [pushF, (.undo, "{}")]),
        Case(name: .undo, body: "{}", route: "home", before: [(.select, #"{"tab":"c"}"#)]),
        // A tab with another screen on top, also beneath a sheet that may be shown.
        Case(
            name: .select, body: #"{"tab":"c"}"#, route: "f",
            before: [(.navigate, #"{"route":"f","in":"c"}"#), (.select, #"{"tab":"a"}"#)]),
        Case(
            name: .select, body: #"{"tab":"b","sheets":"keep"}"#, route: "b",
            before: [(.present, #"{"route":"s"}"#)]),
        Case(
            name: .batch,
            body:
                #"{"commands":[{"command":"navigate","route":"x"},{"command":"navigate","route":"f"},{"command":"back"}]}"#,
            route: "f"),
    ]

    @Test(arguments: refusals)
    func `a command that would show another route is refused`(_ example: Case) throws {
        var world = try world()
        try prepare(&world, example.before)
        var refusal = try world.refusal(example.name, example.body)
        if case .inBatch(_, let inner) = refusal { refusal = inner }
        #expect(refusal == refused(example.route, world))
    }

    static let carriedOut: [Case] = [
        Case(name: .navigate, body: #"{"route":"x"}"#, route: ""),
        Case(name: .navigate, body: #"{"route":"x"}"#, route: "", before: [pushF]),
        Case(name: .navigate, body: #"{"route":"x","in":"c"}"#, route: ""),
        Case(name: .present, body: #"{"route":"s","path":[{"route":"x"}]}"#, route: ""),
        Case(name: .open, body: #"{"url":"app://x"}"#, route: ""),
        Case(name: .select, body: #"{"tab":"c"}"#, route: ""),
        // Taking away shows what was beneath.
        Case(name: .back, body: "{}", route: "", before: [pushF, pushX]),
        Case(name: .root, body: "{}", route: "", before: [pushX]),
        Case(
            name: .dismiss, body: "{}", route: "", before: [pushF, (.present, #"{"route":"s"}"#)]),
        Case(
            name: .navigate, body: #"{"route":"f","mode":"popTo"}"#, route: "",
            before: [pushF, pushX]),
        Case(
            name: .setPath, body: #"{"in":"a","path":[{"route":"f","id":"e1"}]}"#, route: "",
            before: [pushF, pushX]),
        Case(
            name: .setPath, body: #"{"in":"a","path":[{"route":"f","id":"e1"},{"route":"x"}]}"#,
            route: "",
            before: [pushF, pushX]),
        Case(name: .undo, body: "{}", route: "", before: [pushF, pushX]),
        // Another entry may be moved over one that may not be shown.
        Case(
            name: .navigate, body: #"{"route":"x","mode":"toFront"}"#, route: "",
            before: [pushX, pushF]),
        Case(name: .setBadge, body: #"{"tab":"b","badge":1}"#, route: ""),
        Case(name: .setTabs, body: #"{"order":["c","b","a"],"hidden":["b"]}"#, route: ""),
        Case(
            name: .batch,
            body: #"{"commands":[{"command":"back"},{"command":"navigate","route":"x"}]}"#,
            route: "", before: [pushF]),
    ]

    @Test(arguments: carriedOut)
    func `a command that shows no other route is carried out`(_ example: Case) throws {
        var world = try world()
        try prepare(&world, example.before)
        #expect(try world.run(example.name, example.body).changed)
    }

    @Test func `what has no effect is not refused`() throws {
        var world = try world()
        try prepare(&world, [Self.pushF])
        let answer = try world.run(.navigate, #"{"route":"f","mode":"single"}"#)
        #expect(answer.reason == .sameEntry)
    }

    @Test func `a command that a guard holds back is judged as if the guard held`() throws {
        var world = try world()
        #expect(try world.refusal(.navigate, #"{"route":"z"}"#) == refused("z", world))
        guard case .guarded = try world.refusal(.navigate, #"{"route":"v"}"#) else {
            Issue.record("the guard does not decide")
            return
        }
        // The guard's `instead` is not asked, and neither is the resumed command.
        #expect(try world.run(.navigate, #"{"route":"y"}"#).guarded.held != nil)
        #expect(world.picture == "a* [] b [] c [] | g []")
        #expect(try world.run(.setFacts, #"{"facts":{"in":true}}"#).guarded.resumed != nil)
        #expect(world.picture == "a* [y] b [] c []")
        world = try self.world(["x"])
        try prepare(&world, [(.navigate, #"{"route":"y"}"#)])
        try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        #expect(world.picture == "a* [y] b [] c []")
        #expect(try world.refusal(.navigate, #"{"route":"y"}"#) == refused("y", world))
    }

    @Test func `a step back to another tab is asked`() throws {
        let document = Self.document.replacing(#""id":"limited","#, with: #""tabBack":"first","#)
        var world = try World(app: app(document))
        world.allowed = try Self.allowed(["x"], in: world.app)
        try prepare(&world, [(.select, #"{"tab":"c"}"#)])
        #expect(try world.refusal(.back) == refused("home", world))
        world.allowed = try Self.allowed(["x", "home"], in: world.app)
        #expect(try world.run(.back).changed)
    }

    @Test func `comparing the states is work of the request`() throws {
        var world = try world()
        try prepare(&world, (0..<100).map { _ in Self.pushX })
        let work = WorkBudget(units: 1200)
        var rules = Rules(app: world.app, limits: Limits(), work: work)
        rules.routes = world.allowed
        var editor = SessionEditor(world.session, rules: rules)
        #expect(throws: RejectionError.tooMuchWork(.request)) {
            try editor.carryOut(.navigate(Navigate(route: RouteName(trusted: "x"))), at: World.noon)
        }
    }

    // MARK: - The law

    private static let routes = ["x", "y", "f", "s", "g", "z"]

    private func randomCommand(_ dice: inout SplitMix64) -> (CommandName, String) {
        func route() -> String { dice.one(of: Self.routes) }
        func params() -> String { dice.oneIn(2) ? "{}" : #"{"n":\#(dice.below(2))}"# }
        func path() -> String {
            let items = (0..<dice.below(4)).map { _ in
                let id = dice.oneIn(2) ? "" : #","id":"e\#(1 + dice.below(12))""#
                return #"{"route":"\#(dice.one(of: ["x", "f"]))"\#(id)}"#
            }
            return "[\(items.joined(separator: ","))]"
        }
        let tab = dice.one(of: ["a", "b", "c"])
        switch dice.below(16) {
        case 0, 1:
            let mode = dice.one(of: NavigationMode.allCases).rawValue
            let target = dice.oneIn(2) ? "active" : tab
            let rest = #""in":"\#(target)","mode":"\#(mode)","select":\#(dice.oneIn(2))"#
            return (.navigate, #"{"route":"\#(route())","params":\#(params()),\#(rest)}"#)
        case 2: return (.back, #"{"count":\#(1 + dice.below(3))}"#)
        case 3: return (.root, #"{"scope":"\#(dice.one(of: ["tab", "path", "all"]))"}"#)
        case 4: return (.present, #"{"route":"\#(route())","tag":"\#(dice.below(2))"}"#)
        case 5: return (.dismiss, "{}")
        case 6:
            return (.select, #"{"tab":"\#(tab)","sheets":"\#(dice.one(of: ["keep", "dismiss"]))"}"#)
        case 7: return (.open, #"{"url":"app://\#(dice.one(of: ["x", "f", "s"]))"}"#)
        case 8: return (.setPath, #"{"in":"\#(tab)","path":\#(path())}"#)
        case 9: return (.setParams, #"{"params":\#(params())}"#)
        case 10: return (.undo, "{}")
        case 11: return (.setParams, #"{"entry":"\#(tab)","params":\#(params())}"#)
        case 12:
            let rest = #""params":\#(params()),"root":\#(dice.oneIn(2))"#
            return (.select, #"{"tab":"\#(tab)",\#(dice.oneIn(2) ? rest : #""mark":"m""#)}"#)
        case 13:
            return (.back, #"{"to":{"entry":"\#(dice.oneIn(2) ? tab : "e\(dice.below(9))")"}}"#)
        case 14: return (.present, #"{"style":"alert","title":"?","tag":"0"}"#)
        default: return (.redo, "{}")
        }
    }

    /// All screens with their containers, in order.
    private func screens(_ state: NavigationState) -> [(place: String, entry: Entry)] {
        state.tabs.flatMap { tab in tab.path.map { ("tab \(tab.id)", $0) } }
            + state.sheets.flatMap { sheet in
                [("sheet", sheet.root)] + sheet.path.map { ("on \(sheet.id)", $0) }
            }
    }

    /// Why the step shows something else, by another definition than that of the rule: a screen
    /// that may not be shown was there with the same content, and is visible only if all over it is
    /// gone.
    private func flaw(_ before: World, _ after: World) -> String? {
        let allowed = after.allowed
        func isAllowed(_ route: RouteName) -> Bool { allowed?.contains(route) ?? true }
        let (old, new) = (screens(before.session.state), screens(after.session.state))
        for (place, entry) in new where !isAllowed(entry.route) {
            guard old.contains(where: { $0.place == place && $0.entry == entry }) else {
                return "\(entry.id) is new"
            }
        }
        let state = after.session.state
        for tab in state.tabs {
            guard let root = tab.root, !isAllowed(root.route) else { continue }
            let was = before.session.state.tabs.first { $0.id == tab.id }?.root
            if was != root { return "the root of \(tab.id)" }
        }
        // The last screen of each container is on top of it, whether anyone sees it or not.
        let tops = Dictionary(new.map { ($0.place, $0.entry) }) { $1 }
        for (place, top) in tops where !isAllowed(top.route) {
            let ids = new.map(\.entry.id)
            let over = old.filter { $0.place == place }.map(\.entry.id)
                .drop { $0 != top.id }.dropFirst()
            if over.contains(where: ids.contains) { return "\(top.id) was beneath another entry" }
        }
        let tab = state.tabs[state.selected].id
        guard tab != before.session.state.tabs[before.session.state.selected].id else { return nil }
        let selected = state.tabs[state.selected]
        let route = selected.path.last?.route ?? after.app.root(of: selected).route
        return isAllowed(route) ? nil : "the tab \(tab)"
    }

    @Test(.seeded) func `a limited token shows no screen of another route`() throws {
        var dice = SplitMix64()
        for round in SplitMix64.worlds(150) {
            let lists = [["@ok", "s"], ["x", "home", "g"], ["home", "y", "alert"]]
            var world = try world(dice.one(of: lists))
            if dice.oneIn(2) { world.session.facts = try facts(true) }
            let limits = world.allowed
            for _ in 0..<30 {
                let (name, body) = randomCommand(&dice)
                let isLimited = dice.oneIn(2)
                world.allowed = isLimited ? limits : nil
                let before = world
                let answer = try? world.run(name, body)
                world.allowed = limits
                // The `instead` of a guard is not asked.
                guard isLimited, answer?.guarded.held == nil, let flaw = flaw(before, world) else {
                    continue
                }
                Issue.record("round \(round): \(name) \(body): \(flaw) in \(before.picture)")
                return
            }
        }
    }

    @Test(.seeded) func `what shows allowed routes alone is never refused`() throws {
        var dice = SplitMix64(stream: 1)
        for _ in SplitMix64.worlds(100) {
            var world = try world(["x", "home"])
            world.session.facts = try facts(true)
            let limits = world.allowed
            for _ in 0..<20 {
                let (name, body) = randomCommand(&dice)
                world.allowed = nil
                guard let free = try? world.trial(name, body) else { continue }
                world.allowed = limits
                let limited = try? world.trial(name, body)
                var after = world
                after.adopt(free)
                if flaw(world, after) == nil {
                    #expect(limited?.session == free.session, "\(name) \(body) in \(world.picture)")
                } else {
                    #expect(limited == nil, "\(name) \(body) in \(world.picture)")
                }
                world = after
            }
        }
    }

    private func facts(_ value: Bool) throws -> Facts {
        Facts([(try #require(FactName("in")), .bool(value))])
    }
}
