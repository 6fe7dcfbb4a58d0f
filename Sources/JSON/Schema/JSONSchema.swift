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
//     other nodes by index. A definition is one node however often it is referred to.
//  2. `$ref` is `#/$defs/NAME`. A reference in a schema is looked up in its own `$defs`, then in
//     the app's; one in an app's definition in the app's.
//  3. A reference must get somewhere: a circle of `$ref`, `allOf`, `anyOf`, `oneOf` and `not` that
//     goes into no member or element would ask the same question for ever, and is refused.
//  4. Validating finds all problems, up to `problemsMax`, and its work is bounded by `stepsMax`;
//     running out is a problem that says so. An answer without problems is always a complete one.
//  5. `1.0` is an integer, 1 equals 1.0, lengths count Unicode scalars, `multipleOf` is decided on
//     decimals (see `JSONNumber`), patterns are ECMA-262's (see `Pattern`).
//
//     SchemaNode       what compiling makes        SchemaCompiler   a schema's JSON → nodes
//     SchemaValidator  nodes + value → problems    JSONSchema+…     defaults, types, conversion

/// A compiled schema, or a place in one.
package struct JSONSchema: Sendable {
    /// Problems of one value that are told; the rest is found when these are mended.
    package static let problemsMax = 100
    /// Work for one value: a step is a node looked at, a member looked up, a value compared, a step
    /// of a pattern. A million takes some tens of milliseconds; 64 KiB of params need far less.
    package static let stepsMax = 1_000_000
    /// How deep nodes ask each other. Values nest 64 deep, so this is eight nodes for each level.
    package static let depthMax = 512

    /// Nodes of one schema with the definitions that it refers to. Each route of an app compiles
    /// its own, so this bounds what storing an app costs.
    package static let nodesMax = 10_000

    let nodes: [SchemaNode]
    let root: Int
    /// The defaults of the members, found once, as they are filled in often.
    private(set) var defaults = JSONObject()

    /// Compiles a schema with the definitions of its app.
    ///
    /// Pointers of problems begin with `pointer`, those in one of the app's definitions with
    /// `definitionsPointer`. A definition of the app that no reference reaches is not looked at;
    /// `problems(inDefinitions:at:)` checks them all.
    package init(
        compiling schema: JSON, definitions: JSONObject = JSONObject(),
        at pointer: JSONPointer = JSONPointer(),
        definitionsPointer: JSONPointer = JSONPointer().appending("$defs")
    ) throws(SchemaErrors) {
        var compiler = SchemaCompiler(
            schema, appDefinitions: definitions, at: pointer, appPointer: definitionsPointer)
        root = try compiler.compile()
        nodes = compiler.nodes
        defaults = collectDefaults()
        try checkDefaults(at: pointer)
    }

    init(nodes: [SchemaNode], root: Int) {
        self.nodes = nodes
        self.root = root
        defaults = collectDefaults()
    }

    /// What is wrong with an app's definitions, whether anything refers to them or not.
    package static func problems(
        inDefinitions definitions: JSONObject, at pointer: JSONPointer
    ) -> [SchemaProblem] {
        let all = JSONObject([("$defs", .object(definitions))])
        do throws(SchemaErrors) {
            var parent = pointer
            if !parent.isEmpty { parent.removeLast() }
            var compiler = SchemaCompiler(
                .object(all), appDefinitions: JSONObject(), at: parent, appPointer: pointer)
            _ = try compiler.compile()
            return []
        } catch {
            return error.problems
        }
    }

    /// Everything that is wrong with a value, each with its place, which begins with `pointer`.
    package func validate(
        _ value: JSON, at pointer: JSONPointer = JSONPointer(), stepsMax: Int = JSONSchema.stepsMax
    ) -> [SchemaProblem] {
        var validator = SchemaValidator(nodes, at: pointer, stepsMax: stepsMax)
        validator.check(value, root)
        return validator.finish()
    }
}

/// One thing that is wrong with a schema or with a value.
package struct SchemaProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where; for a member that is missing, where it would be.
    package var pointer: JSONPointer
    /// What to do about it.
    package var detail: String

    package init(pointer: JSONPointer, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }

    package var description: String { "\(pointer): \(detail)" }
}

/// Why a schema was not compiled: at least one problem.
package struct SchemaErrors: Error, Hashable, Sendable {
    package var problems: [SchemaProblem]

    package init(problems: [SchemaProblem]) {
        self.problems = problems
    }
}
