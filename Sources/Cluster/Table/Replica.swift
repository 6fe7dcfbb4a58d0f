internal import Bytes
internal import NATS
internal import Navigation
internal import Sessions

/// Everything that a node knows of the store: what the feeds have told, what it has loaded, and its
/// own changes as soon as they are kept. State only moves forward: older messages change nothing.
final class Replica {
    /// Which stream and subject a session has.
    let layout: StoreLayout
    let table = SessionTable()
    private(set) var apps = SharedApps()
    private(set) var identity: StoreIdentity
    private(set) var marks: ShardMarks
    var damage = DamageRegister()
    /// Called once for each session whose messages are gone.
    var reportsLoss: (SessionID) -> Void = { _ in }
    private var cells: CellCache
    private var tokenLists: TokenLists
    private var ownRecords = OwnRecords()
    /// The feed's statements on sessions of which more is known.
    var told: [SessionID: ToldSession] = [:]

    /// - Parameters:
    ///   - cacheBytes: the most memory that records may take.
    ///   - facts: those of the store that was opened. Nil if they are not compared.
    init(_ layout: StoreLayout, cacheBytes: Int, facts: StoreFacts? = nil) {
        self.layout = layout
        cells = CellCache(bytesMax: cacheBytes)
        marks = ShardMarks(shardCount: layout.shardCount)
        tokenLists = TokenLists(layout)
        identity = StoreIdentity(facts, in: layout)
        // There are tokens that do not name their session.
        if facts?.hasUnnamedTokens == true { tokenLists.findOwners() }
    }

    // MARK: Reading

    /// The records of a session that are in memory.
    func cell(of id: SessionID) -> SessionCell? { cells.use(id) }

    /// All records of a session: those that were loaded, and those that have come since. Nil if
    /// some of these are not in memory.
    func cell(of handle: SessionHandle, from history: SessionHistory) -> SessionCell? {
        let entry = table[handle]
        guard let loaded = SessionCell(history, in: entry.shard) else { return nil }
        let cell = cells.use(entry.id).map { loaded.continued(by: $0) } ?? loaded
        return cell?.newest.sequence == entry.place.sequence ? cell : nil
    }

    /// The revision before a record, if it is in memory.
    func before(_ stored: StoredRecord) -> StoredRecord? {
        guard stored.record.revision > 1, let cell = cells.use(stored.record.id),
            cell.newest.version.entity.first == stored.version.entity.first,
            stored.record.revision <= cell.newest.record.revision,
            case .found(let before) = cell.revision(stored.record.revision - 1)
        else { return nil }
        return before
    }

    var cellCount: Int { cells.count }

    /// The tokens of a live session.
    func tokens(of handle: SessionHandle) -> [SessionToken] {
        let entry = table[handle]
        return tokens(of: entry.id, born: entry.born)
    }

    /// Whether another node has made newer tokens of a live session than those that are known.
    func hasStaleTokens(_ handle: SessionHandle) -> Bool { tokenLists.isStale(table[handle].id) }

    /// The tokens of the session of that id which was born with that number.
    func tokens(of id: SessionID, born: UInt64) -> [SessionToken] {
        tokenLists.tokens(of: id, born: born)
    }

    /// Whether the last list is newer than all that is known of a session, and of another session.
    /// Then this one has probably ended, and the list belongs to the next one of that id.
    func hasTokensOfNext(_ handle: SessionHandle) -> Bool {
        let entry = table[handle]
        return tokenLists.lastNumber(entry.id) > entry.number
            && !tokenLists.has(entry.id, born: entry.born)
    }

    /// The session of a token that does not name it, if there are such tokens.
    func owner(of digest: TokenDigest) -> SessionID? { tokenLists.owner(of: digest) }

    /// The stream sequence of an item's last message; 0 if it has no messages.
    func lastNumber(of item: StoreLayout.Item) -> Int {
        if let damaged = damage[item] { return damaged }
        return switch item {
        case .session(let id): table.lastNumber(id)
        case .tokens(let id): tokenLists.lastNumber(id)
        case .app(let id): apps.lastNumber(id)
        case .meta: 0
        }
    }

    /// The same for a session.
    ///
    /// - Parameter handle: the session of that id, if there is one.
    func lastNumber(of id: SessionID, _ handle: SessionHandle?) -> Int {
        damage[.session(id)] ?? table.lastNumber(id, handle)
    }

    /// The number of subjects that a shard's stream has messages of at least, except barriers. It
    /// does not contain the sessions that are known to have lost theirs.
    func subjectCount(in shard: Int) -> Int {
        let lost = damage.lost.count { layout.shard(of: $0) == shard }
        return table.subjectCount(in: shard) + tokenLists.count(in: shard) - lost
            + (marks.hasMark(shard) ? 1 : 0)
    }

    /// Notes the stream sequence of a shard's own mark before its feed delivers it.
    func note(_ shard: Int, markedBy number: Int) { marks.note(shard, markedBy: number) }

    /// The subjects that streams lack of those that were read.
    var losses: SubjectLosses { damage.losses }

    /// Compares the number of a shard's subjects with what was read of it. If it has lost some, the
    /// leader is asked for each session of the shard before its state is shown the next time.
    ///
    /// - Returns: how many it lacks, if these are more than before.
    func missing(of shard: Int, beside subjects: Int, at now: Int64) -> Int? {
        let missing = subjectCount(in: shard) - subjects
        guard damage.losses.take(missing, of: shard, at: now) else { return nil }
        table.setStale(allOf: shard)
        return missing
    }

    // MARK: Changes

    /// Notes a change of this node that is about to be written.
    func note(_ content: StoreMessage, text: [UInt8]) {
        if case .session(let record) = content { ownRecords.add(record, text: text) }
    }

    /// Notes that a change of this node is not kept, as far as is known.
    func forget(text: [UInt8]) { ownRecords.take(text[...]) }

    /// Takes a change of this node that is kept.
    func apply(_ content: StoreMessage, number: Int) {
        identity.note(content, number, in: layout)
        switch content {
        case .session(let record): apply(NumberedRecord(number: number, record: record))
        case .tokens(let tokens): apply(tokens, number)
        case .app(let app): apply(app, number)
        case .facts, .plan, .mark, .barrier: break
        }
    }

    private func apply(_ tokens: SharedTokens, _ number: Int) {
        damage.clear(.tokens(tokens.id), before: number)
        tokenLists.apply(tokens, number: number)
        if let handle = table.find(tokens.id), hasTokensOfNext(handle) {
            table.setStale(tokens.id)
        }
    }

    private func apply(_ app: SharedApp, _ number: Int) {
        damage.clear(.app(app.id), before: number)
        apps.apply(app, number: number)
    }

    /// Notes that a session has no messages although it was not ended.
    func noteLost(_ id: SessionID) {
        if damage.noteLost(id) { reportsLoss(id) }
    }

    /// Takes what was loaded.
    func apply(_ item: LoadedItem, to question: Question, at now: Milliseconds) {
        switch (question, item) {
        case (.newest(let id), .newest(let record)), (.history(let id), .newest(let record)):
            guard let record else { return forget(id, at: now) }
            identity.note(.session(record.record), record.number, in: layout)
            apply(record)
            keep(record)
            table.setFresh(id)
        case (.newest(let id), .history(let history)), (.history(let id), .history(let history)):
            guard let newest = history.records.last else { return forget(id, at: now) }
            identity.note(.session(newest.record), newest.number, in: layout)
            apply(newest)
            keep(history)
            table.setFresh(id)
        case (.tokens(let id), .tokens(let tokens, let number)):
            guard let tokens else {
                forgetTokens(of: id, at: now)
                return tokenLists.setFresh(id)
            }
            identity.note(.tokens(tokens), number, in: layout)
            apply(tokens, number)
            tokenLists.setFresh(id)
        case (_, .newest), (_, .history), (_, .tokens), (_, .damaged), (_, .unanswered): return
        }
    }

    /// Forgets a session that ended long ago, with its tokens.
    ///
    /// - Returns: the messages that nobody needs any more.
    func forget(_ ended: EndedSession) -> [Removal] {
        let (id, at) = (ended.deletion.id, ended.deletion.at)
        var removals = [Removal(item: .session(id), upTo: ended.number, endedAt: at)]
        let tokens = tokenLists.lastNumber(id)
        if tokens > 0 { removals.append(Removal(item: .tokens(id), upTo: tokens, endedAt: at)) }
        table.forget(id)
        tokenLists.forget(id)
        return removals
    }

    /// Another node has made a newer list of tokens than the one that is known, or may have.
    func setTokensStale(_ id: SessionID) { tokenLists.setStale(id) }

    /// The leader of the stream has no list of tokens of that id. The list of a session is removed
    /// long after its end, so a leader is behind that has no list of one that lives, or whose end
    /// is still in the stream.
    private func forgetTokens(of id: SessionID, at now: Milliseconds) {
        if let handle = table.find(id) {
            let isOwn = tokenLists.has(id, born: table[handle].born)
            guard !isOwn, !hasTokensOfNext(handle) else { return }
        } else if hasJustEnded(id, at: now) {
            return
        }
        tokenLists.forget(id)
    }

    /// The leader of the stream has no message of the session. One that was just elected may not
    /// know of a session yet that lives.
    private func forget(_ id: SessionID, at now: Milliseconds) {
        guard table.find(id) == nil else { return }
        // It is behind if it does not even know the end.
        if hasJustEnded(id, at: now) { return }
        // The next session of that id follows the last message that the feed has told of.
        let number = table.lastNumber(id)
        if number > 0, told[id] == nil { told[id] = ToldSession(entry: nil, number: number) }
        table.forget(id)
    }

    /// Whether a session has ended within the last hour. Its end stays in the stream for a day.
    private func hasJustEnded(_ id: SessionID, at now: Milliseconds) -> Bool {
        table.ending(id).map { $0.deletion.at > now - 3_600_000 } ?? false
    }

    /// - Parameter size: the size of the event and the state, if the record is without them.
    func apply(_ record: NumberedRecord, size: Int? = nil) {
        let id = record.record.id
        damage.clear(.session(id), before: record.number)
        // A change of this node is acknowledged, and is in the feed as well.
        let known = table.find(id)
        let last = table.lastNumber(id, known)
        guard record.number > last else { return }
        let place = StreamPlace(shard: layout.shard(of: id), number: record.number)
        // A record that is read without event and state is not announced.
        if size == nil, told[id] == nil {
            told[id] = ToldSession(entry: known.map { table[$0] }, number: last)
        }
        put(record, of: known, at: place, size: size)
    }

    /// Takes a record that is newer than what is known.
    func put(
        _ record: NumberedRecord, of known: SessionHandle?, at place: StreamPlace, size: Int? = nil
    ) {
        let id = record.record.id
        let effect = table.apply(record.record, of: known, at: place, size: size) { deletion in
            if let known { deletion.tokens = tokens(of: known) }
        }
        switch effect {
        case .none: break
        case .changed(_, let former):
            if former != nil || size != nil { cells.remove(id) }
            if size == nil, let stored = record.stored(in: place.shard) {
                cells.append(stored, isFirst: record.isFirst)
            }
        case .ended: cells.remove(id)
        }
    }

    /// Puts the newest record of a session into the cache again.
    private func keep(_ record: NumberedRecord) {
        let id = record.record.id
        guard let handle = table.find(id), table[handle].number == record.number,
            cells.use(id) == nil, let stored = record.stored(in: table[handle].shard)
        else { return }
        cells.insert(SessionCell(stored, isFirst: record.isFirst), of: id)
    }

    /// Puts all records of a session into the cache.
    private func keep(_ history: SessionHistory) {
        guard let id = history.records.last?.record.id, let handle = table.find(id),
            let cell = cell(of: handle, from: history)
        else { return }
        cells.insert(cell, of: id)
    }

    // MARK: The feeds

    /// Takes a message of a feed.
    ///
    /// - Parameter shard: the shard whose stream it is in. Nil for the stream of apps.
    /// - Returns: the changes to announce, in their order.
    func take(
        _ message: FedMessage, of shard: Int?
    ) throws(DamageError) -> [(change: StoreChange, writer: WriteID)] {
        // Nothing of another store is taken for what follows.
        guard identity.fault == nil else { return [] }
        do throws(DamageError) {
            let own = message.isHead ? nil : ownRecords.take(message.content)
            let content = try StoreMessage(message, of: shard, in: layout, own: own)
            identity.compare(content, message, in: layout)
            guard identity.fault == nil else {
                guard case .facts = content else { return [] }
                throw DamageError(.member("lineage"), message, item: .meta)
            }
            switch content {
            case .session(let record):
                let record = NumberedRecord(number: message.number, record: record)
                let shard = shard ?? layout.shard(of: record.record.id)
                guard message.isHead else { return take(record, of: shard) }
                take(head: record, size: record.record.size ?? 0)
            case .tokens(let tokens): apply(tokens, message.number)
            case .app(let app): apply(app, message.number)
            case .mark(let marked):
                try marks.take(
                    message, of: marked, isInShard: shard != nil, lineage: identity.facts?.lineage)
            case .facts: marks.foundedAt = message.storedAt
            case .plan, .barrier: break
            }
            return []
        } catch {
            if case .session(let id)? = error.item { table.setStale(id) }
            if case (.meta, .newerFormat) = (error.item, error.reason), identity.facts != nil {
                identity.noteReplaced()
            }
            if !error.lacksHead { damage.note(error) }
            throw error
        }
    }
}
