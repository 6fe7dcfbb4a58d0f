internal import NATS
internal import Navigation
internal import Sessions

/// Everything that a node knows of the store: what the feeds have told, what it has loaded, and its
/// own changes as soon as they are kept. Whatever comes first counts; nothing is taken back.
final class Replica {
    /// Which stream and subject a session has.
    let layout: StoreLayout
    /// The sessions.
    let table = SessionTable()
    /// The apps.
    private(set) var apps = SharedApps()
    private var cells: CellCache
    private var tokenLists = TokenLists()
    /// What the feed has told of sessions of which more is known: the session as it was then, or
    /// nil if there was none.
    private var told: [SessionID: SharedEntry?] = [:]

    /// - Parameter cacheBytes: the most memory that records may take.
    init(_ layout: StoreLayout, cacheBytes: Int) {
        self.layout = layout
        cells = CellCache(bytesMax: cacheBytes)
    }

    // MARK: Reading

    /// The records of a session that are in memory.
    func cell(of id: SessionID) -> SessionCell? { cells.use(id) }

    /// The number of cells in memory.
    var cellCount: Int { cells.count }

    /// The tokens of a live session.
    func tokens(of handle: SessionHandle) -> [SessionToken] {
        let entry = table[handle]
        return tokenLists.tokens(of: entry.id, born: entry.born)
    }

    /// The stream sequence of an item's last message; 0 if it has no messages.
    func lastNumber(of item: StoreLayout.Item) -> Int {
        switch item {
        case .session(let id): table.lastNumber(id)
        case .tokens(let id): tokenLists.lastNumber(id)
        case .app(let id): apps.lastNumber(id)
        case .meta: 0
        }
    }

    // MARK: Changes

    /// Takes a change of this node that is kept.
    func apply(_ content: PendingChange.Content, number: Int) {
        switch content {
        case .session(let record): apply(NumberedRecord(number: number, record: record))
        case .tokens(let tokens): tokenLists.apply(tokens, number: number)
        case .app(let app): apps.apply(app, number: number)
        }
    }

    /// Takes what was loaded.
    func apply(_ item: LoadedItem, to question: Question) {
        let id = question.id
        switch item {
        case .newest(let record):
            guard let record else { return forget(id) }
            apply(record)
            keep(record)
        case .history(let records):
            guard let newest = records.last else { return forget(id) }
            apply(newest)
            keep(records)
        case .tokens(let tokens, let number):
            guard let tokens else { return tokenLists.forget(id) }
            tokenLists.apply(tokens, number: number)
        case .damaged, .unanswered: return
        }
        if case .tokens = question { return }
        table.setFresh(id)
    }

    /// The leader of the stream has no message of the session. One that was just elected may not
    /// know of a session yet that lives.
    private func forget(_ id: SessionID) {
        if table.find(id) == nil { table.forget(id) }
    }

    private func apply(_ record: NumberedRecord) {
        let id = record.record.id
        let place = StreamPlace(shard: layout.shard(of: id), number: record.number)
        if place.number > table.lastNumber(id), told[id] == nil {
            told[id] = .some(table.find(id).map { table[$0] })
        }
        let effect = table.apply(record.record, at: place) { deletion in
            if let handle = table.find(id) { deletion.tokens = tokens(of: handle) }
        }
        switch effect {
        case .none: break
        case .changed(_, let former):
            if former != nil { cells.remove(id) }
            if let stored = record.stored(in: place.shard) { cells.append(stored) }
        case .ended: cells.remove(id)
        }
    }

    /// Puts the newest record of a session into the cache again.
    private func keep(_ record: NumberedRecord) {
        let id = record.record.id
        guard let handle = table.find(id), table[handle].number == record.number,
            cells.use(id) == nil, let stored = record.stored(in: table[handle].shard)
        else { return }
        cells.insert(SessionCell(stored), of: id)
    }

    /// Puts all records of a session into the cache.
    private func keep(_ records: [NumberedRecord]) {
        guard let newest = records.last, let handle = table.find(newest.record.id),
            table[handle].number == newest.number,
            let cell = SessionCell(records, in: table[handle].shard)
        else { return }
        cells.insert(cell, of: newest.record.id)
    }

    // MARK: The feeds

    /// Takes a message of a feed.
    ///
    /// - Parameter shard: the shard whose stream it is in. Nil for the stream of apps.
    /// - Returns: the changes to announce, in their order.
    func take(
        _ message: FedMessage, of shard: Int?
    ) throws(DamageError) -> [(change: StoreChange, writer: WriteID)] {
        let item = (try? Subject(message.subject)).flatMap { layout.item(of: $0) }
        do throws(SharedRecordError) {
            switch item {
            case .session(let id) where shard == layout.shard(of: id):
                let record = NumberedRecord(
                    number: message.number, record: try SharedRecord(message.content))
                guard record.record.id == id, record.record.previous < message.number
                else { throw .form }
                return take(record, of: layout.shard(of: id))
            case .tokens(let id) where shard == layout.shard(of: id):
                let tokens = try SharedTokens(message.content)
                guard tokens.id == id else { throw .form }
                tokenLists.apply(tokens, number: message.number)
            case .app(let id) where shard == nil:
                let app = try SharedApp(message.content)
                guard app.id == id else { throw .form }
                apps.apply(app, number: message.number)
            case .meta where shard == nil: break
            case .session, .tokens, .app, .meta, nil: throw .form
            }
            return []
        } catch {
            if case .session(let id)? = item { table.setStale(id) }
            throw DamageError(item: item, number: message.number, reason: error)
        }
    }

    private func take(
        _ record: NumberedRecord, of shard: Int
    ) -> [(change: StoreChange, writer: WriteID)] {
        let id = record.record.id
        apply(record)
        let place = StreamPlace(shard: shard, number: record.number)
        let writer = record.record.writer
        var changes: [(change: StoreChange, writer: WriteID)] = []
        let before = told.removeValue(forKey: id) ?? nil
        if let ended = end(of: before, by: record, at: place) {
            changes.append((.deleted(ended), writer))
        }
        if record.number < table.lastNumber(id) {
            told[id] = .some(
                record.revision.map { SharedEntry($0, born: record.record.born, at: place) })
        }
        switch record.record.content {
        case .revision(let revision):
            guard let stored = record.stored(in: shard) else { return changes }
            let change = SessionChange(
                id: revision.id, revision: revision.revision, sequence: place.sequence,
                details: SessionChange.Details(stored))
            changes.append((.put(change), writer))
        case .end(let tombstone):
            var deletion = Deletion(tombstone, at: place)
            if let ending = table.ending(tombstone.id), ending.number == record.number {
                deletion = ending.deletion
            } else if let before {
                complete(&deletion, with: before)
            }
            changes.append((.deleted(deletion), writer))
        }
        return changes
    }
}

extension Replica {
    /// The end of a session that nobody has written: the id of an expired session was used again.
    ///
    /// - Parameter entry: the session of that id as the feed has told it.
    private func end(
        of entry: SharedEntry?, by record: NumberedRecord, at place: StreamPlace
    ) -> Deletion? {
        guard let entry, let next = record.revision, entry.born != record.record.born else {
            return nil
        }
        var deletion = Deletion(
            id: entry.id, sequence: place.sequence, revision: entry.revision, at: next.at,
            why: .expired, key: nil)
        deletion.ticket = .none
        complete(&deletion, with: entry)
        return deletion
    }

    private func complete(_ deletion: inout Deletion, with entry: SharedEntry) {
        (deletion.app, deletion.labels) = (entry.app, entry.labels)
        deletion.tokens = tokenLists.tokens(of: entry.id, born: entry.born)
    }
}

extension NumberedRecord {
    /// The revision, if the record is not the end of a session.
    fileprivate var revision: SessionRecord? {
        if case .revision(let revision) = record.content { revision } else { nil }
    }
}

/// A message of the store that is not what it should be.
struct DamageError: Error, Equatable {
    /// What its subject names. Nil if it names nothing of this store.
    let item: StoreLayout.Item?
    /// The stream sequence.
    let number: Int
    /// What is wrong.
    let reason: SharedRecordError
}

extension Deletion {
    /// The end of a session of which nothing else is known.
    init(_ tombstone: SharedRecord.Tombstone, at place: StreamPlace) {
        self.init(
            id: tombstone.id, sequence: place.sequence, revision: tombstone.revision,
            at: tombstone.at, why: tombstone.why, key: tombstone.key)
        ticket = .none
    }
}

extension SessionCell {
    /// A cell with all records that were loaded. Nil if the session has ended.
    init?(_ records: [NumberedRecord], in shard: Int) {
        let stored = records.compactMap { $0.stored(in: shard) }
        guard !stored.isEmpty, stored.count == records.count else { return nil }
        self.init(all: stored)
    }
}
