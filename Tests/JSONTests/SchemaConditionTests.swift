import JSON
import Testing

/// The keywords that depend on other parts of the same value, with cases of the JSON Schema Test
/// Suite for 2020-12, and keywords that check nothing.
@Suite struct SchemaConditionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var schema: String
        var valid: [String]
        var invalid: [String]

        init(_ schema: String, _ valid: [String], _ invalid: [String] = []) {
            (self.schema, self.valid, self.invalid) = (schema, valid, invalid)
        }

        var testDescription: String { schema }
    }

    static let branches: [Case] = [
        Case(#"{"if":{"const":0}}"#, ["0", #""hello""#]),
        Case(#"{"then":{"const":0}}"#, ["0", #""hello""#]),
        Case(#"{"else":{"const":0}}"#, ["0", #""hello""#]),
        Case(#"{"if":{"exclusiveMaximum":0},"then":{"minimum":-10}}"#, ["-1", "3"], ["-100"]),
        Case(#"{"if":{"exclusiveMaximum":0},"else":{"multipleOf":2}}"#, ["-1", "4"], ["3"]),
        Case(
            #"{"if":{"exclusiveMaximum":0},"then":{"minimum":-10},"else":{"multipleOf":2}}"#,
            ["-1", "4"], ["-100", "3"]),
        Case(
            #"{"allOf":[{"if":{"exclusiveMaximum":0}},{"then":{"minimum":-10}},{"else":{"multipleOf":2}}]}"#,
            ["-100", "3"]),
        Case(
            #"{"if":true,"then":{"const":"then"},"else":{"const":"else"}}"#, [#""then""#],
            [#""else""#]),
        Case(
            #"{"if":false,"then":{"const":"then"},"else":{"const":"else"}}"#, [#""else""#],
            [#""then""#]),
        Case(
            #"{"then":{"const":"yes"},"else":{"const":"other"},"if":{"maxLength":4}}"#,
            [#""yes""#, #""other""#], [#""no""#, #""invalid""#]),
        Case(
            #"{"type":"object","if":{"properties":{"kind":{"const":"a"}},"required":["kind"]},"then":{"required":["a"]},"else":{"required":["b"]}}"#,
            [#"{"kind":"a","a":1}"#, #"{"b":1}"#, #"{"kind":"b","b":1}"#],
            [#"{"kind":"a"}"#, #"{"kind":"a","b":1}"#, #"{"kind":"b"}"#, "[]"]),
    ]

    static let contents: [Case] = [
        Case(#"{"contains":{"minimum":5}}"#, ["[3,4,5]", "[3,4,5,6]", "{}"], ["[2,3,4]", "[]"]),
        Case(#"{"contains":{"const":5}}"#, ["[3,4,5]", "[3,4,5,5]"], ["[1,2,3,4]"]),
        Case(#"{"contains":true}"#, [#"["foo"]"#], ["[]"]),
        Case(#"{"contains":false}"#, [#""not an array""#], [#"["foo"]"#, "[]"]),
        Case(
            #"{"items":{"multipleOf":2},"contains":{"multipleOf":3}}"#, ["[6,12]"],
            ["[2,4,8]", "[3,6,9]", "[1,5]"]),
        Case(#"{"contains":{"if":false,"else":true}}"#, [#"["foo"]"#], ["[]"]),
        Case(#"{"contains":{"type":"null"}}"#, ["[null]"], ["[]", "[1]"]),
        Case(#"{"maxContains":1}"#, ["[1]", "[1,2]"]),
        Case(#"{"minContains":1}"#, ["[]", "[1]"]),
        Case(
            #"{"contains":{"const":1},"maxContains":1}"#, ["[1]", "[1,2]"],
            ["[]", "[1,1]", "[1,2,1]"]),
        Case(#"{"contains":{"const":1},"maxContains":1.0}"#, ["[1]"], ["[1,1]"]),
        Case(
            #"{"contains":{"const":1},"minContains":1,"maxContains":3}"#, ["[1,1]"],
            ["[]", "[1,1,1,1]"]),
        Case(
            #"{"contains":{"const":1},"minContains":2}"#, ["[1,1]", "[1,1,1]", "[1,2,1]"],
            ["[]", "[1]", "[1,2]"]),
        Case(#"{"contains":{"const":1},"minContains":2.0}"#, ["[1,1]"], ["[1]"]),
        Case(
            #"{"contains":{"const":1},"maxContains":1,"minContains":3}"#, [],
            ["[]", "[1]", "[1,1,1]", "[1,1]"]),
        Case(#"{"contains":{"const":1},"minContains":0}"#, ["[]", "[2]", "[1]"]),
        Case(
            #"{"contains":{"const":1},"minContains":0,"maxContains":1}"#, ["[]", "[1]"], ["[1,1]"]),
    ]

    static let dependents: [Case] = [
        Case(
            #"{"dependentRequired":{"bar":["foo"]}}"#,
            ["{}", #"{"foo":1}"#, #"{"foo":1,"bar":2}"#, #"["bar"]"#, #""foobar""#, "12"],
            [#"{"bar":2}"#]),
        Case(#"{"dependentRequired":{"bar":[]}}"#, ["{}", #"{"bar":2}"#, "1"]),
        Case(
            #"{"dependentRequired":{"quux":["foo","bar"]}}"#,
            ["{}", #"{"foo":1,"bar":2}"#, #"{"foo":1,"bar":2,"quux":3}"#],
            [#"{"foo":1,"quux":2}"#, #"{"bar":1,"quux":2}"#, #"{"quux":1}"#]),
        Case(
            #"{"dependentRequired":{"foo\nbar":["foo\rbar"],"foo\"bar":["foo'bar"]}}"#,
            [#"{"foo\nbar":1,"foo\rbar":2}"#, #"{"foo'bar":1,"foo\"bar":2}"#],
            [#"{"foo\nbar":1,"foo":2}"#, #"{"foo\"bar":2}"#]),
    ]

    @Test(arguments: branches + contents + dependents + SchemaConditionTests.unevaluated)
    func `a value is valid as in the test suite`(_ test: Case) throws {
        let schema = try compile(test.schema)
        for (values, expected) in [(test.valid, true), (test.invalid, false)] {
            for text in values {
                let value = try parse(text)
                #expect(try schema.isValid(value, work: WorkBudget()) == expected, "\(text)")
                #expect(try schema.validate(value).isEmpty == expected, "\(text)")
            }
        }
    }

    // MARK: - Where problems are

    @Test func `problems point to what is missing, to the array, and to what is left over`() throws
    {
        #expect(
            try problems(#"{"dependentRequired":{"a":["b","c"]}}"#, #"{"a":1,"c":2}"#)
                == ["/b: is required beside a"])
        let contains = #"{"properties":{"n":{"contains":{"type":"integer"},"minContains":2}}}"#
        #expect(
            try problems(contains, #"{"n":["x",1]}"#)
                == [#"/n: must contain at least 2 elements of the kind in "contains""#])
        #expect(
            try problems(#"{"contains":{"const":1},"maxContains":1}"#, "[1,1]")
                == [#": must contain at most 1 element of the kind in "contains""#])
        #expect(
            try problems(
                #"{"properties":{"a":true},"unevaluatedProperties":false}"#, #"{"b":1,"a":2,"c":3}"#
            )
                == ["/b: is not allowed here", "/c: is not allowed here"])
        #expect(
            try problems(
                #"{"properties":{"a":true},"unevaluatedProperties":{"type":"string"}}"#,
                #"{"b":1,"a":2}"#) == ["/b: must be a string, not an integer"])
        let branches =
            #"{"if":{"required":["a"]},"then":{"properties":{"a":{"type":"string"}}},"else":{"required":["b"]}}"#
        #expect(try problems(branches, #"{"a":1}"#) == ["/a: must be a string, not an integer"])
        #expect(try problems(branches, "{}") == ["/b: is required"])
    }

    @Test func `what is wrong otherwise does not make other members left over`() throws {
        let all =
            #"{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]}],"unevaluatedProperties":false}"#
        #expect(
            try problems(all, #"{"a":1,"b":2}"#)
                == ["/a: must be a string, not an integer", "/b: is not allowed here"])
        let any =
            #"{"anyOf":[{"required":["a"],"properties":{"a":true}},{"required":["b"],"properties":{"b":true}}],"unevaluatedProperties":false}"#
        #expect(
            try problems(any, #"{"c":1}"#) == [
                ": must match one of the 2 alternatives of its schema"
            ])
    }

    // MARK: - Notes

    @Test func `keywords that check nothing have a form, and others are refused`() throws {
        let notes = #"""
            {"$schema":"https://json-schema.org/draft/2020-12/schema","$comment":"c","title":"t",
             "description":"d","format":"email","examples":[1,"a"],"deprecated":true,
             "readOnly":false,"writeOnly":true,"x-order":{"a":[1]},"x-":null,
             "properties":{"a":{"$comment":"c","x-a":1,
              "$schema":"https://json-schema.org/draft/2020-12/schema#"}}}
            """#
        #expect(try schemaProblems(notes) == [])
        #expect(try problems(notes, #""no email""#) == [])
        for (word, value, detail) in [
            ("$schema", "1", "must be a string"), ("$comment", "[]", "must be a string"),
            ("format", "true", "must be a string"), ("examples", "{}", "must be an array"),
            ("deprecated", #""yes""#, "must be true or false"),
            ("readOnly", "0", "must be true or false"),
            ("writeOnly", "null", "must be true or false"),
        ] {
            #expect(try schemaProblems(#"{"\#(word)":\#(value)}"#) == ["/\(word): \(detail)"])
        }
        for word in [
            "$id", "$anchor", "dependentSchemas", "unevaluatedItems", "minimun", "X-a", "x",
        ] {
            let found = try schemaProblems(#"{"\#(word)":{}}"#)
            #expect(found.count == 1 && found[0].hasPrefix("/\(word): is not a supported keyword"))
        }
        #expect(
            try schemaProblems(#"{"minimun":1}"#)
                == [#"/minimun: is not a supported keyword (did you mean "minimum"?)"#])
        #expect(try schemaProblems(#"{"$id":"x"}"#) == ["/$id: is not a supported keyword"])
    }

    @Test func `the form of the other new keywords is checked`() throws {
        #expect(
            try schemaProblems(#"{"dependentRequired":[]}"#)
                == ["/dependentRequired: must be an object whose values are lists of names"])
        #expect(
            try schemaProblems(#"{"dependentRequired":{"a":["b","b"]}}"#)
                == ["/dependentRequired/a: must be an array of unique strings"])
        #expect(
            try schemaProblems(#"{"contains":true,"minContains":-1}"#)
                == ["/minContains: must be a non-negative integer"])
        #expect(
            try schemaProblems(#"{"maxContains":"1"}"#)
                == ["/maxContains: must be a non-negative integer"])
        for word in ["if", "then", "else", "contains", "unevaluatedProperties"] {
            #expect(
                try schemaProblems(#"{"\#(word)":1}"#)
                    == ["/\(word): must be a schema, which is an object, true or false"])
        }
        #expect(
            try schemaProblems(##"{"$ref":"#/$defs/A"}"##, ##"{"A":{"if":{"$ref":"#/$defs/A"}}}"##)
                == ["/$defs/A: refers to itself without descending into a member or an element"])
    }

    @Test func `then and else without if, and another version, are warnings`() throws {
        func warnings(_ schema: String) throws -> [String] {
            var compiler = try SchemaCompiler(
                definitions: JSONObject(), at: JSONPointer().appending("$defs"), work: WorkBudget())
            _ = try compiler.add(parse(schema), at: JSONPointer())
            #expect(compiler.takeProblems() == [])
            return compiler.takeWarnings().map(\.description)
        }
        #expect(
            try warnings(#"{"properties":{"a":{"then":true,"else":false}}}"#) == [
                "/properties/a/then: has no effect without if",
                "/properties/a/else: has no effect without if",
            ])
        #expect(
            try warnings(#"{"$schema":"http://json-schema.org/draft-07/schema#"}"#)
                == ["/$schema: is read as 2020-12"])
        #expect(try warnings(#"{"if":true,"then":false}"#) == [])
    }

    // MARK: - What links ask of a schema

    @Test func `then and else are alternatives, and require nothing`() throws {
        let schema = try compile(
            #"""
            {"required":["k"],"if":{"properties":{"k":{"const":"a"}}},
             "then":{"required":["n"],"properties":{"n":{"type":"integer"}}},
             "else":{"required":["m"],"properties":{"n":{"type":"boolean"}}}}
            """#)
        #expect(try schema.requiredNames(work: WorkBudget()) == ["k"])
        let member = try #require(try schema.property("n", work: WorkBudget()))
        #expect(member.acceptedTypes == [.integer, .boolean])
        #expect(try member.convert("7", work: WorkBudget()) == .integer(7))
        let open = try compile(#"{"if":true,"then":{"properties":{"n":{"type":"object"}}}}"#)
        #expect(try open.property("n", work: WorkBudget())?.acceptedTypes == .any)
        let rest = try compile(#"{"unevaluatedProperties":{"type":"integer"}}"#)
        #expect(try rest.property("n", work: WorkBudget())?.acceptedTypes == [.integer])
    }

    @Test func `the types of a condition are those of its branches`() throws {
        func types(_ schema: String) throws -> JSONTypes { try compile(schema).acceptedTypes }
        #expect(
            try types(#"{"if":{"type":"string"},"then":true,"else":{"type":"null"}}"#)
                == [.string, .null])
        #expect(try types(#"{"if":{"type":"string"},"else":{"type":"null"}}"#) == [.string, .null])
        #expect(try types(#"{"if":{"type":"string"},"then":false}"#) == .any)
        #expect(
            try types(#"{"if":true,"then":{"type":"array"},"else":{"type":"null"}}"#)
                == [.array, .null])
    }

    @Test func `listed values are those of enum and const, or true and false`() throws {
        func listed(_ schema: String) throws -> [JSON]? {
            try compile(schema).listedValues(work: WorkBudget())
        }
        #expect(try listed(#"{"enum":[1,"a"]}"#) == [.integer(1), .string("a")])
        #expect(try listed(#"{"allOf":[{"const":5}]}"#) == [.integer(5)])
        #expect(try listed(#"{"type":"boolean"}"#) == [.bool(false), .bool(true), .null])
        #expect(try listed(#"{"type":"integer"}"#) == nil)
    }
}
