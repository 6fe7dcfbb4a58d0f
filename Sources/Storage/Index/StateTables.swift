internal import Bytes
internal import Navigation
internal import Sessions

/// The tables that recovery builds from the log: everything that the store keeps in memory about
/// its sessions and apps, except the cached records.
struct StateTables {
    var index: SessionIndex
    var expiry = ExpiryQueue()
    var deadlines = Deadlines()
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
    /// - Parameter idHash: the hash of the session's id.
    /// - Returns: the hashes under which it is stored.
    @discardableResult
    mutating func keepKey(
        _ key: String, idHash: UInt64, place: IdempotencyKeys.Place, isCreation: Bool
    ) -> [UInt64] {
        let hash = Self.keyHash(key, idHash: idHash, index.hasher)
        keys.keep(hash, sequence: place.sequence, at: place.at, of: place.handle)
        guard isCreation else { return [hash] }
        let shared = Self.keyHash(key, idHash: 0, index.hasher)
        keys.keep(shared, sequence: place.sequence, at: place.at, of: place.handle)
        return [hash, shared]
    }

    /// The hash of a key within its scope.
    ///
    /// - Parameter idHash: the hash of the session's id; 0 for creations.
    static func keyHash(_ key: String, idHash: UInt64, _ hasher: SeededHash) -> UInt64 {
        // Some clients use the id as the key. The factor makes their hashes different, too.
        hasher.hash(key) &+ idHash &* 0x9E37_79B9_7F4A_7C15
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

// MARK: - Lists

extension StateTables {
    /// The next page of the sessions in the byte order of their ids. A page may be shorter than
    /// `limit`, or empty, even if others follow.
    func page(
        after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds
    ) -> SessionPage {
        var page = SessionPage(handles: [], next: nil)
        let (prefix, cursor) = (Array(filter.prefix.utf8), Array((after?.rawValue ?? "").utf8))
        let isAfterPrefix = !cursor.isEmpty && !cursor.lexicographicallyPrecedes(prefix)
        var (examined, previous) = (0, SessionHandle?.none)
        let latest = filter.latestSecond(now: now) ?? .max
        var matcher = FilterMatcher(filter)
        index.walk(
            from: isAfterPrefix ? cursor : prefix, exclusive: isAfterPrefix
        ) { handle in
            guard index.name(handle).starts(with: prefix) else { return false }
            if examined == SessionPage.examinedMax || page.handles.count == limit
                || matcher.comparisons >= FilterMatcher.comparisonsMax
            {
                page.next = previous.map { index.id($0) }
                return false
            }
            examined += 1
            previous = handle
            let entry = index[handle]
            if entry.expiresAt > now, entry.second <= latest, matcher.matches(entry, in: self) {
                page.handles.append(handle)
            }
            return true
        }
        return page
    }
}

/// A filter whose result for the last app and set of labels is remembered. Sessions share both, and
/// neighbours usually have the same ones.
struct FilterMatcher {
    /// The maximum number of labels compared so far.
    private(set) var comparisons = 0
    private let filter: SessionFilter
    private var last: (app: UInt32, labels: UInt32, matches: Bool)?

    /// The maximum number of labels that one page compares, which takes about two milliseconds.
    static let comparisonsMax = 50_000

    init(_ filter: SessionFilter) { self.filter = filter }

    /// Whether a session is selected, whose id begins with the prefix.
    mutating func matches(_ entry: SessionEntry, in tables: StateTables) -> Bool {
        if let last, last.app == entry.app, last.labels == entry.labels { return last.matches }
        let labels = tables.labelSets[entry.labels] ?? []
        comparisons += filter.labels.count * labels.count
        let matches = filter.matches(app: tables.appNames[entry.app], labels: labels)
        last = (entry.app, entry.labels, matches)
        return matches
    }
}
