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
            case .nothing, .types, .constant, .enumeration, .lower, .upper, .multiple, .lengths,
                .pattern, .elements, .elementCount, .uniqueElements, .members, .memberCount,
                .required, .memberNames:
                return []
            }
        }
    }
}

/// One demand of a schema.
enum SchemaAssertion: Sendable {
    /// The schema `false`.
    case nothing
    case types(JSONTypes)
    case constant(JSON)
    case enumeration([JSON])
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
