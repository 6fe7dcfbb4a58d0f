internal import Navigation
internal import Sessions

/// Makes changes: writes each to the log, applies it to the state, and remembers how to roll it
/// back until it is durable.
///
/// A change of several lines is written completely or not at all: everything that can be refused is
/// checked before its first line.
final class StoreWriter: StoreWriting {
    private let state: StoreState
    private let log: LogWriter
    private let reader: StoreReader
    private let segments: SegmentList
    private let durability: DurabilityTracker
    private var rollbackLog = RollbackLog()
    /// Changes of sessions, until they are durable and the loop has taken them.
    private(set) var feed: ChangeFeed
    /// Expired sessions whose id was reused before their deletion was reported.
    private var replaced: [Deletion] = []

    init(
        state: StoreState, log: LogWriter, reader: StoreReader, segments: SegmentList,
        durability: DurabilityTracker
    ) {
        self.state = state
        self.log = log
        self.reader = reader
        self.segments = segments
        self.durability = durability
        feed = ChangeFeed(after: durability.durable)
    }

    private func refuseIfUnable(isGrowth: Bool) throws(StoreError) {
        try durability.refuseIfUnable(isGrowth: isGrowth, waitingBytes: log.waitingBytes)
    }

    private func makeRoom(_ count: Int) throws(StoreError) {
        try log.makeRoom(count, refusing: durability.growthRefusal)
    }

    // MARK: Sessions

    /// Writes a session's next revisions, all of them or none.
    ///
    /// - Parameters:
    ///   - handle: the session, if the caller has found it already.
    ///   - details: what the feed should contain about the changes.
    /// - Returns: the version of the last record; 0 if there are no records.
    func put(
        _ records: [SessionRecord], of handle: SessionHandle?, details: FeedDetails
    ) throws(StoreError) -> StoredVersion {
        guard !records.isEmpty else { return StoredVersion(0) }
        try refuseIfUnable(isGrowth: true)
        let found = try known(handle, for: records)
        if records.count == 1 {
            try put(records[0], in: found, details)
        } else {
            try putAll(records, in: found, details)
        }
        return StoredVersion(log.last)
    }

    /// The session that records belong to. Returns nil if they begin a session, because no session
    /// has its id or the one that had it has expired.
    private func known(
        _ handle: SessionHandle?, for records: [SessionRecord]
    ) throws(StoreError) -> SessionHandle? {
        guard let handle = handle ?? state.find(records[0].id) else { return nil }
        guard records[0].revision == 1 else { return handle }
        replaced.append(try remove(handle, at: records[0].at, why: .expired))
        return nil
    }

    private func put(
        _ record: SessionRecord, in found: SessionHandle?, _ details: FeedDetails
    ) throws(StoreError) {
        let runs = try undoRuns(of: record, found)
        try makeRoom(Self.bytesMax(record, runs))
        feed.append(record, write(record, in: found, runs), for: details)
    }

    private func putAll(
        _ records: [SessionRecord], in known: SessionHandle?, _ details: FeedDetails
    ) throws(StoreError) {
        var found = known
        var runs: [UndoRuns] = []
        var (unwritten, bytes) = (Int?.none, 0)
        for record in records {
            runs.append(try undoRuns(of: record, known, unwritten: unwritten))
            unwritten = record.revision
            bytes += Self.bytesMax(record, runs[runs.count - 1])
        }
        try makeRoom(bytes)
        for (record, runs) in zip(records, runs) {
            found = found ?? state.find(record.id)
            feed.append(record, write(record, in: found, runs.naming(log.last)), for: details)
        }
    }

    private func write(
        _ record: SessionRecord, in found: SessionHandle?, _ runs: UndoRuns
    ) -> SequenceNumber {
        let prior = found.map { state[$0] }
        precondition(
            Int64(record.revision) == (prior?.revision ?? 0) + 1, "a revision was left out")
        let born = prior?.born ?? log.last + 1
        let line = log.append(record, previous: prior?.sequence ?? 0, born: born, runs: runs)
        let cached = reader.keep(
            line, revision: Int64(record.revision), stateCount: record.state.count,
            previous: prior?.cached ?? RecordCache.nowhere)
        if let prior { log.supersede(prior.sequence, length: Int(prior.length)) }
        let put = StoreState.PutLine(
            sequence: line.sequence, born: born, length: line.range.count, cached: cached,
            runs: runs)
        rollbackLog.append(state.put(record, put, in: found))
        return line.sequence
    }

    /// The maximum number of bytes of a record's line.
    private static func bytesMax(_ record: SessionRecord, _ runs: UndoRuns) -> Int {
        var count = record.event.count + record.state.count + LogWriter.lineBase
        count += runs.count * 64 + (record.key?.key.utf8.count ?? 0) * 6
        if !record.due.isEmpty { count += 64 }
        for label in record.labels {
            count += (label.key.utf8.count + label.value.utf8.count) * 6 + 8
        }
        return count
    }

    /// Deletes a session.
    func delete(
        _ handle: SessionHandle, at: Milliseconds, key: IdempotencyKey?, author: TokenName?
    ) throws(StoreError) -> Ticket {
        try remove(handle, at: at, why: .deleted, key: key, author: author).ticket
    }

    /// Removes a session.
    ///
    /// - Parameter author: the name of the token that made the request, for the feed.
    func remove(
        _ handle: SessionHandle, at: Milliseconds, why: DeletionReason, key: IdempotencyKey? = nil,
        author: TokenName? = nil
    ) throws(StoreError) -> Deletion {
        try refuseIfUnable(isGrowth: false)
        try makeRoom(LogWriter.lineBase + (key?.key.utf8.count ?? 0) * 6)
        let prior = state[handle]
        var deletion = Deletion(
            id: state.id(of: handle), sequence: log.last + 1, revision: Int(prior.revision),
            at: at, why: why, key: key)
        deletion.author = author
        state.describe(&deletion, of: handle)
        let line = log.append(deletion, of: prior)
        log.supersede(prior.sequence, length: Int(prior.length))
        log.supersedeOwn(line)
        let item = state.remove(handle, deletion)
        if let row = item.more?.tokens {
            log.supersede(row.sequence, length: row.length)
            deletion.tokens = row.tokens
        }
        rollbackLog.append(item)
        feed.append(deletion)
        return deletion
    }

    /// When `expire` has something to do next.
    var nextExpiry: Milliseconds? { replaced.isEmpty ? state.nextExpiry : 0 }

    /// Removes sessions that have expired, at most `limit` of them.
    func expire(now: Milliseconds, limit: Int) throws(StoreError) -> [Deletion] {
        var gone = replaced
        replaced.removeAll()
        state.dropKeys(now: now)
        while gone.count < limit, let handle = state.firstExpired(now: now) {
            do {
                gone.append(try remove(handle, at: now, why: .expired))
            } catch {
                if gone.isEmpty { throw error }
                return gone
            }
            state.removeFirstExpiry()
        }
        return gone
    }

    // MARK: Undo runs

    /// The runs that the record has to name for undo and redo.
    ///
    /// - Parameter unwritten: a revision that is written directly before and has no number yet.
    private func undoRuns(
        of record: SessionRecord, _ handle: SessionHandle?, unwritten: Int? = nil
    ) throws(StoreError) -> UndoRuns {
        let (undo, redo) = (record.undoing.undo, record.undoing.redo)
        let isPlain = undo.isPlain(below: record.revision)
        guard let handle, !(isPlain && redo.isEmpty) else { return .none }
        var runs = UndoRuns()
        if !isPlain { runs.undo = try located(undo, of: handle, unwritten: unwritten) }
        if !redo.isEmpty { runs.redo = try located(redo, of: handle, unwritten: unwritten) }
        return runs
    }

    private func located(
        _ stack: RevisionStack, of handle: SessionHandle, unwritten: Int?
    ) throws(StoreError) -> [UndoRun] {
        var runs: [UndoRun] = []
        for run in stack.runs {
            if run.highest == unwritten {
                runs.append(UndoRun(revisions: run, sequence: 0))
            } else if let sequence = try reader.number(of: Int64(run.highest), handle) {
                runs.append(UndoRun(revisions: run, sequence: sequence))
            }
        }
        return runs
    }

    // MARK: Tokens and apps

    /// Replaces a session's tokens.
    func putTokens(
        _ tokens: [SessionToken], of handle: SessionHandle, at: Milliseconds
    ) throws(StoreError) -> Ticket {
        // A token can be revoked while the disk is full.
        try refuseIfUnable(isGrowth: tokens.count >= state.tokens(of: handle)?.tokens.count ?? 0)
        try makeRoom(tokens.reduce(LogWriter.lineBase) { $0 + $1.textMax })
        let line = log.append(
            tokens, of: state.id(of: handle), born: state[handle].born, at: at)
        let item = state.putTokens(
            TokenTable.Row(sequence: line.sequence, length: line.range.count, tokens: tokens),
            of: handle)
        if let old = item.more?.tokens { log.supersede(old.sequence, length: old.length) }
        rollbackLog.append(item)
        return Ticket(ordered: line.sequence)
    }

    /// Writes the apps' documents, all of them or none, and returns their versions in the same
    /// order.
    func putApps(
        _ documents: [(id: AppID, text: [UInt8])], at: Milliseconds
    ) throws(StoreError) -> [StoredVersion] {
        guard !documents.isEmpty else { return [] }
        try refuseIfUnable(isGrowth: true)
        try makeRoom(documents.reduce(0) { $0 + $1.text.count + LogWriter.lineBase })
        return documents.map { id, text in
            let sequence = log.append(id, document: text, at: at).sequence
            let app = StoredApp(id: id, sequence: sequence, at: at, document: text)
            rollbackLog.append(state.setApp(id, app, sequence: sequence))
            return StoredVersion(sequence)
        }
    }

    /// Deletes an app.
    func deleteApp(_ id: AppID, at: Milliseconds) throws(StoreError) -> Ticket {
        try refuseIfUnable(isGrowth: false)
        try makeRoom(LogWriter.lineBase)
        let sequence = log.append(deletionOf: id, at: at).sequence
        rollbackLog.append(state.setApp(id, nil, sequence: sequence))
        return Ticket(ordered: sequence)
    }

    // MARK: Durability

    /// Returns the changes that have become durable since the last call.
    func takeChanges() -> [StoreChange] { feed.take(upTo: durability.durable) }

    /// The number of the last change that was taken.
    var fedUpTo: SequenceNumber { feed.takenUpTo }

    /// Forgets how to roll back what is durable now.
    func settle() {
        while let item = rollbackLog.popFirst(upTo: durability.durable) { state.settle(item) }
    }

    /// Rolls back every change that is not durable, after the disk was full.
    func rollBack(_ rollback: Rollback) {
        while let item = rollbackLog.popLast() {
            state.takeBack(item)
            switch item.kind {
            case .changed, .removed: segments.restore(item.prior)
            case .created, .app, .tokens: break
            }
        }
        log.rollBack(rollback)
        feed.rollBack(to: rollback.sequence)
        replaced.removeAll { $0.sequence > rollback.sequence }
    }
}
