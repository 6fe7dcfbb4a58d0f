import JSON
import Testing

func compile(_ schema: String, _ definitions: String = "{}") throws -> JSONSchema {
    guard case .object(let definitions) = try parse(definitions) else { fatalError() }
    return try compile(parse(schema), definitions)
}

/// Why a schema was not compiled.
struct SchemaErrors: Error {
    var problems: [SchemaError]
}

/// Compiles a schema with an app's definitions.
func compile(
    _ schema: JSON, _ definitions: JSONObject, work: WorkBudget = WorkBudget()
) throws -> JSONSchema {
    var compiler = try SchemaCompiler(
        definitions: definitions, at: JSONPointer().appending("$defs"), work: work)
    let root = try compiler.add(schema, at: JSONPointer())
    try compiler.settle()
    let compiled = try compiler.schema(root)
    let problems = compiler.takeProblems()
    guard let compiled, problems.isEmpty else { throw SchemaErrors(problems: problems) }
    return compiled
}

/// Asking with a full budget.
extension JSONSchema {
    func validate(_ value: JSON, at pointer: JSONPointer = JSONPointer()) throws -> [SchemaError] {
        try validate(value, at: pointer, work: WorkBudget())
    }

    func convert(_ text: String) throws -> JSON? { try convert(text, work: WorkBudget()) }
    func property(_ name: String) throws -> JSONSchema? { try property(name, work: WorkBudget()) }
    func element(at index: Int) throws -> JSONSchema? { try element(at: index, work: WorkBudget()) }
}

/// The problems of a value, each as `pointer: detail`.
func problems(_ schema: String, _ value: String, _ definitions: String = "{}") throws -> [String] {
    try compile(schema, definitions).validate(parse(value)).map(\.description)
}

/// The problems of a schema, each as `pointer: detail`.
func schemaProblems(_ schema: String, _ definitions: String = "{}") throws -> [String] {
    do {
        _ = try compile(schema, definitions)
        return []
    } catch let error as SchemaErrors {
        return error.problems.map(\.description)
    }
}

@Suite struct SchemaTests {
    @Test(
        arguments: [
            ("true", ["1", "{}", "null"], []), ("false", [], ["1", "null"]),
            ("{}", ["1", "[]"], []),
            (
                ##"{"type":"integer"}"##, ["1", "1.0", "1e300", "-0.0"],
                ["1.5", ##""1""##, "null", "true"]
            ),
            (##"{"type":"number"}"##, ["1", "1.5"], [##""1""##]),
            (##"{"type":"null"}"##, ["null"], ["0", "false"]),
            (##"{"type":["string","null"]}"##, [##""""##, "null"], ["0"]),
            (##"{"type":"boolean"}"##, ["true"], ["0"]),
            (##"{"type":"array"}"##, ["[]"], ["{}"]),
            (##"{"type":"object"}"##, ["{}"], ["[]", "null"]),
            (##"{"const":{"a":[1]}}"##, [##"{"a":[1.0]}"##], [##"{"a":[2]}"##, "{}"]),
            (##"{"const":null}"##, ["null"], ["0"]),
            (##"{"const":0}"##, ["0", "0.0", "-0.0"], ["false", "[]"]),
            (##"{"enum":[]}"##, [], ["1"]),
            (##"{"enum":[6,"x",[],true]}"##, ["6.0", ##""x""##, "[]"], ["1", "[true]", "null"]),
            (##"{"minimum":1.1}"##, ["1.1", "2", ##""x""##], ["1", "0.6"]),
            (##"{"maximum":3}"##, ["3", "3.0"], ["3.5", "4"]),
            (##"{"exclusiveMinimum":1}"##, ["1.1"], ["1", "1.0"]),
            (##"{"exclusiveMaximum":9}"##, ["8.9"], ["9.0", "10"]),
            (
                ##"{"minimum":9007199254740993}"##, ["9007199254740993"],
                ["9007199254740992.0", "9007199254740992"]
            ),
            (
                ##"{"maximum":9223372036854775807}"##, ["9223372036854775807"],
                ["9223372036854775808.0"]
            ),
            (##"{"multipleOf":2}"##, ["10", "0", "-4", "4.0", ##""x""##], ["7", "2.5"]),
            (
                ##"{"multipleOf":0.01}"##, ["0.07", "4.35", "1.13", "2", "1e300", "-0.29"],
                ["0.075", "0.001"]
            ),
            (##"{"multipleOf":0.0001}"##, ["0.0075"], ["0.00751"]),
            (##"{"multipleOf":0.5}"##, ["1e308", "4.5"], ["0.3"]),
            (##"{"multipleOf":0.123456789}"##, ["0.246913578"], ["1e308"]),
            (##"{"multipleOf":1e-8}"##, ["12391239123"], []),
            (##"{"multipleOf":1.5}"##, ["4.5", "9", "0.0"], ["4"]),
            (##"{"multipleOf":9223372036854775807}"##, ["0"], ["1"]),
            (##"{"minLength":2}"##, [##""fo""##, ##""😀😀""##, "1"], [##""f""##, ##""😀""##]),
            (##"{"maxLength":2.0}"##, [##""fo""##, ##""😀😀""##], [##""foo""##, ##""👩‍👩""##]),
            (##"{"pattern":"^a*$"}"##, [##""""##, ##""aaa""##, "1"], [##""abc""##]),
            (##"{"pattern":"a+"}"##, [##""xaay""##], [##""""##]),
            (##"{"items":{"type":"integer"}}"##, ["[]", "[1,2]", "{}"], [##"[1,"x"]"##]),
            (
                ##"{"prefixItems":[{"type":"integer"},{"type":"string"}]}"##,
                ["[]", "[1]", ##"[1,"x",true]"##], [##"["x"]"##]
            ),
            (##"{"prefixItems":[true],"items":false}"##, ["[1]", "[]"], ["[1,2]"]),
            (##"{"items":false}"##, ["[]"], ["[1]"]),
            (##"{"minItems":1}"##, ["[1]", "{}"], ["[]"]),
            (##"{"maxItems":1}"##, ["[1]", ##""xx""##], ["[1,2]"]),
            (
                ##"{"uniqueItems":true}"##,
                [
                    "[1,2]", ##"[{"a":1},{"a":2}]"##, "[1,true]", "[0,false]",
                    ##"["\u00e9","e\u0301"]"##,
                ],
                ["[1,1.0]", ##"[{"a":1,"b":2},{"b":2,"a":1}]"##, "[[1],[1]]", "[null,null]"]
            ),
            (##"{"uniqueItems":false}"##, ["[1,1]"], []),
            (##"{"required":["a"]}"##, [##"{"a":null}"##, "[]"], ["{}"]),
            (
                ##"{"properties":{"a":{"type":"integer"},"b":false}}"##,
                ["{}", ##"{"a":1,"c":2}"##, "[]"], [##"{"a":"x"}"##, ##"{"b":1}"##]
            ),
            (
                ##"{"properties":{"a":true},"additionalProperties":false}"##, [##"{"a":1}"##],
                [##"{"b":1}"##]
            ),
            (
                ##"{"properties":{"\u00e9":{}},"additionalProperties":false}"##,
                [##"{"\u00e9":1}"##], [##"{"e\u0301":1}"##]
            ),
            (##"{"additionalProperties":{"type":"string"}}"##, [##"{"a":"x"}"##], [##"{"a":1}"##]),
            (
                ##"{"patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false}"##,
                [##"{"x1":1}"##], [##"{"x1":"a"}"##, ##"{"y":1}"##]
            ),
            (
                ##"{"properties":{"foo":{"maxItems":3}},"patternProperties":{"f.o":{"minItems":2}}}"##,
                [##"{"foo":[1,2]}"##], [##"{"foo":[]}"##, ##"{"foo":[1,2,3,4]}"##]
            ),
            (##"{"propertyNames":{"maxLength":3}}"##, [##"{"abc":1}"##, "{}"], [##"{"abcd":1}"##]),
            (##"{"propertyNames":false}"##, ["{}"], [##"{"a":1}"##]),
            (
                ##"{"minProperties":1,"maxProperties":2}"##, [##"{"a":1}"##],
                ["{}", ##"{"a":1,"b":2,"c":3}"##]
            ),
            (
                ##"{"allOf":[{"required":["a"]},{"required":["b"]}]}"##, [##"{"a":1,"b":1}"##],
                [##"{"a":1}"##]
            ),
            (##"{"anyOf":[{"type":"integer"},{"minimum":2}]}"##, ["1", "2.5", "3"], ["1.5"]),
            (##"{"allOf":[true,false]}"##, [], ["1"]),
            (##"{"oneOf":[{"type":"integer"},{"minimum":2}]}"##, ["1", "2.5"], ["3", "1.5"]),
            (##"{"not":{"type":"integer"}}"##, [##""a""##, "1.5"], ["1"]),
            (##"{"not":{"not":{"type":"integer"}}}"##, ["1"], ["1.5"]),
            (##"{"type":"string","title":"t","description":"d","default":1}"##, [##""x""##], ["1"]),
            (
                ##"{"$defs":{"a":{"type":"integer"}},"$ref":"#/$defs/a","minimum":2}"##, ["2"],
                ["1", ##""x""##]
            ),
            (
                ##"{"$defs":{"a/b~":{"type":"integer"}},"$ref":"#/$defs/a~1b~0"}"##, ["2"],
                [##""x""##]
            ),
            (
                ##"{"$defs":{"Größe":{"type":"integer"}},"$ref":"#/$defs/Gr%C3%B6%C3%9Fe"}"##,
                ["2"], [##""x""##]
            ),
            (
                ##"{"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"},"v":{"type":"integer"}}}},"$ref":"#/$defs/n"}"##,
                [##"{"v":1,"next":{"next":{"v":2}}}"##], [##"{"next":{"next":{"v":"x"}}}"##]
            ),
        ] as [(String, [String], [String])])
    func `a schema accepts some values and not others`(
        _ schema: String, _ takes: [String], _ refuses: [String]
    )
        throws
    {
        let compiled = try compile(schema)
        for value in takes { #expect(try compiled.validate(parse(value)) == [], "\(value)") }
        for value in refuses { #expect(try compiled.validate(parse(value)) != [], "\(value)") }
    }

    @Test func `all problems are reported with their pointers`() throws {
        let schema = ##"""
            {"type":"object","required":["contact","mode"],"additionalProperties":false,
             "properties":{"contact":{"$ref":"#/$defs/Contact"},"mode":{"enum":["a","b"]},"tags":{"items":{"type":"string"}}}}
            """##
        let definitions =
            ##"{"Contact":{"required":["id"],"properties":{"id":{"type":"string","minLength":1}}}}"##
        let compiled = try compile(schema, definitions)
        let value = try parse(##"{"contact":{"id":""},"tags":["x",1,null],"moed":1}"##)
        let found = try compiled.validate(value, at: JSONPointer().appending("params")).map(
            \.description)
        #expect(
            found.sorted() == [
                "/params/contact/id: must have at least 1 character",
                "/params/mode: is required",
                ##"/params/moed: is not allowed here (did you mean "mode"?)"##,
                "/params/tags/1: must be a string, not an integer",
                "/params/tags/2: must be a string, not null",
            ])
        #expect(
            try problems(schema, ##"{"contact":{},"mode":"c"}"##, definitions).sorted() == [
                "/contact/id: is required", ##"/mode: must be one of "a" or "b""##,
            ])
    }

    @Test(arguments: [
        (
            ##"{"type":["string","integer"]}"##, "[]",
            ": must be an integer or a string, not an array"
        ),
        (##"{"const":"a"}"##, "1", ##": must be "a""##),
        (##"{"enum":[]}"##, "1", ": must be absent: no value is allowed"),
        (##"{"multipleOf":0.01}"##, "0.001", ": must be a multiple of 0.01"),
        (##"{"exclusiveMaximum":3}"##, "3", ": must be less than 3"),
        (##"{"minimum":1.5}"##, "1", ": must be at least 1.5"),
        (##"{"uniqueItems":true}"##, "[1,2,1.0]", "/2: must be different from element 0"),
        (##"{"items":false}"##, "[1]", "/0: is not allowed here"),
        (##"{"pattern":"^a"}"##, ##""b""##, ": must match the pattern ^a"),
        (
            ##"{"propertyNames":{"pattern":"^a"}}"##, ##"{"b/":1}"##,
            "/b~1: has a name that must match the pattern ^a"
        ),
        (
            ##"{"anyOf":[{"type":"string"},{"type":"null"}]}"##, "1",
            ": must be null or a string, not an integer"
        ),
        (
            ##"{"anyOf":[{"type":"object","required":["a"]},{"type":"null"}]}"##, "{}",
            "/a: is required"
        ),
        (
            ##"{"anyOf":[{"minimum":5},{"maximum":1}]}"##, "3",
            ": must match one of the 2 alternatives of its schema"
        ),
        (
            ##"{"oneOf":[{},{}]}"##, "3",
            ##": matches 2 alternatives of "oneOf"; it must match exactly one"##
        ),
        (
            ##"{"not":{}}"##, "3",
            ##": matches a schema that is excluded with "not""##
        ),
    ])
    func `a problem says what to do`(_ schema: String, _ value: String, _ problem: String) throws {
        #expect(try problems(schema, value) == [problem])
    }

    @Test(arguments: [
        ("1", ": must be a schema, which is an object, true or false"),
        (##"{"$anchor":"a"}"##, ##"/$anchor: is not a supported keyword"##),
        (
            ##"{"properties":{"a":{"minlength":1}}}"##,
            ##"/properties/a/minlength: is not a supported keyword (did you mean "minLength"?)"##
        ),
        (
            ##"{"type":"int"}"##,
            ##"/type: must be one of "null", "boolean", "integer", "number", "string", "array", "object", or an array of them"##
        ),
        (##"{"type":[]}"##, "/type: must name at least one type"),
        (##"{"enum":1}"##, "/enum: must be an array"),
        (##"{"required":["a","a"]}"##, "/required: must be an array of unique strings"),
        (##"{"minLength":-1}"##, "/minLength: must be a non-negative integer"),
        (##"{"maxItems":1.5}"##, "/maxItems: must be a non-negative integer"),
        (##"{"minimum":"1"}"##, "/minimum: must be a number"),
        (##"{"multipleOf":0}"##, "/multipleOf: must be greater than 0"),
        (##"{"uniqueItems":1}"##, "/uniqueItems: must be true or false"),
        (##"{"title":1}"##, "/title: must be a string"),
        (##"{"properties":[]}"##, "/properties: must be an object whose values are schemas"),
        (##"{"allOf":[]}"##, "/allOf: must contain at least one schema"),
        (##"{"anyOf":[1]}"##, "/anyOf/0: must be a schema, which is an object, true or false"),
        (##"{"not":null}"##, "/not: must be a schema, which is an object, true or false"),
        (
            ##"{"pattern":"("}"##,
            ##"/pattern: has the invalid regular expression "(": at character 1: missing ) at the end of a group"##
        ),
        (
            ##"{"patternProperties":{"*":true}}"##,
            ##"/patternProperties: has the invalid regular expression "*": at character 1: there is nothing to repeat"##
        ),
        (##"{"$ref":"#"}"##, "/$ref: must have the form #/$defs/NAME"),
        (##"{"$ref":"#/$defs/a/b"}"##, "/$ref: must have the form #/$defs/NAME"),
        (##"{"$ref":"other.json"}"##, "/$ref: must have the form #/$defs/NAME"),
        (
            ##"{"$ref":"#/$defs/50%","$defs":{"50%":{}}}"##,
            "/$ref: must have the form #/$defs/NAME"
        ),
        (
            ##"{"$ref":"#/$defs/Contcat","$defs":{"Contact":{}}}"##,
            ##"/$ref: names the unknown definition "Contcat" (did you mean "Contact"?)"##
        ),
        (
            ##"{"properties":{"a":{"$defs":{}}}}"##,
            "/properties/a/$defs: is only supported at the top of a schema"
        ),
        (
            ##"{"$defs":{"a":{"type":1}}}"##,
            ##"/$defs/a/type: must be one of "null", "boolean", "integer", "number", "string", "array", "object", or an array of them"##
        ),
        (
            ##"{"$defs":{"a":{"$ref":"#/$defs/a"}}}"##,
            "/$defs/a: refers to itself without descending into a member or an element"
        ),
        (
            ##"{"properties":{"a":{"type":"string","default":1}}}"##,
            "/properties/a/default: does not match the schema it is the default of: it must be a string, not an integer"
        ),
    ])
    func `an invalid schema is refused`(_ schema: String, _ problem: String) throws {
        #expect(try schemaProblems(schema) == [problem])
    }

    @Test func `all problems of a schema are reported`() throws {
        #expect(
            try schemaProblems(
                ##"{"minimum":"a","properties":{"a":{"foo":1,"type":3}},"items":[]}"##
            ).count == 4)
    }

    @Test
    func
        `references prefer the definitions of their schema to those of the app`()
        throws
    {
        let own =
            ##"{"$defs":{"A":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/B"}}}"##
        let app = ##"{"A":{"type":"integer"},"B":{"$ref":"#/$defs/A"}}"##
        #expect(try problems(own, ##"{"a":"x","b":1}"##, app) == [])
        #expect(try problems(own, ##"{"a":1,"b":"x"}"##, app).count == 2)
        let broken = ##"{"B":{"properties":{"x":{"typo":1}}},"A":{"$ref":"#/$defs/Z"}}"##
        #expect(
            try schemaProblems(own, broken) == [
                ##"/$defs/B/properties/x/typo: is not a supported keyword (did you mean "type"?)"##,
                ##"/$defs/A/$ref: names the unknown definition "Z" (did you mean "A" or "B"?)"##,
            ])
    }

    @Test(arguments: [
        ##"{"A":{"allOf":[{"$ref":"#/$defs/B"}]},"B":{"anyOf":[{"$ref":"#/$defs/A"},{}]}}"##,
        ##"{"A":{"oneOf":[{"not":{"$ref":"#/$defs/A"}}]}}"##,
        ##"{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/C"},"C":{"$ref":"#/$defs/B"}}"##,
    ])
    func `a cycle that does not descend is refused`(_ definitions: String) throws {
        #expect(try schemaProblems(##"{"$ref":"#/$defs/A"}"##, definitions).count == 1)
    }

    @Test func `at most a hundred problems are reported`() throws {
        let value = "[" + Array(repeating: "1", count: 1_000).joined(separator: ",") + "]"
        #expect(try problems(##"{"items":{"type":"string"}}"##, value).count == 100)
    }
}
