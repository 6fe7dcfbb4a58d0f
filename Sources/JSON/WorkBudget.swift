/// The work that one request may cause, counted in one place for everything that the request does.
///
/// One event loop serves all clients, so while it works on one request, all others wait. Code whose
/// work grows faster than the size of the request takes units from the budget before it does the
/// work. If there are too few units, `WorkBudgetError` is thrown, and the request has no effect.
///
/// A request that waits for the disk is run again later, with a full budget. The class is not
/// `Sendable`, because a budget never leaves the event loop.
public final class WorkBudget {
    /// The units of a request: about 20 ms of an idle processor. Validating a session of 1 MiB
    /// against typical schemas takes most of them, so that fewer would refuse such sessions.
    public static let unitsMax = 2_000_000
    /// The units for storing an app, which is rare and compiles all its schemas: about 60 ms.
    public static let unitsMaxOfApp = 6_000_000

    /// The units that are left. It is private, so that the compiler knows all accesses to it, and
    /// none is checked when the program runs.
    private var left: Int
    /// Units for hints such as "did you mean …?". They are counted separately, because without them
    /// only the hints are left out.
    private(set) var unitsLeftForHints: Int
    /// The units at the last renewal.
    private var unitsGranted: Int
    private var unitsSpentBefore = 0

    private static let unitsMaxForHints = 200_000

    /// A full budget.
    public init(units: Int = WorkBudget.unitsMax) {
        left = units
        unitsGranted = units
        unitsLeftForHints = Self.unitsMaxForHints
    }

    /// The units that are left.
    public var unitsLeft: Int { left }

    /// The units that were spent since the budget was created, including those before renewals.
    public var unitsSpent: Int {
        unitsSpentBefore &+ unitsGranted &- left &+ Self.unitsMaxForHints &- unitsLeftForHints
    }

    /// A budget for work that was within a budget before and is repeated, such as compiling a
    /// stored app when the service starts.
    public static var unlimited: WorkBudget { WorkBudget(units: Int.max) }

    /// Makes the budget full again, for the next request or for a part with its own budget.
    public func renew(units: Int = WorkBudget.unitsMax) {
        unitsSpentBefore = unitsSpent
        unitsGranted = units
        left = units
        unitsLeftForHints = Self.unitsMaxForHints
    }

    /// Takes the units for some work.
    ///
    /// - Throws: `WorkBudgetError` if there are too few; afterwards none are left.
    public func spend(_ work: Work) throws(WorkBudgetError) {
        guard canAfford(work) else {
            left = 0
            throw WorkBudgetError()
        }
        left -= work.units
    }

    /// Whether there are enough units, for code that can stop early with a part of the result.
    public func canAfford(_ work: Work) -> Bool { work.units <= left }

    /// Takes units for a hint. Returns false if there are too few.
    func spendForHint(_ units: Int) -> Bool {
        guard units <= unitsLeftForHints else { return false }
        unitsLeftForHints -= units
        return true
    }

    /// Does the work of a hint with the units for hints. Returns nil if there are too few.
    public func hint<Value>(
        _ body: (WorkBudget) throws(WorkBudgetError) -> Value
    ) -> Value? {
        let own = WorkBudget(units: unitsLeftForHints)
        defer { unitsLeftForHints = own.unitsLeft }
        return try? body(own)
    }

    /// Sets the units that are left, for code that counts them itself.
    func settle(unitsLeft: Int) {
        left = unitsLeft
    }
}

/// Kinds of work with their costs. A unit is 5 to 15 ns, depending on the machine and the kind.
public enum Work: Sendable {
    /// Small steps of a search, such as instructions of a pattern: one unit each.
    case steps(Int)
    /// Sessions, entries or names that are examined: four units each.
    case entries(Int)
    /// Bytes that are parsed as JSON: one unit each.
    case parsing(bytes: Int)
    /// Bytes that are loaded, copied or compared: one unit for 32 bytes.
    case moving(bytes: Int)

    /// The cost in units.
    public var units: Int {
        switch self {
        case .steps(let count): count
        case .entries(let count): count * 4
        case .parsing(let bytes): bytes
        case .moving(let bytes): bytes / 32
        }
    }
}

/// The request needs more work than its budget allows.
public struct WorkBudgetError: Error, Equatable {
    public init() {}
}
