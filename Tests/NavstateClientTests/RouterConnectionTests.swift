import Foundation
import Testing

@testable import NavstateClient

/// The screens of the model server.
enum ModelScreen: NavigationScreen, Codable {
    case a, b, c
    case r(n: Int)
    case sheet, cover
    case other
}

/// A router whose connection fails in various ways, with a server in this process.
@MainActor @Suite struct RouterConnectionTests {
    typealias ModelRouter = Router<ModelScreen>

    private func connected(
        _ transport: ModelTransport, policy: ReconnectPolicy = .pull
    ) async throws -> (ModelRouter, Task<Void, Never>) {
        let router = ModelRouter(transport.session(), reconnectPolicy: policy, stepPause: .zero)
        let task = Task { await router.run() }
        try await eventually { router.isLoaded && router.connection == .live }
        return (router, task)
    }

    /// Once everything is settled, the router shows the state of the server.
    private func expectSame(_ router: ModelRouter, _ transport: ModelTransport) async throws {
        try await eventually {
            let state = await transport.server.state
            return router.isSettled && router.state.outline == state.outline
        }
    }

    @Test(arguments: [429, 502, 503, 504])
    func `what a proxy refuses is kept until the router reconnects`(status: Int) async throws {
        let transport = ModelTransport()
        let (router, task) = try await connected(transport, policy: .push)
        await transport.next("POST", .status(status))
        router.navigate(to: .r(n: 1))
        await router.settled()
        #expect(router.path(of: "a") == [.r(n: 1)])
        #expect(router.connection == .offline && router.error?.problem?.status == status)
        await transport.beat()
        try await expectSame(router, transport)
        #expect(router.path(of: "a") == [.r(n: 1)])
        #expect(router.connection == .live)
        task.cancel()
        await task.value
    }

    @Test func `a change without a response stays, and the others are reported as dropped`()
        async throws
    {
        let transport = ModelTransport()
        let (router, task) = try await connected(transport)
        await transport.next("POST", .lostAnswer)
        await transport.next("GET", .lostRequest)
        router.navigate(to: .r(n: 1))
        router.navigate(to: .r(n: 2))
        await router.settled()
        try await eventually {
            await transport.beat()
            return router.isSettled
        }
        #expect(router.path(of: "a") == [.r(n: 1)])
        #expect(router.error == .dropped)
        #expect(await transport.requests.prefix(3) == ["POST", "GET", "GET"])
        try await expectSame(router, transport)
        task.cancel()
    }

    @Test func `a local state that could not be written is kept`() async throws {
        let transport = ModelTransport()
        let (router, task) = try await connected(transport, policy: .push)
        await transport.next("POST", .lostRequest)
        await transport.next("PUT", .status(503))
        router.navigate(to: .r(n: 1))
        await router.settled()
        await transport.beat()
        try await eventually { await transport.requests.contains("PUT") }
        #expect(router.path(of: "a") == [.r(n: 1)])
        try await eventually {
            await transport.beat()
            return router.isSettled
        }
        #expect(await transport.server.state[path: "a"]?.count == 1)
        #expect(router.path(of: "a") == [.r(n: 1)])
        task.cancel()
    }

    @Test func `a local state is written over the newest state of the server`() async throws {
        let transport = ModelTransport()
        let (router, task) = try await connected(transport, policy: .push)
        await transport.next("POST", .lostRequest)
        await transport.next("PUT", .overtaken)
        router.navigate(to: .r(n: 1))
        await router.settled()
        await transport.beat()
        try await expectSame(router, transport)
        #expect(await transport.requests == ["POST", "GET", "PUT", "GET", "PUT"])
        #expect(router.path(of: "a") == [.r(n: 1)])
        task.cancel()
    }

    @Test func `a router that has received no state writes none`() async throws {
        let transport = ModelTransport()
        try await transport.perform(.present("sheet"))
        let router = ModelRouter(transport.session(), reconnectPolicy: .push, stepPause: .zero)
        await transport.next("POST", .lostRequest)
        router.navigate(to: .r(n: 1))
        await router.settled()
        await router.push()
        #expect(router.sheet?.screen == .sheet)
        #expect(await transport.requests == ["POST", "GET"])
    }

    @Test func `a session that was deleted is not created again`() async throws {
        let transport = ModelTransport()
        let (router, task) = try await connected(transport, policy: .push)
        await transport.next("POST", .lostRequest)
        router.navigate(to: .r(n: 1))
        await router.settled()
        await transport.delete()
        await transport.beat()
        try await eventually { router.connection == .ended(.deleted) }
        await transport.sendEnd()
        await task.value
        #expect(router.connection == .ended(.deleted))
        #expect(await !transport.requests.contains("PUT"))
    }

    @Test func `the end of a session does not count as reconnecting`() async throws {
        let transport = ModelTransport()
        let (router, task) = try await connected(transport, policy: .push)
        await transport.next("POST", .lostRequest)
        router.navigate(to: .r(n: 1))
        await router.settled()
        await transport.sendEnd()
        await task.value
        #expect(router.connection == .ended(.deleted))
        #expect(await transport.requests == ["POST"])
        #expect(router.error == .dropped && router.path(of: "a").isEmpty)
    }

    @Test func `a session that was recreated while the router was asleep is shown`() async throws {
        let transport = ModelTransport()
        let (router, task) = try await connected(transport)
        for number in 0..<3 { router.navigate(to: .r(n: number)) }
        try await expectSame(router, transport)
        task.cancel()
        await task.value
        await transport.create()
        let again = Task { await router.run() }
        try await expectSame(router, transport)
        #expect(router.path(of: "a").isEmpty)
        again.cancel()
    }

    @Test func `two windows share a stream, which lasts until both are closed`() async throws {
        let transport = ModelTransport()
        let (router, first) = try await connected(transport)
        let (joined, joining) = AsyncStream<Void>.makeStream()
        let second = Task {
            joining.yield()
            await router.run()
        }
        for await _ in joined { break }
        first.cancel()
        await first.value
        try await transport.perform(.select(tab: "b"))
        try await eventually { router.selectedTab == "b" }
        #expect(router.connection == .live)
        #expect(await transport.streams == 1)
        second.cancel()
        await second.value
        try await eventually { await transport.openStreams == 0 }
        try await eventually { router.connection == .connecting }
    }

    @Test func `it is no error if two clients dismiss the same sheet`() async throws {
        let transport = ModelTransport()
        let (router, task) = try await connected(transport)
        router.present(.sheet)
        try await expectSame(router, transport)
        await transport.next("POST", .overtakenByDismissal)
        router.sheet = nil
        try await expectSame(router, transport)
        #expect(router.error == nil)
        #expect(await transport.commands.count == 2)
        task.cancel()
    }
}
