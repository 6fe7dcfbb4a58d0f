import Navigation
import Sessions

// The calls that the service makes.

extension RemoteEngine: SessionReading, TokenReading, AppReading, StoreWriting {
    // MARK: Reading

    private func handle(_ id: SessionID) -> SessionHandle {
        if let known = handles[id] { return known }
        let handle = SessionHandle(rawValue: UInt32(ids.count))
        ids.append(id)
        handles[id] = handle
        return handle
    }

    private func cell(_ id: SessionID) throws(StoreError) -> [StoredRecord] {
        if let cell = cells[id] { return cell }
        throw .notInMemory([.session(id)])
    }

    private func cell(_ handle: SessionHandle) throws(StoreError) -> [StoredRecord] {
        try cell(ids[Int(handle.rawValue)])
    }

    func isBusy(_ id: SessionID) -> Bool { proposals.contains { $0.id == id } }

    func find(_ id: SessionID, now: Milliseconds) throws(StoreError) -> SessionHandle? {
        if readsFromQuorum { try confirm(.session(id)) }
        guard let newest = try cell(id).last, (newest.record.expiresAt ?? .max) > now
        else { return nil }
        return handle(id)
    }

    func find(
        _ bytes: [UInt8], _ range: Range<Int>, now: Milliseconds
    ) throws(StoreError) -> SessionHandle? {
        guard let id = SessionID(String(decoding: bytes[range], as: UTF8.self)) else { return nil }
        return try find(id, now: now)
    }

    /// The newest record, from the index that every engine keeps.
    private func indexed(_ handle: SessionHandle) -> StoredRecord {
        let id = ids[Int(handle.rawValue)]
        guard let newest = (cells[id] ?? storage.sessions[id])?.last else {
            preconditionFailure("a handle of a session that is gone")
        }
        return newest
    }

    func summary(_ handle: SessionHandle) -> SessionSummary {
        let newest = indexed(handle)
        return SessionSummary(
            id: newest.record.id, sequence: newest.sequence, revision: newest.record.revision,
            expiresAt: newest.record.expiresAt, app: newest.record.app,
            bytes: newest.record.event.count + newest.record.state.count)
    }

    func sequence(of handle: SessionHandle) -> SequenceNumber { indexed(handle).sequence }
    func version(of handle: SessionHandle) -> StoredVersion { indexed(handle).version }

    func appendState(
        _ handle: SessionHandle, to bytes: inout [UInt8]
    ) throws(StoreError) -> StoredVersion {
        let newest = try newest(handle)
        bytes += newest.record.state
        return newest.version
    }

    func labels(of handle: SessionHandle) -> [Label] {
        (try? cell(handle))?.last?.record.labels ?? []
    }

    func newest(_ handle: SessionHandle) throws(StoreError) -> StoredRecord {
        guard let newest = try cell(handle).last else { throw .unavailable }
        return newest
    }

    func revision(_ revision: Int, of handle: SessionHandle) throws(StoreError) -> StoredRecord? {
        try cell(handle).first { $0.record.revision == revision }
    }

    func changes(
        of handle: SessionHandle, after: SequenceNumber, bytesLeft: inout Int
    ) throws(StoreError) -> [StoredRecord]? {
        try cell(handle).filter { $0.sequence > after }.reversed()
    }

    func result(
        forKey key: String, in scope: IdempotencyScope, now: Milliseconds
    ) throws(StoreError) -> IdempotentResult? {
        switch scope {
        case .creations: return storage.creations[key].map { .change($0) }
        case .session(let id):
            let found = try cell(id).first { $0.record.key?.key == key }
            if let found { return .change(found) }
            let deletion = storage.deletions[id]
            return deletion?.key?.key == key ? deletion.map { .deletion($0) } : nil
        }
    }

    func endedTokens(of id: SessionID) -> [SessionToken] { storage.deletions[id]?.tokens ?? [] }

    func confirm(_ id: SessionID) throws(StoreError) { try confirm(.acknowledged(id)) }

    func confirmApps() throws(StoreError) { try confirm(.apps) }

    func confirmSessions() throws(StoreError) { try confirm(.allSessions) }

    private func confirm(_ request: LoadRequest) throws(StoreError) {
        guard loaded.contains(request) else { throw .notInMemory([request]) }
    }

    func awaitFeed(of handle: SessionHandle) throws(StoreError) {
        let newest = indexed(handle).sequence
        let hasWaited = loaded.contains { if case .feed = $0 { true } else { false } }
        guard fedUpTo.covers(newest) || hasWaited else { throw .notInMemory([.feed(newest)]) }
    }

    func walk(
        after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds
    ) throws(StoreError) -> SessionPage {
        let found = storage.sessions.keys.sorted().filter { id in
            guard after.map({ id > $0 }) ?? true, id.rawValue.hasPrefix(filter.prefix),
                let record = storage.sessions[id]?.last?.record
            else { return false }
            return filter.matches(app: record.app, labels: record.labels)
        }
        let page = found.prefix(limit)
        return SessionPage(
            handles: page.map(handle), next: found.count > limit ? page.last : nil)
    }

    // MARK: Changing

    /// The records of a session. A new session needs none: its id is free, or there is a conflict.
    private func known(
        _ id: SessionID, whenFirst kind: SharedStorage.Proposal.Kind
    ) throws(StoreError) -> [StoredRecord] {
        if case .put(let record) = kind, record.revision == 1 { return cells[id] ?? [] }
        return try cell(id)
    }

    private func propose(
        _ id: SessionID?, at: Milliseconds, _ kind: SharedStorage.Proposal.Kind,
        born: UInt64 = 0, hasMore: Bool = false
    ) throws(StoreError) -> Ticket {
        if let refusal { throw refusal }
        if let id, isBusy(id) { throw .notInMemory([.turn(id)]) }
        let base = try id.flatMap { id throws(StoreError) in
            try known(id, whenFirst: kind).last?.version.entity
        }
        lastTicket += 1
        let ticket = Ticket(single: lastTicket)
        proposals.append(
            SharedStorage.Proposal(
                ticket: ticket, id: id, base: base, born: born, at: at, kind: kind,
                hasMore: hasMore))
        return ticket
    }

    func put(
        _ records: [SessionRecord], of handle: SessionHandle?, details: FeedDetails
    ) throws(StoreError) -> StoredVersion {
        let record = records[0]
        lastBirth += 1
        let born =
            try known(record.id, whenFirst: .put(record)).last?.version.entity.first ?? lastBirth
        let ticket = try propose(
            record.id, at: record.at, .put(record), born: born, hasMore: records.count > 1)
        return StoredVersion(EntityVersion(born, UInt64(record.revision)), ticket)
    }

    func delete(
        _ handle: SessionHandle, at: Milliseconds, key: IdempotencyKey?, author: TokenName?
    ) throws(StoreError) -> Ticket {
        try propose(ids[Int(handle.rawValue)], at: at, .delete(key: key, author: author))
    }

    func tokens(
        of handle: SessionHandle
    ) throws(StoreError) -> (ticket: Ticket, tokens: [SessionToken]) {
        (.none, storage.tokens[ids[Int(handle.rawValue)]] ?? [])
    }

    func owner(
        of digest: TokenDigest, in id: SessionID?, now: Milliseconds
    ) throws(StoreError) -> (handle: SessionHandle, token: SessionToken)? {
        guard let id else { return nil }
        guard cells[id] != nil else { throw .notInMemory([.tokens(id)]) }
        let token = storage.tokens[id]?.first { $0.digest == digest && $0.isValid(at: now) }
        guard let token, let handle = try find(id, now: now) else { return nil }
        return (handle, token)
    }

    func putTokens(
        _ tokens: [SessionToken], of handle: SessionHandle, at: Milliseconds
    ) throws(StoreError) -> Ticket {
        try propose(ids[Int(handle.rawValue)], at: at, .tokens(tokens))
    }

    func putApps(
        _ documents: [(id: AppID, text: [UInt8])], at: Milliseconds
    ) throws(StoreError) -> [StoredVersion] {
        guard !documents.isEmpty else { return [] }
        lastBirth += 1
        let ticket = try propose(nil, at: at, .apps(documents), born: lastBirth)
        return documents.map { _ in StoredVersion(EntityVersion(lastBirth), ticket) }
    }

    func deleteApp(_ id: AppID, at: Milliseconds) throws(StoreError) -> Ticket {
        try propose(nil, at: at, .deleteApp(id))
    }

    func sessionCount(of app: AppID) -> Int {
        cells.values.count { $0.last?.record.app == app }
    }
}
