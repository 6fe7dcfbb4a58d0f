// The requests that clients send.

extension Run {
    /// The next requests of a worker, in one go; none if the life's requests are used up.
    func nextExchanges(for worker: Int) -> [Exchange] {
        var exchanges: [Exchange] = []
        let count = 1 + world.below(plan.pipelined)
        while exchanges.count < count, let exchange = nextExchange(for: worker) {
            exchanges.append(exchange)
        }
        return exchanges
    }

    private func nextExchange(for worker: Int) -> Exchange? {
        if !script.isEmpty { return worker == 0 ? script.removeFirst() : nil }
        guard requestsLeft > 0 else { return nil }
        requestsLeft -= 1
        let id = "s\(world.below(plan.sessions))"
        guard canCreate else { return worker == 0 ? guardedApp() : readApp("g") }
        guard oracle.mustBeThere(id) || world.oneIn(3) else { return creation(id) }
        return exchange(plan.wish(world), id, worker)
    }

    private func exchange(_ wish: Plan.Wish, _ id: String, _ worker: Int) -> Exchange {
        switch wish {
        case .navigate: navigation(id)
        case .undo: command(id, "undo")
        case .redo: command(id, "redo")
        case .label: change(id, "PATCH", "", #"{"labels":{"x":"\#(number())"}}"#)
        case .delete: deletion(id)
        case .create: creation(id)
        case .read: read(id)
        case .readOld: readOld(id)
        case .wait: waiting(id)
        case .list: Exchange(.list, "", request("GET", "/v1/sessions"))
        case .history: Exchange(.history, id, request("GET", "/v1/sessions/\(id)/history"))
        case .putApp: worker == 0 ? app() : readApp()
        case .readApp: readApp()
        case .addToken: token(worker)
        case .readTokens: Exchange(.readTokens, "t", request("GET", "/v1/sessions/t/tokens"))
        case .backup: Exchange(.backup, "", request("GET", "/v1/backup"))
        case .condition: conditional(id)
        case .guarded: guarded(id)
        case .facts: facts(id)
        case .select: selection(id)
        case .order: order(id)
        case .mark: marked(id)
        case .many: many()
        case .deadline: deadline()
        }
    }

    /// A number that no other request has.
    func number() -> Int {
        numbers += 1
        return numbers
    }

    func request(
        _ method: String, _ path: String, _ body: String? = nil, _ fields: String = ""
    ) -> [UInt8] {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)"
        if let body {
            text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        }
        return Array((text + "\r\n" + (body ?? "")).utf8)
    }

    // MARK: - Sessions

    func key() -> String? { world.oneIn(2) ? "k\(number())" : nil }

    func field(_ key: String?) -> String {
        key.map { "Idempotency-Key: \($0)\r\n" } ?? ""
    }

    func creation(_ id: String) -> Exchange {
        let (birth, key) = (number(), key())
        let many = ManyFacts.ids.contains(id) ? "," + ManyFacts.label : ""
        let members = Deadlines.ids.contains(id) ? Deadlines.members(of: id) : appMember
        let body = #"{"id":"\#(id)",\#(members)"labels":{"b":"\#(birth)"\#(many)}}"#
        var exchange = Exchange(
            .create(birth: birth), id, request("POST", "/v1/sessions", body, field(key)))
        exchange.key = key
        return exchange
    }

    private func deletion(_ id: String) -> Exchange {
        let key = key()
        var exchange = Exchange(
            .delete, id, request("DELETE", "/v1/sessions/\(id)", nil, field(key)))
        exchange.key = key
        return exchange
    }

    func change(
        _ id: String, _ method: String, _ place: String, _ body: String, marker: Int? = nil,
        _ fields: String = ""
    ) -> Exchange {
        let key = key()
        var exchange = Exchange(
            .change(marker: marker), id,
            request(method, "/v1/sessions/\(id)\(place)", body, fields + field(key)))
        exchange.key = key
        return exchange
    }

    private func command(_ id: String, _ name: String) -> Exchange {
        change(id, "POST", "/\(name)", "{}")
    }

    func navigation(_ id: String, _ fields: String = "") -> Exchange {
        let marker = number()
        let filler = String(repeating: "x", count: world.below(plan.fillerMax + 1))
        let mode = ["push", "reset", "reset"][world.below(3)]
        let params = #"{"m":\#(marker),"f":"\#(filler)"}"#
        return change(
            id, "POST", "/navigate", #"{"route":"r","mode":"\#(mode)","params":\#(params)}"#,
            marker: marker, fields)
    }

    private func conditional(_ id: String) -> Exchange {
        guard let state = oracle.sessions[id]?.floor?.state, let lineage else {
            return navigation(id)
        }
        var exchange = navigation(id, "If-Match: \"\(lineage)-\(state.sequence)\"\r\n")
        exchange.condition = state
        return exchange
    }

    func read(_ id: String) -> Exchange {
        Exchange(.read, id, request("GET", "/v1/sessions/\(id)"))
    }

    private func readOld(_ id: String) -> Exchange {
        guard let newest = oracle.sessions[id]?.floor?.state.revision else { return read(id) }
        let revision = max(1, newest - world.below(min(newest, 32)))
        return Exchange(
            .readOld(revision), id,
            request("GET", "/v1/sessions/\(id)?revision=\(revision)"))
    }

    private func waiting(_ id: String) -> Exchange {
        guard let state = oracle.sessions[id]?.floor?.state, let lineage else { return read(id) }
        let fields =
            "Prefer: wait=\(1 + world.below(5))\r\n"
            + "If-None-Match: \"\(lineage)-\(state.sequence)\"\r\n"
        return Exchange(.read, id, request("GET", "/v1/sessions/\(id)", nil, fields))
    }

    // MARK: - Apps and tokens

    private func app() -> Exchange {
        if plan.isGuarded, world.oneIn(3) { return guardedApp() }
        let version = number()
        let id = "a\(world.below(2))"
        let body = #"{"tabs":[{"id":"home"}],"routes":{"home":{"title":"version \#(version)"}}}"#
        return Exchange(.putApp(version: version), id, request("PUT", "/v1/apps/\(id)", body))
    }

    func readApp(_ id: String? = nil) -> Exchange {
        let id = id ?? "a\(world.below(2))"
        return Exchange(.readApp, id, request("GET", "/v1/apps/\(id)"))
    }

    /// Tokens of a session that is never deleted.
    private func token(_ worker: Int) -> Exchange {
        guard oracle.sessions["t"]?.floor != nil else { return creation("t") }
        guard oracle.tokens.count < 12 else { return readTokens() }
        return Exchange(
            .addToken, "t", request("POST", "/v1/sessions/t/tokens", #"{"scope":"read"}"#))
    }

    func readTokens() -> Exchange {
        Exchange(.readTokens, "t", request("GET", "/v1/sessions/t/tokens"))
    }

    /// Everything that is known is asked for, and then whether changes are taken.
    func inspection() -> [Exchange] {
        var exchanges = oracle.sessions.keys.sorted().map { read($0) }
        exchanges += oracle.apps.keys.sorted().map { readApp($0) }
        if oracle.sessions["t"] != nil { exchanges.append(readTokens()) }
        exchanges.append(Exchange(.list, "", request("GET", "/v1/sessions")))
        return exchanges
    }
}
