/// Turns a schema's JSON into nodes and collects everything that is wrong with it.
struct SchemaCompiler {
    /// Where a definition is looked up, and its name.
    private struct Definition: Hashable {
        var isApps: Bool
        var name: ExactString
    }

    private let schema: JSON
    private let ownDefinitions: JSONObjectIndex
    private let appDefinitions: JSONObjectIndex
    private let definitionNames: [String]
    private let appPointer: JSONPointer
    private let start: JSONPointer
    private(set) var nodes: [SchemaNode] = []
    private var places: [JSONPointer] = []
    private var problems: [SchemaProblem] = []
    private var defined: [Definition: Int] = [:]
    /// Definitions that are referred to and not yet compiled.
    private var waiting: [(Definition, JSON)] = []
    /// Whether what is being compiled is one of the app's definitions.
    private var isInApps = false
    var pointer: JSONPointer

    init(
        _ schema: JSON, appDefinitions: JSONObject, at pointer: JSONPointer, appPointer: JSONPointer
    ) {
        self.schema = schema
        self.appPointer = appPointer
        self.pointer = pointer
        start = pointer
        var own = JSONObject()
        if case .object(let object) = schema, case .object(let found)? = object["$defs"] {
            own = found
        }
        ownDefinitions = JSONObjectIndex(own)
        self.appDefinitions = JSONObjectIndex(appDefinitions)
        definitionNames = own.members.map(\.key) + appDefinitions.members.map(\.key)
    }

    /// Compiles everything that is reachable and returns the root's index.
    mutating func compile() throws(SchemaErrors) -> Int {
        let root = add(schema)
        while nodes.count <= JSONSchema.nodesMax, let (definition, source) = waiting.popLast() {
            isInApps = definition.isApps
            pointer = definition.isApps ? appPointer : start.appending("$defs")
            pointer.append(definition.name.text)
            fill(defined[definition] ?? 0, from: source)
        }
        if nodes.count > JSONSchema.nodesMax {
            pointer = start
            problem(
                "has more than \(JSONSchema.nodesMax) parts with everything it refers to")
        }
        if problems.isEmpty, let node = settleTypes() {
            pointer = places[node]
            problem("refers to itself without descending into a member or an element")
        }
        guard problems.isEmpty else { throw SchemaErrors(problems: problems) }
        return root
    }

    mutating func problem(_ detail: @autoclosure () -> String) {
        guard problems.count < JSONSchema.problemsMax else { return }
        problems.append(SchemaProblem(pointer: pointer, detail: detail()))
    }

    /// Notes a problem of one keyword.
    mutating func problem(at keyword: String, _ detail: @autoclosure () -> String) {
        pointer.append(keyword)
        problem(detail())
        pointer.removeLast()
    }

    /// Adds the schema at a step below and returns its node.
    mutating func add(_ schema: JSON, at steps: String...) -> Int {
        for step in steps { pointer.append(step) }
        let node = reserve()
        if nodes.count <= JSONSchema.nodesMax { fill(node, from: schema) }
        for _ in steps { pointer.removeLast() }
        return node
    }

    private mutating func reserve() -> Int {
        nodes.append(SchemaNode())
        places.append(pointer)
        return nodes.count - 1
    }

    private mutating func fill(_ node: Int, from schema: JSON) {
        places[node] = pointer
        switch schema {
        case .bool(let isWelcome):
            if !isWelcome { nodes[node].assertions = [.nothing] }
        case .object(let object):
            let compiled = compileKeywords(object, isTop: pointer == start)
            nodes[node] = compiled
        case .null, .integer, .double, .string, .array:
            problem("must be a schema, which is an object, true or false")
        }
    }

    /// The node that a reference leads to; nil, and a problem, if there is none.
    mutating func resolve(_ reference: String) -> Int? {
        let prefix = "#/$defs/"
        guard reference.utf8.starts(with: prefix.utf8),
            let target = JSONPointer(String(reference.dropFirst())), target.steps.count == 2
        else {
            problem(at: "$ref", "must have the form #/$defs/NAME")
            return nil
        }
        let name = target.steps[1]
        if !isInApps, let source = ownDefinitions[name] {
            return node(of: Definition(isApps: false, name: ExactString(text: name)), source)
        }
        if let source = appDefinitions[name] {
            return node(of: Definition(isApps: true, name: ExactString(text: name)), source)
        }
        let names = definitionNames
        problem(
            at: "$ref",
            "names the unknown definition \"\(name)\"\(Spelling.hint(for: name, among: names))")
        return nil
    }

    private mutating func node(of definition: Definition, _ source: JSON) -> Int {
        if let node = defined[definition] { return node }
        let node = reserve()
        defined[definition] = node
        waiting.append((definition, source))
        return node
    }

    /// Compiles the schema's own definitions, also those that nothing refers to.
    mutating func addDefinitions(_ value: JSON) {
        guard case .object(let object) = value else {
            return problem(at: "$defs", "must be an object whose values are schemas")
        }
        for member in object.members {
            let definition = Definition(isApps: false, name: ExactString(text: member.key))
            _ = node(of: definition, member.value)
        }
    }
}

// MARK: - Circles and types

extension SchemaCompiler {
    /// Settles which types each node accepts, those first that others ask about the same value.
    /// Returns a node that leads back to itself, if there is one: it can never be settled.
    private mutating func settleTypes() -> Int? {
        let asked = nodes.map(\.sameValueNodes)
        var askers: [[Int]] = Array(repeating: [], count: nodes.count)
        var open = asked.map(\.count)
        for (node, others) in asked.enumerated() {
            for other in others { askers[other].append(node) }
        }
        var ready = nodes.indices.filter { open[$0] == 0 }
        var settled = 0
        while let node = ready.popLast() {
            settled += 1
            nodes[node].accepted = acceptedTypes(of: nodes[node])
            for asker in askers[node] {
                open[asker] -= 1
                if open[asker] == 0 { ready.append(asker) }
            }
        }
        return settled == nodes.count ? nil : circle(in: asked, open)
    }

    /// Follows unsettled nodes until one comes again.
    private func circle(in asked: [[Int]], _ open: [Int]) -> Int? {
        var seen: Set<Int> = []
        var node = open.firstIndex { $0 > 0 }
        while let next = node, seen.insert(next).inserted {
            node = asked[next].first { open[$0] > 0 }
        }
        return node
    }

    private func acceptedTypes(of node: SchemaNode) -> JSONTypes {
        var types = JSONTypes.any
        for assertion in node.assertions {
            switch assertion {
            case .nothing: types = []
            case .types(let named): types.formIntersection(named)
            case .constant(let value): types.formIntersection(value.type)
            case .enumeration(let values):
                types.formIntersection(values.reduce([]) { $0.union($1.type) })
            case .reference(let node): types.formIntersection(nodes[node].accepted)
            case .all(let others):
                for other in others { types.formIntersection(nodes[other].accepted) }
            case .any(let others), .one(let others):
                types.formIntersection(others.reduce([]) { $0.union(nodes[$1].accepted) })
            case .lower, .upper, .multiple, .lengths, .pattern, .elements, .elementCount,
                .uniqueElements, .members, .memberCount, .required, .memberNames, .not:
                break
            }
        }
        return types
    }
}
