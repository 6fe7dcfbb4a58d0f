internal import Bytes
internal import JSON

/// Looks for chains of guards that lead back to their beginning, which an app must not have.
///
/// Guards whose offers can lead to each other are a ring. For each ring, all combinations of the
/// values of the facts are tried on which its guards depend.
struct GuardRings {
    private(set) var errors = Faults()
    private(set) var warnings = Faults()
    private let app: App
    private let work: WorkBudget
    private let guards: [Guard]
    private let offers: [GuardedOffer]

    /// The largest number of combinations of a ring that are tried.
    static let combinationsMax = 10_000

    init(of app: App, work: WorkBudget) throws(WorkBudgetError) {
        self.app = app
        self.work = work
        guards = app.guards.declared
        var offers: [GuardedOffer] = []
        for candidate in guards {
            var offer = GuardedOffer()
            if let command = candidate.instead {
                offer = try GuardedOffer(command, of: app, work: work)
            }
            offers.append(offer)
        }
        self.offers = offers
    }

    mutating func check() throws(WorkBudgetError) {
        for ring in rings() where !errors.isFull { try check(ring) }
    }

    // MARK: - Rings

    /// The rings in the order of their first guards.
    private func rings() -> [[Int]] {
        var reached = offers.map { $0.all }
        for middle in reached.indices {
            for index in reached.indices where reached[index] & (1 << middle) != 0 {
                reached[index] |= reached[middle]
            }
        }
        var done: GuardSet = 0
        var rings: [[Int]] = []
        for first in reached.indices where done & (1 << first) == 0 {
            let ring = reached.indices.filter {
                reached[first] & (1 << $0) != 0 && reached[$0] & (1 << first) != 0
            }
            for index in ring { done |= 1 << index }
            if !ring.isEmpty { rings.append(ring) }
        }
        return rings
    }

    private mutating func check(_ ring: [Int]) throws(WorkBudgetError) {
        var facts = try facts(of: ring)
        guard combinations(facts) <= Self.combinationsMax else {
            let detail = "has too many combinations to check; leave out an instead"
            let pointer = "/guards/" + JSONPointer.escaped(guards[ring[0]].name.rawValue)
            return errors.append(InputFault(pointer: pointer, detail: detail, isLimit: true))
        }
        var known: Set<Int> = []
        try forEachLoop(of: ring, facts) { loop, values in
            guard known.insert(loop[0]).inserted else { return }
            errors.append(error(of: loop, facts, values))
        }
        guard known.isEmpty else { return }
        // A fact whose values are not listed may have one that no guard names.
        var isWarned = false
        for index in facts.indices where facts[index].isOpen {
            var one = facts
            one[index].conditions = [one[index].other]
            try forEachLoop(of: ring, one) { loop, _ in
                if !isWarned { warn(of: loop, facts[index].name) }
                isWarned = true
            }
            if isWarned { return }
        }
        for index in facts.indices where facts[index].isOpen {
            facts[index].conditions.append(facts[index].other)
        }
        guard combinations(facts) <= Self.combinationsMax else { return }
        try forEachLoop(of: ring, facts) { loop, values in
            let open = zip(facts, values).first { $0.isOpen && $1 == $0.conditions.count - 1 }
            if let open, !isWarned { warn(of: loop, open.0.name) }
            isWarned = true
        }
    }

    // MARK: - Facts

    /// A fact on which a ring depends.
    private struct RingFact {
        let name: FactName
        /// The values that matter. All others satisfy the same conditions as one of them.
        let values: [JSON]
        /// By the index of a value, the guards whose condition on this fact it satisfies, and those
        /// that have none.
        var conditions: [GuardSet]
        /// The guards that have no condition on this fact.
        let other: GuardSet
        /// Whether it can have a value that no guard names.
        let isOpen: Bool
    }

    /// The facts on which the guards of a ring depend, and those that are asked before them.
    private func facts(of ring: [Int]) throws(WorkBudgetError) -> [RingFact] {
        let asked = ring.reduce(GuardSet(0)) { $0 | (1 << $1) | offers[$1].all }
        var found: [RingFact] = []
        for declared in app.guards.facts {
            var named: [(index: Int, values: [JSON])] = []
            for index in guards.indices where asked & (1 << index) != 0 {
                for condition in guards[index].conditions where condition.fact == declared.name {
                    named.append((index, condition.values))
                }
            }
            guard !named.isEmpty else { continue }
            let bytes = named.joined(by: declared.fallback)
            try work.spend(.parsing(bytes: bytes))
            found.append(try fact(declared, named))
        }
        return found
    }

    private func fact(
        _ declared: DeclaredFact, _ named: [(index: Int, values: [JSON])]
    ) throws(WorkBudgetError) -> RingFact {
        var satisfied: [ExactValue: GuardSet] = [:]
        var values: [JSON] = []
        func add(_ value: JSON, for guards: GuardSet) {
            if satisfied[ExactValue(value)] == nil { values.append(value) }
            satisfied[ExactValue(value), default: 0] |= guards
        }
        for (index, wanted) in named {
            for value in wanted { add(value, for: 1 << index) }
        }
        add(declared.fallback, for: 0)
        let listed = try declared.schema?.listedValues(work: work)
        for value in listed ?? [] where satisfied[ExactValue(value)] == nil {
            // One of those that no guard names stands for all of them.
            guard try declared.faults(of: value, at: "", work: work).isEmpty else { continue }
            add(value, for: 0)
            break
        }
        let other = named.reduce(GuardSet.max) { $0 & ~(1 << $1.index) }
        return RingFact(
            name: declared.name, values: values,
            conditions: values.map { other | satisfied[ExactValue($0), default: 0] },
            other: other, isOpen: listed == nil)
    }

    /// The number of combinations of the values, or a larger number than are tried.
    private func combinations(_ facts: [RingFact]) -> Int {
        facts.reduce(1) { min($0 * $1.conditions.count, Self.combinationsMax + 1) }
    }

    // MARK: - Loops

    /// Follows the chain from each guard of a ring for each combination of values.
    ///
    /// - Parameter body: gets the guards of a loop, from the first one in the document on, and for
    ///   each fact the index of its value.
    private func forEachLoop(
        of ring: [Int], _ facts: [RingFact], _ body: ([Int], [Int]) -> Void
    ) throws(WorkBudgetError) {
        var values = facts.map { _ in 0 }
        for _ in 0..<combinations(facts) {
            try work.spend(.entries(ring.count + facts.count))
            let holding = zip(facts, values).reduce(GuardSet.max) { $0 & $1.0.conditions[$1.1] }
            for loop in loops(of: ring, failing: ~holding) { body(loop, values) }
            // The next combination: the values are the digits of a number.
            for index in facts.indices {
                values[index] += 1
                guard values[index] == facts[index].conditions.count else { break }
                values[index] = 0
            }
        }
    }

    /// The loops of a ring. A chain that leaves it does not come back, and a loop elsewhere belongs
    /// to another ring, on whose facts it depends.
    private func loops(of ring: [Int], failing: GuardSet) -> [[Int]] {
        var loops: [[Int]] = []
        var unseen = ring.reduce(GuardSet(0)) { $0 | (1 << $1) }
        for start in ring where failing & (1 << start) != 0 {
            var chain: [Int] = []
            var next: Int? = start
            while let index = next, unseen & (1 << index) != 0 {
                unseen &= ~(1 << index)
                chain.append(index)
                next = offers[index].first(of: failing)
            }
            // A guard that an earlier chain has seen closes no new loop.
            guard let next, let place = chain.firstIndex(of: next) else { continue }
            let loop = chain[place...]
            let first = loop.indices.min { loop[$0] < loop[$1] } ?? place
            loops.append(Array(loop[first...] + loop[..<first]))
        }
        return loops
    }

    // MARK: - Faults

    private func error(
        of loop: [Int], _ facts: [RingFact], _ values: [Int]
    ) -> InputFault {
        let names = loop.map { guards[$0].name.rawValue }
        var detail = "leads back to itself"
        if names.count > 1 { detail += " through " + names.dropFirst().joined(separator: ", ") }
        let conditions = zip(facts, values).compactMap { fact, value -> String? in
            let isNamed = loop.contains { fact.other & (1 << $0) == 0 }
            return isNamed ? "\(fact.name) is \(fact.values[value].text.clipped)" : nil
        }
        detail += " when " + conditions.joined(separator: " and ")
        let pointer = "/guards/" + JSONPointer.escaped(names[0]) + "/instead"
        return InputFault(pointer: pointer, detail: detail)
    }

    private mutating func warn(of loop: [Int], _ fact: FactName) {
        let names = loop.map { guards[$0].name.rawValue }
        var detail = "with a value that no guard names, "
        if let last = names.last, names.count > 1 {
            detail += names.dropLast().joined(separator: ", ") + " and \(last) lead to each other"
        } else {
            detail += "\(names[0]) leads to itself"
        }
        let pointer = "/facts/" + JSONPointer.escaped(fact.rawValue)
        warnings.append(InputFault(pointer: pointer, detail: detail, code: .guardLoop))
    }
}

extension [(index: Int, values: [JSON])] {
    /// The approximate work of reading all of these values and another one several times.
    fileprivate func joined(by other: JSON) -> Int {
        reduce(other.bytes.count) { $0 + $1.values.reduce(0) { $0 + $1.bytes.count } } * 2
    }
}
