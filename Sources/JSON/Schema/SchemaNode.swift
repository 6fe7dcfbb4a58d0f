/// What one schema object demands of a value. Other nodes are named by their index.
struct SchemaNode: Sendable {
    var assertions: [SchemaAssertion] = []
    /// The members that have schemas of their own, for asking about one by name.
    var members: SchemaMembers?
    var elements: SchemaElements?
    var defaultValue: JSON?
    /// The types of the values that can be valid here at all, as far as it can be told without one.
    var accepted = JSONTypes.any

    /// The nodes that are asked about the same value.
    var sameValueNodes: [Int] {
        assertions.flatMap { assertion -> [Int] in
            switch assertion {
            case .reference(let node), .not(let node): return [node]
            case .all(let nodes), .any(let nodes), .one(let nodes): return nodes
            case .nothing, .types, .enumeration, .lower, .upper, .multiple, .lengths,
                .pattern, .elements, .elementCount, .uniqueElements, .members, .memberCount,
                .required, .memberNames:
                return []
            }
        }
    }
}

extension SchemaNode {
    /// The nodes that hold for the same value whenever this one does, in order.
    var conjuncts: [Int] {
        assertions.flatMap { assertion -> [Int] in
            if case .reference(let node) = assertion { return [node] }
            if case .all(let nodes) = assertion { return nodes }
            return []
        }
    }

    /// The nodes of which one holds for the same value.
    var alternatives: [Int] {
        assertions.flatMap { assertion -> [Int] in
            if case .any(let nodes) = assertion { return nodes }
            if case .one(let nodes) = assertion { return nodes }
            return []
        }
    }
}

/// One demand of a schema.
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
    case members(SchemaMembers)
    case memberCount(least: Int?, most: Int?)
    case required([String])
    case memberNames(Int)
    case all([Int])
    case any([Int])
    case one([Int])
    case not(Int)
    case reference(Int)
}

/// The values of `enum` or `const`, and how they are told.
struct SchemaChoice: Sendable {
    let values: [JSON]
    /// `"a", "b" or 3`, shortened where there are many or long ones.
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

    /// The node of the element at that index.
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
