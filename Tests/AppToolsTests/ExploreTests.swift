import AppTools
import JSON
import Navigation
import NavstateRules
import Testing

/// The words of `navstate app explore`.
@Suite struct ExploreTests {
    private func report(_ document: String, depth: Int = 5) throws -> ExplorationReport {
        let definition = try AppDefinition(json: document, id: "app")
        let read = try AppReader.check(
            try JSON(parsing: Array(document.utf8)), id: try #require(AppID("app")),
            limits: Limits(), work: .unlimited)
        return ExplorationReport(
            Exploration(definition, depth: depth), of: try #require(read.app),
            try AppDocument(Array(document.utf8), file: "app.json"))
    }

    private static let document = #"""
        {
          "facts": {"in": {"default": false}, "role": {"default": "none"}},
          "guards": {
            "member": {"when": {"in": true}}, "guest": {"when": {"in": false}},
            "staff": {"when": {"role": ["clerk", "owner"], "in": true}}
          },
          "routes": {
            "hall": {}, "orders": {"guard": "member"}, "order": {"guard": "member"},
            "stock": {"guard": "staff"},
            "attic": {}
          },
          "tabs": [{"id": "t", "root": "hall", "routes": ["orders", "order", "stock"]}],
          "links": [{"pattern": "/o", "tab": "t", "path": ["order"]}]
        }
        """#

    @Test func `the report says what was reached, what it needs, and what is wrong`() throws {
        let text = try report(Self.document).text { "\($0.command) \($0.body)" }
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == 4, "\(text)")
        #expect(lines.first?.hasSuffix(" states to depth 5; 4 of 5 screens; 1 of 1 links") == true)
        #expect(
            lines.dropFirst().first
                == "order, orders: need in. stock: needs role=clerk or owner and in.")
        #expect(
            lines.dropFirst(2).first
                == "app.json:10:14: unreachable-route: /routes/attic is shown by no state: "
                + "no tab, sheet or pushed route lists it")
        #expect(lines.last == "1 finding")
        let json = try report(Self.document).json
        #expect(
            json.hasPrefix(
                #"{"code":"unreachable-route","pointer":"/routes/attic","file":"app.json","line":10,"#
            ))
        #expect(json.hasSuffix("\"program\":[]}\n"))
        #expect(
            try report(Self.document, depth: 0).text { _ in "" }.contains(
                "1 state to depth 0; 1 of 5"))
    }

    @Test func `a program is a batch, whatever its values are`() throws {
        let document = #"""
            {"routes":{"hall":{},"it's":{}},"tabs":[{"id":"t","root":"hall","routes":[]}]}
            """#
        #expect(throws: InvalidApp.self) { try AppDefinition(json: document, id: "app") }
        let odd = #"""
            {"routes":{"hall":{},"room":{"params":{"required":["a","b","c"],"properties":{
              "a":{"const":"it's $HOME `x`"},"b":{"const":{"n":[1]}},"c":{"const":"plain"}}}}},
            "tabs":[{"id":"t","root":"hall","routes":["room"]}]}
            """#
        let app = try AppDefinition(json: odd, id: "app")
        let program = try #require(Exploration(app, to: .init("room")).program(to: "room"))
        #expect(
            program.batch
                == #"{"commands":[{"command":"navigate","route":"room","params":{"a":"it's $HOME `x`","b":{"n":[1]},"c":"plain"}}]}"#
        )
        var session = try LocalSession(app)
        #expect(try session.perform("batch", program.batch).changed)
    }

    @Test func `a test is made for each screen that was reached`() throws {
        let definition = try AppDefinition(json: Self.document, id: "app")
        let read = try AppReader.check(
            try JSON(parsing: Array(Self.document.utf8)), id: try #require(AppID("app")),
            limits: Limits(), work: .unlimited)
        let tests = EmittedTests(
            Exploration(definition), of: try #require(read.app), definition)
        let script = tests.text(for: .playwright)
        #expect(script.split(separator: "\n").count { $0.hasPrefix("test(") } == 4)
        #expect(script.contains(#"{"command":"setFacts","facts":{"in":true}},"#))
        let swift = tests.text(for: .xcuitest)
        #expect(swift.split(separator: "\n").count { $0.contains("func test") } == 4)
        #expect(swift.contains(##"launch(showing: #"{"revision":1,"app":"app","facts":"##))
    }
}
