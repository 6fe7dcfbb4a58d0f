import API
import JSON
import Testing

/// The definitions that the schemas in `allowed` refer to.
@Suite struct DefinitionTests {
    private func allowed(_ definitions: String, _ params: String) throws -> JSON {
        let client = try Client()
        let app = #"""
            {"$defs":\#(definitions),
             "routes":{"a":{"params":\#(params)},"b":{"presentation":"sheet"}},
             "tabs":[{"id":"t","routes":["a"]}]}
            """#
        #expect(try client.call("PUT", "/v1/apps/x", app).status == 201)
        try client.call("POST", "/v1/sessions", #"{"id":"s","app":"x"}"#)
        return try client.call("GET", "/v1/sessions/s/allowed").json
    }

    @Test func `those are there that are referred to, and those that these refer to`() throws {
        let definitions = #"""
            {"Unused":{"type":"string"},"Name":{"type":"string"},
             "Contact":{"properties":{"name":{"$ref":"#/$defs/Name"}}},
             "Grö/ße":{"type":"integer"}}
            """#
        let params = #"""
            {"properties":{"who":{"anyOf":[{"$ref":"#/$defs/Contact"},
             {"$ref":"#/$defs/Gr%C3%B6~1%C3%9Fe"}]}}}
            """#
        let found = try #require(try allowed(definitions, params)["$defs"])
        guard case .object(let object) = found else {
            Issue.record("no object")
            return
        }
        #expect(object.members.map(\.key) == ["Name", "Contact", "Grö/ße"])
        #expect(found["Contact"]?["properties"]?["name"]?["$ref"]?.string == "#/$defs/Name")
    }

    @Test func `without a reference there are none`() throws {
        let answer = try allowed(#"{"Unused":true}"#, #"{"type":"object"}"#)
        #expect(answer["push"] != nil && answer["$defs"] == nil)
    }

    @Test func `a definition that refers to itself is there once`() throws {
        let tree = ##"{"properties":{"next":{"$ref":"#/$defs/Tree"}}}"##
        let answer = try allowed(
            #"{"Tree":\#(tree)}"#, ##"{"properties":{"tree":{"$ref":"#/$defs/Tree"}}}"##)
        #expect(answer["$defs"]?["Tree"] != nil)
    }
}
