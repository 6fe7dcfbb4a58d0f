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

    /// Live sessions so far.
    var sessionCount: Int { tables.index.count }

    /// The hash of session ids.
    var hasher: SeededHash { tables.index.hasher }

    /// Reserves memory for a number of sessions in all.
    mutating func reserve(sessions: Int) { tables.index.reserve(sessions: sessions) }

    /// Adds a file, whose records come next.
    mutating func begin(_ segment: Segment) {
        segments.append(segment)
        superseded.append(segment)
    }

    /// Prefetch distances, in records. Index look-ups are dominated by memory latency. The text,
    /// which is in another processor's cache, and the slot of the hash table are fetched first;
    /// the slot gives the entry, and the entry gives the name to compare with.
    private static var placesAhead: Int { 24 }
    private static var entriesAhead: Int { 16 }
    private static var namesAhead: Int { 8 }

    /// Adds some records of the log.
    mutating func recover(_ records: [ScanPipe.Record], _ bytes: [UInt8]) {
        for number in records.indices {
            if number + Self.placesAhead < records.count {
                let next = records[number + Self.placesAhead]
                Prefetch.element(next.header.id.range.lowerBound, of: bytes)
                if let labels = next.header.labels {
                    Prefetch.element(labels.range.lowerBound, of: bytes)
                }
                tables.index.expectPlace(hash: next.hash)
                tables.index.expectEntry(hash: records[number + Self.entriesAhead].hash)
                tables.index.expectName(hash: records[number + Self.namesAhead].hash)
            }
            recover(records[number].header, bytes, hash: records[number].hash)
        }
    }

    /// Adds a record.
    ///
    /// - Parameter hash: the hash of the record's id.
    mutating func recover(_ header: RecordHeader, _ bytes: [UInt8], hash: UInt64) {
        if header.kind == .put { return recoverPut(header, bytes, hash: hash) }
        guard let envelope = Envelope(bytes, header.line.range) else { return }
        let length = header.line.range.count
        switch envelope.kind {
        case .put, .mark, .seal: break
        case .delete: recoverDelete(envelope, bytes, length: length)
        case .app:
            let id = AppID(trusted: envelope.text(envelope.id, bytes))
            tables.documents[id] = StoredApp(
                id: id, sequence: envelope.sequence, at: envelope.at,
                document: Array(bytes[envelope.state]))
        case .appDelete:
            tables.documents[AppID(trusted: envelope.text(envelope.id, bytes))] = nil
        case .tokens: recoverTokens(envelope, bytes, length: length)
        }
    }

    private mutating func recoverPut(_ header: RecordHeader, _ bytes: [UInt8], hash: UInt64) {
        var entry = SessionEntry()
        (entry.sequence, entry.born) = (header.sequence, header.born)
        (entry.revision, entry.expiresAt) = (header.revision, header.expiresAt)
        if header.expiresAt != SessionEntry.never { hasExpiring = true }
        entry.length = UInt32(header.line.range.count)
        if let range = header.app?.range {
            entry.app = tables.appNames.takeRecent(bytes, range) ?? takeApp(bytes, range)
        }
        if let range = header.labels?.range {
            entry.labels = tables.labelSets.takeRecent(bytes, range) ?? takeLabels(bytes, range)
        }
        let (handle, old) = tables.index.recover(bytes, header.id.range, hash: hash, entry)
        if old.sequence > 0 {
            superseded.add(Int(old.length), ofRecord: old.sequence)
            tables.releaseNames(of: old)
        }
        if header.hasUndoRuns, let envelope = Envelope(bytes, header.line.range) {
            tables.undoRuns[handle] = envelope.undoRuns(bytes).all
        } else if !tables.undoRuns.isEmpty {
            tables.undoRuns[handle] = nil
        }
        if let key = header.key?.range {
            tables.keepKey(
                EnvelopeText.unescaped(bytes, key), id: Array(bytes[header.id.range]),
                place: IdempotencyKeys.Place(
                    sequence: header.sequence, at: header.at, handle: handle),
                isCreation: header.revision == 1)
        }
    }

    private mutating func takeApp(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        let id = AppID(trusted: String(decoding: bytes[range], as: UTF8.self))
        return tables.appNames.take(id, encoded: bytes, range)
    }

    private mutating func takeLabels(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        tables.labelSets.take(EnvelopeText.labels(bytes, range), encoded: bytes, range)
    }

    private mutating func recoverDelete(_ envelope: Envelope, _ bytes: [UInt8], length: Int) {
        if let handle = tables.index.find(bytes, envelope.id) {
            let entry = tables.index[handle]
            segments.supersede(entry)
            tables.releaseNames(of: entry)
            tables.undoRuns[handle] = nil
            _ = tables.keys.removeAll(of: handle)
            tables.index.removeUnsorted(handle)
        }
        segments.supersede(envelope.sequence, length)
        if let key = envelope.keptKey(bytes) {
            tables.keepKey(
                key.key, id: Array(bytes[envelope.id]),
                place: IdempotencyKeys.Place(
                    sequence: envelope.sequence, at: envelope.at, handle: nil),
                isCreation: false)
        }
    }

    private mutating func recoverTokens(
        _ envelope: Envelope, _ bytes: [UInt8], length: Int
    ) {
        let row = TokenTable.Row(
            sequence: envelope.sequence, length: length, tokens: envelope.sessionTokens(bytes))
        let old = tables.tokens.recover(Array(bytes[envelope.id]), born: envelope.born, row)
        if let old { segments.supersede(old.sequence, old.length) }
    }

    /// Builds what depends on all records: the order of the ids, the tokens' owners and the expiry
    /// queue.
    ///
    /// - Returns: the finished tables. The builder is empty afterwards.
    mutating func finish() -> StateTables {
        tables.index.sort()
        superseded.finish()
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
