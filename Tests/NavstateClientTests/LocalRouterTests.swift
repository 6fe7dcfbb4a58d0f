import Foundation
import NavstateRules
import NavstateTesting
import TestSupport
import Testing

@testable import NavstateClient

/// Routers without a server, the state that is kept in a file, and the document of the app.
@MainActor @Suite struct LocalRouterTests {
    @Test func `a preview begins where it is told to`() async throws {
        let router = Router<Store.Screen>(
            preview: .screens([.orders, .order(id: "1")]), tab: .shop,
            facts: .with { $0.signedIn = true })
        expectNow(router).shows(.order(id: "1"))
        #expect(router.connection == .live && router.isSettled && router.facts.signedIn)
        router.navigateBack()
        expectNow(router).path([.orders], in: .shop)
        router.undo()
        expectNow(router).shows(.order(id: "1"))
        await router.run()
        await router.settled()
    }

    @Test func `a router without a server asks and refuses by itself`() async throws {
        let router: Router<Store.Screen> = Router(local: Store.self)
        router.navigate(to: .stock)
        expectNow(router).refuses("guarded")
        async let answer = router.ask(.remove(id: "7"))
        await expect(router).presents(.remove(id: "7"))
        router.answer(.remove, true)
        #expect(try await answer == true)
        async let button: Store.ResetButton? = router.ask(.reset(what: "all"))
        await expect(router).presents(.reset(what: "all"))
        router.navigateBack()
        #expect(try await button == .keep)
        async let text: JSONValue? = router.ask(.reset(what: "all"))
        await expect(router).presents(.reset(what: "all"))
        router.navigateBack()
        #expect(try await text == "keep")
        let question = Task { try await router.ask(.login) }
        await expect(router).presents(.login)
        question.cancel()
        await #expect(throws: NavstateError.cancelled) { try await question.value }
        expectNow(router).presents(.login)
    }

    @Test func `an untyped router without a server`() throws {
        let app = try AppDefinition(json: Store.document)
        let router = try Router<TestScreen>(local: app, id: "mine")
        #expect(router.confirmed?.id == "mine" && router.app?.title == "Store")
        router.navigate(to: .page(n: 1))
        #expect(router.path(of: "shop") == [.page(n: 1)])
    }

    /// As the generated code writes them, with the numbers that a `Double` can be.
    @Test(arguments: [
        3, 0, -0.0, 1.5, 100, 1e15, 1e16, 1e-5, 1e-7, 1e21, -2.5e300, 0x1p53, 0x1p63, -0x1p63,
        (0x1p63).nextDown,
    ]) func `titles and links have the numbers that the rules have`(_ number: Double) throws {
        let app = try AppDefinition(
            json: """
                {"id": "numbers", "routes": {"home": {}, "page": {"title": "No. {n}", "params": {
                "required": ["n"], "properties": {"n": {"type": "number"}}}}},
                "tabs": [{"id": "t", "root": "home", "routes": ["page"]}], "links": [
                {"pattern": "l://page/{n}", "path": [{"route": "page", "params": {"n": "{n}"}}]}]}
                """)
        let router = try Router<NumberScreen>(local: app, id: "mine")
        router.navigate(to: .page(n: number))
        #expect(router.confirmed?.visible.title == "No. \(AppTitle.text(number))")
        router.navigate(to: .home)
        let url = AppLink.url("l://page/\(AppLink.segment(AppLink.text(number)))")
        #expect(router.open(url))
        #expect(router.path(of: "t") == [.page(n: number)])
    }

    @Test func `the app says titles, icons and presentations`() throws {
        let router = try Router<TestScreen>(local: AppDefinition(json: Store.document))
        let app = try #require(router.app)
        #expect(app.tabs.map(\.title) == ["Shop", "Search", "Account"])
        #expect(app.tabs.map(\.icon) == ["bag", "magnifyingglass", "person"])
        #expect(app.tabs[1].root == Nav.Destination("search", params: ["query": "tea"]))
        #expect(app.routes["help"]?.presentation == [.push, .popover])
        #expect(app.routes["page"]?.presentation == .any && app.routes["page"]?.hidesTabBar == true)
        #expect(app.routes["login"]?.presentation.style == .sheet)
        #expect(app.title(of: Nav.Destination("search", params: ["query": "x"])) == "Results for x")
        #expect(app.title(of: "home") == "Store" && app.title(of: "orders") == nil)
    }

    @Test func `the last confirmed state is shown at once`() async throws {
        let directory = try TemporaryDirectory()
        let file = URL(filePath: directory.path + "/state.json")
        let transport = try FateTransport()
        let first = Router<Store.Screen>(
            transport.session(), restoringFrom: file, stepPause: .zero)
        expectNow(first).shows(.home)
        #expect(first.isLoaded && first.confirmed == nil, "the start of the app")
        let run = Task { await first.run() }
        first.navigate(to: .page(n: 1))
        expectNow(first).shows(.page(n: 1))
        await first.settled()
        try await eventually { first.connection == .live }
        try await eventually {
            let text = try? String(contentsOf: file, encoding: .utf8)
            return text?.contains(#""n":1"#) == true
        }
        run.cancel()
        let second = Router<Store.Screen>(transport.session(), restoringFrom: file)
        expectNow(second).path([.page(n: 1)], in: .shop)
        #expect(second.confirmed?.revision == 2 && second.connection == .connecting)
        second.undo()
        expectNow(second).path([.page(n: 1)], in: .shop)
        await expect(second).shows(.home)
    }

    @Test func `the commands name only ids that are to be replaced`() {
        let command = Nav.Command.batch([
            .setPath(in: "e1", [Nav.Destination("r", params: ["id": "e1"], id: "e1")]),
            .back(to: .entry("e1")), .dismiss(.sheet("e1"), result: ["sheet": "e1"]),
        ])
        let renamed = command.renamed { $0 == "e1" ? "e2" : $0 }
        #expect(
            renamed
                == .batch([
                    .setPath(in: "e2", [Nav.Destination("r", params: ["id": "e1"], id: "e2")]),
                    .back(to: .entry("e2")), .dismiss(.sheet("e2"), result: ["sheet": "e1"]),
                ]))
        #expect(command.names(one: ["e1"]) && !renamed.names(one: ["e1"]))
    }

    @Test func `steps lead to the target, one presentation at a time`() {
        var random = SplitMix64(stream: 5000)
        func state() -> Nav.Session {
            var state = Nav.Session()
            state.tabs = [Nav.Tab(id: "a")]
            state.tabs[0].path = (0..<random.below(3)).map { Nav.Entry(id: "e\($0)", route: "r") }
            state.sheets = (0..<random.below(4)).map { index in
                Nav.Sheet(
                    id: "e\(10 + index + random.below(2))",
                    style: random.oneIn(2) ? .sheet : .popover, route: "s", presentedBy: "a")
            }
            return state
        }
        for _ in 0..<300 {
            var (shown, target, steps) = (state(), state(), 0)
            while shown != target, steps < 10 {
                let next = shown.step(toward: target)
                let kept = zip(shown.sheets, next.sheets).prefix {
                    $0.id == $1.id && $0.style == $1.style
                }.count
                let (gone, new) = (shown.sheets.count - kept, next.sheets.count - kept)
                #expect(next != shown && new <= 1 && (gone == 0 || new == 0))
                (shown, steps) = (next, steps + 1)
            }
            #expect(shown == target)
        }
    }

    @Test func `errors are described in one line`() {
        let problem = Nav.Problem(
            type: "/problems/unknown-route", title: "t", status: 404, detail: "No such route.")
        let error = NavstateError.refused(problem)
        #expect(error.localizedDescription == "404 unknown-route: No such route.")
        #expect(problem.localizedDescription == error.localizedDescription)
        #expect(NavstateError.timedOut.localizedDescription.hasPrefix("timed-out: "))
        var session = try? LocalSession(nil)
        #expect(throws: Rejection.self) { try session?.perform(.dismiss(.sheet("e9"))) }
        do throws(Rejection) {
            try session?.perform(.dismiss(.sheet("e9")))
        } catch {
            #expect(error.localizedDescription.hasPrefix("404 sheet-not-found: "))
            #expect(NavstateError(error).localizedDescription == error.localizedDescription)
        }
    }
}

private enum NumberScreen: NavigationScreen, Codable {
    case home
    case page(n: Double)
}
