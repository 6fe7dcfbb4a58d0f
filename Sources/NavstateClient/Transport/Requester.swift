import Foundation

/// A request, not yet addressed to a server.
struct Call: Sendable {
    var method = "GET"
    var path: String
    /// Items without a value are left out.
    var query: [(String, String?)] = []
    var fields: [String: String] = [:]
    var body: JSONValue?
    /// How long the server may wait before it responds.
    var waitSeconds = 0
    /// Whether the request can be retried if there was no response.
    var isRepeatable = true
}

/// A successful response.
struct Reply: Sendable {
    var status: Int
    var fields: [String: String]
    var data: Data

    var text: String { String(decoding: data, as: UTF8.self) }

    func decoded<Value: Decodable>(
        as type: Value.Type = Value.self
    ) throws(NavstateError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            throw .unexpected("The response is not a \(type): \(error)")
        }
    }

    /// The value of one member of the body.
    func decoded<Value: Decodable>(member: String) throws(NavstateError) -> Value {
        let body: JSONValue = try decoded()
        guard let value = body[member] else { throw .unexpected("The response has no \(member).") }
        return try value.decode()
    }
}

/// Sends requests, and retries them where that is safe.
struct Requester: Sendable {
    /// The maximum size of a response. The largest legitimate one is a page of sessions.
    private static let bodyBytesMax = 64 << 20

    let url: URL
    let token: String?
    let configuration: Navstate.Configuration

    func send(_ call: Call) async throws(NavstateError) -> Reply {
        let request = try request(call)
        let limit = configuration.timeout + .seconds(call.waitSeconds)
        var attempt = 0
        while true {
            attempt += 1
            do throws(NavstateError) {
                return try await limited(to: limit) { try await exchange(request) }
            } catch {
                // If a retried deletion finds nothing, an earlier attempt succeeded.
                if attempt > 1, call.method == "DELETE", error.isNotFound {
                    return Reply(status: 204, fields: [:], data: Data())
                }
                let mayRepeat = call.isRepeatable && attempt <= configuration.retries
                let asked = error.problem?.retryAfterSeconds ?? 0
                guard mayRepeat, error.isTransient, asked <= Backoff.askedSecondsMax else {
                    throw error
                }
                try await pause(attempt: attempt, after: error)
            }
        }
    }

    /// Opens a response whose body is read as it arrives.
    func open(_ call: Call, silenceLimit: Duration) async throws(NavstateError) -> HTTPResponse {
        var request = try request(call)
        request.silenceLimit = silenceLimit
        let opened = request
        return try await limited(to: configuration.timeout) {
            let response = try await configuration.transport.open(opened)
            guard response.status == 200 else {
                let data = try await Self.collect(response.body)
                throw NavstateError.refused(Self.problem(response, data))
            }
            return response
        }
    }

    /// Returns the result of the work. Throws `timedOut` if it takes longer than the limit.
    private func limited<Result: Sendable>(
        to limit: Duration, _ work: @escaping @Sendable () async throws -> Result
    ) async throws(NavstateError) -> Result {
        do {
            return try await withThrowingTaskGroup(of: Result.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await work() }
                group.addTask {
                    try await configuration.sleepUntilLimit(limit)
                    throw NavstateError.timedOut
                }
                guard let result = try await group.next() else { throw CancellationError() }
                return result
            }
        } catch {
            throw NavstateError(error)
        }
    }

    /// Waits before a retry.
    func pause(attempt: Int, after error: NavstateError?) async throws(NavstateError) {
        var random = SystemRandomNumberGenerator()
        let milliseconds = configuration.backoff.milliseconds(
            attempt: attempt, askedSeconds: error?.problem?.retryAfterSeconds, random: &random)
        do {
            try await configuration.sleepBetweenAttempts(.milliseconds(milliseconds))
        } catch {
            throw .cancelled
        }
    }

    private func exchange(_ request: HTTPRequest) async throws -> Reply {
        let response = try await configuration.transport.open(request)
        let data = try await Self.collect(response.body)
        guard (200..<300).contains(response.status) || response.status == 304 else {
            throw NavstateError.refused(Self.problem(response, data))
        }
        return Reply(status: response.status, fields: response.fields, data: data)
    }

    private static func collect(_ body: AsyncThrowingStream<Data, any Error>) async throws -> Data {
        var data = Data()
        for try await part in body {
            data.append(part)
            guard data.count <= bodyBytesMax else {
                throw NavstateError.unexpected("The response has more than \(bodyBytesMax) bytes.")
            }
        }
        // A stream also ends when its reader is cancelled.
        try Task.checkCancellation()
        return data
    }

    /// The problem that the server reported. A proxy may have responded instead, with a page of its
    /// own or with an incomplete body.
    private static func problem(_ response: HTTPResponse, _ data: Data) -> Nav.Problem {
        var problem = Nav.Problem(
            type: "about:blank", title: "Request failed", status: response.status,
            detail: "The server returned status \(response.status).")
        if response.isType("application/problem+json"),
            let sent = try? JSONDecoder().decode(Nav.Problem.self, from: data)
        {
            problem = sent
            problem.status = response.status
        }
        if let seconds = response.fields["retry-after"].flatMap(Int64.init) {
            problem.members["retryAfterSeconds"] = .integer(seconds)
        }
        return problem
    }

    private func request(_ call: Call) throws(NavstateError) -> HTTPRequest {
        var fields = call.fields
        if let token { fields["Authorization"] = "Bearer \(token)" }
        if call.waitSeconds > 0 { fields["Prefer"] = "wait=\(call.waitSeconds)" }
        var body: Data?
        if let json = call.body {
            do {
                body = try JSONEncoder().encode(json)
            } catch {
                throw .unencodable("\(error)")
            }
            fields["Content-Type"] = "application/json"
        }
        let base = url.absoluteString
        let text = (base.hasSuffix("/") ? String(base.dropLast()) : base) + call.path
        guard let url = URL(string: text + Self.query(call.query)) else {
            throw .unencodable("\(text) is not a URL.")
        }
        // The requester itself limits the time of the whole request, so the transport need not give
        // up any earlier.
        let silence = configuration.timeout + .seconds(call.waitSeconds)
        return HTTPRequest(
            method: call.method, url: url, fields: fields, body: body, silenceLimit: silence)
    }

    private static func query(_ items: [(String, String?)]) -> String {
        let items = items.compactMap { name, value in
            value.map { "\(name)=\($0.percentEncoded)" }
        }
        return items.isEmpty ? "" : "?" + items.joined(separator: "&")
    }
}

extension NavstateError {
    /// Whether the server says that something named in the request does not exist.
    fileprivate var isNotFound: Bool { problem?.code.hasSuffix("-not-found") ?? false }

    init(_ error: any Error) {
        switch (error, URLError.Code(of: error)) {
        case (let error as NavstateError, _): self = error
        case (is CancellationError, _): self = .cancelled
        case (_, .timedOut?): self = .timedOut
        case (_, .badURL?), (_, .unsupportedURL?):
            self = .unencodable("The URL of the server cannot be used: \(error)")
        case (_, _): self = Task.isCancelled ? .cancelled : .unreachable("\(error)")
        }
    }
}

extension URLError.Code {
    /// The code of an error of `URLSession`. On Linux, some of them are an `NSError` that no cast
    /// makes a `URLError`.
    fileprivate init?(of error: any Error) {
        let error = error as NSError
        guard error.domain == NSURLErrorDomain else { return nil }
        self.init(rawValue: error.code)
    }
}

extension String {
    /// The text encoded as a path segment or a query value.
    var percentEncoded: String {
        addingPercentEncoding(withAllowedCharacters: .unreserved) ?? ""
    }
}

extension CharacterSet {
    /// The unreserved characters (RFC 3986, section 2.3).
    fileprivate static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

// Keeps the token out of logs and debuggers.
extension Requester: CustomStringConvertible, CustomReflectable {
    var description: String { "Requester(url: \(url), token: \(token == nil ? "nil" : "hidden"))" }

    var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}

/// How long to wait before a retry.
///
/// The delay doubles with each attempt, up to a maximum. Half of it is random, so that clients that
/// were disconnected together do not all come back together. If the server asks for a certain
/// delay, the client waits at least that long plus a random time.
struct Backoff: Sendable, Hashable {
    /// A request is not retried if the server asks for a longer delay than this. A stream waits for
    /// as long as it is asked to, up to an hour.
    static let askedSecondsMax = 15

    private static let hourSeconds = 3600

    var firstMilliseconds = 250
    var maxMilliseconds = 15_000

    /// The delay after the failed attempt with this number, counted from 1.
    func milliseconds(
        attempt: Int, askedSeconds: Int?, random: inout some RandomNumberGenerator
    ) -> Int {
        let doublings = min(max(attempt, 1), 16)
        let full = min(maxMilliseconds, firstMilliseconds << doublings)
        let own = Int.random(in: full / 2...full, using: &random)
        guard let askedSeconds, askedSeconds > 0 else { return own }
        let asked = min(askedSeconds, Self.hourSeconds) * 1000
        return max(own, asked + Int.random(in: 0...full / 2, using: &random))
    }
}
