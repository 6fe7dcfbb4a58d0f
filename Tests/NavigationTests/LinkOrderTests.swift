import JSON
import Navigation
import Testing

/// Which of several links a URL takes.
@Suite struct LinkOrderTests {
    /// An app whose links lead to `s` with the pattern as a constant.
    private func app(_ patterns: [String]) throws -> App {
        let links = patterns.map {
            #"{"pattern":"\#($0)","path":[{"route":"s","params":{"v":"x"}}]}"#
        }
        return try NavigationTests.app(
            #"""
            {"routes":{"s":{"params":{"properties":{"v":{"type":"string"}}}}},
             "tabs":[{"id":"t","routes":["s"]}],"links":[\#(links.joined(separator: ","))]}
            """#)
    }

    /// Each list is in the order in which its patterns are tried.
    static let orders: [(url: String, patterns: [String])] = [
        ("https://w.x/a", ["https://w.x/{v}", "https://{v}.x/a"]),
        ("/ab", ["/ab", "/a{v}", "/{v}", "/{v*}"]), ("/a-b", ["/{v}-{w}", "/{v}"]),
        ("/a//b", ["/a//b", "/a//{v}", "/a/{v*}"]),
        ("/a/b/c", ["/a/{v*}/c", "/a/{v*}", "/{v*}/b/c"]),
        ("/w/x/y/new", ["/w/{v*}/y/new", "/w/{v*}/{u}/new", "/w/{v*}/new", "/w/{v*}w", "/w/{v*}"]),
        ("/w/a.png", ["/w/{v}", "/w/{v*}.png", "/w/{v*}"]),
        ("/x#a", ["/x#a", "/x#{v}", "/x#{v*}", "/x"]), ("/x#a/b", ["/x#a/{v}", "/x#{v*}", "/x"]),
        ("/x#a", ["/x", "/{v}#a"]),
        ("/x?a=1&b=2", ["/x?a=1&b=2", "/x?a=1&c={v}", "/x?d={v}"]),
        ("/x?a=1#s?b=2", ["/x?a=1#s?b=2", "/x#s?b=2", "/x?a=1"]),
        ("/x?a=1#s", ["/x#{v}", "/x?a=1"]),
    ]

    @Test(arguments: orders)
    func `the more specific link is tried first`(_ url: String, _ patterns: [String]) throws {
        for start in patterns.indices {
            let rest = Array(patterns[start...])
            for order in [rest, rest.reversed()] {
                let goal = try app(order).resolve(url, work: WorkBudget())
                #expect(goal?.pattern == patterns[start], "\(url) of \(order)")
            }
        }
    }

    static let equals: [(pattern: String, url: String)] = [
        ("/{v}", "/x"), ("/@{v}", "/@x"), ("/{v*}", "/x"), ("/x-{v}", "/x-1"),
        ("https://{v}.x/", "https://w.x/"), ("/x?q={v}", "/x"), ("/x#{v}", "/x#v"),
    ]

    @Test(arguments: equals)
    func `links of equal rank are tried in the order of the document`(
        _ pattern: String, _ url: String
    ) throws {
        let other = pattern.replacing("{v", with: "{w")
        #expect(try app([pattern, other]).resolve(url, work: WorkBudget())?.pattern == pattern)
        #expect(try app([other, pattern]).resolve(url, work: WorkBudget())?.pattern == other)
    }

    // MARK: - Links of one shape

    private static let shop = #"""
        "routes":{
          "order":{"params":{"required":["id"],"properties":{"id":{"type":"integer"}}}},
          "product":{"params":{"required":["name"],"properties":{"name":{"type":"string"}}}},
          "filled":{"params":{"required":["q"],"properties":{"q":{"type":"string","default":"d"}}}},
          "code":{"params":{"required":["c"],"properties":{"c":{"pattern":"^[A-Z]+$"}}}},
          "short":{"params":{"properties":{"s":{"type":"string","maxLength":3}}}},
          "one":{"params":{"properties":{"o":{"enum":["a","b"]}}}},
          "free":{"params":{}},"plain":{}},
        "tabs":[{"id":"t","routes":["order","product","code","short","one","free","plain",
          "filled"]}]
        """#

    private func shop(_ links: [String]) -> String {
        "{\(Self.shop),\"links\":[\(links.joined(separator: ","))]}"
    }

    private func link(_ pattern: String, _ route: String, _ params: String = "{}") -> String {
        #"{"pattern":"\#(pattern)","path":[{"route":"\#(route)","params":\#(params)}]}"#
    }

    @Test func `the first link whose values fit is taken`() throws {
        let app = try NavigationTests.app(
            shop([
                link("/{id}", "order", #"{"id":"{id}"}"#), link("/{c}", "code", #"{"c":"{c}"}"#),
                link("/{name}", "product", #"{"name":"{name}"}"#),
            ]))
        func route(_ url: String) throws -> String? {
            try app.resolve(url, work: WorkBudget())?.path?.first?.route.rawValue
        }
        #expect(try route("/12") == "order")
        #expect(try route("/AB") == "code")
        #expect(try route("/12a") == "product")
        #expect(try route("/012") == "product")
    }

    @Test func `a link that needs a query value comes before one that does not`() throws {
        let needing = link("/h?a={a}", "product", #"{"name":"{a}"}"#)
        let without = link("/h?a={a}", "short", #"{"s":"{a}"}"#)
        for links in [[needing, without], [without, needing]] {
            let app = try NavigationTests.app(shop(links))
            func route(_ url: String) throws -> String? {
                try app.resolve(url, work: WorkBudget())?.path?.first?.route.rawValue
            }
            #expect(try route("/h?a=1") == "product")
            #expect(try route("/h") == "short")
        }
        let redirect = #"{"pattern":"/h?x={x}","redirect":"/o/{x}"}"#
        let app = try NavigationTests.app(
            shop([
                link("/h", "plain"), redirect, link("/o/{id}", "order", #"{"id":"{id}"}"#),
            ]))
        #expect(try app.resolve("/h?x=7", work: WorkBudget())?.redirected == "/o/7")
        #expect(try app.resolve("/h", work: WorkBudget())?.pattern == "/h")
    }

    @Test
    func
        `a value with a default is not needed, and an optional one for a required param is wrong`()
        throws
    {
        let filled = #"{"q":"{q}"}"#
        for pattern in ["/h?q={q}", "/h?q={q?}"] {
            let app = try NavigationTests.app(shop([link(pattern, "filled", filled)]))
            let goal = try app.resolve("/h", work: WorkBudget())
            #expect(goal?.path?.first?.params == Params(JSONObject([("q", .string("d"))])))
        }
        let refused = try report(shop([link("/h?q={q?}", "product", #"{"name":"{q}"}"#)]))
        #expect(
            refused.errors.map { "\($0.pointer) \($0.detail)" } == [
                "/links/0/path/0/params/name is required by the route, but {q?} may be absent"
            ])
    }

    static let reached: [(first: String, second: String, isReached: Bool)] = [
        (#""product","params":{"name":"{v}"}"#, #""order","params":{"id":"{w}"}"#, false),
        (#""plain""#, #""order","params":{"id":"{w}"}"#, false),
        (#""free","params":{"any":"{v}"}"#, #""plain""#, false),
        (#""product","params":{"name":"no. {v}"}"#, #""plain""#, false),
        (#""order","params":{"id":"{v}"}"#, #""product","params":{"name":"{w}"}"#, true),
        (#""code","params":{"c":"{v}"}"#, #""plain""#, true),
        (#""short","params":{"s":"{v}"}"#, #""plain""#, true),
        (#""one","params":{"o":"{v}"}"#, #""plain""#, true),
    ]

    @Test(arguments: reached)
    func `a link behind one that takes every text is never reached`(
        _ first: String, _ second: String, _ isReached: Bool
    ) throws {
        for (one, other) in [("/p/{v}", "/p/{w}"), ("/p/{v}/", "/p/{w}"), ("/p#{v}", "/p#{w}")] {
            let found = try report(
                shop([
                    #"{"pattern":"/other","path":[]}"#,
                    #"{"pattern":"\#(one)","path":[{"route":\#(first)}]}"#,
                    #"{"pattern":"\#(other)","path":[{"route":\#(second)}]}"#,
                ]))
            #expect(found.errors == [])
            #expect(
                found.warnings.map { "\($0.pointer) \($0.detail)" }
                    == (isReached
                        ? [] : ["/links/2/pattern is never reached: link 1 takes all its URLs"]))
        }
    }

    static let distinct: [(one: String, other: String)] = [
        ("/p/{v}", "/p/a{w}"), ("/p/{v}", "/p/{w*}"), ("/p/{v}", "/q/{w}"),
        ("/p/{v}", "/p/{w}#x"), ("/p/{v}", "/p/{w}?x=1"), ("/p?a={v}", "/p?b={w}"),
        ("a:p/{v}", "a:///p/{w}"), ("a://p/{v}", "/p/{w}"), ("a://{v}.x/", "a://{w}.y/"),
    ]

    @Test(arguments: distinct)
    func `a pattern of another shape is reached`(_ one: String, _ other: String) throws {
        #expect(
            try report(shop([link(one, "plain"), link(other, "plain")])).warnings == [])
    }

    @Test func `a redirect takes all URLs of its pattern, and a link that never fits takes none`()
        throws
    {
        let redirect = #"{"pattern":"/p/{v}","redirect":"/q/{v}"}"#
        let twice = try report(
            shop([redirect, link("/p/{w}", "plain"), link("/p/{x}", "plain")]))
        #expect(twice.warnings.map(\.pointer) == ["/links/1/pattern", "/links/2/pattern"])
        #expect(twice.warnings.allSatisfy { $0.detail.contains("link 0 takes") })
        let unfit = try report(
            shop([
                link("/p/{w}", "one", #"{"o":"c"}"#), link("/p/{x}", "plain"),
                link("/p/{y}", "free", #"{"y":"{y}"}"#),
            ]))
        #expect(
            unfit.warnings.map(\.pointer) == ["/links/0/path/0/params", "/links/2/pattern"])
        let cased = try report(
            shop([
                #"{"pattern":"/P/{w}","caseSensitive":false,"path":[]}"#,
                #"{"pattern":"/p/{x}","caseSensitive":false,"path":[]}"#,
                #"{"pattern":"/p/{x}","path":[]}"#,
            ]))
        #expect(cased.warnings.map(\.pointer) == ["/links/1/pattern"])
    }

    @Test func `the app says whether case counts, and a link may say otherwise`() throws {
        let app = try NavigationTests.app(
            #"""
            {\#(Self.shop),"caseSensitive":false,"links":[{"pattern":"/a","path":[]},
             {"pattern":"/b","path":[],"caseSensitive":true}]}
            """#)
        #expect(try app.resolve("/A", work: WorkBudget()) != nil)
        #expect(try app.resolve("/B", work: WorkBudget()) == nil)
        let wrong =
            #"{"caseSensitive":1,"tabs":[{"id":"t"}],"links":[{"pattern":"/","path":[],"caseSensitive":"no"}]}"#
        #expect(
            try report(wrong).errors.map(\.pointer) == ["/caseSensitive", "/links/0/caseSensitive"])
    }

    // MARK: - Captures into lists

    static let textless: [(pattern: String, schema: String, detail: String?)] = [
        (
            "/{v}", #"{"type":"array","items":{"type":"string"}}"#,
            "takes no text: an array cannot be captured"
        ),
        ("/x?v={v}", #"{"type":"array","items":{"type":"string"}}"#, nil),
        ("/x#?v={v}", #"{"type":"array"}"#, nil),
        ("/x#{v}", #"{"type":"array"}"#, "takes no text: an array cannot be captured"),
        ("https://{v}.x/", #"{"type":"object"}"#, "takes no text: an object cannot be captured"),
        (
            "/x?v={v}", #"{"type":"array","items":{"type":"object"}}"#,
            "takes no text: an object cannot be captured"
        ),
        (
            "/x?v={v}", #"{"type":["array","object"]}"#,
            "takes no text: an array or an object cannot be captured"
        ),
        (
            "/x?v={v}",
            #"{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"array"}]}"#, nil
        ),
        ("/x?v={v}", #"{"type":["array","null"]}"#, nil),
        ("/{v}", #"{"allOf":[{"type":"integer"},{"minimum":1}]}"#, nil),
    ]

    @Test(arguments: textless)
    func `no capture goes into a param that takes no text`(
        _ pattern: String, _ schema: String, _ detail: String?
    ) throws {
        let found = try report(
            #"""
            {"routes":{"r":{"params":{"properties":{"v":\#(schema)}}}},
             "tabs":[{"id":"t","routes":["r"]}],
             "links":[{"pattern":"\#(pattern)","path":[{"route":"r","params":{"v":"{v}"}}]}]}
            """#)
        #expect(found.errors.map(\.detail) == (detail.map { [$0] } ?? []))
    }

    @Test func `items become what the alternatives of a list take`() throws {
        let app = try NavigationTests.app(
            #"""
            {"routes":{"r":{"params":{"properties":{"v":{"anyOf":[
               {"type":"array","items":{"type":"integer"},"maxItems":1},
               {"type":"array","items":{"type":"boolean"}}]},"first":{"type":"string"}}}}},
             "tabs":[{"id":"t","routes":["r"]}],
             "links":[{"pattern":"/x?v={v}",
              "path":[{"route":"r","params":{"v":"{v}","first":"{v}"}}]}]}
            """#)
        func params(_ url: String) throws -> String? {
            try app.resolve(url, work: WorkBudget())?.path?.first
                .map { JSON.object($0.params.object).text }
        }
        #expect(try params("/x?v=1") == #"{"v":[1],"first":"1"}"#)
        #expect(try params("/x?v=true&v=false") == #"{"v":[true,false],"first":"true"}"#)
        #expect(try params("/x?v=1&v=2") == nil)
    }
}
