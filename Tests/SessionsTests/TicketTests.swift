import Navigation
import Sessions
import Testing

/// What answers wait for, and what is decided about it.
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

    @Test(
        arguments: [
            ("nvt_kiosk-1_abc", "kiosk-1"), ("nvt_a_b_abc", "a_b"), ("nvt_a_", "a"),
            ("nvt__abc", nil), ("nvt_abc", nil), ("nst_a_abc", nil), ("nvt_/_abc", nil), ("", nil),
        ] as [(String, String?)])
    func `a token may name its session`(text: String, id: String?) {
        #expect(SessionToken.session(namedIn: Array(text.utf8)[...])?.rawValue == id)
    }
}
