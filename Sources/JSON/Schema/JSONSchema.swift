// JSONSchema: which values are welcome, in a part of JSON Schema 2020-12.
//
// A schema is compiled once, when an app is stored, and asked often, when a screen is pushed. What
// compiling takes is understood wholly: a keyword outside the table below, a keyword's value of the
// wrong type, a reference that leads nowhere or in a circle are refused with a pointer and a
// sentence. Nothing is ignored.
//
//     any value      type enum const allOf anyOf oneOf not $ref
//     numbers        minimum maximum exclusiveMinimum exclusiveMaximum multipleOf
//     strings        minLength maxLength pattern
//     arrays         items prefixItems minItems maxItems uniqueItems
//     objects        properties required additionalProperties patternProperties propertyNames
//                    minProperties maxProperties
//     annotations    default title description, $defs (at the top of a schema only)
//
//  1. A schema is a set of nodes in one array; a node is what one schema object demands, and names
//     other nodes by index. All schemas of an app share one array, so that a definition is compiled
//     once however many schemas refer to it, and an app has as many nodes as its document has
//     schema objects.
//  2. `$ref` is `#/$defs/NAME`: a URI fragment, so NAME may be percent-encoded, which holds a JSON
//     Pointer, so `~1` in NAME is `/` and `~0` is `~`. A reference in a schema is looked up in its
//     own `$defs`, then in the app's; one in an app's definition in the app's.
//  3. A reference must get somewhere: a circle of `$ref`, `allOf`, `anyOf`, `oneOf` and `not` that
//     goes into no member or element would ask the same question for ever, and is refused.
//  4. Validating finds all problems, as many as a `BoundedList` takes. Its work comes from a
//     `WorkBudget`; running out of it is an error and never an answer. A pattern has a bound of its
//     own, and so has the depth of references; exceeding them is a problem of the value.
//  5. `1.0` is an integer, 1 equals 1.0, lengths count Unicode scalars, `multipleOf` is decided on
//     decimals (see `JSONNumber`), patterns are ECMA-262's (see `Pattern`).
//
//     SchemaNode       what compiling makes        SchemaCompiler   a schema's JSON → nodes
//     SchemaValidator  nodes + value → problems    JSONSchema+…     defaults, types, conversion

/// A compiled schema, or a place in one. `SchemaCompiler` makes them.
package struct JSONSchema: Sendable {
    /// How deep nodes ask each other. Values nest 64 deep, so this is eight nodes for each level.
    package static let depthMax = 512

    /// Those of the whole app.
    let nodes: [SchemaNode]
    let root: SchemaNode
    /// The defaults of the members, found once, as they are filled in often.
    let defaults: JSONObject

    init(nodes: [SchemaNode], root: SchemaNode, defaults: JSONObject = JSONObject()) {
        self.nodes = nodes
        self.root = root
        self.defaults = defaults
    }

    /// Everything that is wrong with a value, each with its place, which begins with `pointer`.
    package func validate(
        _ value: JSON, at pointer: JSONPointer = JSONPointer(), work: WorkBudget
    ) throws(WorkBudgetError) -> [SchemaError] {
        var validator = SchemaValidator(nodes, at: pointer, work: work)
        validator.check(value, root: root)
        return try validator.finish()
    }

    /// Whether nothing is wrong with a value.
    package func isValid(_ value: JSON, work: WorkBudget) throws(WorkBudgetError) -> Bool {
        var validator = SchemaValidator(nodes, at: JSONPointer(), work: work)
        return try validator.checkQuietly(value, root: root)
    }
}

/// One thing that is wrong with a schema or with a value.
package struct SchemaError: Hashable, Sendable, CustomStringConvertible {
    /// Where; for a member that is missing, where it would be.
    package var pointer: JSONPointer
    /// What to do about it.
    package var detail: String

    package init(pointer: JSONPointer, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }

    package var description: String { "\(pointer): \(detail)" }

    /// The length of its text, about.
    var bytes: Int { pointer.steps.reduce(detail.utf8.count) { $0 + $1.utf8.count + 1 } }
}
