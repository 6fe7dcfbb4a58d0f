// A schema's statements on the members of its objects: their schemas, types and defaults.

internal import Bytes

extension JSONSchema {
    /// The schema of a member, if there is one. References and `allOf` are followed, and if they do
    /// not mention the member, the alternatives of `anyOf` and `oneOf`.
    public func property(
        _ name: String, work: WorkBudget
    ) throws(WorkBudgetError) -> JSONSchema? {
        let own = try conjuncts(of: root, work)
        let demanded = try memberNodes(name, in: own, work)
        if !demanded.isEmpty { return combined(.all(demanded), demanded) }
        var possible: [Int] = []
        for alternative in own.flatMap({ $0.alternatives }) {
            try work.spend(.entries(1))
            let nodes = try conjuncts(of: nodes[alternative], work)
            possible += try memberNodes(name, in: nodes, work)
        }
        let isOpen = own.contains(where: { $0.hasOpenAlternatives })
        if possible.isEmpty {
            let rest = own.compactMap { $0.unevaluated }
            return rest.isEmpty ? nil : combined(.all(rest), rest)
        }
        return combined(.any(possible), possible, accepting: isOpen ? .any : nil)
    }

    /// The schema of an element, if there is one. References, `allOf` and alternatives are followed
    /// as for a member.
    public func element(
        at index: Int, work: WorkBudget
    ) throws(WorkBudgetError) -> JSONSchema? {
        let own = try conjuncts(of: root, work)
        let demanded = own.compactMap { $0.elements?.node(at: index) }
        if !demanded.isEmpty { return combined(.all(demanded), demanded) }
        var possible: [Int] = []
        for alternative in own.flatMap({ $0.alternatives }) {
            try work.spend(.entries(1))
            let nodes = try conjuncts(of: nodes[alternative], work)
            possible += nodes.compactMap { $0.elements?.node(at: index) }
        }
        return possible.isEmpty ? nil : combined(.any(possible), possible)
    }

    /// The names in `required`, here and in the schemas that must also be satisfied.
    public func requiredNames(work: WorkBudget) throws(WorkBudgetError) -> [String] {
        var found: [String] = []
        var known: Set<ExactString> = []
        for node in try conjuncts(of: root, work) {
            for case .required(let names) in node.assertions {
                try work.spend(.entries(names.count))
                found += names.filter { known.insert(ExactString($0)).inserted }
            }
        }
        return found
    }

    /// The values among which all valid ones are, if the schema lists them with `enum` or `const`,
    /// or accepts only true and false. Nil if there may be any number of others.
    public func listedValues(work: WorkBudget) throws(WorkBudgetError) -> [JSON]? {
        for node in try conjuncts(of: root, work) {
            for case .enumeration(let choice) in node.assertions { return choice.values }
        }
        return acceptedTypes.isSubset(of: [.boolean, .null])
            ? [.bool(false), .bool(true), .null] : nil
    }

    /// The types that valid values can have, by `type`, `enum`, `const` and the combined schemas.
    public var acceptedTypes: JSONTypes { root.accepted }

    /// Whether a value of one of these types can be valid.
    public func accepts(_ types: JSONTypes) -> Bool {
        !acceptedTypes.isDisjoint(with: types)
    }

    /// The params, followed by the defaults of the missing members in the order of the schema.
    public func fillingDefaults(
        _ params: JSONObject, work: WorkBudget
    ) throws(WorkBudgetError) -> JSONObject {
        guard !defaults.isEmpty else { return params }
        try work.spend(.entries(defaults.count))
        let index = JSONObjectIndex(params)
        var filled = params
        for member in defaults.members where index[member.key] == nil {
            filled.append(member.key, member.value)
        }
        return filled
    }
}

extension JSONSchema {
    /// The schema with the defaults of its members, in the order of the schema.
    ///
    /// - Parameters:
    ///   - node: the root's index in `nodes`.
    ///   - known: the defaults that each node declares itself. It is filled as nodes are met, so
    ///     that a definition to which many schemas refer is searched once.
    func withDefaults(
        node: Int, known: inout [Int: JSONObject], work: WorkBudget
    ) throws(WorkBudgetError) -> JSONSchema {
        var found = JSONObject()
        var names: Set<ExactString> = []
        for node in [node] + (try conjunctIndices(of: root, work)) {
            if known[node] == nil { known[node] = try defaults(declaredBy: nodes[node], work) }
            let own = known[node, default: JSONObject()]
            try work.spend(.entries(own.count * 4))
            for member in own.members where names.insert(ExactString(member.key)).inserted {
                found.append(member.key, member.value)
            }
        }
        return JSONSchema(nodes: nodes, root: root, defaults: found)
    }

    private func defaults(
        declaredBy node: SchemaNode, _ work: WorkBudget
    ) throws(WorkBudgetError) -> JSONObject {
        var found = JSONObject()
        guard let members = node.members else { return found }
        try work.spend(.entries(members.names.count * 4))
        for name in members.names {
            guard let value = try defaultValue(of: name, in: members, work) else { continue }
            found.append(name, value)
        }
        return found
    }

    /// The problems of defaults that are invalid themselves.
    func problemsOfDefaults(
        at pointer: JSONPointer, work: WorkBudget
    ) throws(WorkBudgetError) -> [SchemaError] {
        var problems: [SchemaError] = []
        for member in defaults.members {
            guard let schema = try property(member.key, work: work),
                let problem = try schema.validate(member.value, work: work).first
            else { continue }
            let defaultPointer = pointer.appending("properties").appending(member.key).appending(
                "default")
            problems.append(
                SchemaError(
                    pointer: defaultPointer.appending(problem.pointer),
                    detail: "does not match the schema it is the default of: it \(problem.detail)"))
        }
        return problems
    }

    private func defaultValue(
        of name: String, in members: SchemaMembers, _ work: WorkBudget
    ) throws(WorkBudgetError) -> JSON? {
        guard let node = members.nodes[ExactString(name)] else { return nil }
        if let value = nodes[node].defaultValue { return value }
        return try conjuncts(of: nodes[node], work).lazy.compactMap { $0.defaultValue }.first
    }

    /// The node and all nodes that apply to the same value by reference or `allOf`.
    func conjuncts(
        of node: SchemaNode, _ work: WorkBudget
    ) throws(WorkBudgetError) -> [SchemaNode] {
        guard !node.conjuncts.isEmpty else { return [node] }
        return [node] + (try conjunctIndices(of: node, work)).map { nodes[$0] }
    }

    /// The nodes that must hold with this one for the same value, without itself.
    private func conjunctIndices(
        of node: SchemaNode, _ work: WorkBudget
    ) throws(WorkBudgetError) -> [Int] {
        var found: [Int] = []
        var open = Array(node.conjuncts.reversed())
        guard !open.isEmpty else { return found }
        var known: Set<Int> = []
        while let next = open.popLast() {
            guard known.insert(next).inserted else { continue }
            let others = nodes[next].conjuncts
            try work.spend(.entries(4 + others.count))
            found.append(next)
            open += others.reversed()
        }
        return found
    }

    private func memberNodes(
        _ name: String, in nodes: [SchemaNode], _ work: WorkBudget
    ) throws(WorkBudgetError) -> [Int] {
        var found: [Int] = []
        for members in nodes.compactMap({ $0.members }) {
            try work.spend(.entries(2 + members.patterns.count))
            let before = found.count
            if let own = members.nodes[ExactString(name)] { found.append(own) }
            for (pattern, node) in members.patterns {
                if try pattern.matches(name, work: work) == .matches { found.append(node) }
            }
            if found.count == before, let rest = members.rest { found.append(rest) }
        }
        return found
    }

    /// A schema whose root is one of these nodes, or a new one that combines them.
    ///
    /// - Parameter types: the types that it accepts, unless they follow from the nodes.
    private func combined(
        _ combination: SchemaAssertion, _ others: [Int], accepting types: JSONTypes? = nil
    ) -> JSONSchema {
        guard others.count > 1 else {
            var root = nodes[others[0]]
            if let types { root.accepted = types }
            return JSONSchema(nodes: nodes, root: root)
        }
        let wanted = types
        var node = SchemaNode()
        node.assertions = [combination]
        let types = others.map { nodes[$0].accepted }
        if case .all = combination {
            node.accepted = types.reduce(.any) { $0.intersection($1) }
        } else {
            node.accepted = types.reduce([]) { $0.union($1) }
        }
        if let wanted { node.accepted = wanted }
        return JSONSchema(nodes: nodes, root: node)
    }
}
