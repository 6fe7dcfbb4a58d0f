internal import Navigation

/// All that the store knows in memory besides the cache: what recovery builds out of the log.
struct Contents {
    var index: SessionIndex
    var expiry = ExpiryQueue()
    var keys: KeptKeys
    /// Sessions whose undo reaches other records than the last 32.
    var reaches: [SessionHandle: ReachSet] = [:]
    var tokens = TokenTable()
    var appNames = Interner<AppID>()
    var labelSets = Interner<[Label]>()
    var documents: [AppID: StoredApp] = [:]
    let catalogue: Catalogue

    /// Where undo and redo can go from a session's newest record.
    struct ReachSet: Equatable {
        /// The newest record's.
        var cursor: Int64
        var items: [Reach]
    }

    /// Records that are kept beside the newest: what undo needs for 32 steps.
    static let historyMax: Int64 = 32

    init(seed: UInt64, keysMax: Int, catalogue: Catalogue = Catalogue()) {
        self.catalogue = catalogue
        index = SessionIndex(seed: seed)
        keys = KeptKeys(countMax: keysMax)
    }

    /// Takes in a record of the log; they come in the order of their numbers. The names' order
    /// and the expiry queue are built at the end, by `finishRecovery`.
    ///
    /// - Parameter hash: of the record's id.
    mutating func recover(_ envelope: Envelope, _ bytes: [UInt8], length: Int, hash: UInt64) {
        switch envelope.kind {
        case .put: recoverPut(envelope, bytes, length: length, hash: hash)
        case .delete: recoverDelete(envelope, bytes, length: length)
        case .app:
            let id = AppID(trusted: envelope.text(envelope.id, bytes))
            documents[id] = StoredApp(
                id: id, sequence: envelope.sequence, at: envelope.at,
                document: Array(bytes[envelope.state]))
        case .appDelete:
            documents[AppID(trusted: envelope.text(envelope.id, bytes))] = nil
        case .tokens: recoverTokens(envelope, bytes, length: length)
        case .mark, .seal: break
        }
    }

    private mutating func recoverPut(
        _ envelope: Envelope, _ bytes: [UInt8], length: Int, hash: UInt64
    ) {
        var entry = SessionEntry()
        if let range = envelope.app {
            entry.app = appNames.take(encoded: bytes, range) {
                AppID(trusted: envelope.text(range, bytes))
            }
        }
        if let range = envelope.labels {
            entry.labels = labelSets.take(encoded: bytes, range) {
                EnvelopeText.labels(bytes, range)
            }
        }
        entry.sequence = envelope.sequence
        entry.born = envelope.born
        entry.revision = envelope.revision
        entry.expiresAt = envelope.expiresAt ?? SessionEntry.never
        entry.length = UInt32(length)
        let (handle, old) = index.recover(bytes, envelope.id, hash: hash, entry)
        if old.sequence > 0 { catalogue.supersede(old) }
        appNames.release(old.app)
        labelSets.release(old.labels)
        if envelope.reach != nil {
            reaches[handle] = ReachSet(cursor: envelope.cursor, items: envelope.reached(bytes))
        } else if !reaches.isEmpty {
            reaches[handle] = nil
        }
        if envelope.key != nil { keepKey(envelope, bytes, handle) }
    }

    private mutating func recoverDelete(_ envelope: Envelope, _ bytes: [UInt8], length: Int) {
        if let handle = index.find(bytes, envelope.id) {
            let entry = index[handle]
            catalogue.supersede(entry)
            appNames.release(entry.app)
            labelSets.release(entry.labels)
            reaches[handle] = nil
            _ = keys.removeAll(of: handle)
            index.removeUnsorted(handle)
        }
        catalogue.supersede(envelope.sequence, length)
        if envelope.key != nil { keepKey(envelope, bytes, nil) }
    }

    /// Keeps the key of a put (with its session) or of a deletion (without).
    mutating func keepKey(_ envelope: Envelope, _ bytes: [UInt8], _ handle: SessionHandle?) {
        guard let key = envelope.keptKey(bytes) else { return }
        let id = Array(bytes[envelope.id])
        keepKey(
            key.key, id: id, sequence: envelope.sequence, at: envelope.at, handle: handle,
            isCreation: envelope.kind == .put && envelope.revision == 1)
    }

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
        finishTokens()
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
