import AppTools
import JSON
import Navigation
import Testing

/// Apps that are made from the files of other systems. The files of Tests/imports are as people
/// have them; beside each is the document that it becomes, and what is noted.
@Suite struct AppImportTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var file: String
        var form: ImportForm
        var host: String?
        var testDescription: String { file }

        func imported() throws -> AppImport {
            let value = try JSON(parsing: Array(try text(of: "Tests/imports/\(file).json").utf8))
            return try AppImport(
                value, form, id: AppID(trusted: "imported"), host: host)
        }
    }

    private static let examples = [
        Example(file: "site", form: .siteAssociation, host: "www.example.com"),
        Example(file: "site-older", form: .siteAssociation),
        Example(file: "linking", form: .reactNavigation),
        Example(file: "linking-stack", form: .reactNavigation, host: "app.example"),
        Example(file: "path-configuration", form: .hotwire, host: "web.example"),
    ]

    @Test(arguments: examples)
    func `a file becomes the document beside it`(example: Example) throws {
        let made = try example.imported()
        #expect(made.document.lines == (try text(of: "Tests/imports/\(example.file).app.json")))
        let notes = made.notes.map { $0.line + "\n" }.joined()
        #expect(notes == (try text(of: "Tests/imports/\(example.file).notes.txt")))
    }

    @Test(arguments: examples)
    func `the document can be stored without errors`(example: Example) throws {
        let made = try example.imported()
        let document = try AppDocument(Array(made.document.lines.utf8), file: "made.json")
        #expect(document.value == made.document)
        #expect(try report(document.value).errors == [])
    }

    /// The routes that a URL leads to, or nil if it leads nowhere.
    private func resolve(_ url: String, _ file: String) throws -> String? {
        let example = try #require(Self.examples.first { $0.file == file })
        return try place(url, in: try example.imported())
    }

    @Test(
        arguments: [
            ("/buy/shoes/12", #"main, anythingToBuy {"rest":"shoes/12"}"#),
            ("/buy", "main, anythingToBuy {}"), ("/buy/special", nil), ("/help/website/x", nil),
            (
                "/help/x?articleNumber=1234",
                #"main, helpArticle {"rest":"x","articleNumber":"1234"}"#
            ),
            ("/help/x?articleNumber=12345", #"main, help {"rest":"x"}"#),
            ("/Products/7/Reviews", #"main, productsReviews {"products":"7"}"#),
            ("/promotion", #"main, promo {"rest":"tion"}"#),
            ("/promo/a/b", #"main, promo {"rest":"a/b"}"#),
            ("/docs/a.pdf", #"main, pdf {"rest":"docs/a"}"#),
            ("/en/news/7", #"main, news {"lang":"en","rest":"7"}"#),
            ("/search?kind=book&q=x&page=p-12", #"main, search {"q":"x","page":"p-12"}"#),
            ("/search?kind=film&q=x&page=p-12", nil),
            ("/runs/7#/log/9", #"main, runs {"rest":"7","log":"9"}"#), ("/runs/7#/other", nil),
            ("/other#no_universal_links", nil),
        ] as [(String, String?)])
    func `the links of a site lead where the app is opened`(url: String, place: String?) throws {
        #expect(try resolve("https://www.example.com\(url)", "site") == place)
    }

    @Test(
        arguments: [
            ("/", "main, start {}"), ("/any/thing", #"main, start2 {"rest":"any/thing"}"#),
            ("/videos/wwdc/2015/106", #"main, videosWwdc201 {"wwdc":"5","rest":"106"}"#),
            ("/videos/play/7/subtitles", nil), ("/admin/x", nil), ("/administrator", nil),
            ("/tv/live", #"main, live {"rest":"tv"}"#),
        ] as [(String, String?)])
    func `the links of an older file do, too`(url: String, place: String?) throws {
        #expect(try resolve(url, "site-older") == place)
    }

    @Test(
        arguments: [
            ("mychat://feed", "Feed, root FeedHome {}"),
            ("mychat://feed/latest", #"Feed, root FeedHome {"sort":"latest"}"#),
            ("https://mychat.example/feed/posts/7?comment=3", #"Feed, Post {"id":7,"comment":3}"#),
            (
                "https://eu.mychat.example/users/@ada/likes",
                #"Profile, root Profile {"user":"@ada","section":"likes"}"#
            ),
            ("mychat://users/ada", nil), ("mychat://me", "Profile, root Profile {}"),
            ("mychat://chat/42", #"Feed, Chat {"room":"42"}"#),
            ("mychat://settings/a/b", #"Feed, Settings {"rest":"a/b"}"#),
        ] as [(String, String?)])
    func `the links of React Navigation lead to its screens`(url: String, place: String?) throws {
        let found = try resolve(url, "linking")
        #expect(found == (place ?? "Feed, NotFound {}"))
    }

    @Test(
        arguments: [
            ("/", "main, home {}"), ("/recipes/7", #"main, recipes {"recipes":"7"}"#),
            ("/recipes/x", #"main, page {"rest":"recipes/x"}"#),
            ("/recipes/new", #"main, sheet new {"rest":"recipes"}"#),
            ("/new", "main, sheet new {}"),
            ("/users/ada/edit", #"main, sheet usersEdit {"users":"ada"}"#),
        ] as [(String, String?)])
    func `the URLs of a path configuration lead to its screens`(
        url: String, place: String?
    ) throws {
        #expect(try resolve("https://web.example\(url)", "path-configuration") == place)
    }

    @Test(arguments: [
        (ImportForm.siteAssociation, "{}"), (.siteAssociation, #"{"applinks":{"apps":[]}}"#),
        (.siteAssociation, #"{"applinks":{"details":[{"appID":"a"}]}}"#),
        (.siteAssociation, #"{"applinks":{"details":[{"appID":"a","paths":[7]}]}}"#),
        (.siteAssociation, #"{"applinks":{"details":[7]}}"#),
        (.reactNavigation, "{}"), (.reactNavigation, #"{"config":{"screens":{"A":7}}}"#),
        (.hotwire, "{}"), (.hotwire, #"{"rules":[{}]}"#),
        (.hotwire, #"{"rules":[{"patterns":[1]}]}"#),
        (.hotwire, "[]"),
    ])
    func `a file of another form is refused`(form: ImportForm, text: String) throws {
        let value = try JSON(parsing: Array(text.utf8))
        #expect(throws: ImportError.self) {
            try AppImport(value, form, id: AppID(trusted: "a"))
        }
    }

    @Test(arguments: ImportForm.allCases)
    func `a hostile file becomes a document that can be stored`(form: ImportForm) throws {
        let long = String(repeating: "a?*", count: 30)
        let odd = [
            "", "*", "**", "//", "/{x}/%", "/\u{1}\u{e9} #?", long, "\(long)/\(long)", "?*?",
            "/a//b",
        ]
        let list = JSON.array(odd.map { JSON.string($0) })
        let value: JSON
        switch form {
        case .siteAssociation:
            let components = odd.map { text in
                JSON.object([
                    "/": .string(text), "#": .string(text), "?": .object(["{": .string(text)]),
                ])
            }
            value = .object([
                "applinks": .object([
                    "details": .array([
                        .object(["paths": list]), .object(["components": .array(components)]),
                    ])
                ])
            ])
        case .reactNavigation:
            let screens = JSONObject(odd.enumerated().map { ("\($0) \u{e9}", JSON.string($1)) })
            value = .object([
                "prefixes": list, "config": .object(["screens": .object(screens)]),
            ])
        case .hotwire:
            let rule = JSON.object(["patterns": list, "properties": .object(["title": list])])
            value = .object(["rules": .array([rule, rule])])
        }
        let made = try AppImport(value, form, id: AppID(trusted: "a"))
        #expect(try report(made.document).errors == [])
    }

    @Test func `a file with more screens than an app may have is refused`() throws {
        let paths = (0...1000).map { JSON.string("/p\($0)/*") }
        let value = JSON.object([
            "applinks": .object(["details": .array([.object(["paths": .array(paths)])])])
        ])
        let error = #expect(throws: ImportError.self) {
            try AppImport(value, .siteAssociation, id: AppID(trusted: "a"))
        }
        #expect(error?.detail.contains("at most 1000 routes") == true)
    }
}

/// The screens that a URL leads to in an imported app, or nil if it leads nowhere.
func place(_ url: String, in made: AppImport) throws -> String? {
    let app = try #require(try report(made.document).app)
    guard let goal = try app.resolve(url, work: WorkBudget()) else { return nil }
    let path = (goal.path ?? []).map { "\($0.route.rawValue) \($0.params.object.bytesText)" }
    let sheet = goal.sheet.map(\.screen).map {
        "sheet \($0.route.rawValue) \($0.params.object.bytesText)"
    }
    let roots = goal.roots.map { "root \($0.route.rawValue) \($0.params.object.bytesText)" }
    return ([goal.tab.rawValue] + roots + path + [sheet].compactMap { $0 })
        .joined(separator: ", ")
}

extension JSONObject {
    fileprivate var bytesText: String { JSON.object(self).text }
}
