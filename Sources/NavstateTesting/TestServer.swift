internal import Foundation
public import NavstateClient
internal import NavstateRules

/// The server of a test: one session of one app, with the rules of the real server.
@MainActor public final class TestServer {
    typealias Stream = AsyncThrowingStream<Data, any Error>.Continuation

    let id: String
    let clock: TestClock
    private let app: AppDefinition
    /// Nil once it is deleted or has expired.
    private var session: LocalSession?
    /// The revisions, and the changes that led to them.
    private var past: [(session: LocalSession, event: String)] = []
    /// The answers to changes, by their idempotency keys.
    private var answers: [String: Answer] = [:]
    private var dismissed: [String: SheetState] = [:]
    private var tokens: [String: JSONValue] = [:]
    private var tokensMade = 0
    private var streams: [Stream] = []

    init(_ app: AppDefinition, _ session: LocalSession, at clock: TestClock) {
        (self.app, self.session, self.clock) = (app, session, clock)
        (id, past) = (session.state.id, [(session, "")])
        clock.moved = { [weak self] in
            while let outcome = self?.session?.advance(to: clock.now) { self?.note(outcome) }
            if let expiry = self?.session?.expiresAt, expiry <= clock.now { self?.end("expired") }
        }
    }

    /// The session as it is on the server; nil if it was deleted or has expired.
    public var state: Nav.Session? { session?.state }

    /// The routes on the path of a tab or a sheet.
    public func path(of container: String) -> [String]? {
        state?.path(of: container)?.map(\.route)
    }

    /// Opens a stream of the session; nil if it was deleted or has expired.
    func stream() -> (HTTPResponse, Stream)? {
        guard let session else { return nil }
        let (body, stream) = AsyncThrowingStream<Data, any Error>.makeStream()
        streams.append(stream)
        send("snapshot", "{\(tags),\"session\":\(session.json)}", to: [stream])
        let fields = ["content-type": "text/event-stream"]
        return (HTTPResponse(status: 200, fields: fields, body: body), stream)
    }

    private func send(_ name: String, _ data: String, to streams: [Stream]) {
        let event = "id: \(session?.revision ?? 0)\nevent: \(name)\ndata: \(data)\n\n"
        for stream in streams { stream.yield(Data(event.utf8)) }
    }

    private var etag: String { "\"\(session?.revision ?? 0)\"" }
    private var tags: String { "\"revision\":\(session?.revision ?? 0),\"etag\":\(etag.json)" }

    /// Makes a change known.
    private func note(_ outcome: Outcome) {
        guard let session, let event = outcome.event else { return }
        for sheet in outcome.dismissals(at: session.revision) { dismissed[sheet.sheet] = sheet }
        past.append((session, event))
        send("change", "{\(tags),\"session\":\(session.json),\(event.dropFirst())", to: streams)
        clock.wake(isChange: true)
    }

    /// Ends the session.
    private func end(_ event: String) {
        send(event, "{\"id\":\(id.json)}", to: streams)
        session = nil
        clock.wake(isChange: true)
    }

    // MARK: - Requests

    /// Answers a request; one that waits for something as soon as that has happened.
    func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        while true {
            let answer = answerNow(request)
            guard answer.isPreliminary, request.waits else { return answer.response }
            try await clock.sleep()
        }
    }

    private func answerNow(_ request: HTTPRequest) -> Answer {
        let path = request.url.pathComponents.drop { $0 != "v1" }.dropFirst()
        if path.first == "apps" { return Answer(app.json, etag: "\"app\"", to: request) }
        if let earlier = request.key.flatMap({ answers[$0] }) { return earlier }
        guard let session else { return Answer(404, "session-not-found") }
        guard request.fields["If-Match"].map({ $0 == etag }) ?? true else {
            return Answer(412, "revision-mismatch", members: #","session":\#(session.json)"#)
        }
        do throws(Rejection) {
            let rest = Array(path.dropFirst(2))
            return try answer(
                request, rest.first ?? request.method, item: rest.last ?? "", in: session)
        } catch {
            return Answer(status: error.status, text: error.json)
        }
    }

    private func answer(
        _ request: HTTPRequest, _ name: String, item: String, in session: LocalSession
    ) throws(Rejection) -> Answer {
        switch (request.method, name) {
        case ("GET", "GET"):
            let revision = request.url.query()?.split(separator: "=").last.flatMap { Int($0) }
            guard let revision else { return Answer(session.json, etag: etag, to: request) }
            let earlier = past.last { $0.session.revision == revision }?.session.json
            return earlier.map { Answer(text: $0) } ?? Answer(410, "revision-gone")
        case ("DELETE", "DELETE"):
            end("deleted")
            return Answer(status: 204)
        case ("GET", "sheets"):
            if session.state.sheets.contains(where: { $0.id == item }) {
                let text = #"{"sheet":\#(item.json),"state":"presented"}"#
                return Answer(text: text, isPreliminary: true)
            }
            let gone = dismissed[item].flatMap { try? JSONValue(encoding: $0).text }
            return gone.map { Answer(text: $0) } ?? Answer(404, "sheet-not-found")
        case ("GET", "allowed"): return Answer(text: session.allowed)
        case ("GET", "link"):
            let link = session.link.map { Answer(text: "{\"url\":\($0.json)}") }
            return link ?? Answer(404, "no-link")
        case ("GET", "history"):
            let items = past.dropFirst().reversed().map {
                "{\"revision\":\($0.session.revision),\($0.event.dropFirst())"
            }
            return Answer(text: "{\"history\":[\(items.joined(separator: ","))]}")
        case (_, "tokens"): return token(request, item)
        case (_, _): return try change(request, name, in: session)
        }
    }

    private func token(_ request: HTTPRequest, _ id: String) -> Answer {
        if request.method == "GET" {
            return Answer(text: JSONValue.object(["tokens": .array(Array(tokens.values))]).text)
        }
        guard request.method == "POST" else {
            let isKnown = tokens.removeValue(forKey: id) != nil
            return isKnown ? Answer(status: 204) : Answer(404, "token-not-found")
        }
        var token = (try? JSONValue.read(request.text))?.object ?? [:]
        tokensMade += 1
        let id = "t\(tokensMade)"
        token["id"] = .string(id)
        tokens[id] = .object(token)
        token["token"] = "secret"
        return Answer(text: JSONValue.object(token).text)
    }

    /// Carries out a command, a PUT or a PATCH.
    private func change(
        _ request: HTTPRequest, _ name: String, in session: LocalSession
    ) throws(Rejection) -> Answer {
        var next = session
        let isStrict = request.fields["Prefer"]?.contains("handling=strict") ?? false
        let outcome =
            switch name {
            case "PUT": try next.restore(request.text, at: clock.now)
            case "PATCH": try next.update(request.text, at: clock.now)
            case _: try next.perform(name, request.text, strict: isStrict, at: clock.now)
            }
        let isDry = request.url.query()?.contains("dryRun=true") ?? false
        guard !isDry else { return Answer(text: outcome.json) }
        self.session = next
        note(outcome)
        let answer = Answer(text: outcome.json, etag: etag)
        if outcome.changed, let key = request.key { answers[key] = answer }
        return answer
    }
}

/// A response of the server of a test.
struct Answer {
    var status = 200
    var text = ""
    var etag: String?
    /// Whether a request that waits gets another one later.
    var isPreliminary = false

    var response: HTTPResponse {
        var fields = ["content-type": "application/\(status < 400 ? "" : "problem+")json"]
        fields["etag"] = etag
        return HTTPResponse(status: status, fields: fields, data: Data(text.utf8))
    }
}

extension Answer {
    /// The body, or 304 if the request has its entity tag.
    init(_ text: String, etag: String, to request: HTTPRequest) {
        let isSame = request.fields["If-None-Match"] == etag
        self.init(
            status: isSame ? 304 : 200, text: isSame ? "" : text, etag: etag, isPreliminary: isSame)
    }

    /// A problem.
    init(_ status: Int, _ code: String, members: String = "") {
        let text = #"{"type":"/problems/\#(code)","status":\#(status),"detail":""\#(members)}"#
        self.init(status: status, text: text)
    }
}

extension String {
    fileprivate var json: String { JSONValue.string(self).text }
}

extension HTTPRequest {
    /// The body as text.
    fileprivate var text: String { body.map { String(decoding: $0, as: UTF8.self) } ?? "{}" }
    /// The key of the change. All attempts to make it send this key.
    fileprivate var key: String? { fields["Idempotency-Key"] }
    /// Whether it waits for something.
    var waits: Bool { fields["Prefer"]?.contains("wait=") ?? false }
}
