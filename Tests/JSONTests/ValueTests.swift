import JSON
import Testing

@Suite struct ValueTests {
    @Test func `numbers are equal by value and without rounding`() {
        #expect(JSON.integer(1) == .double(1))
        #expect(JSON.double(-0.0) == .integer(0))
        #expect(JSON.integer(9_007_199_254_740_993) != .double(9_007_199_254_740_992))
        #expect(JSON.integer(9_007_199_254_740_992) == .double(9_007_199_254_740_992))
        #expect(JSON.integer(.max) != .double(9_223_372_036_854_775_808))
        #expect(JSON.integer(.min) == .double(-9_223_372_036_854_775_808))
        #expect(JSON.integer(1) != .double(1.5))
        #expect(JSON.integer(1) != .bool(true))
        #expect(JSON.integer(0) != .null)
    }

    @Test func `objects are equal in any order and arrays in one`() throws {
        #expect(try parse(#"{"a":1,"b":[1,2]}"#) == parse(#"{"b":[1.0,2],"a":1}"#))
        #expect(try parse(#"{"a":1}"#) != parse(#"{"a":1,"b":null}"#))
        #expect(try parse(#"{"a":1,"b":2}"#) != parse(#"{"a":1,"c":2}"#))
        #expect(try parse("[1,2]") != parse("[2,1]"))
    }

    @Test func `large objects are compared in linear time`() {
        let members = (0..<20_000).map { ("k\($0)", JSON.integer($0)) }
        #expect(JSONObject(members) == JSONObject(members.reversed()))
    }

    @Test func `an object keeps the order of its names`() {
        var object = JSONObject([("b", .null), ("a", .null), ("b", .bool(true))])
        #expect(object.members.map(\.key) == ["b", "a"])
        #expect(object["b"] == .bool(true))
        object["c"] = .integer(1)
        object["b"] = .integer(2)
        object["a"] = nil
        object["z"] = nil
        #expect(JSON.object(object).text == #"{"b":2,"c":1}"#)
        #expect(object.contains("c") && !object.contains("a") && object.count == 2)
    }

    @Test(arguments: [
        (JSON.integer(.min), "-9223372036854775808"), (.integer(.max), "9223372036854775807"),
        (.integer(0), "0"), (.integer(-10), "-10"), (.double(1), "1.0"), (.double(0.1), "0.1"),
        (.double(1e21), "1e+21"), (.double(.leastNonzeroMagnitude), "5e-324"),
        (.double(-0.0), "-0.0"),
        (
            .string("a/\"\\\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}é"),
            #""a/\"\\\b\f\n\r\t\u0001\u001f"# + "\u{7f}é\""
        ),
        (.array([.null, .bool(true), .bool(false)]), "[null,true,false]"),
        (
            .object(JSONObject([("\n", .array([])), ("", .object(JSONObject()))])),
            #"{"\n":[],"":{}}"#
        ),
    ])
    func `a value is written compactly and in one way`(_ value: JSON, _ text: String) {
        #expect(value.text == text)
    }
}
