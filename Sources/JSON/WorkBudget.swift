/// The work that one request may cause, counted in one place for everything that the request does.
///
/// One event loop serves all clients, so while it works on one request all others wait. Code whose
/// work grows faster than the bytes of the request takes units from the request's budget before it
/// does the work. The first call that finds too few units left throws `BudgetExceeded`, and the
/// request ends without an effect.
///
/// A budget belongs to one call of the loop: a request that waits for the disk is called again
/// later, with a full budget. It is not `Sendable`, as it never leaves the loop.
package final class WorkBudget {
    /// About 20 ms on an ordinary machine. A session of 1 MiB whose schemas ask a few questions
    /// of each value takes a quarter of it.
    package static let unitsMax = 2_000_000

    package private(set) var unitsLeft: Int

    package init(units: Int = WorkBudget.unitsMax) {
        unitsLeft = units
    }

    /// Makes the budget full again, for the next request.
    package func renew() {
        unitsLeft = Self.unitsMax
    }

    /// Takes units for work that comes next.
    ///
    /// - Throws: `BudgetExceeded` if fewer units are left; then none are left afterwards.
    @inline(__always)
    package func spend(_ work: Work) throws(BudgetExceeded) {
        guard canAfford(work) else {
            unitsLeft = 0
            throw BudgetExceeded()
        }
        unitsLeft -= work.units
    }

    /// Whether enough units are left, for code that can stop early with a part of the result.
    @inline(__always)
    package func canAfford(_ work: Work) -> Bool { work.units <= unitsLeft }
}

/// Kinds of work by what they cost. A unit is about 10 ns.
package enum Work {
    /// Nodes of a schema, members that are looked up, steps of a pattern: a unit each.
    case steps(Int)
    /// Sessions, entries or names that a search looks at: four units each.
    case entries(Int)
    /// Bytes that are read as JSON: a unit for two.
    case parsing(bytes: Int)
    /// Bytes that are loaded, copied or compared: a unit for 32.
    case moving(bytes: Int)

    package var units: Int {
        switch self {
        case .steps(let count): count
        case .entries(let count): count * 4
        case .parsing(let bytes): bytes / 2
        case .moving(let bytes): bytes / 32
        }
    }
}

/// The request takes more work than its budget has.
package struct BudgetExceeded: Error, Equatable {
    package init() {}
}
