internal import Navigation
internal import Sessions

// A backup of the shared store has, in this order:
//
//     ends       of sessions that were deleted with an idempotency key within the last day
//     sessions   by id: all records that the stream has, and the tokens
//     apps       as the last thing, so that each session is reconciled with its app before its next
//                change; that changes nothing in a session that fits
//
// Each session is read once, while the store is changed. A session that ends meanwhile is left out,
// and so is one that begins with an id before those that are being read.

/// A backup that is being made, piece by piece.
struct SharedBackup {
    /// What to do next.
    enum Step {
        /// The next piece. It is empty at the end of the backup.
        case piece([UInt8])
        /// Load this, pass it to `take`, and ask again.
        case load([LoadRequest])
    }

    /// Why a backup cannot be made.
    enum Failure: Error, Equatable, CustomStringConvertible {
        /// A record or the tokens of a session are damaged.
        case damaged(SessionID)
        /// The servers did not answer in time.
        case unanswered(SessionID)

        var description: String {
            switch self {
            case .damaged(let id): "a message of the session \(id) is damaged"
            case .unanswered(let id): "the servers did not answer when asked for the session \(id)"
            }
        }
    }

    private enum Phase { case ends, sessions, apps, closing, done }

    private var phase = Phase.ends
    private var writer: any BackupWriter
    private let at: Milliseconds
    /// Items that wait to be written.
    private var items: [BackupItem] = []
    private var nextItem = 0
    /// The sessions that are being loaded.
    private var batch: [SessionID] = []
    /// The last session that was loaded, or is being loaded.
    private var last: SessionID?

    /// The size at which a piece is complete.
    private static let pieceBytes = 256 << 10
    /// The most bytes that are loaded at a time, unless one session has more.
    private static let batchBytes = 4 << 20
    private static let batchCount = 64

    init(_ writer: any BackupWriter, at: Milliseconds) {
        self.writer = writer
        self.at = at
    }

    /// Continues the backup.
    ///
    /// - Parameter isAlive: whether the replica is current for a shard.
    mutating func next(_ replica: Replica, isAlive: (Int) -> Bool) -> Step {
        while phase != .done, writer.count < Self.pieceBytes {
            if nextItem < items.count {
                writer.append(items[nextItem])
                nextItem += 1
                continue
            }
            (items, nextItem) = ([], 0)
            switch phase {
            case .ends:
                items = ends(replica)
                phase = .sessions
            case .sessions:
                let handles = nextBatch(replica.table)
                batch = handles.map { replica.table[$0].id }
                guard batch.isEmpty else { return .load(requests(for: handles, replica, isAlive)) }
                phase = .apps
            case .apps:
                items = replica.apps.all.map { app in
                    .app(BackupApp(id: app.id, at: app.at, document: app.document))
                }
                phase = .closing
            case .closing:
                writer.finish()
                phase = .done
            case .done: break
            }
        }
        return .piece(writer.take())
    }

    private func ends(_ replica: Replica) -> [BackupItem] {
        replica.table.keyedEnds(after: at - ReplicaReader.keysKeptFor).map { .end($0) }
    }

    // MARK: Sessions

    /// The sessions to load next; none at the end.
    private mutating func nextBatch(_ table: SessionTable) -> [SessionHandle] {
        while true {
            let page = table.walk(
                after: last, filter: SessionFilter(), limit: Self.batchCount, now: at)
            guard page.handles.isEmpty else { return firsts(of: page, table) }
            guard let next = page.next else { return [] }
            last = next
        }
    }

    private mutating func firsts(of page: SessionPage, _ table: SessionTable) -> [SessionHandle] {
        var (handles, bytes) = ([SessionHandle](), 0)
        for handle in page.handles {
            let entry = table[handle]
            bytes += entry.bytes * min(entry.revision, SessionCell.recordsMax)
            if !handles.isEmpty, bytes > Self.batchBytes { break }
            handles.append(handle)
            last = entry.id
        }
        return handles
    }

    /// The tokens are in memory. They are current if the feed is.
    private func requests(
        for handles: [SessionHandle], _ replica: Replica, _ isAlive: (Int) -> Bool
    ) -> [LoadRequest] {
        handles.flatMap { handle -> [LoadRequest] in
            let entry = replica.table[handle]
            let history = LoadRequest.history(entry.id)
            return isAlive(entry.shard) ? [history] : [history, .tokens(entry.id)]
        }
    }

    /// Takes what was loaded.
    mutating func take(_ loaded: LoadedItems, _ replica: Replica) throws(Failure) {
        for id in batch {
            guard case .history(let history)? = loaded.items[.history(id)] else {
                throw failure(of: loaded.items[.history(id)], id)
            }
            guard let newest = history.records.last, let revision = newest.revision,
                revision.expiresAt ?? .max > at
            else { continue }
            let born = newest.record.born
            items += history.earlierEnds.compactMap { keyedEnd($0, replica) }
            for record in history.records {
                guard let revision = record.revision else { continue }
                items.append(.revision(revision, birth: born))
            }
            let tokens = try tokens(of: id, born: born, loaded, replica)
            if !tokens.isEmpty {
                items.append(
                    .tokens(BackupTokens(id: id, birth: born, at: at, tokens: tokens)))
            }
        }
        batch = []
    }

    /// The end of a session that had the id before, if its request may still be repeated.
    private func keyedEnd(_ record: NumberedRecord, _ replica: Replica) -> BackupItem? {
        guard case .end(let tombstone) = record.record.content, tombstone.key != nil,
            tombstone.at > at - ReplicaReader.keysKeptFor
        else { return nil }
        let shard = replica.layout.shard(of: tombstone.id)
        return .end(Deletion(tombstone, at: StreamPlace(shard: shard, number: record.number)))
    }

    private func tokens(
        of id: SessionID, born: UInt64, _ loaded: LoadedItems, _ replica: Replica
    ) throws(Failure) -> [SessionToken] {
        guard let item = loaded.items[.tokens(id)] else {
            return replica.tokens(of: id, born: born)
        }
        guard case .tokens(let list, _) = item else { throw failure(of: item, id) }
        return list?.born == born ? list?.tokens ?? [] : []
    }

    private func failure(of item: LoadedItem?, _ id: SessionID) -> Failure {
        if case .damaged? = item { .damaged(id) } else { .unanswered(id) }
    }
}
