// JSONSchema: validation by a subset of JSON Schema 2020-12.
//
// A schema is compiled once, when an app is stored, and used often, when screens are pushed.
// Nothing in a schema is ignored: a keyword that is not in the table below, a value of the wrong
// type, and a reference that is unknown or circular are errors with a pointer and a sentence.
//
//     any value      type enum const allOf anyOf oneOf not if then else $ref
//     numbers        minimum maximum exclusiveMinimum exclusiveMaximum multipleOf
//     strings        minLength maxLength pattern
//     arrays         items prefixItems minItems maxItems uniqueItems contains minContains
//                    maxContains
//     objects        properties required additionalProperties patternProperties propertyNames
//                    minProperties maxProperties dependentRequired unevaluatedProperties
//     annotations    default title description format examples deprecated readOnly writeOnly
//                    $schema $comment x-…, $defs (at the top of a schema only)
//
//  1. A compiled schema is a set of nodes in one array. A node has the assertions of one schema
//     object and refers to other nodes by index. All schemas of an app share one array, so that a
//     definition is compiled once, and an app has as many nodes as its document has schema objects.
//  2. `$ref` is `#/$defs/NAME`: a URI fragment, so NAME may be percent-encoded, which holds a JSON
//     Pointer, so `~1` in NAME is `/` and `~0` is `~`. A reference in a schema is looked up in its
//     own `$defs`, then in the app's; one in an app's definition in the app's.
//  3. A cycle of `$ref`, `allOf`, `anyOf`, `oneOf`, `not` and `if` that does not descend into a
//     member or an element is an error, since validation would never end.
//  4. Validation finds all problems, up to the limits of `BoundedList`. It takes its work from a
//     `WorkBudget`; an exhausted budget is an error and not a result. The steps of a pattern and
//     the depth of references have their own limits, and exceeding them is a problem of the value.
//  5. For `unevaluatedProperties`, the validator keeps the set of the members that other keywords
//     have evaluated. A schema that does not hold evaluates nothing.
//  6. `1.0` is an integer, 1 equals 1.0, lengths count Unicode scalars, `multipleOf` uses decimal
//     arithmetic (see `JSONNumber`), and patterns are those of ECMA-262 (see `Pattern`).
//
//     SchemaNode       what compiling makes        SchemaCompiler   a schema's JSON → nodes
//     SchemaValidator  nodes + value → problems    JSONSchema+…     defaults, types, conversion

internal import Bytes

/// A compiled schema, or a part of one. `SchemaCompiler` creates it.
public struct JSONSchema: Sendable {
    /// The maximum depth of nodes during validation. Values are nested at most 64 levels deep,
    /// which leaves eight nodes for each level.
    public static let depthMax = 512

    /// The nodes of all schemas of the app.
    let nodes: [SchemaNode]
    let root: SchemaNode
    /// The defaults of the members, collected once, because they are often needed.
    let defaults: JSONObject

    init(nodes: [SchemaNode], root: SchemaNode, defaults: JSONObject = JSONObject()) {
        self.nodes = nodes
        self.root = root
        self.defaults = defaults
    }

    /// All problems of a value.
    ///
    /// - Parameter pointer: the pointer to the value, with which the pointers of the problems
    ///   begin.
    public func validate(
        _ value: JSON, at pointer: @autoclosure () -> JSONPointer = JSONPointer(),
        work: WorkBudget
    ) throws(WorkBudgetError) -> [SchemaError] {
        // Most values are valid. To find that out takes no pointers.
        let unitsLeft = work.unitsLeft
        if try isValid(value, work: work) { return [] }
        work.settle(unitsLeft: unitsLeft)
        var validator = SchemaValidator(nodes, at: pointer(), work: work)
        validator.check(value, root: root)
        return try validator.finish()
    }

    /// Whether a value is valid.
    public func isValid(_ value: JSON, work: WorkBudget) throws(WorkBudgetError) -> Bool {
        var validator = SchemaValidator(nodes, at: JSONPointer(), work: work)
        return try validator.checkQuietly(value, root: root)
    }
}

/// A problem of a schema or of a value.
public struct SchemaError: Equatable, Sendable, CustomStringConvertible {
    /// The pointer to the invalid value; for a missing member, the pointer that it would have.
    public var pointer: JSONPointer
    /// The fault, as a phrase whose subject is the value.
    public var detail: String

    /// A problem at a pointer.
    public init(pointer: JSONPointer, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }

    public var description: String { "\(pointer): \(detail)" }

    /// The approximate length of the text.
    var bytes: Int { pointer.steps.reduce(detail.utf8.count) { $0 + $1.utf8.count + 1 } }
}
