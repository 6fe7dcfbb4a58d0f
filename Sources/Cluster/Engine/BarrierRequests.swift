internal import Bytes
internal import NATS

/// Publishes the barriers that requests wait for. In the loader's numbers of questions, the
/// barriers of a feed have the negative number -1 - feed.
final class BarrierRequests {
    private let requests: StoreRequests
    private var barriers: ReadBarriers

    init(_ requests: StoreRequests) {
        self.requests = requests
        barriers = ReadBarriers(feedCount: requests.layout.shardCount + 1)
    }

    /// When to call `send`, unless a request has joined a barrier in this turn.
    var deadline: Int64 { barriers.deadline }

    /// The next barrier of a feed.
    func join(_ feed: Int) -> StreamBarrier { barriers.join(feed) }

    /// Publishes what is due.
    ///
    /// - Parameter isNeeded: whether a request waits for a barrier.
    func send(at now: Int64, isNeeded: (StreamBarrier) -> Bool) {
        for feed in barriers.due(at: now, isNeeded: isNeeded) {
            let isSent = requests.send(
                requests.layout.barrierSubject(shard(of: feed)), payload: [],
                for: .question(-1 - feed), at: now)
            if !isSent { barriers.failed(feed, at: now) }
        }
    }

    /// Whether a question of the loader is about a barrier.
    static func isAbout(_ question: Int) -> Bool { question < 0 }

    /// The answer about a barrier came.
    ///
    /// - Returns: the barrier if the feed has delivered it already.
    func answered(_ question: Int, _ message: Message, at now: Int64) -> StreamBarrier? {
        let feed = -1 - question
        guard case .value(let ack)? = try? message.answer(as: PublishAck.self),
            ack.stream == requests.layout.name(of: shard(of: feed))
        else {
            barriers.failed(feed, at: now)
            return nil
        }
        return barriers.acknowledged(feed, number: ack.sequence)
    }

    /// The answer about a barrier did not come.
    func unanswered(_ question: Int, at now: Int64) { barriers.failed(-1 - question, at: now) }

    /// The feed has delivered a message.
    ///
    /// - Returns: the barrier that was waiting for it.
    func delivered(_ feed: Int, upTo number: Int) -> StreamBarrier? {
        barriers.delivered(feed, upTo: number)
    }

    private func shard(of feed: Int) -> Int? { feed < requests.layout.shardCount ? feed : nil }
}
