internal import Navigation
internal import Sessions

/// A node's knowledge of a live session besides its records.
struct SharedEntry {
    let id: SessionID
    let shard: Int
    /// The stream sequence of the newest record.
    var number: Int
    /// The number that all records of the session have in common, and no other session of that id
    /// has.
    var born: UInt64
    var revision: Int
    /// When the session expires; `never` if it does not.
    var expiresAt: Milliseconds
    var app: AppID?
    var labels: [Label]
    /// The size of the newest event and state.
    var bytes: Int
    /// Whether another node is known to have made a newer record.
    var isStale = false
    /// The second in which the newest record was made, rounded up.
    var second: UInt32
    /// The second for which the session is in the expiry queue; 0 if it is not in it.
    var queuedFor: UInt32 = 0

    /// The expiry of a session that does not expire.
    static let never = Milliseconds.max

    /// - Parameter size: the size of the event and the state, if the record is without them.
    init(_ record: SessionRecord, born: UInt64, at place: StreamPlace, size: Int? = nil) {
        id = record.id
        shard = place.shard
        number = place.number
        self.born = born
        revision = record.revision
        expiresAt = record.expiresAt ?? Self.never
        app = record.app
        labels = record.labels
        second = ExpiryQueue.seconds(record.at)
        bytes = size ?? record.event.count + record.state.count
    }

    /// The place of the newest record.
    var place: StreamPlace { StreamPlace(shard: shard, number: number) }
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
