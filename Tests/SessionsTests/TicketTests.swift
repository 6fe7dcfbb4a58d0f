import Navigation
import Sessions
import TestSupport
import Testing

/// The tickets that answers wait for, and the decisions on them.
@Suite struct TicketTests {
    @Test func `of ordered tickets the last one counts, of single ones each`() {
        var tickets = Tickets.none
        for ticket in [Ticket(ordered: 7), Ticket(single: 3), Ticket(ordered: 5), .none] {
            tickets.insert(ticket)
            tickets.formUnion(Tickets(ticket))
        }
        tickets.formUnion(Tickets(Ticket(single: 4)))
        #expect(tickets.last == Ticket(ordered: 7))
        #expect(tickets.singles == [Ticket(single: 3), Ticket(single: 4)])
        #expect(Tickets(.none) == .none && Ticket(single: 7) != Ticket(ordered: 7))
    }

    @Test func `ordered tickets after the last that is kept are refused`() {
        let decision = TicketDecision(keptUpTo: Ticket(ordered: 7), refusal: .full)
        #expect(decision[Ticket(ordered: 7)] == .kept)
        #expect(decision[Ticket(ordered: 8)] == .refused(.full))
        #expect(decision[Ticket(single: 1)] == .kept)
        #expect(!decision.isKept && decision.outcome == .refused(.full))
    }

    @Test func `the outcome of several changes is that of the worst`() {
        let outcomes: [TicketOutcome] = [.kept, .conflict, .refused(.busy), .unknown]
        for (first, a) in outcomes.enumerated() {
            for (second, b) in outcomes.enumerated() {
                var decision = TicketDecision(keptUpTo: .none)
                decision.add(DecidedTicket(Ticket(single: 1), a))
                decision.add(DecidedTicket(Ticket(single: 2), b))
                #expect(decision[Ticket(single: 1)] == a && decision[Ticket(single: 2)] == b)
                #expect(decision.outcome == outcomes[max(first, second)])
                #expect(decision.isKept == (max(first, second) == 0))
            }
        }
    }

    @Test(arguments: [1, 7, .max >> 1] as [UInt64])
    func `tickets of the two kinds are told apart, whatever their number`(number: UInt64) {
        let (ordered, single) = (Ticket(ordered: number), Ticket(single: number))
        #expect(!ordered.isSingle && single.isSingle && ordered != single)
        #expect(Ticket.none < ordered && Ticket(ordered: number - 1) < ordered)
        #expect(Set([ordered, single, Ticket(single: number), .none]).count == 3)
    }

    @Test func `the number 0 is no ticket if it is ordered, and one if it is single`() {
        #expect(Ticket(ordered: 0) == .none && !Ticket.none.isSingle)
        #expect(Tickets(Ticket(single: 0)) != .none)
        #expect(Tickets(Ticket(single: 0)).singles == [Ticket(single: 0)])
    }

    @Test(.seeded) func `a union has the tickets of both, each once`() {
        var dice = SplitMix64(stream: 0x71C)
        for _ in 0..<200 {
            let parts = (0..<2).map { _ in
                (0..<dice.below(6)).map { _ in
                    let number = UInt64(dice.below(5))
                    return dice.oneIn(2) ? Ticket(ordered: number) : Ticket(single: number)
                }
            }
            var both = [Tickets.none, .none]
            for (index, part) in parts.enumerated() {
                for ticket in part { both[index].insert(ticket) }
            }
            var union = both[0]
            union.formUnion(both[1])
            let all = parts.joined()
            #expect(union.last == all.filter { !$0.isSingle }.max() ?? .none)
            #expect(Set(union.singles) == Set(all.filter(\.isSingle)))
            #expect(union.singles.count == Set(union.singles).count)
            let before = union
            union.formUnion(both[0])
            #expect(union == before)
        }
    }

    @Test func `without a refusal nothing that is ordered is refused`() {
        var decision = TicketDecision(keptUpTo: Ticket(ordered: 7))
        #expect(decision.isKept && decision.outcome == .kept)
        #expect(decision[Ticket(ordered: 8)] == .kept)
        decision.add(DecidedTicket(Ticket(single: 8), .conflict))
        #expect(decision[Ticket(ordered: 8)] == .kept && decision[Ticket(single: 7)] == .kept)
        #expect(!decision.isKept && decision.outcome == .conflict)
    }

    @Test(arguments: [
        (TicketOutcome.kept, TicketOutcome.refused(.full)), (.conflict, .refused(.full)),
        (.refused(.busy), .refused(.full)), (.unknown, .unknown),
    ])
    func `a refusal of ordered tickets counts with the single ones`(
        single: TicketOutcome, worst: TicketOutcome
    ) {
        var decision = TicketDecision(keptUpTo: .none, refusal: .full)
        decision.add(DecidedTicket(Ticket(single: 1), single))
        #expect(decision.outcome == worst && !decision.isKept)
        #expect(decision[Ticket(single: 1)] == single)
        #expect(decision[Ticket(ordered: 1)] == .refused(.full))
        #expect(decision[.none] == .kept)
    }

    @Test func `of several refusals the first is told`() {
        var decision = TicketDecision(keptUpTo: .none)
        for (number, error) in [StoreError.busy, .damaged, .unavailable].enumerated() {
            decision.add(DecidedTicket(Ticket(single: UInt64(number)), .refused(error)))
            #expect(decision[Ticket(single: UInt64(number))] == .refused(error))
        }
        #expect(decision.outcome == .refused(.busy))
    }
}
