import JSON
import Navigation
import Testing

/// How a link is opened: its mode, its sheets and its tabs, and what `open` says instead.
@Suite struct OpenModeTests {
    private static let document = #"""
        {"routes":{
          "home":{},"cart":{},"checkout":{"params":{"properties":{"status":{"type":"string"}}}},
          "user":{"params":{"properties":{"id":{"type":"string"}},"required":["id"]}},
          "sheet":{"presentation":"sheet","routes":["checkout","cart"]},
          "info":{"presentation":"any"}},
         "tabs":[{"id":"main","root":"home","routes":["cart","checkout","user","info"]},
          {"id":"two","routes":["user","cart"]},{"id":"three","routes":["user"]}],
         "links":[
          {"pattern":"/pay?status={status}","path":["cart",
           {"route":"checkout","params":{"status":"{status}"},"mark":"m"}]},
          {"pattern":"/users/{id}","tabs":["two","three"],
           "path":[{"route":"user","params":{"id":"{id}"}}]},
          {"pattern":"/cart","path":["cart"],"mode":"push"},
          {"pattern":"/in/{s}","mode":"update","path":[
           {"route":"checkout","params":{"status":"{s}"}}]},
          {"pattern":"/home","path":[],"mode":"push"},
          {"pattern":"/two","tab":"two"},
          {"pattern":"/keep","path":["cart"],"sheets":"keep"},
          {"pattern":"/reject","path":["cart"],"sheets":"reject"},
          {"pattern":"/sheet","present":{"route":"sheet","path":["cart",
           {"route":"checkout","params":{"status":"s"}}]},"mode":"push"}],
         "notFound":{"tabs":["three","main"],"mode":"push","sheets":"keep",
          "path":[{"route":"user","params":{"id":"{url}"}}]}}
        """#

    private func world(_ commands: (CommandName, String)...) throws -> World {
        var world = try World(app: app(Self.document))
        for (name, body) in commands { try world.run(name, body) }
        return world
    }

    @Test func `push leaves the path, and pushes the target alone as a new entry`() throws {
        var world = try world((.navigate, #"{"route":"user","params":{"id":"1"}}"#))
        try world.run(.open, #"{"url":"/pay?status=ok","mode":"push"}"#)
        #expect(
            world.picture == #"main* [user{"id":"1"}, checkout{"status":"ok"}] two [] three []"#)
        #expect(world.session.state.top?.mark?.rawValue == "m")
        let again = try world.run(.open, #"{"url":"/pay?status=ok","mode":"push"}"#)
        #expect(again.added.count == 1)
        try world.run(.back, #"{"count":2}"#)
        #expect(world.picture == #"main* [user{"id":"1"}] two [] three []"#)
    }

    @Test func `a link's own mode counts unless the client says another`() throws {
        var world = try world((.navigate, #"{"route":"info"}"#))
        try world.run(.open, #"{"url":"/cart"}"#)
        #expect(world.picture == "main* [info, cart] two [] three []")
        try world.run(.open, #"{"url":"/cart","mode":"replace"}"#)
        #expect(world.picture == "main* [cart] two [] three []")
        #expect(
            try world.refusal(.open, #"{"url":"/cart","mode":"single"}"#).problem
                == "invalid-request")
    }

    @Test func `update gives the visible screen the params and the mark, and nothing else`() throws
    {
        var world = try world(
            (.navigate, #"{"route":"checkout","params":{"status":"a","more":1},"mark":"n"}"#),
            (.navigate, #"{"route":"user","in":"two","params":{"id":"1"}}"#),
            (.present, #"{"route":"sheet","path":[{"route":"checkout"}]}"#))
        let id = world.session.state.top?.id
        let answer = try world.run(.open, #"{"url":"/pay?status=ok","mode":"update","tab":"main"}"#)
        #expect(answer.added == [] && answer.removed == [])
        #expect(
            world.picture
                == #"main [checkout{"more":1,"status":"a"}] two* [user{"id":"1"}] three [] "#
                + #"| sheet [checkout{"status":"ok"}]"#)
        #expect(world.session.state.top?.id == id)
        #expect(world.session.state.top?.mark?.rawValue == "m")
        let again = try world.trial(.open, #"{"url":"/pay?status=ok","mode":"update"}"#).answer
        #expect(again.reason == .alreadyThere)
        try world.run(.open, #"{"url":"/in/x"}"#)
        #expect(
            world.session.state.top?.params.text == #"{"status":"x"}"#[...].utf8.map { $0 }[...])
        #expect(world.session.state.top?.mark?.rawValue == "m", "a link without a mark leaves it")
        #expect(
            try world.refusal(.open, #"{"url":"/pay?status=ok","mode":"update","tab":"two"}"#)
                .problem
                == "invalid-request")
        try world.run(.undo)
        #expect(
            world.session.state.top?.params.text == #"{"status":"ok"}"#[...].utf8.map { $0 }[...])
    }

    @Test func `update takes the params as a whole`() throws {
        var world = try world(
            (.navigate, #"{"route":"checkout","params":{"status":"a","more":1}}"#))
        try world.run(.open, #"{"url":"/pay?status=b","mode":"update"}"#)
        #expect(world.picture == #"main* [checkout{"status":"b"}] two [] three []"#)
        try world.run(.open, #"{"url":"/pay","mode":"update"}"#)
        #expect(world.picture == "main* [checkout] two [] three []")
    }

    @Test func `update is a push where another screen is visible`() throws {
        var world = try world(
            (.navigate, #"{"route":"checkout"}"#), (.navigate, #"{"route":"cart"}"#),
            (.present, #"{"route":"info"}"#))
        try world.run(.open, #"{"url":"/in/x"}"#)
        #expect(world.picture == #"main* [checkout, cart, checkout{"status":"x"}] two [] three []"#)
        world = try self.world()
        try world.run(.open, #"{"url":"/in/x"}"#)
        #expect(world.picture == #"main* [checkout{"status":"x"}] two [] three []"#)
    }

    @Test func `a link without a target selects its tab, and leaves its path unless it replaces`()
        throws
    {
        var world = try world((.navigate, #"{"route":"cart"}"#), (.select, #"{"tab":"two"}"#))
        try world.run(.open, #"{"url":"/home"}"#)
        #expect(world.picture == "main* [cart] two [] three []")
        #expect(try world.trial(.open, #"{"url":"/home"}"#).answer.reason == .alreadyThere)
        #expect(
            try world.trial(.open, #"{"url":"/home","mode":"update"}"#).answer.reason
                == .alreadyThere)
        try world.run(.open, #"{"url":"/home","mode":"replace"}"#)
        #expect(world.picture == "main* [] two [] three []")
        try world.run(.open, #"{"url":"/two","mode":"push"}"#)
        #expect(world.picture == "main [] two* [] three []")
    }

    @Test func `the target of a link with a sheet is on the sheet, which is presented`() throws {
        var world = try world((.navigate, #"{"route":"info"}"#))
        try world.run(.open, #"{"url":"/sheet"}"#)
        #expect(
            world.picture == #"main* [info] two [] three [] | sheet [cart, checkout{"status":"s"}]"#
        )
        try world.run(.setParams, #"{"params":{"status":"t"}}"#)
        let update = try world.run(.open, #"{"url":"/sheet","mode":"update"}"#)
        #expect(update.added == [])
        #expect(
            world.picture == #"main* [info] two [] three [] | sheet [cart, checkout{"status":"s"}]"#
        )
    }

    // MARK: - Tabs

    @Test func `a sheet that is pushed over others that stay is a new one`() throws {
        var world = try world((.open, #"{"url":"/sheet"}"#))
        #expect(try world.trial(.open, #"{"url":"/sheet"}"#).answer.reason == .alreadyThere)
        try world.run(.open, #"{"url":"/sheet","sheets":"keep"}"#)
        #expect(world.session.state.sheets.count == 2)
    }

    @Test func `the link of a sheet that a guard has tagged changes nothing`() throws {
        var world = try world((.present, #"{"route":"sheet","tag":"guard"}"#))
        try world.run(
            .setPath,
            #"{"in":"e1","path":[{"route":"cart"},{"route":"checkout","params":{"status":"s"}}]}"#)
        let again = try world.trial(.open, #"{"url":"/sheet","mode":"replace"}"#)
        #expect(again.answer.reason == .alreadyThere)
    }

    @Test func `of several tabs the selected one counts, then the first that can be used`() throws {
        var world = try world()
        try world.run(.open, #"{"url":"/users/1"}"#)
        #expect(world.picture == #"main [] two* [user{"id":"1"}] three []"#)
        try world.run(.select, #"{"tab":"three"}"#)
        try world.run(.open, #"{"url":"/users/2"}"#)
        #expect(world.picture == #"main [] two [user{"id":"1"}] three* [user{"id":"2"}]"#)
        try world.run(.open, #"{"url":"/users/3","tab":"two"}"#)
        #expect(world.picture == #"main [] two* [user{"id":"3"}] three [user{"id":"2"}]"#)
        try world.run(.select, #"{"tab":"main"}"#)
        try world.run(.setTabs, #"{"hidden":["two"]}"#)
        try world.run(.open, #"{"url":"/users/4"}"#)
        #expect(world.session.state.tabs[world.session.state.selected].id.rawValue == "three")
        try world.run(.select, #"{"tab":"main"}"#)
        try world.run(.setTabs, #"{"hidden":["two","three"]}"#)
        try world.run(.open, #"{"url":"/users/5"}"#)
        #expect(world.session.state.tabs[world.session.state.selected].id.rawValue == "two")
        for tab in ["main", "none", "e1", ""] {
            let refusal = try world.refusal(.open, #"{"url":"/users/5","tab":"\#(tab)"}"#)
            guard case .invalidRequest(let faults) = refusal else { throw NotAnObject() }
            #expect(faults.map(\.pointer) == ["/tab"])
        }
        try world.run(.open, #"{"url":"/cart","tab":"main"}"#)
        #expect(
            try world.refusal(.open, #"{"url":"/cart","tab":"two"}"#).problem == "invalid-request")
    }

    @Test func `notFound is opened in its own way`() throws {
        var world = try world(
            (.present, #"{"route":"info"}"#), (.navigate, #"{"route":"cart","in":"main"}"#))
        try world.run(.open, #"{"url":"/x"}"#)
        #expect(world.picture == #"main* [cart, user{"id":"/x"}] two [] three [] | info []"#)
        try world.run(.open, #"{"url":"/y","tab":"three","sheets":"dismiss"}"#)
        #expect(world.picture == #"main [cart, user{"id":"/x"}] two [] three* [user{"id":"/y"}]"#)
    }

    // MARK: - Sheets

    @Test func `a link says what becomes of other sheets unless the client does`() throws {
        let world = try world((.present, #"{"route":"info"}"#))
        #expect(try world.trial(.open, #"{"url":"/keep"}"#).session.state.sheets.count == 1)
        #expect(
            try world.trial(.open, #"{"url":"/keep","sheets":"dismiss"}"#).session.state.sheets
                == [])
        #expect(try world.refusal(.open, #"{"url":"/reject"}"#).problem == "sheet-open")
        #expect(
            try world.trial(.open, #"{"url":"/reject","sheets":"keep"}"#).session.state.sheets.count
                == 1)
        #expect(try world.trial(.open, #"{"url":"/pay"}"#).session.state.sheets == [])
    }

    // MARK: - Limits and documents

    @Test func `push counts the whole path`() throws {
        var world = try world()
        world.limits.pathDepthMax = 2
        try world.run(.open, #"{"url":"/cart"}"#)
        try world.run(.open, #"{"url":"/cart"}"#)
        #expect(try world.refusal(.open, #"{"url":"/cart"}"#).problem == "limit-exceeded")
    }

    @Test func `the link of what is visible may be of any of its tabs`() throws {
        var world = try world((.open, #"{"url":"/users/1","tab":"three"}"#))
        let work = WorkBudget()
        #expect(try world.app?.link(to: world.session.state, work: work) == "/users/1")
        try world.run(.open, #"{"url":"/users/1"}"#)
        #expect(try world.app?.link(to: world.session.state, work: work) == "/users/1")
    }

    @Test(
        arguments: [
            (#""tabs":[]"#, "/links/0/tabs"), (#""tabs":["a","a"]"#, "/links/0/tabs/1"),
            (#""tabs":["a","z"]"#, "/links/0/tabs/1"), (#""tabs":["a",1]"#, "/links/0/tabs/1"),
            (#""tabs":"a""#, "/links/0/tabs"), (#""tab":"a","tabs":["a"]"#, "/links/0/tabs"),
            (#""path":["r"],"tabs":["a","b"]"#, "/links/0/path/0"),
            (#""present":{"route":"s","path":["r"]},"tabs":["a","b"]"#, "/links/0/present/path/0"),
            (#""path":["r"],"mode":"single""#, "/links/0/mode"),
            (#""path":["r"],"sheets":"close""#, "/links/0/sheets"),
            (#""redirect":"/y","mode":"push""#, "/links/0/mode"),
            (#""redirect":"/y","sheets":"keep""#, "/links/0/sheets"),
            (#""redirect":"/y","tabs":["a"]"#, "/links/0/tabs"),
        ])
    func `what is wrong with how a link is opened is told where it is`(
        _ members: String, _ pointer: String
    ) throws {
        let report = try report(
            #"""
            {"routes":{"r":{},"s":{"presentation":"sheet"}},"tabs":[{"id":"a","routes":["r"]},{"id":"b"}],
             "links":[{"pattern":"/x",\#(members)}]}
            """#)
        #expect(report.errors.map(\.pointer) == [pointer])
    }

    // MARK: - Held back

    private static let guarded = #"""
        {"facts":{"in":{"default":false}},
         "guards":{"g":{"when":{"in":true},"instead":{"command":"select","tab":"b"}}},
         "routes":{"x":{"guard":"g"},"y":{}},
         "tabs":[{"id":"a","routes":["x","y"]},{"id":"b","routes":["x","y"]},{"id":"c"}],
         "links":[{"pattern":"/x","tabs":["a","b"],"path":["y","x"],"mode":"push"},
          {"pattern":"/y","path":["y"]}]}
        """#

    @Test func `what is held back keeps its tab`() throws {
        var world = try World(app: app(Self.guarded))
        try world.run(.open, #"{"url":"/x"}"#)
        #expect(world.picture == "a [] b* [] c []")
        #expect(
            world.session.pending?.command
                == JSONObject([
                    ("command", .string("open")), ("url", .string("/x")), ("tab", .string("a")),
                ]))
        try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        #expect(world.picture == "a* [x] b [] c []")
    }

    @Test func `a session begins at a link, always with the whole path`() throws {
        let app = try app(Self.guarded)
        func begun(_ url: String, strict: Bool = false) throws -> (World, GuardName?) {
            var world = try World(app: app)
            let held = try world.session.begin(at: url, rules: world.rules(strict: strict))
            return (world, held)
        }
        var (world, held) = try begun("/x")
        #expect(held?.rawValue == "g" && world.session.revision == 1)
        #expect(world.picture == "a [] b* [] c []")
        #expect(world.session.pending?.command["mode"] == .string("replace"))
        try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        #expect(world.picture == "a* [y, x] b [] c []")
        (world, held) = try begun("/y", strict: true)
        #expect(held == nil && world.picture == "a* [y] b [] c []")
        #expect(!world.session.state.tabs[0].path.isEmpty && world.session.pending == nil)
        #expect(throws: RejectionError.self) { try begun("/x", strict: true) }
        #expect(throws: RejectionError.self) { try begun("/z") }
    }
}
