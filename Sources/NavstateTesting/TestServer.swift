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
    /// The changes with their answers, by their idempotency keys.
    private var answers: [String: (request: HTTPRequest, answer: Answer)] = [:]
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

    /// Opens the stream of the session. Returns nil if the request is for another one, or if the
    /// session was deleted or has expired.
    func stream(_ request: HTTPRequest) -> (HTTPResponse, Stream)? {
        let path = request.url.pathComponents.suffix(3)
        guard let session, path.elementsEqual(["sessions", id, "events"]) else { return nil }
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
        for stream in streams { stream.finish() }
        (session, streams, answers) = (nil, [], [:])
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
        let path = Array(request.url.pathComponents.drop { $0 != "v1" }.dropFirst())
        switch (path.first, path.count) {
        case ("apps", 2) where request.method == "GET":
            guard path[1] == app.id else {
                return Answer(404, "app-not-found", detail: "There is no app \(path[1]).")
            }
            return Answer(app.json, etag: "\"app\"", to: request)
        case ("sessions", 2...):
            guard path[1] == id else { return .noSession(path[1]) }
            return answer(request, Array(path.dropFirst(2)))
        case (_, _): return .missing
        }
    }

    /// Answers a request to the session: one that was answered before, its preconditions, and then
    /// the operation.
    private func answer(_ request: HTTPRequest, _ rest: [String]) -> Answer {
        if let key = request.key, !request.isDry, let earlier = answers[key] {
            return earlier.request.isSame(as: request)
                ? earlier.answer
                : Answer(
                    422, "idempotency-key-reused", detail: "Use a new key for each new request.")
        }
        let isPut = request.method == "PUT" && rest.isEmpty
        guard session != nil || isPut else { return .noSession(id) }
        guard !request.isRefused(at: session.map { _ in etag }) else {
            let state = session.map { #","session":\#($0.json)"# }
            return Answer(
                412, "revision-mismatch", detail: "The session is not in the required state.",
                members: state ?? "")
        }
        do throws(Rejection) {
            guard let session else { return try create(request) }
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
            guard let revision = request.number("revision") else {
                return Answer(session.json, etag: etag, to: request)
            }
            let earlier = past.last { $0.session.revision == revision }?.session.json
            return earlier.map { Answer(text: $0) } ?? Answer(410, "revision-gone")
        case ("PUT", "PUT"), ("PATCH", "PATCH"): return try change(request, name, in: session)
        case ("DELETE", "DELETE"):
            guard !request.isDry else { return Answer(status: 204) }
            end("deleted")
            return keep(Answer(status: 204), of: request)
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
        case ("GET", "history"): return history(request)
        case ("GET", "tokens"), ("POST", "tokens"), ("DELETE", "tokens"):
            return token(request, item)
        case ("POST", "signal"), ("POST", "shown"): return .missing
        case ("POST", _): return try change(request, name, in: session)
        case (_, _): return .missing
        }
    }

    /// A page of the changes since the test began, newest first.
    private func history(_ request: HTTPRequest) -> Answer {
        let limit = request.number("limit") ?? 100
        guard (1...1000).contains(limit) else {
            return Answer(422, "invalid-request", detail: "limit must be from 1 to 1000.")
        }
        let before = request.number("before") ?? .max
        let known = past.dropFirst().filter { $0.session.revision < before }
        let page = known.suffix(limit)
        let items = page.reversed().map {
            "{\"revision\":\($0.session.revision),\($0.event.dropFirst())"
        }
        let next = page.count < known.count ? page.first?.session.revision : nil
        let end = next.map { ",\"next\":\($0)" } ?? ""
        return Answer(text: "{\"history\":[\(items.joined(separator: ","))]\(end)}")
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
        guard ["read", "control"].contains(token["scope"]) else {
            return Answer(422, "invalid-request", detail: "/scope must be one of read, control.")
        }
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
        guard !request.isDry else { return Answer(text: outcome.json) }
        self.session = next
        note(outcome)
        let answer = Answer(text: outcome.json, etag: etag)
        return outcome.changed ? keep(answer, of: request) : answer
    }

    /// Creates the session again.
    private func create(_ request: HTTPRequest) throws(Rejection) -> Answer {
        let new = try LocalSession(app, restoring: request.text, id: id, at: clock.now)
        guard !request.isDry else { return Answer(status: 201, text: new.json) }
        (session, past, dismissed, tokens) = (new, [(new, "")], [:], [:])
        clock.wake(isChange: true)
        return keep(Answer(status: 201, text: new.json, etag: etag), of: request)
    }

    /// Keeps the answer to a change for when it is repeated.
    private func keep(_ answer: Answer, of request: HTTPRequest) -> Answer {
        if let key = request.key { answers[key] = (request, answer) }
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
        let isSame = request.names(etag, in: "If-None-Match") ?? false
        self.init(
            status: isSame ? 304 : 200, text: isSame ? "" : text, etag: etag, isPreliminary: isSame)
    }

    /// A problem.
    init(_ status: Int, _ code: String, detail: String = "", members: String = "") {
        let head = #"{"type":"/problems/\#(code)","status":\#(status),"detail":\#(detail.json)"#
        self.init(status: status, text: head + members + "}")
    }

    /// The session of the request does not exist.
    static func noSession(_ id: String) -> Answer {
        Answer(404, "session-not-found", detail: "There is no session \(id).")
    }

    /// An operation of the real server only.
    static let missing = Answer(
        501, "not-implemented",
        detail: "A test server does not support this operation. It has one session and its app.")
}

extension String {
    fileprivate var json: String { JSONValue.string(self).text }
}

extension HTTPRequest {
    /// The body as text.
    fileprivate var text: String { body.map { String(decoding: $0, as: UTF8.self) } ?? "{}" }
    /// The key of the change. All attempts to make it send this key.
    fileprivate var key: String? { fields["Idempotency-Key"] }
    /// Whether the change is only tried.
    fileprivate var isDry: Bool { item("dryRun") == "true" }

    /// Whether it is the same change: the same operation with the same body as a value.
    fileprivate func isSame(as other: HTTPRequest) -> Bool {
        (method, url) == (other.method, other.url)
            && (try? JSONValue.read(text)) == (try? JSONValue.read(other.text))
    }

    private func item(_ name: String) -> String? {
        let parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        return parts?.queryItems?.first { $0.name == name }?.value
    }

    fileprivate func number(_ name: String) -> Int? { item(name).flatMap { Int($0) } }

    /// Whether a conditional field names the entity tag; nil without the field. The tag is nil if
    /// the session does not exist.
    fileprivate func names(_ etag: String?, in field: String) -> Bool? {
        guard let tags = fields[field] else { return nil }
        guard let etag else { return false }
        return tags == "*" || tags.split { ", ".contains($0) }.contains { $0 == etag }
    }

    /// Whether a precondition of it does not hold.
    fileprivate func isRefused(at etag: String?) -> Bool {
        names(etag, in: "If-Match") == false
            || method != "GET" && names(etag, in: "If-None-Match") == true
    }

    /// Whether it waits for something.
    var waits: Bool { fields["Prefer"]?.contains("wait=") ?? false }
}
