/// Identifies a change until the store has decided whether it is kept.
///
/// There are two kinds. Ordered tickets are decided in their order: once one of them is kept, so
/// are all before it, and `SessionStore.keptUpTo` tells how far that is. A store on this machine
/// gives the numbers of its records. Single tickets are decided each by itself and in any order,
/// and `Collected.outcomes` tells about each of them.
package struct Ticket: Hashable, Comparable, Sendable {
    /// 0 if there is nothing to wait for. The highest bit is set for single tickets.
    package let rawValue: UInt64

    private static let singleBit: UInt64 = 1 << 63

    private init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The ordered ticket with this number, which must be below 2^63. The number 0 makes `none`.
    package init(ordered number: UInt64) {
        precondition(number < Self.singleBit, "a number of the other kind")
        rawValue = number
    }

    /// The single ticket with this number, which must be below 2^63. A store gives each number
    /// once.
    package init(single number: UInt64) {
        precondition(number < Self.singleBit, "a number of the other kind")
        rawValue = number | Self.singleBit
    }

    /// What has been kept already.
    package static let none = Ticket(rawValue: 0)

    /// Whether it is decided by itself.
    package var isSingle: Bool { rawValue >= Self.singleBit }

    /// Orders ordered tickets by when they are decided.
    package static func < (a: Ticket, b: Ticket) -> Bool { a.rawValue < b.rawValue }
}

/// The tickets that an answer has to wait for. Only single tickets take memory of their own.
package struct Tickets: Equatable, Sendable {
    /// The last of the ordered tickets, or `none`.
    package private(set) var last = Ticket.none
    /// The single tickets, each once.
    package private(set) var singles: [Ticket] = []

    /// No tickets: there is nothing to wait for.
    package static let none = Tickets()

    private init() {}

    /// One ticket.
    package init(_ ticket: Ticket) {
        if ticket.isSingle { singles = [ticket] } else { last = ticket }
    }

    /// Adds a ticket.
    package mutating func insert(_ ticket: Ticket) {
        if !ticket.isSingle {
            last = max(last, ticket)
        } else if !singles.contains(ticket) {
            singles.append(ticket)
        }
    }

    /// Adds all tickets of another value.
    package mutating func formUnion(_ other: Tickets) {
        insert(other.last)
        for ticket in other.singles { insert(ticket) }
    }
}

/// What the store has decided about a change.
package enum TicketOutcome: Equatable, Sendable {
    /// It is kept.
    case kept
    /// It is not kept, because somebody else has changed the same thing first. The request is asked
    /// again from its beginning.
    case conflict
    /// It is not kept, for this reason.
    case refused(StoreError)
    /// It is not known whether it is kept, and the store does not try to find out any longer.
    case unknown
}

/// A single ticket with its outcome.
package struct DecidedTicket: Equatable, Sendable {
    /// The ticket, which is single.
    package var ticket: Ticket
    /// What became of the change.
    package var outcome: TicketOutcome

    package init(_ ticket: Ticket, _ outcome: TicketOutcome) {
        self.ticket = ticket
        self.outcome = outcome
    }
}

/// What was decided about the tickets that an answer has waited for.
package struct TicketDecision: Sendable {
    /// Ordered tickets up to this one are kept.
    private let keptUpTo: Ticket
    /// Why ordered tickets after `keptUpTo` are not kept. Nil if there are none.
    package let refusal: StoreError?
    /// Single tickets that are not kept.
    private var outcomes: [DecidedTicket] = []

    /// - Parameters:
    ///   - keptUpTo: the last ordered ticket that is kept.
    ///   - refusal: why those after it are not kept, or nil if there are none.
    package init(keptUpTo: Ticket, refusal: StoreError? = nil) {
        self.keptUpTo = keptUpTo
        self.refusal = refusal
    }

    /// Adds the outcome of a single ticket.
    package mutating func add(_ decided: DecidedTicket) {
        if decided.outcome != .kept { outcomes.append(decided) }
    }

    /// Whether every change is kept.
    package var isKept: Bool { refusal == nil && outcomes.isEmpty }

    /// The outcome of one of the changes.
    package subscript(ticket: Ticket) -> TicketOutcome {
        if ticket.isSingle { return outcomes.first { $0.ticket == ticket }?.outcome ?? .kept }
        guard let refusal, ticket > keptUpTo else { return .kept }
        return .refused(refusal)
    }

    /// The outcome of all changes as one: unknown if any is, otherwise refused if any is, otherwise
    /// a conflict if there is one.
    package var outcome: TicketOutcome {
        var worst = refusal.map { TicketOutcome.refused($0) } ?? .kept
        for decided in outcomes {
            switch (decided.outcome, worst) {
            case (.kept, _), (_, .unknown), (.conflict, .refused): break
            case (.refused, .refused): break
            case (.unknown, _), (.refused, _), (.conflict, _): worst = decided.outcome
            }
        }
        return worst
    }
}
