internal import API
internal import Sessions

/// Holds answers until everything that they show is kept.
///
/// Answers that wait for ordered tickets are in one list. For each single ticket, there is a list
/// of the answers that wait for it, so no answer waits for a change that it does not show.
final class AnswerGate {
    /// Something that waits for ordered tickets up to `last`. With the token of a connection, it is
    /// that connection's answer. With the token 0, it is only a count of expected events.
    private struct Waiting {
        let token: UInt64
        let last: Ticket
        let audience: Int
    }

    /// An answer that waits for single tickets.
    private final class WaitingForSingles {
        let waiting: Waiting
        /// The number of tickets that are not decided yet.
        var left: Int
        var decision: TicketDecision

        init(_ waiting: Waiting, _ tickets: Tickets, keptUpTo: Ticket) {
            self.waiting = waiting
            left = tickets.singles.count
            decision = TicketDecision(keptUpTo: keptUpTo)
        }
    }

    private var waiting: [Waiting] = []
    /// Empty; it has memory for the next list.
    private var spare: [Waiting] = []
    /// The waiting answers, by undecided single ticket.
    private var undecided: [Ticket: [WaitingForSingles]] = [:]
    /// Tokens of connections whose answers can be sent now.
    private var released = Queue<UInt64>()
    private let store: any Engine
    private let connections: OpenConnections
    private let streams: StreamHub

    init(store: any Engine, connections: OpenConnections, streams: StreamHub) {
        self.store = store
        self.connections = connections
        self.streams = streams
    }

    /// Whether an answer that shows these changes may be sent.
    func mayShow(_ tickets: Tickets) -> Bool { store.hasKept(tickets) }

    /// The number of answers that can be sent now.
    var releasedCount: Int { released.count }

    /// Keeps an answer.
    func hold(_ answer: consuming HeldAnswer, _ connection: Connection) {
        let tickets = answer.visibleAfter
        let item = Waiting(
            token: connection.token, last: tickets.last, audience: answer.audience)
        if item.audience > 0 { streams.expect(item.audience) }
        connection.held = answer
        guard !tickets.singles.isEmpty else { return waiting.append(item) }
        let all = WaitingForSingles(item, tickets, keptUpTo: store.keptUpTo)
        for ticket in tickets.singles { undecided[ticket, default: []].append(all) }
    }

    /// Counts events of changes that no answer shows, until they are decided.
    func expect(_ count: Int, until ticket: Ticket) {
        guard count > 0, !ticket.isSingle else { return }
        streams.expect(count)
        waiting.append(Waiting(token: 0, last: ticket, audience: count))
    }

    /// Adds bytes to the held answer of a connection, if it has one.
    ///
    /// - Returns: false if it has none.
    func append(_ bytes: [UInt8], _ connection: Connection) -> Bool {
        guard connection.held != nil else { return false }
        connection.held?.text.append(bytes)
        return true
    }

    /// Notes that a held stream is over, and whether the connection may be used again after it.
    func endStream(_ connection: Connection, persists: Bool) {
        connection.held?.persists = persists
    }

    /// Releases the answers whose ordered tickets are now kept.
    ///
    /// - Parameter failure: the answer to all others, whose changes are undone or in doubt.
    func release(refusingOthers failure: StoreError? = nil) {
        guard !waiting.isEmpty else { return }
        let keptUpTo = store.keptUpTo
        swap(&waiting, &spare)
        for item in spare {
            if item.last <= keptUpTo {
                release(item, nil)
            } else if let failure {
                release(item, TicketDecision(keptUpTo: keptUpTo, refusal: failure))
            } else {
                waiting.append(item)
            }
        }
        spare.removeAll(keepingCapacity: true)
    }

    /// Releases the answers for which these were the last undecided single tickets.
    func settle(_ outcomes: [DecidedTicket]) {
        for decided in outcomes {
            for all in undecided.removeValue(forKey: decided.ticket) ?? [] {
                all.decision.add(decided)
                all.left -= 1
                guard all.left == 0 else { continue }
                release(all.waiting, all.decision.isKept ? nil : all.decision)
            }
        }
    }

    private func release(_ item: Waiting, _ decision: TicketDecision?) {
        if item.audience > 0 { streams.expect(-item.audience) }
        guard let connection = connections[item.token], let held = connection.held else { return }
        held.decision = decision
        released.append(item.token)
    }

    /// Takes out the next answer that can be sent, if there is one.
    func next() -> (connection: Connection, answer: HeldAnswer)? {
        while let token = released.popFirst() {
            guard let connection = connections[token], let answer = connection.held.take() else {
                continue
            }
            return (connection, answer)
        }
        return nil
    }
}
