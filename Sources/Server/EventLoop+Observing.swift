internal import API
internal import HTTP
internal import POSIX

// What is told of requests to the log and to the metrics.

extension EventLoop {
    /// Takes down what is known when the answer is made, and puts the request's id into it.
    func facts(of request: Request, _ response: inout Response) -> RequestFacts {
        var facts = RequestFacts()
        facts.method = request.method
        facts.endpoint = service.lastEndpoint
        facts.status = response.status
        facts.bytes = response.body.count
        let isLogged = log.level <= .info
        if isLogged || request[.xRequestID] != nil || request[.traceparent] != nil {
            facts.requestID = RequestID.of(request) ?? (isLogged ? nextRequestID() : nil)
            if let id = facts.requestID {
                response.fields.append(ResponseField("X-Request-Id", id))
            }
        }
        return facts
    }

    /// A stream opens: a line of the log, and no duration, for it has no end.
    func noteStream(_ request: Request, _ response: inout Response, begun: Int64) {
        var facts = facts(of: request, &response)
        facts.nanoseconds = Clock.monotonicNanoseconds - begun
        logLine(facts)
    }

    /// The answer is on its way.
    func finish(_ facts: RequestFacts, begun: Int64) {
        var facts = facts
        facts.nanoseconds = Clock.monotonicNanoseconds - begun
        metrics.count(facts)
        logLine(facts)
    }

    private func logLine(_ known: RequestFacts) {
        guard log.level <= .info else { return }
        var facts = known
        if let endpoint = facts.endpoint {
            guard !Self.isQuiet[endpoint] else { return }
            facts.route = Endpoint.all[endpoint].template
        }
        log.request(facts)
    }

    /// A message that was no request, or came too slowly.
    func finishRefused(_ kind: ProblemKind) {
        metrics.count(kind)
        var facts = RequestFacts()
        facts.status = kind.status
        finish(facts, begun: Clock.monotonicNanoseconds)
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
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }

    /// Sixteen digits that differ for all requests of a process and, as good as surely, of others.
    static func text(_ seed: UInt64, _ number: UInt64) -> String {
        var mixed = (seed &+ number) &* 0x9E37_79B9_7F4A_7C15
        mixed ^= mixed >> 32
        let digits = String(mixed, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
