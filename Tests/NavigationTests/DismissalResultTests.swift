import JSON
import Navigation
import Testing

/// The schema of what `dismiss` may bring.
@Suite struct DismissalResultTests {
    static let document = ##"""
        {"$defs":{"Zone":{"enum":["A","B"]}},
         "routes":{
          "ask":{"presentation":"sheet","result":{"type":"boolean"}},
          "pick":{"presentation":"any","routes":["x"],
           "result":{"required":["zone"],"properties":{"zone":{"$ref":"#/$defs/Zone"}}}},
          "plain":{"presentation":"fullScreenCover"},
          "x":{}},
         "tabs":[{"id":"a","routes":["x","pick"]}]}
        """##

    private func world(_ routes: String...) throws -> World {
        var world = try World(app: app(Self.document))
        for route in routes { try world.run(.present, #"{"route":"\#(route)"}"#) }
        return world
    }

    @Test func `a result must fit the schema of its sheet`() throws {
        var world = try world("ask")
        let refusal = try world.refusal(.dismiss, #"{"result":"yes"}"#)
        #expect(refusal.problem == "invalid-params")
        #expect(refusal.pointers == ["/result"])
        #expect(try world.run(.dismiss, #"{"result":true}"#).changed)
    }

    @Test(arguments: [
        (#"{"result":{"zone":"C"}}"#, "/result/zone"), (#"{"result":{}}"#, "/result/zone"),
    ])
    func `a fault is pointed to, also where a member is missing`(
        body: String, pointer: String
    ) throws {
        let world = try world("pick")
        #expect(try world.refusal(.dismiss, body).pointers == [pointer])
        let batch =
            #"{"commands":[{"command":"select","tab":"a"},{"command":"dismiss",\#(body.dropFirst())]}"#
        #expect(try world.refusal(.batch, batch).pointers == ["/commands/1" + pointer])
    }

    @Test(arguments: ["{}", #"{"all":true}"#])
    func `a dismissal without a result needs none`(body: String) throws {
        var world = try world("ask")
        #expect(try world.run(.dismiss, body).changed)
    }

    @Test func `null is a result`() throws {
        #expect(
            try world("ask").refusal(.dismiss, #"{"result":null}"#).problem == "invalid-params")
    }

    @Test func `the result belongs to the lowest sheet that goes`() throws {
        let world = try world("ask", "plain", "pick")
        #expect(try world.trial(.dismiss, #"{"result":{"zone":"A"}}"#).answer.changed)
        #expect(try world.trial(.dismiss, #"{"sheet":"e2","result":[1]}"#).answer.changed)
        for which in [#""all":true"#, #""sheet":"e1""#] {
            #expect(try world.trial(.dismiss, "{\(which),\"result\":false}").answer.changed)
            let refusal = try world.refusal(.dismiss, #"{\#(which),"result":{"zone":"A"}}"#)
            #expect(refusal.pointers == ["/result"])
        }
    }

    @Test func `a locked sheet is refused before its result`() throws {
        var world = try world()
        try world.run(.present, #"{"route":"ask","dismissible":false}"#)
        #expect(try world.refusal(.dismiss, #"{"result":1}"#).problem == "sheet-locked")
        let forced = try world.refusal(.dismiss, #"{"result":1,"force":true}"#)
        #expect(forced.problem == "invalid-params")
    }

    @Test func `without a sheet, or without a schema, any result will do`() throws {
        let none = try world().trial(.dismiss, #"{"result":1}"#).answer
        #expect(none.reason == .noSheet)
        var free = try World()
        try free.run(.present, #"{"route":"ask"}"#)
        #expect(try free.run(.dismiss, #"{"result":"yes"}"#).changed)
    }

    // MARK: - Storing the app

    @Test(arguments: ["", #""presentation":"push","#])
    func `a route that is only pushed has no result`(presentation: String) throws {
        let report = try report(
            #"{"routes":{"x":{\#(presentation)"result":true}},"tabs":[{"id":"a","routes":["x"]}]}"#)
        #expect(report.errors.map(\.pointer) == ["/routes/x/result"])
    }

    @Test(arguments: [
        (#"{"type":"bool"}"#, "/routes/x/result/type"), ("1", "/routes/x/result"),
        ("null", "/routes/x/result"), (##"{"$ref":"#/$defs/No"}"##, "/routes/x/result/$ref"),
        (
            #"{"properties":{"n":{"type":"integer","default":"a"}}}"#,
            "/routes/x/result/properties/n/default"
        ),
    ])
    func `the schema of a result is checked when the app is stored`(
        schema: String, pointer: String
    ) throws {
        let report = try report(
            #"{"routes":{"x":{"presentation":"any","result":\#(schema)}},"tabs":[{"id":"a"}]}"#)
        #expect(report.errors.map(\.pointer) == [pointer])
    }
}
