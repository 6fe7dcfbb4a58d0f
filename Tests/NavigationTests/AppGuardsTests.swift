import Bytes
import JSON
import Navigation
import Testing

/// Facts and guards in an app's document, and all that can be wrong with them.
@Suite struct AppGuardsTests {
    @Test func `facts and guards are read`() throws {
        let app = try GuardedWorld.world().app
        let guards = try #require(app?.guards)
        #expect(guards.facts.map(\.name.rawValue) == ["in", "level"])
        #expect(
            guards.named.keys.map(\.rawValue).sorted() == [
                "away", "member", "rich", "staff", "vip",
            ])
        #expect(app?.defaultFacts.text == Array(#"{"in":false,"level":0}"#.utf8))
        func names(_ route: String) -> [String] {
            (guards.ofRoutes[RouteName(trusted: route)]?.guards ?? []).map(\.name.rawValue)
        }
        #expect(names("gold") == ["rich"])
        #expect(names("vault") == ["member", "rich"])
        #expect(names("x") == [])
        #expect(guards.ofTabs.keys.map(\.rawValue) == ["b"])
        #expect(guards.named[GuardName(trusted: "staff")]?.instead == nil)
    }

    @Test func `a guard holds if each fact has one of its values`() throws {
        let app = try #require(try GuardedWorld.world().app)
        func failing(_ value: JSON, _ level: JSON) -> [String] {
            let facts = Facts([
                (FactName(trusted: "in"), value), (FactName(trusted: "level"), level),
            ])
            let failing = app.failingGuards(facts)
            return app.guards.declared.enumerated().filter { failing & (1 << $0.offset) != 0 }
                .map(\.element.name.rawValue).sorted()
        }
        #expect(failing(.bool(false), .integer(0)) == ["away", "member", "rich", "staff", "vip"])
        #expect(failing(.bool(true), .integer(0)) == ["away", "rich", "staff", "vip"])
        #expect(failing(.bool(true), .integer(1)) == ["rich"])
        #expect(failing(.bool(true), .double(1)) == ["rich"], "1 equals 1.0")
        #expect(failing(.bool(false), .integer(2)) == ["away", "member", "staff"])
        #expect(failing(.string("true"), .integer(2)) == ["away", "member", "staff"])
    }

    @Test func `what is shown instead has the guard's name as its tag, and pops to what is there`()
        throws
    {
        let app = try #require(try GuardedWorld.world().app)
        guard case .present(let login)? = app.guards.named[GuardName(trusted: "member")]?.instead,
            case .navigate(let pay)? = app.guards.named[GuardName(trusted: "rich")]?.instead
        else {
            Issue.record("the commands are others")
            return
        }
        #expect(login.tag?.text == "member")
        #expect(pay.mode == .popTo)
        let own = try self.app(
            #"{"command":"present","route":"s","tag":"mine"}"#,
            routes: #","s":{"presentation":"any"}"#)
        guard case .present(let sheet)? = own.guards.named[GuardName(trusted: "g")]?.instead else {
            Issue.record("the command is another")
            return
        }
        #expect(sheet.tag?.text == "mine")
        for (mode, routes) in [
            ("single", #","p":{"mode":"single"}"#), ("reset", #","p":{"mode":"push"}"#),
        ] {
            let body =
                mode == "reset"
                ? #"{"command":"navigate","route":"p","mode":"reset"}"#
                : #"{"command":"navigate","route":"p"}"#
            let app = try self.app(body, routes: routes)
            guard case .navigate(let command)? = app.guards.named[GuardName(trusted: "g")]?.instead
            else {
                Issue.record("the command is another")
                return
            }
            #expect(command.mode?.rawValue == (mode == "reset" ? "reset" : nil))
        }
    }

    private func app(_ instead: String, routes: String) throws -> App {
        try NavigationTests.app(
            #"""
            {"facts":{"f":{"default":1}},"guards":{"g":{"when":{"f":2},"instead":\#(instead)}},
             "routes":{"x":{"guard":"g"}\#(routes)},"tabs":[{"id":"a","routes":["x","p","s"]}]}
            """#.replacing(#","p","s""#, with: routes.contains("\"p\"") ? #","p""# : #","s""#))
    }

    @Test func `a tab has the guard of its root`() throws {
        let app = try NavigationTests.app(
            #"""
            {"facts":{"f":{"default":1}},"guards":{"g":{"when":{"f":2}}},
             "routes":{"home":{"guard":"g"},"b":{"guard":"g"}},
             "tabs":[{"id":"a","root":"home"},{"id":"b"},{"id":"c","root":"home","guard":"g"},
              {"id":"d","root":"elsewhere"}]}
            """#)
        #expect(Set(app.guards.ofTabs.keys.map(\.rawValue)) == ["a", "b", "c"])
        #expect(app.freshState.selected == 3, "the first that is open")
        let facts = Facts([(FactName(trusted: "f"), .integer(2))])
        #expect(app.freshState.firstTab(app, facts) == 0)
        #expect(app.isOpen(TabID(trusted: "a"), facts))
        #expect(!app.isOpen(TabID(trusted: "a"), app.defaultFacts))
    }

    @Test func `the first tab is none that is hidden; where all are, the first without a guard`()
        throws
    {
        let app = try #require(try GuardedWorld.world().app)
        var state = app.freshState
        state.tabs[0].isHidden = true
        #expect(state.firstTab(app, app.defaultFacts) == 2)
        state.tabs[2].isHidden = true
        #expect(state.firstTab(app, app.defaultFacts) == 0)
        let facts = Facts([
            (FactName(trusted: "in"), .bool(true)), (FactName(trusted: "level"), .integer(0)),
        ])
        #expect(state.firstTab(app, facts) == 1)
        #expect(state.firstTab(nil, .none) == 1)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var facts = #""f":{"default":1},"role":{"default":"a","schema":{"enum":["a","b"]}}"#
        var guards = #""g":{"when":{"f":2}}"#
        var routes = #""x":{"guard":"g"},"y":{}"#
        var tabs = #"{"id":"a","routes":["x","y","z"]},{"id":"b","guard":"g","routes":["y"]}"#
        var links = ""
        var pointers: [String]

        var testDescription: String { pointers.joined(separator: " ") + " " + guards }

        var document: String {
            #"""
            {"facts":{\#(facts)},"guards":{\#(guards)},
             "routes":{\#(routes),"z":{"params":{"required":["id"]}},
              "s":{"presentation":"sheet","routes":["x","y"]}},
             "tabs":[\#(tabs)],"links":[\#(links)]}
            """#
        }
    }

    private static func instead(_ command: String, _ pointers: String..., links: String = "")
        -> Case
    {
        Case(
            guards: #""g":{"when":{"f":2},"instead":\#(command)}"#, links: links,
            pointers: pointers.map { "/guards/g/instead" + $0 })
    }

    static let cases: [Case] = [
        Case(facts: #""f":{}"#, pointers: ["/facts/f/default"]),
        Case(
            facts: #""f":{"type":"integer","schema":{"type":"integer"}}"#,
            pointers: ["/facts/f/default", "/facts/f/type"]),
        Case(facts: #""f":{"default":null}"#, pointers: ["/facts/f/default"]),
        Case(facts: #""f":{"default":1,"more":2}"#, pointers: ["/facts/f/more"]),
        Case(facts: #""f":2"#, pointers: ["/facts/f"]),
        Case(guards: #""g":2"#, pointers: ["/guards/g"]),
        Case(routes: #""x":{"guard":"g"},"y":2"#, pointers: ["/routes/y"]),
        Case(
            facts: #""f":{"default":1,"schema":{"type":"string"}}"#,
            pointers: ["/facts/f/default", "/guards/g/when/f"]),
        Case(
            facts: #""f":{"default":1,"schema":{"type":"number","odd":1}}"#,
            pointers: ["/facts/f/schema/odd"]),
        Case(facts: #""f":{"default":1},"a b":{"default":1}"#, pointers: ["/facts/a b"]),
        Case(
            facts: #""f":{"default":"\#(String(repeating: "x", count: 4095))"}"#,
            pointers: ["/facts/f/default"]),
        Case(
            facts: (0...32).map { #""f\#($0)":{"default":1}"# }.joined(separator: ","),
            pointers: ["/facts", "/guards/g/when/f"]),
        Case(guards: #""g":{}"#, pointers: ["/guards/g/when"]),
        Case(guards: #""g":{"when":{}}"#, pointers: ["/guards/g/when"]),
        Case(guards: #""g":{"when":{"fact":1}}"#, pointers: ["/guards/g/when/fact"]),
        Case(guards: #""g":{"when":{"role":"c"}}"#, pointers: ["/guards/g/when/role"]),
        Case(guards: #""g":{"when":{"role":["a","c"]}}"#, pointers: ["/guards/g/when/role/1"]),
        Case(guards: #""g":{"when":{"role":[]}}"#, pointers: ["/guards/g/when/role"]),
        Case(guards: #""g":{"when":{"f":null}}"#, pointers: ["/guards/g/when/f"]),
        Case(guards: #""g":{"when":{"f":1},"else":1}"#, pointers: ["/guards/g/else"]),
        Case(guards: #""h":{"when":{"f":1}}"#, pointers: ["/routes/x/guard", "/tabs/1/guard"]),
        Case(
            guards: #""g":{"when":{"f":1}},"h":{"when":{"f":3}}"#,
            tabs: #"{"id":"a"},{"id":"x","guard":"h","routes":["x","y","z"]}"#,
            pointers: ["/tabs/1/guard"]),
        Case(routes: #""x":{"guard":[]},"y":{}"#, pointers: ["/routes/x/guard"]),
        Case(routes: #""x":{"guard":{}},"y":{}"#, pointers: ["/routes/x/guard"]),
        Case(routes: #""x":{"guard":["g","g"]},"y":{}"#, pointers: ["/routes/x/guard/1"]),
        Case(routes: #""x":{"guard":["g","h"]},"y":{}"#, pointers: ["/routes/x/guard/1"]),
        Case(routes: #""x":{"guard":["g",1]},"y":{}"#, pointers: ["/routes/x/guard/1"]),
        Case(
            guards: (0...8).map { #""g\#($0)":{"when":{"f":2}}"# }.joined(separator: ","),
            routes:
                #""x":{"guard":[\#((0...8).map { "\"g\($0)\"" }.joined(separator: ","))]},"y":{}"#,
            tabs: #"{"id":"a","routes":["x","y","z"]}"#, pointers: ["/routes/x/guard"]),
        Case(
            guards: #""g":{"when":{"f":1}},"h":{"when":{"f":3}}"#,
            routes: #""x":{"guard":["g","h"]},"y":{}"#,
            tabs: #"{"id":"a","routes":["y","z"]},{"id":"x","guard":["h"]}"#,
            pointers: ["/tabs/1/guard"]),
        Case(
            tabs: #"{"id":"a","routes":["x","y","z"]}"#,
            links: #"{"pattern":"app://y","path":["y"],"guard":["g","h"]}"#,
            pointers: ["/links/0/guard/1"]),
        Case(
            tabs: #"{"id":"a","routes":["x","y","z"]}"#,
            links: #"{"pattern":"app://y","redirect":"app://z","guard":"g"}"#,
            pointers: ["/links/0/guard"]),
        Case(
            tabs: #"{"id":"a","guard":"g","routes":["y","z"]},{"id":"x","routes":["x"]}"#,
            pointers: ["/tabs"]),
        instead(#"{"command":"back"}"#, "/command"),
        instead(#"{"command":"batch","commands":[]}"#, "/command"),
        instead(#"{"route":"y"}"#, "/command"),
        instead(#""login""#, ""),
        instead(#"{"command":"navigate"}"#, "/route"),
        instead(#"{"command":"navigate","route":"y","inn":"a"}"#, "/inn"),
        instead(#"{"command":"navigate","route":"q"}"#, "/route"),
        instead(#"{"command":"navigate","route":"x"}"#, ""),
        instead(#"{"command":"navigate","route":"s"}"#, "/route"),
        instead(#"{"command":"navigate","route":"z"}"#, "/params/id"),
        instead(#"{"command":"navigate","route":"y","params":{"n":1}}"#, "/params/n"),
        instead(#"{"command":"navigate","route":"y","in":"q"}"#, "/in"),
        instead(#"{"command":"navigate","route":"y","in":"e1"}"#, "/in"),
        instead(#"{"command":"navigate","route":"y","in":"b"}"#, ""),
        instead(#"{"command":"navigate","route":"z","params":{"id":1},"in":"b"}"#, "/route"),
        instead(#"{"command":"present","route":"y"}"#, "/route"),
        instead(#"{"command":"present","route":"s","style":"fullScreenCover"}"#, "/route"),
        instead(#"{"command":"present","route":"s","path":[{"route":"x"}]}"#, ""),
        instead(
            #"{"command":"present","route":"s","path":[{"route":"y"},{"route":"z"}]}"#,
            "/path/1/route", "/path/1/params/id"),
        instead(#"{"command":"select","tab":"q"}"#, "/tab"),
        instead(#"{"command":"select","tab":"b"}"#, ""),
        instead(#"{"command":"open","url":"app://q"}"#, "/url"),
        instead(
            #"{"command":"open","url":"app://x"}"#, "",
            links: #"{"pattern":"app://x","tab":"a","path":["x"]}"#),
        instead(
            #"{"command":"open","url":"app://b"}"#, "",
            links: #"{"pattern":"app://b","tab":"b","path":["y"]}"#),
        instead(
            #"{"command":"open","url":"app://s"}"#, "",
            links: #"{"pattern":"app://s","present":{"route":"s","path":["x"]}}"#),
        instead(
            #"{"command":"open","url":"app://y"}"#, "",
            links: #"{"pattern":"app://y","path":["y"],"guard":"g"}"#),
        instead(
            #"{"command":"open","url":"app://y","tab":"b"}"#, "",
            links: #"{"pattern":"app://y","path":["y"],"tabs":["a","b"]}"#),
        instead(
            #"{"command":"open","url":"app://y","tab":"c"}"#, "/tab",
            links: #"{"pattern":"app://y","path":["y"],"tabs":["a","b"]}"#),
    ]

    @Test(arguments: cases)
    func `what is wrong with facts and guards is told where it is`(_ test: Case) throws {
        let report = try report(test.document)
        #expect(report.app == nil)
        #expect(report.errors.map(\.pointer) == test.pointers)
    }

    @Test func `without a fault the same document is an app`() throws {
        let report = try report(Case(pointers: []).document)
        #expect(report.errors == [])
        for instead in [
            #"{"command":"navigate","route":"y"}"#,
            #"{"command":"navigate","route":"z","params":{"id":1},"in":"a","mode":"reset"}"#,
            #"{"command":"present","route":"s","path":[{"route":"y"}]}"#,
            #"{"command":"select","tab":"a"}"#,
        ] {
            let report = try self.report(Self.instead(instead).document)
            #expect(report.errors == [], "\(instead)")
        }
        let link = #"""
            {"pattern":"app://y/{id}","tab":"a",
             "path":["y",{"route":"z","params":{"id":"{id}"}}]}
            """#
        let open = Self.instead(#"{"command":"open","url":"app://y/1"}"#, links: link)
        #expect(try self.report(open.document).errors == [])
        // One of the tabs is open, and a link that pushes shows its last screen alone.
        for more in [#""tabs":["b","a"],"path":["y"]"#, #""path":["x","y"],"mode":"push""#] {
            let open = Self.instead(
                #"{"command":"open","url":"app://y"}"#, links: #"{"pattern":"app://y",\#(more)}"#)
            #expect(try self.report(open.document).errors == [])
        }
    }

    private func report(_ document: String) throws -> AppReport {
        try NavigationTests.report(document)
    }
}
