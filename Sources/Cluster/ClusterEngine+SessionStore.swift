internal import NATS
package import Navigation
package import Sessions

extension ClusterEngine: SessionStore {
    /// The letters and digits that the store was given when it was made.
    package var lineage: String { facts.lineage }
    /// None: every change is decided by itself.
    package var keptUpTo: Ticket { .none }
    /// The number of the last change that was announced.
    package var fedUpTo: SequenceNumber { news.fedUpTo }
    /// None: reads show only what is kept.
    package var undecided: (changes: [SessionChange], ticket: Ticket) { ([], .none) }
    /// Changes are always tried: the streams of other shards may take them.
    package var refusal: StoreError? { nil }
    /// The number of damaged files is known to the servers only.
    package var damagedFiles: Int { 0 }
    /// The number of live sessions.
    package var sessionCount: Int { replica.table.count }

    // MARK: Sessions

    /// The session with that id, if it exists and has not expired.
    package func find(
        _ id: SessionID, now: Milliseconds
    ) throws(StoreError) -> SessionHandle? {
        let handle = replica.table.find(id)
        if let handle, isCurrent(handle) { return live(handle, now: now) }
        switch loaded?.items[.history(id)] ?? loaded?.items[.newest(id)] {
        case .newest, .history: return handle.flatMap { live($0, now: now) }
        case .damaged: throw .damaged
        case .unanswered: throw .unavailable
        case .tokens, nil: throw .notInMemory([.session(id)])
        }
    }

    private func live(_ handle: SessionHandle, now: Milliseconds) -> SessionHandle? {
        replica.table[handle].expiresAt > now ? handle : nil
    }

    /// The session of the id in the bytes, if it exists and has not expired.
    package func find(
        _ bytes: [UInt8], _ range: Range<Int>, now: Milliseconds
    ) throws(StoreError) -> SessionHandle? {
        guard SessionID.isValid(bytes[range]) else { return nil }
        return try find(
            SessionID(trusted: String(decoding: bytes[range], as: UTF8.self)), now: now)
    }

    /// What the node knows of a session without its records.
    package func summary(_ handle: SessionHandle) -> SessionSummary {
        let entry = replica.table[handle]
        return SessionSummary(
            id: entry.id, sequence: entry.place.sequence, revision: entry.revision,
            expiresAt: entry.expiresAt == SharedEntry.never ? nil : entry.expiresAt,
            app: entry.app, bytes: entry.bytes)
    }

    /// The number of the session's newest record.
    package func sequence(of handle: SessionHandle) -> SequenceNumber {
        replica.table[handle].place.sequence
    }

    /// The version of the session's newest state.
    package func version(of handle: SessionHandle) -> StoredVersion {
        let entry = replica.table[handle]
        return StoredVersion(EntityVersion(entry.born, UInt64(entry.revision)), .none)
    }

    /// Appends the JSON text of the newest state.
    package func appendState(
        _ handle: SessionHandle, to bytes: inout [UInt8]
    ) throws(StoreError) -> StoredVersion {
        let newest = try newest(handle)
        bytes += newest.record.state
        return newest.version
    }

    /// The session's newest record.
    package func newest(_ handle: SessionHandle) throws(StoreError) -> StoredRecord {
        guard let cell = cell(of: handle) else { throw missing(.newest(replica.table[handle].id)) }
        return cell.newest
    }

    /// An older revision. Nil if the stream does not have it any more.
    package func revision(
        _ revision: Int, of handle: SessionHandle
    ) throws(StoreError) -> StoredRecord? {
        guard (1...replica.table[handle].revision).contains(revision) else { return nil }
        return try read(handle) { $0.revision(revision) }
    }

    /// The session's records after a number, newest first.
    package func changes(
        of handle: SessionHandle, after: SequenceNumber, bytesLeft: inout Int
    ) throws(StoreError) -> [StoredRecord]? {
        if replica.table[handle].place.sequence <= after { return [] }
        guard let found = try read(handle, { $0.changes(after: after) }) else { return nil }
        for stored in found {
            bytesLeft -= stored.record.event.count + stored.record.state.count
            guard bytesLeft >= 0 else { return nil }
        }
        return found
    }

    /// The newest records of a session, from the cache or from what was loaded.
    private func cell(of handle: SessionHandle) -> SessionCell? {
        let entry = replica.table[handle]
        if let cell = replica.cell(of: entry.id) { return cell }
        switch loaded?.items[.history(entry.id)] ?? loaded?.items[.newest(entry.id)] {
        case .history(let records) where records.last?.number == entry.number:
            return SessionCell(records, in: entry.shard)
        case .newest(let record?) where record.number == entry.number:
            return record.stored(in: entry.shard).map { SessionCell($0) }
        case .newest, .history, .tokens, .damaged, .unanswered, nil: return nil
        }
    }

    /// Reads from a cell, which must reach back far enough.
    private func read<Value>(
        _ handle: SessionHandle, _ body: (SessionCell) -> SessionCell.Reading<Value>
    ) throws(StoreError) -> Value? {
        let entry = replica.table[handle]
        var cells = [cell(of: handle)]
        if case .history(let records)? = loaded?.items[.history(entry.id)],
            records.last?.number == entry.number
        {
            cells.append(SessionCell(records, in: entry.shard))
        }
        for cell in cells {
            switch cell.map(body) {
            case .found(let value): return value
            case .gone: return nil
            case .notHere, nil: break
            }
        }
        throw missing(.history(entry.id))
    }

    /// Why something could not be read.
    private func missing(_ question: Question) -> StoreError {
        switch loaded?.items[question] {
        case .damaged: return .damaged
        case .unanswered: return .unavailable
        case .newest, .history, .tokens, nil: break
        }
        switch question {
        case .newest(let id): return .notInMemory([.session(id)])
        case .history(let id): return .notInMemory([.history(id)])
        case .tokens(let id): return .notInMemory([.tokens(id)])
        }
    }

    /// The result of the request with an idempotency key, for 24 hours and as long as the stream
    /// has its record.
    package func kept(
        _ key: String, in scope: IdempotencyScope, now: Milliseconds
    ) throws(StoreError) -> IdempotentResult? {
        guard case .session(let id) = scope else { return nil }
        guard let handle = try find(id, now: now) else {
            guard let deletion = replica.table.ending(id)?.deletion, deletion.key?.key == key,
                now - deletion.at < Self.keysKeptFor
            else { return nil }
            return .deletion(deletion)
        }
        guard let found = try read(handle, { $0.record(ofKey: key) }),
            now - found.record.at < Self.keysKeptFor
        else { return nil }
        return .change(found)
    }

    private static let keysKeptFor: Milliseconds = 24 * 3_600_000

    /// A page of the sessions in the byte order of their ids.
    package func walk(
        after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds
    ) -> SessionPage {
        replica.table.walk(after: after, filter: filter, limit: limit, now: now)
    }

    // MARK: Changes

    /// The next write of something, if it can be written now.
    private func begin(
        _ item: StoreLayout.Item
    ) throws(StoreError) -> (id: WriteID, ticket: Ticket) {
        if writer.isBusy(item) {
            switch item {
            case .session(let id), .tokens(let id): throw .notInMemory([.turn(id)])
            case .app, .meta: throw .busy
            }
        }
        guard writer.count < ChangeWriter.countMax else { throw .busy }
        return identity.nextWrite()
    }

    /// Writes the first of a session's next revisions. If there are more, the request is processed
    /// again when it is kept.
    package func put(
        _ records: [SessionRecord], of handle: SessionHandle?, details: FeedDetails
    ) throws(StoreError) -> StoredVersion {
        guard let record = records.first else { return StoredVersion(EntityVersion(0), .none) }
        let item = StoreLayout.Item.session(record.id)
        let write = try begin(item)
        let known = replica.table.find(record.id).map { replica.table[$0] }
        let born = record.revision == 1 ? identity.birth() : known?.born ?? 0
        let shared = SharedRecord(
            .revision(record), previous: replica.lastNumber(of: item), born: born,
            writer: write.id)
        if case .records(let steps) = details {
            news.note(EngineNews.Note(steps: steps[record.revision]), for: write.id)
        }
        self.write(.session(shared), of: item, hasMore: records.count > 1, write)
        return StoredVersion(EntityVersion(born, UInt64(record.revision)), write.ticket)
    }

    /// Ends a session.
    package func delete(
        _ handle: SessionHandle, at: Milliseconds, key: IdempotencyKey?, author: TokenName?
    ) throws(StoreError) -> Ticket {
        let entry = replica.table[handle]
        let write = try begin(.session(entry.id))
        end(entry, at: at, .deleted, key, write)
        news.note(EngineNews.Note(author: author), for: write.id)
        return write.ticket
    }

    /// Writes the end of a session.
    private func end(
        _ entry: SharedEntry, at: Milliseconds, _ why: DeletionReason, _ key: IdempotencyKey?,
        _ write: (id: WriteID, ticket: Ticket)
    ) {
        let tombstone = SharedRecord.Tombstone(
            id: entry.id, revision: entry.revision, at: at, why: why, key: key)
        let record = SharedRecord(
            .end(tombstone), previous: entry.number, born: entry.born, writer: write.id)
        self.write(.session(record), of: .session(entry.id), write)
    }

    // MARK: Tokens

    /// Yes: there is no table of all tokens.
    package var namesSessionsInTokens: Bool { true }

    /// The session's tokens.
    package func tokens(
        of handle: SessionHandle
    ) throws(StoreError) -> (ticket: Ticket, tokens: [SessionToken]) {
        (.none, replica.tokens(of: handle))
    }

    /// The session that a valid token belongs to.
    package func owner(
        of digest: TokenDigest, in id: SessionID?, now: Milliseconds
    ) throws(StoreError) -> (handle: SessionHandle, token: SessionToken)? {
        guard let id, let handle = try find(id, now: now) else { return nil }
        let token = replica.tokens(of: handle).first { $0.digest == digest }
        func owner() -> (handle: SessionHandle, token: SessionToken)? {
            token.flatMap { $0.isGood(at: now) ? (handle, $0) : nil }
        }
        // While the feed is silent, a token that is known here may have been replaced.
        if token != nil, isCurrent(handle) { return owner() }
        switch loaded?.items[.tokens(id)] {
        case .tokens: return owner()
        case .damaged: throw .damaged
        case .unanswered: throw .unavailable
        case .newest, .history, nil: throw .notInMemory([.tokens(id)])
        }
    }

    /// Replaces a session's tokens.
    package func putTokens(
        _ tokens: [SessionToken], of handle: SessionHandle, at: Milliseconds
    ) throws(StoreError) -> Ticket {
        let entry = replica.table[handle]
        let item = StoreLayout.Item.tokens(entry.id)
        let write = try begin(item)
        let link = SharedLink(previous: replica.lastNumber(of: item), writer: write.id)
        let list = SharedTokens(
            id: entry.id, born: entry.born, at: at, link: link, tokens: tokens)
        self.write(.tokens(list), of: item, write)
        return write.ticket
    }

    // MARK: Apps

    /// All apps by id.
    package var apps: [StoredApp] { replica.apps.all }

    /// A number that changes with the apps.
    package var appsGeneration: UInt64 { replica.apps.generation }

    /// Writes the documents, each by itself.
    package func putApps(
        _ documents: [(id: AppID, text: [UInt8])], at: Milliseconds
    ) throws(StoreError) -> [StoredVersion] {
        // Either all can be written now, or none.
        for (id, _) in documents where writer.isBusy(.app(id)) { throw .busy }
        var versions: [StoredVersion] = []
        for (id, text) in documents {
            let app = try write(id, text, at: at)
            versions.append(StoredVersion(app.app.version, app.ticket))
        }
        return versions
    }

    /// Deletes an app.
    package func deleteApp(_ id: AppID, at: Milliseconds) throws(StoreError) -> Ticket {
        try write(id, nil, at: at).ticket
    }

    private func write(
        _ id: AppID, _ document: [UInt8]?, at: Milliseconds
    ) throws(StoreError) -> (app: SharedApp, ticket: Ticket) {
        let item = StoreLayout.Item.app(id)
        let write = try begin(item)
        let link = SharedLink(previous: replica.lastNumber(of: item), writer: write.id)
        let app = SharedApp(id: id, at: at, link: link, document: document)
        self.write(.app(app), of: item, write)
        return (app, write.ticket)
    }

    /// The number of live sessions that are bound to the app.
    package func sessionCount(of app: AppID) throws(StoreError) -> Int {
        replica.table.sessionCount(of: app)
    }
}
