import AppTools
import JSON
import Navigation
import Testing

/// The check of a document: findings with their places.
@Suite struct AppCheckTests {
    private func lines(_ text: String) throws -> [String] { try findings(text).map(\.line) }

    @Test func `a finding has the line and the column of its value`() throws {
        let text = #"""
            {
              "facts": {"ward": {"default": "none", "schema": {"enum": ["none", "in"]}}},
              "guards": {
                "inWard": {"when": {"ward": "inn"}}
              },
              "routes": {"x": {"guard": "inWard"}},
              "tabs": [
                {"id": "é", "icon": "house"},
                {"id": "a", "routes": ["x", "y"]}, {"id": "b", "icon": "calender"}
              ]
            }
            """#
        #expect(
            try lines(text) == [
                #"app.json:4:33: error: /guards/inWard/when/ward must be one of "none" or "in""#,
                "app.json:8:12: error: /tabs/0/id must be 1 to 64 letters, digits or . _ ~ - and "
                    + "begin with a letter or digit; active, visible and e followed by digits are "
                    + "reserved",
                "app.json:9:33: error: /tabs/1/routes/1 names the unknown route y "
                    + "(did you mean x?)",
                #"app.json:9:60: warning: /tabs/2/icon: "calender" is not one of the "#
                    + "\(symbolCount) known symbols (did you mean calendar?)",
            ])
    }

    private var symbolCount: Int {
        get throws { try text(of: "docs/apps.md").firstSymbols.count }
    }

    @Test func `a finding about a missing value is at the object that lacks it`() throws {
        #expect(
            try lines("{\n  \"tabs\": [\n    {\"title\": \"x\"}]}") == [
                "app.json:3:5: error: /tabs/0/id is required"
            ])
        #expect(try lines("  []") == ["app.json:1:3: error: the app must be a JSON object"])
    }

    @Test(arguments: [
        ("{\n \"tabs\": [}", 2, 11, "expected a value"),
        ("", 1, 1, "the text ends before the value is complete"),
        (#"{"tabs":[],"tabs":[]}"#, 1, 12, #"the name "tabs" is repeated"#),
        ("{\"title\": \"é\u{1}\"}", 1, 13, "control characters in strings must be escaped"),
        (String(repeating: "[", count: 65), 1, 65, "the maximum nesting depth is 64"),
    ])
    func `a syntax error is one finding`(
        text: String, line: Int, column: Int, detail: String
    ) throws {
        let found = try findings(text)
        #expect(found.map(\.line) == ["app.json:\(line):\(column): error: \(detail)"])
        #expect(found.map(\.code) == ["syntax"])
    }

    @Test func `bytes that are no text are a syntax error`() {
        let error = #expect(throws: AppFinding.self) {
            try AppDocument([0x7B, 0x22, 0xFF, 0x22, 0x7D], file: "x")
        }
        #expect(error?.line == "x:1:3: error: the text is not valid UTF-8")
    }

    @Test func `a finding as JSON has all its members`() throws {
        let found = try findings(#"{"tabs": [{"id": "a", "root": "b"}]}"#)
        #expect(
            found.map(\.json.text) == [
                #"{"file":"app.json","line":1,"column":31,"severity":"error","#
                    + #""pointer":"/tabs/0/root","code":"undeclared-root","#
                    + #""detail":"names the route b, which the app does not declare"}"#
            ])
    }

    @Test func `docs/apps.md lists the codes`() throws {
        let rows = try text(of: "docs/apps.md").split(separator: "\n").filter {
            $0.hasPrefix("| `")
        }
        let codes = AppWarning.allCases.map(\.rawValue)
        let listed = rows.map { String($0.dropFirst(3).prefix { $0 != "`" }) }
        #expect(listed.suffix(codes.count) == codes[...])
    }

    @Test func `strict counts warnings, but not those about icons`() throws {
        func check(_ text: String) throws -> AppCheck {
            let document = try document(text)
            return AppCheck(document, try report(document.value))
        }
        let icon = try check(#"{"tabs": [{"id": "a", "icon": "zzzzzz"}]}"#)
        #expect(icon.findings.map(\.code) == ["unknown-icon"])
        #expect(!icon.fails(isStrict: false) && !icon.fails(isStrict: true))
        let fact = try check(#"{"tabs": [{"id": "a"}], "facts": {"f": {"default": 1}}}"#)
        #expect(fact.findings.map(\.code) == ["unused-fact"])
        #expect(!fact.fails(isStrict: false) && fact.fails(isStrict: true))
        let root = try check(#"{"tabs": [{"id": "a", "root": "none"}]}"#)
        #expect(root.fails(isStrict: false))
        #expect(try check(#"{"tabs": [{"id": "a"}]}"#).findings.isEmpty)
    }

    @Test func `the places of a hundred findings in a large document are found`() throws {
        let tabs = (0..<32).map { #"{"id": "t\#($0)", "routes": [\#($0)]}"# }
        let routes = (0..<900).map {
            #""r\#($0)": {"title": "\#(String(repeating: "x", count: 500))"}"#
        }
        let text =
            "{\"routes\": {\(routes.joined(separator: ",\n"))},\n\"tabs\": [\n"
            + tabs.joined(separator: ",\n") + "]}"
        let found = try findings(text).filter { $0.severity == .error }
        #expect(found.count == 32)
        #expect(found.map(\.place.line) == (0..<32).map { 902 + $0 })
    }
}

/// Places in a text of JSON.
@Suite struct TextPositionTests {
    @Test(arguments: [
        ("", 2, 2), ("/a", 2, 8), ("/a/0", 3, 4), ("/a/1", 3, 7), ("/a/1/b", 3, 13),
        ("/a/7", 2, 8), ("/a/-1", 2, 8), ("/a/01", 2, 8), ("/~1 \u{e9}", 4, 13), ("/x/y", 2, 2),
        ("/a/0/b", 3, 4), ("/", 5, 5),
    ])
    func `a pointer has the place of its value, or of the innermost one around it`(
        pointer: String, line: Int, column: Int
    ) throws {
        let text = "\n { \"a\":[\n   1, {\"b\": 2}],\n \"/ \\u00e9\":3,\n \"\":4}"
        let found = TextPosition(
            of: try #require(JSONPointer(pointer)), in: Array(text.utf8))
        #expect((found.line, found.column) == (line, column))
    }

    @Test func `every value of a document has the place at which it is written`() throws {
        let text = try text(of: "Examples/apps/shop.json")
        let bytes = Array(text.utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
        var count = 0
        func visit(_ value: JSON, _ pointer: JSONPointer) {
            let place = TextPosition(of: pointer, in: bytes)
            let rest = String(lines[place.line - 1][(place.column - 1)...])
            switch value {
            case .object(let object):
                #expect(rest.hasPrefix("{"), "\(pointer)")
                for member in object.members {
                    visit(member.value, pointer.appending(member.key))
                }
            case .array(let items):
                #expect(rest.hasPrefix("["), "\(pointer)")
                for (index, item) in items.enumerated() { visit(item, pointer.appending(index)) }
            case .null, .bool, .integer, .double, .string:
                #expect(rest.hasPrefix(value.text), "\(pointer)")
            }
            count += 1
        }
        visit(try JSON(parsing: bytes), JSONPointer())
        #expect(count > 50)
    }
}

extension String {
    /// The symbols that docs/apps.md lists.
    var firstSymbols: [String] {
        guard let begin = firstRange(of: "<!-- symbols -->\n"),
            let end = firstRange(of: "<!-- /symbols -->")
        else { return [] }
        return self[begin.upperBound..<end.lowerBound].split { $0 == "," || $0.isWhitespace }
            .map { String($0.dropFirst().dropLast()) }
    }
}
