import JSON
import TestSupport
import Testing

/// The cost of hostile schemas and values.
@Suite struct SchemaBoundsTests {
    @Test func `alternatives that multiply use up the budget`() throws {
        var definitions = JSONObject()
        for level in 0..<40 {
            let next = ##"{"$ref":"#/$defs/L\##(level + 1)"}"##
            definitions["L\(level)"] = try parse(#"{"anyOf":[\#(next),\#(next)]}"#)
        }
        definitions["L40"] = .bool(false)
        let schema = try compile(
            parse(##"{"$ref":"#/$defs/L0"}"##), definitions)
        let work = WorkBudget()
        #expect(throws: WorkBudgetError.self) { try schema.validate(.null, work: work) }
        #expect(work.unitsLeft == 0)
        #expect(throws: WorkBudgetError.self) { try schema.isValid(.null, work: WorkBudget()) }
    }

    @Test(
        arguments: [
            ##"{"if":NEXT,"then":NEXT,"else":NEXT}"##,
            ##"{"anyOf":[NEXT,NEXT],"unevaluatedProperties":false}"##,
            ##"{"anyOf":[{"not":NEXT},NEXT],"unevaluatedProperties":true}"##,
        ])
    func `conditions that multiply use up the budget`(_ form: String) throws {
        var definitions = JSONObject()
        for level in 0..<40 {
            let next = ##"{"$ref":"#/$defs/L\##(level + 1)"}"##
            definitions["L\(level)"] = try parse(form.replacing("NEXT", with: next))
        }
        definitions["L40"] = .bool(false)
        let schema = try compile(parse(##"{"$ref":"#/$defs/L0"}"##), definitions)
        let work = WorkBudget()
        let value = JSON.object(JSONObject())
        #expect(throws: WorkBudgetError.self) { try schema.validate(value, work: work) }
        #expect(work.unitsLeft == 0)
        #expect(throws: WorkBudgetError.self) { try schema.isValid(value, work: WorkBudget()) }
    }

    @Test func `the members that are evaluated cost as many steps as there are`() throws {
        let value = JSON.object(JSONObject((0..<2_000).map { ("m\($0)", JSON.integer(1)) }))
        func units(_ schema: String) throws -> Int {
            let work = WorkBudget(units: .max)
            let before = work.unitsLeft
            _ = try compile(schema).validate(value, work: work)
            return before - work.unitsLeft
        }
        let one = try units(#"{"unevaluatedProperties":true}"#)
        #expect(one >= 2_000)
        let inner = Array(repeating: #"{"unevaluatedProperties":true}"#, count: 100)
        let many = try units(#"{"allOf":[\#(inner.joined(separator: ","))]}"#)
        #expect(many >= 100 * 2_000)
        let any = Array(repeating: #"{"anyOf":[false]}"#, count: 50).joined(separator: ",")
        let failing = try units(#"{"allOf":[\#(any)],"unevaluatedProperties":true}"#)
        #expect(failing >= 50 * 2_000)
        let dependents = (0..<1_000).map { #""m\#($0)":["a","b","c"]"# }.joined(separator: ",")
        #expect(try units(#"{"dependentRequired":{\#(dependents)}}"#) >= 4_000)
    }

    @Test func `a chain of references longer than the depth is a problem`() throws {
        var definitions = JSONObject()
        for level in 0..<5_000 {
            definitions.append("L\(level)", try parse(##"{"$ref":"#/$defs/L\##(level + 1)"}"##))
        }
        definitions.append("L5000", .bool(true))
        let schema = try compile(
            parse(##"{"$ref":"#/$defs/L0"}"##), definitions)
        #expect(try schema.validate(.null).count == 1)
        definitions["L5000"] = try parse(##"{"$ref":"#/$defs/L2500"}"##)
        #expect(throws: SchemaErrors.self) {
            try compile(parse(##"{"$ref":"#/$defs/L0"}"##), definitions)
        }
    }

    @Test func `a pattern that takes too long is a problem, also in not and anyOf`() throws {
        let text = "\"" + String(repeating: "a", count: 40) + "!\""
        let detail = "takes too long to match against the pattern \"^(a+)+$\"; shorten it"
        #expect(try problems(#"{"pattern":"^(a+)+$"}"#, text) == [": \(detail)"])
        #expect(try problems(#"{"not":{"pattern":"^(a+)+$"}}"#, text) == [": \(detail)"])
        #expect(try problems(#"{"anyOf":[{"pattern":"^(a+)+$"},{}]}"#, text) == [": \(detail)"])
    }

    @Test func `a schema of too many parts uses up the budget`() throws {
        let parts = JSON.array(Array(repeating: .bool(true), count: 20_000))
        let schema = JSON.object(JSONObject([("allOf", parts)]))
        #expect(throws: WorkBudgetError.self) { try compile(schema, JSONObject()) }
    }

    @Test func `a definition is compiled once however many schemas refer to it`() throws {
        let parts = JSON.array(Array(repeating: .object(JSONObject()), count: 5_000))
        let definitions = JSONObject([("A", .object(JSONObject([("allOf", parts)])))])
        let work = WorkBudget()
        var compiler = try SchemaCompiler(
            definitions: definitions, at: JSONPointer().appending("$defs"), work: work)
        let before = work.unitsLeft
        for index in 0..<1_000 {
            let reference = try parse(##"{"$ref":"#/$defs/A"}"##)
            _ = try compiler.add(reference, at: JSONPointer().appending(index))
        }
        #expect(before - work.unitsLeft < 1_000 * 200)
        #expect(compiler.takeProblems() == [])
    }

    @Test func `the members of a definition are searched for defaults once`() throws {
        let members = JSONObject((0..<1_000).map { ("p\($0)", JSON.object(JSONObject())) })
        let definition = JSON.object(JSONObject([("properties", .object(members))]))
        let definitions = JSONObject([("A", definition)])
        let work = WorkBudget(units: .max)
        var compiler = try SchemaCompiler(
            definitions: definitions, at: JSONPointer().appending("$defs"), work: work)
        let reference = try parse(##"{"$ref":"#/$defs/A"}"##)
        let roots = try (0..<2).map {
            try compiler.add(reference, at: JSONPointer().appending($0))
        }
        try compiler.settle()
        let units = try roots.map { root in
            let before = work.unitsSpent
            _ = try compiler.schema(root)
            return work.unitsSpent - before
        }
        #expect(units[0] >= 4_000)
        #expect(units[1] < 100)
    }

    @Test func `of problems with long pointers few are reported`() throws {
        let key = String(repeating: "k", count: 50_000)
        let value = JSON.object(JSONObject([(key, .array(Array(repeating: .null, count: 90)))]))
        let schema = try compile(#"{"additionalProperties":{"items":{"type":"string"}}}"#)
        #expect(try schema.validate(value).count == 6)
    }

    @Test(.seeded) func `a damaged schema is refused or works, and never traps`() throws {
        var generator = SplitMix64()
        let words = [
            "type", "enum", "const", "properties", "required", "items", "prefixItems", "pattern",
            "minimum", "multipleOf", "allOf", "anyOf", "oneOf", "not", "$ref", "default",
            "maxLength",
            "additionalProperties", "patternProperties", "propertyNames", "uniqueItems", "minItems",
        ]
        func schema(_ depth: Int) -> JSON {
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let word = words[Int.random(in: words.indices, using: &generator)]
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: object[word] = generator.value(depth: 2)
                case 1: object[word] = .string("#/$defs/A")
                case 2: object[word] = .string("string")
                case 3:
                    object[word] = .array(depth > 0 ? [schema(depth - 1), schema(depth - 1)] : [])
                case 4: object[word] = .object(JSONObject([("a", schema(max(depth - 1, 0)))]))
                default: object[word] = depth > 0 ? schema(depth - 1) : .integer(1)
                }
            }
            return .object(object)
        }
        var compiled = 0
        for _ in 0..<3_000 {
            let definitions = JSONObject([("A", schema(1))])
            guard let found = try? compile(schema(2), definitions)
            else { continue }
            compiled += 1
            _ = try found.validate(generator.value(depth: 3))
            _ = try found.property("a")?.convert("1")
        }
        #expect(compiled > 50)
    }

    @Test func `many elements are compared in linear time`() throws {
        let value = JSON.array((0..<20_000).map { .object(JSONObject([("id", .integer($0))])) })
        #expect(try compile(#"{"uniqueItems":true}"#).validate(value) == [])
    }

    @Test func `many required names are looked up in linear time`() throws {
        let names = (0..<20_000).map { "k\($0)" }
        let schema = JSON.object(JSONObject([("required", .array(names.map { .string($0) }))]))
        let value = JSON.object(JSONObject(names.map { ($0, .null) }))
        #expect(try compile(schema, JSONObject()).validate(value) == [])
    }

    @Test func `a recursive schema follows a value to its end`() throws {
        let schema =
            ##"{"$defs":{"T":{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/T"},{"type":"null"}]}}},"$ref":"#/$defs/T"}"##
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(try problems(schema, deep) == [])
        let wrong = String(repeating: "[", count: 60) + "1" + String(repeating: "]", count: 60)
        #expect(try problems(schema, wrong).count == 1)
    }
}

/// Asking a schema about its members.
@Suite struct SchemaMembersTests {
    @Test func `defaults fill what is absent`() throws {
        let schema = try compile(
            ##"{"properties":{"a":{"default":1},"b":{"$ref":"#/$defs/B"},"c":{},"d":{"default":null}},"allOf":[{"properties":{"e":{"default":[]},"a":{"default":2}}}]}"##,
            #"{"B":{"type":"string","default":"x"}}"#)
        let fill = { (text: String) throws -> String in
            guard case .object(let params) = try parse(text) else { return "" }
            return JSON.object(try schema.fillingDefaults(params, work: WorkBudget())).text
        }
        #expect(try fill("{}") == #"{"a":1,"b":"x","d":null,"e":[]}"#)
        #expect(try fill(#"{"c":0,"b":null,"a":5}"#) == #"{"c":0,"b":null,"a":5,"d":null,"e":[]}"#)
    }

    @Test(arguments: [
        (#"{"type":"string"}"#, "42", #""42""#), ("{}", "42", #""42""#),
        (#"{"type":"integer"}"#, "42", "42"),
        (#"{"type":"integer"}"#, "-7", "-7"), (#"{"type":"number"}"#, "4.0", "4"),
        (#"{"type":"number"}"#, "4", "4"), (#"{"type":"number"}"#, "-0.50", "-0.5"),
        (#"{"type":"boolean"}"#, "true", "true"), (#"{"type":["null","boolean"]}"#, "null", "null"),
        (#"{"enum":[1,2,"x"]}"#, "2", "2"), (#"{"enum":[1,2,"x"]}"#, "x", #""x""#),
        (#"{"const":3}"#, "3", "3"),
        (#"{"anyOf":[{"type":"integer"},{"type":"boolean"}]}"#, "false", "false"),
        (##"{"$ref":"#/$defs/I"}"##, "9", "9"),
        (#"{"type":["string","integer"]}"#, "1", #""1""#),
        (#"{"type":"integer","not":{"const":1}}"#, "2", "2"),
    ])
    func `a text is converted to the type of the schema`(
        _ schema: String, _ text: String, _ value: String
    ) throws {
        let compiled = try compile(schema, #"{"I":{"type":"integer"}}"#)
        #expect(try compiled.convert(text)?.text == value)
    }

    @Test(arguments: [
        (#"{"type":"integer"}"#, "x"), (#"{"type":"integer"}"#, "4.5"),
        (#"{"type":"integer"}"#, "+4"),
        (#"{"type":"integer"}"#, " 4"), (#"{"type":"integer"}"#, "04"),
        (#"{"type":"integer"}"#, ""), (#"{"type":"integer"}"#, "4.0"),
        (#"{"type":"integer"}"#, "4e0"), (#"{"type":"integer"}"#, "-0"),
        (#"{"type":"number"}"#, "1e3"), (#"{"type":"number"}"#, ".5"),
        (#"{"type":"number"}"#, "5."), (#"{"type":"number"}"#, "99999999999999999999"),
        (#"{"type":"integer"}"#, "99999999999999999999"), (#"{"type":"boolean"}"#, "True"),
        (#"{"type":"string","maxLength":1}"#, "ab"), (#"{"type":"object"}"#, "{}"), ("false", "x"),
        (#"{"type":"integer","maximum":3}"#, "4"), (#"{"type":"number"}"#, "Infinity"),
    ])
    func `a text that cannot be converted is nil`(_ schema: String, _ text: String) throws {
        #expect(try compile(schema).convert(text) == nil)
    }

    @Test(arguments: [
        (0.1, "0.1"), (7.0, "7"), (-0.0, "0"), (1e-5, "0.00001"), (-2.5e-7, "-0.00000025"),
        (1e22, "10000000000000000000000"), (1.5e17, "150000000000000000"), (123.456, "123.456"),
    ])
    func `a number is written as a plain decimal`(_ number: Double, _ text: String) {
        #expect(JSON.double(number).plainText == text)
    }

    @Test(arguments: [
        (#"{"type":"integer"}"#, "007", "which is not an integer (7 is)"),
        (#"{"type":"integer"}"#, "1e2", "which is not an integer (100 is)"),
        (#"{"type":"integer"}"#, "x", "which is not an integer"),
        (#"{"type":"integer"}"#, "7.5", "which is not an integer"),
        (#"{"type":"integer","maximum":3}"#, "4", "but must be at most 3"),
        (#"{"enum":["a","b"]}"#, "c", #"but must be one of "a" or "b""#),
        (#"{"type":["boolean","object"]}"#, "yes", "which is not a boolean"),
    ])
    func `a text that cannot be converted says why`(
        _ schema: String, _ text: String, _ reason: String
    ) throws {
        #expect(try compile(schema).misfit(of: text, work: WorkBudget()) == reason)
    }

    @Test func `a member is found through references and combinations`() throws {
        let schema = try compile(
            ##"{"allOf":[{"$ref":"#/$defs/C"}],"properties":{"n":{"minimum":1}},"patternProperties":{"^x":{"type":"boolean"}},"additionalProperties":{"type":"null"}}"##,
            ##"{"C":{"properties":{"id":{"type":"integer"},"n":{"type":"integer"}}},"D":{}}"##)
        #expect(try schema.property("id")?.accepts(.integer) == false)
        #expect(try schema.property("n")?.convert("3") == .integer(3))
        #expect(try schema.property("n")?.convert("0") == nil)
        #expect(try schema.property("x1")?.acceptedTypes == .boolean)
        #expect(try schema.property("z")?.acceptedTypes == .null)
        let open = try compile(
            ##"{"oneOf":[{"properties":{"a":{"type":"integer"}}},{"properties":{"a":{"type":"null"}}}]}"##
        )
        #expect(try open.property("a")?.acceptedTypes == [.integer, .null])
        #expect(try open.property("b") == nil)
        let nested = try compile(
            #"{"properties":{"c":{"properties":{"id":{"type":"integer"}}},"l":{"items":{"type":"integer"}}}}"#
        )
        #expect(try nested.property("c")?.property("id")?.convert("1") == .integer(1))
        #expect(try nested.property("l")?.element(at: 3)?.convert("1") == .integer(1))
    }

    @Test func `near names are found`() {
        let known = ["contactList", "contactDetail", "compose", "chat"]
        #expect(Spelling.near("contactlist", among: known, work: WorkBudget()) == ["contactList"])
        #expect(Spelling.near("comopse", among: known, work: WorkBudget()) == ["compose"])
        #expect(Spelling.near("zzz", among: known, work: WorkBudget()) == [])
    }
}
