internal import API
internal import Bytes
internal import HTTP
internal import POSIX

// What is told of requests to the log and to the metrics.

extension EventLoop {
    /// Takes down what is known when the answer is made.
    func facts(
        of request: Request, _ response: borrowing Response, endpoint: Int?
    ) -> RequestFacts {
        var facts = RequestFacts()
        facts.method = request.method
        facts.endpoint = endpoint
        facts.status = response.status
        facts.bytes = response.body.count
        return facts
    }

    /// Puts the request's id into the answer, if it has one: the client's, or one for the log.
    func identify(_ request: Request, _ response: inout Response) -> String? {
        guard isLogging || request[.xRequestID] != nil || request[.traceparent] != nil,
            let id = RequestID.of(request) ?? (isLogging ? nextRequestID() : nil)
        else { return nil }
        response.fields.append(ResponseField("X-Request-Id", id))
        return id
    }

    /// Whether requests have lines in the log.
    private var isLogging: Bool { log.says(.info) }

    /// A stream opens: a line of the log, and no duration, for it has no end.
    func noteStream(_ request: Request, _ opening: inout StreamOpening, begun: Int64) {
        let id = identify(request, &opening.response)
        var facts = facts(of: request, opening.response, endpoint: opening.endpoint)
        facts.nanoseconds = clock.nanoseconds - begun
        if isLogging { logLine(facts, id) }
    }

    /// The answer is on its way.
    func finish(_ facts: RequestFacts, id: String?, begun: Int64) {
        var facts = facts
        facts.nanoseconds = clock.nanoseconds - begun
        metrics.count(facts)
        if isLogging { logLine(facts, id) }
    }

    private func logLine(_ facts: RequestFacts, _ id: String?) {
        guard let endpoint = facts.endpoint else {
            return log.request(facts, route: "-", id: id)
        }
        guard !Self.isQuiet[endpoint] else { return }
        log.request(facts, route: Endpoint.all[endpoint].template, id: id)
    }

    /// A message that was no request, or came too slowly.
    func finishRefused(_ kind: ProblemKind) {
        metrics.count(kind)
        var facts = RequestFacts()
        facts.status = kind.status
        finish(facts, id: nil, begun: clock.nanoseconds)
    }

    private static let isQuiet = Endpoint.all.map(\.operation.isHealth)

    private func nextRequestID() -> String {
        requestNumber &+= 1
        return RequestID.text(requestSeed, requestNumber)
    }
}

/// The id by which a request is found again in the logs of several programs.
enum RequestID {
    /// The client's `X-Request-Id`, or the trace of its `traceparent`; nil without either.
    static func of(_ request: Request) -> String? {
        if let range = request[.xRequestID], (1...128).contains(range.count),
            request.bytes[range].allSatisfy(isPlain)
        {
            return request.text(range)
        }
        return request[.traceparent].flatMap { trace(request.bytes[$0]) }
    }

    /// The trace id of `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`; nil if it is no
    /// such text (W3C Trace Context §3.2).
    private static func trace(_ bytes: ArraySlice<UInt8>) -> String? {
        let parts = bytes.split(separator: 0x2D, omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].count == 2, parts[1].count == 32, parts[2].count == 16,
            parts[3].count == 2, parts.prefix(4).joined().allSatisfy(isHexadecimal),
            !parts[0].elementsEqual("ff".utf8), parts[1].contains(where: { $0 != 0x30 })
        else { return nil }
        return String(decoding: parts[1], as: UTF8.self)
    }

    /// What needs no escaping anywhere.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D...0x2F, 0x3A, 0x3D, 0x5F, 0x7E:
            true
        default: false
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        Hexadecimal.lowercaseValue(byte) != nil
    }

    /// Sixteen digits that differ for all requests of a process and, as good as surely, of others.
    static func text(_ seed: UInt64, _ number: UInt64) -> String {
        var mixed = (seed &+ number) &* 0x9E37_79B9_7F4A_7C15
        mixed ^= mixed >> 32
        let digits = String(mixed, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
