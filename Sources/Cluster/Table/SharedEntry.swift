internal import Navigation
internal import Sessions

/// A node's knowledge of a live session besides its records, in 64 bytes.
struct SharedEntry {
    let id: SessionID
    /// The place of the newest record.
    private let sequence: SequenceNumber
    /// The number that all records of the session have in common, and no other session of that id
    /// has.
    var born: UInt64
    /// When the session expires; `never` if it does not.
    var expiresAt: Milliseconds
    /// Nil if the session has neither an app nor labels.
    let traits: SessionTraits?
    /// From the lowest bit on: the size, whether it is stale, the revision.
    private var packed: UInt64
    /// The second in which the newest record was made, rounded up.
    var second: UInt32
    /// The second for which the session is in the expiry queue; 0 if it is not in it.
    var queuedFor: UInt32 = 0

    /// The expiry of a session that does not expire.
    static let never = Milliseconds.max
    private static let sizeBits: UInt64 = 24
    private static let staleBit: UInt64 = 1 << sizeBits
    /// More than the servers' largest message.
    private static let sizeMax = Int(staleBit) - 1

    /// - Parameters:
    ///   - size: the size of the event and the state, if the record is without them.
    ///   - traits: those of the record, if there are others that have the same.
    init(
        _ record: SessionRecord, born: UInt64, at place: StreamPlace, size: Int? = nil,
        traits: SessionTraits? = nil
    ) {
        id = record.id
        sequence = place.sequence
        self.born = born
        expiresAt = record.expiresAt ?? Self.never
        let hasTraits = record.app != nil || !record.labels.isEmpty
        self.traits =
            hasTraits ? traits ?? SessionTraits(app: record.app, labels: record.labels) : nil
        second = ExpiryQueue.seconds(record.at)
        let bytes = min(size ?? record.event.count + record.state.count, Self.sizeMax)
        packed = UInt64(record.revision) << (Self.sizeBits + 1) | UInt64(bytes)
    }

    var app: AppID? { traits?.app }
    var labels: [Label] { traits?.labels ?? [] }
    /// The revision of the newest record.
    var revision: Int { Int(packed >> (Self.sizeBits + 1)) }
    /// The size of the newest event and state.
    var bytes: Int { Int(packed & (Self.staleBit - 1)) }
    /// Whether another node is known to have made a newer record.
    var isStale: Bool {
        get { packed & Self.staleBit != 0 }
        set { packed = newValue ? packed | Self.staleBit : packed & ~Self.staleBit }
    }

    var shard: Int { sequence.log }
    /// The stream sequence of the newest record.
    var number: Int { Int(sequence.numberInLog) }
    /// The place of the newest record.
    var place: StreamPlace { StreamPlace(shard: shard, number: number) }
}

/// The app and the labels of a session. Sessions without labels share those of their app.
final class SessionTraits: CustomStringConvertible, Sendable {
    let app: AppID?
    let labels: [Label]

    init(app: AppID?, labels: [Label]) { (self.app, self.labels) = (app, labels) }

    var description: String { "\(app.map(\.rawValue) ?? "") \(labels)" }
}

/// Where a message is: a shard, and a stream sequence of the shard's stream.
struct StreamPlace: Equatable, Sendable {
    var shard: Int
    var number: Int

    /// A number that only this place has. Numbers of one shard are in the order of its stream;
    /// those of different shards tell nothing about their order.
    var sequence: SequenceNumber { SequenceNumber(UInt64(number), inLog: shard) }
}

/// The end of a session, which is remembered until its messages are gone from the stream: a later
/// session of the same id follows it.
struct EndedSession: Sendable {
    /// The stream sequence of the tombstone.
    var number: Int
    /// The deletion that the tombstone records, with what was known of the session.
    var deletion: Deletion
    /// The session that was created with the key, if the tombstone names one.
    var standsFor: SessionID?
    /// Where the table has it in its queue.
    var slot: SessionHandle
}

extension Deletion {
    /// The end of a session of which nothing else is known.
    init(_ tombstone: SharedRecord.Tombstone, at place: StreamPlace) {
        self.init(
            id: tombstone.id, sequence: place.sequence, revision: tombstone.revision,
            at: tombstone.at, why: tombstone.why, key: tombstone.key)
        ticket = .none
        author = tombstone.author
    }
}
