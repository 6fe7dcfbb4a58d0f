import JSON
import Testing

/// Reads text as one value.
func parse(_ text: String) throws(JSONSyntaxError) -> JSON {
    try JSON(parsing: Array(text.utf8))
}

func reason(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONSyntaxError.Reason? {
    do throws(JSONSyntaxError) {
        _ = try JSON(parsing: bytes, limits: limits)
        return nil
    } catch {
        return error.reason
    }
}

@Suite struct ParsingTests {
    @Test(arguments: [
        ("null", JSON.null), ("true", .bool(true)), (" \t\r\nfalse \n", .bool(false)),
        ("0", .integer(0)), ("-0", .integer(0)), ("-1", .integer(-1)), ("42", .integer(42)),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("1.0", .double(1)), ("-0.0", .double(-0.0)), ("0e1", .double(0)), ("0e+1", .double(0)),
        ("1E22", .double(1e22)), ("1e-2", .double(0.01)), ("123.456e78", .double(123.456e78)),
        ("1e-400", .double(0)), ("20e1", .double(200)), ("0.1", .double(0.1)),
        (#""""#, .string("")), (#""a""#, .string("a")), (#""\u0061\u30af""#, .string("aク")),
        (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{c}\n\r\t")),
        (#""\uD834\udd1E""#, .string("𝄞")), (#""\u0000""#, .string("\0")),
        (#""\uFFFF\u2028""#, .string("\u{FFFF}\u{2028}")), ("\"\u{7f}€𝄞\"", .string("\u{7f}€𝄞")),
        (#""\\u0061""#, .string(#"\u0061"#)), ("[]", .array([])), ("[[] ]", .array([.array([])])),
        ("[1 , null]", .array([.integer(1), .null])), ("{ }", .object(JSONObject())),
        (#"{"":0}"#, .object(JSONObject([("", .integer(0))]))),
        (#"{"a" : [{}]}"#, .object(JSONObject([("a", .array([.object(JSONObject())]))]))),
    ])
    func `a well-formed text is read`(_ text: String, _ value: JSON) throws {
        let parsed = try parse(text)
        #expect(parsed == value)
        #expect(parsed.text == value.text)
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "True", "TRUE", "NaN", "Infinity", "-", "+1", "-a", "--1", "01",
        "-01", "00", "1.", ".1", "-.1", "1.e1", "1e", "1e+", "1eE2", "1 2", "1a", "0x1", "1_000",
        "0.1.2", "1e1.5", "１", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1,,2]", "[1 2]",
        "[1}", "{", "}", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1,,"b":2}"#, "{1:1}",
        "{a:1}", "{'a':1}", #"{"a" 1}"#, #"{"a"::1}"#, #"{"a":1 "b":2}"#, #"{"a":1]"#, #"{"a":1"#,
        "\"", "\"a", "\"\\", "\"\\\"", #""\x""#, #""\a""#, #""\u""#, #""\u12""#, #""\u12G4""#,
        #""\U0061""#, "\"\n\"", "\"\t\"", "\"\0\"", "\"\u{1f}\"", #""\ud800""#, #""\udc00""#,
        #""\ud800\ud800""#, #""\ud800\n""#, #""\ud800a""#, #""\uDd1e\uD834""#, "'a'", "[] []",
        "{}}", "[]]", "[1]x", "// a\n1", "1 // a", "/**/1", "\u{feff}1", "\u{a0}1", "1\u{2028}",
        "\u{c}1", "[\u{b}]", "1\0", "`1`", "<1>", "[*]", #"["a"#, "[tru]", "[-]", "&", "{\"a\":1}#",
        #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"{"x":{"b":1,"a":2,"b":3}}"#,
    ])
    func `anything else is refused`(_ text: String) {
        #expect(throws: JSONSyntaxError.self) { try parse(text) }
        var reader = JSONReader(Array("[\(text)]".utf8))
        let isDuplicate = reason(Array(text.utf8)).map { "\($0)".hasPrefix("dup") } ?? false
        if !isDuplicate, text != " ", text != "" {
            #expect(throws: JSONSyntaxError.self) {
                try reader.skipValue()
                try reader.expectEnd()
            }
        }
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0xAF],
            [0xE2, 0x82],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE], [0xF8, 0x88, 0x80],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are refused`(_ bytes: [UInt8]) {
        #expect(reason([0x22] + bytes + [0x22]) == .invalidUTF8)
        #expect(reason([0x22] + bytes) == .invalidUTF8)
        #expect(reason(bytes) == .expected(.value))
    }

    @Test(arguments: [
        ("9223372036854775808", JSONSyntaxError.Reason.integerOutOfRange),
        ("-9223372036854775809", .integerOutOfRange),
        ("100000000000000000000", .integerOutOfRange),
        ("1e400", .doubleOutOfRange), ("-1e309", .doubleOutOfRange), ("01", .leadingZero),
        ("1.", .textEnds), ("1.x", .missingDigit), ("-", .textEnds), ("-x", .missingDigit),
        ("", .textEnds), ("[1", .textEnds), ("\u{feff}1", .byteOrderMark),
        ("\"\n\"", .controlCharacter),
        (#""\ud800""#, .loneSurrogate), (#""\q""#, .invalidEscape),
        ("1 2", .expected(.endOfText)), ("[1 2]", .expected(.commaOrEndOfArray)),
        (#"{"a":1,"a":2}"#, .duplicateKey("a")), ("{1:1}", .expected(.key)),
    ])
    func `an error has a reason`(_ text: String, _ expected: JSONSyntaxError.Reason) {
        #expect(reason(Array(text.utf8)) == expected)
    }

    @Test func `an error has a position`() throws {
        let text = "{\n  \"é𝄞\": 1,\n  \"é𝄞\": 2\n}"
        let error = #expect(throws: JSONSyntaxError.self) { try parse(text) }
        #expect(error?.line == 3)
        #expect(error?.column == 3)
        #expect(error?.offset == 19)
        let late = #expect(throws: JSONSyntaxError.self) { try parse("[\"é𝄞\" x") }
        #expect(late?.description == "line 1, column 7: expected a comma or ]")
    }

    @Test func `a range of the bytes is read like a text of its own`() throws {
        let bytes = Array("xx[1]yy".utf8)
        #expect(try JSON(parsing: bytes, in: 2..<5) == .array([.integer(1)]))
        let error = #expect(throws: JSONSyntaxError.self) { try JSON(parsing: bytes, in: 2..<4) }
        #expect(error?.reason == .textEnds)
        #expect(error?.offset == 2)
    }

    @Test func `nesting is allowed up to the limit`() {
        let deep = { (n: Int) in Array(String(repeating: "[", count: n).utf8) }
        let closed = { (n: Int) in deep(n) + Array(String(repeating: "]", count: n).utf8) }
        #expect(reason(closed(64)) == nil)
        #expect(reason(closed(65)) == .tooDeep(nestingMax: 64))
        #expect(reason(deep(100_000)) == .tooDeep(nestingMax: 64))
        #expect(reason(closed(3), limits: JSONLimits(nestingMax: 2)) == .tooDeep(nestingMax: 2))
    }

    @Test func `values are counted`() {
        let limits = JSONLimits(valuesMax: 3)
        #expect(reason(Array("[1,2]".utf8), limits: limits) == nil)
        #expect(reason(Array("[1,{}]".utf8), limits: limits) == nil)
        #expect(reason(Array("[1,2,3]".utf8), limits: limits) == .tooManyValues(valuesMax: 3))
    }

    @Test func `a duplicate is found among many names`() {
        let names = (0..<40_000).map { "\"k\($0)\":0" }.joined(separator: ",")
        #expect(reason(Array("{\(names)}".utf8)) == nil)
        #expect(reason(Array("{\(names),\"k77\":1}".utf8)) == .duplicateKey("k77"))
    }

    @Test func `names with other scalars are different`() throws {
        let value = try parse("{\"\u{e9}\":1,\"e\u{301}\":2}")
        guard case .object(let object) = value else { return }
        #expect(object["\u{e9}"] == .integer(1))
        #expect(object["e\u{301}"] == .integer(2))
        #expect(JSON.string("\u{e9}") != .string("e\u{301}"))
    }
}
