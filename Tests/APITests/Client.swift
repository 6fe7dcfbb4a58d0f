import API
import HTTP
import JSON
import Navigation
import Sessions
import TestSupport
import Testing

/// The field with a token.
func bearer(_ token: String) -> [String: String] { ["Authorization": "Bearer \(token)"] }

/// Calls a service in its own process, over a store of its own.
final class Client {
    let store: ClientStore
    let service: Service
    var now: Milliseconds = 1_795_225_000_000
    /// The announcements of the store's feed by the service, in this order.
    var announcements: [StreamEvent] = []
    /// Called between two portions of a request with this client, so that it need not be captured.
    var onPause: (Client, Pause) -> Void = { _, _ in }
    /// The reports of watchers.
    var reports: [ShownReport] = []

    convenience init(options: ServiceOptions = ServiceOptions()) throws {
        self.init(over: try ClientStore(), options: options)
    }

    /// A service that starts over what another one has stored.
    ///
    /// - Parameter parts: the store as the service sees it, if that is not how it is.
    init(
        over store: ClientStore, as parts: SessionStore? = nil,
        options: ServiceOptions = ServiceOptions()
    ) {
        self.store = store
        service = Service(store: parts ?? store.parts, options: options)
    }

    /// A service that requires a token, with the sessions a and b.
    ///
    /// - Parameter tokens: the token file, in which `owner` has the scope admin.
    static func guarded(by tokens: String) throws -> Client {
        var options = ServiceOptions()
        try options.tokens.add(file: Array(tokens.utf8))
        let client = try Client(options: options)
        for id in ["a", "b"] {
            try client.call("POST", "/v1/sessions", #"{"id":"\#(id)"}"#, bearer("owner"))
        }
        return client
    }

    /// The field with a new token that may only read this session.
    func reader(of id: String) throws -> [String: String] {
        let made = try call(
            "POST", "/v1/sessions/\(id)/tokens", #"{"scope":"read"}"#, bearer("owner"))
        return bearer(made.json["token"]?.string ?? "")
    }

    /// An answer, ready to be looked into.
    struct Answer {
        var status: Int
        var response: Response
        var visibleAfter: SequenceNumber

        init(_ reply: Reply) {
            status = reply.response.status.code
            response = reply.response
            visibleAfter = reply.visibleAfter.last.rawValue
        }

        var text: String { String(decoding: response.body, as: UTF8.self) }
        var json: JSON {
            (try? JSON(parsing: response.body, limits: JSONLimits(nestingMax: 100))) ?? .null
        }
        var etag: String { response.etag.map { "\"\($0.opaque)\"" } ?? "" }
        /// The last part of a problem's type.
        var problem: String? {
            json["type"]?.string.map { String($0.dropFirst("/problems/".count)) }
        }
        var session: JSON { json["session"] ?? json }
    }

    /// A request that is not answered at once.
    struct Unanswered: Error {
        var target: String
    }

    @discardableResult
    func call(
        _ method: String, _ target: String, _ body: String? = nil, _ fields: [String: String] = [:]
    ) throws -> Answer {
        var head = "\(method) \(target) HTTP/1.1\r\n"
        var all = ["Host": "localhost:8080"]
        if let body {
            all["Content-Type"] = "application/json"
            all["Content-Length"] = "\(body.utf8.count)"
        }
        for (name, value) in all.merging(fields, uniquingKeysWith: { $1 }) {
            head += "\(name): \(value)\r\n"
        }
        return try answer(to: Array((head + "\r\n" + (body ?? "")).utf8))
    }

    /// The answer to a whole message.
    func answer(to message: [UInt8], onMetricsAddress: Bool = false) throws -> Answer {
        let request = try #require(try Request.parsed(message), "not whole")
        var (stage, loaded) = (RequestStage.begun, (any LoadResult)?.none)
        while true {
            let outcome = store.with(loaded) {
                service.respond(
                    to: request, at: now, onMetricsAddress: onMetricsAddress, stage: stage)
            }
            switch outcome {
            case .load(let requests): loaded = try store.load(requests, earlier: loaded)
            case .pause(let pause):
                (stage, loaded) = (.portions(pause.progress), nil)
                try takeChanges()
                onPause(self, pause)
            case .wait, .stream, .backup:
                throw Unanswered(target: request.text(request.path) ?? "")
            case .shown(let report):
                reports.append(report)
                return Answer(report.reply)
            case .reply(let reply):
                try takeChanges()
                return Answer(reply)
            }
        }
    }

    /// Announces what the store has kept since the last time.
    func takeChanges() throws {
        announcements += try store.takeChanges().compactMap { service.event(of: $0, isHeard: true) }
    }

    /// How the stream begins that a whole message asks for, or nil if it asks for none.
    func opening(_ message: [UInt8]) throws -> StreamOpening? {
        let request = try #require(try Request.parsed(message), "not whole")
        var loaded: (any LoadResult)?
        while true {
            switch store.with(loaded, { service.respond(to: request, at: now) }) {
            case .load(let requests): loaded = try store.load(requests, earlier: loaded)
            case .stream(let opening): return opening
            case .reply, .wait, .shown, .backup, .pause: return nil
            }
        }
    }

    /// The wait of a read; nil if it is answered at once.
    func wait(_ target: String, _ fields: String) throws -> LongPoll? {
        let message = "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n\r\n"
        let request = try #require(try Request.parsed(Array(message.utf8)), "not whole")
        guard case .wait(let poll) = service.respond(to: request, at: now) else { return nil }
        return poll
    }

    @discardableResult
    func command(
        _ id: String, _ name: String, _ body: String = "{}", _ fields: [String: String] = [:]
    ) throws -> Answer {
        try call("POST", "/v1/sessions/\(id)/\(name)", body, fields)
    }
}

extension JSON {
    subscript(_ key: String) -> JSON? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    subscript(_ index: Int) -> JSON? {
        if case .array(let array) = self, array.indices.contains(index) {
            array[index]
        } else {
            nil
        }
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }
    var integer: Int? { wholeNumber }
    var array: [JSON] { if case .array(let array) = self { array } else { [] } }

    /// The tabs and sheets of a session in one line: `chats* [a, b] settings [] | compose []`.
    var picture: String {
        func path(_ container: JSON) -> String {
            let entries = container["path"]?.array ?? []
            return "[" + entries.compactMap { $0["route"]?.string }.joined(separator: ", ") + "]"
        }
        let tabs = (self["tabs"]?.array ?? []).map { tab in
            let star = tab["id"] == self["selectedTab"] ? "*" : ""
            return "\(tab["id"]?.string ?? "?")\(star) \(path(tab))"
        }
        let sheets = (self["sheets"]?.array ?? []).map {
            "\($0["route"]?.string ?? "?") \(path($0))"
        }
        let left = tabs.joined(separator: " ")
        return sheets.isEmpty ? left : left + " | " + sheets.joined(separator: " ")
    }
}
