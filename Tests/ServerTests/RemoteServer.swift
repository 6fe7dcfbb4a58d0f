import API
import Navigation
import POSIX
import Sessions

import Server

/// One of several servers that share their sessions. The test runs its turns.
final class RemoteServer: LoopDriver {
    let engine: RemoteEngine
    let loop: EventLoop
    /// A descriptor that nobody writes to.
    private let signals: FileDescriptor

    init(_ storage: SharedStorage, _ change: (inout ServerOptions) -> Void = { _ in }) throws {
        var options = ServerOptions()
        options.clock = TestClock()
        change(&options)
        engine = try RemoteEngine(storage)
        signals = try WakeUp().descriptor
        loop = try EventLoop(
            options: options, store: engine,
            service: Service(store: engine.parts, options: options.service),
            sockets: ServerSockets(listeners: [], signals: signals),
            log: Log(level: .critical, format: .json))
    }

    /// A client that has sent a request. The server has already done what it can do for now.
    func begin(_ text: String) throws -> TestClient {
        let client = try pair()
        try client.send(text)
        try settle()
        try client.receive()
        return client
    }

    /// Decides the oldest change of a session, and runs the turns that follow from that.
    func decide(_ id: String, _ outcome: TicketOutcome? = nil) throws {
        engine.decide(id, outcome)
        try settle()
    }
}

extension RemoteServer {
    /// A server with the sessions a, b and c. The test decides all further changes.
    static func withSessions(
        _ storage: SharedStorage, _ change: (inout ServerOptions) -> Void = { _ in }
    ) throws -> RemoteServer {
        let server = try RemoteServer(storage, change)
        for id in ["a", "b", "c"] {
            try server.ask(.post("/v1/sessions", #"{"id":"\#(id)","labels":{"room":"hall"}}"#))
        }
        server.engine.isPrompt = false
        return server
    }
}

extension String {
    /// A change that pushes a route.
    static func push(_ id: String, _ route: String, _ fields: String = "") -> String {
        let body = #"{"route":"\#(route)"}"#
        return "POST /v1/sessions/\(id)/navigate HTTP/1.1\r\nHost: localhost\r\n\(fields)"
            + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
}

extension SharedStorage {
    /// The newest state of a session as JSON.
    func state(_ id: String) -> String {
        let newest = sessions[SessionID(trusted: id)]?.last?.record.state ?? []
        return String(decoding: newest, as: UTF8.self)
    }
}
