internal import POSIX
internal import Sessions

// The part of a start before the loop drives the engine.
extension ClusterEngine {
    /// Reads everything that the store has, however long that takes, or, after some time, what is
    /// needed to use what has been read.
    ///
    /// - Parameters:
    ///   - whole: after how many milliseconds to go on without the rest.
    ///   - report: called after each step with what was read and what is left.
    /// - Throws: if nothing comes for `silence` milliseconds.
    func catchUp(
        silence: Int64, wholeWithin whole: Int64, _ surroundings: EngineEnvironment,
        reporting report: (FeedProgress) -> Void
    ) throws(StoreOpenError) {
        let began = clock.now
        var (read, heard) = (0, began)
        while let feeds = links.feeds, !feeds.hasCaughtUp {
            if clock.now - began >= whole, isUsable(feeds) { break }
            try wait(before: heard + silence, surroundings)
            let progress = feeds.progress
            if progress.read > read { (read, heard) = (progress.read, clock.now) }
            report(progress)
            let refused = news.reports.first { StoreRequirements.isForbidden($0.error) }
            if let refused { throw .forbidden(refused.error) }
        }
        try checkMarks(before: clock.now + silence, surroundings)
        sweeper.isEnabled = true
        submit()
    }

    /// Whether the apps have been read, and of each shard enough to know that it is the one that
    /// the store had: its mark, which is normally its first message, and where it ends.
    private func isUsable(_ feeds: Feeds) -> Bool {
        let shards = feeds.shards
        return feeds.isRead(shards.count)
            && shards.indices.allSatisfy { shard in
                let isKnown = replica.marks.hasMark(shard) && shards[shard].created != nil
                return isKnown || feeds.isRead(shard)
            }
    }

    /// Waits until changes are decided.
    ///
    /// - Throws: if it takes longer than this number of milliseconds.
    func decide(
        _ tickets: Tickets, within milliseconds: Int64, _ surroundings: EngineEnvironment
    ) throws(StoreOpenError) -> [DecidedTicket] {
        let deadline = clock.now + milliseconds
        var decided: [DecidedTicket] = []
        submit()
        while decided.count < tickets.singles.count {
            try wait(before: deadline, surroundings)
            decided += news.takeOutcomes().filter { tickets.singles.contains($0.ticket) }
        }
        submit()
        return decided
    }

    /// Drives the links before the event loop runs.
    func wait(
        before deadline: Int64, _ surroundings: EngineEnvironment
    ) throws(StoreOpenError) {
        guard clock.now < deadline else { throw .unanswered }
        let pause = surroundings.waiting(Int(max(1, min(links.deadline - clock.now, 100))))
        do throws(SystemError) { try pump(waiting: pause) } catch {
            throw .system(error)
        }
        advance(to: time ?? clock.wall)
        handle(client.flush())
    }
}
