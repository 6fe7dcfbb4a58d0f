internal import Bytes
internal import Navigation
internal import Sessions

/// Makes records of changes and hands them to the writer: one at a time of each session, of its
/// tokens and of each app, after the last message that the node knows.
final class ChangeProposer: StoreWriting {
    private let reader: ReplicaReader
    private let replica: Replica
    private let writer: ChangeWriter
    private let news: EngineNews
    private let clock: EngineClock
    private(set) var identity: NodeIdentity

    init(
        _ reader: ReplicaReader, writer: ChangeWriter, news: EngineNews, clock: EngineClock,
        identity: NodeIdentity
    ) {
        self.reader = reader
        replica = reader.replica
        self.writer = writer
        self.news = news
        self.clock = clock
        self.identity = identity
    }

    /// The next write of something, if it can be written now. None can while a stream does not keep
    /// what it acknowledges.
    private func begin(
        _ item: StoreLayout.Item
    ) throws(StoreError) -> (id: WriteID, ticket: Ticket) {
        guard reader.endangering == nil else { throw .misconfigured }
        if writer.isBusy(item) {
            switch item {
            case .session(let id), .tokens(let id): throw .notInMemory([.turn(id)])
            case .app, .meta: throw .busy
            }
        }
        guard writer.hasRoom else { throw .busy }
        return identity.nextWrite()
    }

    @discardableResult
    private func write(
        _ content: StoreMessage, of item: StoreLayout.Item, after previous: Int,
        _ write: (id: WriteID, ticket: Ticket)
    ) throws(StoreError) -> PendingChange {
        let conditional = writer.write(write.id, after: previous, at: clock.now)
        let change = PendingChange(content, of: item, ticket: write.ticket, write: conditional)
        try check(change.text.count)
        replica.note(content, text: change.text)
        writer.add(change)
        return change
    }

    /// Throws if a record of this size would be larger than a stream accepts.
    private func check(_ size: Int) throws(StoreError) {
        let most = ChangeWriter.recordBytesMax
        guard size <= most else { throw .tooLarge(bytesMax: most) }
    }

    // MARK: Sessions

    /// Writes the first of a session's next revisions. If there are more, the request is processed
    /// again when it is kept.
    func put(
        _ records: [SessionRecord], of handle: SessionHandle?, details: FeedDetails
    ) throws(StoreError) -> StoredVersion {
        guard let record = records.first else { return StoredVersion(EntityVersion(0), .none) }
        // Either all of them can be written, or none.
        for record in records { try check(record.state.count + record.event.count) }
        let item = StoreLayout.Item.session(record.id)
        let write = try begin(item)
        // An id whose session has expired may still have a handle.
        let known = handle ?? replica.table.find(record.id)
        let born =
            record.revision == 1 ? identity.birth() : known.map { replica.table[$0].born } ?? 0
        let previous = replica.lastNumber(of: record.id, known)
        let shared = SharedRecord(
            .revision(record), previous: previous, born: born, writer: write.id)
        let change = try self.write(.session(shared), of: item, after: previous, write)
        change.hasMore = records.count > 1
        if case .records(let steps) = details, let own = steps[record.revision] {
            news.note(steps: own, for: write.id)
        }
        return StoredVersion(EntityVersion(born, UInt64(record.revision)), write.ticket)
    }

    /// Ends a session.
    func delete(
        _ handle: SessionHandle, at: Milliseconds, key: IdempotencyKey?, author: TokenName?
    ) throws(StoreError) -> Ticket {
        let entry = replica.table[handle]
        let write = try begin(.session(entry.id))
        let tombstone = SharedRecord.Tombstone(
            id: entry.id, revision: entry.revision, at: at, why: .deleted, key: key,
            author: author)
        try end(entry, with: tombstone, write)
        return write.ticket
    }

    /// Ends a session whose newest message is damaged, or whose messages are gone.
    ///
    /// - Returns: nil if that is not the case, as far as is known.
    func discard(
        _ id: SessionID, at: Milliseconds, key: IdempotencyKey?, author: TokenName?
    ) throws(StoreError) -> Ticket? {
        guard reader.fault == nil, let damaged = replica.damage[.session(id)] else { return nil }
        let item = StoreLayout.Item.session(id)
        let entry = replica.table.find(id).map { replica.table[$0] }
        let write = try begin(item)
        let tombstone = SharedRecord.Tombstone(
            id: id, revision: entry?.revision ?? 1, at: at, why: .deleted, key: key,
            author: author)
        let previous = replica.lastNumber(of: item)
        let record = SharedRecord(
            .end(tombstone), previous: previous, born: entry?.born ?? identity.birth(),
            writer: write.id)
        let change = try self.write(.session(record), of: item, after: previous, write)
        change.removesDamage = damaged > 0
        return write.ticket
    }

    /// Ends a session that has expired.
    ///
    /// - Returns: whether that is being written.
    func expire(_ handle: SessionHandle) -> Bool {
        let entry = replica.table[handle]
        let tombstone = SharedRecord.Tombstone(
            id: entry.id, revision: entry.revision, at: clock.wall, why: .expired, key: nil)
        do throws(StoreError) {
            try end(entry, with: tombstone, try begin(.session(entry.id)))
            return true
        } catch {
            // A change of it is undecided, or too many are.
            replica.table.enqueue(handle, notBefore: clock.wall + 1_000)
            return false
        }
    }

    /// Writes the end of a session.
    private func end(
        _ entry: SharedEntry, with tombstone: SharedRecord.Tombstone,
        _ write: (id: WriteID, ticket: Ticket)
    ) throws(StoreError) {
        let record = SharedRecord(
            .end(tombstone), previous: entry.number, born: entry.born, writer: write.id)
        let item = StoreLayout.Item.session(entry.id)
        try self.write(.session(record), of: item, after: replica.lastNumber(of: item), write)
    }

    // MARK: Tokens

    /// Replaces a session's tokens.
    func putTokens(
        _ tokens: [SessionToken], of handle: SessionHandle, at: Milliseconds
    ) throws(StoreError) -> Ticket {
        let entry = replica.table[handle]
        let item = StoreLayout.Item.tokens(entry.id)
        let write = try begin(item)
        let link = SharedLink(previous: replica.lastNumber(of: item), writer: write.id)
        let list = SharedTokens(
            id: entry.id, born: entry.born, at: at, link: link, tokens: tokens)
        try self.write(.tokens(list), of: item, after: link.previous, write)
        return write.ticket
    }

    // MARK: Apps

    /// Writes the documents, each by itself.
    func putApps(
        _ documents: [(id: AppID, text: [UInt8])], at: Milliseconds
    ) throws(StoreError) -> [StoredVersion] {
        // Either all can be written now, or none.
        for (id, _) in documents where writer.isBusy(.app(id)) { throw .busy }
        for (_, text) in documents { try check(text.count) }
        var versions: [StoredVersion] = []
        for (id, text) in documents {
            let app = try write(id, text, at: at)
            versions.append(StoredVersion(app.app.version, app.ticket))
        }
        return versions
    }

    /// Deletes an app.
    func deleteApp(_ id: AppID, at: Milliseconds) throws(StoreError) -> Ticket {
        try write(id, nil, at: at).ticket
    }

    private func write(
        _ id: AppID, _ document: [UInt8]?, at: Milliseconds
    ) throws(StoreError) -> (app: SharedApp, ticket: Ticket) {
        let item = StoreLayout.Item.app(id)
        let write = try begin(item)
        let link = SharedLink(previous: replica.lastNumber(of: item), writer: write.id)
        let app = SharedApp(id: id, at: at, link: link, document: document)
        try self.write(.app(app), of: item, after: link.previous, write)
        return (app, write.ticket)
    }
}
