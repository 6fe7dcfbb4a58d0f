internal import Bytes
internal import Navigation
internal import POSIX
internal import Sessions

/// Finds records: in the cache, among those that were loaded for a request or, for a few in each
/// turn, in the kernel's page cache. It never waits for a disk: any other record is thrown as
/// `notInMemory`, and the request is repeated once the record has been loaded.
final class StoreReader: SessionReading, TokenReading {
    private let state: StoreState
    private let log: LogWriter
    private let segments: SegmentList
    private let faults: FaultLog
    private var cache: RecordCache
    /// The records that were loaded for the request that is being repeated.
    private var loaded: LoadedRecords?
    /// The number of records that were read from the page cache in this turn.
    private var readsOfTurn = 0

    /// The maximum number of records that one turn reads from the page cache.
    static let readsOfTurnMax = 64

    init(
        state: StoreState, log: LogWriter, segments: SegmentList, faults: FaultLog,
        cacheBytes: Int
    ) throws(SystemError) {
        self.state = state
        self.log = log
        self.segments = segments
        self.faults = faults
        cache = try RecordCache(bytes: cacheBytes)
    }

    /// Begins a turn of the loop.
    ///
    /// - Parameter reads: the number of reads from the page cache that count as done already.
    func beginTurn(reads: Int = 0) { readsOfTurn = reads }

    /// Runs with the loaded records visible.
    func with<Result, Failure: Error>(
        _ records: LoadedRecords?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        loaded = records
        defer { loaded = nil }
        return try body()
    }

    // MARK: The index

    /// The number of live sessions.
    var sessionCount: Int { state.count }

    /// The session of that id, unless it has expired by `now`.
    func find(_ id: SessionID, now: Milliseconds) -> SessionHandle? {
        state.find(id).flatMap { state[$0].expiresAt > now ? $0 : nil }
    }

    /// The session of the id in the bytes, unless it has expired by `now`; makes no copy.
    func find(_ bytes: [UInt8], _ range: Range<Int>, now: Milliseconds) -> SessionHandle? {
        state.find(bytes, range).flatMap { state[$0].expiresAt > now ? $0 : nil }
    }

    /// The facts about a session in the index.
    func summary(_ handle: SessionHandle) -> SessionSummary { state.summary(of: handle) }

    /// The labels of a session.
    func labels(of handle: SessionHandle) -> [Label] { state.labels(of: handle) }

    /// The number of the session's newest record.
    func sequence(of handle: SessionHandle) -> SequenceNumber { state[handle].sequence }

    /// The version of the session's newest state.
    func version(of handle: SessionHandle) -> StoredVersion {
        StoredVersion(state[handle].sequence)
    }

    /// A page of the sessions in the byte order of their ids.
    func walk(
        after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds
    ) -> SessionPage {
        state.page(after: after, filter: filter, limit: limit, now: now)
    }

    /// Always false, because the store has a table of all tokens.
    var namesSessionsInTokens: Bool { false }

    /// The session's tokens, and the ticket of the record that contains them.
    func tokens(of handle: SessionHandle) -> (ticket: Ticket, tokens: [SessionToken]) {
        let row = state.tokens(of: handle)
        return (Ticket(ordered: row?.sequence ?? 0), row?.tokens ?? [])
    }

    /// The session that a valid token belongs to.
    func owner(
        of digest: TokenDigest, in id: SessionID?, now: Milliseconds
    ) -> (handle: SessionHandle, token: SessionToken)? {
        guard let found = state.owner(of: digest), found.token.isValid(at: now),
            state[found.handle].expiresAt > now
        else { return nil }
        return found
    }

    // MARK: The newest record

    /// Appends the JSON text of a session's newest state.
    func appendState(
        _ handle: SessionHandle, to bytes: inout [UInt8]
    ) throws(StoreError) -> StoredVersion {
        let entry = state[handle]
        if let position = cachedPosition(entry, handle) {
            cache.appendState(at: position, to: &bytes)
            return StoredVersion(entry.sequence)
        }
        let (line, header) = try newestLoaded(entry, handle)
        bytes.append(line, header.body.state.range)
        return StoredVersion(entry.sequence)
    }

    /// A session's newest record.
    func newest(_ handle: SessionHandle) throws(StoreError) -> StoredRecord {
        let entry = state[handle]
        if let line = cachedLine(entry, handle) { return try Self.decode(line) }
        let (line, header) = try newestLoaded(entry, handle)
        return StoredRecord(sequence: header.sequence, record: header.record(line))
    }

    /// Caches the line of a put that was just written, and returns its position in the cache.
    ///
    /// - Parameters:
    ///   - stateCount: bytes of the state, which ends before the line's checksum.
    ///   - previous: the position of the session's record before this one.
    func keep(
        _ line: LogWriter.Written, revision: Int64, stateCount: Int, previous: UInt64
    ) -> UInt64 {
        let end = line.range.upperBound - Line.endCount
        return cache.append(
            log.pendingBytes, line: line.range, state: end - stateCount..<end,
            header: RecordCache.Header(
                sequence: line.sequence, revision: revision, previous: previous))
    }

    private func newestLine(_ handle: SessionHandle) throws(StoreError) -> [UInt8] {
        let entry = state[handle]
        if let line = cachedLine(entry, handle) { return line }
        return try newestLoaded(entry, handle).line
    }

    private func cachedLine(_ entry: SessionEntry, _ handle: SessionHandle) -> [UInt8]? {
        cachedPosition(entry, handle).flatMap(cache.find).map { copy($0.line) }
    }

    /// The position of a session's newest line in the cache, after marking it as used.
    private func cachedPosition(_ entry: SessionEntry, _ handle: SessionHandle) -> UInt64? {
        guard cache.holds(entry.cached) else { return nil }
        let position = cache.touch(entry.cached)
        if position != entry.cached { state.setCached(position, of: handle) }
        return position
    }

    /// The session's newest line, which is not in the cache yet and is added to it.
    private func newestLoaded(
        _ entry: SessionEntry, _ handle: SessionHandle
    ) throws(StoreError) -> (line: [UInt8], header: RecordHeader) {
        guard let line = try line(at: RecordLocation(sequence: entry.sequence)),
            let header = RecordHeader(line, 0..<line.count)
        else {
            faults.report(
                .damage, "record \(entry.sequence) is missing",
                in: segments.segment(with: entry.sequence)?.file?.path)
            throw .damaged
        }
        let position = cache.append(
            line, line: 0..<line.count, state: header.body.state.range,
            header: RecordCache.Header(
                sequence: header.sequence, revision: header.session.revision,
                previous: RecordCache.nowhere))
        state.setCached(position, of: handle)
        return (line, header)
    }

    private func copy(_ range: Range<Int>) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(range.count)
        cache.append(range, to: &line)
        return line
    }

    private static func decode(_ line: [UInt8]) throws(StoreError) -> StoredRecord {
        guard let header = RecordHeader(line, 0..<line.count) else { throw .damaged }
        return StoredRecord(sequence: header.sequence, record: header.record(line))
    }

    /// A record that is not in the cache, or nil if it is no longer kept.
    private func line(at location: RecordLocation) throws(StoreError) -> [UInt8]? {
        let sequence = location.sequence
        if let line = loaded?.lines[sequence] { return counted(line) }
        // No record has this number yet, so loading it would never end.
        guard sequence <= log.last else { return nil }
        if loaded?.gone.contains(sequence) == true { return nil }
        if loaded?.failed.contains(sequence) == true { throw .unavailable }
        if loaded?.damaged.contains(sequence) == true { throw .damaged }
        // Most records that are not in the cache are in the page cache, and a few reads are quicker
        // than a thread.
        if readsOfTurn < Self.readsOfTurnMax {
            readsOfTurn += 1
            if let line = segments.lineInMemory(with: sequence) { return counted(line) }
        }
        throw .notInMemory([.records(location)])
    }

    /// A line that the cache did not have.
    private func counted(_ line: [UInt8]) -> [UInt8] {
        cache.miss(line.count)
        return line
    }

    // MARK: Older records

    /// A session's revision, or nil if it is not kept.
    func revision(
        _ revision: Int, of handle: SessionHandle
    ) throws(StoreError) -> StoredRecord? {
        guard let line = try line(of: Int64(revision), handle) else { return nil }
        return try Self.decode(line)
    }

    /// The number of a revision's record, or nil if it is not kept.
    func number(
        of revision: Int64, _ handle: SessionHandle
    ) throws(StoreError) -> SequenceNumber? {
        let entry = state[handle]
        if revision == entry.revision { return entry.sequence }
        let known = state.undoRuns(of: handle)?.first { $0.revisions.highest == Int(revision) }
        if let known { return known.sequence }
        guard let after = try line(of: revision + 1, handle),
            let previous = RecordHeader(after, 0..<after.count)?.links.previous, previous > 0
        else { return nil }
        return previous
    }

    private func line(of wanted: Int64, _ handle: SessionHandle) throws(StoreError) -> [UInt8]? {
        let entry = state[handle]
        guard wanted >= 1, wanted <= entry.revision else { return nil }
        if wanted == entry.revision { return try newestLine(handle) }
        if entry.revision - wanted <= StoreState.historyMax,
            let line = try older(wanted, from: Link(entry))
        {
            return line
        }
        guard let run = state.undoRuns(of: handle)?.first(where: { $0.contains(wanted) })
        else { return nil }
        return try older(wanted, from: Link(run))
    }

    /// A record in a session's chain of records.
    private struct Link {
        /// The position in the cache, if it is cached.
        var position: UInt64
        var sequence: SequenceNumber
        var revision: Int64

        init(_ entry: SessionEntry) {
            (position, sequence, revision) = (entry.cached, entry.sequence, entry.revision)
        }

        init(_ run: UndoRun) {
            (position, sequence) = (RecordCache.nowhere, run.sequence)
            revision = Int64(run.revisions.highest)
        }
    }

    /// Follows the chain back, in the cache as far as it reaches, then through what was loaded. A
    /// record must be older than the one that names it, so this ends even in a forged log.
    private func older(_ wanted: Int64, from start: Link) throws(StoreError) -> [UInt8]? {
        var (position, sequence, revision) = (start.position, start.sequence, start.revision)
        while sequence > 0, revision >= wanted {
            if let found = cache.find(position) {
                if found.revision == wanted { return copy(found.line) }
                revision = found.revision - 1
                position = found.previous
                if cache.holds(position) { continue }
                let line = copy(found.line)
                sequence = RecordHeader(line, 0..<line.count)?.links.previous ?? 0
            } else {
                let before = Int(revision - wanted)
                guard let line = try line(at: RecordLocation(sequence: sequence, behind: before)),
                    let header = RecordHeader(line, 0..<line.count)
                else { return nil }
                if header.session.revision == wanted { return line }
                guard header.links.previous < sequence else { return nil }
                revision = header.session.revision - 1
                sequence = header.links.previous
            }
        }
        return nil
    }

    /// The session's records after a number, newest first. Nil if one is not kept, or if they are
    /// larger than `bytesLeft`, from which the size of the records found is subtracted.
    func changes(
        of handle: SessionHandle, after: SequenceNumber, bytesLeft: inout Int
    ) throws(StoreError) -> [StoredRecord]? {
        let entry = state[handle]
        let countMax = Int(min(entry.revision - 1, StoreState.historyMax))
        var (position, sequence) = (entry.cached, entry.sequence)
        var found: [StoredRecord] = []
        while sequence > after {
            guard found.count <= countMax else { return nil }
            let line: [UInt8]
            if let cached = cache.find(position) {
                line = copy(cached.line)
                position = cached.previous
            } else {
                let location = RecordLocation(
                    sequence: sequence, behind: countMax - found.count, after: after,
                    bytesMax: bytesLeft)
                guard let read = try self.line(at: location) else { return nil }
                line = read
                position = RecordCache.nowhere
            }
            bytesLeft -= line.count
            guard bytesLeft >= 0, let header = RecordHeader(line, 0..<line.count),
                header.links.previous < sequence
            else { return nil }
            found.append(StoredRecord(sequence: header.sequence, record: header.record(line)))
            sequence = header.links.previous
        }
        return found
    }

    // MARK: Idempotency keys

    /// The result of the request with the key, or nil if it is no longer known.
    func result(
        forKey key: String, in scope: IdempotencyScope, now: Milliseconds
    ) throws(StoreError) -> IdempotentResult? {
        guard let (place, newestOf) = state.place(ofKey: key, in: scope, now: now)
        else { return nil }
        let found =
            if let newestOf {
                try newestLine(newestOf)
            } else {
                try line(at: RecordLocation(sequence: place.sequence))
            }
        // Two keys may have the same hash.
        guard let line = found, let header = RecordHeader(line, 0..<line.count),
            header.keptKey(line)?.key == key
        else { return nil }
        switch header.kind {
        case .put: return .change(try Self.decode(line))
        case .delete: return .deletion(header.deletion(line))
        case .app, .appDelete, .tokens, .mark, .seal: return nil
        }
    }
}
