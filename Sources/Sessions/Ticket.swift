/// Identifies a change until the store has decided whether it is kept.
///
/// There are two kinds of tickets. Ordered tickets are decided in order: once one of them is kept,
/// so are all those before it, up to `StatusReading.keptUpTo`. A store on this
/// machine uses the numbers of its records. Single tickets are decided one by one and in any order,
/// and `Collected.outcomes` reports the outcome of each.
public struct Ticket: Hashable, Comparable, Sendable {
    /// The number of the ticket; 0 if there is nothing to wait for. The highest bit is set for
    /// single tickets.
    public let rawValue: UInt64

    private static let singleBit: UInt64 = 1 << 63

    private init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates the ordered ticket with this number, which must be below 2^63. The number 0 gives
    /// `none`.
    public init(ordered number: UInt64) {
        precondition(number < Self.singleBit, "a number of the other kind")
        rawValue = number
    }

    /// Creates the single ticket with this number, which must be below 2^63. A store uses each
    /// number only once.
    public init(single number: UInt64) {
        precondition(number < Self.singleBit, "a number of the other kind")
        rawValue = number | Self.singleBit
    }

    /// The ticket of what is already kept.
    public static let none = Ticket(rawValue: 0)

    /// Whether this is a single ticket.
    public var isSingle: Bool { rawValue >= Self.singleBit }

    /// Orders ordered tickets by when they are decided.
    public static func < (a: Ticket, b: Ticket) -> Bool { a.rawValue < b.rawValue }
}

/// The tickets that an answer has to wait for. Only single tickets allocate memory.
public struct Tickets: Equatable, Sendable {
    /// The last of the ordered tickets, or `none`.
    public private(set) var last = Ticket.none
    /// The single tickets, without duplicates.
    public private(set) var singles: [Ticket] = []

    /// No tickets: there is nothing to wait for.
    public static let none = Tickets()

    private init() {}

    /// Creates a set of one ticket.
    public init(_ ticket: Ticket) {
        if ticket.isSingle { singles = [ticket] } else { last = ticket }
    }

    /// Adds a ticket.
    public mutating func insert(_ ticket: Ticket) {
        if !ticket.isSingle {
            last = max(last, ticket)
        } else if !singles.contains(ticket) {
            singles.append(ticket)
        }
    }

    /// Adds all tickets of another set.
    public mutating func formUnion(_ other: Tickets) {
        insert(other.last)
        for ticket in other.singles { insert(ticket) }
    }
}

/// The store's decision on a change.
public enum TicketOutcome: Equatable, Sendable {
    /// The change is kept.
    case kept
    /// The change is not kept, because another client changed the same thing first. The request is
    /// processed again from the beginning.
    case conflict
    /// The change is not kept, for this reason.
    case refused(StoreError)
    /// It is unknown whether the change is kept, and the store has stopped trying to find out.
    case unknown
}

/// A single ticket with its outcome.
public struct DecidedTicket: Equatable, Sendable {
    /// The ticket, which is single.
    public var ticket: Ticket
    /// The outcome of the change.
    public var outcome: TicketOutcome

    public init(_ ticket: Ticket, _ outcome: TicketOutcome) {
        self.ticket = ticket
        self.outcome = outcome
    }
}

/// The decision on the tickets that an answer was waiting for.
public struct TicketDecision: Sendable {
    /// Ordered tickets up to this one are kept.
    private let keptUpTo: Ticket
    /// Why ordered tickets after `keptUpTo` are not kept. It is nil if there are no such tickets.
    public let refusal: StoreError?
    /// Single tickets that are not kept.
    private var outcomes: [DecidedTicket] = []

    /// - Parameters:
    ///   - keptUpTo: the last ordered ticket that is kept.
    ///   - refusal: why those after it are not kept; nil if there are none.
    public init(keptUpTo: Ticket, refusal: StoreError? = nil) {
        self.keptUpTo = keptUpTo
        self.refusal = refusal
    }

    /// Adds the outcome of a single ticket.
    public mutating func add(_ decided: DecidedTicket) {
        if decided.outcome != .kept { outcomes.append(decided) }
    }

    /// Whether every change is kept.
    public var isKept: Bool { refusal == nil && outcomes.isEmpty }

    /// The outcome of one of the changes.
    public subscript(ticket: Ticket) -> TicketOutcome {
        if ticket.isSingle { return outcomes.first { $0.ticket == ticket }?.outcome ?? .kept }
        guard let refusal, ticket > keptUpTo else { return .kept }
        return .refused(refusal)
    }

    /// The combined outcome of all the changes: unknown if any of them is unknown, otherwise
    /// refused if any was refused, otherwise a conflict if there was one.
    public var outcome: TicketOutcome {
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
