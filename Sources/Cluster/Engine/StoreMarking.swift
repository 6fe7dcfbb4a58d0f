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

    /// Publishes a mark, unless there is one that will do.
    ///
    /// - Returns: the mark that is there, and its stream sequence.
    private func settle(
        _ mark: ShardMark, to subject: Subject, of stream: SubjectToken,
        unless willDo: (ShardMark) -> Bool
    ) throws(StoreOpenError) -> (number: Int, mark: ShardMark) {
        var last = 0
        while true {
            try publish(mark, to: subject, after: last)
            let (number, found) = try read(subject, of: stream)
            if let found, found.shard == mark.shard, willDo(found) { return (number, found) }
            last = number
        }
    }

    /// Publishes a mark, unless the last message of its subject is another one than expected.
    private func publish(
        _ mark: ShardMark, to subject: Subject, after expected: Int
    ) throws(StoreOpenError) {
        try ask(subject, headers: mark.headers(after: expected), payload: mark.text) {
            message throws(StoreOpenError) -> Bool? in
            switch try? message.answer(as: PublishAck.self) {
            case .value: true
            case .refused(let error) where error.kind.isOfLastSequence: false
            case .refused(let error) where error.kind == .writeInFlight: nil
            case .refused(let error): throw StoreOpenError(of: error)
            case .noResponders, nil: nil
            }
        }
    }

    /// - Returns: the last message of a subject, and the mark that it is.
    private func read(
        _ subject: Subject, of stream: SubjectToken
    ) throws(StoreOpenError) -> (number: Int, mark: ShardMark?) {
        let query = MessageQuery.last(subject)
        return try ask(JetStreamAPI.messageGet(stream), payload: query.body) {
            message throws(StoreOpenError) in
            guard case .value(let stored)? = try? message.answer(as: StoredMessage.self)
            else { return nil }
            return (stored.sequence, try? ShardMark(stored.payload))
        }
    }
}
