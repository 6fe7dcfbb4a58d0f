public import NavstateClient
public import NavstateRules
internal import Foundation

/// A session with a router, on a server in this process that carries out the rules of the real
/// one. Nothing in it takes time: only `clock` moves, and nothing is sent over a network.
///
/// ```swift
/// let test = try TestSession<Shop.Screen>()
/// test.router.open(Shop.Link.order(id: "7"))
/// await expect(test.router).shows(.login)
/// ```
@MainActor public final class TestSession<Screen: AppScreen> {
    /// The router of the app, which follows the session.
    public let router: Router<Screen>
    /// Another client of the same session, such as a backend.
    public let other: RemoteSession
    /// The server, to look at.
    public let server: TestServer
    /// The time of the server, and of the pauses of the router.
    public var clock: TestClock { server.clock }

    private let line: TestLine
    private let task: Task<Void, Never>

    /// Creates a session that begins at a certain place, with these facts and these sheets, from
    /// bottom to top. The router pauses for `stepPause` after a change of the sheets, by `clock`.
    ///
    /// - Throws: `InvalidApp`, or a `Rejection` if the session cannot begin there.
    public init(
        from start: AppStart<Screen> = .root, facts: Screen.Facts = Screen.Facts(),
        sheets: [Screen] = [], reconnectPolicy: ReconnectPolicy = .pull,
        stepPause: Duration = .zero
    ) throws {
        let app = try AppDefinition(of: Screen.self)
        let server = TestServer(
            app, try start.session(of: app, facts: facts, sheets: sheets), at: TestClock())
        let line = TestLine(to: server)
        let router = Router<Screen>(
            line.session, reconnectPolicy: reconnectPolicy, stepPause: stepPause,
            confirmed: server.state)
        router.wait { [weak router] in
            guard line.isConnected, let router else { return false }
            switch router.connection {
            case .connecting, .offline: return true
            case .live: return router.confirmed?.revision != server.state?.revision
            case .ended, .refused: return false
            }
        }
        (self.router, self.server, self.line) = (router, server, line)
        other = TestLine(to: server).session
        task = Task { [weak router] in await router?.run() }
    }

    deinit { task.cancel() }

    /// Cuts the connection of the router.
    public func disconnect() {
        line.disconnect()
        router.connectionLost()
    }

    /// Restores the connection of the router.
    public func reconnect() { line.connect() }

    /// Loses the answer to the next change of the router, which the server carries out. The client
    /// repeats the request then.
    public func loseNextAnswer() { line.losesNextAnswer = true }

    /// Looks for what users can reach with so many commands, and for what is wrong with the app.
    public static func explore(depth: Int = 5) throws -> TestReport {
        TestReport(Exploration(try AppDefinition(of: Screen.self), depth: depth))
    }
}

/// The screens that users of an app can reach, and its faults.
public struct TestReport: Sendable, CustomStringConvertible {
    public let findings: [Exploration.Finding]
    /// The routes that were visible in some state.
    public let screens: Set<String>
    /// The routes that the app declares, in their order.
    public let declared: [String]

    init(_ found: Exploration) {
        (findings, screens, declared) = (found.findings, Set(found.screens), found.declared)
    }

    /// A line for each finding.
    public var description: String {
        findings.map { "\($0.pointer) \($0.code.rawValue): \($0.detail)" }.joined(separator: "\n")
    }
}

/// A time that only tests move.
@MainActor public final class TestClock {
    /// The time in milliseconds since 1970.
    public private(set) var now: Int64 = 1_767_225_600_000
    private var sleepers: [(until: Int64?, wake: AsyncStream<Void>.Continuation)] = []
    var moved: () -> Void = {}

    /// Moves the time: sheets whose time is over go, the idle command is carried out, and the
    /// router goes on after its pauses.
    public func advance(by duration: Duration) {
        now += Int64(duration / .milliseconds(1))
        moved()
        wake()
    }

    /// Resumes those whose time has come, and after a change those that wait for one.
    func wake(isChange: Bool = false) {
        func isDue(_ until: Int64?) -> Bool { until.map { $0 <= now } ?? isChange }
        for sleeper in sleepers where isDue(sleeper.until) { sleeper.wake.finish() }
        sleepers.removeAll { isDue($0.until) }
    }

    /// Waits until the time has passed, or until the next change.
    func sleep(for duration: Duration? = nil) async throws {
        let (wait, wake) = AsyncStream<Void>.makeStream()
        sleepers.append((duration.map { now + Int64($0 / .milliseconds(1)) }, wake))
        for await _ in wait {}
        try Task.checkCancellation()
    }
}

/// The connection of one client to the server.
@MainActor final class TestLine: Transport {
    private let server: TestServer
    private(set) var isConnected = true
    var losesNextAnswer = false
    private var streams: [TestServer.Stream] = []

    init(to server: TestServer) { self.server = server }

    /// The session by way of this connection.
    var session: RemoteSession {
        var configuration = Navstate.Configuration()
        configuration.transport = self
        configuration.retries = 1
        configuration.sleepBetweenAttempts = { _ in await Task.yield() }
        configuration.sleepUntilLimit = { _ in try await Task.sleep(for: .seconds(1 << 32)) }
        configuration.sleep = { [clock = server.clock] in try await clock.sleep(for: $0) }
        return Navstate(url: URL(filePath: "/"), configuration: configuration).session(server.id)
    }

    func connect() {
        isConnected = true
        server.clock.wake(isChange: true)
    }

    func disconnect() {
        isConnected = false
        for stream in streams { stream.finish(throwing: URLError(.networkConnectionLost)) }
        streams = []
        server.clock.wake(isChange: true)
    }

    func open(_ request: HTTPRequest) async throws -> HTTPResponse {
        let isStream = request.fields["Accept"] == "text/event-stream"
        while !isConnected {
            // Whoever waits for something in any case waits for the connection, too.
            guard isStream || request.waits else { throw URLError(.notConnectedToInternet) }
            try await server.clock.sleep()
        }
        if isStream, let (response, stream) = server.stream(request) {
            streams.append(stream)
            return response
        }
        let response = try await server.answer(request)
        let isLost = losesNextAnswer && request.method != "GET"
        if isLost { losesNextAnswer = false }
        guard isConnected, !isLost else { throw URLError(.networkConnectionLost) }
        return response
    }
}
