import Foundation

@testable import NavstateClient

/// A `ModelServer` behind a network that a test controls.
actor ModelTransport: Transport {
    /// What happens to a request.
    enum Fate: Sendable {
        /// The server does not receive it.
        case lostRequest
        /// It is carried out, but the response is lost.
        case lostAnswer
        /// A proxy responds instead.
        case status(Int)
        /// It is carried out after another client has selected a tab.
        case overtaken
        /// It is carried out after another client has presented a sheet.
        case overtakenByPresentation
        /// It is carried out after another client has gone back to the root.
        case overtakenByDismissal
    }

    private(set) var server = ModelServer()
    /// The methods and paths of all requests except those for streams.
    private(set) var requests: [String] = []
    /// The bodies of the commands.
    private(set) var commands: [Command] = []
    private(set) var streams = 0
    private(set) var openStreams = 0
    private var exists = true
    private var fates: [(method: String, fate: Fate)] = []
    private var stream: AsyncThrowingStream<Data, any Error>.Continuation?

    /// Decides what happens to the next request with this method.
    func next(_ method: String, _ fate: Fate) { fates.append((method, fate)) }

    /// Lets another client change the session.
    func perform(_ command: Command) throws {
        guard try server.perform(command) != nil else { return }
        try send("change")
    }

    func create() { server.create() }

    /// Removes the session without telling anybody.
    func delete() { exists = false }

    /// Sends something that is not an event.
    func beat() { stream?.yield(Data(": \n\n".utf8)) }

    /// Sends the event that the session was deleted.
    func sendEnd() {
        stream?.yield(Data("id: 99\nevent: deleted\ndata: {\"id\":\"s\"}\n\n".utf8))
    }

    func open(_ request: HTTPRequest) async throws -> HTTPResponse {
        if request.fields["Accept"] == "text/event-stream" { return try openStream() }
        let isState = request.url.path().hasSuffix("/sessions/s")
        requests.append(request.method)
        let index = fates.firstIndex { $0.method == request.method }
        let fate = index.map { fates.remove(at: $0).fate }
        switch fate {
        case .lostRequest: throw URLError(.networkConnectionLost)
        case .status(let status): return problem(status, "proxy")
        case .overtaken: try perform(.select(tab: "c"))
        case .overtakenByPresentation: try perform(.present("other"))
        case .overtakenByDismissal: try perform(.root())
        case .lostAnswer, nil: break
        }
        guard exists else { return problem(404, "session-not-found") }
        if request.url.path().contains("/sheets/") { return try await answerSheet(request) }
        let response = isState ? try answerState(request) : try answerCommand(request)
        if case .lostAnswer = fate { throw URLError(.networkConnectionLost) }
        return response
    }

    private func answerState(_ request: HTTPRequest) throws -> HTTPResponse {
        if request.method == "PUT" {
            guard request.fields["If-Match"] == etag else { return problem(412, "mismatch") }
            try server.restore(try json(request))
            try send("change")
        }
        return try response(server.json)
    }

    private func answerCommand(_ request: HTTPRequest) throws -> HTTPResponse {
        var body = try json(request).object ?? [:]
        let name = body.removeValue(forKey: "command")?.string ?? request.url.lastPathComponent
        let command = Command(name, members: body)
        commands.append(command)
        guard let result = try server.perform(command) else {
            return problem(404, name == "dismiss" ? "sheet-not-found" : "entry-not-found")
        }
        if result.changed { try send("change") }
        return try response(JSONValue(encoding: result))
    }

    /// Waits until the sheet is dismissed.
    private func answerSheet(_ request: HTTPRequest) async throws -> HTTPResponse {
        let id = request.url.lastPathComponent
        while server.state.sheets.contains(where: { $0.id == id }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        var state: [String: JSONValue] = ["sheet": .string(id), "state": "dismissed"]
        let dismissal = commands.last { $0.name == "dismiss" && $0["sheet"]?.string == id }
        state["result"] = dismissal?["result"]
        return try response(.object(state))
    }

    private func json(_ request: HTTPRequest) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: request.body ?? Data("{}".utf8))
    }

    private var etag: String { "\"\(server.revision)\"" }

    private func response(_ json: JSONValue) throws -> HTTPResponse {
        HTTPResponse(status: 200, fields: ["etag": etag], data: try JSONEncoder().encode(json))
    }

    private func problem(_ status: Int, _ code: String) -> HTTPResponse {
        let text = """
            {"type":"/problems/\(code)","title":"t","status":\(status),"detail":"d"}
            """
        return HTTPResponse(
            status: status, fields: ["content-type": "application/problem+json"],
            data: Data(text.utf8))
    }

    private func openStream() throws -> HTTPResponse {
        streams += 1
        openStreams += 1
        let (body, parts) = AsyncThrowingStream<Data, any Error>.makeStream()
        parts.onTermination = { _ in Task { await self.closed() } }
        stream = parts
        try send("snapshot")
        return HTTPResponse(
            status: 200, fields: ["content-type": "text/event-stream"], body: body)
    }

    private func closed() { openStreams -= 1 }

    private func send(_ name: String) throws {
        let change: JSONValue = [
            "revision": .integer(Int64(server.revision)), "etag": .string(etag),
            "session": try server.json,
        ]
        let text = String(decoding: try JSONEncoder().encode(change), as: UTF8.self)
        let event = "id: \(server.revision)\nevent: \(name)\ndata: \(text)\n\n"
        stream?.yield(Data(event.utf8))
    }

    /// A client that does not retry requests.
    nonisolated func session() -> RemoteSession {
        var configuration = Navstate.Configuration()
        configuration.transport = self
        configuration.retries = 0
        configuration.timeout = .seconds(3600)
        configuration.silenceLimit = .seconds(3600)
        configuration.backoff = Backoff(firstMilliseconds: 1, maxMilliseconds: 2)
        return Navstate(url: URL(filePath: "/"), token: nil, configuration: configuration)
            .session("s")
    }
}
