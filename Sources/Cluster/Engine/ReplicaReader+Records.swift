internal import Bytes
internal import Navigation
internal import Sessions

// Records of sessions, from the cache and from what was loaded for a request.
extension ReplicaReader {
    /// The session's newest record.
    func newest(_ handle: SessionHandle) throws(StoreError) -> StoredRecord {
        guard replica.damage[.session(replica.table[handle].id)] == nil else { throw .damaged }
        guard let cell = cell(of: handle) else { throw missing(.newest(replica.table[handle].id)) }
        return cell.newest
    }

    /// An older revision. Nil if the stream does not have it any more.
    func revision(
        _ revision: Int, of handle: SessionHandle
    ) throws(StoreError) -> StoredRecord? {
        guard (1...replica.table[handle].revision).contains(revision) else { return nil }
        return try read(handle) { $0.revision(revision) }
    }

    /// The revision before a record that the feed has delivered, if it is in memory.
    func before(_ stored: StoredRecord) -> StoredRecord? { replica.before(stored) }

    /// Appends the JSON text of the newest state.
    func appendState(
        _ handle: SessionHandle, to bytes: inout [UInt8]
    ) throws(StoreError) -> StoredVersion {
        let newest = try newest(handle)
        bytes += newest.record.state
        return newest.version
    }

    /// The session's records after a number, newest first.
    func changes(
        of handle: SessionHandle, after: SequenceNumber, bytesLeft: inout Int
    ) throws(StoreError) -> [StoredRecord]? {
        if replica.table[handle].place.sequence <= after { return [] }
        guard let found = try read(handle, { $0.changes(after: after) }) else { return nil }
        for stored in found {
            bytesLeft -= stored.record.event.count + stored.record.state.count
            guard bytesLeft >= 0 else { return nil }
        }
        return found
    }

    // MARK: Cells

    /// The newest records of a session, from the cache or from what was loaded.
    private func cell(of handle: SessionHandle) -> SessionCell? {
        let entry = replica.table[handle]
        if let cell = replica.cell(of: entry.id) { return cell }
        if let whole = whole(of: handle) { return whole }
        guard case .newest(let record?)? = loaded?.items[.newest(entry.id)],
            record.number == entry.number
        else { return nil }
        return record.stored(in: entry.shard).map { SessionCell($0, isFirst: record.isFirst) }
    }

    /// All records of a session, if they were loaded.
    private func whole(of handle: SessionHandle) -> SessionCell? {
        history(of: replica.table[handle].id).flatMap { replica.cell(of: handle, from: $0) }
    }

    /// The items that were loaded of all messages of a session.
    private func history(of id: SessionID) -> SessionHistory? {
        guard case .history(let history)? = loaded?.items[.history(id)] else { return nil }
        return history
    }

    /// Reads from a cell, which must reach back far enough.
    private func read<Value>(
        _ handle: SessionHandle, _ body: (SessionCell) -> SessionCell.Reading<Value>
    ) throws(StoreError) -> Value? {
        switch reading(of: handle, body) {
        case .found(let value): return value
        case .gone: return nil
        case .notHere: throw missing(.history(replica.table[handle].id))
        }
    }

    /// The reading of the cell of a session, or else of all of its records.
    private func reading<Value>(
        of handle: SessionHandle, _ body: (SessionCell) -> SessionCell.Reading<Value>
    ) -> SessionCell.Reading<Value> {
        let first = cell(of: handle).map(body) ?? .notHere
        guard case .notHere = first else { return first }
        return whole(of: handle).map(body) ?? .notHere
    }

    /// Why something could not be read.
    private func missing(_ question: Question) -> StoreError {
        switch loaded?.items[question] {
        case .damaged: return .damaged
        case .unanswered: return .unavailable
        case .newest, .history, .tokens, nil: return .notInMemory([question.request])
        }
    }

    // MARK: Idempotency keys

    /// The result of the request with an idempotency key, for 24 hours and as long as the stream
    /// has its record. The keys of deletions outlast their sessions.
    func result(
        forKey key: String, in scope: IdempotencyScope, now: Milliseconds
    ) throws(StoreError) -> IdempotentResult? {
        switch scope {
        case .session(let id): return try result(ofKey: key, in: id, now: now)
        case .creations:
            for day in Self.days(around: now) {
                let id = facts.creationID(forKey: key, day: day)
                let original = replica.table.ending(id)?.standsFor ?? id
                if case .change(let stored)? = try result(ofKey: key, in: original, now: now),
                    stored.record.revision == 1
                {
                    return .change(stored)
                }
            }
            return nil
        }
    }

    private func result(
        ofKey key: String, in id: SessionID, now: Milliseconds
    ) throws(StoreError) -> IdempotentResult? {
        let result =
            if let handle = try find(id, now: now) {
                try result(ofKey: key, in: handle)
            } else {
                try deletion(ofKey: key, id)
            }
        return result.flatMap { now - $0.at < Self.keysKeptFor ? $0 : nil }
    }

    /// How long idempotency keys are known.
    static let keysKeptFor: Milliseconds = 24 * 3_600_000

    /// The days on which a creation of the last 24 hours may have been made. A minute before
    /// midnight, the clock of another node may have come to the next day.
    private static func days(around now: Milliseconds) -> [Int] {
        let day: Milliseconds = 86_400_000
        let (last, today) = (Int((now + 60_000) / day), Int(now / day))
        return Array((today - 1...last).reversed())
    }

    /// The same id for the same key, for a day.
    func creationID(forKey key: String, now: Milliseconds) -> SessionID? {
        facts.creationID(forKey: key, day: Int(now / 86_400_000))
    }

    /// The result of the request to a live session with an idempotency key, or of the deletion of a
    /// session that had the id before.
    private func result(
        ofKey key: String, in handle: SessionHandle
    ) throws(StoreError) -> IdempotentResult? {
        switch reading(of: handle, { $0.record(ofKey: key) }) {
        case .found(let stored): return .change(stored)
        case .gone: return nil
        case .notHere: break
        }
        let entry = replica.table[handle]
        guard whole(of: handle) != nil, let history = history(of: entry.id) else {
            throw missing(.history(entry.id))
        }
        return history.result(ofKey: key, in: entry.shard)
    }

    /// The deletion, with an idempotency key, of a session of an id that belongs to no session now.
    private func deletion(ofKey key: String, _ id: SessionID) throws(StoreError)
        -> IdempotentResult?
    {
        if let deletion = replica.table.ending(id)?.deletion, deletion.key?.key == key {
            return .deletion(deletion)
        }
        guard replica.table.lastNumber(id) > 0 else { return nil }
        // The next change of that id follows the last known message. If the leader that was asked
        // does not know that one yet, the change is refused, and the key is looked for again.
        guard let history = history(of: id) else { throw missing(.history(id)) }
        let result = history.result(ofKey: key, in: replica.layout.shard(of: id))
        // The keys of changes end with their session, also if it has expired.
        guard case .deletion = result else { return nil }
        return result
    }
}
