import AppTools
import JSON
import Navigation
import Testing

/// Single rules of other systems: where their URLs lead, and which notes there are.
@Suite struct AppImportLinkTests {
    private func imported(
        _ form: ImportForm, _ text: String, host: String? = "h.example"
    ) throws -> AppImport {
        let value = try JSON(parsing: Array(text.utf8))
        let made = try AppImport(value, form, id: AppID(trusted: "a"), host: host)
        let report = try report(made.document)
        #expect(report.errors == [])
        return made
    }

    private func notes(_ made: AppImport) -> [String] { made.notes.map(\.text) }

    // MARK: - apple-app-site-association

    /// An import of a file with these components.
    private func site(
        _ components: String, more: String = "", host: String? = "h.example"
    ) throws -> AppImport {
        try imported(
            .siteAssociation,
            #"{"applinks":{\#(more)"details":[{"components":\#(components)}]}}"#, host: host)
    }

    @Test(arguments: [("h.example", "https://h.example"), (nil, "")] as [(String?, String)])
    func `an exclusion with a query condition needs its value`(
        host: String?, origin: String
    ) throws {
        let made = try site(
            #"[{"/":"/shop/*","?":{"preview":"*"},"exclude":true},{"/":"/shop/*"}]"#, host: host)
        #expect(notes(made) == [])
        #expect(try place("\(origin)/shop/a?preview=1", in: made) == nil)
        #expect(try place("\(origin)/shop/a?view=1", in: made) == #"main, shop {"rest":"a"}"#)
    }

    private static let beyond =
        ", since a redirect checks none: the URLs that it excludes beyond those meant still open "
        + "in the browser"

    @Test(arguments: [
        (#""/":"/shop/*","?":{"preview":"?*"}"#, "preview"), (#""/":"/shop/??""#, "shop"),
        (#""/":"/shop/*","?":"a=?&b=x*""#, "a and b"), (##""#":"/log/?""##, "log"),
        (#""/":"/shop/$(digit)""#, "digit"), (#""/":"/shop/??*""#, "shop"),
    ])
    func `an exclusion whose values are not checked is noted`(
        condition: String, names: String
    ) throws {
        let made = try site(#"[{\#(condition),"exclude":true},{"/":"/shop/*"}]"#)
        #expect(notes(made).first == "excludes every value of \(names)\(Self.beyond)")
        #expect(notes(try site("[{\(condition)}]")) == [])
    }

    @Test func `an exclusion whose query is not checked says what it excludes`() throws {
        let made = try site(#"[{"/":"/a","?":"*x*","exclude":true},{"/":"/b","?":"*x*"}]"#)
        let note = "the query *x* is not checked"
        #expect(notes(made) == ["\(note), so URLs without it are excluded, too", note])
    }

    @Test(arguments: [
        ("/help/?*", "/help/a/b", #"main, help {"help":"a/b"}"#), ("/help/?*", "/help", nil),
        ("/help/*?", "/help/a/b", #"main, help {"help":"a/b"}"#),
        ("/a/?*/z", "/a/b/c/z", #"main, aZ {"a":"b/c"}"#),
        ("/help/??*", "/help/a/b", #"main, help {"help":"a/b"}"#), ("/help/??*", "/help/a", nil),
        ("/help?*", "/helpers", #"main, help {"help":"ers"}"#), ("/help?*", "/help", nil),
        ("*new", "/a/new", #"main, new {"rest":"a"}"#), ("*new", "/new", "main, new {}"),
        ("/help/??", "/help/ab", #"main, help {"help":"ab"}"#), ("/help/??", "/help/abc", nil),
    ])
    func `? beside * takes a character and slashes`(
        path: String, url: String, place expected: String?
    ) throws {
        let made = try site(#"[{"/":"\#(path)"}]"#)
        #expect(notes(made) == [])
        #expect(try place("https://h.example\(url)", in: made) == expected)
    }

    @Test func `what ? and * do not express together is noted`() throws {
        #expect(
            notes(try site(#"[{"/":"/a??*"}]"#)) == [
                "a slash at the beginning or the end of a * is no character of it"
            ])
        #expect(
            notes(try site(#"[{"/":"/?*/b/*"}]"#)) == [
                "a second * becomes a capture of one segment"
            ])
    }

    @Test func `paths that differ in their lengths have a link each`() throws {
        let made = try site(#"[{"/":"/p/??"},{"/":"/p/????"}]"#)
        #expect(try place("https://h.example/p/ab", in: made) == #"main, p {"p":"ab"}"#)
        #expect(try place("https://h.example/p/abcd", in: made) == #"main, p2 {"p":"abcd"}"#)
        #expect(try place("https://h.example/p/abc", in: made) == nil)
    }

    @Test(arguments: [
        ("$(alpha)", ["b", "B"], ["1", "ab"]), ("$(upper)", ["B"], ["b"]),
        ("$(lower)", ["b"], ["B"]), ("$(alnum)", ["b", "7"], ["-"]),
        ("$(digit)", ["7"], ["x", "77"]), ("$(xdigit)", ["e", "E", "4"], ["g"]),
        ("v$(digit)", ["v7"], ["va"]),
    ])
    func `a variable of every file takes its values`(
        variable: String, taken: [String], refused: [String]
    ) throws {
        for more in ["", #""substitutionVariables":7,"#] {
            let made = try site(#"[{"/":"/p/\#(variable)"}]"#, more: more)
            for text in taken { #expect(try place("https://h.example/p/\(text)", in: made) != nil) }
            for text in refused {
                #expect(try place("https://h.example/p/\(text)", in: made) == nil)
            }
            #expect(notes(made).count == (more.isEmpty ? 0 : 1))
        }
    }

    @Test func `a variable without case takes both`() throws {
        let made = try site(
            #"[{"/":"/p/$(upper)","caseSensitive":false},{"/":"/q","?":{"x":"$(lower)-?"}}]"#)
        #expect(try place("https://h.example/p/b", in: made) == #"main, p {"upper":"b"}"#)
        #expect(try place("https://h.example/p/7", in: made) == nil)
        #expect(try place("https://h.example/q?x=a-b", in: made) == #"main, q {"x":"a-b"}"#)
        #expect(try place("https://h.example/q?x=A-b", in: made) == nil)
    }

    @Test func `variables that are not expressed are noted`() throws {
        let made = try site(#"[{"/":"/$(lang)-$(region)/$(food)"}]"#)
        #expect(
            notes(made) == [
                "$(lang) becomes a capture of any two or three letters",
                "$(region) becomes a capture of any two letters",
                "$(food) is not defined, and becomes a capture of any text in a segment",
            ])
        let expected = #"main, start {"lang":"en","region":"CA","food":"pizza"}"#
        #expect(try place("https://h.example/en-CA/pizza", in: made) == expected)
        #expect(try place("https://h.example/english-CA/pizza", in: made) == nil)
        let own = try site(
            #"[{"/":"/$(lang)"}]"#, more: #""substitutionVariables":{"lang":["english"]},"#)
        #expect(try place("https://h.example/english", in: own) != nil)
        #expect(
            notes(try site(#"[{"/":"/$(digit)*"}]"#)) == [
                "a capture beside a * or an open end takes any text"
            ])
    }

    // MARK: - hotwire

    /// An import of rules, each with an expression and properties.
    private func paths(_ rules: [(pattern: String, properties: String)]) throws -> AppImport {
        let items = rules.map { rule in
            #"{"patterns":["\#(rule.pattern)"],"properties":{\#(rule.properties)}}"#
        }
        return try imported(.hotwire, #"{"rules":[\#(items.joined(separator: ","))]}"#)
    }

    @Test func `properties of one URL do not count for others`() throws {
        let general = try paths([
            (".*", #""context":"default""#), ("^/x$", #""context":"modal""#),
        ])
        #expect(try place("https://h.example/x", in: general) == "main, sheet x {}")
        #expect(try place("https://h.example/y", in: general) == #"main, page {"rest":"y"}"#)
        let items = try paths([
            (#"^/items/\\d+$"#, #""title":"Item""#), ("^/items/1$", #""context":"modal""#),
        ])
        #expect(try place("https://h.example/items/1", in: items) == "main, sheet items1 {}")
        #expect(
            try place("https://h.example/items/12", in: items)
                == #"main, items {"items":"12"}"#)
        #expect(items.document.text.contains(#"{"presentation":"sheet","title":"Item"}"#))
    }

    @Test func `an expression that is left out counts for one URL at most`() throws {
        let made = try paths([
            (".*", ""), ("^/x$", ""), ("^(?!/a)/.*", #""context":"modal""#),
        ])
        #expect(notes(made).count == 1)
        #expect(try place("https://h.example/a", in: made) == #"main, page {"rest":"a"}"#)
        #expect(try place("https://h.example/x", in: made) == "main, sheet x {}")
    }

    @Test func `an escaped minus leaves a rule its properties`() throws {
        let made = try paths([(#"^/log\\-in$"#, #""context":"modal""#)])
        #expect(try place("https://h.example/log-in", in: made) == "main, sheet logIn {}")
    }

    @Test(arguments: [false, true])
    func `a rule for digits leaves other texts to a general one`(isFirst: Bool) throws {
        let digits = (#"^/items/\\d+$"#, #""context":"modal""#)
        let any = ("^/items/[^/]+$", #""title":"Item""#)
        let made = try paths(isFirst ? [digits, any] : [any, digits])
        #expect(
            try place("https://h.example/items/12", in: made)
                == #"main, sheet items {"items":"12"}"#)
        #expect(
            try place("https://h.example/items/x", in: made) == #"main, items2 {"items":"x"}"#)
    }

    @Test func `an exact rule keeps its URL`() throws {
        let exact = ("^/recipes$", #""context":"modal""#)
        let below = ("^/recipes/.*", #""title":"Recipe""#)
        for rules in [[exact, below], [below, exact]] {
            let made = try paths(rules)
            let place1 = try place("https://h.example/recipes", in: made)
            #expect(place1?.hasPrefix("main, sheet recipes") == true)
            let place2 = try place("https://h.example/recipes/a/b", in: made)
            #expect(place2?.hasSuffix(#" {"rest":"a/b"}"#) == true)
        }
        let start = try paths([("^/recipes", ""), below, ("new$", ""), ("/new$", #""title":"N""#)])
        #expect(
            try place("https://h.example/recipes/a", in: start)
                == #"main, recipes2 {"rest":"a"}"#)
        #expect(try place("https://h.example/a/new", in: start) == #"main, new2 {"rest":"a"}"#)
        // Where no expression matches the URL without the slash, it leads where the one with it
        // does.
        let alone = try paths([below])
        #expect(try place("https://h.example/recipes/", in: alone) == "main, recipes {}")
        let general = try paths([(".*", ""), below])
        #expect(
            try place("https://h.example/recipes", in: general)
                == #"main, page {"rest":"recipes"}"#)
    }

    @Test func `a rule that loses its URLs to a more general one is noted`() throws {
        let rules = [("^/[^/]+/.*", ""), ("^/.+/x$", #""context":"modal""#)]
        for rules in [rules, rules.reversed()] {
            let made = try paths(rules)
            #expect(try place("https://h.example/a/x", in: made)?.contains("sheet") == false)
            let (general, special) = rules[0].0 == "^/.+/x$" ? (1, 0) : (0, 1)
            #expect(
                made.notes.map(\.line) == [
                    "/rules/\(special)/patterns/0: loses URLs to /rules/\(general)/patterns/0, "
                        + "because the pattern there has the higher rank"
                ])
        }
    }

    @Test func `an expression without $ that the link ends is noted`() throws {
        let note = "also matches paths that go on behind it, but the link does not; write $"
        #expect(notes(try paths([("^/files/.*/edit", "")])) == [note])
        #expect(notes(try paths([("^/files/.*/edit$", "")])) == [])
        #expect(notes(try paths([("^/files/.*", "")])) == [])
        #expect(notes(try paths([("^/files/edit", "")])) == [])
        #expect(
            notes(try paths([(#"^/items/\\d+"#, "")])) == [
                "a capture beside a * or an open end takes any text"
            ])
    }

    // MARK: - react-navigation

    /// An import of screens in one navigator.
    private func tabs(_ screens: String) throws -> AppImport {
        try imported(
            .reactNavigation, #"{"config":{"screens":{"Tabs":{"screens":{\#(screens)}}}}}"#)
    }

    @Test func `a link of a root without params empties its params`() throws {
        let made = try tabs(
            #""Feed":":sort?","Me":{"path":"u/:user","alias":["me"]},"About":"about""#)
        for (url, expected) in [
            ("/new", #"Feed, root Feed {"sort":"new"}"#), ("/", "Feed, root Feed {}"),
            ("/u/ada", #"Me, root Me {"user":"ada"}"#), ("/me", "Me, root Me {}"),
            ("/about", "About"),
        ] {
            #expect(try place("https://h.example\(url)", in: made) == expected)
        }
    }

    @Test func `tabs with reserved names are renamed`() throws {
        let made = try tabs(
            #""active":"a","visible":"b","e7":"c","e":"d","e!":"f","tabActive":"g""#)
        let ids = try #require(try report(made.document).app).tabs.map(\.id.rawValue)
        #expect(ids == ["tabActive", "tabVisible", "tabE7", "e", "tabE2", "tabActive2"])
        #expect(try place("https://h.example/a", in: made) == "tabActive")
    }

    @Test func `screens of one path that take other values have a link each`() throws {
        let made = try tabs(
            #""Number":"a/:x(\\d+)","Word":"a/:x([a-z]+)""#)
        #expect(try place("https://h.example/a/7", in: made) == #"Number, root Number {"x":"7"}"#)
        #expect(try place("https://h.example/a/b", in: made) == #"Word, root Word {"x":"b"}"#)
        // A link without the param has no values to leave to another one.
        let optional = try tabs(#""Number":"a/:x(\\d+)?","Word":"a""#)
        #expect(try report(optional.document).warnings.isEmpty)
    }

    @Test func `a navigator without a screen is a screen itself`() throws {
        let note = "/config/screens/Tabs/screens: has no screen, so Tabs becomes a screen itself"
        let made = try tabs("")
        #expect(made.notes.map(\.line) == [note])
        #expect(try report(made.document).app != nil)
        let inner = try tabs(#""Feed":{"path":"feed","screens":{}}"#)
        #expect(try place("https://h.example/feed", in: inner) == "Feed")
        #expect(notes(inner) == ["has no screen, so Feed becomes a screen itself"])
        let none = try imported(.reactNavigation, #"{"config":{"screens":{}}}"#)
        #expect(
            none.notes.map(\.line) == [
                "/config/screens: has no screen, so the app has one empty tab and no links"
            ])
    }
}
