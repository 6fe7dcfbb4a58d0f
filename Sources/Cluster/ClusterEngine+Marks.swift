internal import Bytes
internal import NATS
internal import Navigation
internal import Sessions

// The marks that show whether the store is whole, and the reaction to those that show damage.
extension ClusterEngine {
    /// How often the numbers that the shards have reached are written: each costs the servers a
    /// sync, so less often if there are many shards.
    private var marksMilliseconds: Int64 { min(60_000, max(5_000, Int64(facts.shardCount) * 300)) }
    /// How long the feed of a shard may take to come to a number that another node has written.
    static let marksPatience: Int64 = 5_000
    private static let retryMilliseconds: Int64 = 1_000

    /// Throws if a shard is not what it was, once everything has been read.
    func checkMarks(
        before deadline: Int64, _ surroundings: EngineEnvironment
    ) throws(StoreOpenError) {
        // Another node may just have written a number that the feed of a shard has not come to.
        let end = min(deadline, clock.now + Self.marksPatience)
        while let fault = replica.marks.firstFault(links.feeds?.shards ?? []) {
            guard clock.now < end else {
                throw .incomplete(replica.layout.name(of: fault.shard), fault.text)
            }
            try wait(before: end, surroundings)
        }
        if replica.marks.areComplete { sweeper.marksAt = clock.now + marksMilliseconds }
    }

    /// Writes the marks of the shards whose keeper this node is. Nobody waits for that: the feeds
    /// deliver what was stored, and what was not is written the next time.
    func keepMarks(at now: Int64) {
        guard now >= sweeper.marksAt, reader.fault == nil else { return }
        sweeper.marksAt =
            now + (replica.marks.areComplete ? marksMilliseconds : Self.retryMilliseconds)
        for (shard, stream) in (links.feeds?.shards ?? []).enumerated()
        where sweeper.isKeeper(of: shard, at: now) {
            let due = replica.marks.due(
                shard, stream, in: replica.layout, of: facts.lineage)
            if let due { client.publish(due) }
        }
    }

    /// Compares the number of a stream's subjects with what was read of it.
    func compare(_ subjects: Int, of shard: Int, at now: Int64) {
        guard let missing = replica.missing(of: shard, beside: subjects, at: now) else { return }
        news.report(
            StoreReport(
                "messages were removed from a stream, and not by navstate",
                error: SubjectLosses.text(missing, in: replica.layout.name(of: shard))))
    }

    /// Removes the damaged messages of a session that has been ended.
    func removeDamage(of change: PendingChange, endedAt number: Int) {
        guard case .session(let record) = change.content, case .end(let end) = record.content
        else { return }
        sweeper.failures.append(
            Removal(item: change.item, upTo: number - 1, endedAt: end.at))
    }
}

extension StoreReport {
    /// The messages of a session are gone.
    static func loss(of id: SessionID) -> StoreReport {
        StoreReport(
            "the messages of a session were removed, and not by navstate",
            error: "\(id): DELETE it to use its id again, or restore a backup")
    }
}
