internal import Sessions

/// Changes that are decided and not reported yet.
struct DeferredChanges {
    var conflicts = DeferredConflicts()
    var firsts = FirstMessages()

    var deadline: Int64 { min(conflicts.deadline, firsts.deadline) }
}

/// First messages of subjects that the servers have stored, until the feed has told of them.
///
/// If an operator gives a stream the setting `subject_transform`, it stores messages under other
/// subjects, where no node finds them, and acknowledges them. A message that has to follow another
/// one is refused then, since the other subject has no such message. The first one of a subject is
/// not refused. It is kept only when the feed has delivered it or, if that takes long, when the
/// leader has said that the settings of the stream are as they must be.
struct FirstMessages {
    private struct Waiting {
        let decided: ChangeWriter.Decided
        let number: Int
        let since: Int64
    }

    /// The messages of one stream, in the order of their numbers.
    private struct Queue {
        var waiting: [Waiting] = []
        /// When its leader was last asked for the settings.
        var askedAt = Int64.min
    }

    /// By the number of the feed. None of them is empty.
    private var queues: [Int: Queue] = [:]

    /// How long to wait for the feed before the leader is asked, and for the leader.
    private static let feedMilliseconds: Int64 = 100
    private static let leaderMilliseconds: Int64 = 3_000

    /// When to call `take`.
    var deadline: Int64 {
        queues.values.reduce(.max) { next, queue in
            let since = queue.waiting[0].since
            let hasAsked = queue.askedAt > since
            return min(next, since + (hasAsked ? Self.leaderMilliseconds : Self.feedMilliseconds))
        }
    }

    /// Has a change wait until `take` returns it.
    ///
    /// - Returns: false if it is not a first message that was stored.
    mutating func add(
        _ decided: ChangeWriter.Decided, at now: Int64, in layout: StoreLayout
    ) -> Bool {
        guard case .kept(let number) = decided.decision, decided.change.write.expected == 0 else {
            return false
        }
        let feed = layout.feed(of: decided.change.item)
        var queue = queues[feed] ?? Queue()
        let index = queue.waiting.lastIndex { $0.number < number }.map { $0 + 1 } ?? 0
        queue.waiting.insert(Waiting(decided: decided, number: number, since: now), at: index)
        queues[feed] = queue
        return true
    }

    /// The changes that need not wait any longer. The outcome of those that no node may find is
    /// unknown.
    mutating func take(
        at now: Int64, _ replica: Replica, _ feeds: Feeds
    ) -> [ChangeWriter.Decided] {
        var settled: [ChangeWriter.Decided] = []
        for (feed, var queue) in queues {
            var count = 0
            while count < queue.waiting.count {
                let first = queue.waiting[count]
                guard let isKept = Self.isKept(first, in: feed, at: now, replica, by: feeds)
                else { break }
                if !isKept { feeds.inspectSoon(feed) }
                settled.append(isKept ? first.decided : first.decided.becoming(.unknown))
                count += 1
            }
            queue.waiting.removeFirst(count)
            if let first = queue.waiting.first, queue.askedAt <= first.since,
                now - first.since >= Self.feedMilliseconds
            {
                queue.askedAt = now
                feeds.inspectSoon(feed)
            }
            queues[feed] = queue.waiting.isEmpty ? nil : queue
        }
        return settled
    }

    /// Whether a message is where each node finds it. Nil if that is not known yet.
    private static func isKept(
        _ waiting: Waiting, in feed: Int, at now: Int64, _ replica: Replica, by feeds: Feeds
    ) -> Bool? {
        if replica.lastNumber(of: waiting.decided.change.item) >= waiting.number { return true }
        if feeds.lastNumber(of: feed) >= waiting.number { return false }
        if let isSound = feeds.isSound(feed, since: waiting.since) { return isSound }
        return now - waiting.since >= leaderMilliseconds ? false : nil
    }
}

extension StoreLayout {
    /// The number of the feed that tells of an item.
    fileprivate func feed(of item: Item) -> Int {
        switch item {
        case .session(let id), .tokens(let id): shard(of: id)
        case .app, .meta: shardCount
        }
    }
}
