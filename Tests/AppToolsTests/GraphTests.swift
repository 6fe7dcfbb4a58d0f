import AppTools
import FoundationEssentials
import JSON
import Navigation
import Testing

/// Diagrams of apps.
@Suite struct GraphTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../..")

    private func app(_ document: String) throws -> App {
        let report = try AppReader.check(
            try JSON(parsing: Array(document.utf8)), id: try #require(AppID("app")),
            limits: Limits(), work: .unlimited)
        return try #require(report.app, "\(report.errors)")
    }

    @Test(arguments: ["chat", "hierarchy", "routers", "shop", "social"])
    func `the example apps are drawn as in the fixtures`(_ name: String) throws {
        let document = try String(
            contentsOf: Self.root.appending(path: "Examples/apps/\(name).json"), encoding: .utf8)
        let value = try JSON(parsing: Array(document.utf8))
        let report = try AppReader.check(
            value, id: try #require(AppID(name)), limits: Limits(), work: .unlimited)
        let graph = AppGraph(of: try #require(report.app))
        for (format, ending) in [(AppGraph.Format.mermaid, "mmd"), (.dot, "dot")] {
            let file = Self.root.appending(path: "Tests/fixtures/graphs/\(name).\(ending)")
            #expect(graph.text(format) == (try String(contentsOf: file, encoding: .utf8)))
        }
    }

    @Test func `each kind of screen has a shape, and each kind of edge a line`() throws {
        let text = AppGraph(of: try app(Self.all)).text(.mermaid)
        for line in [
            "a([Hall])", "room[Room]", "ask(\"Ask<br/>integer\")", "wall[[Wall]]",
            "sure(\"Sure?<br/>yes, no\")", "guard1{{in}}", "l1>\"/x\"]", "a --> room",
            "a -->|in| safe", "a -.-> ask", "room -.-> sure", "guard1 -.-> ask", "l1 -->|in| room",
            "l2 -->|redirect| l1", "linkStyle 6 stroke-dasharray:1 4",
        ] {
            #expect(text.contains("  \(line)\n"), "\(line) in \(text)")
        }
        let dot = AppGraph(of: try app(Self.all)).text(.dot)
        for line in [
            "a [label=\"Hall\", shape=oval];", "ask [label=\"Ask\\ninteger\", style=rounded];",
            "wall [label=\"Wall\", peripheries=2];", "a -> safe [label=\"in\"];",
            "a -> ask [style=dashed];", "guard1 -> ask [style=dotted];",
        ] {
            #expect(dot.contains("  \(line)\n"), "\(line) in \(dot)")
        }
    }

    private static let all = #"""
        {"routes":{"a":{"title":"Hall"},"room":{"title":"Room"},"safe":{"guard":"in"},"in":{},
          "ask":{"title":"Ask","presentation":"sheet","result":{"type":"integer"}},
          "wall":{"title":"Wall","presentation":"fullScreenCover"},
          "sure":{"presentation":"alert","title":"Sure?","on":["room"],
            "buttons":[{"id":"yes","title":"Y"},{"id":"no","title":"N"}]}},
        "tabs":[{"id":"t","root":"a","routes":["room","safe","in"]}],
        "facts":{"f":{"default":1}},
        "guards":{"in":{"when":{"f":2},"instead":{"command":"present","route":"ask"}}},
        "links":[{"pattern":"/x","tab":"t","guard":"in","path":["room"]},
          {"pattern":"/y","redirect":"/x"}]}
        """#

    @Test func `titles and names cannot become something else in a diagram`() throws {
        let document = ##"""
            {"routes":{"end":{"title":"a\"] --> b[\"<script>`*x*`#amp;\\n\n\u202e\u0085"},
              "graph":{"title":"end"},"a.b":{"title":""},"a-b":{},"class":{},"l1":{}},
            "tabs":[{"id":"default","title":"x","root":"end","routes":["graph","a.b","a-b","class","l1"]}],
            "links":[{"pattern":"/a","tab":"default","path":["l1"]}]}
            """##
        let graph = AppGraph(of: try app(document))
        let text = graph.text(.mermaid)
        #expect(
            text.contains(
                "screen1([\"a#34;] --#62; b[#34;#60;script#62;#96;*x*#96;#35;amp#59;#92;n  \"])\n"))
        #expect(text.contains("screen2[\"end\"]\n") && text.contains("screen3[\"\"]\n"))
        #expect(text.contains("screen4[\"a-b\"]\n") && text.contains("screen5[class]\n"))
        #expect(text.contains("  l1[l1]\n") && text.contains("  l2>\"/a\"]\n"))
        #expect(text.split(separator: "\n").count == 14)
        let dot = graph.text(.dot)
        #expect(
            dot.contains(
                #"screen1 [label="a\"] --> b[\"<script>`*x*`#amp;\\n\n ", shape=oval];"#))
        #expect(!dot.contains("\u{202E}") && !dot.contains("\u{85}"))
    }

    @Test func `what several screens push is drawn once, unless a part of it is guarded`() throws {
        func document(_ guarded: String) -> String {
            #"""
            {"routes":{"a":{},"b":{},"x":{\#(guarded)},"y":{}},"groups":{"both":["x","y"]},
            "facts":{"f":{"default":1}},"guards":{"g":{"when":{"f":2}}},
            "tabs":[{"id":"s","root":"a","routes":["@both"]},{"id":"t","root":"b","routes":["@both"]}]}
            """#
        }
        let text = AppGraph(of: try app(document(""))).text(.mermaid)
        #expect(text.contains("subgraph group1 [both]") && text.contains("  b --> group1\n"))
        let guarded = AppGraph(of: try app(document(#""guard":"g""#))).text(.mermaid)
        #expect(!guarded.contains("group1") && guarded.contains("  b -->|g| x\n"))
    }
}
