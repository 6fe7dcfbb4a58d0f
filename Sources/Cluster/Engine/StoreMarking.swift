internal import Bytes
internal import NATS

// Marks that an interrupted attempt has left in a stream are replaced, unless they are of the same
// lineage.

extension StoreOpening {
    /// Marks the shards of a new store. It may be called again if it was interrupted.
    ///
    /// - Returns: the facts with the lineage that the marks have. If several programs make the
    ///   store at the same time, the mark of the first shard decides.
    func mark(_ facts: StoreFacts) throws(StoreOpenError) -> StoreFacts {
        var lineage = facts.lineage
        for shard in 0..<facts.shardCount {
            lineage = try mark(shard, of: facts, lineage: shard == 0 ? nil : lineage)
        }
        return StoreFacts(
            lineage: lineage, shardCount: facts.shardCount, secret: facts.secret,
            hasUnnamedTokens: facts.hasUnnamedTokens)
    }

    /// Marks a shard.
    ///
    /// - Parameter lineage: the lineage that its mark must have. Nil if that of a mark which is
    ///   there already counts.
    /// - Returns: the lineage of its mark.
    func mark(
        _ shard: Int, of facts: StoreFacts, lineage: String?
    ) throws(StoreOpenError) -> String {
        let layout = StoreLayout(prefix: requests.layout.prefix, shardCount: facts.shardCount)
        let (number, mark) = try settle(
            ShardMark(shard, of: lineage ?? facts.lineage), to: layout.markSubject(shard),
            of: layout.stream(shard)
        ) { lineage == nil || $0.lineage == lineage }
        _ = try settle(
            ShardMark(shard, of: mark.lineage, reached: number), to: layout.reachedSubject(shard),
            of: layout.controlStream
        ) { $0.lineage == mark.lineage && $0.reached <= number }
        return mark.lineage
    }

    /// Throws if a shard has another message in the place of the one that was read last when its
    /// mark was written.
    func checkLandmarks(_ facts: StoreFacts) throws(StoreOpenError) {
        let layout = StoreLayout(prefix: requests.layout.prefix, shardCount: facts.shardCount)
        for shard in 0..<facts.shardCount {
            let query = MessageQuery.last(layout.reachedSubject(shard))
            guard let stored = try find(query, in: layout.controlStream),
                let mark = try? ShardMark(stored.payload), mark.lineage == facts.lineage,
                let landmark = mark.landmark
            else { continue }
            let stream = layout.stream(shard)
            var found = try find(landmark.byNumber, in: stream)
            if found == nil { found = try find(landmark.nextOfSubject, in: stream) }
            let now = ServerTime(nanoseconds: Int(environment.clock.wall) * 1_000_000)
            // If it is gone, the messages of a session were removed, or the end of the stream.
            guard landmark.judge(found, at: now) == .replaced else { continue }
            throw .incomplete(
                stream.text, "has another message \(landmark.number) than was read before")
        }
    }

    /// The stream sequences of the shards' own marks, by shard. The feeds deliver them late if a
    /// stream is large, as the servers first look for the last message of each subject.
    func marks(_ facts: StoreFacts) throws(StoreOpenError) -> [Int: Int] {
        let layout = StoreLayout(prefix: requests.layout.prefix, shardCount: facts.shardCount)
        var numbers: [Int: Int] = [:]
        for shard in 0..<facts.shardCount {
            let query = MessageQuery.last(layout.markSubject(shard))
            guard let stored = try find(query, in: layout.stream(shard)),
                let mark = try? ShardMark(stored.payload),
                mark.lineage == facts.lineage, mark.shard == shard
            else { continue }
            numbers[shard] = stored.sequence
        }
        return numbers
    }

    /// Publishes a mark, unless there is one that will do.
    ///
    /// - Returns: the mark that is there, and its stream sequence.
    private func settle(
        _ mark: ShardMark, to subject: Subject, of stream: SubjectToken,
        unless willDo: (ShardMark) -> Bool
    ) throws(StoreOpenError) -> (number: Int, mark: ShardMark) {
        var last = 0
        while true {
            _ = try publish(mark.text, to: subject, headers: mark.headers(after: last))
            guard let stored = try find(.last(subject), in: stream) else { continue }
            let found = try? ShardMark(stored.payload)
            if let found, found.shard == mark.shard, willDo(found) {
                return (stored.sequence, found)
            }
            last = stored.sequence
        }
    }
}
