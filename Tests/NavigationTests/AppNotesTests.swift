import JSON
import Navigation
import Testing

/// `description` and members that begin with `x-`, which an app may have for itself.
@Suite struct AppNotesTests {
    /// Each object of this document has notes.
    private static let document = #"""
        {"$schema":"https://example.com/app.json","description":"d","x-a":[1],"id":"noted",
         "routes":{"r":{"description":"d","x-a":{},"params":{"x-a":1,"properties":{"p":{"x-b":2}}}},
          "s":{"presentation":"sheet","routes":["r"],"x-":null}},
         "groups":{"x-g":["r"]},
         "tabs":[{"id":"t","routes":["@x-g"],"description":"d","x-a":1}],
         "links":[{"pattern":"/r","path":[{"route":"r","description":"d","x-a":1}],"x-a":1,
           "description":"d"},
          {"pattern":"/s","present":{"route":"s","path":[{"route":"r","x-a":1}],"x-a":1,
           "description":"d"}},
          {"pattern":"/o","redirect":"/r","x-a":1}],
         "notFound":{"path":[{"route":"r","x-a":1}],"description":"d","x-a":1},
         "facts":{"x-f":{"default":1,"description":"d","x-a":1,"schema":{"x-a":1}}},
         "guards":{"x-g":{"when":{"x-f":1},"description":"d","x-a":1,
           "instead":{"command":"select","tab":"t"}}},
         "templates":{"x-t":{"commands":[{"command":"root"}],"description":"d","x-a":1}}}
        """#

    @Test func `each object with declared members may have notes`() throws {
        let app = try app(Self.document)
        #expect(app.links.count == 3 && app.templates.count == 1)
        #expect(app.guards.facts.map(\.name.rawValue) == ["x-f"])
    }

    @Test(
        arguments: [
            (#""X-a":1"#, "/X-a"), (#""x_a":1"#, "/x_a"), (#""description":1"#, "/description"),
            (#""$schema":1"#, "/$schema"), (#""$comment":"c""#, "/$comment"),
            (#""routes":{"r":{"$schema":"s"}}"#, "/routes/r/$schema"),
            (#""routes":{"r":{"description":[]}}"#, "/routes/r/description"),
            (#""routes":{"r":{"descripton":"d"}}"#, "/routes/r/descripton"),
            (
                #""templates":{"t":{"commands":[{"command":"root","x-a":1}]}}"#,
                ""
            ),
            (
                #""facts":{"f":{"default":1}},"guards":{"g":{"when":{"x-a":1}}}"#,
                "/guards/g/when/x-a"
            ),
            (
                #""facts":{"f":{"default":1}},"guards":{"g":{"when":{"f":1},"instead":{"command":"select","tab":"t","x-a":1}}}"#,
                "/guards/g/instead/x-a"
            ),
            (#""links":[{"pattern":"/r","path":[],"description":null}]"#, "/links/0/description"),
            (
                #""routes":{"s":{"presentation":"sheet"}},"links":[{"pattern":"/r","present":{"route":"s","params":{"x-a":1}}}]"#,
                "/links/0/present/params/x-a"
            ),
        ])
    func `elsewhere notes are refused, and so is another form`(
        _ members: String, _ pointer: String
    ) throws {
        let report = try report(#"{"tabs":[{"id":"t"}],\#(members)}"#)
        // The commands of a template are read when it is tried out.
        #expect(report.errors.map(\.pointer) == (pointer.isEmpty ? [] : [pointer]))
    }

    @Test func `warnings about schemas are warnings about the app`() throws {
        let report = try report(
            #"""
            {"tabs":[{"id":"t","routes":["r"]}],
             "routes":{"r":{"params":{"$schema":"http://json-schema.org/draft-07/schema#",
              "properties":{"a":{"then":true}}}}}}
            """#)
        #expect(report.errors == [])
        #expect(
            report.warnings.map(\.pointer)
                == ["/routes/r/params/properties/a/then", "/routes/r/params/$schema"])
    }
}
