internal import Bytes

/// Compiles the schemas of one app and collects their problems.
///
///     var compiler = SchemaCompiler(definitions: …, at: "/$defs", work: work)
///     let root = try compiler.add(schema, at: "/routes/a/params")     // for each schema
///     try compiler.settle()
///     let schema = try compiler.schema(root)                          // nil: it has problems
///     compiler.takeProblems()                                         // at any time
///
/// A schema object costs 160 units of the budget, so that the budget also limits the size of the
/// compiled schemas.
public struct SchemaCompiler {
    /// A schema that was added.
    public struct Root: Sendable {
        let node: Int
        let pointer: JSONPointer
        /// Whether it has problems.
        var isBroken: Bool
    }

    private static let unitsOfNode = 160
    private static let unitsOfPatternByte = 8

    let work: WorkBudget
    private var definitions = SchemaDefinitions()
    private(set) var nodes: [SchemaNode] = []
    private var pointersOfNodes: [JSONPointer] = []
    private var problems = SchemaProblems()
    private var warnings = SchemaProblems()
    private var areDefinitionsBroken = false
    private var isExceeded = false
    /// The defaults that nodes declare, as far as they were asked for.
    private var defaultsOfNodes: [Int: JSONObject] = [:]
    var pointer: JSONPointer

    /// Compiles the definitions of the app, including those without references.
    public init(
        definitions: JSONObject, at pointer: JSONPointer, work: WorkBudget
    ) throws(WorkBudgetError) {
        self.work = work
        self.pointer = pointer
        let table = reserve(definitions)
        self.definitions = SchemaDefinitions(app: table)
        fill(definitions, table)
        areDefinitionsBroken = problems.count > 0
        if isExceeded { throw WorkBudgetError() }
    }

    /// Compiles a schema. The pointers of its problems begin with `pointer`.
    public mutating func add(
        _ schema: JSON, at pointer: JSONPointer
    ) throws(WorkBudgetError) -> Root {
        let before = problems.count
        self.pointer = pointer
        var own = JSONObject()
        if case .object(let object) = schema, case .object(let found)? = object["$defs"] {
            own = found
        }
        let root = reserve()
        self.pointer.append("$defs")
        let table = reserve(own)
        self.pointer.removeLast()
        definitions.begin(own: table)
        fill(root, from: schema, isTop: true)
        self.pointer.append("$defs")
        fill(own, table)
        self.pointer.removeLast()
        if isExceeded { throw WorkBudgetError() }
        return Root(node: root, pointer: pointer, isBroken: problems.count > before)
    }

    /// Finds cycles, and the types that each node accepts. Call it after all schemas were added.
    public mutating func settle() throws(WorkBudgetError) {
        let asked = nodes.map { $0.sameValueNodes }
        try work.spend(.entries(asked.reduce(nodes.count) { $0 + $1.count }))
        var askers: [[Int]] = Array(repeating: [], count: nodes.count)
        var open = asked.map { $0.count }
        for (node, others) in asked.enumerated() {
            for other in others { askers[other].append(node) }
        }
        var ready = nodes.indices.filter { open[$0] == 0 }
        var next = 0
        while let node = ready.popLast() ?? unsettled(open, from: &next, asked) {
            open[node] = -1
            nodes[node].accepted = acceptedTypes(of: nodes[node])
            for asker in askers[node] where open[asker] > 0 {
                open[asker] -= 1
                if open[asker] == 0 { ready.append(asker) }
            }
        }
    }

    /// A schema that was added, or nil if it or a definition has problems.
    ///
    /// - Parameter checksDefaults: whether an invalid default is a problem.
    public mutating func schema(
        _ root: Root, checksDefaults: Bool = true
    ) throws(WorkBudgetError) -> JSONSchema? {
        guard !root.isBroken, !areDefinitionsBroken else { return nil }
        let schema = try JSONSchema(nodes: nodes, root: nodes[root.node])
            .withDefaults(node: root.node, known: &defaultsOfNodes, work: work)
        guard checksDefaults else { return schema }
        let found = try schema.problemsOfDefaults(at: root.pointer, work: work)
        for problem in found { problems.append(problem) }
        return found.isEmpty ? schema : nil
    }

    /// The problems since the last call.
    public mutating func takeProblems() -> [SchemaError] { problems.take() }

    /// The warnings since the last call: about keywords that have no effect.
    public mutating func takeWarnings() -> [SchemaError] { warnings.take() }

    // MARK: - Problems

    /// Adds a problem of the schema that is being compiled.
    private mutating func problem(_ detail: @autoclosure () -> String) {
        let pointer = pointer
        problems.append(SchemaError(pointer: pointer, detail: detail()))
    }

    /// Adds a problem of a keyword.
    mutating func problem(at keyword: String, _ detail: @autoclosure () -> String) {
        pointer.append(keyword)
        problem(detail())
        pointer.removeLast()
    }

    /// Adds a warning about a keyword.
    mutating func warn(at keyword: String, _ detail: String) {
        warnings.append(SchemaError(pointer: pointer.appending(keyword), detail: detail))
    }

    // MARK: - Nodes

    /// Compiles the schema at a pointer below and returns its node.
    mutating func add(_ schema: JSON, at steps: String...) -> Int {
        for step in steps { pointer.append(step) }
        let node = reserve()
        fill(node, from: schema)
        for _ in steps { pointer.removeLast() }
        return node
    }

    private mutating func reserve() -> Int {
        nodes.append(SchemaNode())
        pointersOfNodes.append(pointer)
        return nodes.count - 1
    }

    private mutating func reserve(_ definitions: JSONObject) -> SchemaDefinitions.Table {
        var table = SchemaDefinitions.Table()
        for member in definitions.members {
            pointer.append(member.key)
            table.names.append(member.key)
            table.nodes[ExactString(member.key)] = reserve()
            pointer.removeLast()
        }
        return table
    }

    private mutating func fill(_ definitions: JSONObject, _ table: SchemaDefinitions.Table) {
        for member in definitions.members {
            guard let node = table.nodes[ExactString(member.key)] else { continue }
            pointer.append(member.key)
            fill(node, from: member.value)
            pointer.removeLast()
        }
    }

    private mutating func fill(_ node: Int, from schema: JSON, isTop: Bool = false) {
        guard spend(Self.unitsOfNode) else { return }
        switch schema {
        case .bool(let isWelcome):
            if !isWelcome { nodes[node].assertions = [.nothing] }
        case .object(let object):
            let compiled = compileKeywords(object, isTop: isTop)
            nodes[node] = compiled
        case .null, .integer, .double, .string, .array:
            problem("must be a schema, which is an object, true or false")
        }
    }

    private mutating func spend(_ units: Int) -> Bool {
        guard !isExceeded else { return false }
        do {
            try work.spend(.steps(units))
        } catch {
            isExceeded = true
        }
        return !isExceeded
    }

    /// Compiles a regular expression. If it is invalid, adds a problem and returns nil.
    mutating func pattern(_ source: String, at word: String) -> Pattern? {
        guard spend(source.utf8.count * Self.unitsOfPatternByte) else { return nil }
        do throws(PatternError) {
            return try Pattern(source)
        } catch {
            let shown = String(source.unicodeScalars.prefix(80))
            problem(at: word, "has the invalid regular expression \"\(shown)\": \(error)")
            return nil
        }
    }

    /// Resolves a reference to its node. Adds a problem and returns nil if it points nowhere.
    mutating func resolve(_ reference: String) -> Int? {
        guard let target = JSONPointer(fragment: reference), target.steps.count == 2,
            target.steps[0] == "$defs"
        else {
            problem(at: "$ref", "must have the form #/$defs/NAME")
            return nil
        }
        let name = ExactString(target.steps[1])
        if let node = definitions.node(named: name) { return node }
        let hint =
            problems.isFull
            ? "" : Spelling.hint(for: name.text, among: definitions.names, work: work)
        problem(at: "$ref", "names the unknown definition \"\(name.text.clipped)\"\(hint)")
        return nil
    }
}

// MARK: - Cycles and types

extension SchemaCompiler {
    /// A node that refers to itself, which is a problem, if one is left.
    private mutating func unsettled(
        _ open: [Int], from next: inout Int, _ asked: [[Int]]
    ) -> Int? {
        while next < open.count, open[next] <= 0 { next += 1 }
        guard next < open.count else { return nil }
        var seen: Set<Int> = []
        var node = next
        while seen.insert(node).inserted, let other = asked[node].first(where: { open[$0] > 0 }) {
            node = other
        }
        pointer = pointersOfNodes[node]
        problem("refers to itself without descending into a member or an element")
        areDefinitionsBroken = true
        return node
    }

    private func acceptedTypes(of node: SchemaNode) -> JSONTypes {
        var types = JSONTypes.any
        for assertion in node.assertions {
            switch assertion {
            case .nothing: types = []
            case .types(let named): types.formIntersection(named)
            case .enumeration(let choice):
                types.formIntersection(choice.values.reduce([]) { $0.union($1.type) })
            case .reference(let node): types.formIntersection(nodes[node].accepted)
            case .all(let others):
                for other in others { types.formIntersection(nodes[other].accepted) }
            case .any(let others), .one(let others):
                types.formIntersection(others.reduce([]) { $0.union(nodes[$1].accepted) })
            case .condition(let condition):
                let passing = condition.then.map { nodes[$0].accepted } ?? .any
                let others = condition.otherwise.map { nodes[$0].accepted } ?? .any
                types.formIntersection(
                    passing.intersection(nodes[condition.test].accepted).union(others))
            case .lower, .upper, .multiple, .lengths, .pattern, .elements, .elementCount,
                .uniqueElements, .contains, .members, .memberCount, .required, .dependents,
                .memberNames, .not:
                break
            }
        }
        return types
    }
}
