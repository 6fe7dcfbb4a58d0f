import Foundation
import TestSupport
import Testing

@testable import NavstateClient

/// The screens of a free-form session, and the screens of the example app `chat` that the tests
/// need.
enum TestScreen: NavigationScreen, Codable {
    case main, a, b
    case page(n: Int)
    case contactList, nowhere
    case confirm(question: String)
}

/// A router on a session of a real server.
@Suite(.enabled(if: ServerProcess.exists, "The executable was not built."))
@MainActor struct RouterServerTests {
    typealias TestRouter = Router<TestScreen>

    private func connected(
        _ session: RemoteSession, policy: ReconnectPolicy = .pull
    ) async throws -> (TestRouter, Task<Void, Never>) {
        let router = TestRouter(session, reconnectPolicy: policy, stepPause: .zero)
        let task = Task { await router.run() }
        try await eventually { router.isLoaded && router.connection == .live }
        return (router, task)
    }

    /// Once everything is settled, the router has the state of the server and shows it.
    private func expectSame(_ router: TestRouter, _ session: RemoteSession) async throws {
        await router.settled()
        try await eventually {
            let state = try await session.state()
            return router.confirmed == state && router.isSettled
                && router.state == router.target
                && router.state?.outline == state.outline
        }
    }

    @Test func `what the user does is shown at once and sent`() async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create(NewSession(id: "k", tabs: ["a", "b"]))
        let (router, task) = try await connected(session)
        router.navigate(to: .page(n: 1))
        router["a"].append(.page(n: 2))
        #expect(router.path(of: "a") == [.page(n: 1), .page(n: 2)])
        router["a"].removeLast()
        router.selectedTab = "b"
        router.present(.confirm(question: "?"))
        let sheet = try #require(router.sheet)
        router[sheet.id] = [.page(n: 3)]
        router.present(.page(n: 4), style: .fullScreenCover)
        #expect(router.presentedScreens.map(\.style) == [.sheet, .fullScreenCover])
        #expect(router.presented(at: 1, style: .fullScreenCover)?.screen == .page(n: 4))
        #expect(router.fullScreenCover == nil)
        try await expectSame(router, session)
        #expect(router.sheet == sheet, "the sheet keeps its identity")
        #expect(router.path(of: sheet.id) == [.page(n: 3)])
        let state = try await session.state()
        #expect(state.sheets.map(\.route) == ["confirm", "page"])
        #expect(state.path(of: "a")?.map(\.params) == [["n": 1]])
        #expect(state.revision == 8)
        router.sheet = nil
        #expect(router.presentedScreens.isEmpty)
        router.navigateToRoot(.all)
        try await expectSame(router, session)
        #expect(try await session.state().visible.route == "a")
        task.cancel()
        await task.value
    }

    @Test func `what the server does differently is corrected`() async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create(NewSession(id: "k", app: "chat"))
        let (router, task) = try await connected(session)
        try await eventually { router.app != nil }
        router.navigate(to: .contactList)
        router.navigate(to: .nowhere)
        #expect(router.path(of: "chats") == [.contactList], "the rules know no such route")
        await router.settled()
        #expect(router.path(of: "chats") == [.contactList])
        #expect(router.error?.problem?.code == "unknown-route")
        router.undo()
        try await expectSame(router, session)
        #expect(router.path(of: "chats").isEmpty)
        let url = try #require(URL(string: "chat://conversation/42"))
        router.open(url)
        try await expectSame(router, session)
        #expect(router.state?.path(of: "chats")?.map(\.route) == ["conversation"])
        #expect(router.path(of: "chats").isEmpty, "the app does not know the route")
        task.cancel()
    }

    @Test func `changes from elsewhere are shown`() async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create(NewSession(id: "k", tabs: ["a", "b"]))
        let (router, task) = try await connected(session)
        let page = Nav.Destination("page", params: ["n": 1])
        try await session.batch([
            .select(tab: "b"), .navigate(to: page), .present(page),
            .present(Nav.Destination("confirm", params: ["question": "?"])),
        ])
        try await expectSame(router, session)
        #expect(router.selectedTab == "b")
        #expect(router.path(of: "b") == [.page(n: 1)])
        #expect(router.presentedScreens.map(\.screen) == [.page(n: 1), .confirm(question: "?")])
        try await session.delete()
        try await eventually { router.connection == .ended(.deleted) }
        await task.value
    }

    @Test func `a question is asked and answered`() async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create(NewSession(id: "k", app: "chat"))
        let (router, task) = try await connected(session)
        async let answer = router.ask(.confirm(question: "Delete?"))
        try await eventually { router.sheet != nil }
        router.dismissSheet(result: true)
        let isSure = try await answer
        #expect(isSure == true)
        async let swiped = router.ask(.confirm(question: "Delete?"))
        try await eventually { router.sheet != nil }
        router.sheet = nil
        let nothing = try await swiped
        #expect(nothing == nil)
        await #expect(throws: NavstateError.self) { try await router.ask(.nowhere) }
        task.cancel()
    }

    @Test(arguments: [ReconnectPolicy.pull, .push])
    func `a router without a connection carries on`(policy: ReconnectPolicy) async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate { $0.retries = 1 }.create(
            NewSession(id: "k", tabs: ["a", "b"], labels: ["room": "lobby"]))
        let (router, task) = try await connected(session, policy: policy)
        router.navigate(to: .page(n: 1))
        try await expectSame(router, session)
        server.kill()
        try await eventually { router.connection == .offline }
        router.navigate(to: .page(n: 2))
        router.present(.confirm(question: "?"))
        await router.settled()
        try await eventually { router.connection == .offline && !router.isSettled }
        #expect(router.path(of: "a") == [.page(n: 1), .page(n: 2)])
        let sheet = try #require(router.sheet)
        #expect(sheet.screen == .confirm(question: "?"))
        try await server.restart()
        try await eventually { router.connection == .live && router.isSettled }
        try await expectSame(router, session)
        let state = try await session.state()
        #expect(state.labels == ["room": "lobby"])
        #expect(state.path(of: "a")?.count == (policy == .push ? 2 : 1))
        #expect(state.sheets.count == (policy == .push ? 1 : 0))
        #expect(router.sheet == (policy == .push ? sheet : nil), "a pushed sheet stays up")
        task.cancel()
    }

    @Test(.seeded, arguments: 0..<4)
    func `a settled router shows the state of the server`(run: Int) async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create(NewSession(id: "k", tabs: ["a", "b"]))
        let transport = FlakyTransport(URLSessionTransport(), stream: 7000 + UInt64(run))
        let flaky = server.navstate {
            $0.transport = transport
            $0.retries = run % 2 == 0 ? 100 : 1
        }
        let router = TestRouter(
            flaky.session("k"), reconnectPolicy: run < 2 ? .pull : .push, stepPause: .zero)
        let task = Task { await router.run() }
        let other = Task.detached {
            var random = SplitMix64(stream: 8000 + UInt64(run))
            for number in 0..<40 {
                let page = Nav.Destination("page", params: ["n": .integer(Int64(1000 + number))])
                let commands: [Nav.Command] = [
                    .navigate(to: page), .present(page), .back(), .select(tab: "b"), .dismiss(),
                    .undo(),
                ]
                do throws(NavstateError) {
                    try await session.perform(random.one(of: commands))
                } catch {
                    // A session has at most 16 sheets.
                    #expect(error.problem?.code == "limit-exceeded")
                }
            }
        }
        var random = SplitMix64(stream: 9000 + UInt64(run))
        for number in 0..<60 {
            act(router, number, &random)
            if random.oneIn(3) { await router.settled() }
        }
        await other.value
        await transport.repair()
        // The next thing that arrives on the stream shows that the connection works.
        try await session.navigate(to: Nav.Destination("page", params: ["n": 2000]))
        try await eventually { router.connection == .live && router.isSettled }
        try await expectSame(router, session)
        #expect(await transport.lost > 0)
        task.cancel()
    }

    @Test(.seeded, arguments: 0..<4)
    func `what was pushed after outages is there once`(run: Int) async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create(NewSession(id: "k", tabs: ["a", "b"]))
        let transport = FlakyTransport(URLSessionTransport(), stream: 17_000 + UInt64(run))
        let flaky = server.navstate {
            $0.transport = transport
            $0.retries = 1
        }
        let router = TestRouter(flaky.session("k"), reconnectPolicy: .push, stepPause: .zero)
        let task = Task { await router.run() }
        await transport.repair()
        try await eventually { router.connection == .live }
        var random = SplitMix64(stream: 19_000 + UInt64(run))
        for number in 0..<30 {
            if random.oneIn(4) { await transport.repair() } else { await transport.damage() }
            router.navigate(to: .page(n: number), in: "a")
            #expect(router.path(of: "a").last == .page(n: number))
            if random.oneIn(3) { await router.settled() }
            try await session.navigate(
                to: Nav.Destination("page", params: ["n": .integer(Int64(number))]), in: "b")
        }
        await transport.repair()
        try await session.update(labels: ["done": "yes"])
        try await eventually { router.connection == .live && router.isSettled }
        try await expectSame(router, session)
        // Each was made once and in order, and so was what somebody else has done meanwhile.
        let pages = (0..<30).map { TestScreen.page(n: $0) }
        #expect(router.path(of: "a") == pages && router.path(of: "b") == pages)
        task.cancel()
    }

    @Test(.seeded, arguments: 0..<3)
    func `the rules show what the server answers`(run: Int) async throws {
        let server = try await ServerProcess()
        let session = try await server.navstate().create(NewSession(id: "k", app: "shop"))
        let router = Router<TestScreen>(session, stepPause: .zero)
        let task = Task { await router.run() }
        try await eventually { router.app != nil }
        var random = SplitMix64(stream: 21_000 + UInt64(run))
        let order = try #require(URL(string: "https://shop.example/orders/7"))
        for _ in 0..<60 {
            let commands: [Nav.Command] = [
                .navigate(to: "orders"), .navigate(to: "stock"), .navigate(to: "delivery"),
                .navigate(to: "nowhere"), .present("login"), .navigate(to: "register"),
                .open(order), .back(), .root(), .undo(), .redo(), .dismiss(),
                .setFacts(["signedIn": .bool(random.oneIn(2))]),
                .setFacts(["role": random.oneIn(2) ? "clerk" : "customer"]),
            ]
            let (command, before) = (random.one(of: commands), router.confirmed)
            router.perform(command)
            let shown = router.target
            await router.answered()
            let state = try #require(router.confirmed)
            // States that were not made here are shown when the server has answered.
            let waits =
                ["undo", "redo"].contains(command.name) && shown?.outline == before?.outline
            #expect(waits || shown?.outline == state.outline && shown?.facts == state.facts)
            #expect(waits || shown?.pending?.command == state.pending?.command)
        }
        try await expectSame(router, session)
        task.cancel()
    }

    @Test func `an app that was replaced is noticed`() async throws {
        let server = try await ServerProcess()
        let navstate = server.navstate()
        /// Replaces a part of the document that the server has.
        var document = Store.document
        func put(_ part: String, _ other: String) async throws {
            document = document.replacing(part, with: other)
            try await navstate.putApp("store", JSONValue.read(document))
        }
        try await put(#""stock":{"guard":"staff"}"#, #""stock":{}"#)
        let session = try await navstate.create(NewSession(id: "k", app: "store"))
        let (router, task) = try await connected(session)
        try await eventually { router.app?.title(of: "home") == "Store" }
        // Another client changes something that has nothing to do with the title.
        try await put(#""home":{"title":"Store"}"#, #""home":{"title":"Market"}"#)
        try await session.update(labels: ["room": "lobby"])
        try await eventually { router.app?.title(of: "home") == "Market" }
        #expect(router.state?.visible.title == "Market")
        // The rules here present something else than the server does.
        try await put(#""login":{"presentation":"sheet"}"#, #""login":{"presentation":"popover"}"#)
        try await session.present("login")
        try await eventually { router.app?.routes["login"]?.presentation == .popover }
        try await session.dismiss()
        try await expectSame(router, session)
        // The rules here carry out what the server refuses.
        try await put(#""stock":{}"#, #""stock":{"guard":"staff","title":"Stock"}"#)
        router.perform(.navigate(to: "stock"))
        #expect(router.state?.path(of: "shop")?.count == 1)
        await router.settled()
        #expect(router.error?.problem?.code == "guarded")
        try await eventually { router.app?.title(of: "stock") == "Stock" }
        router.perform(.navigate(to: "stock"))
        #expect(router.state?.path(of: "shop")?.isEmpty == true, "the rules know the guard")
        try await expectSame(router, session)
        task.cancel()
    }

    /// Something that a user might do with what is shown.
    private func act(_ router: TestRouter, _ number: Int, _ random: inout SplitMix64) {
        let tab = router.selectedTab.isEmpty ? "a" : router.selectedTab
        switch random.below(9) {
        case 0: router.navigate(to: .page(n: number))
        case 1: router[tab].append(.page(n: number))
        case 2: router[tab] = Array(router[tab].dropLast())
        case 3: router.navigateBack()
        case 4 where router.presentedScreens.count < 4: router.present(.page(n: number))
        case 5: router.sheet = nil
        case 6: router.selectedTab = random.one(of: ["a", "b"])
        case 7: router.undo()
        default: router.navigateToRoot()
        }
    }
}
