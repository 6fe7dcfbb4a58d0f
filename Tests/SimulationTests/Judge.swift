// How answers are judged.

/// The circumstances of the machine when an answer comes.
struct Circumstances {
    /// When the disk last had no room, in monotonic nanoseconds.
    var wasFullAt: Int64
    /// The disk has failed, or the process is about to end.
    var mayRefuse: Bool

    /// How long after the disk had no room 507 is still right: the store looks each second, and
    /// a slow disk may take some for that.
    static let graceNanoseconds: Int64 = 20_000_000_000
}

extension Oracle {
    /// - Returns: whether the outcome is known now.
    func answered(
        _ exchange: Exchange, _ head: ResponseReader.Head, _ body: [UInt8],
        _ circumstances: Circumstances
    ) -> Bool {
        let what = "\(exchange.name) → \(head.status)"
        switch head.status {
        case 200, 201: succeeded(exchange, head, body, what)
        case 204: deleted(exchange.id, sent: exchange.stamp)
        case 304: break
        case 404: notFound(exchange, what)
        case 409: conflicted(exchange, body, what)
        case 410: gone(exchange, body, what)
        case 412:
            if let state = SeenState(head, body: body) {
                see(state, of: exchange.id, asked: exchange.stamp, floor: exchange.floor, what)
            }
            refuse(exchange)
        case 503:
            if case .backup = exchange.kind { return true }
            if !circumstances.mayRefuse { unexpected(body, "\(what) though the disk is well") }
            return false
        case 507:
            refuse(exchange)
            if exchange.sentAt - circumstances.wasFullAt > Circumstances.graceNanoseconds {
                unexpected(body, "\(what) though the disk has had room for a long time")
            }
        default: unexpected(body, what)
        }
        return true
    }

    private func unexpected(_ body: [UInt8], _ what: String) {
        complain("\(what): \(String(decoding: body, as: UTF8.self))")
    }

    private func notFound(_ exchange: Exchange, _ what: String) {
        refuse(exchange)
        if case .readApp = exchange.kind {
            if exchange.appFloor > 0 { complain("\(what): the app was there") }
        } else {
            miss(exchange.id, floor: exchange.floor, what)
        }
    }

    private func conflicted(_ exchange: Exchange, _ body: [UInt8], _ what: String) {
        guard case .create = exchange.kind else { return unexpected(body, what) }
        refuse(exchange)
    }

    private func gone(_ exchange: Exchange, _ body: [UInt8], _ what: String) {
        guard case .readOld(let revision) = exchange.kind else { return unexpected(body, what) }
        guard mustBeThere(exchange.id), let before = exchange.floor?.state,
            let now = sessions[exchange.id]?.floor?.state, before.birth == now.birth,
            now.revision - revision < 32
        else { return }
        complain("\(what): it is one of the last 32, \(now.revision) is the newest")
    }

    private func succeeded(
        _ exchange: Exchange, _ head: ResponseReader.Head, _ body: [UInt8], _ what: String
    ) {
        switch exchange.kind {
        case .create, .change, .read, .readOld: sawSession(exchange, head, body, what)
        case .putApp(let version): sawApp(exchange, head, version: version, what)
        case .readApp: sawApp(exchange, head, version: body.number(after: "version ") ?? 0, what)
        case .addToken: for token in Self.ids(body) { addToken(token) }
        case .readTokens:
            sawTokens(Set(Self.ids(body)), atLeast: exchange.tokenFloor, what)
        case .list: sawList(exchange, body, what)
        case .history:
            sawHistory(body, what)
            if let fault = Deadlines.fault(inHistory: body) { complain("\(what): \(fault)") }
        case .many(let number): sawRows(exchange, number, body, what)
        case .delete, .backup, .stream: break
        }
    }

    private func sawApp(
        _ exchange: Exchange, _ head: ResponseReader.Head, version: Int, _ what: String
    ) {
        guard let record = head.record else {
            return complain("\(what) without an entity tag")
        }
        sawApp(exchange.id, record: record, version: version, floor: exchange.appFloor, what)
    }

    private func sawSession(
        _ exchange: Exchange, _ head: ResponseReader.Head, _ body: [UInt8], _ what: String
    ) {
        guard let state = SeenState(head, body: body) else {
            return unexpected(body, "\(what) without a session")
        }
        var (floor, asked) = (exchange.floor, exchange.stamp)
        var isKept = exchange.isRepeated
        if case .readOld(let revision) = exchange.kind {
            if state.revision != revision { unexpected(body, what) }
            isKept = true
        }
        // A kept answer shows the state of then, whatever has happened since.
        if isKept { (floor, asked) = (nil, 0) }
        see(state, of: exchange.id, asked: asked, floor: floor, what)
        switch exchange.kind {
        case .create:
            if !isKept { miss(exchange.id, floor: floor, "\(what): it is made anew") }
            acknowledge(exchange, state, isChange: true)
        case .change:
            acknowledge(exchange, state, isChange: body.place(of: #"{"changed":false"#) != 0)
            if let shows = exchange.shows, !state.text.contains(shows) {
                unexpected(body, "\(what) without \(shows)")
            }
            sawResumed(body, state, what)
        case .delete, .many, .read, .readOld, .list, .history, .putApp, .readApp, .addToken,
            .readTokens, .backup, .stream:
            break
        }
    }

    /// The screen that a change has resumed is visible, unless a rule refused it.
    private func sawResumed(_ body: [UInt8], _ state: SeenState, _ what: String) {
        guard let place = body.place(of: #","resumed":{"#),
            let session = body.place(of: #","session":{"#),
            let number = Array(body[place..<session]).number(after: #""h":"#),
            body.place(of: #","refused":{"#) == nil
        else { return }
        if state.guarded.secret != number || state.guarded.pending != nil {
            unexpected(body, "\(what) has resumed \(number), and does not show it")
        }
    }

    private func sawRows(_ exchange: Exchange, _ number: Int, _ body: [UInt8], _ what: String) {
        let ids = Set(exchange.floors.keys).intersection(ManyFacts.ids)
        for fault in many.take(body, number: number, stamp: tick(), of: ids) {
            complain("\(what): \(fault)")
        }
    }

    private func sawList(_ exchange: Exchange, _ body: [UInt8], _ what: String) {
        var found: [String: (revision: Int, birth: Int)] = [:]
        var start = 0
        while let place = body.place(of: #"{"id":""#, from: start) {
            start = place + 7
            let id = String(decoding: body[start...].prefix { $0 != 0x22 }, as: UTF8.self)
            guard let revision = body.number(after: #""revision":"#, from: start),
                let birth = body.number(after: #""b":""#, from: start)
            else { return unexpected(body, what) }
            found[id] = (revision, birth)
        }
        for (id, floor) in exchange.floors.sorted(by: { $0.key < $1.key }) {
            guard let shown = found[id] else {
                miss(id, floor: floor, what)
                continue
            }
            if shown.birth == floor.state.birth, shown.revision < floor.state.revision {
                complain(
                    "\(what): \(id) at revision \(shown.revision), \(floor.state.revision) was "
                        + "shown before")
            }
        }
    }

    private func sawHistory(_ body: [UInt8], _ what: String) {
        var (start, found) = (0, Set<Int>())
        while let place = body.place(of: #""m":"#, from: start) {
            start = place + 4
            guard let marker = body.number(after: #""m":"#, from: place) else { continue }
            executed(marker, sequence: 0, what)
            if !found.insert(marker).inserted { complain("\(what): change \(marker) comes twice") }
        }
    }

    /// The values of all members `id`.
    private static func ids(_ body: [UInt8]) -> [String] {
        var (start, found) = (0, [String]())
        while let place = body.place(of: #""id":""#, from: start) {
            start = place + 6
            found.append(String(decoding: body[start...].prefix { $0 != 0x22 }, as: UTF8.self))
        }
        return found
    }
}
