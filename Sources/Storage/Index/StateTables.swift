internal import Navigation
internal import Sessions

/// The tables that recovery builds from the log: everything that the store keeps in memory about
/// its sessions and apps, except the cached records.
struct StateTables {
    var index: SessionIndex
    var expiry = ExpiryQueue()
    var keys: IdempotencyKeys
    /// The runs that the newest records name for undo and redo. Most sessions have no entry.
    var undoRuns: [SessionHandle: [UndoRun]] = [:]
    var tokens = TokenTable()
    var appNames = Interner<AppID>()
    var labelSets = Interner<[Label]>()
    var documents: [AppID: StoredApp] = [:]

    /// Creates empty tables.
    ///
    /// - Parameters:
    ///   - seed: a secret seed for the index's hash.
    ///   - keysMax: the maximum number of idempotency keys.
    init(seed: UInt64, keysMax: Int) {
        index = SessionIndex(seed: seed)
        keys = IdempotencyKeys(countMax: keysMax)
    }

    /// Adds the key of a put (with its session) or of a deletion (without).
    ///
    /// - Returns: the hashes under which it is stored.
    @discardableResult
    mutating func keepKey(
        _ key: String, id: [UInt8], place: IdempotencyKeys.Place, isCreation: Bool
    ) -> [UInt64] {
        let hash = keyHash(key, of: id)
        keys.keep(hash, sequence: place.sequence, at: place.at, of: place.handle)
        guard isCreation else { return [hash] }
        let shared = keyHash(key, of: [])
        keys.keep(shared, sequence: place.sequence, at: place.at, of: place.handle)
        return [hash, shared]
    }

    /// The hash of a key within its scope, which is the id of a session, or empty for creations.
    func keyHash(_ key: String, of id: [UInt8]) -> UInt64 {
        var bytes = id
        bytes.append(0)
        bytes.append(contentsOf: key.utf8)
        return index.hash(bytes, 0..<bytes.count)
    }

    /// Ensures that the session is queued for no later than the time at which it expires.
    mutating func enqueue(_ handle: SessionHandle) {
        let entry = index[handle]
        guard entry.expiresAt != SessionEntry.never else { return }
        let seconds = ExpiryQueue.seconds(entry.expiresAt)
        guard entry.queuedFor == 0 || seconds < entry.queuedFor else { return }
        index[handle].queuedFor = seconds
        expiry.push(ExpiryQueue.Item(seconds: seconds, handle: handle))
    }

    /// Releases the entry's shares of the interned values.
    mutating func releaseNames(of entry: SessionEntry) {
        appNames.release(entry.app)
        labelSets.release(entry.labels)
    }
}
