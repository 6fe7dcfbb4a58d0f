internal import Bytes

/// A compiled schema object. It refers to other nodes by index.
struct SchemaNode: Sendable {
    var assertions: [SchemaAssertion] = []
    /// The schemas of members, for looking one up by name.
    var members: SchemaMembers?
    var elements: SchemaElements?
    var defaultValue: JSON?
    /// The node for the members that nothing else in the schema has evaluated.
    var unevaluated: Int?
    /// The types that valid values can have, as far as that is known without a value.
    var accepted = JSONTypes.any

    /// The nodes that are applied to the same value.
    var sameValueNodes: [Int] {
        assertions.flatMap { assertion -> [Int] in
            switch assertion {
            case .reference(let node), .not(let node): return [node]
            case .all(let nodes), .any(let nodes), .one(let nodes): return nodes
            case .condition(let condition): return [condition.test] + condition.branches
            case .nothing, .types, .enumeration, .lower, .upper, .multiple, .lengths,
                .pattern, .elements, .elementCount, .uniqueElements, .contains, .members,
                .memberCount, .required, .dependents, .memberNames:
                return []
            }
        }
    }
}

extension SchemaNode {
    /// The nodes that every valid value must also satisfy, in order.
    var conjuncts: [Int] {
        assertions.flatMap { assertion -> [Int] in
            if case .reference(let node) = assertion { return [node] }
            if case .all(let nodes) = assertion { return nodes }
            return []
        }
    }

    /// The nodes of which a valid value must satisfy one, or none if the list is open.
    var alternatives: [Int] {
        assertions.flatMap { assertion -> [Int] in
            if case .any(let nodes) = assertion { return nodes }
            if case .one(let nodes) = assertion { return nodes }
            if case .condition(let condition) = assertion { return condition.branches }
            return []
        }
    }

    /// Whether a valid value may satisfy none of the alternatives, because a condition has only one
    /// branch.
    var hasOpenAlternatives: Bool {
        assertions.contains { assertion in
            guard case .condition(let condition) = assertion else { return false }
            return condition.branches.count < 2
        }
    }
}

/// One condition of a schema.
enum SchemaAssertion: Sendable {
    /// The schema `false`.
    case nothing
    case types(JSONTypes)
    /// `enum` and `const`.
    case enumeration(SchemaChoice)
    case lower(JSONNumber, isExclusive: Bool)
    case upper(JSONNumber, isExclusive: Bool)
    case multiple(JSONNumber)
    case lengths(least: Int?, most: Int?)
    case pattern(Pattern)
    case elements(SchemaElements)
    case elementCount(least: Int?, most: Int?)
    case uniqueElements
    case contains(SchemaContents)
    case members(SchemaMembers)
    case memberCount(least: Int?, most: Int?)
    case required([String])
    /// `dependentRequired`: for a member that is there, others that must be there too.
    case dependents([(name: String, required: [String])])
    case memberNames(Int)
    case all([Int])
    case any([Int])
    case one([Int])
    case not(Int)
    case condition(SchemaCondition)
    case reference(Int)
}

/// `if`, `then` and `else`.
struct SchemaCondition: Sendable {
    let test: Int
    /// The node for values that pass the test.
    let then: Int?
    /// The node for all others.
    let otherwise: Int?

    var branches: [Int] { [then, otherwise].compactMap { $0 } }
}

/// `contains`, `minContains` and `maxContains`.
struct SchemaContents: Sendable {
    let node: Int
    let least: Int
    let most: Int?
}

/// The values of `enum` or `const`, and their description.
struct SchemaChoice: Sendable {
    let values: [JSON]
    /// A text such as `one of "a", "b" or 3`, shortened if it has many or long values.
    let sentence: String

    init(_ values: [JSON]) {
        self.values = values
        var texts = values.prefix(10).map { value in
            let text = value.text
            return text.utf8.count > 80 ? String(text.unicodeScalars.prefix(80)) + "…" : text
        }
        if values.count > 10 { texts.append("\(values.count - 10) other values") }
        if let last = texts.popLast() {
            let others = texts.joined(separator: ", ")
            sentence = texts.isEmpty ? last : "one of " + others + " or " + last
        } else {
            sentence = "absent: no value is allowed"
        }
    }
}

/// `prefixItems` and `items`.
struct SchemaElements: Sendable {
    var prefix: [Int] = []
    var rest: Int?

    /// The node for the element at an index.
    func node(at index: Int) -> Int? {
        index < prefix.count ? prefix[index] : rest
    }
}

/// `properties`, `patternProperties` and `additionalProperties`.
struct SchemaMembers: Sendable {
    /// In the order of the schema.
    var names: [String] = []
    var nodes: [ExactString: Int] = [:]
    var patterns: [(Pattern, Int)] = []
    var rest: Int?
}
