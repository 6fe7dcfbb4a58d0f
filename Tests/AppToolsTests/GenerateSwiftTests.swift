import AppTools
import JSON
import Navigation
import Testing

/// Optionals in generated code, and the names that it uses itself.
@Suite struct GenerateSwiftTests {
    // MARK: - Optionals

    /// Only a step that is optional itself has a `?`, and the title depends on the whole chain.
    @Test(arguments: [
        (
            #""p": {"type": "object", "required": ["kind"], "#
                + #""properties": {"kind": {"enum": ["a"]}}}"#,
            "p.kind", "p?.kind.rawValue"
        ),
        (#""p": {"enum": ["a"]}"#, "p", "p?.rawValue"),
        (
            #""p": {"type": "object", "required": ["l"], "properties": {"l": {"type": "array", "#
                + #""items": {"type": "string"}}}}"#,
            "p.l.2", "p?.l.dropFirst(2).first"
        ),
        (
            #""p": {"type": "object", "required": ["q"], "properties": {"q": {"type": "object", "#
                + #""required": ["r"], "properties": {"r": {"type": "string"}}}}}"#,
            "p.q.r", "p?.q.r"
        ),
        (
            #""p": {"type": "object", "required": ["m"], "properties": {"m": {"type": "object", "#
                + #""additionalProperties": {"enum": ["a"]}}}}"#,
            "p.m.k", #"p?.m["k"]?.rawValue"#
        ),
        (
            #""p": {"type": "array", "items": {"type": "object", "required": ["n"], "properties": "#
                + #"{"n": {"type": "object", "properties": {"f": {"type": "string"}}}}}}"#,
            "p.0.n.f", "p?.dropFirst(0).first?.n.f"
        ),
        (##""p": {"$ref": "#/$defs/N"}"##, "p", "p.flatMap({ $0 })"),
        (
            ##""p": {"type": "object", "properties": {"q": {"$ref": "#/$defs/N"}}}"##, "p.q",
            "p?.q.flatMap({ $0 })"
        ),
    ]) func `a title unwraps what is optional`(
        _ params: String, _ path: String, _ expression: String
    ) throws {
        let app = GenerateTests.app(
            #""$defs": {"N": {"type": ["string", "null"]}},"#,
            routes:
                #""home": {}, "x": {"title": "T {\#(path)}", "#
                + #""params": {"properties": {\#(params)}}}"#
        )
        let code = try GenerateTests.code(app).main
        #expect(
            code.contains(
                "case .x(let p): if let text0 = \(expression) "
                    + #"{ "T \(text0)" } else { "x" }"#))
    }

    /// In an optional, `.none` is nil.
    @Test func `a guard with the name none is a guard`() throws {
        let members =
            #""facts": {"f": {"default": 1}}, "guards": {"none": {"when": {"f": 1}}, "#
            + #""some": {"when": {"f": 2}}},"#
        let routes = #""home": {}, "x": {"guard": "none"}, "y": {"guard": ["none", "some"]}"#
        let code = try GenerateTests.code(GenerateTests.app(members, routes: routes)).main
        #expect(code.contains("case .x, .y: .some(.none)"))
        #expect(code.contains("case .y: [.none, .some]"))
    }

    @Test func `a default with the name none is a value in each optional`() throws {
        let members = """
            "$defs": {"E": {"enum": ["none", "a"]}, "N": {"anyOf": [{"$ref": "#/$defs/E"},
            {"type": "null"}]}, "O": {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]}},
            """
        let routes = ##"""
            "home": {}, "x": {"params": {"properties": {
            "p": {"$ref": "#/$defs/N", "default": "none"},
            "q": {"$ref": "#/$defs/O", "default": "none"}}}}
            """##
        let code = try GenerateTests.code(GenerateTests.app(members, routes: routes)).main
        #expect(code.contains("p: N = .some(.none), q: O = .some(.some(.none))"))
    }

    // MARK: - Names

    /// A function would be found only with parentheses, and the screen without them.
    @Test func `a question without params is written as its screen is`() throws {
        let routes = #"""
            "home": {}, "del": {"presentation": "alert", "title": "D", "buttons": [{"id": "y", "title": "Y"}]},
            "sure": {"presentation": "sheet", "result": {"type": "boolean"},
            "params": {"properties": {"n": {"type": "integer"}}}}
            """#
        let code = try GenerateTests.code(GenerateTests.app("", routes: routes)).main
        #expect(code.contains("static var del: Self {\n        Self(.del)\n"))
        #expect(code.contains("static func sure(n: Int? = nil) -> Self {"))
    }

    @Test(arguments: [
        ("fallbacks", "fallbacksScreen"), ("AppTitle", "AppTitleScreen"),
        ("ACodingKeys", "ACodingKeysScreen"), ("aCodingKeys", "aCodingKeys"),
        ("Self", "SelfScreen"), ("A", "AScreen"),
    ]) func `a route does not take the name of a member of the screens`(
        _ key: String, _ name: String
    ) throws {
        let routes = #"""
            "home": {}, "\#(key)": {}, "a": {"params": {"properties": {
            "a-b": {"type": "integer", "default": 3}}}}
            """#
        let code = try GenerateTests.code(GenerateTests.app("", routes: routes))
        #expect(code.main.contains("        case \(name)\n"))
        #expect(code.main.contains("enum ACodingKeys: String, CodingKey"))
        #expect(code.main.contains("static let fallbacks: "))
        #expect(!code.faults.contains { $0.isError })
    }

    @Test func `a type does not take the name of the keys of a route`() throws {
        let routes = #"""
            "home": {}, "order": {"params": {"properties": {
            "CodingKeys": {"type": "object", "properties": {"a": {"type": "string"}}}}}}
            """#
        let code = try GenerateTests.code(GenerateTests.app("", routes: routes)).main
        #expect(code.contains("struct OrderCodingKeysValue: "))
        #expect(code.contains("enum OrderCodingKeys: String, CodingKey"))
    }
}
