// Whether a schema accepts every text, as far as that is known without a value.

extension JSONSchema {
    /// Whether every text is valid. False where it is not certain.
    public func takesEveryText(work: WorkBudget) throws(WorkBudgetError) -> Bool {
        var search = EveryText(nodes: nodes, work: work)
        return try search.isTaken(by: root)
    }

    /// Whether every member or element of a value is checked by itself, so that it is enough to
    /// look at one of them. False where it is not certain.
    public func checksMembersAlone(work: WorkBudget) throws(WorkBudgetError) -> Bool {
        for node in try conjuncts(of: root, work) {
            try work.spend(.entries(1 + node.assertions.count))
            guard node.assertions.allSatisfy({ $0.checksMembersAlone }) else { return false }
        }
        return true
    }
}

extension SchemaAssertion {
    fileprivate var checksMembersAlone: Bool {
        switch self {
        case .nothing, .enumeration, .uniqueElements, .contains, .any, .one, .not, .condition: false
        case .types, .lower, .upper, .multiple, .lengths, .pattern, .elements, .elementCount,
            .members, .memberCount, .required, .dependents, .memberNames, .all, .reference:
            true
        }
    }
}

private struct EveryText {
    let nodes: [SchemaNode]
    let work: WorkBudget
    /// The answer of each node that was looked at, since many may refer to the same one.
    private var known: [Int: Bool] = [:]
    private var depth = 0

    init(nodes: [SchemaNode], work: WorkBudget) {
        self.nodes = nodes
        self.work = work
    }

    mutating func isTaken(by node: SchemaNode) throws(WorkBudgetError) -> Bool {
        try work.spend(.entries(1 + node.assertions.count))
        for assertion in node.assertions {
            guard try isTaken(by: assertion) else { return false }
        }
        return true
    }

    private mutating func isTaken(by index: Int) throws(WorkBudgetError) -> Bool {
        if let answer = known[index] { return answer }
        depth += 1
        defer { depth -= 1 }
        guard depth <= JSONSchema.depthMax else { return false }
        let answer = try isTaken(by: nodes[index])
        known[index] = answer
        return answer
    }

    private mutating func isTaken(
        by assertion: SchemaAssertion
    ) throws(WorkBudgetError) -> Bool {
        switch assertion {
        case .types(let types): return types.contains(.string)
        case .lengths(let least, let most): return (least ?? 0) == 0 && most == nil
        case .nothing, .enumeration, .pattern, .one, .not: return false
        case .reference(let node): return try isTaken(by: node)
        case .all(let nodes):
            for node in nodes where try !isTaken(by: node) { return false }
            return true
        case .any(let nodes):
            for node in nodes where try isTaken(by: node) { return true }
            return false
        case .condition(let condition):
            for node in condition.branches where try !isTaken(by: node) { return false }
            return true
        case .lower, .upper, .multiple, .elements, .elementCount, .uniqueElements, .contains,
            .members, .memberCount, .required, .dependents, .memberNames:
            return true
        }
    }
}
