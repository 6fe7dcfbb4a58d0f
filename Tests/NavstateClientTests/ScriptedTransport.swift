import Foundation
import Testing

import NavstateClient

/// A transport that returns given responses in order, without a network.
actor ScriptedTransport: Transport {
    enum Response: Sendable {
        /// A whole response.
        case answer(Int, [String: String] = [:], String)
        /// A stream that delivers these parts and then ends.
        case stream([String])
        /// A stream that delivers these parts and then stays open.
        case openStream([String])
        /// No response at all.
        case failure(URLError.Code)
        /// A request that is never answered.
        case silence
    }

    private var responses: [Response]
    private(set) var requests: [HTTPRequest] = []
    /// The pauses that the client would have made between attempts.
    private(set) var pauses: [Duration] = []
    private var isSilent = false

    init(_ responses: [Response]) { self.responses = responses }

    /// The streams that stay open, which this reference keeps from ending.
    private var open: [AsyncThrowingStream<Data, any Error>.Continuation] = []

    func open(_ request: HTTPRequest) async throws -> HTTPResponse {
        requests.append(request)
        guard !responses.isEmpty else {
            Issue.record("There is no response to \(request.method) \(request.url).")
            throw URLError(.badServerResponse)
        }
        switch responses.removeFirst() {
        case .answer(let status, let fields, let text):
            return HTTPResponse(status: status, fields: fields, data: Data(text.utf8))
        case .stream(let parts): return stream(parts, isOpen: false)
        case .openStream(let parts): return stream(parts, isOpen: true)
        case .failure(let code): throw URLError(code)
        case .silence:
            isSilent = true
            defer { isSilent = false }
            try await Task.sleep(for: .seconds(86_400))
            throw URLError(.timedOut)
        }
    }

    private func stream(_ texts: [String], isOpen: Bool) -> HTTPResponse {
        let (body, parts) = AsyncThrowingStream<Data, any Error>.makeStream()
        for text in texts { parts.yield(Data(text.utf8)) }
        if isOpen { open.append(parts) } else { parts.finish() }
        return HTTPResponse(
            status: 200, fields: ["content-type": "text/event-stream"], body: body)
    }

    private func note(_ pause: Duration) { pauses.append(pause) }

    /// Waits until there is a request that is not answered, however long the others take.
    private func silence() async throws {
        while !isSilent {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    /// A client that uses this transport and does not wait between attempts. Requests have a time
    /// limit only if `hasLimit` is true. It is reached only when a request is not answered.
    nonisolated func navstate(hasLimit: Bool = false, token: String? = nil) throws -> Navstate {
        var configuration = Navstate.Configuration()
        configuration.transport = self
        configuration.sleepBetweenAttempts = { pause in await self.note(pause) }
        if hasLimit {
            configuration.sleepUntilLimit = { _ in try await self.silence() }
        } else {
            configuration.sleepUntilLimit = { _ in try await Task.sleep(for: .seconds(86_400)) }
        }
        let url = try #require(URL(string: "http://127.0.0.1:1/base/"))
        return Navstate(url: url, token: token, configuration: configuration)
    }
}

/// Texts as a server would send them.
enum Sent {
    static func session(_ revision: Int) -> String {
        """
        {"id":"k","revision":\(revision),"selectedTab":"a","tabs":[{"id":"a","path":[]}],\
        "sheets":[],"visible":{"container":"a","route":"a","params":{},"tabBarHidden":false},\
        "canGoBack":false,"canUndo":false,"canRedo":false}
        """
    }

    static func result(_ revision: Int) -> String {
        #"{"changed":true,"added":[],"removed":[],"session":\#(session(revision))}"#
    }

    static func snapshot(_ revision: Int, id: Int, gap: Bool = false) -> String {
        let gap = gap ? #","gap":true"# : ""
        return """
            id: \(id)
            event: snapshot
            data: {"revision":\(revision),"etag":"\\"\(id)\\"","session":\(session(revision))\(gap)}


            """
    }

    static func change(_ revision: Int, id: Int) -> String {
        """
        id: \(id)
        event: change
        data: {"revision":\(revision),"etag":"\\"\(id)\\"","command":{"command":"root"},\
        "added":[],"removed":[],"session":\(session(revision))}


        """
    }

    static func problem(_ status: Int, _ code: String) -> ScriptedTransport.Response {
        let text = """
            {"type":"/problems/\(code)","title":"t","status":\(status),"detail":"d"}
            """
        return .answer(status, ["content-type": "application/problem+json"], text)
    }
}
