import JSON
import Navigation
import Testing

/// Several guards on one thing, guards of links, and offers that are guarded themselves.
@Suite struct GuardChainTests {
    private static let document = #"""
        {"facts":{
          "in":{"default":false,"schema":{"type":"boolean"}},
          "org":{"default":false,"schema":{"type":"boolean"}}},
         "guards":{
          "member":{"when":{"in":true},"instead":{"command":"navigate","route":"login"}},
          "organized":{"when":{"org":true},"instead":{"command":"navigate","route":"orgs"}},
          "guest":{"when":{"in":false},"instead":{"command":"select","tab":"main"}},
          "never":{"when":{"in":true,"org":true}},
          "stopped":{"when":{"org":true},"instead":{"command":"navigate","route":"closed"}}},
         "routes":{
          "dashboard":{"guard":["member","organized"]},"report":{"guard":"organized"},
          "orgs":{"guard":"member"},"login":{},"plain":{},"closed":{"guard":"never"},
          "shut":{"guard":"stopped"}},
         "tabs":[
          {"id":"main","routes":["dashboard","report","orgs","login","plain","closed","shut"]},
          {"id":"lobby","guard":"guest","routes":["plain"]}],
         "links":[
          {"pattern":"/beta","path":["plain"],"guard":"member"},
          {"pattern":"/both","path":["report"],"guard":["organized","member"]}]}
        """#

    private func world(_ facts: String = "{}") throws -> World {
        var world = try World(app: app(Self.document))
        if facts != "{}" { try world.run(.setFacts, #"{"facts":\#(facts)}"#) }
        return world
    }

    private func pending(_ world: World) -> String? { world.json["pending"]?.text }

    @Test func `guards of a list are asked in their order`() throws {
        var world = try world()
        try world.run(.navigate, #"{"route":"dashboard"}"#)
        #expect(world.session.pending?.guardName.rawValue == "member")
        let second = try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        #expect(second.guarded.held?.rawValue == "organized")
        #expect(world.picture == "main* [orgs] lobby []")
        try world.run(.setFacts, #"{"facts":{"org":true}}"#)
        #expect(world.picture == "main* [dashboard] lobby []")
    }

    @Test(arguments: [false, true])
    func `what a batch resumes may be held back by the next guard`(isWhole: Bool) throws {
        var world = try world()
        try world.run(.navigate, #"{"route":"dashboard"}"#)
        let more = isWhole ? #",{"command":"setFacts","facts":{"org":true}}"# : ""
        let answer = try world.run(
            .batch,
            #"{"commands":[{"command":"back"},{"command":"setFacts","facts":{"in":true}}\#(more)]}"#
        )
        #expect(answer.guarded.givenUp == nil)
        #expect(world.picture == (isWhole ? "main* [dashboard] lobby []" : "main* [orgs] lobby []"))
        #expect(world.session.pending?.guardName.rawValue == (isWhole ? nil : "organized"))
    }

    @Test func `what is resumed may be held back although the rules are strict`() throws {
        var world = try world()
        try world.run(.navigate, #"{"route":"dashboard"}"#)
        let trial = try world.trial(.setFacts, #"{"facts":{"in":true}}"#, strict: true)
        #expect(trial.answer.guarded.held?.rawValue == "organized")
        #expect(trial.answer.guarded.refused == nil)
    }

    @Test func `an offer that is guarded is held back itself, and leaves nothing behind`() throws {
        var world = try world()
        let held = try world.run(.navigate, #"{"route":"report"}"#)
        #expect(held.guarded.held?.rawValue == "member")
        #expect(held.added.map(\.description) == ["e1"], "the first id is not used up")
        #expect(world.picture == "main* [login] lobby []")
        #expect(
            pending(world)
                == #"{"guard":"member","command":{"command":"navigate","route":"report","in":"main"},"#
                + #""entry":"e1"}"#)
        #expect(try world.trial(.navigate, #"{"route":"report"}"#).answer.reason == .held)
        let second = try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        #expect(second.guarded.held?.rawValue == "organized")
        #expect(second.guarded.resumed?["route"] == .string("report"))
        #expect(world.picture == "main* [orgs] lobby []")
        try world.run(.setFacts, #"{"facts":{"org":true}}"#)
        #expect(world.picture == "main* [report] lobby []")
    }

    @Test func `a chain that ends at a guard without an offer is refused with that guard`() throws {
        var world = try world()
        guard
            case .guarded(let name, _, let facts) = try world.refusal(
                .navigate, #"{"route":"shut"}"#)
        else { throw NotAnObject() }
        #expect(name.rawValue == "never" && facts.count == 2)
        let strict = try world.refusal(.navigate, #"{"route":"shut"}"#, strict: true)
        guard case .guarded(let first, _, _) = strict else { throw NotAnObject() }
        #expect(first.rawValue == "stopped")
        // Where it cannot be carried out, the guard is the one whose offer that is.
        try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        try world.run(.setTabs, #"{"order":["lobby","main"]}"#)
        #expect(try world.trial(.navigate, #"{"route":"report"}"#).answer.guarded.held != nil)
    }

    @Test func `a chain that comes back is refused, where a document of before has one`() throws {
        let document = try JSON(
            parsing: Array(
                #"""
                {"facts":{"f":{"default":1}},
                 "guards":{"a":{"when":{"f":2},"instead":{"command":"navigate","route":"y"}},
                  "b":{"when":{"f":3},"instead":{"command":"navigate","route":"x"}}},
                 "routes":{"x":{"guard":"a"},"y":{"guard":"b"}},
                 "tabs":[{"id":"t","routes":["x","y"]}]}
                """#.utf8))
        let report = try AppReader.read(
            document, id: AppID(trusted: "old"), limits: Limits(), work: WorkBudget(),
            checks: .needed)
        let old = try #require(report.app)
        let world = try World(app: old)
        guard case .guarded(let name, _, _) = try world.refusal(.navigate, #"{"route":"x"}"#)
        else { throw NotAnObject() }
        #expect(name.rawValue == "a")
    }

    @Test func `guards for members and for guests lead to each other's offers`() throws {
        var world = try world()
        try world.run(.select, #"{"tab":"lobby"}"#)
        #expect(world.picture == "main [] lobby* []")
        try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        #expect(world.picture == "main* [] lobby []")
        let held = try world.trial(.select, #"{"tab":"lobby"}"#).answer
        #expect(held.guarded.held?.rawValue == "guest")
    }

    @Test func `the guards of a link are asked first, and nothing stays under them`() throws {
        var world = try world()
        let held = try world.run(.open, #"{"url":"/both"}"#)
        #expect(held.guarded.held?.rawValue == "member", "organized offers what is for members")
        try world.run(.setFacts, #"{"facts":{"in":true}}"#)
        #expect(world.session.pending?.guardName.rawValue == "organized")
        try world.run(.setFacts, #"{"facts":{"org":true}}"#)
        #expect(world.picture == "main* [report] lobby []")
        world = try self.world(#"{"in":true}"#)
        try world.run(.open, #"{"url":"/beta"}"#)
        try world.run(.setFacts, #"{"facts":{"in":false}}"#)
        #expect(world.picture == "main* [plain] lobby []")
        #expect(try world.refusal(.open, #"{"url":"/beta"}"#, strict: true).problem == "guarded")
        let batch = try world.refusal(
            .batch, #"{"commands":[{"command":"root"},{"command":"open","url":"/beta"}]}"#)
        #expect(batch.problem == "guarded" && batch.index == 1)
        #expect(try world.trial(.navigate, #"{"route":"plain"}"#).answer.guarded.held == nil)
    }
}
