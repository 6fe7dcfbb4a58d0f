import JSON
import Navigation
import Testing

/// Reading an app's document: what is in it, and all that can be wrong with it.
@Suite struct AppReaderTests {
    @Test func `an app is read with its routes, groups and tabs in their order`() throws {
        let app = try app(
            #"""
            {"id":"chat","title":"Chat","$defs":{"Id":{"type":"string"}},
             "routes":{
              "list":{"title":"List","hidesTabBar":true},
              "detail":{"mode":"single","params":{"properties":{"id":{"$ref":"#/$defs/Id"}}}},
              "compose":{"presentation":"sheet","routes":["@people","help"]},
              "cover":{"presentation":"fullScreenCover"},
              "help":{"presentation":"any"}},
             "groups":{"people":["list","detail"]},
             "tabs":[{"id":"chats","title":"Chats","icon":"bubble","root":"home",
              "routes":["@people"]},{"id":"settings"}]}
            """#)
        #expect(app.id.rawValue == "chat")
        #expect(app.title == "Chat")
        #expect(app.routeOrder.map(\.rawValue) == ["list", "detail", "compose", "cover", "help"])
        let list = try #require(app.routes[RouteName(trusted: "list")])
        #expect(list.texts.title?.declared == "List")
        #expect(list.hidesTabBar)
        #expect(list.mode == nil)
        #expect(list.presentation == .push)
        let detail = try #require(app.routes[RouteName(trusted: "detail")])
        #expect(detail.mode == .single)
        #expect(detail.paramsDocument?.text == ##"{"properties":{"id":{"$ref":"#/$defs/Id"}}}"##)
        let compose = try #require(app.routes[RouteName(trusted: "compose")])
        #expect(names(compose.routes ?? []) == ["detail", "help", "list"])
        let tab = try #require(app.tabs.first)
        #expect(tab.title == "Chats")
        #expect(tab.icon == "bubble")
        #expect(tab.root.route.rawValue == "home")
        #expect(names(tab.routes) == ["detail", "list"])
        #expect(app.tabs.map(\.id.rawValue) == ["chats", "settings"])
        #expect(
            app.tabs.last?.root.route.rawValue == "settings", "a tab's root is the tab by default")
        #expect(names(app.presentable(.sheet)) == ["compose", "help"])
        #expect(names(app.presentable(.fullScreenCover)) == ["cover", "help"])
        let state = app.freshState
        #expect(names(app.pushable(in: .tab(0), state)) == ["detail", "list"])
        #expect(names(app.pushable(in: .tab(1), state)) == [])
    }

    private func names(_ routes: some Sequence<RouteName>) -> [String] {
        routes.map(\.rawValue).sorted()
    }

    @Test func `a sheet without a list of routes may push what the selected tab may`() throws {
        let app = try app(
            #"""
            {"routes":{"x":{},"y":{},"s":{"presentation":"sheet"}},
             "tabs":[{"id":"a","routes":["x"]},{"id":"b","routes":["y"]}]}
            """#)
        var world = try World(app: app)
        try world.run(.present, #"{"route":"s","path":[{"route":"x"}]}"#)
        #expect(try world.refusal(.navigate, #"{"route":"y"}"#).problem == "route-not-allowed-here")
        try world.run(.select, #"{"tab":"b"}"#)
        try world.run(.navigate, #"{"route":"y"}"#)
        #expect(world.picture == "a [] b* [] | s [x, y]")
    }

    // MARK: - Errors

    struct Case: Sendable, CustomTestStringConvertible {
        var document: String
        var pointers: [String]
        init(_ document: String, _ pointers: String...) {
            self.document = document
            self.pointers = pointers
        }
        var testDescription: String { document }
    }

    private static let tabs = #""tabs":[{"id":"a"}]"#

    static let wrong: [Case] = [
        Case("{}", "/tabs"),
        Case(#"{"tabs":[]}"#, "/tabs"),
        Case(#"{"tabs":{}}"#, "/tabs"),
        Case(#"{"tabs":[1]}"#, "/tabs/0"),
        Case(#"{"tabs":[{}]}"#, "/tabs/0/id"),
        Case(#"{"tabs":[{"id":"e1"},{"id":"active"}]}"#, "/tabs/0/id", "/tabs/1/id"),
        Case(#"{"tabs":[{"id":"a"},{"id":"a"}]}"#, "/tabs/1/id"),
        Case(#"{"tabs":[{"id":"a","root":"?","colour":"red"}]}"#, "/tabs/0/root", "/tabs/0/colour"),
        Case(#"{"tabs":[{"id":"a","routes":["x",1]}]}"#, "/tabs/0/routes/0", "/tabs/0/routes/1"),
        Case(#"{"tabs":[{"id":"a","routes":["@g"]}]}"#, "/tabs/0/routes/0"),
        Case(#"{"tabs":[{"id":"a","title":1,"icon":2}]}"#, "/tabs/0/title", "/tabs/0/icon"),
        Case(#"{"id":"?",\#(tabs)}"#, "/id"),
        Case(#"{"title":1,\#(tabs)}"#, "/title"),
        Case(#"{"route":{},\#(tabs)}"#, "/route"),
        Case(#"{"routes":[],\#(tabs)}"#, "/routes"),
        Case(
            #"{"routes":{"a b":{},"a/b":{},"x":1},\#(tabs)}"#,
            "/routes/a b", "/routes/a~1b", "/routes/x"),
        Case(
            #"{"routes":{"x":{"mode":"fly","presentation":"hover","hidesTabBar":1}},\#(tabs)}"#,
            "/routes/x/hidesTabBar", "/routes/x/presentation", "/routes/x/mode"),
        Case(#"{"routes":{"x":{"param":{}}},\#(tabs)}"#, "/routes/x/param"),
        Case(
            #"{"routes":{"x":{"presentation":"any","routes":["y"]}},\#(tabs)}"#,
            "/routes/x/routes/0"),
        Case(#"{"routes":{"x":{"presentation":"any","routes":1}},\#(tabs)}"#, "/routes/x/routes"),
        Case(#"{"groups":{"g":["x"]},\#(tabs)}"#, "/groups/g/0"),
        Case(#"{"groups":{"g":1,"?":[]},\#(tabs)}"#, "/groups/g", "/groups/?"),
        Case(
            #"{"groups":{"g":["@h",1,"@"]},\#(tabs)}"#, "/groups/g/0", "/groups/g/1", "/groups/g/2"),
        Case(#"{"routes":{"x":{"params":{"minimun":1}}},\#(tabs)}"#, "/routes/x/params/minimun"),
        Case(#"{"routes":{"x":{"params":{"type":"int"}}},\#(tabs)}"#, "/routes/x/params/type"),
        Case(
            ##"{"routes":{"x":{"params":{"$ref":"#/$defs/A"}}},\##(tabs)}"##,
            "/routes/x/params/$ref"),
        Case(#"{"$defs":{"A":{"typ":"object"}},\#(tabs)}"#, "/$defs/A/typ"),
        Case(#"{"links":{},\#(tabs)}"#, "/links"),
    ]

    @Test(arguments: wrong)
    func `everything that is wrong is told with its place`(_ example: Case) throws {
        let report = try report(example.document)
        #expect(report.errors.map(\.pointer) == example.pointers)
        #expect(report.app == nil)
    }

    @Test func `an app is an object, under the name in the URL`() throws {
        let id = AppID(trusted: "chat")
        let array = try AppReader.read(
            .array([]), id: id, limits: Limits(), work: WorkBudget())
        #expect(array.errors.map(\.pointer) == [""])
        let other = JSONObject([
            ("id", .string("shop")),
            ("tabs", .array([.object(JSONObject([("id", .string("a"))]))])),
        ])
        let report = try AppReader.read(
            .object(other), id: id, limits: Limits(), work: WorkBudget())
        #expect(report.errors.map(\.pointer) == ["/id"])
    }

    @Test func `a misspelt route's error names the one that was meant`() throws {
        let report = try report(
            #"{"routes":{"contactList":{}},"tabs":[{"id":"a","routes":["contactLsit"]}]}"#)
        #expect(
            report.errors == [
                InputFault(
                    pointer: "/tabs/0/routes/0",
                    detail: "names the unknown route contactLsit (did you mean contactList?)")
            ])
    }

    @Test func `errors of all parts are told at once`() throws {
        let report = try report(
            #"""
            {"routes":{"x":{"mode":"?"}},"groups":{"g":["q"]},"tabs":[{"id":"a","routes":["r"]}],
             "links":[{"pattern":"nowhere","path":["z"]}]}
            """#)
        #expect(
            report.errors.map(\.pointer) == [
                "/routes/x/mode", "/groups/g/0", "/tabs/0/routes/0", "/links/0/pattern",
            ])
    }

    // MARK: - Warnings

    @Test func `a route that only an unreachable route lists is out of reach`() throws {
        let report = try report(
            #"{"routes":{"r":{"routes":["x"]},"x":{},"u":{"routes":["v"]},"v":{}},"#
                + #""tabs":[{"id":"t","routes":["r"]}]}"#)
        #expect(report.warnings.map(\.pointer) == ["/routes/u", "/routes/v"])
        #expect(report.app != nil)
    }

    @Test func `a route that nothing can reach is a warning`() throws {
        let report = try report(
            #"""
            {"routes":{"lost":{},"listed":{},"home":{},"onSheet":{},
              "s":{"presentation":"sheet","routes":["onSheet"]},"any":{"presentation":"any"},
              "cover":{"presentation":"fullScreenCover"}},
             "tabs":[{"id":"a","root":"home","routes":["listed"]}]}
            """#)
        #expect(report.errors == [])
        #expect(report.app != nil)
        #expect(report.warnings.map(\.pointer) == ["/routes/lost"])
    }

    @Test func `a root that is no route is a warning, unless it is the tab itself`() throws {
        let report = try report(
            #"""
            {"routes":{"home":{}},
             "tabs":[{"id":"a","root":"home"},{"id":"b"},{"id":"c","root":"hmoe"},
               {"id":"d","root":"d"}]}
            """#)
        #expect(report.app != nil)
        #expect(report.warnings.map(\.pointer) == ["/tabs/2/root"])
        #expect(report.warnings[0].detail.contains("hmoe"))
    }

    @Test func `a route that only an unlisted group has is out of reach`() throws {
        let report = try report(
            #"{"routes":{"x":{}},"groups":{"g":["x"]},"tabs":[{"id":"a"}]}"#)
        #expect(report.warnings.map(\.pointer) == ["/routes/x", "/groups/g"])
    }
}

/// Which routes may stand where, with which params.
@Suite struct AdmissionTests {
    private func world() throws -> World {
        try World(
            app: app(
                #"""
                {"$defs":{"Who":{"type":"object","required":["id"],"additionalProperties":false,
                   "properties":{"id":{"type":"string"},"age":{"type":"integer"}}}},
                 "routes":{
                  "list":{},"other":{},
                  "detail":{"params":{"required":["who"],"properties":{
                    "who":{"$ref":"#/$defs/Who"},"sort":{"enum":["up","down"],"default":"up"}}}},
                  "sheet":{"presentation":"sheet"},
                  "cover":{"presentation":"fullScreenCover"},"any":{"presentation":"any"}},
                 "tabs":[{"id":"a","routes":["list","detail","any","sheet"]},
                  {"id":"b","routes":["other"]}]}
                """#))
    }

    @Test func `an unknown route is told with near names`() throws {
        #expect(
            try world().refusal(.navigate, #"{"route":"lst"}"#)
                == .unknownRoute("lst", near: ["list"], pointer: "/route"))
        #expect(
            try world().refusal(.present, #"{"route":"shet"}"#)
                == .unknownRoute("shet", near: ["sheet"], pointer: "/route"))
        #expect(
            try world().refusal(
                .setPath, #"{"in":"b","path":[{"route":"other"},{"route":"othre"}]}"#)
                == .unknownRoute("othre", near: ["other"], pointer: "/path/1/route"))
    }

    @Test func `a known route in the wrong place is told with what is allowed there`() throws {
        let names = { (texts: [String]) in texts.map { RouteName(trusted: $0) } }
        #expect(
            try world().refusal(.navigate, #"{"route":"other"}"#)
                == .routeNotAllowedHere(
                    RouteName(trusted: "other"), .pushedOn(.root(of: TabID(trusted: "a"))),
                    allowed: names(["list", "detail", "any"]),
                    remedy: .add(in: TabID(trusted: "b")), pointer: "/route"))
        #expect(
            try world().refusal(.navigate, #"{"route":"sheet"}"#).problem
                == "route-not-allowed-here", "listed, but not to be pushed")
        #expect(
            try world().refusal(.present, #"{"route":"list"}"#)
                == .routeNotAllowedHere(
                    RouteName(trusted: "list"), .presentedAs(.sheet),
                    allowed: names(["sheet", "any"]), remedy: .navigate, pointer: "/route"))
        #expect(
            try world().refusal(.present, #"{"route":"sheet","style":"fullScreenCover"}"#).problem
                == "route-not-allowed-here")
        #expect(
            try world().refusal(.present, #"{"route":"cover","style":"sheet"}"#).problem
                == "route-not-allowed-here")
    }

    @Test func `a sheet's style is the route's own if none is named`() throws {
        var world = try world()
        for route in ["sheet", "cover", "any"] {
            try world.run(.present, #"{"route":"\#(route)"}"#)
        }
        try world.run(.present, #"{"route":"any","style":"fullScreenCover"}"#)
        #expect(world.picture == "a* [] b [] | sheet [] <cover>cover [] any [] <cover>any []")
    }

    @Test(arguments: [CommandName.setPath, .present])
    func `wrong params are told of every entry of a path`(_ command: CommandName) throws {
        let path =
            #"[{"route":"detail"},{"route":"list"},{"route":"othre"},{"route":"list","params":{"x":1}}]"#
        let body =
            command == .setPath
            ? #"{"in":"a","path":\#(path)}"#
            : #"{"route":"sheet","params":{"y":1},"path":\#(path)}"#
        let own = command == .setPath ? [] : ["/params/y"]
        let refusal = try world().refusal(command, body)
        #expect(refusal.problem == "invalid-params")
        #expect(refusal.pointers == own + ["/path/0/params/who", "/path/3/params/x"])
    }

    @Test func `faults of a path's params are bounded like all lists of faults`() throws {
        let entry = #"{"route":"list","params":{"x":1}}"#
        let path = Array(repeating: entry, count: 256).joined(separator: ",")
        let refusal = try world().refusal(.setPath, #"{"in":"a","path":[\#(path)]}"#)
        #expect(refusal.pointers.count == Faults.countMax)
    }

    @Test func `the first entry that is refused decides the problem`() throws {
        let path = #"[{"route":"list"},{"route":"othre"},{"route":"detail"}]"#
        let refusal = try world().refusal(.setPath, #"{"in":"a","path":\#(path)}"#)
        #expect(refusal.problem == "unknown-route")
        #expect(refusal.pointers == ["/path/1/route"])
    }

    static let wrong: [(params: String, pointers: [String])] = [
        ("{}", ["/params/who"]),
        (#"{"who":{}}"#, ["/params/who/id"]),
        (
            #"{"who":{"id":1,"age":1.5,"x":0}}"#,
            ["/params/who/id", "/params/who/age", "/params/who/x"]
        ),
        (#"{"who":1,"sort":"?"}"#, ["/params/who", "/params/sort"]),
    ]

    @Test(arguments: wrong)
    func `wrong params are told with every place`(
        _ params: String, _ pointers: [String]
    ) throws {
        let refusal = try world().refusal(
            .navigate, #"{"route":"detail","params":\#(params)}"#)
        #expect(refusal.problem == "invalid-params")
        #expect(Set(refusal.pointers) == Set(pointers))
        let inPath = try world().refusal(
            .setPath, #"{"in":"a","path":[{"route":"detail","params":\#(params)}]}"#)
        #expect(Set(inPath.pointers) == Set(pointers.map { "/path/0" + $0 }))
    }

    @Test func `a route without a schema takes no params`() throws {
        let refusal = try world().refusal(.navigate, #"{"route":"list","params":{"x":1,"y/":2}}"#)
        #expect(refusal.problem == "invalid-params")
        #expect(refusal.pointers == ["/params/x", "/params/y~1"])
    }

    @Test func `defaults fill what is absent, wherever params come in`() throws {
        var world = try world()
        try world.run(.navigate, #"{"route":"detail","params":{"who":{"id":"1"}}}"#)
        #expect(world.picture == #"a* [detail{"sort":"up","who":{"id":"1"}}] b []"#)
        let same = #"{"route":"detail","params":{"who":{"id":"1"}},"mode":"single"}"#
        #expect(try world.run(.navigate, same).reason == .sameEntry)
        #expect(try world.run(.setParams, #"{"params":{"sort":null}}"#).reason == .sameEntry)
        let path = #"{"in":"a","path":[{"route":"detail","params":{"who":{"id":"1"}}}]}"#
        #expect(try world.run(.setPath, path).reason == .alreadyThere)
    }

    @Test func `merged params are checked as a whole and pointed into`() throws {
        var world = try world()
        try world.run(.navigate, #"{"route":"detail","params":{"who":{"id":"1","age":7}}}"#)
        let refusal = try world.refusal(.setParams, #"{"params":{"who":{"id":null}}}"#)
        #expect(refusal.problem == "invalid-params")
        #expect(refusal.pointers == ["/params/who/id"])
        try world.run(.setParams, #"{"params":{"who":{"age":null}}}"#)
        #expect(world.picture == #"a* [detail{"sort":"up","who":{"id":"1"}}] b []"#)
    }
}
