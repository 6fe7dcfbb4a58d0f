import Sessions

// How answers of nodes are judged.

extension ClusterOracle {
    /// - Returns: whether the outcome is known now.
    func answered(
        _ exchange: ClusterExchange, _ head: ResponseReader.Head, _ body: [UInt8]
    ) -> Bool {
        let what = "\(exchange.name) → \(head.status)"
        switch head.status {
        case 200, 201: succeeded(exchange, head, body, what)
        case 204: deleted(exchange, what)
        case 304:
            if let known = exchange.known {
                seeNewest(known, nil, of: exchange.id, exchange, what)
            } else {
                unexpected(body, what)
            }
        case 404: notFound(exchange, what)
        case 409: conflicted(exchange, body, what)
        case 410: gone(exchange, body, what)
        case 412: failedCondition(exchange, head, body, what)
        case 503 where !hasSettled: return false
        case 507 where !hasSettled: refuse(exchange)
        default: unexpected(body, what)
        }
        return true
    }

    private func unexpected(_ body: [UInt8], _ what: String) {
        complain("\(what): \(String(decoding: body, as: UTF8.self))")
    }

    private func notFound(_ exchange: ClusterExchange, _ what: String) {
        refuse(exchange)
        if case .readApp = exchange.kind {
            if exchange.floorsOfAll[StoreLog.name(ofApp: exchange.id)] != nil {
                complain("\(what): the app was there")
            }
        } else {
            miss(exchange.id, from: exchange.floorsOfAll[exchange.id], exchange, what)
        }
    }

    /// A session is there already.
    private func conflicted(_ exchange: ClusterExchange, _ body: [UInt8], _ what: String) {
        guard case .create = exchange.kind else { return unexpected(body, what) }
        refuse(exchange)
        let entries = log.sessions[exchange.id] ?? []
        let floor = max(0, exchange.floor(of: exchange.id))
        if !entries.dropFirst(floor).contains(where: { $0.version != nil }) {
            complain("\(what): there has been no such session since record \(floor)")
        }
    }

    private func gone(_ exchange: ClusterExchange, _ body: [UInt8], _ what: String) {
        guard case .readOld(let revision) = exchange.kind else { return unexpected(body, what) }
        let floor = max(0, exchange.floor(of: exchange.id))
        let entries = (log.sessions[exchange.id] ?? []).dropFirst(floor)
        let isKept = entries.allSatisfy { entry in
            entry.version.map { $0.second < UInt64(revision) + 32 } ?? false
        }
        if isKept { complain("\(what): it is one of the last 32") }
    }

    private func failedCondition(
        _ exchange: ClusterExchange, _ head: ResponseReader.Head, _ body: [UInt8], _ what: String
    ) {
        refuse(exchange)
        guard let version = head.tag.flatMap({ EntityVersion(tag: $0) }) else {
            return unexpected(body, what)
        }
        seeNewest(version, session(body), of: exchange.id, exchange, what)
        if version == exchange.condition { complain("\(what): it is in that state") }
    }

    private func succeeded(
        _ exchange: ClusterExchange, _ head: ResponseReader.Head, _ body: [UInt8], _ what: String
    ) {
        switch exchange.kind {
        case .create, .change, .read, .readOld: sawSession(exchange, head, body, what)
        case .list: sawList(exchange, body, what)
        case .putApp(let version): sawApp(version, exchange, what)
        case .readApp: sawApp(body.number(after: "version ") ?? 0, exchange, what)
        case .delete: unexpected(body, what)
        }
    }

    /// The session in an answer that is one, or has one as its last member.
    private func session(_ body: [UInt8]) -> ArraySlice<UInt8> {
        guard let place = body.place(of: #""session":{"#) else { return body[...] }
        return body[(place + 10)..<(body.count - 1)]
    }

    private func sawSession(
        _ exchange: ClusterExchange, _ head: ResponseReader.Head, _ body: [UInt8],
        _ what: String
    ) {
        guard let version = head.tag.flatMap({ EntityVersion(tag: $0) }) else {
            return unexpected(body, what)
        }
        let text = session(body)
        var isChange = false
        switch exchange.kind {
        case .create: isChange = true
        case .change: isChange = body.place(of: #"{"changed":false"#) != 0
        case .readOld(let revision):
            if version.second != UInt64(revision) { unexpected(body, what) }
            see(version, text, of: exchange.id, at: exchange.life, what)
            return
        case .delete, .read, .list, .putApp, .readApp: break
        }
        guard isChange else {
            seeNewest(version, text, of: exchange.id, exchange, what)
            return
        }
        // A kept answer shows the state of then, whatever has happened since.
        let index = see(version, text, of: exchange.id, at: exchange.life, what)
        if let index { acknowledge(exchange, index, what) }
    }

    private func sawList(_ exchange: ClusterExchange, _ body: [UInt8], _ what: String) {
        var found: Set<String> = []
        var start = 0
        while let place = body.place(of: #"{"id":""#, from: start) {
            start = place + 7
            let id = String(decoding: body[start...].prefix { $0 != 0x22 }, as: UTF8.self)
            guard let version = EntityVersion(in: body, from: start) else {
                return unexpected(body, what)
            }
            found.insert(id)
            seeNewest(version, nil, of: id, exchange, what)
        }
        for id in log.sessions.keys.sorted() where !found.contains(id) {
            miss(id, from: exchange.floor(of: id), exchange, what)
        }
    }
}
