import Foundation
import Testing

@testable import NavstateClient

/// Questions of a router that is cancelled, offline, or not running.
@MainActor @Suite struct RouterQuestionTests {
    typealias ModelRouter = Router<ModelScreen>

    private func router(
        _ transport: ModelTransport, policy: ReconnectPolicy = .push
    ) -> ModelRouter {
        ModelRouter(transport.session(), reconnectPolicy: policy, stepPause: .zero)
    }

    /// Connects a router, and asks a question whose request is lost. The router is offline then.
    private func askAndLoseConnection(
        _ router: ModelRouter, _ transport: ModelTransport
    ) async throws -> (run: Task<Void, Never>, question: Task<JSONValue?, any Error>) {
        let run = Task { await router.run() }
        try await eventually { router.isLoaded && router.connection == .live }
        await transport.next("POST", .lostRequest)
        let question = Task { try await router.ask(.sheet) }
        try await eventually { router.connection == .offline }
        return (run, question)
    }

    @Test func `a question that is cancelled ends, and its sheet stays`() async throws {
        let transport = ModelTransport()
        let router = router(transport)
        let (run, question) = try await askAndLoseConnection(router, transport)
        question.cancel()
        await #expect(throws: NavstateError.cancelled) { try await question.value }
        #expect(router.sheet?.screen == .sheet)
        run.cancel()
    }

    @Test func `a question without a connection fails if the router is not running`() async throws {
        let transport = ModelTransport()
        let router = router(transport)
        await transport.next("POST", .lostRequest)
        await #expect(throws: NavstateError.stopped) { try await router.ask(.sheet) }
        await #expect(throws: NavstateError.stopped) { try await router.ask(.sheet) }
    }

    @Test func `a question fails when the router stops without a connection`() async throws {
        let transport = ModelTransport()
        let router = router(transport)
        let (run, question) = try await askAndLoseConnection(router, transport)
        run.cancel()
        await #expect(throws: NavstateError.stopped) { try await question.value }
    }

    @Test func `a question survives an outage if its sheet is pushed`() async throws {
        let transport = ModelTransport()
        let router = router(transport)
        let (run, question) = try await askAndLoseConnection(router, transport)
        await transport.beat()
        try await eventually { router.isSettled && router.sheet != nil }
        router.dismissSheet(result: 42)
        #expect(try await question.value == 42)
        run.cancel()
    }

    @Test func `a question fails if its sheet is dropped`() async throws {
        let transport = ModelTransport()
        let router = router(transport, policy: .pull)
        let (run, question) = try await askAndLoseConnection(router, transport)
        await transport.beat()
        await #expect(throws: NavstateError.dropped) { try await question.value }
        #expect(router.sheet == nil)
        run.cancel()
    }

    @Test func `a sheet that cannot be swiped away can be answered`() async throws {
        let transport = ModelTransport()
        let router = router(transport)
        let run = Task { await router.run() }
        try await eventually { router.isLoaded && router.connection == .live }
        let locked = PresentationOptions(tag: "t", detents: ["medium"], isDismissible: false)
        let question = Task { try await router.ask(.sheet, presentation: locked) }
        try await eventually { router.sheet != nil && router.isSettled }
        let sheet = await transport.server.state.sheets.first
        #expect(sheet?.isDismissible == false && sheet?.tag == "t")
        #expect(router.sheet?.detents == ["medium"])
        router.sheet = nil
        await router.settled()
        #expect(router.sheet != nil)
        router.dismissSheet(result: true)
        #expect(try await question.value == true)
        #expect(await transport.commands.last?["force"] == true)
        run.cancel()
    }
}
