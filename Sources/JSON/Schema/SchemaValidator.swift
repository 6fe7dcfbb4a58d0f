/// Applies the nodes of a schema to a value and collects the problems.
///
/// In `anyOf`, `oneOf` and `not` it only matters whether there is a problem. There the validator is
/// quiet: it stops at the first problem and keeps no pointers. When the budget or the steps of a
/// pattern are used up, the result is undecided.
struct SchemaValidator {
    private enum Undecided {
        /// The budget is used up.
        case budgetExceeded
        /// A pattern takes too long, or references are nested too deeply.
        case problem(SchemaError)
    }

    private let nodes: [SchemaNode]
    let work: WorkBudget
    private(set) var pointer: JSONPointer
    private var problems = BoundedList<SchemaError>()
    /// The units of the budget, which are counted here during validation.
    private var unitsLeft: Int
    private var depth = 0
    private(set) var isQuiet = false
    private var hasFailedQuietly = false
    /// The members of the value that were evaluated so far, while something asks for them.
    private var evaluated: EvaluatedMembers?
    private var undecided: Undecided?

    init(_ nodes: [SchemaNode], at pointer: JSONPointer, work: WorkBudget) {
        self.nodes = nodes
        self.pointer = pointer
        self.work = work
        unitsLeft = work.unitsLeft
    }

    /// All problems.
    consuming func finish() throws(WorkBudgetError) -> [SchemaError] {
        work.settle(unitsLeft: max(unitsLeft, 0))
        switch undecided {
        case .budgetExceeded?: throw WorkBudgetError()
        case .problem(let problem)?: return problems.all + [problem]
        case nil: return problems.all
        }
    }

    /// Applies the root of a schema to a value.
    mutating func check(_ value: JSON, root: SchemaNode) {
        apply(root.assertions, unevaluated: root.unevaluated, to: value)
    }

    /// Whether the root of a schema accepts a value.
    mutating func checkQuietly(_ value: JSON, root: SchemaNode) throws(WorkBudgetError) -> Bool {
        isQuiet = true
        check(value, root: root)
        return try finish().isEmpty && !hasFailedQuietly
    }

    /// Applies a node to a value.
    mutating func check(_ value: JSON, _ node: Int) {
        depth += 1
        defer { depth -= 1 }
        guard depth <= JSONSchema.depthMax else {
            return giveUp("is nested too deeply for its recursive schema")
        }
        apply(nodes[node].assertions, unevaluated: nodes[node].unevaluated, to: value)
    }

    private mutating func apply(
        _ assertions: [SchemaAssertion], unevaluated: Int?, to value: JSON
    ) {
        guard let unevaluated, case .object(let object) = value else {
            return apply(assertions, to: value)
        }
        guard spend(1 + object.count) else { return }
        var outer = evaluated
        evaluated = EvaluatedMembers(count: object.count)
        apply(assertions, to: value)
        let own = evaluated
        evaluated = nil
        checkUnevaluated(object, except: own, unevaluated)
        // Members that the schema has not evaluated otherwise are evaluated by this.
        outer?.insertAll()
        evaluated = outer
    }

    private mutating func apply(_ assertions: [SchemaAssertion], to value: JSON) {
        for assertion in assertions {
            guard spend(1), canContinue else { return }
            check(value, assertion)
        }
    }

    /// Whether a node accepts a value.
    mutating func isValid(_ value: JSON, _ node: Int) -> Bool {
        // An alternative that is tried takes longer than the assertions that it consists of.
        guard spend(2) else { return false }
        let outer = (isQuiet, hasFailedQuietly)
        (isQuiet, hasFailedQuietly) = (true, false)
        let known = evaluated?.count ?? 0
        check(value, node)
        defer { (isQuiet, hasFailedQuietly) = outer }
        if hasFailedQuietly { evaluated?.removeAll(after: known) }
        return !hasFailedQuietly
    }

    /// Does something to another value, or whatever evaluates no members of this one.
    mutating func aside<Result>(_ body: (inout SchemaValidator) -> Result) -> Result {
        guard evaluated != nil else { return body(&self) }
        let own = evaluated
        evaluated = nil
        defer { evaluated = own }
        return body(&self)
    }

    /// Whether something asks for the members that are evaluated.
    var collectsMembers: Bool { evaluated != nil }

    /// Notes that a member of the value is evaluated.
    mutating func noteEvaluated(_ index: Int) { evaluated?.insert(index) }

    /// Notes that all members of the value are evaluated.
    mutating func noteAllEvaluated(of value: JSON) {
        guard evaluated != nil, case .object(let object) = value, spend(object.count) else {
            return
        }
        evaluated?.insertAll()
    }

    private mutating func check(_ value: JSON, _ assertion: SchemaAssertion) {
        switch assertion {
        case .nothing: report("is not allowed here")
        case .types(let types):
            guard types.isDisjoint(with: value.type) else { return }
            report("must be \(types.sentence), not \(value.type.sentence)")
        case .enumeration(let values): checkEnumeration(value, values)
        case .lower, .upper, .multiple: checkNumber(value, assertion)
        case .lengths(let least, let most): checkLength(value, least: least, most: most)
        case .pattern(let pattern): checkPattern(value, pattern)
        case .elements(let elements): checkElements(value, elements)
        case .elementCount(let least, let most):
            guard case .array(let elements) = value else { return }
            checkCount(elements.count, least: least, most: most, of: "element")
        case .uniqueElements: checkUnique(value)
        case .contains(let contents): checkContents(value, contents)
        case .members(let members): checkMembers(value, members)
        case .memberCount(let least, let most):
            guard case .object(let object) = value else { return }
            checkCount(object.count, least: least, most: most, of: "member")
        case .required(let names): checkRequired(value, names)
        case .dependents(let dependents): checkDependents(value, dependents)
        case .memberNames(let node): checkNames(value, node)
        case .all(let nodes):
            for node in nodes { check(value, node) }
        case .any(let nodes): checkAny(value, nodes)
        case .one(let nodes): checkOne(value, nodes)
        case .not(let node):
            guard aside({ $0.isValid(value, node) }) else { return }
            report("matches a schema that is excluded with \"not\"")
        case .condition(let condition): checkCondition(value, condition)
        case .reference(let node): check(value, node)
        }
    }
}

// MARK: - Bookkeeping

extension SchemaValidator {
    /// Whether more problems can be found.
    var canContinue: Bool { undecided == nil && !hasFailedQuietly && !problems.isFull }

    mutating func report(_ detail: @autoclosure () -> String) {
        guard canContinue else { return }
        if isQuiet {
            hasFailedQuietly = true
        } else {
            let problem = SchemaError(pointer: pointer, detail: detail())
            problems.append(problem, bytes: problem.bytes)
        }
    }

    /// Gives up with a problem, without a result.
    mutating func giveUp(_ detail: String) {
        guard undecided == nil else { return }
        undecided = .problem(SchemaError(pointer: pointer, detail: detail))
    }

    /// Takes steps, of about 20 ns each, from the budget. Returns false if it has too few.
    mutating func spend(_ steps: Int) -> Bool { spend(units: 2 * steps) }

    private mutating func spend(units: Int) -> Bool {
        unitsLeft -= units
        guard unitsLeft < 0 else { return true }
        undecided = .budgetExceeded
        return false
    }

    /// Searches for a pattern with the units that are left. Returns nil if it takes too long.
    mutating func matches(_ text: String, _ pattern: Pattern) -> Bool? {
        guard spend(units: 10 + text.utf8.count / 8) else { return nil }
        let most = Pattern.stepsMax + Pattern.stepsForScalar * text.utf8.count
        let allowed = min(most, unitsLeft)
        var left = allowed
        let result = pattern.matches(text, steps: &left)
        unitsLeft -= allowed - left
        guard result != .tookTooLong else {
            if allowed < most {
                undecided = .budgetExceeded
            } else {
                let source = String(pattern.source.unicodeScalars.prefix(80))
                giveUp("takes too long to match against the pattern \"\(source)\"; shorten it")
            }
            return nil
        }
        return result == .matches
    }

    /// Applies a node to a part of the value.
    mutating func check(_ value: JSON, _ node: Int, at step: @autoclosure () -> String) {
        guard canContinue else { return }
        guard evaluated == nil else {
            let step = step()
            return aside { $0.check(value, node, at: step) }
        }
        guard !isQuiet else { return check(value, node) }
        pointer.append(step())
        check(value, node)
        pointer.removeLast()
    }

    /// Reports a problem of a part of the value.
    mutating func report(_ detail: @autoclosure () -> String, at step: String) {
        pointer.append(step)
        report(detail())
        pointer.removeLast()
    }

    /// Applies a node to the name of a member, and says so in each problem.
    mutating func check(name: String, _ node: Int) {
        let before = problems.all.count
        check(.string(name), node, at: name)
        problems.update(from: before) { $0.detail = "has a name that " + $0.detail }
    }

    /// The alternatives that can accept a value of the type.
    func candidates(_ alternatives: [Int], for value: JSON) -> [Int] {
        alternatives.filter { nodes[$0].accepted.contains(value.type) }
    }

    /// The types that at least one of the alternatives accepts.
    func types(of alternatives: [Int]) -> JSONTypes {
        alternatives.reduce([]) { $0.union(nodes[$1].accepted) }
    }

    func isNothing(_ node: Int) -> Bool {
        guard case .nothing? = nodes[node].assertions.first else { return false }
        return true
    }
}

// MARK: - Costs

extension JSON {
    /// The cost of reading the whole value, in steps of the validator.
    var weight: Int {
        switch self {
        case .null, .bool, .integer, .double: 1
        case .string(let text): 1 + text.utf8.count / 16
        case .array(let elements): elements.reduce(1) { $0 + $1.weight }
        case .object(let object): object.members.reduce(1) { $0 + $1.keyWeight + $1.value.weight }
        }
    }
}

extension JSONObject.Member {
    /// The cost of looking up the name, in steps of the validator.
    var keyWeight: Int { 1 + key.utf8.count / 16 }
}
