internal import HTTP
internal import JSON
internal import Navigation
internal import Sessions

// What probes and collectors ask for.

extension Operation {
    /// Metrics are where their address is; there nothing but health is beside them.
    func isServed(_ onMetricsAddress: Bool, _ options: ServiceOptions) -> Bool {
        switch self {
        case .live, .ready: true
        case .metrics: onMetricsAddress == options.hasMetricsAddress
        case .page, .problemPage, .createSession, .listSessions, .readSession, .restoreSession,
            .patchSession, .deleteSession, .command, .sessionLink, .sessionHistory,
            .sessionAllowed, .sessionEvents, .allEvents, .listTokens, .createToken, .revokeToken,
            .listApps, .readApp, .storeApp, .deleteApp, .resolveLink, .backup:
            !onMetricsAddress
        }
    }

    /// Asked for all the time and of no interest to anybody who reads a log.
    package var isHealth: Bool { self == .live || self == .ready }
}

extension Service {
    /// 200 as long as the loop turns.
    func health(_ context: RequestContext) throws(OperationError) -> Reply {
        try report([("loop", true)], of: "livez", context, else: .internalError)
    }

    /// 200 while changes can be stored and nobody has asked the server to stop.
    func readiness(_ context: RequestContext) throws(OperationError) -> Reply {
        let checks = [("store", store.refusal == nil), ("not-draining", !isDraining)]
        var reply = try report(
            checks, of: "readyz", context, else: isDraining ? .shuttingDown : .storeUnavailable)
        // It is ready for all sessions but those in these files.
        let damaged = store.damagedFiles
        if damaged > 0 {
            let warning = "[!]damaged files: \(damaged), see the log\n"
            reply.response.body += Array(warning.utf8)
        }
        return reply
    }

    /// `?verbose` lists the checks, a line each; a refusal does so anyway.
    private func report(
        _ checks: [(name: String, isWell: Bool)], of probe: String, _ context: RequestContext,
        else kind: ProblemKind
    ) throws(OperationError) -> Reply {
        let query = try Query(context, allowed: ["verbose"])
        guard checks.allSatisfy(\.isWell) else {
            let states = checks.map { ($0.name, JSON.string($0.isWell ? "ok" : "failed")) }
            let failed = checks.filter { !$0.isWell }.map(\.name).joined(separator: ", ")
            throw .problem(
                Problem(
                    kind, "Failed checks: \(failed).",
                    members: JSONObject([("checks", .object(JSONObject(states)))]),
                    fields: [ResponseField(.retryAfter, "1")]))
        }
        if let value = query.value("verbose") {
            guard ["", "true", "1"].contains(where: { JSONText.isSame($0, value) }) else {
                throw .problem(.invalidQuery("verbose", "takes no value"))
            }

            let lines = checks.map { "[+]\($0.name) ok\n" } + ["\(probe) check passed\n"]
            return Reply(Response(.ok, contentType: .text, body: Array(lines.joined().utf8)))
        }
        return Reply(Response(.ok, contentType: .text, body: Array("ok\n".utf8)))
    }

    func metricsPage(_ context: RequestContext) throws(OperationError) -> Reply {
        _ = try Query(context, allowed: [])
        return Reply(Response(.ok, contentType: .prometheus, caching: .never, body: metrics()))
    }
}
