import Bytes
import JSON
import Navigation
import TestSupport
import Testing

/// Routes that replace others.
@Suite struct ReplacedRoutesTests {
    private static let old = #"""
        {"routes":{"item":{"params":{"type":"object"}},"article":{},"plain":{},
                   "popup":{"presentation":"sheet","routes":["item","plain"]}},
         "tabs":[{"id":"t","routes":["item","article","plain"]}]}
        """#

    private func app(was: String, params: String = #"{"type":"object"}"#) throws -> App {
        try NavigationTests.app(
            #"""
            {"routes":{"product":{"was":\#(was),"params":\#(params)},"plain":{},
                       "window":{"was":{"popup":true},"presentation":"sheet","routes":["product"]}},
             "tabs":[{"id":"t","routes":["product","plain"]}]}
            """#)
    }

    /// `t [item{params}, plain] | popup [item{params}]`
    private func world(_ params: String) throws -> World {
        var world = try World(app: NavigationTests.app(Self.old))
        try world.run(.navigate, #"{"route":"item","params":\#(params),"mark":"m"}"#)
        try world.run(.navigate, #"{"route":"plain"}"#)
        try world.run(
            .present, #"{"route":"popup","tag":"p","path":[{"route":"item","params":\#(params)}]}"#)
        return world
    }

    private func moved(_ losses: Losses) -> [String] {
        losses.moved.map { item in
            guard case .entry(let id) = item.id else { return "?" }
            return "\(id) \(item.from) \(item.route)"
        }
    }

    @Test func `screens keep their ids, marks and places`() throws {
        var world = try world(#"{"id":"7"}"#)
        let (answer, losses) = try #require(
            try world.reconcile(with: app(was: #"{"item":{"sku":"{id}"},"article":true}"#)))
        #expect(moved(losses) == ["e1 item product", "e3 popup window", "e4 item product"])
        #expect(losses.entries.isEmpty && losses.tabs.isEmpty)
        #expect(answer.added.isEmpty && answer.removed.isEmpty)
        #expect(
            world.picture == #"t* [product{"sku":"7"}, plain] | window [product{"sku":"7"}]"#)
        let path = world.session.state.tabs[0].path
        #expect(path[0].id == EntryID(number: 1) && path[0].mark?.rawValue == "m")
        #expect(world.session.state.sheets[0].tag == "p")
        #expect(try world.reconcile(with: try #require(world.app)) == nil)
    }

    @Test func `a screen that is moved is checked as ever`() throws {
        var world = try world("{}")
        let app = try app(
            was: #"{"item":{"sku":"{id}"}}"#, params: #"{"type":"object","required":["sku"]}"#)
        let (_, losses) = try #require(try world.reconcile(with: app))
        #expect(moved(losses) == ["e1 item product", "e3 popup window", "e4 item product"])
        #expect(
            losses.entries.map { "\($0.id.text) \($0.route) \($0.why.rawValue)" }
                == ["e1 product invalid-params", "e4 product invalid-params"])
        #expect(world.picture == "t* [plain] | window []")
    }

    @Test func `defaults fill what is made`() throws {
        var world = try world("{}")
        let app = try app(
            was: #"{"item":{"sku":"{id}"}}"#,
            params: #"{"properties":{"sku":{"default":"none"}},"required":["sku"]}"#)
        #expect(try world.reconcile(with: app)?.losses.entries.isEmpty == true)
        #expect(
            world.picture == #"t* [product{"sku":"none"}, plain] | window [product{"sku":"none"}]"#)
    }

    static let params: [(was: String, old: String, new: String)] = [
        ("true", #"{"id":"7"}"#, #"{"id":"7"}"#),
        ("{}", #"{"id":"7"}"#, "{}"),
        (#"{"a":"{id}"}"#, #"{"id":{"x":[1]}}"#, #"{"a":{"x":[1]}}"#),
        (#"{"a":"{id}"}"#, #"{"id":null}"#, #"{"a":null}"#),
        (#"{"a":"{id}","b":1}"#, "{}", #"{"b":1}"#),
        (#"{"a":"{c.id}"}"#, #"{"c":{"id":1.5}}"#, #"{"a":1.5}"#),
        (#"{"a":"{l.1}{l.0}"}"#, #"{"l":[1,true]}"#, #"{"a":"true1"}"#),
        (#"{"a":"{l.01}","b":"{l.2}","c":"{l.x}"}"#, #"{"l":[1,2]}"#, "{}"),
        (#"{"a":"n-{id}"}"#, #"{"id":"7"}"#, #"{"a":"n-7"}"#),
        (#"{"a":"n-{id}","b":["{id}","{no}","x"]}"#, #"{"id":{}}"#, #"{"b":[{},"x"]}"#),
        (#"{"a":"n-{id}"}"#, #"{"id":null}"#, "{}"),
        (#"{"a":"{} {a b} {a..b} {.a} {"}"#, #"{"a":1}"#, #"{"a":"{} {a b} {a..b} {.a} {"}"#),
        (#"{"a":{"b":["{id}",null,true]}}"#, #"{"id":"{id}"}"#, #"{"a":{"b":["{id}",null,true]}}"#),
        (#"{"a":"{name}"}"#, #"{"name":"é"}"#, #"{"a":"é"}"#),
    ]

    @Test(arguments: params)
    func `params are made from the old ones`(
        _ example: (was: String, old: String, new: String)
    ) throws {
        var world = try world(example.old)
        _ = try world.reconcile(with: app(was: #"{"item":\#(example.was)}"#))
        let made = world.session.state.tabs[0].path[0].params.object
        #expect(made == (try object(example.new)), "\(JSON.object(made).text)")
    }

    @Test func `params that would become too large drop the screen with its old route`() throws {
        let long = String(repeating: "x", count: 40_000)
        var world = try world(#"{"id":"\#(long)"}"#)
        let twice = try app(was: #"{"item":{"a":"{id}","b":"{id}"}}"#)
        let losses = try #require(try world.reconcile(with: twice)).losses
        #expect(
            losses.entries.map { "\($0.route) \($0.why.rawValue)" }
                == ["item route-gone", "item route-gone"])
        #expect(moved(losses) == ["e3 popup window"])
    }

    @Test func `making params is work of the request`() throws {
        let long = String(repeating: "x", count: 60_000)
        let world = try world(#"{"id":"\#(long)"}"#)
        let items = (0..<2000).map { #""a\#($0)":"{id}""# }.joined(separator: ",")
        let app = try app(was: #"{"item":{\#(items)}}"#)
        var editor = SessionEditor(
            world.session, rules: Rules(app: app, limits: Limits(), work: WorkBudget()))
        #expect(throws: WorkBudgetError.self) { try editor.reconcile(at: World.noon) }
    }

    @Test func `a restore moves what an older export has`() throws {
        let app = try app(was: #"{"item":{"sku":"{id}"}}"#)
        let body = #"""
            {"app":"test","tabs":[{"id":"t","path":[{"id":"e4","route":"item","params":{"id":1}},
             {"route":"item","params":{"id":2}}]}],"moved":[]}
            """#
        let restored = try restore(body).state(nextEntry: 1, app: app)
            .reconciled(with: app, work: WorkBudget())
        #expect(moved(restored.losses) == ["e4 item product", "e5 item product"])
        #expect(restored.isWhole)
        var world = try World(app: app)
        #expect(try world.restore(restored, SessionSettings()) != nil)
        #expect(world.picture == #"t* [product{"sku":1}, product{"sku":2}]"#)
        #expect(try world.restore(restored, SessionSettings()) == nil)
    }

    @Test func `roots and dialogs move, and locks stay`() throws {
        let old = #"""
            {"routes":{"explore":{"params":{"type":"object"}},"item":{},
                       "sure":{"presentation":"alert","title":"?"}},
             "tabs":[{"id":"t","root":"explore","routes":["item"]},{"id":"u"}]}
            """#
        var world = try World(app: NavigationTests.app(old))
        try world.run(.select, #"{"tab":"t","params":{"q":"tea"}}"#)
        try world.run(.navigate, #"{"route":"item","locked":true}"#)
        try world.run(.present, #"{"route":"sure"}"#)
        let new = #"""
            {"routes":{"discover":{"was":{"explore":{"query":"{q}"}},"params":{"type":"object"}},
                       "product":{"was":{"item":true}},
                       "really":{"was":{"sure":true},"presentation":"alert","title":"?"}},
             "tabs":[{"id":"t","root":"discover","routes":["product"]},{"id":"u"}]}
            """#
        let losses = try #require(try world.reconcile(with: NavigationTests.app(new))).losses
        #expect(losses.moved.map(\.id.text) == ["t", "e1", "e2"])
        #expect(losses.moved.map(\.from.rawValue) == ["explore", "item", "sure"])
        #expect(losses.entries.isEmpty)
        let tab = try #require(world.json.objects("tabs").first)
        #expect(tab.object("root")["params"]?.text == #"{"query":"tea"}"#)
        #expect(tab.object("root").string("route") == "discover")
        #expect(tab.objects("path").first?.flag("locked") == true)
        #expect(world.json.objects("sheets").first?.string("route") == "really")
    }

    @Test func `a root whose route moves elsewhere is as the app declares it`() throws {
        let old = #"""
            {"routes":{"explore":{"params":{"type":"object"}}},
             "tabs":[{"id":"t","root":"explore"}]}
            """#
        var world = try World(app: NavigationTests.app(old))
        try world.run(.select, #"{"tab":"t","params":{"q":"tea"}}"#)
        let new = #"""
            {"routes":{"home":{},"find":{"was":{"explore":true},"params":{"type":"object"}}},
             "tabs":[{"id":"t","root":"home","routes":["find"]}]}
            """#
        let losses = try #require(try world.reconcile(with: NavigationTests.app(new))).losses
        #expect(losses.moved.map(\.route.rawValue) == ["find"])
        #expect(losses.entries.map(\.why) == [.routeNotAllowedHere])
        #expect(losses.entries.map(\.route.rawValue) == ["find"])
        #expect(world.json.objects("tabs").first?["root"] == nil)
    }

    @Test func `undo brings back screens with their new route`() throws {
        var world = try world(#"{"id":"7"}"#)
        try world.run(.root, #"{"scope":"all"}"#)
        let app = try app(was: #"{"item":{"sku":"{id}"}}"#)
        _ = try world.reconcile(with: app)
        try world.run(.undo)
        #expect(
            world.picture == #"t* [product{"sku":"7"}, plain] | window [product{"sku":"7"}]"#)
    }

    @Test func `pending commands are not moved`() throws {
        let routes = #""in":{"presentation":"sheet"},"old":{"guard":"g"}"#
        let rest =
            #""facts":{"f":{"default":false}},"guards":{"g":{"when":{"f":true},"instead":{"command":"present","route":"in"}}}"#
        var world = try World(
            app: NavigationTests.app(
                #"{\#(rest),"routes":{\#(routes)},"tabs":[{"id":"t","routes":["old"]}]}"#))
        try world.run(.navigate, #"{"route":"old"}"#)
        let new = routes.replacing(#""old":{"#, with: #""new":{"was":{"old":true},"#)
        let app = try NavigationTests.app(
            #"{\#(rest),"routes":{\#(new)},"tabs":[{"id":"t","routes":["new"]}]}"#)
        #expect(try world.reconcile(with: app) == nil)
        #expect(try world.run(.setFacts, #"{"facts":{"f":true}}"#).guarded.refused != nil)
    }

    @Test(arguments: [
        (#"{"a":{},"b":{"was":{"a":true}}}"#, "/routes/b/was/a"),
        (#"{"b":{"was":{"b":true}}}"#, "/routes/b/was/b"),
        (#"{"b":{"was":{"a":true}},"c":{"was":{"a":{}}}}"#, "/routes/c/was/a"),
        (#"{"b":{"was":{"a":false}}}"#, "/routes/b/was/a"),
        (#"{"b":{"was":{"a":"x"}}}"#, "/routes/b/was/a"),
        (#"{"b":{"was":{"a/b":true}}}"#, "/routes/b/was/a~1b"),
        (#"{"b":{"was":["a"]}}"#, "/routes/b/was"),
        (#"{"b":{"was":true}}"#, "/routes/b/was"),
    ])
    func `what cannot be replaced is a fault of the app`(
        _ routes: String, _ pointer: String
    ) throws {
        let report = try report(#"{"routes":\#(routes),"tabs":[{"id":"t","routes":["b"]}]}"#)
        #expect(report.app == nil)
        #expect(report.errors.map(\.pointer) == [pointer])
    }
}
