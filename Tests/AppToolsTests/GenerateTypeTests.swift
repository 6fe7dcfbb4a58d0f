import AppTools
import JSON
import Navigation
import Testing

/// Types from schemas, and what depends on params.
@Suite struct GenerateTypeTests {
    /// The type of a param in each language, by its schema.
    @Test(arguments: [
        (#"{"type": "string", "minLength": 1}"#, "String?", "string", "String?"),
        (#"{"type": "integer"}"#, "Int?", "number", "Long?"),
        (#"{"type": "number"}"#, "Double?", "number", "Double?"),
        (#"{"type": "boolean"}"#, "Bool?", "boolean", "Boolean?"),
        (#"{"enum": ["a", "b"]}"#, "XP?", "XP", "XP?"),
        (#"{"const": "a"}"#, "XP?", "XP", "XP?"),
        (#"{"type": "object", "properties": {"q": true}}"#, "XP?", "XP", "XP?"),
        (
            #"{"type": "object", "additionalProperties": {"type": "integer"}}"#,
            "[String: Int]?", "Record<string, number>", "Map<String, Long>?"
        ),
        (
            #"{"type": "array", "items": {"type": "string"}}"#, "[String]?",
            "ReadonlyArray<string>", "List<String>?"
        ),
        (##"{"$ref": "#/$defs/D"}"##, "D?", "D", "D?"),
        (#"{"type": ["string", "null"]}"#, "String?", "string | null", "String?"),
        (
            ##"{"anyOf": [{"$ref": "#/$defs/D"}, {"type": "null"}]}"##, "D?", "D | null", "D?"
        ),
        (
            #"{"oneOf": [{"type": "string"}, {"type": "integer"}]}"#, "JSONValue?",
            "string | number", "JsonElement?"
        ),
        (#"{"enum": [1, 2]}"#, "JSONValue?", "unknown", "JsonElement?"),
        (#"{"type": "array", "prefixItems": [true]}"#, "JSONValue?", "unknown", "JsonElement?"),
        (#"{"not": {"type": "string"}}"#, "JSONValue?", "unknown", "JsonElement?"),
        ("true", "JSONValue?", "unknown", "JsonElement?"),
    ]) func `a schema has a type`(
        _ schema: String, _ swift: String, _ script: String, _ kotlin: String
    ) throws {
        let app = GenerateTests.app(
            #""$defs": {"D": {"type": "object", "properties": {}}},"#,
            routes: #"""
                "home": {}, "x": {"params": {"type": "object", "properties": {"p": \#(schema)}}}
                """#)
        #expect(try GenerateTests.code(app).main.contains("case x(p: \(swift) = nil)"))
        #expect(try GenerateTests.code(app, .typescript).main.contains("x: { p?: \(script) }"))
        #expect(try GenerateTests.code(app, .kotlin).main.contains("X(val p: \(kotlin) = null)"))
        let isUntyped = swift == "JSONValue?"
        let faults = try GenerateTests.code(app).faults
        #expect(faults.contains { $0.pointer == "/routes/x/params/properties/p" } == isUntyped)
        #expect(!faults.contains { $0.isError })
    }

    @Test func `a default is a default argument`() throws {
        let app = GenerateTests.app(
            "",
            routes: #"""
                "home": {}, "x": {"params": {"type": "object", "required": ["a"], "properties": {
                "a": {"type": "string"}, "b": {"enum": ["u", "v"], "default": "v"},
                "c": {"type": "array", "items": {"type": "number"}, "default": [1, 2.5]}}}}
                """#)
        let swift = try GenerateTests.code(app).main
        #expect(swift.contains("case x(a: String, b: XB = .v, c: [Double] = [1, 2.5])"))
        #expect(
            try GenerateTests.code(app, .typescript).main
                .contains(#"x: { a: string; b: XB; c: ReadonlyArray<number> }"#))
        #expect(
            try GenerateTests.code(app, .typescript).main.contains(#"defaults: { x: "b" | "c" }"#))
    }

    /// A struct cannot contain itself, whatever is between; a list can.
    @Test func `recursive types are finite`() throws {
        let app = GenerateTests.app(
            ##"""
            "$defs": {"N": {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"},
              "all": {"type": "array", "items": {"$ref": "#/$defs/N"}}}},
              "A": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}},
              "B": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}},
              "L": {"type": "array", "items": {"$ref": "#/$defs/L"}}},
            """##)
        let swift = try GenerateTests.code(app)
        #expect(swift.main.contains("var next: JSONValue?"))
        #expect(swift.main.contains("var all: [N]?"))
        #expect(swift.main.contains("var b: B?"))
        #expect(swift.main.contains("var a: JSONValue?"))
        #expect(swift.main.contains("typealias L = JSONValue"))
        #expect(swift.faults.map(\.code) == ["recursive", "recursive", "recursive"])
        let script = try GenerateTests.code(app, .typescript).main
        #expect(script.contains("next?: N;"))
        #expect(script.contains("export type L = unknown;"))
    }

    /// Definitions that are used twice are not recursive.
    @Test func `siblings are no ancestors`() throws {
        let app = GenerateTests.app(
            ##"""
            "$defs": {"V": {"anyOf": [{"$ref": "#/$defs/I"}, {"$ref": "#/$defs/R"}]},
              "I": {"type": "string"},
              "R": {"anyOf": [{"$ref": "#/$defs/I"}, {"type": "integer"}]}},
            """##)
        let script = try GenerateTests.code(app, .typescript)
        #expect(script.main.contains("export type R = I | number;"))
        #expect(script.faults.isEmpty)
    }

    /// The text of each type is made once: three times for each level would take days.
    @Test(.timeLimit(.minutes(10)), arguments: GeneratedLanguage.allCases)
    func `deep lists take no longer than others`(_ language: GeneratedLanguage) throws {
        let schema = (0..<40).reduce(#"{"type": "string"}"#) { inner, _ in
            #"{"type": "array", "items": \#(inner)}"#
        }
        let code = try GenerateTests.code(
            GenerateTests.app(#""$defs": {"D": \#(schema)},"#), language)
        #expect(code.main.contains("D"))
    }

    /// A chain of definitions is followed without recursion.
    @Test func `a chain of definitions does not exhaust the stack`() throws {
        let definitions = (0..<2_000).map { number in
            """
            "D\(number)": {"type": "object", "properties": {
            "d": {"$ref": "#/$defs/D\(number + 1)"}}}
            """
        }
        let last = #""D2000": {"type": "string"}"#
        let app = GenerateTests.app(
            #""$defs": {\#((definitions + [last]).joined(separator: ","))},"#)
        #expect(try GenerateTests.code(app).main.contains("struct D1999:"))
    }

    @Test func `titles use the params that they name`() throws {
        let app = GenerateTests.app(
            #"""
            "$defs": {"P": {"type": "object", "required": ["id"], "properties": {
            "id": {"type": "integer"}, "name": {"type": "string"}}}},
            """#,
            routes: ##"""
                "home": {"title": "No. {p.id}: {p.name} \\ {x y}", "params": {"type": "object",
                "properties": {"p": {"$ref": "#/$defs/P", "default": {"id": 1}}, "q": true}}},
                "list": {"title": "{q.0}", "params": {"type": "object", "properties": {"q": true}}}
                """##)
        let swift = try GenerateTests.code(app).main
        #expect(
            swift.contains(
                #"case .home(let p, _): if let text0 = p.name "#
                    + #"{ "No. \(p.id): \(text0) \\ {x y}" } else { "home" }"#
            ))
        #expect(swift.contains(#"case .list: "list""#))
        // The root has its defaults.
        #expect(swift.contains("var root: Screen {\n            .home()\n"))
    }

    @Test func `links have the types of the params that their captures fill`() throws {
        let app = #"""
            {"id": "a", "routes": {"home": {}, "x": {"params": {"type": "object",
            "required": ["id", "kind"], "properties": {"id": {"type": "integer"},
            "kind": {"enum": ["u", "v"]}, "note": {"type": "number"},
            "rest": {"type": "string"}}}}},
            "tabs": [{"id": "t", "root": "home", "routes": ["x"]}],
            "links": [
             {"pattern": "a://x/{id}?k={kind}&n={note}", "path": [{"route": "x", "params": {
                "id": "{id}", "kind": "{kind}", "note": "{note}"}}]},
             {"pattern": "a://y/{id}?k={kind}&n={note}", "path": [{"route": "x", "params": {
                "id": "{id}", "kind": "{kind}", "note": "{note}"}}]},
             {"pattern": "a://z/{rest*}?id={id}", "path": [{"route": "x", "params": {
                "id": "{id}", "kind": "u", "rest": "{rest}"}}]},
             {"pattern": "a://old/{id}", "redirect": "a://x/{id}?k=u"},
             {"pattern": "/home", "tab": "t"}]}
            """#
        let swift = try GenerateTests.code(app).main
        #expect(swift.contains("func x(id: Int, kind: XKind, note: Double? = nil) -> URL"))
        #expect(
            swift.contains(
                #"query: [("k", [kind.rawValue]), ("n", [note.map(AppLink.text)])])"#))
        #expect(swift.contains("func x(rest: String, id: Int) -> URL"))
        #expect(swift.contains("func old(id: String) -> URL"))
        #expect(swift.contains("func home() -> URL"))
        #expect(!swift.contains("a://y/\\("))
        let script = try GenerateTests.code(app, .typescript).links
        #expect(script.contains(#"function x(id: number, kind: "u" | "v", note?: number): string"#))
        #expect(script.contains("function x2(rest: string, id: number): string"))
    }

    // MARK: - --check

    @Test func `a renamed route is named`() throws {
        let document = try GenerateTests.document("../Examples/apps/shop.json")
        let old = try GenerateTests.code(document).main
        let renamed = document.text.replacing("\"delivery\"", with: "\"shipping\"")
        let new = try GenerateTests.code(renamed).main
        #expect(
            GeneratedCode.differences(of: "Shop.swift", Array(old.utf8), from: new) == [
                "Shop.swift: case shipping is missing in the file",
                "Shop.swift: case delivery is not in the app",
            ])
        let other = "// version 0\n" + old.drop { $0 != "\n" }.dropFirst()
        #expect(
            GeneratedCode.differences(of: "Shop.swift", Array(other.utf8), from: old)
                == ["Shop.swift was generated by another version"])
        #expect(
            GeneratedCode.differences(
                of: "S.swift", Array((old + "x").utf8), from: old
            ).first?.hasPrefix("S.swift:") == true)
        #expect(GeneratedCode.differences(of: "S.swift", Array(old.utf8), from: old) == [])
        let windows = Array(old.replacing("\n", with: "\r\n").utf8)
        #expect(
            GeneratedCode.differences(of: "S.swift", windows, from: old)
                == ["S.swift has other line ends"])
    }
}
