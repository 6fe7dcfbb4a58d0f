import Foundation
import NavstateTesting
import Synchronization
import Testing

@testable import NavstateClient

/// A router whose connection fails in various ways.
@MainActor @Suite struct RouterConnectionTests {
    typealias StoreRouter = Router<Store.Screen>

    private func connected(
        _ transport: FateTransport, policy: ReconnectPolicy = .pull
    ) async throws -> (StoreRouter, Task<Void, Never>) {
        let router = StoreRouter(transport.session(), reconnectPolicy: policy, stepPause: .zero)
        let task = Task { await router.run() }
        try await eventually { router.isLoaded && router.connection == .live }
        return (router, task)
    }

    /// Once everything is settled, the router shows the state of the server.
    private func expectSame(_ router: StoreRouter, _ transport: FateTransport) async throws {
        try await eventually {
            router.isSettled && router.confirmed == transport.server.state
                && router.state?.outline == transport.server.state?.outline
        }
    }

    @Test(arguments: [429, 502, 503, 504])
    func `what a proxy refuses is kept until the router reconnects`(status: Int) async throws {
        let transport = try FateTransport()
        let (router, task) = try await connected(transport, policy: .push)
        transport.next("POST", .status(status))
        router.navigate(to: .page(n: 1))
        await router.settled()
        #expect(router.path(of: "shop") == [.page(n: 1)])
        #expect(router.connection == .offline && router.error?.problem?.status == status)
        transport.beat()
        try await expectSame(router, transport)
        #expect(router.path(of: "shop") == [.page(n: 1)])
        #expect(router.connection == .live)
        task.cancel()
        await task.value
    }

    @Test func `a change that waits for the connection has no error`() async throws {
        let transport = try FateTransport()
        let (router, task) = try await connected(transport, policy: .push)
        transport.next("POST", .lostRequest)
        router.navigate(to: .page(n: 1))
        await router.settled()
        #expect(router.connection == .offline && router.error == nil && !router.isSettled)
        transport.beat()
        try await expectSame(router, transport)
        #expect(router.path(of: "shop") == [.page(n: 1)] && router.error == nil)
        task.cancel()
    }

    @Test func `the error of a change is over when it is answered`() async throws {
        let transport = try FateTransport()
        let (router, task) = try await connected(transport, policy: .push)
        transport.next("POST", .status(503))
        router.navigate(to: .page(n: 1))
        await router.settled()
        #expect(router.error?.problem?.status == 503)
        transport.beat()
        try await expectSame(router, transport)
        #expect(router.path(of: "shop") == [.page(n: 1)] && router.error == nil)
        task.cancel()
        // Without a stream, nothing else says that the change waits.
        let lone = StoreRouter(transport.session(), stepPause: .zero)
        transport.next("POST", .lostRequest)
        lone.navigate(to: .page(n: 2))
        await lone.settled()
        #expect(lone.error?.isSilence == true && lone.connection == .connecting)
        await lone.push()
        #expect(lone.error == nil && lone.isSettled)
        // The reason of another change stays.
        lone.navigate(to: .stock)
        await lone.settled()
        lone.navigate(to: .page(n: 3))
        await lone.settled()
        #expect(lone.error?.problem?.code == "guarded")
    }

    @Test(arguments: [ReconnectPolicy.pull, .push])
    func `a change without a response is made once`(policy: ReconnectPolicy) async throws {
        let transport = try FateTransport()
        let (router, task) = try await connected(transport, policy: policy)
        transport.next("POST", .lostAnswer)
        router.navigate(to: .page(n: 1))
        router.navigate(to: .page(n: 2))
        await router.settled()
        try await eventually {
            transport.beat()
            return router.isSettled && router.connection == .live
        }
        let isPushed = policy == .push
        #expect(router.path(of: "shop") == (isPushed ? [.page(n: 1), .page(n: 2)] : [.page(n: 1)]))
        #expect(isPushed || router.error == .dropped)
        let keys = transport.keys
        #expect(isPushed ? keys[0] == keys[1] && Set(keys).count == 2 : keys.count == 1)
        try await expectSame(router, transport)
        task.cancel()
    }

    @Test func `a state that cannot be read is read later`() async throws {
        let transport = try FateTransport()
        let (router, task) = try await connected(transport)
        transport.next("POST", .lostRequest)
        transport.next("GET", .lostRequest)
        router.navigate(to: .page(n: 1))
        await router.settled()
        transport.beat()
        try await eventually { transport.requests == ["POST", "GET"] }
        #expect(router.path(of: "shop") == [.page(n: 1)])
        try await eventually {
            transport.beat()
            return router.isSettled
        }
        #expect(router.path(of: "shop").isEmpty && router.error == .dropped)
        task.cancel()
    }

    @Test func `what was done offline can be pushed by hand`() async throws {
        let transport = try FateTransport()
        let router = StoreRouter(transport.session(), stepPause: .zero)
        transport.next("POST", .lostRequest)
        router.navigate(to: .page(n: 1))
        await router.settled()
        #expect(!router.isSettled)
        transport.next("POST", .lostRequest)
        await router.push()
        #expect(!router.isSettled)
        await router.push()
        #expect(router.isSettled && router.path(of: "shop") == [.page(n: 1)])
        #expect(Set(transport.keys).count == 1)
    }

    @Test func `a session that was deleted is not created again`() async throws {
        let transport = try FateTransport()
        let (router, task) = try await connected(transport)
        transport.next("POST", .lostRequest)
        router.navigate(to: .page(n: 1))
        await router.settled()
        try await transport.other.delete()
        await task.value
        #expect(router.connection == .ended(.deleted))
        #expect(router.error == .dropped && router.path(of: "shop").isEmpty)
        #expect(!transport.requests.contains("PUT"))
    }

    @Test func `two windows share a stream, which lasts until both are closed`() async throws {
        let transport = try FateTransport()
        let (router, first) = try await connected(transport)
        let (joined, joining) = AsyncStream<Void>.makeStream()
        let second = Task {
            joining.yield()
            await router.run()
        }
        for await _ in joined { break }
        first.cancel()
        await first.value
        try await transport.other.select(tab: "account")
        try await eventually { router.tab == .account }
        #expect(router.connection == .live && transport.streams == 1)
        second.cancel()
        await second.value
        try await eventually { transport.openStreams == 0 }
        try await eventually { router.connection == .connecting }
    }

    @Test func `it is no error if two clients dismiss the same sheet`() async throws {
        let transport = try FateTransport()
        let (router, task) = try await connected(transport)
        router.present(.login)
        try await expectSame(router, transport)
        transport.next("POST", .overtaken(.root()))
        router.sheet = nil
        try await expectSame(router, transport)
        #expect(router.error == nil && transport.requests.count == 2)
        task.cancel()
    }

    @Test func `a tap acts on its own screen when somebody else presents a sheet`() async throws {
        let transport = try FateTransport()
        let (router, task) = try await connected(transport)
        transport.next("POST", .overtaken(.present("login")))
        router.navigate(to: .page(n: 1))
        await router.settled()
        try await expectSame(router, transport)
        #expect(router.path(of: "shop") == [.page(n: 1)] && router.sheet?.screen == .login)
        task.cancel()
    }

    @Test func `a swipe dismisses only the sheet that was there`() async throws {
        let transport = try FateTransport()
        let (router, task) = try await connected(transport)
        router.present(.login)
        await router.settled()
        let first = try #require(router.sheet)
        for command in [Nav.Command.dismiss(), .present("remove", ["id": "1"])] {
            try await transport.other.perform(command)
        }
        try await eventually { router.sheet?.screen == .remove(id: "1") }
        router[presented: 0, .sheet, id: first.id] = nil
        router.dismiss(first)
        let second = try #require(router.sheet)
        #expect(second.screen == .remove(id: "1"))
        router[presented: 0, .sheet, id: second.id] = nil
        #expect(router.sheet == nil)
        task.cancel()
    }

    @Test func `questions end with the connection if nothing can bring it back`() async throws {
        let transport = try FateTransport()
        let router = StoreRouter(transport.session(), stepPause: .zero)
        transport.next("POST", .lostRequest)
        await #expect(throws: NavstateError.stopped) { try await router.ask(.login) }
        await #expect(throws: NavstateError.stopped) { try await router.ask(.login) }
        let other = try FateTransport()
        let (running, task) = try await connected(other)
        other.next("POST", .lostRequest)
        let question = Task { try await running.ask(.login) }
        try await eventually { running.connection == .offline }
        task.cancel()
        await #expect(throws: NavstateError.stopped) { try await question.value }
    }

    @Test(arguments: [ReconnectPolicy.pull, .push])
    func `a question survives an outage if its sheet is pushed`(
        policy: ReconnectPolicy
    ) async throws {
        let transport = try FateTransport()
        let (router, task) = try await connected(transport, policy: policy)
        transport.next("POST", .lostRequest)
        let question = Task { try await router.ask(.login) }
        try await eventually { router.connection == .offline }
        #expect(router.sheet?.screen == .login)
        transport.beat()
        if policy == .push {
            try await eventually { router.isSettled && router.sheet != nil }
            router.dismissSheet(result: 42)
            #expect(try await question.value == 42)
        } else {
            await #expect(throws: NavstateError.dropped) { try await question.value }
            #expect(router.sheet == nil)
        }
        task.cancel()
    }

    @Test func `an untyped router reads the document of the app`() async throws {
        let transport = try FateTransport()
        let router = Router<TestScreen>(transport.session(), stepPause: .zero)
        #expect(router.app == nil && !router.isLoaded)
        let task = Task { await router.run() }
        try await eventually { router.app != nil }
        #expect(router.app?.tabs.map(\.icon) == ["bag", "magnifyingglass", "person"])
        router.perform(.navigate(to: "orders"))
        #expect(router.state?.sheets.map(\.route) == ["login"], "it knows the guards")
        task.cancel()
    }

    @Test func `the document of the server counts, not the one that was compiled`() async throws {
        let changed = Store.document.replacing(#""stock":{"guard":"staff"}"#, with: #""stock":{}"#)
        let transport = try FateTransport(changed)
        let (router, task) = try await connected(transport)
        router.navigate(to: .stock)
        await router.settled()
        #expect(router.path(of: "shop") == [.stock] && router.error == nil)
        router.navigateBack()
        router.navigate(to: .stock)
        #expect(router.path(of: "shop") == [.stock], "it is shown at once")
        try await expectSame(router, transport)
        task.cancel()
    }

    @Test func `a fact with a new value leaves the other facts as they are`() async throws {
        let changed = Store.document.replacing(
            #"["customer","clerk"]"#, with: #"["customer","clerk","owner"]"#)
        let transport = try FateTransport(changed)
        try await transport.other.setFacts(["signedIn": true, "role": "owner"])
        let (router, task) = try await connected(transport)
        #expect(router.facts == .with { $0.signedIn = true })
        router.setFacts { $0.signedIn = false }
        try await expectSame(router, transport)
        #expect(router.error == nil && !router.facts.signedIn)
        #expect(transport.server.state?.facts == ["signedIn": false, "role": "owner"])
        router.setFacts { $0.role = .clerk }
        try await expectSame(router, transport)
        #expect(transport.server.state?.facts == ["signedIn": false, "role": "clerk"])
        let history = try await transport.other.history().history
        #expect(history.first?.command == .setFacts(["role": "clerk"]))
        task.cancel()
    }

    @Test func `the document of the app is read again only if there is a reason`() async throws {
        let transport = try FateTransport()
        let (router, task) = try await connected(transport)
        try await eventually { transport.appReads == 1 }
        router.open(Store.Link.order(id: "7"))
        router.setFacts { $0.signedIn = true }
        router.navigate(to: .stock)
        try await transport.other.navigate(to: Nav.Destination("page", params: ["n": 9]))
        try await transport.other.present("help")
        router.navigate(to: .page(n: 1), in: .account)
        try await expectSame(router, transport)
        #expect(router.error?.problem?.code == "guarded" && transport.appReads == 1)
        router.navigateToRoot(.all)
        try await expectSame(router, transport)
        transport.next("POST", .overtaken(.present(Dialog(title: "Wait"))))
        router.present(.login)
        try await expectSame(router, transport)
        #expect(router.error?.problem?.code == "dialog-open")
        try await eventually { transport.appReads == 2 }
        task.cancel()
    }

    @Test func `marks are kept, and a screen is decoded only once`() async throws {
        let transport = try FateTransport()
        let router = Router<MarkedScreen>(transport.session(), stepPause: .zero)
        let task = Task { await router.run() }
        try await eventually { router.app != nil }
        router.navigate(to: MarkedScreen())
        router["shop"].append(MarkedScreen())
        router.present(MarkedScreen())
        await router.settled()
        let state = try #require(transport.server.state)
        #expect(state.path(of: "shop")?.map(\.mark) == ["m", "m"] && state.sheets[0].mark == "m")
        task.cancel()
        var cache = ScreenCache<CountedScreen>()
        for _ in 0..<3 {
            #expect(cache.screen(of: "e1", route: "r", params: ["n": 1]) != nil)
            #expect(cache.screen(of: "e2", route: "unknown", params: [:]) == nil)
        }
        #expect(CountedScreen.count == 2)
        #expect(cache.screen(of: "e1", route: "r", params: ["n": 2])?.params == ["n": 2])
    }

    @Test func `an enum with raw values is a screen, and an unencodable one fails`() throws {
        #expect(RawScreen.home.destination == Nav.Destination("home"))
        #expect(RawScreen(route: "home", params: [:]) == .home)
        #expect(RawScreen(route: "nowhere", params: [:]) == nil)
        do throws(NavstateError) {
            _ = try Measured.value(.nan).encodedDestination()
            Issue.record("NaN is not JSON.")
        } catch {
            #expect("\(error)".contains("nvalidValue"))
        }
    }
}

extension Nav.Session {
    /// The screens, without ids.
    var outline: String {
        func text(_ path: [Nav.Entry]) -> String {
            "[" + path.map { "\($0.route)\($0.params["n"]?.integer ?? 0)" }.joined(separator: ",")
                + "]"
        }
        let tabs = tabs.map { ($0.id == selectedTab ? "*" : "") + $0.id + text($0.path) }
        let sheets = sheets.map { "\($0.style.rawValue):\($0.route)" + text($0.path) }
        return (tabs + sheets).joined(separator: " ")
    }
}

extension Nav.Command {
    fileprivate static func present(_ route: String, _ params: JSONValue) -> Nav.Command {
        .present(Nav.Destination(route, params: params))
    }
}

private enum RawScreen: String, NavigationScreen, Codable {
    case home, offers
}

private enum Measured: NavigationScreen, Codable {
    case value(Double)
}

private struct MarkedScreen: NavigationScreen {
    var destination: Nav.Destination { Nav.Destination("page", params: ["n": 1], mark: "m") }

    init() {}

    init?(route: String, params: JSONValue) {
        guard route == "page" else { return nil }
    }
}

private struct CountedScreen: NavigationScreen {
    private static let counter = Mutex(0)
    static var count: Int { counter.withLock { $0 } }
    let params: JSONValue
    var destination: Nav.Destination { Nav.Destination("r", params: params) }

    init?(route: String, params: JSONValue) {
        Self.counter.withLock { $0 += 1 }
        guard route == "r" else { return nil }
        self.params = params
    }
}
