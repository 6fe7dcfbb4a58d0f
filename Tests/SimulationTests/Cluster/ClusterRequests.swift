import Sessions

// The requests that clients send to nodes.

extension ClusterRun {
    /// The next request of a worker; nil if the requests are used up.
    func nextExchange() -> ClusterExchange? {
        if !script.isEmpty { return script.removeFirst() }
        guard requestsLeft > 0 else { return nil }
        requestsLeft -= 1
        let id = "s\(world.below(plan.sessions))"
        guard oracle.newest(id) != nil || world.oneIn(3) else { return creation(id) }
        return exchange(plan.wish(world), id)
    }

    private func exchange(_ wish: ClusterPlan.Wish, _ id: String) -> ClusterExchange {
        switch wish {
        case .navigate: navigation(id)
        case .conditional: conditional(id)
        case .undo: undo(id)
        case .label: label(id)
        case .delete: deletion(id)
        case .create: creation(id)
        case .read: read(id)
        case .unlessKnown: unlessKnown(id, "")
        case .wait: unlessKnown(id, "Prefer: wait=\(1 + world.below(5))\r\n")
        case .readOld: readOld(id)
        case .list: list()
        case .putApp: app()
        case .readApp: readApp("a\(world.below(2))")
        }
    }

    /// A number that no other request has.
    private func number() -> Int {
        numbers += 1
        return numbers
    }

    private func request(
        _ method: String, _ path: String, _ body: String? = nil, _ fields: String = ""
    ) -> [UInt8] {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)"
        if let body {
            text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        }
        return Array((text + "\r\n" + (body ?? "")).utf8)
    }

    private func field(_ name: String, _ version: EntityVersion) -> String {
        "\(name): \"\(lineage)-\(version.first)-\(version.second)\"\r\n"
    }

    // MARK: - Changes

    private func change(
        _ kind: ClusterExchange.Kind, _ id: String, _ method: String, _ path: String,
        _ body: String?, marker: Int?, needsKey: Bool = false, _ fields: String = ""
    ) -> ClusterExchange {
        let key = needsKey || world.oneIn(2) ? "k\(number())" : nil
        let all = fields + (key.map { "Idempotency-Key: \($0)\r\n" } ?? "")
        var exchange = ClusterExchange(kind, id, request(method, path, body, all))
        (exchange.key, exchange.marker) = (key, marker)
        return exchange
    }

    func creation(_ id: String) -> ClusterExchange {
        let birth = number()
        // The session of the inspection is not to change by itself.
        let idle =
            plan.hasDeadlines && id != "z"
            ? #","idle":{"seconds":\#(1 + birth % 3),"command":{"command":"root"}}"# : ""
        let body = #"{"id":"\#(id)","labels":{"b":"\#(birth)"}\#(idle)}"#
        return change(.create, id, "POST", "/v1/sessions", body, marker: birth)
    }

    func navigation(_ id: String, _ fields: String = "") -> ClusterExchange {
        let marker = number()
        if plan.hasDeadlines, marker % 4 == 0, id != "z" {
            let seconds = 1 + marker % 3
            let body = #"{"route":"s","params":{"m":\#(marker)},"ttlSeconds":\#(seconds)}"#
            return change(
                .change, id, "POST", "/v1/sessions/\(id)/present", body, marker: marker, fields)
        }
        let mode = ["push", "reset"][world.below(2)]
        let body = #"{"route":"r","mode":"\#(mode)","params":{"m":\#(marker)}}"#
        return change(
            .change, id, "POST", "/v1/sessions/\(id)/navigate", body, marker: marker, fields)
    }

    private func conditional(_ id: String) -> ClusterExchange {
        guard let version = oracle.newest(id) else { return navigation(id) }
        var exchange = navigation(id, field("If-Match", version))
        exchange.condition = version
        return exchange
    }

    private func label(_ id: String) -> ClusterExchange {
        let marker = number()
        let body = #"{"labels":{"x":"\#(marker)"}}"#
        return change(.change, id, "PATCH", "/v1/sessions/\(id)", body, marker: marker)
    }

    /// Its record does not show a number, so it needs a key to be recognized.
    private func undo(_ id: String) -> ClusterExchange {
        change(
            .change, id, "POST", "/v1/sessions/\(id)/undo", "{}", marker: nil, needsKey: true)
    }

    private func deletion(_ id: String) -> ClusterExchange {
        change(.delete, id, "DELETE", "/v1/sessions/\(id)", nil, marker: nil)
    }

    private func app() -> ClusterExchange {
        let (version, id) = (number(), "a\(world.below(2))")
        let body = #"{"tabs":[{"id":"home"}],"routes":{"home":{"title":"version \#(version)"}}}"#
        return ClusterExchange(
            .putApp(version: version), id, request("PUT", "/v1/apps/\(id)", body))
    }

    // MARK: - Reads

    private func read(_ id: String) -> ClusterExchange {
        ClusterExchange(.read, id, request("GET", "/v1/sessions/\(id)"))
    }

    private func unlessKnown(_ id: String, _ fields: String) -> ClusterExchange {
        guard let version = oracle.newest(id) else { return read(id) }
        let all = fields + field("If-None-Match", version)
        var exchange = ClusterExchange(.read, id, request("GET", "/v1/sessions/\(id)", nil, all))
        exchange.known = version
        return exchange
    }

    private func readOld(_ id: String) -> ClusterExchange {
        guard let newest = oracle.newest(id).map({ Int($0.second) }) else { return read(id) }
        let revision = newest - world.below(min(newest, 32))
        return ClusterExchange(
            .readOld(revision), id, request("GET", "/v1/sessions/\(id)?revision=\(revision)"))
    }

    private func list() -> ClusterExchange {
        ClusterExchange(.list, "", request("GET", "/v1/sessions"))
    }

    private func readApp(_ id: String) -> ClusterExchange {
        ClusterExchange(.readApp, id, request("GET", "/v1/apps/\(id)"))
    }

    /// Everything that is known is asked for, at each node.
    func inspection() -> [ClusterExchange] {
        var exchanges: [ClusterExchange] = []
        for node in 0..<plan.nodes {
            var own = oracle.log.sessions.keys.sorted().map { read($0) } + [list()]
            own += oracle.log.apps.keys.sorted().map { readApp($0) }
            for var exchange in own {
                exchange.node = node
                exchanges.append(exchange)
            }
        }
        return exchanges
    }
}
