import AppTools
import Foundation
import JSON
import Navigation
import Testing

/// The output of `navstate app generate`. `Tests/types/run.sh` compiles it.
@Suite struct GenerateTests {
    static let tests = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
    static let apps = ["chat", "hierarchy", "routers", "shop", "social"]

    static func document(_ path: String) throws -> JSON {
        try JSON(parsing: Array(Data(contentsOf: tests.appending(path: path))))
    }

    static func code(
        _ document: JSON, _ language: GeneratedLanguage = .swift,
        _ options: GeneratedCode.Options = .init()
    ) throws -> GeneratedCode {
        var id = "app"
        if case .object(let object) = document, case .string(let own)? = object["id"] { id = own }
        let report = try AppReader.read(
            document, id: try #require(AppID(id)), limits: Limits(), work: .unlimited)
        let app = try #require(report.app, "\(report.errors)")
        return GeneratedCode(document, app, in: language, options: options)
    }

    static func code(
        _ text: String, _ language: GeneratedLanguage = .swift
    ) throws -> GeneratedCode {
        try code(try JSON(parsing: Array(text.utf8)), language)
    }

    /// An app with one tab and these members.
    static func app(_ members: String, routes: String = #""home": {}"#) -> String {
        #"{"id": "a", \#(members) "routes": {\#(routes)}, "tabs": [{"id": "t", "root": "home"}]}"#
    }

    // MARK: - Golden files

    /// The code of the five apps. `NAVSTATE_RECORD=1` writes the files.
    @Test(arguments: apps) func `the example apps give the recorded code`(_ name: String) throws {
        let document = try Self.document("../Examples/apps/\(name).json")
        let swift = try Self.code(document)
        let script = try Self.code(document, .typescript)
        let kotlin = try Self.code(document, .kotlin)
        let files = [
            "\(name).swift": swift.main, "\(name)Mocks.swift": swift.mocks,
            "\(name).ts": script.main, "\(name).links.ts": script.links,
            "\(name).kt": kotlin.main,
        ]
        for (file, text) in files {
            let url = Self.tests.appending(path: "types/golden/\(file).txt")
            if ProcessInfo.processInfo.environment["NAVSTATE_RECORD"] != nil {
                try Data(text.utf8).write(to: url)
            }
            let recorded = try Array(Data(contentsOf: url))
            #expect(
                GeneratedCode.differences(of: file, recorded, from: text) == [],
                "raise the version in GenerateCode.swift and record again")
        }
    }

    @Test func `the same document gives the same code`() throws {
        let document = try Self.document("types/hostile.json")
        for language in GeneratedLanguage.allCases {
            let (first, second) = (
                try Self.code(document, language), try Self.code(document, language)
            )
            #expect(first.main == second.main)
            #expect(first.mocks == second.mocks)
            #expect(first.links == second.links)
        }
    }

    // MARK: - Hostile documents

    /// All texts of the document have a line that would be code if it left its comment or literal.
    @Test(arguments: GeneratedLanguage.allCases)
    func `no text of the document becomes code`(_ language: GeneratedLanguage) throws {
        let evil =
            ##"x\" + evil() + \"\"\"#\n evil() \r\n*/ evil() /* \u2028 evil() "##
            + ##"// \\(evil()) ${evil()}"##
        let text = """
            {"id": "a", "title": "\(evil)", "description": "\(evil)",
            "$defs": {"T": {"description": "\(evil)", "enum": ["a", "\(evil)"]}},
            "facts": {"f": {"description": "\(evil)", "default": "\(evil)"}},
            "guards": {"g": {"when": {"f": ["\(evil)", 1]}}},
            "routes": {"home": {"title": "\(evil) {p}", "description": "\(evil)", "params": {
                "type": "object", "properties": {"p": {"type": "string", "pattern": "evil()|\\\\*/",
                "default": "\(evil)"}, "\(evil)": {"$ref": "#/$defs/T"}}}}},
            "tabs": [{"id": "t", "title": "\(evil)", "icon": "\(evil)", "root": "home"}],
            "links": [{"pattern": "x://a/{p}/evil()?k%22=evil()", "tab": "t"}]}
            """
        let code = try Self.code(text, language)
        #expect(!code.faults.contains { $0.isError })
        for line in (code.main + code.links).split(whereSeparator: \.isNewline) {
            #expect(!Self.code(line, in: language).contains("evil()"), "\(line)")
        }
    }

    /// A line without its comment and its literals, but with what is interpolated into them.
    private static func code(_ line: Substring, in language: GeneratedLanguage) -> String {
        let trimmed = line.drop { $0 == " " }
        if trimmed.hasPrefix("//") || trimmed.hasPrefix(#"{"id":"#) { return "" }
        if trimmed.hasPrefix("/**") {
            // The comment ends with the line, and nowhere before.
            let inner = trimmed.dropFirst(3).dropLast(2)
            return trimmed.hasSuffix("*/") && !inner.contains("*/") ? "" : String(inner)
        }
        // How many parentheses are open in each of the literals around the character.
        var (plain, isQuoted, isEscaped, open) = ("", false, false, [Int]())
        for character in trimmed {
            if isQuoted {
                if character == "\"", !isEscaped { isQuoted = false }
                if character == "(", isEscaped, language == .swift {
                    isQuoted = false
                    open.append(1)
                }
                if character == "$", !isEscaped, language == .kotlin { plain += "evil()" }
                isEscaped = character == "\\" && !isEscaped
                continue
            }
            plain.append(character)
            if character == "\"" { isQuoted = true }
            guard !open.isEmpty else { continue }
            if character == "(" { open[open.count - 1] += 1 }
            if character == ")" { open[open.count - 1] -= 1 }
            if open.last == 0 {
                open.removeLast()
                isQuoted = true
            }
        }
        return isQuoted ? String(trimmed) : plain
    }

    @Test func `the document has as many marks as it needs`() throws {
        let code = try Self.code(Self.app(###""title": "\"\"\"## \\#(x)","###))
        #expect(code.main.contains("= ###\"\"\"\n"))
        #expect(code.main.contains("\"\"\"###\n"))
        #expect(!code.main.contains("####"))
    }

    @Test func `names that are equal are refused with both places`() throws {
        let code = try Self.code(
            Self.app("", routes: #""home": {}, "waiting-room": {}, "waiting.room": {}"#))
        let fault = try #require(code.faults.first { $0.isError })
        #expect(fault.pointer == "/routes/waiting.room")
        #expect(fault.detail.contains("/routes/waiting-room"))
    }

    @Test(arguments: [
        (#""$defs": {"W": {"enum": ["a-b", "a.b"]}},"#, "/$defs/W/enum/1"),
        (#""$defs": {"Wa-b": {"type": "string"}, "WaB": {"type": "string"}},"#, "/$defs/WaB"),
        (#""facts": {"a-b": {"default": 1}, "aB": {"default": 1}},"#, "/facts/aB"),
        (#""groups": {"a-b": ["home"], "aB": ["home"]},"#, "/groups/aB"),
        (
            #""facts": {"f": {"default": 1}}, "guards": {"a-b": {"when": {"f": 1}}, "#
                + #""aB": {"when": {"f": 1}}},"#,
            "/guards/aB"
        ),
    ]) func `names of each kind are compared`(_ members: String, _ pointer: String) throws {
        let faults = try Self.code(Self.app(members)).faults
        #expect(faults.filter(\.isError).map(\.pointer) == [pointer])
    }

    // MARK: - Values and names that code cannot have

    /// - Parameters:
    ///   - schema: of the root's param `n`.
    ///   - value: of the param, or nil for the default of the schema.
    @Test(arguments: [
        (#"{"type": "integer"}"#, "1e19"), (#"{"type": "integer", "default": 1e300}"#, nil),
        (#"{"type": "array", "items": {"type": "integer"}}"#, "[1, 1e19]"),
    ]) func `the params of a root fit their types in code`(_ schema: String, _ value: String?)
        throws
    {
        let params = value.map { #"{"n": \#($0)}"# } ?? "{}"
        let text = """
            {"id": "a", "routes": {"r": {"params": {"properties": {"n": \(schema)}}}},
            "tabs": [{"id": "t", "root": {"route": "r", "params": \(params)}}]}
            """
        for language in [GeneratedLanguage.swift, .kotlin] {
            let faults = try Self.code(text, language).faults.filter(\.isError)
            #expect(faults.map(\.code) == ["no-root-params"])
            #expect(faults.map(\.pointer) == ["/tabs/0"])
        }
        #expect(try !Self.code(text, .typescript).faults.contains(where: \.isError))
    }

    @Test func `a guard is not compared with what its fact cannot be`() throws {
        let members =
            #""facts": {"n": {"default": 0, "schema": {"type": "integer"}}}, "#
            + #""guards": {"g": {"when": {"n": [1e19, 2]}}},"#
        let text = Self.app(members)
        #expect(try Self.code(text, .kotlin).main.contains("it.n in listOf(2L)"))
        #expect(try Self.code(text).main.contains("facts.n == 2"))
    }

    @Test func `the least integer is written as Kotlin can read it`() throws {
        let routes = """
            "home": {}, "r": {"params": {"properties": {
            "n": {"type": "integer", "default": \(Int64.min)}}}}
            """
        let code = try Self.code(Self.app("", routes: routes), .kotlin)
        #expect(code.main.contains("val n: Long = -9223372036854775807L - 1L"))
    }

    /// The name of such a group is one of the generated code.
    @Test func `a group with another name in code is inherited by that name`() throws {
        let members = #""groups": {"b": ["@app", "s"], "app": ["r"]},"#
        let routes = #""home": {}, "r": {}, "s": {}"#
        let code = try Self.code(Self.app(members, routes: routes))
        #expect(code.main.contains("protocol BRouting: AppRoutingValue"))
        #expect(code.mocks.contains("case showR"))
    }

    @Test(arguments: [
        ("AppLink", "AppLinkScreen"), ("JSONValue", "JSONValueScreen"), ("Type", "TypeScreen"),
        ("Protocol", "ProtocolScreen"), ("RawValue", "RawValueScreen"),
    ]) func `a route does not take a name of the generated code`(_ key: String, _ name: String)
        throws
    {
        let code = try Self.code(Self.app("", routes: #""home": {}, "\#(key)": {}"#))
        #expect(code.main.contains("case \(name)"))
    }

    @Test(arguments: ["Self", "self", "CodingKeys", "String", "RawValue", "hashValue", "A"])
    func `a member does not take a name of the generated code`(_ key: String) throws {
        let routes = #""home": {"params": {"properties": {"\#(key)": {"type": "integer"}}}}"#
        let code = try Self.code(Self.app("", routes: routes))
        #expect(code.main.contains("\(key)_: Int?"))
    }

    @Test(arguments: ["allCases", "AllCases", "RawValue", "Screen"])
    func `a constant does not take a name of its enumeration`(_ key: String) throws {
        let members = #""$defs": {"W": {"enum": ["\#(key)"]}},"#
        let code = try Self.code(Self.app(members))
        #expect(code.main.contains(#"case \#(key)_ = "\#(key)""#))
    }

    @Test(arguments: [
        #"{"type": "object"}"#, "true", #"{"anyOf": [{"type": "object"}]}"#,
        #"{"type": "object", "additionalProperties": {"type": "string"}}"#,
    ]) func `params need properties`(_ schema: String) throws {
        let faults = try Self.code(
            Self.app("", routes: #""home": {}, "x": {"params": \#(schema)}"#)
        ).faults
        #expect(faults.first { $0.isError }?.pointer == "/routes/x/params")
    }
}
