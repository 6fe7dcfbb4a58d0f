internal import Navigation
internal import Sessions

/// The records of idempotency keys: hash of scope and key → number of the record.
///
/// A session keeps its last 64 keys, and one more in case the newest is rolled back. The store
/// keeps at most `countMax` keys, each for 24 hours. Of two keys with the same hash (64 bits,
/// seeded), the later one replaces the other; the caller compares the keys themselves.
struct IdempotencyKeys {
    struct Place: Equatable {
        var sequence: UInt64
        var at: Milliseconds
        var handle: SessionHandle?
    }

    private struct Aged {
        var hash: UInt64
        var sequence: UInt64
        var at: Milliseconds
    }

    private typealias OfSession = (hash: UInt64, sequence: UInt64)

    private var places: [UInt64: Place] = [:]
    /// The keys of each session, oldest first. An entry is valid only while its place has the same
    /// number: the key may have been used again since, even by another session.
    private var ofSessions: [SessionHandle: [OfSession]] = [:]
    /// All keys by age. Entries of keys that were replaced or removed stay until they are the
    /// oldest, or until they outnumber the others.
    private var queue: [Aged] = []
    private var queueStart = 0
    /// While the queue is swept: entries below the gap have been checked, those above it have not,
    /// and those within it are obsolete.
    private var gap: Range<Int>?
    private let countMax: Int

    static let keptFor: Milliseconds = 24 * 3600 * 1000
    static let perSession = 64

    init(countMax: Int) { self.countMax = countMax }

    var count: Int { places.count }
    /// The number of entries that take memory, including obsolete ones.
    var queueCount: Int { queue.count }

    func find(_ hash: UInt64, now: Milliseconds) -> Place? {
        guard let place = places[hash], now - place.at < Self.keptFor else { return nil }
        return place
    }

    func holds(_ hash: UInt64, sequence: UInt64) -> Bool { places[hash]?.sequence == sequence }

    /// - Parameter handle: the session of the key, or nil for a deletion.
    mutating func keep(
        _ hash: UInt64, sequence: UInt64, at: Milliseconds, of handle: SessionHandle?
    ) {
        places[hash] = Place(sequence: sequence, at: at, handle: handle)
        enqueue(Aged(hash: hash, sequence: sequence, at: at))
        if let handle {
            let oldest = Self.add((hash, sequence), to: &ofSessions[handle, default: []])
            if let oldest, holds(oldest.hash, sequence: oldest.sequence) {
                places[oldest.hash] = nil
            }
        }
        while places.count > countMax, dropOldest() {}
    }

    /// Adds a key of a session, and removes the oldest one if there are too many.
    private static func add(_ key: OfSession, to keys: inout [OfSession]) -> OfSession? {
        keys.append(key)
        return keys.count > perSession + 1 ? keys.removeFirst() : nil
    }

    /// Adds an entry at the end. Once more than half of the entries are obsolete, they are swept
    /// out, a few with each call, so that no call takes long.
    private mutating func enqueue(_ aged: Aged) {
        if gap == nil, queue.count >= Self.slack + 2 * places.count {
            gap = 0..<queueStart
            queueStart = 0
        }
        sweep(Self.sweepStep)
        queue.append(aged)
    }

    /// The number of entries that may be obsolete even if there are few keys.
    static let slack = 1024
    private static let sweepStep = 4

    private mutating func sweep(_ steps: Int) {
        guard var gap else { return }
        for _ in 0..<steps where gap.upperBound < queue.count {
            let aged = queue[gap.upperBound]
            let isKept = places[aged.hash]?.sequence == aged.sequence
            if isKept { queue[gap.lowerBound] = aged }
            gap = gap.lowerBound + (isKept ? 1 : 0)..<gap.upperBound + 1
        }
        self.gap = gap
        if gap.upperBound == queue.count {
            queue.removeLast(gap.count)
            self.gap = nil
        }
    }

    private mutating func oldest() -> Aged? {
        if let gap, queueStart == gap.lowerBound {
            queueStart = gap.upperBound
            self.gap = nil
        }
        return queueStart < queue.count ? queue[queueStart] : nil
    }

    private mutating func dropOldest() -> Bool {
        guard let oldest = oldest() else { return false }
        queueStart += 1
        if places[oldest.hash]?.sequence == oldest.sequence { places[oldest.hash] = nil }
        if gap == nil, queueStart > Self.slack, queueStart * 2 > queue.count {
            queue.removeFirst(queueStart)
            queueStart = 0
        }
        return true
    }

    /// Removes keys older than 24 hours, a bounded number with each call.
    mutating func drop(now: Milliseconds, limit: Int = 1000) {
        var left = limit
        while left > 0, let oldest = oldest(), now - oldest.at >= Self.keptFor {
            _ = dropOldest()
            left -= 1
        }
    }

    /// Removes a session's keys and returns them, so that the removal can be rolled back.
    mutating func removeAll(of handle: SessionHandle) -> [UInt64: Place] {
        guard !ofSessions.isEmpty, let kept = ofSessions.removeValue(forKey: handle) else {
            return [:]
        }
        var removed: [UInt64: Place] = [:]
        for (hash, sequence) in kept where holds(hash, sequence: sequence) {
            removed[hash] = places.removeValue(forKey: hash)
        }
        return removed
    }

    mutating func restore(_ removed: [UInt64: Place], of handle: SessionHandle) {
        guard !removed.isEmpty else { return }
        places.merge(removed) { $1 }
        // Their entries may have been dropped meanwhile. If they were not, a second one is
        // harmless.
        for (hash, place) in removed {
            enqueue(Aged(hash: hash, sequence: place.sequence, at: place.at))
        }
        ofSessions[handle] = removed.map { (hash: $0.key, sequence: $0.value.sequence) }
            .sorted { $0.sequence < $1.sequence }
    }

    /// Rolls back the last `keep` of each of these hashes.
    mutating func remove(_ hashes: [UInt64], of handle: SessionHandle?) {
        for hash in hashes {
            places[hash] = nil
            if let handle, let last = ofSessions[handle]?.lastIndex(where: { $0.hash == hash }) {
                ofSessions[handle]?.remove(at: last)
            }
        }
    }
}
