internal import Navigation
internal import Sessions

/// Where the records of idempotency keys are: hash of scope and key → number of the record.
///
/// A session keeps its last 64, the store at most `countMax`, each for 24 hours. Two keys with
/// one hash (of 64 bits, seeded) would replace each other; the caller compares the key itself.
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

    private var places: [UInt64: Place] = [:]
    /// What was kept of each session, oldest first. An entry counts only while its place has the
    /// same number: the key may have been used again since, even by another session.
    private var ofSessions: [SessionHandle: [(hash: UInt64, sequence: UInt64)]] = [:]
    /// All by age; what was replaced or removed stays until its turn, or until there is more of it
    /// than of the others.
    private var queue: [Aged] = []
    private var queueStart = 0
    /// While the queue is swept: entries below have been looked at, those above not yet, and those
    /// within count no longer.
    private var gap: Range<Int>?
    private let countMax: Int

    static let keptFor: Milliseconds = 24 * 3600 * 1000
    static let perSession = 64

    init(countMax: Int) { self.countMax = countMax }

    var count: Int { places.count }
    /// Entries that take memory, also those that count no longer.
    var queueCount: Int { queue.count }

    func find(_ hash: UInt64, now: Milliseconds) -> Place? {
        guard let place = places[hash], now - place.at < Self.keptFor else { return nil }
        return place
    }

    func holds(_ hash: UInt64, sequence: UInt64) -> Bool { places[hash]?.sequence == sequence }

    /// - Parameter handle: the session it belongs to; nil for a deletion.
    mutating func keep(
        _ hash: UInt64, sequence: UInt64, at: Milliseconds, of handle: SessionHandle?
    ) {
        places[hash] = Place(sequence: sequence, at: at, handle: handle)
        enqueue(Aged(hash: hash, sequence: sequence, at: at))
        if let handle {
            ofSessions[handle, default: []].append((hash, sequence))
            if let count = ofSessions[handle]?.count, count > Self.perSession + 1,
                let oldest = ofSessions[handle]?.removeFirst(),
                holds(oldest.hash, sequence: oldest.sequence)
            {
                places[oldest.hash] = nil
            }
        }
        while places.count > countMax, dropOldest() {}
    }

    /// Adds to the end. Once more than half of the entries count no longer they are swept out, a
    /// few at each call, so that no call takes long.
    private mutating func enqueue(_ aged: Aged) {
        if gap == nil, queue.count >= Self.slack + 2 * places.count {
            gap = 0..<queueStart
            queueStart = 0
        }
        sweep(Self.sweepStep)
        queue.append(aged)
    }

    /// Entries that may count no longer however few keys there are.
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

    /// Forgets what is older than 24 hours, a bounded number a call.
    mutating func drop(now: Milliseconds, limit: Int = 1000) {
        var left = limit
        while left > 0, let oldest = oldest(), now - oldest.at >= Self.keptFor {
            _ = dropOldest()
            left -= 1
        }
    }

    /// Forgets a session's keys; what they were, so that it can be taken back.
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
        // Their entries may have been dropped meanwhile. Where they were not, the second is
        // harmless.
        for (hash, place) in removed {
            enqueue(Aged(hash: hash, sequence: place.sequence, at: place.at))
        }
        ofSessions[handle] = removed.map { (hash: $0.key, sequence: $0.value.sequence) }
            .sorted { $0.sequence < $1.sequence }
    }

    /// Takes back the last `keep` of these hashes.
    mutating func remove(_ hashes: [UInt64], of handle: SessionHandle?) {
        for hash in hashes {
            places[hash] = nil
            if let handle, let last = ofSessions[handle]?.lastIndex(where: { $0.hash == hash }) {
                ofSessions[handle]?.remove(at: last)
            }
        }
    }
}
