import Foundation
import Synchronization
import Testing

@testable import NavstateClient

/// What a tap means, and what SwiftUI shows, without waiting for a server.
@MainActor @Suite struct RouterNavigationTests {
    typealias ModelRouter = Router<ModelScreen>

    private func connected(
        _ transport: ModelTransport, stepPause: Duration = .zero
    ) async throws -> ModelRouter {
        let router = ModelRouter(transport.session(), stepPause: stepPause)
        Task { await router.run() }
        try await eventually { router.isLoaded && router.connection == .live }
        return router
    }

    private func entry(_ number: Int64) -> Command {
        .navigate(to: Destination("r", params: ["n": .integer(number)]))
    }

    @Test func `entries that the app does not know stay in place`() async throws {
        let transport = ModelTransport()
        let router = try await connected(transport)
        for command in [entry(1), .navigate(to: "unknown")] { try await transport.perform(command) }
        try await eventually { router.state[path: "a"]?.count == 2 }
        router["a"].append(.r(n: 2))
        #expect(router.state[path: "a"]?.map(\.route) == ["r", "unknown", "r"])
        await router.settled()
        try await transport.perform(
            .setPath(in: "b", ["unknown", Destination("r", params: ["n": 3])]))
        try await eventually { router.state[path: "b"]?.count == 2 }
        router["b"].removeLast()
        #expect(router.state[path: "b"]?.map(\.route) == ["unknown"])
        router["a"] = [.r(n: 1)]
        #expect(router.state[path: "a"]?.map(\.route) == ["r", "unknown"])
    }

    @Test func `a tap acts on the top container that the app can show`() async throws {
        let transport = ModelTransport()
        let router = try await connected(transport)
        try await transport.perform(.present("unknown"))
        try await eventually { router.state.sheets.count == 1 }
        router.navigate(to: .r(n: 1))
        await router.settled()
        #expect(await transport.commands.last?["in"] == "a")
        #expect(await transport.server.state[path: "a"]?.count == 1)
        router.present(.sheet)
        router.navigate(to: .r(n: 2))
        await router.settled()
        let sheet = await transport.server.state.sheets.last
        #expect(sheet?.route == "sheet" && sheet?.path.count == 1)
    }

    @Test func `a tap acts on its own screen when somebody else presents a sheet`() async throws {
        let transport = ModelTransport()
        let router = try await connected(transport)
        await transport.next("POST", .overtakenByPresentation)
        router.navigate(to: .r(n: 1))
        await router.settled()
        try await eventually { router.state.sheets.count == 1 }
        #expect(router.path(of: "a") == [.r(n: 1)])
        #expect(router.state.sheets.first?.path.isEmpty == true)
    }

    @Test func `a swipe dismisses only the sheet that was there`() async throws {
        let transport = ModelTransport()
        let router = try await connected(transport)
        router.present(.sheet)
        await router.settled()
        let first = try #require(router.sheet)
        for command in [Command.dismiss(.sheet("e2")), .present("other")] {
            try await transport.perform(command)
        }
        try await eventually { router.sheet?.screen == .other }
        router[presented: 0, .sheet, id: first.id] = nil
        router.dismiss(first)
        #expect(router.sheet?.screen == .other)
        let second = try #require(router.sheet)
        router[presented: 0, .sheet, id: second.id] = nil
        #expect(router.sheet == nil)
    }

    @Test func `nothing is presented while the sheets are changing`() async throws {
        let transport = ModelTransport()
        let router = try await connected(transport, stepPause: .seconds(86_400))
        router.present(.sheet)
        router.present(.cover, style: .fullScreenCover)
        #expect(router.presentedScreens.map(\.screen) == [.sheet])
        router.navigate(to: .r(n: 1))
        router.dismissSheet()
        router.dismissSheet()
        #expect(router.presentedScreens.isEmpty, "a dismissal does not wait")
        router.present(.other)
        #expect(router.presentedScreens.isEmpty)
        await router.answered()
        #expect(router.presentedScreens.isEmpty)
        #expect(router.target.sheets.map(\.route) == ["other"])
        #expect(await transport.server.state.sheets.map(\.route) == ["other"])
    }

    @Test func `after the pause the next sheet is presented`() async throws {
        let transport = ModelTransport()
        let router = try await connected(transport, stepPause: .milliseconds(1))
        for command in [Command.present("sheet"), .present("other")] {
            try await transport.perform(command)
        }
        router.present(.cover, style: .fullScreenCover)
        try await eventually { router.presentedScreens.count == 3 && router.isSettled }
    }

    @Test func `what has settled is shown`() async throws {
        let transport = ModelTransport()
        let router = try await connected(transport, stepPause: .milliseconds(1))
        router.present(.sheet)
        router.present(.cover, style: .fullScreenCover)
        #expect(router.presentedScreens.map(\.screen) == [.sheet])
        await router.settled()
        #expect(router.presentedScreens.map(\.screen) == [.sheet, .cover])
    }

    @Test func `marks are kept`() async throws {
        let transport = ModelTransport()
        let router = Router<MarkedScreen>(transport.session(), stepPause: .zero)
        Task { await router.run() }
        try await eventually { router.isLoaded && router.connection == .live }
        router.navigate(to: MarkedScreen())
        router["a"].append(MarkedScreen())
        router.present(MarkedScreen())
        await router.settled()
        let commands = await transport.commands
        #expect(commands.map(\.name) == ["navigate", "setPath", "present"])
        #expect(commands[0]["mark"] == "m" && commands[2]["mark"] == "m")
        #expect(commands[1]["path"]?[1]?["mark"] == "m")
    }

    @Test func `a screen is decoded only once`() {
        var cache = ScreenCache<CountedScreen>()
        for _ in 0..<3 {
            #expect(cache.screen(of: "e1", route: "r", params: ["n": 1]) != nil)
            #expect(cache.screen(of: "e2", route: "unknown", params: [:]) == nil)
        }
        #expect(CountedScreen.count.withLock { $0 } == 2)
        #expect(cache.screen(of: "e1", route: "r", params: ["n": 2])?.params == ["n": 2])
    }

    @Test func `an enum with raw values is a screen, and an unencodable one fails`() throws {
        #expect(RawScreen.home.destination == Destination("home"))
        #expect(RawScreen(route: "home", params: [:]) == .home)
        #expect(RawScreen(route: "nowhere", params: [:]) == nil)
        #expect(try ModelScreen.r(n: 1).encodedDestination() == Destination("r", params: ["n": 1]))
        do throws(NavstateError) {
            _ = try Measured.value(.nan).encodedDestination()
            Issue.record("NaN is not JSON.")
        } catch {
            #expect("\(error)".contains("nvalidValue"))
        }
    }
}

private enum RawScreen: String, NavigationScreen, Codable {
    case home, offers
}

private enum Measured: NavigationScreen, Codable {
    case value(Double)
}

private struct MarkedScreen: NavigationScreen {
    var destination: Destination { Destination("r", mark: "m") }

    init() {}

    init?(route: String, params: JSONValue) {
        guard route == "r" else { return nil }
    }
}

private struct CountedScreen: NavigationScreen {
    static let count = Mutex(0)
    var params: JSONValue
    var destination: Destination { Destination("r", params: params) }

    init?(route: String, params: JSONValue) {
        Self.count.withLock { $0 += 1 }
        guard route == "r" else { return nil }
        self.params = params
    }
}
