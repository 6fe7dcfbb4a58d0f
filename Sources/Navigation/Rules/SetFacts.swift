public import JSON

extension SessionEditor {
    /// Sets facts, removes what is then under a guard that fails, and resumes the pending command
    /// if its guard holds now.
    mutating func setFacts(_ command: SetFacts) throws(RejectionError) {
        let changed = try facts.setting(
            command.facts, of: rules.app, at: pointer + "/facts", work: work)
        guard let changed else { return }
        set(changed)
        guard let app = rules.app, !app.guards.isEmpty, rules.obeysGuards else { return }
        if let open = state.removingGuarded(by: app, facts)?.state { perform(.stateSet(open)) }
        guard let pending, app.guards.named[pending.guardName]?.holds(facts) ?? true else { return }
        resume(pending)
    }
}

extension Facts {
    /// The facts with some of them set, or nil if that changes nothing.
    ///
    /// - Parameters:
    ///   - wanted: the values by name; null stands for the default.
    ///   - pointer: the pointer to `wanted`.
    func setting(
        _ wanted: JSONObject, of app: App?, at pointer: String, work: WorkBudget
    ) throws(RejectionError) -> Facts? {
        let declared = app?.guards.facts ?? []
        var faults = Faults()
        for member in wanted.members where !faults.isFull {
            func place() -> String { pointer + "/" + JSONPointer.escaped(member.key) }
            guard let fact = declared.first(where: { $0.name.isNamed(member.key) }) else {
                let names = declared.lazy.map { $0.name.rawValue }
                let near = Spelling.near(member.key, among: names, work: work)
                throw .unknownFact(member.key, near: near, pointer: place())
            }
            if member.value != .null {
                faults.append(try fact.checked(member.value, at: place, work: work))
            }
        }
        guard faults.isEmpty else { throw .invalidParams(faults.all) }
        var isChanged = false
        let facts = declared.map { fact -> (name: FactName, value: JSON) in
            let old = self[fact.name] ?? fact.fallback
            guard var new = wanted[fact.name.rawValue] else { return (fact.name, old) }
            if new == .null { new = fact.fallback }
            guard new != old else { return (fact.name, old) }
            isChanged = true
            return (fact.name, new)
        }
        return isChanged ? Facts(facts) : nil
    }

    /// The facts that an app declares: the values from here that are valid, and defaults otherwise.
    public func fitted(to app: App?, work: WorkBudget) throws(WorkBudgetError) -> Facts {
        guard let declared = app?.guards.facts, !declared.isEmpty else { return .none }
        var isChanged = names != declared.map { $0.name }
        var fitted: [(name: FactName, value: JSON)] = []
        for fact in declared {
            if let value = self[fact.name],
                try fact.faults(of: value, at: "", work: work).isEmpty
            {
                fitted.append((fact.name, value))
            } else {
                fitted.append((fact.name, fact.fallback))
                isChanged = true
            }
        }
        return isChanged ? Facts(fitted) : self
    }
}

extension DeclaredFact {
    fileprivate func checked(
        _ value: JSON, at pointer: () -> String, work: WorkBudget
    ) throws(RejectionError) -> [InputFault] {
        guard value.bytes.count <= Limits.factBytesMax else {
            throw .limitExceeded(
                "A fact can have at most \(Limits.factBytesMax) bytes as JSON.",
                pointer: pointer())
        }
        do {
            return try faults(of: value, at: pointer(), work: work)
        } catch {
            throw .tooMuchWork(.request)
        }
    }
}
