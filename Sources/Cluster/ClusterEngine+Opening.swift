internal import POSIX
internal import Sessions

// What happens before the loop drives the engine.
extension ClusterEngine {
    /// Reads everything that the store has.
    ///
    /// - Throws: if it takes longer than until `deadline`.
    func catchUp(
        before deadline: Int64, _ surroundings: EngineSurroundings
    ) throws(StoreOpenError) {
        while links.feeds?.hasCaughtUp != true {
            try wait(before: deadline, surroundings)
            let refused = news.reports.first { StoreRequirements.isForbidden($0.error) }
            if let refused { throw .forbidden(refused.error) }
        }
        try checkMarks(before: deadline, surroundings)
        news.announces = true
        submit()
    }

    /// Waits until changes are decided.
    ///
    /// - Throws: if it takes longer than this number of milliseconds.
    func decide(
        _ tickets: Tickets, within milliseconds: Int64, _ surroundings: EngineSurroundings
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

    /// Lets some time pass in place of the loop, which takes the news later.
    func wait(
        before deadline: Int64, _ surroundings: EngineSurroundings
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
