/// The work that one request may cause, counted in one place for everything that the request does.
///
/// One event loop serves all clients, so while it works on one request all others wait. Code whose
/// work grows faster than the bytes of the request takes units from the request's budget before it
/// does the work. The first call that finds too few units left throws `WorkBudgetError`, and the
/// request ends without an effect.
///
/// A budget belongs to one call of the loop: a request that waits for the disk is called again
/// later, with a full budget. It is not `Sendable`, as it never leaves the loop.
package final class WorkBudget {
    /// Some 20 ms. Checking a session of 1 MiB against usual schemas takes two thirds of it.
    package static let unitsMax = 2_500_000
    /// For storing an app, which happens seldom and compiles all its schemas: about 100 ms.
    package static let unitsMaxOfApp = 10_000_000

    package private(set) var unitsLeft: Int
    /// Units for proposals such as "did you mean …?". They are apart, as running out of them only
    /// ends the proposals.
    private(set) var unitsLeftForHints: Int
    /// What `unitsLeft` was when the budget was last full, and what was spent before.
    private var unitsGranted: Int
    private var unitsSpentBefore = 0

    private static let unitsMaxForHints = 200_000

    package init(units: Int = WorkBudget.unitsMax) {
        unitsLeft = units
        unitsGranted = units
        unitsLeftForHints = Self.unitsMaxForHints
    }

    /// All units that were spent since the budget was made, also before it was renewed.
    package var unitsSpent: Int {
        unitsSpentBefore &+ unitsGranted &- unitsLeft &+ Self.unitsMaxForHints &- unitsLeftForHints
    }

    /// For what was within a budget before and has to be done again: a stored app at the start.
    package static var unlimited: WorkBudget { WorkBudget(units: Int.max) }

    /// Makes the budget full again, for the next request or for a part that has a budget of its own.
    package func renew(units: Int = WorkBudget.unitsMax) {
        unitsSpentBefore = unitsSpent
        unitsGranted = units
        unitsLeft = units
        unitsLeftForHints = Self.unitsMaxForHints
    }

    /// Takes units for work that comes next.
    ///
    /// - Throws: `WorkBudgetError` if fewer units are left; then none are left afterwards.
    @inline(__always)
    package func spend(_ work: Work) throws(WorkBudgetError) {
        guard canAfford(work) else {
            unitsLeft = 0
            throw WorkBudgetError()
        }
        unitsLeft -= work.units
    }

    /// Whether enough units are left, for code that can stop early with a part of the result.
    @inline(__always)
    package func canAfford(_ work: Work) -> Bool { work.units <= unitsLeft }

    /// Takes units for a proposal; false: there are too few, and no proposal is made.
    func spendForHint(_ units: Int) -> Bool {
        guard units <= unitsLeftForHints else { return false }
        unitsLeftForHints -= units
        return true
    }

    /// Sets what is left, for code that counts by itself in between.
    func settle(unitsLeft: Int) {
        self.unitsLeft = unitsLeft
    }
}

/// Kinds of work by what they cost. A unit is 5 to 15 ns, depending on the machine and the kind.
package enum Work {
    /// Small steps of a search, such as one instruction of a pattern: a unit each.
    case steps(Int)
    /// Sessions, entries or names that are looked at: four units each.
    case entries(Int)
    /// Bytes that are read as JSON: a unit each.
    case parsing(bytes: Int)
    /// Bytes that are loaded, copied or compared: a unit for 32.
    case moving(bytes: Int)

    package var units: Int {
        switch self {
        case .steps(let count): count
        case .entries(let count): count * 4
        case .parsing(let bytes): bytes
        case .moving(let bytes): bytes / 32
        }
    }
}

/// The request takes more work than its budget has.
package struct WorkBudgetError: Error, Equatable {
    package init() {}
}
