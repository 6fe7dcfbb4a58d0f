import NavstateRules
import Testing

/// The exploration of apps: each kind of mistake is found where it was planted, and none elsewhere.
@Suite struct ExplorationTests {
    @Test(arguments: Examples.names)
    func `the example apps have no mistakes, and all their screens are reached`(
        _ name: String
    ) throws {
        let found = Exploration(try Examples.app(name), depth: 4)
        #expect(found.findings == [])
        #expect(found.screens == found.declared)
        #expect(found.opened == found.links)
        #expect(!found.isCutOff && found.depth == 4)
    }

    @Test func `a route that nothing leads to is unreachable`() throws {
        try expect(
            ["unreachable-route /routes/attic", "unreachable-route /routes/chest"],
            routes: #""hall":{},"attic":{"routes":["chest"]},"chest":{}"#,
            tabs: #"{"id":"a","root":"hall","routes":[]},{"id":"b","root":"hall"}"#)
        try expect(
            ["unreachable-route /routes/attic", "unreachable-route /routes/note"],
            routes: #""hall":{},"attic":{},"note":{"presentation":"sheet","on":["attic"]}"#,
            tabs: #"{"id":"a","root":"hall"},{"id":"b","root":"hall"}"#)
    }

    @Test func `a route behind a sheet, a link or an offer of a guard is reachable`() throws {
        try expect(
            [],
            routes: #"""
                "hall":{"routes":[]},"ask":{"presentation":"sheet","routes":["more"]},"more":{},
                "room":{"guard":"in"},"login":{"presentation":"sheet","on":["room"]}
                """#,
            tabs: #"{"id":"a","root":"hall","routes":["room"]}"#,
            more: #"""
                "facts":{"in":{"default":false}},
                "guards":{"in":{"when":{"in":true},"instead":{"command":"present","route":"ask"}}},
                "links":[{"pattern":"/l","tab":"a","path":["room"],"present":{"route":"login"}}]
                """#)
    }

    @Test func `a guard that contradicts that of its only tab never holds`() throws {
        try expect(
            [
                "guard-never-holds /routes/members", "unreachable-route /routes/members",
                "unreachable-route /routes/deeper",
            ],
            routes: #"""
                "hall":{},"guests":{},"members":{"guard":"in","routes":["deeper"]},"deeper":{}
                """#,
            tabs: #"""
                {"id":"a","root":"hall"},
                {"id":"b","root":"guests","routes":["members"],"guard":"out"}
                """#,
            more: #"""
                "facts":{"in":{"default":false}},
                "guards":{"in":{"when":{"in":true},"instead":{"command":"select","tab":"a"}},
                  "out":{"when":{"in":false}}}
                """#)
    }

    @Test func `two guards of one route, and those of a link, can contradict each other`() throws {
        let more = #"""
            "facts":{"role":{"default":"none","schema":{"enum":["none","clerk","owner"]}}},
            "guards":{"clerk":{"when":{"role":"clerk"}},"owner":{"when":{"role":"owner"}},
              "staff":{"when":{"role":["clerk","owner"]}}}
            """#
        try expect(
            ["guard-never-holds /routes/safe", "unreachable-route /routes/safe"],
            routes:
                #""hall":{},"safe":{"guard":["clerk","owner"]},"desk":{"guard":["staff","owner"]}"#,
            tabs: #"{"id":"a","root":"hall","routes":["safe","desk"]}"#, more: more)
        try expect(
            ["guard-never-holds /links/1"],
            routes: #""hall":{},"safe":{"guard":"owner"}"#,
            tabs: #"{"id":"a","root":"hall","routes":["safe"]}"#,
            more: more
                + #","links":[{"pattern":"/hall","tab":"a","path":[]},{"pattern":"/safe","tab":"a","guard":"clerk","path":["safe"]}]"#
        )
    }

    @Test func `links with the same pattern have findings of their own`() throws {
        try expect(
            ["guard-never-holds /links/0"],
            routes: #"""
                "hall":{},"a":{"params":{"required":["id"],"properties":{"id":{"type":"integer"}}}},
                "b":{"params":{"required":["id"],"properties":{"id":{"type":"string"}}}}
                """#,
            tabs: #"{"id":"t","root":"hall","routes":["a","b"]}"#,
            more: #"""
                "facts":{"f":{"default":false}},
                "guards":{"g":{"when":{"f":true}},"h":{"when":{"f":false}}},
                "links":[
                  {"pattern":"/h/{id}","tab":"t","path":[{"route":"a","params":{"id":"{id}"}}],
                   "guard":["g","h"]},
                  {"pattern":"/h/{id}","tab":"t","path":[{"route":"b","params":{"id":"{id}"}}]}]
                """#)
    }

    @Test func `what is held back has to appear when its facts are set`() throws {
        let facts = #""facts":{"in":{"default":false}},"#
        let routes = #"""
            "hall":{},"room":{},"door":{},
            "desk":{"guard":"in","presentation":"sheet","on":["room"]}
            """#
        try expect(
            ["held-for-good /routes/desk"], routes: routes,
            tabs: #"{"id":"a","root":"hall","routes":["room","door"]}"#,
            more: facts
                + #"""
                "guards":{"in":{"when":{"in":true},
                  "instead":{"command":"navigate","route":"door","mode":"reset"}}}
                """#)
        try expect(
            [], routes: routes, tabs: #"{"id":"a","root":"hall","routes":["room","door"]}"#,
            more: facts
                + #"""
                "guards":{"in":{"when":{"in":true},
                  "instead":{"command":"present","route":"ask"}}}
                """#, other: #","ask":{"presentation":"sheet"}"#)
    }

    @Test func `a cover that cannot be dismissed, and that shows nothing else, is a dead end`()
        throws
    {
        let routes = #""hall":{},"wall":{"presentation":"fullScreenCover","routes":[]}"#
        let tabs = #"{"id":"a","root":"hall"},{"id":"b","root":"hall"}"#
        try expect(
            ["dead-end /routes/wall"], routes: routes, tabs: tabs,
            more:
                #""links":[{"pattern":"/w","tab":"a","present":{"route":"wall","dismissible":false}}]"#
        )
        try expect(
            [], routes: routes, tabs: tabs,
            more: #""links":[{"pattern":"/w","tab":"a","present":{"route":"wall"}}]"#)
    }

    @Test func `a screen that leads to one without known params is no dead end`() throws {
        let params =
            #"{"params":{"required":["a"],"properties":{"a":{"type":"string","pattern":"^[A-Z]{2}$"}}}"#
        for other in [#""room":\#(params)}"#, #""room":\#(params),"presentation":"sheet"}"#] {
            try expect(
                ["unshowable /routes/room"], routes: #""hall":{},\#(other)"#,
                tabs: #"{"id":"a","root":"hall","routes":["room"]}"#)
        }
    }

    @Test func `a screen that only facts lead away from is no dead end while a command waits`()
        throws
    {
        try expect(
            [],
            routes: #"""
                "hall":{},"desk":{"guard":"in"},
                "login":{"presentation":"fullScreenCover","routes":[],"on":["hall","desk"]}
                """#,
            tabs: #"{"id":"a","root":"hall","routes":["desk"]}"#,
            more: #"""
                "facts":{"in":{"default":false}},
                "guards":{"in":{"when":{"in":true},
                  "instead":{"command":"present","route":"login","dismissible":false}}}
                """#)
    }

    @Test func `a link that another one always comes before leads elsewhere`() throws {
        try expect(
            ["link-elsewhere /links/0"],
            routes:
                #""hall":{},"room":{"params":{"required":["kind"],"properties":{"kind":{"enum":["new"]}}}},"new":{}"#,
            tabs: #"{"id":"a","root":"hall","routes":["room","new"]}"#,
            more: #"""
                "links":[
                  {"pattern":"/rooms/{kind}","tab":"a","path":[{"route":"room","params":{"kind":"{kind}"}}]},
                  {"pattern":"/rooms/new","tab":"a","path":["new"]}
                ]
                """#)
        try expect(
            ["link-elsewhere /links/0"],
            routes: #""hall":{},"room":{}"#, tabs: #"{"id":"a","root":"hall","routes":["room"]}"#,
            more: #"""
                "links":[{"pattern":"/old/{n}","redirect":"/rooms/{n}"},
                  {"pattern":"/room/{n}","tab":"a","path":["room"]}]
                """#)
    }

    @Test func `a link whose captures only sometimes mean another one is fine`() throws {
        try expect(
            [],
            routes: #"""
                "hall":{"params":{"properties":{"q":{"type":"string"}}}},
                "room":{"params":{"required":["kind"],"properties":{
                  "kind":{"enum":["new","old"]},"n":{"type":"integer","minimum":7}}}},"new":{}
                """#,
            tabs: #"{"id":"a","root":{"route":"hall","params":{}},"routes":["room","new"]}"#,
            more: #"""
                "links":[
                  {"pattern":"/rooms/{kind}?n={n?}","tab":"a",
                    "path":[{"route":"room","params":{"kind":"{kind}","n":"{n}"}}]},
                  {"pattern":"/rooms/new","tab":"a","path":["new"]},
                  {"pattern":"/find?q={q}","tab":"a","params":{"q":"{q}"}},
                  {"pattern":"/r/{kind}","redirect":"/rooms/{kind}"}
                ],
                "notFound":{"tab":"a","params":{"q":"{url}"}}
                """#)
    }

    @Test func `a link can present a sheet where no user can, and where it is refused`() throws {
        try expect(
            ["link-elsewhere /links/0", "link-not-by-hand /links/0"],
            routes: #"""
                "hall":{},"room":{"routes":[]},"desk":{},
                "note":{"presentation":"sheet","on":["desk"],"routes":[]}
                """#,
            tabs: #"{"id":"a","root":"hall","routes":["room","desk"]}"#,
            more: #"""
                "links":[{"pattern":"/b","tab":"a","path":["room"],"present":{"route":"note"}},
                  {"pattern":"/c","tab":"a","path":["desk"],"present":{"route":"note"}},
                  {"pattern":"/d","tab":"a","present":{"route":"note"}}]
                """#)
    }

    @Test func `schemas that no value fits are found`() throws {
        try expect(
            ["unanswerable /routes/ask", "unshowable /routes/room"],
            routes: #"""
                "hall":{},
                "ask":{"presentation":"sheet","result":{"type":"integer","minimum":5,"maximum":3}},
                "room":{"params":{"required":["id"],
                  "properties":{"id":{"type":"string","minLength":5,"maxLength":2}}}}
                """#,
            tabs: #"{"id":"a","root":"hall","routes":["room"]}"#)
    }

    @Test func `values are found for schemas of many kinds`() throws {
        let schemas = [
            #"{"type":"string","pattern":"^[A-Z]{2}$","examples":["AB"]}"#,
            #"{"type":"number","exclusiveMinimum":2.5,"multipleOf":0.5}"#,
            #"{"type":"integer","minimum":-7,"maximum":-5}"#,
            #"{"type":"array","items":{"enum":["a","b","c"]},"minItems":3,"uniqueItems":true}"#,
            #"{"type":"array","contains":{"const":4},"minItems":2,"items":{"type":"integer"}}"#,
            #"{"oneOf":[{"type":"integer","minimum":9,"maximum":8},{"type":"string","minLength":3}]}"#,
            #"{"allOf":[{"required":["a"],"properties":{"a":{"type":"string","minLength":2}}},{"properties":{"a":{"minLength":4}}}]}"#,
            #"{"if":{"required":["a"]},"then":{"required":["b"]},"required":["a"],"properties":{"a":{"type":"boolean"}}}"#,
            ##"{"$ref":"#/$defs/Tree"}"##, #"{"type":["null","boolean"]}"#,
            #"{"not":{"type":"string"}}"#,
            #"{"type":"object","minProperties":2,"additionalProperties":{"type":"integer"}}"#,
            #"{"type":"object","propertyNames":{"maxLength":3},"minProperties":1}"#,
        ]
        for schema in schemas {
            try expect(
                [],
                routes:
                    #""hall":{},"room":{"params":{"required":["x"],"properties":{"x":\#(schema)}}}"#,
                tabs: #"{"id":"a","root":"hall","routes":["room"]}"#,
                more: #"""
                    "$defs":{"Tree":{"type":"object","required":["n"],"properties":{
                      "n":{"type":"integer"},"next":{"$ref":"#/$defs/Tree"}}}}
                    """#)
        }
    }

    @Test func `dialogs, popovers, lists of guards and roots with params are no mistakes`() throws {
        try expect(
            [],
            routes: #"""
                "find":{"params":{"properties":{"q":{"type":"string","default":""}}}},
                "room":{"routes":["room"],"identity":[]},
                "menu":{"presentation":["popover","sheet"]},"map":{"presentation":"inspector"},
                "leave":{"presentation":"alert","title":"Leave?","on":["room"],
                  "buttons":[{"id":"yes","title":"Yes"},{"id":"no","title":"No","role":"cancel"}]},
                "sure":{"presentation":"confirmationDialog","title":"Sure?"},
                "bill":{"guard":["in","paid"]},
                "login":{"presentation":"sheet"},"pay":{"presentation":"sheet"}
                """#,
            tabs: #"""
                {"id":"a","root":{"route":"find","params":{"q":""}},"routes":["room","bill"]},
                {"id":"b","root":"bill","guard":["in","paid"]}
                """#,
            more: #"""
                "facts":{"in":{"default":false},"paid":{"default":0}},
                "guards":{"in":{"when":{"in":true},"instead":{"command":"present","route":"login"}},
                  "paid":{"when":{"paid":[1,2]},"instead":{"command":"present","route":"pay"}}},
                "links":[{"pattern":"/bill","tabs":["a","b"],"guard":"in","sheets":"keep"},
                  {"pattern":"/rooms","tab":"a","mode":"push","path":["room","room"]}]
                """#)
    }

    // MARK: - Programs

    @Test func `the shortest program to a screen is found`() throws {
        let shop = try Examples.app("shop")
        let found = Exploration(shop, to: .init("stock"))
        let program = try #require(found.program(to: "stock"))
        #expect(program.map(\.command) == ["setFacts", "navigate"])
        var session = try LocalSession(shop)
        for step in program { try session.perform(step.command, step.body) }
        #expect(session.json.contains(#""route":"stock""#))
        #expect(Exploration(shop, to: .init("home")).program(to: "home") == [])
        #expect(Exploration(shop, to: .init("stocks")).program(to: "stocks") == nil)
    }

    @Test(arguments: ["login", "register", "orders", "stock"])
    func `a program for a batch has no command that a guard holds back`(screen: String) throws {
        let shop = try Examples.app("shop")
        let found = Exploration(shop, to: .init(screen, isBatch: true))
        let program = try #require(found.program(to: screen))
        var session = try LocalSession(shop)
        let commands = program.map { step in
            #"{"command":"\#(step.command)",\#(step.body.dropFirst())"#
                .replacing(",}", with: "}")
        }
        try session.perform("batch", #"{"commands":[\#(commands.joined(separator: ","))]}"#)
        #expect(session.json.contains(#""route":"\#(screen)""#))
    }

    @Test func `a program can be asked for with params`() throws {
        let shop = try Examples.app("shop")
        let params = #"{"product":{"title":"Tea","price":3}}"#
        let program = try #require(
            Exploration(shop, to: .init("product", params: params)).program(to: "product"))
        var session = try LocalSession(shop)
        for step in program { try session.perform(step.command, step.body) }
        #expect(
            session.json.contains(
                #""visible":{"container":"shop","entry":"e1","route":"product","params":\#(params)"#
            ))
        let wrong = Exploration(shop, to: .init("product", params: #"{"price":"x"}"#))
        #expect(wrong.program(to: "product") == nil)
    }

    @Test func `findings come with a program that leads to them`() throws {
        let app = try AppDefinition.with(
            #"""
            "routes":{"hall":{},"wall":{"presentation":"fullScreenCover","routes":[]}},
            "tabs":[{"id":"a","root":"hall"}],
            "links":[{"pattern":"/w","tab":"a","present":{"route":"wall","dismissible":false}}]
            """#)
        let finding = try #require(Exploration(app).findings.first)
        #expect(finding.code == .deadEnd && finding.program.map(\.command) == ["open"])
        var session = try LocalSession(app)
        for step in finding.program { try session.perform(step.command, step.body) }
        #expect(session.json.contains(#""route":"wall""#))
    }

    @Test func `the depth bounds the search`() throws {
        let app = try Examples.app("shop")
        #expect(Exploration(app, depth: 0).states == 1)
        #expect(Exploration(app, depth: 1).states < Exploration(app, depth: 2).states)
        let deep = try AppDefinition.with(
            #"""
            "routes":{"a":{"routes":["b"]},"b":{"routes":["c"]},"c":{"routes":["d"]},"d":{"routes":[]}},
            "tabs":[{"id":"t","root":"hall","routes":["a"]}]
            """#)
        let found = Exploration(deep, depth: 2)
        #expect(found.screens == ["a", "b"] && found.findings == [])
    }

    private func expect(
        _ expected: Set<String>, routes: String, tabs: String, more: String = "",
        other: String = ""
    ) throws {
        let members = #""routes":{\#(routes)\#(other)},"tabs":[\#(tabs)]"#
        let found = Exploration(try .with(more.isEmpty ? members : "\(members),\(more)")).findings
        let shown = Set(found.map { "\($0.code.rawValue) \($0.pointer)" })
        #expect(shown == expected, "\(found.map { "\($0.code.rawValue) \($0.detail)" })")
    }
}
