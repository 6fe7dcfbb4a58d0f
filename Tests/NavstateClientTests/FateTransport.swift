import Foundation
import NavstateClient
import NavstateRules
import Testing

@testable import NavstateTesting

/// A connection to the server of a test on which single requests have a fate of their own.
@MainActor final class FateTransport: Transport {
    enum Fate: Sendable {
        /// The server does not receive it.
        case lostRequest
        /// It is carried out, but the response is lost.
        case lostAnswer
        /// A proxy responds instead.
        case status(Int)
        /// It is carried out after another client has changed the session.
        case overtaken(Nav.Command)
    }

    let server: TestServer
    private let line: TestLine
    private var fates: [(method: String, fate: Fate)] = []
    private var beats: [TestServer.Stream] = []
    /// The methods of all requests except those for streams and apps.
    private(set) var requests: [String] = []
    private(set) var keys: [String] = []
    /// The number of requests for the document of the app.
    private(set) var appReads = 0
    private(set) var streams = 0
    private(set) var openStreams = 0

    init(to server: TestServer) {
        self.server = server
        line = TestLine(to: server)
    }

    /// - Parameter document: the app as the server has it.
    convenience init(_ document: String = Store.document) throws {
        let app = try AppDefinition(json: document)
        let session = try AppStart<Store.Screen>.root.session(
            of: app, facts: Store.Facts(), sheets: [])
        self.init(to: TestServer(app, session, at: TestClock()))
    }

    /// Decides what happens to the next request with this method.
    func next(_ method: String, _ fate: Fate) { fates.append((method, fate)) }

    /// Sends something that is not an event.
    func beat() { for stream in beats { stream.yield(Data(": \n\n".utf8)) } }

    /// The session for a client that does not repeat requests.
    func session() -> RemoteSession {
        var configuration = Navstate.Configuration()
        configuration.transport = self
        configuration.retries = 0
        configuration.timeout = .seconds(3600)
        configuration.sleepBetweenAttempts = { _ in await Task.yield() }
        return Navstate(url: URL(filePath: "/"), configuration: configuration).session(server.id)
    }

    /// Another client.
    var other: RemoteSession { TestLine(to: server).session }

    func open(_ request: HTTPRequest) async throws -> HTTPResponse {
        if request.fields["Accept"] == "text/event-stream" { return try await stream(request) }
        if request.url.path().contains("/apps/") {
            appReads += 1
            return try await line.open(request)
        }
        requests.append(request.method)
        if let key = request.fields["Idempotency-Key"] { keys.append(key) }
        let index = fates.firstIndex { $0.method == request.method }
        let fate = index.map { fates.remove(at: $0).fate }
        switch fate {
        case .lostRequest: throw URLError(.networkConnectionLost)
        case .status(let status): return HTTPResponse(status: status, fields: [:], data: Data())
        case .overtaken(let command): try await other.perform(command)
        case .lostAnswer, nil: break
        }
        let response = try await line.open(request)
        if case .lostAnswer = fate { throw URLError(.networkConnectionLost) }
        return response
    }

    private func stream(_ request: HTTPRequest) async throws -> HTTPResponse {
        let response = try await line.open(request)
        guard response.status == 200 else { return response }
        let (body, parts) = AsyncThrowingStream<Data, any Error>.makeStream()
        streams += 1
        openStreams += 1
        beats.append(parts)
        let forward = Task {
            do {
                for try await part in response.body { parts.yield(part) }
                parts.finish()
            } catch {
                parts.finish(throwing: error)
            }
        }
        parts.onTermination = { _ in
            forward.cancel()
            Task { @MainActor in self.openStreams -= 1 }
        }
        return HTTPResponse(status: 200, fields: response.fields, body: body)
    }
}
