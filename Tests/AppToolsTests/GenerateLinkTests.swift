import AppTools
import JSON
import Navigation
import Testing

/// The functions of deep links.
@Suite struct GenerateLinkTests {
    /// An app with a link for each pattern, which leads to a route with a param `x`.
    private func app(_ patterns: [String], needsParam: Bool = true) -> String {
        let links = patterns.map {
            #"{"pattern": "\#($0)", "path": [{"route": "r", "params": {"x": "{x}"}}]}"#
        }
        let required = needsParam ? #""required": ["x"], "# : ""
        return """
            {"id": "a", "routes": {"home": {}, "r": {"params": {\(required)"properties": {
            "x": {"type": "string"}}}}}, "tabs": [{"id": "t", "root": "home", "routes": ["r"]}],
            "links": [\(links.joined(separator: ", "))]}
            """
    }

    /// The types of URLs refuse such a host, or write another one than the rules compare.
    @Test(arguments: [
        "https://bücher.example/{x}", "l://größe/{x}", "l://a^b/{x}", "l://a:b/{x}", "l://a b/{x}",
        "l://a%zz/{x}", "l://a%2/{x}", "https://[::1/{x}", "https://[zz]/{x}", "https://[::1]a/{x}",
        "l://u@v@h/{x}", "l://u^@h/{x}", "https://{x}.bücher.example/p",
    ]) func `a link has no function if a URL cannot have its host`(_ pattern: String) throws {
        for language in GeneratedLanguage.allCases {
            let code = try GenerateTests.code(app([pattern]), language)
            #expect(code.faults.map(\.code) == ["no-link"])
            #expect(code.faults.map(\.pointer) == ["/links/0/pattern"])
            #expect(!code.faults.contains { $0.isError })
            let names = language.isSwift ? ["enum Link"] : ["function r(", "fun r("]
            #expect(!names.contains { (code.main + code.links).contains($0) })
        }
    }

    @Test(arguments: [
        ("https://[::1]/{x}", #""https://[::1]/\(AppLink.segment(x))""#),
        ("https://[fe80::1.2.3.4]:80/{x}", #""https://[fe80::1.2.3.4]:80/\(AppLink.segment(x))""#),
        ("l://a:80/{x}", #""l://a:80/\(AppLink.segment(x))""#),
        ("l://u:p@h/{x}", #""l://u:p@h/\(AppLink.segment(x))""#),
        ("l://a%20b/{x}", #""l://a%20b/\(AppLink.segment(x))""#),
        ("https://{x}.Example.com:8080/p", #""https://\(AppLink.segment(x)).Example.com:8080/p""#),
        ("l:///é^/{x}", #""l:///%C3%A9%5E/\(AppLink.segment(x))""#),
        ("l:é/{x}", #""l:%C3%A9/\(AppLink.segment(x))""#),
        ("/é/{x}", #""/%C3%A9/\(AppLink.segment(x))""#),
        ("l://h//{x}//", #""l://h//\(AppLink.segment(x))//""#),
        ("l://h#a#b{x}", ##""\(AppLink.url("l://h").absoluteString)#a%23b\(AppLink.segment(x))""##),
    ]) func `a host is written as it is and a path with escapes`(
        _ pattern: String, _ url: String
    ) throws {
        let code = try GenerateTests.code(app([pattern]))
        #expect(code.faults.isEmpty)
        #expect(code.main.contains("func r(x: String) -> URL {\n            AppLink.url(\(url))\n"))
    }

    /// The link that has no function does not keep another one from having it.
    @Test func `a function is that of the next link if the first one has none`() throws {
        let code = try GenerateTests.code(app(["l://a^b/{x}", "l://z/{x*}"]))
        #expect(code.faults.map(\.pointer) == ["/links/0/pattern"])
        #expect(code.main.contains(#"AppLink.url("l://z/\(AppLink.rest(x))")"#))
    }

    @Test(arguments: GeneratedLanguage.allCases)
    func `links whose captures have equal names share a function`(
        _ language: GeneratedLanguage
    ) throws {
        let first = #"{it-em}", "path": [{"route": "r", "params": {"x": "{it-em}"#
        let second = #"{itEm}", "path": [{"route": "r", "params": {"x": "{itEm}"#
        let document = app(["l://first/{it-em}", "l://second/{itEm}"])
            .replacing(#"{it-em}", "path": [{"route": "r", "params": {"x": "{x}"#, with: first)
            .replacing(#"{itEm}", "path": [{"route": "r", "params": {"x": "{x}"#, with: second)
        let code = try GenerateTests.code(document, language)
        #expect(code.faults.isEmpty)
        let text = code.main + code.links
        #expect(text.contains("r(itEm"))
        let lines = text.split(separator: "\n").filter { !$0.contains("\"pattern\"") }
        #expect(lines.contains { $0.contains("l://first/") })
        #expect(!lines.contains { $0.contains("l://second/") || $0.contains("r2(itEm") })
    }

    /// A fragment that is empty counts as none, so that the pattern would not match.
    @Test(arguments: [
        (GeneratedLanguage.typescript, ##""#" + ($query([["x", x]]) || "?")"##),
        (.kotlin, ##""#" + `$query`("x" to x).ifEmpty { "?" }"##),
        (.swift, ##""\(AppLink.url("l://h").absoluteString)#", query: [("x", [x])]"##),
    ]) func `a fragment without values is not empty`(
        _ language: GeneratedLanguage, _ text: String
    ) throws {
        let code = try GenerateTests.code(app(["l://h#?x={x}"], needsParam: false), language)
        #expect(code.faults.isEmpty)
        #expect((code.main + code.links).contains(text))
    }
}
