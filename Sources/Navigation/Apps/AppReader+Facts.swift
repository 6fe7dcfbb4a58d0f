internal import Bytes
internal import JSON

// The `facts` and `guards` in the document of an app.

extension AppReader {
    /// More than a hundred guards is probably a mistake, and one change may have to check all of
    /// them.
    static let guardsMax = 100

    // MARK: - Facts

    /// Reads the facts and adds their schemas to the compiler.
    mutating func readFacts(
        _ object: JSONObject, _ compiler: inout SchemaCompiler
    ) throws(WorkBudgetError) {
        guard object.count <= Limits.factsMax else {
            return refuse(
                "/facts", "must have at most \(Limits.factsMax) facts", isLimit: true)
        }
        for member in object.members {
            guard
                let (name, body, pointer): (FactName, _, _) = declaration(
                    member, in: "facts", form: "an object with a default")
            else { continue }
            guard let body else {
                guards.faultyFacts.insert(name)
                continue
            }
            var reader = ObjectReader(body, at: pointer, work: work)
            let fallback = reader.required("default")
            let document = reader.value("schema")
            reader.allowNotes()
            reader.refuseUnknown()
            errors.append(reader.faults)
            var fact = DeclaredFact(name: name, fallback: fallback ?? .null)
            if let document {
                let place = JSONPointer(trusted: pointer).appending("schema")
                fact.root = try compiler.add(document, at: place)
                errors.append(compiler.takeProblems().map(InputFault.init))
            }
            if fallback != nil {
                guards.facts.append(fact)
            } else {
                guards.faultyFacts.insert(name)
            }
        }
    }

    /// Takes the schemas of the facts from the compiler, which has settled.
    mutating func compileFacts(_ compiler: inout SchemaCompiler) throws(WorkBudgetError) {
        for index in guards.facts.indices {
            guard let root = guards.facts[index].root else { continue }
            guards.facts[index].schema = try compiler.schema(
                root, checksDefaults: checks == .all)
        }
    }

    /// Checks that the default of each fact is a value that the fact can have.
    mutating func checkDefaults() throws(WorkBudgetError) {
        guard checks == .all else { return }
        for fact in guards.facts {
            let pointer = "/facts/" + JSONPointer.escaped(fact.name.rawValue) + "/default"
            errors.append(try fact.faults(of: fact.fallback, at: pointer, work: work))
        }
    }

    // MARK: - Guards

    /// Reads the guards, and assigns them to the routes that name them.
    mutating func readGuards(_ object: JSONObject) throws(WorkBudgetError) {
        guard object.count <= Self.guardsMax else {
            return refuse(
                "/guards", "must have at most \(Self.guardsMax) guards", isLimit: true)
        }
        for member in object.members {
            guard
                let (name, body, pointer): (GuardName, _, _) = declaration(
                    member, in: "guards", form: "an object with a condition, when")
            else { continue }
            guards.order.append(name)
            guards.named[name] = Guard(
                name: name, index: guards.order.count - 1, when: JSONObject(), conditions: [],
                instead: nil)
            if let body { guards.named[name] = try readGuard(body, name, at: pointer) }
        }
        for name in routeOrder {
            guard let names = routes[name]?.guardNames else { continue }
            let pointer = "/routes/" + JSONPointer.escaped(name.rawValue) + "/guard"
            guards.ofRoutes[name] = declaredGuards(names, at: pointer)
        }
    }

    private mutating func readGuard(
        _ object: JSONObject, _ name: GuardName, at pointer: String
    ) throws(WorkBudgetError) -> Guard {
        var reader = ObjectReader(object, at: pointer, work: work)
        let when = reader.requiredObject("when")
        let instead = reader.value("instead")
        reader.allowNotes()
        reader.refuseUnknown()
        errors.append(reader.faults)
        var conditions: [Guard.Condition] = []
        if let when { conditions = try readConditions(when, at: pointer + "/when") }
        let command = instead.flatMap { readInstead($0, of: name, at: pointer + "/instead") }
        return Guard(
            name: name, index: guards.order.count - 1, when: when ?? JSONObject(),
            conditions: conditions, instead: command)
    }

    private mutating func readConditions(
        _ when: JSONObject, at pointer: String
    ) throws(WorkBudgetError) -> [Guard.Condition] {
        if when.isEmpty { refuse(pointer, "must name a fact and the value that it must have") }
        var conditions: [Guard.Condition] = []
        for member in when.members {
            let place = pointer + "/" + JSONPointer.escaped(member.key)
            let names = guards.facts.lazy.map { $0.name.rawValue }
            guard let fact = guards.facts.first(where: { $0.name.isNamed(member.key) }) else {
                if let name = FactName(member.key), guards.faultyFacts.contains(name) { continue }
                let hint = Spelling.proposal(for: member.key, among: names, work: work)
                refuse(place, "is an unknown fact\(hint)")
                continue
            }
            let values = try readValues(member.value, of: fact, at: place)
            conditions.append(Guard.Condition(fact: fact.name, values: values))
        }
        return conditions
    }

    /// Reads a value, or the values if it is an array, which the fact must be able to have.
    private mutating func readValues(
        _ value: JSON, of fact: DeclaredFact, at pointer: String
    ) throws(WorkBudgetError) -> [JSON] {
        guard case .array(let values) = value else {
            if checks == .all {
                errors.append(try fact.faults(of: value, at: pointer, work: work))
            }
            return [value]
        }
        if values.isEmpty { refuse(pointer, "must have at least one value") }
        if checks == .all {
            for (index, value) in values.enumerated() where !errors.isFull {
                errors.append(try fact.faults(of: value, at: "\(pointer)/\(index)", work: work))
            }
        }
        return values
    }

    /// The guards that a route, a tab or a link names. Nil if one of them is unknown, which is an
    /// error.
    mutating func declaredGuards(_ names: GuardNames, at pointer: String) -> GuardList? {
        var found: [Guard] = []
        for (index, name) in names.names.enumerated() {
            if let declared = declaredGuard(name, at: names.pointer(to: index, in: pointer)) {
                found.append(declared)
            }
        }
        guard !found.isEmpty, found.count == names.names.count else { return nil }
        return GuardList(declared: names.declared, guards: found)
    }

    /// The guard of that name.
    private mutating func declaredGuard(_ name: GuardName, at pointer: String) -> Guard? {
        if let found = guards.named[name] { return found }
        guard !errors.isFull else { return nil }
        let names = guards.named.keys.lazy.map { $0.rawValue }
        let hint = Spelling.proposal(for: name.rawValue, among: names, work: work)
        refuse(pointer, "names the unknown guard \(name)\(hint)")
        return nil
    }

    // MARK: - Tabs

    /// Assigns a tab the guards that it names, or those of its root.
    mutating func guardTab(_ tab: AppTab, at pointer: String) {
        let ofRoot = guards.ofRoutes[tab.root.route]
        guard let names = tab.guardNames else { return guards.ofTabs[tab.id] = ofRoot }
        guard let own = declaredGuards(names, at: pointer + "/guard") else { return }
        for rooted in ofRoot?.guards ?? [] where !names.names.contains(rooted.name) {
            refuse(
                pointer + "/guard",
                "must name \(rooted.name), a guard of the root \(tab.root.route)")
        }
        guards.ofTabs[tab.id] = own
    }

    /// Checks that there is a tab that is always open.
    mutating func checkOpenTab() {
        guard checks == .all, !tabs.isEmpty else { return }
        if tabs.allSatisfy({ guards.ofTabs[$0.id] != nil }) {
            refuse("/tabs", "must have a tab without a guard")
        }
    }
}

extension Name {
    /// Whether the text, which a client sent, is this name.
    func isNamed(_ text: String) -> Bool { rawValue == text }
}
