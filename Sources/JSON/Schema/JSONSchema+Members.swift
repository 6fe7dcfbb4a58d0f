// Asking a schema about its members: their schemas, their types, their defaults.

extension JSONSchema {
    /// The schema of a member, or nil if the schema says nothing about it. References and `allOf`
    /// are followed; where these say nothing, the alternatives of `anyOf` and `oneOf`.
    package func property(_ name: String) -> JSONSchema? {
        let own = conjuncts(of: root)
        let demanded = own.flatMap { memberNodes(name, in: nodes[$0]) }
        if !demanded.isEmpty { return place(.all(demanded), demanded) }
        let possible = own.flatMap { alternatives(of: nodes[$0]) }
            .flatMap { conjuncts(of: $0) }
            .flatMap { memberNodes(name, in: nodes[$0]) }
        return possible.isEmpty ? nil : place(.any(possible), possible)
    }

    /// The schema of an element, or nil if the schema says nothing about it.
    package func element(at index: Int) -> JSONSchema? {
        let demanded = conjuncts(of: root).compactMap { nodes[$0].elements?.node(at: index) }
        return demanded.isEmpty ? nil : place(.all(demanded), demanded)
    }

    /// The types of the values that can be valid: what `type`, `enum`, `const` and the schemas they
    /// are combined with leave.
    package var acceptedTypes: JSONTypes { nodes[root].accepted }

    /// Whether a value of one of these types can be valid.
    package func accepts(_ types: JSONTypes) -> Bool {
        !acceptedTypes.isDisjoint(with: types)
    }

    /// The value that a text from outside JSON, such as a part of a URL, stands for under this
    /// schema, or nil if it stands for none. A string that is valid comes first; then a number as
    /// JSON writes it, `true` and `false`, and `null`.
    package func convert(_ text: String) -> JSON? {
        readings(of: text).first { accepts($0.type) && validate($0).isEmpty }
    }

    /// The params with a default for each member that is absent and has one, in the order of the
    /// schema behind those that are there.
    package func fillingDefaults(_ params: JSONObject) -> JSONObject {
        guard !defaults.isEmpty else { return params }
        let index = JSONObjectIndex(params)
        var filled = params
        for member in defaults.members where index[member.key] == nil {
            filled.append(member.key, member.value)
        }
        return filled
    }

    private func readings(of text: String) -> [JSON] {
        var readings = [JSON.string(text)]
        if let number = Self.number(text) { readings.append(number) }
        switch text {
        case "true": readings.append(.bool(true))
        case "false": readings.append(.bool(false))
        case "null": readings.append(.null)
        default: break
        }
        return readings
    }

    /// Reads a number as JSON writes it, without the blanks that JSON would allow around it.
    private static func number(_ text: String) -> JSON? {
        guard let first = text.utf8.first, let last = text.utf8.last,
            first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") < 10,
            last &- UInt8(ascii: "0") < 10
        else { return nil }
        return try? JSON(parsing: Array(text.utf8))
    }
}

extension JSONSchema {
    /// The defaults of the members, in the order of the schema.
    func collectDefaults() -> JSONObject {
        var found = JSONObject()
        var known: Set<ExactString> = []
        for node in conjuncts(of: root) {
            guard let members = nodes[node].members else { continue }
            for name in members.names {
                guard let value = defaultValue(of: name, in: members),
                    known.insert(ExactString(text: name)).inserted
                else { continue }
                found.append(name, value)
            }
        }
        return found
    }

    /// Refuses defaults that would never pass.
    func checkDefaults(at pointer: JSONPointer) throws(SchemaErrors) {
        var problems: [SchemaProblem] = []
        for member in defaults.members {
            guard let schema = property(member.key) else { continue }
            guard let problem = schema.validate(member.value).first else { continue }
            let place = pointer.appending("properties").appending(member.key).appending("default")
            problems.append(
                SchemaProblem(
                    pointer: place.appending(problem.pointer),
                    detail: "does not match the schema it is the default of: it \(problem.detail)"))
        }
        guard problems.isEmpty else { throw SchemaErrors(problems: problems) }
    }

    private func defaultValue(of name: String, in members: SchemaMembers) -> JSON? {
        guard let node = members.nodes[ExactString(text: name)] else { return nil }
        return conjuncts(of: node).lazy.compactMap { nodes[$0].defaultValue }.first
    }

    /// The node and all that must hold with it for the same value, by reference or `allOf`.
    private func conjuncts(of node: Int) -> [Int] {
        var found: [Int] = []
        var known: Set<Int> = []
        var open = [node]
        while let next = open.popLast() {
            guard known.insert(next).inserted else { continue }
            found.append(next)
            for assertion in nodes[next].assertions.reversed() {
                if case .reference(let other) = assertion { open.append(other) }
                if case .all(let others) = assertion { open += others.reversed() }
            }
        }
        return found
    }

    private func alternatives(of node: SchemaNode) -> [Int] {
        node.assertions.flatMap { assertion -> [Int] in
            if case .any(let nodes) = assertion { return nodes }
            if case .one(let nodes) = assertion { return nodes }
            return []
        }
    }

    private func memberNodes(_ name: String, in node: SchemaNode) -> [Int] {
        guard let members = node.members else { return [] }
        var found: [Int] = []
        if let own = members.nodes[ExactString(text: name)] { found.append(own) }
        for (pattern, node) in members.patterns where pattern.matches(name) == .matches {
            found.append(node)
        }
        if found.isEmpty, let rest = members.rest { found.append(rest) }
        return found
    }

    /// A schema whose root is one of these nodes, or a new one that combines them.
    private func place(_ combination: SchemaAssertion, _ others: [Int]) -> JSONSchema {
        guard others.count > 1 else { return JSONSchema(nodes: nodes, root: others[0]) }
        var node = SchemaNode()
        node.assertions = [combination]
        let types = others.map { nodes[$0].accepted }
        if case .all = combination {
            node.accepted = types.reduce(.any) { $0.intersection($1) }
        } else {
            node.accepted = types.reduce([]) { $0.union($1) }
        }
        return JSONSchema(nodes: nodes + [node], root: nodes.count)
    }
}
