public import JSON

/// The facts and the guards that an app declares.
public struct AppGuards: Sendable {
    /// The facts in the order of their declaration.
    public var facts: [DeclaredFact] = []
    /// Facts with an error in their declaration: a guard that names one has no other error.
    var faultyFacts: Set<FactName> = []
    /// The guards by their names.
    public var named: [GuardName: Guard] = [:]
    /// The names of the guards in the order of their declaration.
    var order: [GuardName] = []
    /// The guards of the routes that have some.
    public var ofRoutes: [RouteName: GuardList] = [:]
    /// The guards of the tabs that have some, their own or those of their root.
    public var ofTabs: [TabID: GuardList] = [:]

    /// The guards in the order of their declaration.
    public var declared: [Guard] { order.compactMap { named[$0] } }

    /// Whether there are no guards.
    public var isEmpty: Bool { named.isEmpty }
}

/// A fact as the app declares it.
public struct DeclaredFact: Sendable {
    /// The name of the fact.
    public var name: FactName
    /// The value of a new session; never null.
    public var fallback: JSON
    /// The schema of the values, or nil if any value is allowed.
    public var schema: JSONSchema?
    /// The schema while it is being compiled.
    var root: SchemaCompiler.Root?

    /// The faults of a value, as many as a list of faults can hold.
    func faults(
        of value: JSON, at pointer: @autoclosure () -> String, work: WorkBudget
    ) throws(WorkBudgetError) -> [InputFault] {
        guard value != .null else {
            return [InputFault(pointer: pointer(), detail: "must not be null")]
        }
        guard value.bytes.count <= Limits.factBytesMax else {
            let detail = "must be at most \(Limits.factBytesMax) bytes as JSON"
            return [InputFault(pointer: pointer(), detail: detail, isLimit: true)]
        }
        return try schema?.validate(value, at: JSONPointer(trusted: pointer()), work: work)
            .map(InputFault.init) ?? []
    }
}

/// A guard as the app declares it: a condition on facts, and what is shown while it fails.
public final class Guard: Sendable {
    /// The name of the guard.
    public let name: GuardName
    /// The place in the order of the declaration.
    let index: Int
    /// The condition as it was declared: facts and the values that they must have.
    public let when: JSONObject
    /// The command that shows something instead of the guarded screen, or nil if it is refused.
    public let instead: Command?
    /// The condition on each of the facts.
    public let conditions: [Condition]

    /// A fact and the values that satisfy the condition.
    public struct Condition: Sendable {
        /// The name of the fact.
        public var fact: FactName
        /// The values, at least one.
        public var values: [JSON]
    }

    init(
        name: GuardName, index: Int, when: JSONObject, conditions: [Condition], instead: Command?
    ) {
        self.name = name
        self.index = index
        self.when = when
        self.conditions = conditions
        self.instead = instead
    }

    /// Whether each of the facts has one of the values that the guard names. Values are compared as
    /// JSON, in which 1 equals 1.0.
    public func holds(_ facts: Facts) -> Bool {
        conditions.allSatisfy { condition in
            facts[condition.fact].map { condition.values.contains($0) } ?? false
        }
    }

    /// The refusal of a command that cannot be held back.
    func refusal(_ facts: Facts) -> RejectionError {
        let unmet = conditions.compactMap { condition in
            let value = facts[condition.fact] ?? .null
            return condition.values.contains(value)
                ? nil : UnmetFact(name: condition.fact, value: value, needs: condition.values)
        }
        return .guarded(name, when: when, facts: unmet)
    }
}

/// A fact because of which a guard fails.
public struct UnmetFact: Equatable, Sendable {
    /// The name of the fact.
    public var name: FactName
    /// The value of the fact.
    public var value: JSON
    /// The values of which the guard needs one.
    public var needs: [JSON]
}

extension App {
    /// The facts of a new session.
    public var defaultFacts: Facts {
        guards.facts.isEmpty ? .none : Facts(guards.facts.map { ($0.name, $0.fallback) })
    }

    /// The guards that fail under the facts.
    public func failingGuards(_ facts: Facts) -> GuardSet {
        guards.named.values.reduce(GuardSet(0)) { failing, guarded in
            guarded.holds(facts) ? failing : failing | (1 << guarded.index)
        }
    }

    /// Whether a tab has no guards, or all of them hold.
    public func isOpen(_ tab: TabID, _ facts: Facts) -> Bool {
        guards.isEmpty || guards.ofTabs[tab].map { $0.holds(facts) } ?? true
    }
}

extension NavigationState {
    /// The index of the first tab that is neither hidden nor under a guard that fails. If there is
    /// none, the index of the first tab without a guard.
    public func firstTab(_ app: App?, _ facts: Facts) -> Int {
        guard let app, !app.guards.isEmpty else { return tabs.firstIndex { !$0.isHidden } ?? 0 }
        return tabs.firstIndex { !$0.isHidden && app.isOpen($0.id, facts) }
            ?? tabs.firstIndex { app.guards.ofTabs[$0.id] == nil } ?? 0
    }
}
