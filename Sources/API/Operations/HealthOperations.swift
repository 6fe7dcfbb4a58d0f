internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

/// The probes and the metrics.
struct HealthOperations {
    private let context: RequestContext

    init(_ context: RequestContext) { self.context = context }

    /// 200 while the event loop runs.
    func liveness() throws(OperationError) -> Reply {
        try report([("loop", true)], of: "livez", else: .internalError)
    }

    /// 200 while changes can be stored and the server has not been told to stop.
    func readiness() throws(OperationError) -> Reply {
        let isDraining = context.service.environment.isDraining
        let reading = context.store.status.reading
        var checks = context.store.status.checks + [("not-draining", !isDraining)]
        if reading != nil { checks.append(("store-read", false)) }
        var reply = try report(
            checks, of: "readyz", else: isDraining ? .shuttingDown : .storeUnavailable,
            saying: reading?.sentence)
        // It is ready for all sessions except those that are damaged.
        let damage = context.store.status.damage
        var warnings = isVerbose ? context.store.status.warnings : []
        if damage.count > 0 {
            warnings.append("damaged \(damage.what): \(damage.count), see the log")
        }
        for warning in warnings { reply.response.body += Array("[!]\(warning)\n".utf8) }
        return reply
    }

    /// `?verbose` lists the checks, one on each line; a refusal always lists them.
    private func report(
        _ checks: [(name: String, isHealthy: Bool)], of probe: String, else kind: ProblemKind,
        saying sentence: String? = nil
    ) throws(OperationError) -> Reply {
        guard checks.allSatisfy(\.isHealthy) else {
            let states = checks.map { ($0.name, JSON.string($0.isHealthy ? "ok" : "failed")) }
            let failed = checks.filter { !$0.isHealthy }.map(\.name).joined(separator: ", ")
            throw .problem(
                Problem(
                    kind, "Failed checks: \(failed).\(sentence.map { " " + $0 } ?? "")",
                    members: JSONObject([("checks", .object(JSONObject(states)))]),
                    fields: [ResponseField(.retryAfter, "1")]))
        }
        if isVerbose {
            let lines = checks.map { "[+]\($0.name) ok\n" } + ["\(probe) check passed\n"]
            return Reply(Response(.ok, contentType: .text, body: Array(lines.joined().utf8)))
        }
        return Reply(Response(.ok, contentType: .text, body: Array("ok\n".utf8)))
    }

    /// Whether the query has `verbose`, with any value. Everything else in the query is ignored,
    /// since monitors may add values of their own.
    private var isVerbose: Bool {
        QueryItems(context.request).contains { item in
            context.request.bytes[item.name].elementsEqual("verbose".utf8)
        }
    }

    /// The page that Prometheus reads.
    func metrics() -> Reply {
        let page = context.service.environment.metrics()
        return Reply(Response(.ok, contentType: .prometheus, caching: .never, body: page))
    }
}
