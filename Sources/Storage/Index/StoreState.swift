internal import Navigation
internal import POSIX
internal import Sessions

/// All that the store knows in memory besides the cache: what recovery builds out of the log.
struct StoreState {
    var index: SessionIndex
    var expiry = ExpiryQueue()
    var keys: IdempotencyKeys
    /// What the newest records name for undo and redo; most sessions have nothing here.
    var undoRuns: [SessionHandle: [UndoRun]] = [:]
    var tokens = TokenTable()
    var appNames = Interner<AppID>()
    var labelSets = Interner<[Label]>()
    var documents: [AppID: StoredApp] = [:]
    let catalogue: SegmentList
    private var superseded = SupersededBytes()
    /// A recovery has met a session that expires.
    private var hasExpiring = false

    /// Records that are kept beside the newest: what undo needs for 32 steps.
    static let historyMax: Int64 = 32

    init(seed: UInt64, keysMax: Int, catalogue: SegmentList = SegmentList()) {
        self.catalogue = catalogue
        index = SessionIndex(seed: seed)
        keys = IdempotencyKeys(countMax: keysMax)
    }

    /// Takes in a file whose records come next.
    mutating func begin(_ segment: Segment) {
        catalogue.append(segment)
        superseded.append(segment)
    }

    /// The index is told so far ahead what it will be asked for: memory is slower than it. First
    /// come the text, which lies with another processor, and the place in the table, which tells
    /// which entry, which tells where the name is that it is compared with.
    private static var placesAhead: Int { 24 }
    private static var entriesAhead: Int { 16 }
    private static var namesAhead: Int { 8 }

    /// Takes in some records of the log; they come in the order of their numbers. The names'
    /// order and the expiry queue are built at the end, by `finishRecovery`.
    mutating func recover(_ records: [ScanPipe.Record], _ bytes: [UInt8]) {
        for number in records.indices {
            if number + Self.placesAhead < records.count {
                let next = records[number + Self.placesAhead]
                Prefetch.element(next.brief.id.range.lowerBound, of: bytes)
                if let labels = next.brief.labels {
                    Prefetch.element(labels.range.lowerBound, of: bytes)
                }
                index.expectPlace(hash: next.hash)
                index.expectEntry(hash: records[number + Self.entriesAhead].hash)
                index.expectName(hash: records[number + Self.namesAhead].hash)
            }
            recover(records[number].brief, bytes, hash: records[number].hash)
        }
    }

    /// Takes in one of them.
    ///
    /// - Parameter hash: of the record's id.
    mutating func recover(_ brief: RecordHeader, _ bytes: [UInt8], hash: UInt64) {
        if brief.kind == .put { return recoverPut(brief, bytes, hash: hash) }
        guard let envelope = Envelope(bytes, brief.line.range) else { return }
        let length = brief.line.range.count
        switch envelope.kind {
        case .put, .mark, .seal: break
        case .delete: recoverDelete(envelope, bytes, length: length)
        case .app:
            let id = AppID(trusted: envelope.text(envelope.id, bytes))
            documents[id] = StoredApp(
                id: id, sequence: envelope.sequence, at: envelope.at,
                document: Array(bytes[envelope.state]))
        case .appDelete:
            documents[AppID(trusted: envelope.text(envelope.id, bytes))] = nil
        case .tokens: recoverTokens(envelope, bytes, length: length)
        }
    }

    private mutating func recoverPut(_ brief: RecordHeader, _ bytes: [UInt8], hash: UInt64) {
        var entry = SessionEntry()
        (entry.sequence, entry.born) = (brief.sequence, brief.born)
        (entry.revision, entry.expiresAt) = (brief.revision, brief.expiresAt)
        if brief.expiresAt != SessionEntry.never { hasExpiring = true }
        entry.length = UInt32(brief.line.range.count)
        if let range = brief.app?.range {
            entry.app = appNames.takeRecent(bytes, range) ?? takeApp(bytes, range)
        }
        if let range = brief.labels?.range {
            entry.labels = labelSets.takeRecent(bytes, range) ?? takeLabels(bytes, range)
        }
        let (handle, old) = index.recover(bytes, brief.id.range, hash: hash, entry)
        if old.sequence > 0 {
            superseded.add(Int(old.length), ofRecord: old.sequence)
            appNames.release(old.app)
            labelSets.release(old.labels)
        }
        if brief.hasUndoRuns, let envelope = Envelope(bytes, brief.line.range) {
            undoRuns[handle] = envelope.undoRuns(bytes).all
        } else if !undoRuns.isEmpty {
            undoRuns[handle] = nil
        }
        if let key = brief.key?.range {
            keepKey(
                EnvelopeText.unescaped(bytes, key), id: Array(bytes[brief.id.range]),
                sequence: brief.sequence, at: brief.at, handle: handle,
                isCreation: brief.revision == 1)
        }
    }

    private mutating func takeApp(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        let id = AppID(trusted: String(decoding: bytes[range], as: UTF8.self))
        return appNames.take(id, encoded: bytes, range)
    }

    private mutating func takeLabels(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        labelSets.take(EnvelopeText.labels(bytes, range), encoded: bytes, range)
    }

    private mutating func recoverDelete(_ envelope: Envelope, _ bytes: [UInt8], length: Int) {
        if let handle = index.find(bytes, envelope.id) {
            let entry = index[handle]
            catalogue.supersede(entry)
            appNames.release(entry.app)
            labelSets.release(entry.labels)
            undoRuns[handle] = nil
            _ = keys.removeAll(of: handle)
            index.removeUnsorted(handle)
        }
        catalogue.supersede(envelope.sequence, length)
        if let key = envelope.keptKey(bytes) {
            keepKey(
                key.key, id: Array(bytes[envelope.id]), sequence: envelope.sequence,
                at: envelope.at, handle: nil, isCreation: false)
        }
    }

    /// Keeps the key of a put (with its session) or of a deletion (without).
    mutating func keepKey(
        _ key: String, id: [UInt8], sequence: UInt64, at: Milliseconds, handle: SessionHandle?,
        isCreation: Bool
    ) {
        let hash = keyHash(key, of: id)
        keys.keep(hash, sequence: sequence, at: at, of: handle)
        if isCreation {
            keys.keep(keyHash(key, of: []), sequence: sequence, at: at, of: handle)
        }
    }

    /// A key's hash within its scope; an empty id stands for creations.
    func keyHash(_ key: String, of id: [UInt8]) -> UInt64 {
        var bytes = id
        bytes.append(0)
        bytes.append(contentsOf: key.utf8)
        return index.hash(bytes, 0..<bytes.count)
    }

    /// What is built once, at the end of a recovery.
    mutating func finishRecovery() {
        index.sort()
        superseded.finish()
        finishTokens()
        guard hasExpiring else { return }
        var expiring: [SessionHandle] = []
        index.forEach { handle in
            if index[handle].expiresAt != SessionEntry.never { expiring.append(handle) }
        }
        for handle in expiring { enqueue(handle) }
    }

    /// Sees to it that the session stands in the expiry queue no later than it expires.
    mutating func enqueue(_ handle: SessionHandle) {
        let entry = index[handle]
        guard entry.expiresAt != SessionEntry.never else { return }
        let seconds = ExpiryQueue.seconds(entry.expiresAt)
        guard entry.queuedFor == 0 || seconds < entry.queuedFor else { return }
        index[handle].queuedFor = seconds
        expiry.push(ExpiryQueue.Item(seconds: seconds, handle: handle))
    }
}
