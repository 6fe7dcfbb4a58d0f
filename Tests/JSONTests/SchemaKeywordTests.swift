import JSON
import Testing

/// Each keyword with the cases of the JSON Schema Test Suite for 2020-12: a schema, a value, and
/// whether the value is valid.
@Suite struct SchemaKeywordTests {
    private func isValid(_ schema: String, _ value: String) throws -> Bool {
        let compiled = try compile(schema)
        let value = try parse(value)
        let isValid = try compiled.isValid(value, work: WorkBudget())
        #expect(try compiled.validate(value).isEmpty == isValid, "both ways of asking agree")
        return isValid
    }

    @Test(
        arguments: [
            (#"{"type":"integer"}"#, "1", true),
            (#"{"type":"integer"}"#, "1.0", true),
            (#"{"type":"integer"}"#, "1.1", false),
            (#"{"type":"integer"}"#, #""foo""#, false),
            (#"{"type":"integer"}"#, #""1""#, false),
            (#"{"type":"integer"}"#, "{}", false),
            (#"{"type":"integer"}"#, "[]", false),
            (#"{"type":"integer"}"#, "true", false),
            (#"{"type":"integer"}"#, "null", false),
            (#"{"type":"number"}"#, "1", true),
            (#"{"type":"number"}"#, "1.1", true),
            (#"{"type":"number"}"#, #""1""#, false),
            (#"{"type":"string"}"#, #""""#, true),
            (#"{"type":"string"}"#, "1", false),
            (#"{"type":"object"}"#, "{}", true),
            (#"{"type":"object"}"#, "[]", false),
            (#"{"type":"array"}"#, "[]", true),
            (#"{"type":"array"}"#, "{}", false),
            (#"{"type":"boolean"}"#, "true", true),
            (#"{"type":"boolean"}"#, "false", true),
            (#"{"type":"boolean"}"#, "0", false),
            (#"{"type":"null"}"#, "null", true),
            (#"{"type":"null"}"#, "0", false),
            (#"{"type":"null"}"#, "false", false),
            (#"{"type":["integer","string"]}"#, "1", true),
            (#"{"type":["integer","string"]}"#, #""foo""#, true),
            (#"{"type":["integer","string"]}"#, "1.1", false),
            (#"{"type":["string"]}"#, "123", false),
            (#"{"type":["array","object","null"]}"#, "null", true),
            (#"{"type":["array","object","null"]}"#, "123", false),
        ])
    func `type accepts the values of its types`(
        _ schema: String, _ value: String, _ expected: Bool
    ) throws {
        #expect(try isValid(schema, value) == expected)
    }

    @Test(
        arguments: [
            (#"{"enum":[1,2,3]}"#, "1", true),
            (#"{"enum":[1,2,3]}"#, "4", false),
            (#"{"enum":[6,"foo",[],true,{"foo":12}]}"#, "[]", true),
            (#"{"enum":[6,"foo",[],true,{"foo":12}]}"#, "null", false),
            (#"{"enum":[6,"foo",[],true,{"foo":12}]}"#, #"{"foo":false}"#, false),
            (#"{"enum":[6,"foo",[],true,{"foo":12}]}"#, #"{"foo":12.0}"#, true),
            (#"{"enum":[6,"foo",[],true,{"foo":12}]}"#, #"{"foo":12,"boo":42}"#, false),
            (#"{"enum":[false]}"#, "false", true),
            (#"{"enum":[false]}"#, "0", false),
            (#"{"enum":[[false]]}"#, "[0]", false),
            (#"{"enum":[[true]]}"#, "[1]", false),
            (#"{"enum":[0]}"#, "0.0", true),
            (#"{"enum":[0]}"#, "false", false),
            (#"{"enum":["hello\u0000there"]}"#, #""hello\u0000there""#, true),
            (#"{"enum":["hello\u0000there"]}"#, #""hellothere""#, false),
            (#"{"const":2}"#, "2", true),
            (#"{"const":2}"#, "5", false),
            (#"{"const":2}"#, #""a""#, false),
            (#"{"const":{"foo":"bar","baz":"bax"}}"#, #"{"baz":"bax","foo":"bar"}"#, true),
            (#"{"const":{"foo":"bar","baz":"bax"}}"#, #"{"foo":"bar"}"#, false),
            (#"{"const":[{"foo":"bar"}]}"#, #"[{"foo":"bar"}]"#, true),
            (#"{"const":[{"foo":"bar"}]}"#, "[2]", false),
            (#"{"const":null}"#, "null", true),
            (#"{"const":false}"#, "0", false),
            (#"{"const":{"a":false}}"#, #"{"a":0}"#, false),
            (#"{"const":-2.0}"#, "-2", true),
            (#"{"const":9007199254740992}"#, "9007199254740992.0", true),
            (#"{"const":9007199254740992}"#, "9007199254740991", false),
        ])
    func `enum and const compare values exactly`(
        _ schema: String, _ value: String, _ expected: Bool
    ) throws {
        #expect(try isValid(schema, value) == expected)
    }

    @Test(
        arguments: [
            (#"{"minimum":1.1}"#, "2.6", true),
            (#"{"minimum":1.1}"#, "1.1", true),
            (#"{"minimum":1.1}"#, "0.6", false),
            (#"{"minimum":1.1}"#, #""x""#, true),
            (#"{"minimum":-2}"#, "-2.0", true),
            (#"{"minimum":-2}"#, "-2.0001", false),
            (#"{"minimum":-2}"#, "-3", false),
            (#"{"maximum":3.0}"#, "2.6", true),
            (#"{"maximum":3.0}"#, "3.0", true),
            (#"{"maximum":3.0}"#, "3.5", false),
            (#"{"maximum":300}"#, "300.00", true),
            (#"{"maximum":300}"#, "300.5", false),
            (#"{"exclusiveMaximum":3.0}"#, "2.2", true),
            (#"{"exclusiveMaximum":3.0}"#, "3.0", false),
            (#"{"exclusiveMaximum":3.0}"#, "3.5", false),
            (#"{"exclusiveMinimum":1.1}"#, "1.2", true),
            (#"{"exclusiveMinimum":1.1}"#, "1.1", false),
            (#"{"exclusiveMinimum":1.1}"#, "0.6", false),
            (#"{"multipleOf":2}"#, "10", true),
            (#"{"multipleOf":2}"#, "7", false),
            (#"{"multipleOf":1.5}"#, "0", true),
            (#"{"multipleOf":1.5}"#, "4.5", true),
            (#"{"multipleOf":1.5}"#, "35", false),
            (#"{"multipleOf":0.0001}"#, "0.0075", true),
            (#"{"multipleOf":0.0001}"#, "0.00751", false),
            (#"{"multipleOf":0.01}"#, "19.99", true),
            (#"{"multipleOf":0.1}"#, "0.3", true),
            (#"{"multipleOf":3}"#, "-9", true),
        ])
    func `numbers are compared and divided exactly`(
        _ schema: String, _ value: String, _ expected: Bool
    ) throws {
        #expect(try isValid(schema, value) == expected)
    }

    @Test(
        arguments: [
            (#"{"minLength":2}"#, #""foo""#, true),
            (#"{"minLength":2}"#, #""fo""#, true),
            (#"{"minLength":2}"#, #""f""#, false),
            (#"{"minLength":2}"#, "100", true),
            (#"{"minLength":2}"#, #""\uD83D\uDCA9""#, false),
            (#"{"minLength":2.0}"#, #""f""#, false),
            (#"{"maxLength":2}"#, #""f""#, true),
            (#"{"maxLength":2}"#, #""foo""#, false),
            (#"{"maxLength":2}"#, #""\uD83D\uDCA9\uD83D\uDCA9""#, true),
            (#"{"maxLength":1}"#, #""e\u0301""#, false),
            (#"{"maxLength":0}"#, #""""#, true),
            (#"{"pattern":"^a*$"}"#, #""aaa""#, true),
            (#"{"pattern":"^a*$"}"#, #""abc""#, false),
            (#"{"pattern":"^a*$"}"#, "true", true),
            (#"{"pattern":"a+"}"#, #""xxaayy""#, true),
            (#"{"pattern":"\\d"}"#, #""x٣""#, false),
            (#"{"pattern":"^\\S(|(.|\\n)*\\S)$"}"#, #""x""#, true),
            (#"{"pattern":"^\\S(|(.|\\n)*\\S)$"}"#, #""x ""#, false),
        ])
    func `strings are measured in Unicode scalars and searched for patterns`(
        _ schema: String, _ value: String, _ expected: Bool
    ) throws {
        #expect(try isValid(schema, value) == expected)
    }

    @Test(
        arguments: [
            (#"{"minItems":1}"#, "[1,2]", true),
            (#"{"minItems":1}"#, "[]", false),
            (#"{"minItems":1}"#, #""""#, true),
            (#"{"maxItems":2}"#, "[1,2]", true),
            (#"{"maxItems":2}"#, "[1,2,3]", false),
            (#"{"maxItems":2}"#, #""foobar""#, true),
            (#"{"items":{"type":"integer"}}"#, "[1,2,3]", true),
            (#"{"items":{"type":"integer"}}"#, #"[1,"x"]"#, false),
            (#"{"items":{"type":"integer"}}"#, #"{"foo":"bar"}"#, true),
            (#"{"items":true}"#, #"[1,"foo",true]"#, true),
            (#"{"items":false}"#, "[1]", false),
            (#"{"items":false}"#, "[]", true),
            (#"{"items":{"items":{"type":"null"}}}"#, "[[null],[]]", true),
            (#"{"items":{"items":{"type":"null"}}}"#, "[[null],[1]]", false),
            (#"{"prefixItems":[{"type":"integer"},{"type":"string"}]}"#, #"[1,"foo"]"#, true),
            (#"{"prefixItems":[{"type":"integer"},{"type":"string"}]}"#, #"["foo",1]"#, false),
            (#"{"prefixItems":[{"type":"integer"},{"type":"string"}]}"#, "[1]", true),
            (#"{"prefixItems":[{"type":"integer"}],"items":{"type":"null"}}"#, "[1,null]", true),
            (#"{"prefixItems":[{"type":"integer"}],"items":{"type":"null"}}"#, "[1,2]", false),
            (#"{"prefixItems":[true,false]}"#, "[1]", true),
            (#"{"prefixItems":[true,false]}"#, #"[1,"foo"]"#, false),
            (#"{"uniqueItems":true}"#, "[1,2]", true),
            (#"{"uniqueItems":true}"#, "[1,1]", false),
            (#"{"uniqueItems":true}"#, "[1.0,1.00,1]", false),
            (#"{"uniqueItems":true}"#, "[0,false]", true),
            (#"{"uniqueItems":true}"#, "[1,true]", true),
            (#"{"uniqueItems":true}"#, #"["foo","bar","foo"]"#, false),
            (#"{"uniqueItems":true}"#, #"[{"foo":"bar"},{"foo":"bar"}]"#, false),
            (#"{"uniqueItems":true}"#, #"[{"a":1,"b":2},{"b":2,"a":1}]"#, false),
            (#"{"uniqueItems":true}"#, #"[["foo"],["bar"]]"#, true),
            (#"{"uniqueItems":true}"#, "[[[1],true],[[true],1]]", true),
            (#"{"uniqueItems":true}"#, #"[{"a":false},{"a":0}]"#, true),
            (#"{"uniqueItems":false}"#, "[1,1]", true),
        ])
    func `arrays are checked by count, by element and for repetitions`(
        _ schema: String, _ value: String, _ expected: Bool
    ) throws {
        #expect(try isValid(schema, value) == expected)
    }

    @Test(
        arguments: [
            (#"{"properties":{"a":{"type":"integer"}}}"#, #"{"a":1,"b":[]}"#, true),
            (#"{"properties":{"a":{"type":"integer"}}}"#, #"{"a":"x"}"#, false),
            (#"{"properties":{"a":{"type":"integer"}}}"#, "[]", true),
            (#"{"properties":{"a":true,"b":false}}"#, #"{"a":1}"#, true),
            (#"{"properties":{"a":true,"b":false}}"#, #"{"b":1}"#, false),
            (#"{"properties":{"foo\nbar":{"type":"number"}}}"#, #"{"foo\nbar":"1"}"#, false),
            (#"{"properties":{"__proto__":{"type":"number"}}}"#, #"{"__proto__":"x"}"#, false),
            (#"{"required":["foo"]}"#, #"{"foo":1}"#, true),
            (#"{"required":["foo"]}"#, #"{"bar":1}"#, false),
            (#"{"required":["foo"]}"#, "12", true),
            (#"{"required":[]}"#, "{}", true),
            (#"{"required":["foo\"bar"]}"#, #"{"foo\"bar":1}"#, true),
            (#"{"properties":{"a":{}},"additionalProperties":false}"#, #"{"a":1}"#, true),
            (#"{"properties":{"a":{}},"additionalProperties":false}"#, #"{"a":1,"b":2}"#, false),
            (#"{"additionalProperties":{"type":"boolean"}}"#, #"{"a":true}"#, true),
            (#"{"additionalProperties":{"type":"boolean"}}"#, #"{"a":1}"#, false),
            (#"{"patternProperties":{"f.*o":{"type":"integer"}}}"#, #"{"foo":1,"bar":"x"}"#, true),
            (#"{"patternProperties":{"f.*o":{"type":"integer"}}}"#, #"{"fooo":"x"}"#, false),
            (
                #"{"patternProperties":{"a*":{"minimum":1},"aaa*":{"maximum":20}}}"#, #"{"a":21}"#,
                true
            ),
            (
                #"{"patternProperties":{"a*":{"minimum":1},"aaa*":{"maximum":20}}}"#,
                #"{"aaa":31}"#, false
            ),
            (#"{"propertyNames":{"maxLength":3}}"#, #"{"f":{},"foo":{}}"#, true),
            (#"{"propertyNames":{"maxLength":3}}"#, #"{"foobar":{}}"#, false),
            (#"{"propertyNames":{"pattern":"^a+$"}}"#, #"{"aa":{},"aaA":{}}"#, false),
            (#"{"minProperties":1}"#, #"{"a":1}"#, true),
            (#"{"minProperties":1}"#, "{}", false),
            (#"{"minProperties":1}"#, "[]", true),
            (#"{"maxProperties":2}"#, #"{"a":1,"b":2}"#, true),
            (#"{"maxProperties":2}"#, #"{"a":1,"b":2,"c":3}"#, false),
            (#"{"maxProperties":0}"#, #"{"a":1}"#, false),
        ])
    func `objects are checked by member, by name and by count`(
        _ schema: String, _ value: String, _ expected: Bool
    ) throws {
        #expect(try isValid(schema, value) == expected)
    }

    @Test(
        arguments: [
            (#"{"allOf":[{"minimum":2},{"type":"integer"}]}"#, "3", true),
            (#"{"allOf":[{"minimum":2},{"type":"integer"}]}"#, "2.5", false),
            (#"{"allOf":[{"minimum":2},{"type":"integer"}]}"#, "1", false),
            (#"{"allOf":[{"maximum":30},{"minimum":20}]}"#, "25", true),
            (#"{"allOf":[{"maximum":30},{"minimum":20}]}"#, "35", false),
            (#"{"allOf":[{}]}"#, "1", true),
            (#"{"anyOf":[{"type":"integer"},{"minimum":2}]}"#, "1", true),
            (#"{"anyOf":[{"type":"integer"},{"minimum":2}]}"#, "2.5", true),
            (#"{"anyOf":[{"type":"integer"},{"minimum":2}]}"#, "1.5", false),
            (#"{"type":"string","anyOf":[{"maxLength":2},{"minLength":4}]}"#, "3", false),
            (#"{"type":"string","anyOf":[{"maxLength":2},{"minLength":4}]}"#, #""foo""#, false),
            (#"{"type":"string","anyOf":[{"maxLength":2},{"minLength":4}]}"#, #""foobar""#, true),
            (#"{"anyOf":[false,false]}"#, #""foo""#, false),
            (#"{"oneOf":[{"type":"integer"},{"minimum":2}]}"#, "1", true),
            (#"{"oneOf":[{"type":"integer"},{"minimum":2}]}"#, "2.5", true),
            (#"{"oneOf":[{"type":"integer"},{"minimum":2}]}"#, "3", false),
            (#"{"oneOf":[{"type":"integer"},{"minimum":2}]}"#, "1.5", false),
            (#"{"oneOf":[true,true,false]}"#, "1", false),
            (#"{"oneOf":[true,false,false]}"#, "1", true),
            (
                #"{"oneOf":[{"required":["a","b"]},{"required":["a","c"]}]}"#, #"{"a":1,"b":1}"#,
                true
            ),
            (#"{"oneOf":[{"required":["a","b"]},{"required":["a","c"]}]}"#, #"{"a":1}"#, false),
            (#"{"not":{"type":"integer"}}"#, #""foo""#, true),
            (#"{"not":{"type":"integer"}}"#, "1", false),
            (#"{"not":{"type":["integer","boolean"]}}"#, "true", false),
            (#"{"not":{}}"#, "1", false),
            (#"{"not":false}"#, "1", true),
            (#"{"not":{"type":"object","properties":{"a":{"type":"string"}}}}"#, #"{"a":1}"#, true),
            (#"{"not":{"not":{}}}"#, #""foo""#, true),
        ])
    func `schemas are combined`(_ schema: String, _ value: String, _ expected: Bool) throws {
        #expect(try isValid(schema, value) == expected)
    }

    @Test(arguments: [
        "1", "-1.5", "true", "false", "null", #""text""#, "[]", "[1,[2]]", "{}", #"{"a":{"b":1}}"#,
    ])
    func `a true schema accepts every value, and a false one none`(
        _ value: String
    ) throws {
        #expect(try isValid("true", value))
        #expect(try isValid("{}", value))
        #expect(try !isValid("false", value))
        #expect(try !isValid(#"{"not":{}}"#, value))
        #expect(try !isValid(#"{"enum":[]}"#, value))
    }

    /// A value of another type satisfies every keyword about a type.
    @Test(arguments: [
        (#"{"minimum":5,"maximum":1,"multipleOf":7}"#, JSONTypes.number),
        (#"{"minLength":5,"maxLength":1,"pattern":"^$"}"#, .string),
        (#"{"minItems":5,"maxItems":1,"items":false,"uniqueItems":true}"#, .array),
        (#"{"minProperties":5,"maxProperties":1,"required":["x"]}"#, .object),
    ])
    func `a keyword only applies to its type`(_ schema: String, _ types: JSONTypes) throws {
        for text in ["12.5", #""text""#, "[1,1]", #"{"a":1}"#, "null", "true"] {
            let value = try parse(text)
            #expect(try isValid(schema, text) == types.isDisjoint(with: value.type), "\(text)")
        }
    }
}
