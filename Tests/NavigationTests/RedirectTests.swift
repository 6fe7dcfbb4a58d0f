import Bytes
import JSON
import Navigation
import TestSupport
import Testing

private func document(_ links: [String], notFound: String? = nil) -> String {
    let other = notFound.map { #","notFound":\#($0)"# } ?? ""
    return #"""
        {"routes":{
          "album":{"params":{"required":["id"],"properties":{"id":{"type":"integer"}}}},
          "text":{"params":{"properties":{"a":{"type":"string"},"b":{"type":"string"}}}},
          "lost":{"params":{"required":["url"],"properties":{
            "url":{"type":"string","maxLength":100}}}},
          "plain":{},"sheet":{"presentation":"sheet","routes":["lost"]}},
         "tabs":[{"id":"a","routes":["album","text","lost","plain"]},
          {"id":"b","routes":["lost"]}],
         "links":[\#(links.joined(separator: ","))]\#(other)}
        """#
}

private func moved(_ pattern: String, to target: String) -> String {
    #"{"pattern":"\#(pattern)","redirect":"\#(target)"}"#
}

private let album = #"{"pattern":"/albums/{id}","path":[{"route":"album","params":{"id":"{id}"}}]}"#
private let text =
    #"{"pattern":"/t/{a}?b={b}","path":[{"route":"text","params":{"a":"{a}","b":"{b}"}}]}"#
private let rest = #"{"pattern":"/f/{a*}","path":[{"route":"text","params":{"a":"{a}"}}]}"#

/// Links that lead to other URLs.
@Suite struct RedirectTests {
    private func goal(_ url: String, _ links: String...) throws -> LinkGoal? {
        try app(document(links)).resolve(url, work: WorkBudget())
    }

    static let targets: [(pattern: String, target: String, url: String, last: String?)] = [
        ("/p/{x}", "/t/{x}", "/p/1", "/t/1"),
        ("/p/{x}", "/t/{x}/", "/p/1", "/t/1/"),
        ("/p/{x}", "/t/no-{x}-{x}", "/p/1", "/t/no-1-1"),
        ("/p/{x}", "/t/{x}?b={y}", "/p/1?y=2", nil),
        ("/p/{x}?y={y}", "/t/{x}?b={y}", "/p/1?y=2", "/t/1?b=2"),
        ("/p/{x}?y={y}", "/t/{x}?b={y}", "/p/1", "/t/1"),
        ("/p/{x}?y={y}", "/t/{x}?z=1&b={y}&w", "/p/1", "/t/1?z=1&w"),
        ("/p/{x}?y={y}", "/t/{x}?b=_{y}.{y}", "/p/1?y=%26%20", "/t/1?b=_%26%20.%26%20"),
        ("/p?x={x}", "/t/{x}", "/p?x=%2F", "/t/%2F"),
        ("/p?x={x}", "/t/{x}", "/p", nil),
        ("/p?x={x}", "/t/{x}", "/p?x=", nil),
        ("/p/{x}", "/t/{x}", "/p/a%2Fb%20%23", "/t/a%2Fb%20%23"),
        ("app://p/{x}", "/t/{x}", "APP://P/1?u=1#top", "/t/1"),
        ("/o/{x*}", "/f/{x}", "/o/a/b%20c//d", "/f/a/b%20c//d"),
        ("/o/{x*}", "/f/{x}", "/o/a//", "/f/a//"),
        ("/o/{x*}", "/t/x?b={x}", "/o/a/b", "/t/x?b=a%2Fb"),
        ("/o#{x*}", "/f/{x}", "/o#a/b", "/f/a/b"),
        ("/o/{x}", "/f/x#{x}?y={x}", "/o/a%2Fb#top", "/f/x#a%2Fb?y=a%2Fb"),
        ("/o?x={x}", "/f/x#{x}", "/o", nil), ("/o?x={x}", "/f/x#y?x={x}", "/o", "/f/x#y"),
        ("/o?x={x}", "/f/x?y={x}&z=1&w=-{x}", "/o?x=1&x=2", "/f/x?y=1&y=2&z=1&w=-1"),
        ("/o?x={x}", "/f/x#?y={x}", "/o?x=1&x=2", "/f/x#?y=1&y=2"),
        ("/o/{x}", "/f//{x}", "/o/1", "/f//1"),
    ]

    @Test(arguments: targets)
    func `a redirect is filled with what the pattern captures`(
        _ pattern: String, _ target: String, _ url: String, _ last: String?
    ) throws {
        guard last != nil || !target.contains("{y}") else {
            let report = try report(document([moved(pattern, to: target)]))
            return #expect(report.errors.map(\.pointer) == ["/links/0/redirect"])
        }
        let goal = try goal(url, moved(pattern, to: target), text, rest)
        #expect(goal?.redirected == last)
        #expect((goal?.pattern == nil) == (last == nil))
    }

    @Test(.seeded)
    func `what a redirect hands on is captured as it was, whatever it holds`() throws {
        let app = try app(
            document([
                moved("/p/{v}?q={w}", to: "/t/{v}?b={w}"), moved("/o/{v*}", to: "/f/{v}"), text,
                rest,
            ]))
        let pieces = ["a", "/", "%", " ", "é", "e\u{301}", "+", "?", "#", "{v}", "&", "=", "."]
        var numbers = SplitMix64(stream: 11)
        func word() -> String {
            (0..<Int.random(in: 1...4, using: &numbers))
                .map { _ in pieces.randomElement(using: &numbers) ?? "" }.joined()
        }
        func encoded(_ text: String, keeping kept: Character? = nil) -> String {
            text.utf8.map { byte in
                let scalar = Character(UnicodeScalar(byte))
                if scalar == kept || scalar == "a" { return String(scalar) }
                let digits = String(byte, radix: 16)
                return "%" + (digits.count == 1 ? "0" : "") + digits
            }.joined()
        }
        for round in 0..<300 {
            let (first, second) = (word(), word())
            let url = "/p/\(encoded(first))?q=\(encoded(second))"
            let goal = try app.resolve(url, work: WorkBudget())
            let params = goal?.path?.first?.params.object
            #expect(params?["a"] == .string(first), "round \(round): \(url)")
            #expect(params?["b"] == .string(second), "round \(round): \(url)")
            let path = "/o/\(encoded(first, keeping: "/"))/"
            let other = try app.resolve(path, work: WorkBudget())?.path?.first?.params.object
            #expect(other?["a"] == .string(first), "round \(round): \(path)")
        }
    }

    // MARK: - Chains

    private func chain(_ count: Int) -> [String] {
        (0..<count).map { moved("/r\($0)/{x}", to: "/r\($0 + 1)/{x}") }
            + [#"{"pattern":"/r\#(count)/{x}","path":["plain"]}"#]
    }

    @Test func `eight redirects are followed, and a ninth leads nowhere`() throws {
        let app = try app(document(chain(9)))
        let goal = try app.resolve("/r1/x", work: WorkBudget())
        #expect(goal?.redirected == "/r9/x")
        #expect(goal?.pattern == "/r9/{x}")
        #expect(try app.resolve("/r0/x", work: WorkBudget()) == nil)
    }

    @Test func `a loop ends`() throws {
        let links = [moved("/ping", to: "/pong"), moved("/pong", to: "/ping")]
        #expect(try app(document(links)).resolve("/ping", work: WorkBudget()) == nil)
        let own = [moved("/a/{x*}", to: "/a/b/{x}")]
        #expect(try app(document(own)).resolve("/a/1", work: WorkBudget()) == nil)
    }

    @Test func `a URL that grows with every redirect is refused for the work it takes`() throws {
        let words = String(repeating: "{x}", count: 100)
        let app = try app(document([moved("/g/{x}", to: "/g/\(words)")]))
        #expect(throws: WorkBudgetError.self) { try app.resolve("/g/1234", work: WorkBudget()) }
    }

    @Test func `once a redirect matches no other link is tried`() throws {
        let wide = #"{"pattern":"/p/{a}","path":["plain"]}"#
        let goal = try goal("/p/@x", moved("/p/@{x}", to: "/albums/{x}"), album, wide)
        #expect(goal == nil)
        #expect(try self.goal("/p/x", moved("/p/@{x}", to: "/albums/{x}"), album, wide) != nil)
    }

    @Test func `what is visible has the link to which a redirect leads, and never the redirect`()
        throws
    {
        var world = try World(app: app(document([moved("/a/{id}", to: "/albums/{id}"), album])))
        try world.run(.open, #"{"url":"/a/7"}"#)
        #expect(world.picture == #"a* [album{"id":7}] b []"#)
        let first = try #require(world.app)
        #expect(try first.link(to: world.session.state, work: WorkBudget()) == "/albums/7")
        // The URL of the link is one that a more specific redirect moves, to the same screen.
        let other = try app(
            document([
                moved("/albums/7", to: "/new/7"), album,
                #"{"pattern":"/new/{id}","path":[{"route":"album","params":{"id":"{id}"}},"plain"]}"#,
                #"{"pattern":"/other/{id}","path":[{"route":"album","params":{"id":"{id}"}}]}"#,
            ]))
        #expect(try other.link(to: world.session.state, work: WorkBudget()) == "/other/7")
    }

    // MARK: - Refused

    static let wrong: [(pattern: String, target: String, isWrong: Bool)] = [
        ("/p/{x}", "/p/{x}", true), ("/p/{x}", "/p/{x}/", true), ("/p/{x*}", "/p/{x}", true),
        ("/é/{x}", "/%C3%A9/{x}", true), ("A://B/{x}", "a://b/{x}", true),
        ("/p?q={x}", "/p?q={x}", true), ("/p/@{x}", "/p/@{x}", true), ("/", "/", true),
        ("/p/{x}", "/p/x", false), ("/p/{x}", "/q/{x}", false), ("/p?q={x}", "/p?r={x}", false),
        ("/p/{x}", "/q/{y}", true), ("/p/{x}", "/q?y={y}", true), ("/p", "/q", false),
        ("/p/{x*}", "/q/{x*}", true), ("/p/{x}", "/q/{x", true), ("/p/{x}", "/q/x}", true),
        ("/p/{x}", "/q/%4{x}", true), ("/p/{x}", "/q?%zz", true), ("/p/{x}", "/q//r", false),
        ("/p/{x}", "/q#r", false), ("/p/{x}", "/q#", true), ("/p/{x}", "//q", true),
        ("/p/{x}", "/q?r=1", false), ("/p/{x}", "a:q", false), ("/p/{x}", "a:///q/{x}", false),
        ("/p/{x}", "/q#{y}", true), ("/p/{x}", "/q#%zz", true), ("/p#{x}", "/p#{x}", true),
        ("/p?q=1", "/p?q=1", true), ("/p?q=1", "/p", false), ("/p", "/p#q", false),
        ("https://{x}.h/", "https://h/{x}", false), ("https://{x}.h/", "https://{x}.i/", true),
        ("/p/{x}", "q", true), ("/p/{x}", "", true),
        ("/p/{x}", "app://{x}/q", true), ("/p/{x}", "{x}://h/q", true),
        ("/p/{x}", "app://h", false), ("/p/{x}", "app://h?a={x}", false),
    ]

    @Test(arguments: wrong)
    func `a target that is none, or its own pattern, is refused`(
        _ pattern: String, _ target: String, _ isWrong: Bool
    ) throws {
        let report = try report(document([moved(pattern, to: target)]))
        #expect(report.errors.map(\.pointer) == (isWrong ? ["/links/0/redirect"] : []))
    }

    @Test func `a redirect leads nowhere else`() throws {
        let both =
            #"{"pattern":"/p","redirect":"/q","tab":"a","path":[],"present":{"route":"sheet"}}"#
        #expect(
            try report(document([both])).errors.map(\.pointer) == [
                "/links/0/tab", "/links/0/path", "/links/0/present",
            ])
        let number = #"{"pattern":"/p","redirect":1}"#
        #expect(try report(document([number])).errors.map(\.pointer) == ["/links/0/redirect"])
    }
}

/// Where URLs lead that lead nowhere else.
@Suite struct NotFoundTests {
    private static let place = #"{"tab":"b","path":[{"route":"lost","params":{"url":"{url}"}}]}"#

    @Test(arguments: ["/nowhere?x=1#y", "/albums/x", "/albums/%zz", "no URL", "", "/ping"])
    func `a URL that leads nowhere opens it, with the URL as it was given`(_ url: String) throws {
        let links = [album, moved("/ping", to: "/ping/2"), moved("/ping/{x}", to: "/ping")]
        var world = try World(app: app(document(links, notFound: Self.place)))
        try world.run(.open, #"{"url":\#(JSON.string(url).text)}"#)
        let params = JSON.object(JSONObject([("url", .string(url))])).text
        #expect(world.picture == "a [] b* [lost\(params)]")
        let goal = try #require(world.app).resolve(url, work: WorkBudget())
        #expect(goal?.pattern == nil)
        #expect(goal?.redirected == nil)
    }

    @Test func `a URL that leads somewhere does not, and neither does one that does not fit`()
        throws
    {
        var world = try World(app: app(document([album], notFound: Self.place)))
        try world.run(.open, #"{"url":"/albums/1"}"#)
        #expect(world.picture == #"a* [album{"id":1}] b []"#)
        let long = "/" + String(repeating: "x", count: 100)
        #expect(try world.refusal(.open, #"{"url":"\#(long)"}"#).problem == "no-route-for-url")
    }

    @Test func `it may present, or select a tab alone`() throws {
        let sheet =
            #"{"present":{"route":"sheet","path":[{"route":"lost","params":{"url":"{url}"}}]}}"#
        var world = try World(app: app(document([], notFound: sheet)))
        try world.run(.open, #"{"url":"/x"}"#)
        #expect(world.picture == #"a* [] b [] | sheet [lost{"url":"/x"}]"#)
        var other = try World(app: app(document([], notFound: #"{"tab":"b"}"#)))
        try other.run(.open, #"{"url":"/x"}"#)
        #expect(other.picture == "a [] b* []")
    }

    @Test func `it is no link to what is visible`() throws {
        let place = #"{"path":["plain"]}"#
        var world = try World(app: app(document([album], notFound: place)))
        try world.run(.open, #"{"url":"/x"}"#)
        #expect(world.picture == "a* [plain] b []")
        #expect(
            try #require(world.app).link(to: world.session.state, work: WorkBudget()) == nil)
    }

    static let wrong: [(place: String, pointers: [String])] = [
        ("1", ["/notFound"]), (#"{"tab":"z"}"#, ["/notFound/tab"]),
        (#"{"path":["nope"]}"#, ["/notFound/path/0"]),
        (#"{"path":["sheet"]}"#, ["/notFound/path/0"]),
        (#"{"path":["lost"]}"#, ["/notFound/path/0/params/url"]),
        (
            #"{"path":[{"route":"lost","params":{"url":"{uri}"}}]}"#,
            ["/notFound/path/0/params", "/notFound/path/0/params/url"]
        ),
        (#"{"present":{"route":"plain"}}"#, ["/notFound/present/route"]),
        (#"{"pattern":"/x","redirect":"/y"}"#, ["/notFound/pattern", "/notFound/redirect"]),
        ("{}", []),
    ]

    @Test(arguments: wrong)
    func `a place that cannot be is told with its pointer`(
        _ place: String, _ pointers: [String]
    ) throws {
        #expect(
            try report(document([], notFound: place)).errors.map(\.pointer) == pointers)
    }
}
