internal import NATS
internal import Navigation
internal import Sessions

// A backup of the shared store has, in this order:
//
//     shards   one after the other, each in the order of its stream up to the end that the stream
//              had when its turn came: all records of sessions, and the ends of sessions whose
//              requests may be repeated; then the last lists of tokens
//     apps     as the last thing, so that each session is reconciled with its app before its next
//              change; that changes nothing in a session that fits
//
// Sessions that have ended or expired are left out, as far as the node knows. If one ends while its
// shard is read, its end follows its records. A message that is damaged or foreign
// is left out and counted.

/// A backup that is being made, piece by piece.
struct SharedBackup {
    /// The next step of a backup.
    enum Step {
        /// The next piece. It is empty at the end of the backup.
        case piece([UInt8])
        /// Ask for the next portion, pass it to `take`, and ask again.
        case read(StreamReading)
    }

    private enum Phase {
        case shard(Int)
        /// The ends and tokens of the shard are written.
        case endOfShard(Int)
        case apps, closing, done
    }

    private var phase = Phase.shard(0)
    private var writer: any BackupWriter
    private let at: Milliseconds
    /// Items that wait to be written.
    private var items: [BackupItem] = []
    private var nextItem = 0
    private var reading: StreamReading
    /// The newest records of the shard's sessions that are in the backup.
    private var newest: [SessionID: (birth: UInt64, number: Int)] = [:]
    /// The last lists of tokens of the shard.
    private var lists: [SessionID: BackupTokens] = [:]
    /// How many messages were left out because they are damaged.
    private(set) var omitted = 0

    private static let pieceBytes = 256 << 10

    init(_ writer: any BackupWriter, of layout: StoreLayout, at: Milliseconds) {
        self.writer = writer
        self.at = at
        reading = StreamReading(layout.stream(0))
    }

    /// Continues the backup.
    mutating func next(_ replica: Replica) -> Step {
        while writer.count < Self.pieceBytes {
            if nextItem < items.count {
                writer.append(items[nextItem])
                nextItem += 1
                continue
            }
            (items, nextItem) = ([], 0)
            switch phase {
            case .shard(let shard):
                guard reading.isAtEnd else { return .read(reading) }
                items = lastItems(of: shard, replica.table)
                phase = .endOfShard(shard)
            case .endOfShard(let shard):
                writer.endSessions()
                begin(shard + 1, of: replica.layout)
            case .apps:
                items = replica.apps.all.map { app in
                    .app(BackupApp(id: app.id, at: app.at, document: app.document))
                }
                phase = .closing
            case .closing:
                writer.finish(omitted: omitted)
                phase = .done
            case .done: return .piece(writer.take())
            }
        }
        return .piece(writer.take())
    }

    /// Takes a portion of the stream that is being read.
    ///
    /// - Returns: the messages that are damaged.
    mutating func take(
        _ messages: [StoredMessage], at reading: StreamReading, _ replica: Replica
    ) -> [StoredMessage] {
        guard case .shard(let shard) = phase else { return [] }
        self.reading = reading
        let damaged = messages.filter { !take($0, in: shard, replica) }
        omitted += damaged.count
        return damaged
    }

    // MARK: Messages

    /// - Returns: false if the message is damaged or foreign.
    private mutating func take(
        _ message: StoredMessage, in shard: Int, _ replica: Replica
    ) -> Bool {
        switch try? StoreMessage(FedMessage(message), of: shard, in: replica.layout) {
        case .session(let record):
            let record = NumberedRecord(number: message.sequence, record: record)
            switch record.record.content {
            case .revision(let revision):
                take(revision, of: record, replica.table)
            case .end(let tombstone):
                take(tombstone, at: StreamPlace(shard: shard, number: record.number), record)
            }
        case .tokens(let list):
            lists[list.id] = BackupTokens(
                id: list.id, birth: list.born, at: list.at, tokens: list.tokens)
        case .mark: return (try? ShardMark(message.payload)) != nil
        case .barrier: break
        case .app, .facts, nil: return false
        }
        return true
    }

    private mutating func take(
        _ revision: SessionRecord, of record: NumberedRecord, _ table: SessionTable
    ) {
        if let handle = table.find(revision.id) {
            let entry = table[handle]
            // Another session of the id may have come later, whose records are read later.
            let isTaken =
                entry.born == record.record.born
                ? entry.expiresAt > at : entry.number < record.number
            guard isTaken else { return }
        } else if let end = table.ending(revision.id), end.number > record.number {
            return
        }
        newest[revision.id] = (record.record.born, record.number)
        items.append(.revision(revision, birth: record.record.born))
    }

    private mutating func take(
        _ tombstone: SharedRecord.Tombstone, at place: StreamPlace, _ record: NumberedRecord
    ) {
        let isRepeatable =
            tombstone.key != nil && tombstone.standsFor == nil
            && tombstone.at > at - ReplicaReader.keysKeptFor
        let endsKnown = newest.removeValue(forKey: tombstone.id) != nil
        if endsKnown || isRepeatable { items.append(.end(Deletion(tombstone, at: place))) }
    }

    // MARK: The end of a shard

    /// The sessions and token lists of a shard, once all of its records are in the backup.
    private mutating func lastItems(of shard: Int, _ table: SessionTable) -> [BackupItem] {
        defer { (newest, lists) = ([:], [:]) }
        var items: [BackupItem] = []
        for (id, last) in newest {
            guard let end = end(of: id, after: last.number, table) else { continue }
            newest[id] = nil
            items.append(.end(end))
        }
        for list in lists.values
        where newest[list.id]?.birth == list.birth && !list.tokens.isEmpty {
            items.append(.tokens(list))
        }
        return items
    }

    /// The end of a session that has ended since its records were read.
    private func end(of id: SessionID, after number: Int, _ table: SessionTable) -> Deletion? {
        if let ending = table.ending(id), ending.number > number { return ending.deletion }
        guard let last = newest[id], let handle = table.find(id) else { return nil }
        let entry = table[handle]
        guard entry.number > number, entry.born != last.birth else { return nil }
        // The id was used again before a message recorded the end of the session.
        return Deletion(
            id: id, sequence: entry.place.sequence, revision: entry.revision, at: at,
            why: .expired, key: nil)
    }

    private mutating func begin(_ shard: Int, of layout: StoreLayout) {
        guard shard < layout.shardCount else { return phase = .apps }
        phase = .shard(shard)
        reading = StreamReading(layout.stream(shard))
    }
}
