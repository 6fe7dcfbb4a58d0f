internal import Bytes
internal import NATS

/// The marks of the shards as far as the feeds have delivered them. They show whether a shard has
/// lost its beginning or its end.
struct ShardMarks {
    private struct Shard {
        /// The stream sequence of the mark in the shard's own stream.
        var mark: Int?
        /// The stream sequence of the last message of that subject, whatever it is.
        var last = 0
        /// The number that the shard has reached, once that is known.
        var reached: Int?
        /// The stream sequence of the message that says so, or of a later one of its subject.
        var lastReached = 0

        /// Whether the last message of the subject is the mark.
        var isMarked: Bool { mark != nil && mark == last }
    }

    /// The known position of a shard's stream.
    struct Stream {
        /// The stream sequence of the last message that the leader has named or that was read.
        let last: Int
        /// The last message that was read.
        let landmark: StreamLandmark?
        /// When the stream was created, and when its first message was stored.
        let created: ServerTime?
        let firstAt: ServerTime?
    }

    private var shards: [Shard]
    /// When the facts of the store were written, which is done after all streams were created. In
    /// milliseconds since 1970.
    var foundedAt: Int64?

    /// How far the clocks of two servers may differ.
    private static let skewMilliseconds: Int64 = 300_000

    init(shardCount: Int) { shards = Array(repeating: Shard(), count: shardCount) }

    /// Takes a message that marks a shard.
    ///
    /// - Parameter isInShard: whether it is in the shard's own stream.
    mutating func take(
        _ message: FedMessage, of shard: Int, isInShard: Bool, lineage: String?
    ) throws(DamageError) {
        if isInShard {
            shards[shard].last = message.number
        } else {
            shards[shard].lastReached = message.number
        }
        let mark: ShardMark
        do throws(SharedRecordError) {
            mark = try ShardMark(message.content)
            guard mark.shard == shard else { throw .member("shard") }
            guard lineage == nil || mark.lineage == lineage else { throw .member("lineage") }
        } catch {
            throw DamageError(error, mark: message)
        }
        if isInShard {
            shards[shard].mark = message.number
        } else {
            shards[shard].reached = max(mark.reached, shards[shard].reached ?? 0)
        }
    }

    /// Notes the stream sequence of a shard's own mark before its feed delivers it.
    mutating func note(_ shard: Int, markedBy number: Int) {
        (shards[shard].mark, shards[shard].last) = (number, number)
    }

    /// Why the stream of a shard is not the one that the store had. Nil if nothing shows that.
    ///
    /// A store of version 0.2.0 has no marks. It is written last that the store exists, so a stream
    /// that was created later has lost what was in it, unless it has older messages, as a stream
    /// that was restored.
    func fault(of shard: Int, _ stream: Stream) -> String? {
        guard let reached = shards[shard].reached else {
            guard let foundedAt, let created = stream.created,
                created.milliseconds > foundedAt + Self.skewMilliseconds,
                stream.firstAt.map({ $0 < created }) != true
            else { return nil }
            return "was deleted and created again"
        }
        if shards[shard].mark == nil { return "has lost its beginning" }
        return stream.last < reached
            ? "ends at message \(stream.last), but had reached message \(reached)" : nil
    }

    /// The first shard that has a fault.
    func firstFault(_ streams: [Stream]) -> (shard: Int, text: String)? {
        for (shard, stream) in streams.enumerated() {
            if let text = fault(of: shard, stream) { return (shard, text) }
        }
        return nil
    }

    /// Whether the mark of a shard was read in its stream.
    func hasMark(_ shard: Int) -> Bool { shards[shard].mark != nil }

    /// Whether all shards have their marks.
    var areComplete: Bool { shards.allSatisfy { $0.isMarked && $0.reached != nil } }

    /// The mark of a shard to write next, if there is one: its own before that in the stream of
    /// apps. It is stored only if no other node was faster.
    func due(
        _ shard: Int, _ stream: Stream, in layout: StoreLayout, of lineage: String
    ) -> Publication? {
        let known = shards[shard]
        if !known.isMarked {
            return publication(
                layout.markSubject(shard), after: known.last, ShardMark(shard, of: lineage))
        }
        guard stream.last > known.reached ?? 0 else { return nil }
        return publication(
            layout.reachedSubject(shard), after: known.lastReached,
            ShardMark(shard, of: lineage, reached: stream.last, landmark: stream.landmark))
    }

    private func publication(
        _ subject: Subject, after expected: Int, _ mark: ShardMark
    ) -> Publication {
        Publication(
            subject, reply: nil, headers: mark.headers(after: expected), payload: mark.text)
    }
}
