internal import Bytes
internal import Navigation
internal import POSIX
internal import Sessions

/// Builds the tables from the records of the log, in the order of their numbers.
struct StateBuilder {
    /// The files whose records were read.
    let segments = SegmentList()
    private var tables: StateTables
    private var superseded = SupersededBytes()
    private var hasExpiring = false

    init(seed: UInt64, keysMax: Int) { tables = StateTables(seed: seed, keysMax: keysMax) }

    /// The hash of session ids.
    var hasher: SeededHash { tables.index.hasher }

    /// Adds a file, whose records come next.
    mutating func begin(_ segment: Segment) {
        segments.append(segment)
        superseded.append(segment)
    }

    /// The most sessions for which room is made ahead, 80 MB of memory.
    private static let roomMax = 1 << 20

    /// Makes room for the sessions of the whole log, if all of it is like the part that was read.
    mutating func makeRoom(read: Int, of bytes: Int) {
        let expected = Double(tables.index.count) * Double(bytes) / Double(max(1, read))
        tables.index.reserve(Int(min(expected, Double(Self.roomMax))))
    }

    /// Adds some records of the log.
    mutating func recover(_ records: ScanPipe.Records, _ bytes: [UInt8]) {
        let (headers, hashes) = (records.headers.span, records.hashes.span)
        for number in headers.indices {
            tables.index.prepare(hashes, from: number)
            recover(headers[number], bytes, hash: hashes[number])
        }
    }

    /// Adds a record.
    ///
    /// - Parameter hash: the hash of the record's id.
    @inline(__always)
    mutating func recover(_ header: RecordHeader, _ bytes: [UInt8], hash: UInt64) {
        switch header.kind {
        case .put: recoverPut(header, bytes, hash: hash)
        case .delete: recoverDelete(header, bytes)
        case .app:
            let id = AppID(trusted: header.id.text(bytes))
            tables.documents[id] = StoredApp(
                id: id, sequence: header.sequence, at: header.at,
                document: Array(bytes[header.body.state.range]))
        case .appDelete: tables.documents[AppID(trusted: header.id.text(bytes))] = nil
        case .tokens: recoverTokens(header, bytes)
        case .mark, .seal: break
        }
    }

    @inline(__always)
    private mutating func recoverPut(
        _ header: RecordHeader, _ bytes: [UInt8], hash: UInt64
    ) {
        var entry = SessionEntry()
        let session = header.session
        (entry.sequence, entry.born) = (header.sequence, header.links.born)
        (entry.revision, entry.expiresAt) = (session.revision, session.expiresAt)
        if session.expiresAt != SessionEntry.never { hasExpiring = true }
        entry.second = ExpiryQueue.seconds(header.at)
        entry.length = UInt32(header.line.range.count)
        if let range = session.app?.range {
            entry.app = tables.appNames.takeRecent(bytes, range) ?? takeApp(bytes, range)
        }
        if let range = session.labels?.range {
            entry.labels = tables.labelSets.takeRecent(bytes, range) ?? takeLabels(bytes, range)
        }
        let (handle, isNew) = tables.index.recover(
            bytes, header.id.range, hash: hash, entry: &entry)
        if !isNew {
            superseded.add(Int(entry.length), ofRecord: entry.sequence)
            tables.releaseNames(of: entry)
        }
        if header.namesUndoRuns {
            tables.undoRuns[handle] = header.undoRuns(bytes).all
        } else if !tables.undoRuns.isEmpty {
            tables.undoRuns[handle] = nil
        }
        if session.due != nil || !tables.deadlines.isEmpty {
            tables.deadlines.note(
                header.dueTimes(bytes), of: handle, at: ExpiryQueue.seconds(header.at), app: nil)
        }
        if header.key.text != nil, let key = header.keptKey(bytes) {
            tables.keepKey(
                key.key, idHash: hash,
                place: IdempotencyKeys.Place(
                    sequence: header.sequence, at: header.at, handle: handle),
                isCreation: session.revision == 1)
        }
    }

    private mutating func takeApp(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        let id = AppID(trusted: String(decoding: bytes[range], as: UTF8.self))
        return tables.appNames.take(id, encoded: bytes, range)
    }

    private mutating func takeLabels(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        tables.labelSets.take(RecordJSON.labels(bytes, range), encoded: bytes, range)
    }

    private mutating func recoverDelete(_ header: RecordHeader, _ bytes: [UInt8]) {
        if let handle = tables.index.find(bytes, header.id.range) {
            let entry = tables.index[handle]
            segments.supersede(entry)
            tables.releaseNames(of: entry)
            tables.undoRuns[handle] = nil
            tables.deadlines.remove(handle)
            _ = tables.keys.removeAll(of: handle)
            tables.index.removeUnsorted(handle)
        }
        segments.supersede(header.sequence, header.line.range.count)
        if let key = header.keptKey(bytes) {
            tables.keepKey(
                key.key, idHash: hasher.hash(bytes, header.id.range),
                place: IdempotencyKeys.Place(
                    sequence: header.sequence, at: header.at, handle: nil),
                isCreation: false)
        }
    }

    private mutating func recoverTokens(_ header: RecordHeader, _ bytes: [UInt8]) {
        let row = TokenTable.Row(
            sequence: header.sequence, length: header.line.range.count,
            tokens: header.sessionTokens(bytes))
        let old = tables.tokens.recover(
            Array(bytes[header.id.range]), born: header.links.born, row)
        if let old { segments.supersede(old.sequence, old.length) }
    }

    /// Builds what depends on all records: the order of the ids, the tokens' owners and the expiry
    /// queue.
    ///
    /// - Returns: the finished tables. The builder is empty afterwards.
    mutating func finish() -> StateTables {
        tables.index.sort()
        superseded.finish()
        tables.appNames.finishRecovery()
        tables.labelSets.finishRecovery()
        let index = tables.index
        tables.tokens.finishRecovery { id in
            index.find(id, 0..<id.count).map { ($0, index[$0].born) }
        }
        if hasExpiring {
            var expiring: [SessionHandle] = []
            index.forEach { handle in
                if index[handle].expiresAt != SessionEntry.never { expiring.append(handle) }
            }
            for handle in expiring { tables.enqueue(handle) }
        }
        // The arrays must have one owner, or the store's first change would copy them.
        let finished = tables
        tables = StateTables(seed: 0, keysMax: 0)
        return finished
    }
}
