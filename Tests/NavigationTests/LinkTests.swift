import Bytes
import JSON
import Navigation
import Testing

/// An app that keeps what a link captures in params of all kinds.
private func linked(_ links: String...) throws -> App {
    try app(document(links))
}

private func document(_ links: [String]) -> String {
    #"""
    {"$defs":{"One":{"type":"integer","default":1}},
     "routes":{
      "text":{"params":{"properties":{"v":{"type":"string"},"q":{"type":"string"}}}},
      "whole":{"params":{"required":["v"],"properties":{"v":{"type":"integer"}}}},
      "number":{"params":{"properties":{"v":{"type":"number"}}}},
      "flag":{"params":{"properties":{"v":{"type":"boolean"}}}},
      "free":{"params":{}},
      "list":{"params":{"properties":{"v":{"type":"array","items":{"type":"integer"}}}}},
      "deep":{"params":{"properties":{"a":{"type":"object","required":["b"],"properties":{
        "b":{"type":"integer"},"c":{"type":"string"}}}}}},
      "filled":{"params":{"required":["v"],"properties":{"v":{"$ref":"#/$defs/One"}}}},
      "hollow":{"params":{"properties":{"a":{"required":["b"],"properties":{"b":{"default":1}}}}}},
      "plain":{},"s":{"presentation":"any","routes":["plain"]}},
     "tabs":[{"id":"a","routes":["text","whole","number","flag","free","list","deep","plain",
      "filled","hollow"]},
      {"id":"b","routes":["plain"]}],
     "links":[
    """# + links.joined(separator: ",") + "]}"
}

/// A link that keeps the capture `{v}` as text.
private func text(_ pattern: String, _ constant: String = "{v}") -> String {
    #"{"pattern":"\#(pattern)","path":[{"route":"text","params":{"v":"\#(constant)"}}]}"#
}

@Suite struct LinkTests {
    private func picture(_ app: App, _ url: String) throws -> String? {
        var world = try World(app: app)
        let refusal = #"{"url":\#(JSON.string(url).text)}"#
        do {
            try world.run(.open, refusal)
            return world.picture
        } catch let error as RejectionError {
            #expect(error.problem == "no-route-for-url")
            return nil
        }
    }

    // MARK: - What a pattern matches

    static let matches: [(pattern: String, url: String, value: String?)] = [
        ("app://post/{v}", "app://post/1", "1"),
        ("app://post/{v}", "APP://POST/1", "1"),
        ("App://Post/{v}", "app://post/A", "A"),
        ("app://post/{v}", "app://post/1/", "1"),
        ("app://post/{v}", "app://post/1#top", "1"),
        ("app://post/{v}", "app://post/1?utm=x&y", "1"),
        ("app://post/{v}", "app://post/1/?a#b?c/d", "1"),
        ("app://post/{v}/", "app://post/1", "1"),
        ("app://post/{v}", "app://post/a%2Fb%20c", "a/b c"),
        ("app://post/{v}", "app://post/a+b", "a+b"),
        ("app://post/{v}", "app://post/%C3%A9", "é"),
        ("app://post/{v}", "app://post/%25", "%"),
        ("app://post/{v}", "app://post", nil),
        ("app://post/{v}", "app://post/", nil),
        ("app://post/{v}", "app://post//", nil),
        ("app://post/{v}", "app://post/1/2", nil),
        ("app://post/{v}", "app://post/1//", nil),
        ("app://post/{v}", "app://other/1", nil),
        ("app://post/{v}", "other://post/1", nil),
        ("app://post/{v}", "app:post/1", nil),
        ("app://post/{v}", "app:/post/1", nil),
        ("app://post/{v}", "/post/1", nil),
        ("app://post/{v}", "post/1", nil),
        ("app://post/{v}", "", nil),
        ("app://post/{v}", "app://post/%", nil),
        ("app://post/{v}", "app://post/%4", nil),
        ("app://post/{v}", "app://post/%zz", nil),
        ("app://post/{v}", "app://post/%E0%A4%A", nil),
        ("app://post/{v}", "app://post/%FF", nil),
        ("app://post/{v}", "app://post/%ED%A0%80", nil),
        ("app://post/{v}", "app://post/1?x=%zz", nil),
        ("app://host:80/{v}", "app://HOST:80/x", "x"),
        ("app://host:80/{v}", "app://host/x", nil),
        ("/a/{v}", "/a/1", "1"),
        ("/a/{v}", "/A/1", nil),
        ("/a/{v}", "app://a/1", nil),
        ("/caf%C3%A9/{v}", "/café/1", "1"),
        ("/caf%C3%A9/{v}", "/cafe%CC%81/1", nil),
        ("/@{v}", "/@ada", "ada"),
        ("/@{v}", "/%40ada", "ada"),
        ("/@{v}", "/ada", nil),
        ("/@{v}", "/@", nil),
        ("/{v}.html", "/a.b.html", "a.b"),
        ("/{v}.html", "/.html", nil),
        ("/x-{v}-y", "/x-1-y", "1"),
        ("/x-{v}-y", "/x-y", nil),
        ("/f/{v*}", "/f/a", "a"),
        ("/f/{v*}", "/f/a/b%2Fc/d/", "a/b/c/d"),
        ("/f/{v*}", "/f", nil),
        ("/f/{v*}", "/f/", nil),
        ("/s?q={v}", "/s?q=a+b%2B", "a b+"),
        ("/s?q={v}", "/s/?x=1&q=2", "2"),
        ("/s?q={v}", "/s?q=", ""),
        ("/s?q={v}", "/s?q", ""),
        ("/s?q={v}", "/s?q=1&q=2", "1"),
        ("/s?q={v}", "/s?Q=1", nil),
        ("/s?q={v}", "/s?q=%F", nil),
        ("/s?n%20m={v}", "/s?n+m=1", "1"),
        ("/s?%C3%A9={v}", "/s?%C3%A9=1", "1"),
    ]

    @Test(arguments: matches)
    func `a pattern takes what the contract says`(
        _ pattern: String, _ url: String, _ value: String?
    ) throws {
        let picture = try picture(try linked(text(pattern)), url)
        let isQuery = pattern.contains("?")
        let none = isQuery && !url.contains("%F") ? "a* [text] b []" : nil
        let shown = value.map { #"a* [text{"v":\#(JSON.string($0).text)}] b []"# }
        #expect(picture == shown ?? none)
    }

    @Test func `names of the query compare exactly, letter by letter`() throws {
        let app = try linked(text("/s?%C3%A9={v}"))
        #expect(try picture(app, "/s?e%CC%81=1") == "a* [text] b []")
        #expect(try picture(app, "/s?e%CC%81=1&%C3%A9=2") == #"a* [text{"v":"2"}] b []"#)
    }

    // MARK: - Captures and their types

    static let typed: [(route: String, url: String, params: String?)] = [
        ("whole", "/x/9007199254740993", #"{"v":9007199254740993}"#),
        ("whole", "/x/-9223372036854775808", #"{"v":-9223372036854775808}"#),
        ("whole", "/x/9223372036854775808", nil),
        ("whole", "/x/abc", nil),
        ("whole", "/x/1.5", nil),
        ("whole", "/x/007", nil),
        ("whole", "/x/-0", nil),
        ("whole", "/x/7.0", nil),
        ("whole", "/x/7e0", nil),
        ("whole", "/x/+1", nil),
        ("whole", "/x/%201", nil),
        ("number", "/x/1.5", #"{"v":1.5}"#),
        ("number", "/x/1.0", #"{"v":1}"#),
        ("number", "/x/15e-1", nil),
        ("number", "/x/1e400", nil),
        ("number", "/x/nan", nil),
        ("flag", "/x/true", #"{"v":true}"#),
        ("flag", "/x/1", nil),
        ("text", "/x/1", #"{"v":"1"}"#),
        ("text", "/x/true", #"{"v":"true"}"#),
        ("free", "/x/1", #"{"v":"1"}"#),
    ]

    @Test(arguments: typed)
    func `a capture becomes the type that the schema asks for, or the link does not fit`(
        _ route: String, _ url: String, _ params: String?
    ) throws {
        let link = #"{"pattern":"/x/{v}","path":[{"route":"\#(route)","params":{"v":"{v}"}}]}"#
        #expect(
            try picture(try linked(link), url) == params.map { "a* [\(route)\($0)] b []" })
    }

    @Test func `captures go into objects, lists and longer texts`() throws {
        let app = try linked(
            #"{"pattern":"/d/{v}?c={c}","path":[{"route":"deep","params":{"a":{"b":"{v}","c":"{c}"}}}]}"#,
            #"{"pattern":"/l/{v}","path":[{"route":"list","params":{"v":[1,"{v}"]}}]}"#,
            #"{"pattern":"/t/{x}/{y}","path":[{"route":"text","params":{"v":"{y}, {x} {z"}}]}"#)
        #expect(try picture(app, "/d/1") == #"a* [deep{"a":{"b":1}}] b []"#)
        #expect(try picture(app, "/d/1?c=2") == #"a* [deep{"a":{"b":1,"c":"2"}}] b []"#)
        #expect(try picture(app, "/d/x") == nil)
        #expect(try picture(app, "/l/2") == #"a* [list{"v":[1,2]}] b []"#)
        #expect(try picture(app, "/l/x") == nil)
        #expect(try picture(app, "/t/1/2") == #"a* [text{"v":"2, 1 {z"}] b []"#)
    }

    // MARK: - The most specific pattern

    static let ranked: [(url: String, value: String)] = [
        ("/p/new", "literal"), ("/p/@ada", "affixed"), ("/p/ada", "bare"), ("/p/a/b", "rest"),
        ("/p/new/b", "rest"), ("/p/x/end", "end"),
    ]

    @Test(arguments: ranked)
    func `a literal beats an affix, that a bare param, that a rest`(
        _ url: String, _ value: String
    ) throws {
        let app = try linked(
            text("/p/{v*}", "rest"), text("/p/{v}", "bare"), text("/p/@{v}", "affixed"),
            text("/p/new", "literal"), text("/p/{v}/end", "end"))
        #expect(try picture(app, url) == #"a* [text{"v":"\#(value)"}] b []"#)
    }

    @Test func `where a better pattern's capture does not fit, the next one has its turn`() throws {
        let app = try linked(
            #"{"pattern":"/p/no-{v}","path":[{"route":"whole","params":{"v":"{v}"}}]}"#,
            text("/p/{v}"))
        #expect(try picture(app, "/p/no-1") == #"a* [whole{"v":1}] b []"#)
        #expect(try picture(app, "/p/no-x") == #"a* [text{"v":"no-x"}] b []"#)
    }

    // MARK: - Where a link leads

    @Test func `a link without a path leaves the tab's path, and presents`() throws {
        var world = try World(
            app: linked(
                #"{"pattern":"/s","tab":"b","present":{"route":"s","style":"fullScreenCover","#
                    + #""tag":"t","detents":["large"],"dismissible":false,"path":["plain"]}}"#))
        try world.run(.navigate, #"{"route":"plain","in":"b"}"#)
        try world.run(.navigate, #"{"route":"plain","in":"a"}"#)
        try world.run(.open, #"{"url":"/s"}"#)
        #expect(world.picture == "a [plain] b* [plain] | <cover>s [plain]")
        let sheet = try #require(world.session.state.sheets.first)
        #expect(sheet.tag == "t")
        #expect(sheet.detents == ["large"])
        #expect(!sheet.dismissible)
        #expect(sheet.presentedBy == .entry(EntryID(number: 1)))
    }

    @Test func `equal beginnings keep their ids`() throws {
        var world = try World(
            app: linked(
                #"{"pattern":"/one","path":["plain",{"route":"text","params":{"v":"1"}}]}"#,
                #"{"pattern":"/two","path":["plain",{"route":"text","params":{"v":"2"}},"plain"]}"#)
        )
        try world.run(.open, #"{"url":"/one"}"#)
        let answer = try world.run(.open, #"{"url":"/two"}"#)
        #expect(world.session.state.ids.map(\.description) == ["e1", "e3", "e4"])
        #expect(answer.addedIDs == ["e3", "e4"])
        #expect(answer.removedIDs == ["e2"])
    }

    @Test func `sheets go, stay or refuse, but the link's own stays`() throws {
        let app = try linked(
            #"{"pattern":"/s","path":[],"present":{"route":"s"}}"#,
            #"{"pattern":"/p","path":["plain"]}"#)
        var world = try World(app: app)
        try world.run(.open, #"{"url":"/s","sheets":"reject"}"#)
        try world.run(.present, #"{"route":"s","path":[{"route":"plain"}]}"#)
        #expect(world.picture == "a* [] b [] | s [] s [plain]")
        #expect(
            try world.refusal(.open, #"{"url":"/s","sheets":"reject"}"#)
                == .sheetOpen(EntryID(number: 2)))
        try world.run(.open, #"{"url":"/p","sheets":"keep"}"#)
        #expect(world.picture == "a* [plain] b [] | s [] s [plain]")
        #expect(try world.run(.open, #"{"url":"/s"}"#).removedIDs == ["e4", "e2", "e3"])
        #expect(world.picture == "a* [] b [] | s []")
        #expect(world.session.state.ids.map(\.description) == ["e1"])
    }

    @Test func `a stack of sheets that is full points to the link`() throws {
        var world = try World(
            app: linked(#"{"pattern":"/s","path":[],"present":{"route":"s","tag":"t"}}"#))
        world.limits.sheetsMax = 1
        try world.run(.present, #"{"route":"s"}"#)
        let refusal = try world.refusal(.open, #"{"url":"/s","sheets":"keep"}"#)
        #expect(refusal.problem == "limit-exceeded")
        #expect(refusal.pointers == ["/url"])
    }

    @Test func `a session without an app has no links`() throws {
        #expect(
            try World().refusal(.open, #"{"url":"app://x"}"#) == .noRouteForURL("app://x"))
    }
}

/// Refusals of apps with links.
@Suite struct LinkErrorTests {
    static let wrong: [(link: String, pointers: [String])] = [
        ("1", ["/links/0"]),
        ("{}", ["/links/0/pattern", "/links/0"]),
        (#"{"pattern":"/x"}"#, ["/links/0"]),
        (#"{"pattern":"/x","path":["nope"]}"#, ["/links/0/path/0"]),
        (#"{"pattern":"/x","path":[1]}"#, ["/links/0/path/0"]),
        (#"{"pattern":"/x","path":[{"route":"nope"}]}"#, ["/links/0/path/0/route"]),
        (#"{"pattern":"/x","path":[{"params":{}}]}"#, ["/links/0/path/0/route"]),
        (#"{"pattern":"/x","path":[{"route":"plain","param":1}]}"#, ["/links/0/path/0/param"]),
        (#"{"pattern":"/x","path":["s"]}"#, ["/links/0/path/0"]),
        (#"{"pattern":"/x","tab":"b","path":["text"]}"#, ["/links/0/path/0"]),
        (#"{"pattern":"/x","tab":"z","path":[]}"#, ["/links/0/tab"]),
        (#"{"pattern":"/x","path":[],"to":1}"#, ["/links/0/to"]),
        (#"{"pattern":"/x","present":{"route":"plain"}}"#, ["/links/0/present/route"]),
        (#"{"pattern":"/x","present":{"route":"nope"}}"#, ["/links/0/present/route"]),
        (
            #"{"pattern":"/x","present":{"route":"s","path":["text"]}}"#,
            ["/links/0/present/path/0"]
        ),
        (
            #"{"pattern":"/x","present":{"route":"s","style":"x","tag":""}}"#,
            ["/links/0/present/style", "/links/0/present/tag"]
        ),
        // Defaults fill what is absent from the params, not from what lies in them.
        (#"{"pattern":"/x","path":["filled"]}"#, []),
        (
            #"{"pattern":"/x","path":[{"route":"hollow","params":{"a":{}}}]}"#,
            ["/links/0/path/0/params/a/b"]
        ),
        // A required param that stays unset, or is not always set.
        (#"{"pattern":"/x","path":["whole"]}"#, ["/links/0/path/0/params/v"]),
        (#"{"pattern":"/x?v={v}","path":[{"route":"whole","params":{"v":"{v}"}}]}"#, []),
        (
            #"{"pattern":"/x?v={v?}","path":[{"route":"whole","params":{"v":"{v}"}}]}"#,
            ["/links/0/path/0/params/v"]
        ),
        (
            #"{"pattern":"/x","path":[{"route":"deep","params":{"a":{"c":"1"}}}]}"#,
            ["/links/0/path/0/params/a/b"]
        ),
        (
            #"{"pattern":"/x/{y}","path":[{"route":"text","params":{"v":"{z}"}}]}"#,
            ["/links/0/path/0/params"]
        ),
        (
            #"{"pattern":"/x","path":[{"route":"plain","params":{"v":1}}]}"#,
            ["/links/0/path/0/params/v"]
        ),
    ]

    @Test(arguments: wrong)
    func `a link that cannot be is told with its place`(
        _ link: String, _ pointers: [String]
    ) throws {
        #expect(try report(document([link])).errors.map(\.pointer) == pointers)
    }

    @Test(arguments: [
        "", "x", "x/y", "://x", "1app://x", "/a#", "{s}://h/x", "/%zz", "/%FF", "/a}b", "/{}",
        "/{a b}", "/{a", "/a}", "/{a}{b}", "/{a}/{a}", "/{*}", "/{a**}", "/{a?}", "/{a}?q={a}",
        "/x?={v}", "/x?q={}", "/x?q={a}&q={b}", "/x?q=a{v}", "/x?q={a*}", "//h/x",
    ])
    func `a pattern that is none is refused`(_ pattern: String) throws {
        #expect(
            try report(document([text(pattern, "x")])).errors.map(\.pointer) == ["/links/0/pattern"]
        )
    }
}
