import Bytes
import JSON
import Testing

/// The reader, by the grammar of RFC 8259.
@Suite struct ReaderTableTests {
    /// §6
    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("7", "7"), ("-7", "-7"), ("1234567890", "1234567890"),
        ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("0.0", "0.0"), ("-0.0", "-0.0"), ("1.50", "1.5"), ("-1.5e0", "-1.5"), ("1E2", "100.0"),
        ("1e+2", "100.0"), ("1e-2", "0.01"), ("100e-2", "1.0"), ("0e99", "0.0"),
        ("123456789012345678901234567890.0", "1.2345678901234568e+29"),
        ("1e-999", "0.0"), ("2.2250738585072014e-308", "2.2250738585072014e-308"),
        ("4.9e-324", "5e-324"), ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("0.1000000000000000055511151231257827", "0.1"),
        ("9007199254740993.0", "9007199254740992.0"),
        ("123456789012345.6", "123456789012345.6"),
    ])
    func `a number is the nearest value, and is written in its shortest form`(
        _ text: String, _ written: String
    ) throws {
        let value = try parse(text)
        #expect(value.text == written)
        #expect(try parse(written) == value)
    }

    /// §7
    @Test(arguments: [
        (#""\u0041""#, "A"), (#""\u00e9""#, "\u{e9}"), (#""\u00E9""#, "\u{e9}"),
        (#""\u20AC""#, "€"), (#""\ud83d\ude00""#, "😀"), (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
        (#""\uD800\uDC00""#, "\u{10000}"), (#""\u0000a""#, "\0a"), (#""\/""#, "/"),
        (#""\"\\""#, #""\"#), (#""\b\f\n\r\t""#, "\u{8}\u{c}\n\r\t"), (#""a\tb\u0063""#, "a\tbc"),
        ("\"\u{7f}\u{80}\u{7ff}\"", "\u{7f}\u{80}\u{7ff}"),
        ("\"\u{800}\u{ffff}\u{10000}\"", "\u{800}\u{ffff}\u{10000}"),
        ("\"0123456789abcdef0123456789abcdef\"", "0123456789abcdef0123456789abcdef"),
        (#""0123456789abcde\n""#, "0123456789abcde\n"),
        (#""0123456789abcdef\n""#, "0123456789abcdef\n"),
        (#""0123456789abcdef0\n""#, "0123456789abcdef0\n"),
        ("\"0123456789abcdeé\"", "0123456789abcdeé"),
        ("\"0123456789abcdefé\"", "0123456789abcdefé"),
    ])
    func `a string is decoded`(_ text: String, _ expected: String) throws {
        let bytes = Array(text.utf8)
        guard case .string(let value) = try JSON(parsing: bytes) else {
            Issue.record("not a string")
            return
        }
        #expect(value == expected)
        var reader = JSONReader(bytes)
        #expect(try reader.readString() == expected)
        try reader.expectEnd()
    }

    /// §2
    @Test(arguments: [" ", "\t", "\n", "\r", "\r\n", " \t\n\r ", ""])
    func `blanks may be anywhere between tokens`(_ blank: String) throws {
        let tokens = [
            "{", "\"a\"", ":", "[", "1", ",", "true", "]", ",", "\"b\"", ":", "{", "}", "}",
        ]
        let text = blank + tokens.joined(separator: blank) + blank
        #expect(try parse(text).text == #"{"a":[1,true],"b":{}}"#)
    }

    @Test(arguments: ["\u{b}", "\u{c}", "\u{85}", "\u{a0}", "\u{2028}", "\u{feff}", "\0"])
    func `no other character is a blank`(_ character: String) {
        for text in ["[\(character)1]", "[1\(character)]", "[1]\(character)"] {
            #expect(throws: JSONSyntaxError.self) { try parse(text) }
        }
    }

    /// A text, the line and the column of the error, and its sentence.
    @Test(arguments: [
        ("", 1, 1, "the text ends before the value is complete"),
        ("  ", 1, 3, "the text ends before the value is complete"),
        ("\n\n x", 3, 2, "expected a value"),
        ("[1,]", 1, 4, "expected a value"),
        ("[1 2]", 1, 4, "expected a comma or ]"),
        ("{\"a\" 1}", 1, 6, "expected a colon"),
        ("{\"a\":1 \"b\"}", 1, 8, "expected a comma or }"),
        ("{\"a\":1,}", 1, 8, "expected a member name in double quotes"),
        ("{a:1}", 1, 2, "expected a member name in double quotes"),
        ("[1] x", 1, 5, "expected the end of the text"),
        ("[tru]", 1, 2, "expected true or false"),
        ("[nul]", 1, 2, "expected a value"),
        ("[01]", 1, 2, "a number must not have leading zeros"),
        ("[1.a]", 1, 4, "expected a digit"),
        ("[1e]", 1, 4, "expected a digit"),
        ("[-]", 1, 3, "expected a digit"),
        ("[99999999999999999999]", 1, 2, "the integer does not fit into 64 bits"),
        ("[1e309]", 1, 2, "the number is too large"),
        ("[\"é\", \"\\q\"]", 1, 8, "the escape sequence is invalid"),
        ("[\"\\u12\"]", 1, 3, "the escape sequence is invalid"),
        ("[\"\\ud800\"]", 1, 3, "the escape sequence is half of a surrogate pair"),
        ("[\"a\tb\"]", 1, 4, "control characters in strings must be escaped"),
        ("{\"a\":1,\n \"a\":2}", 2, 2, "the name \"a\" is repeated"),
        ("\u{feff}{}", 1, 1, "a byte order mark is not allowed"),
        ("[\"😀\"\r\nx]", 2, 1, "expected a comma or ]"),
    ])
    func `an error has a line, a column and a sentence`(
        _ text: String, _ line: Int, _ column: Int, _ sentence: String
    ) {
        let error = #expect(throws: JSONSyntaxError.self) { try parse(text) }
        #expect(error?.line == line)
        #expect(error?.column == column)
        #expect(error?.reason.sentence == sentence)
        #expect(error?.description == "line \(line), column \(column): \(sentence)")
    }

    @Test func `the limits are inclusive`() throws {
        let nested = JSONLimits(nestingMax: 3)
        #expect(try JSON(parsing: Array("[[{}]]".utf8), limits: nested).text == "[[{}]]")
        let deep = #expect(throws: JSONSyntaxError.self) {
            try JSON(parsing: Array("[[{\"a\":[]}]]".utf8), limits: nested)
        }
        #expect(deep?.reason == .tooDeep(nestingMax: 3))
        #expect(deep?.reason.sentence == "the maximum nesting depth is 3")
        let few = JSONLimits(valuesMax: 3)
        #expect(try JSON(parsing: Array("[1,2]".utf8), limits: few).text == "[1,2]")
        let many = #expect(throws: JSONSyntaxError.self) {
            try JSON(parsing: Array("[1,2,3]".utf8), limits: few)
        }
        #expect(many?.reason == .tooManyValues(valuesMax: 3))
    }

    @Test func `where repetition is allowed, the last value counts and keeps the first position`()
        throws
    {
        let limits = JSONLimits(refusesRepeats: false)
        let text = #"{"a":1,"b":2,"\u0061":{"c":3},"b":4}"#
        #expect(
            try JSON(parsing: Array(text.utf8), limits: limits).text == #"{"a":{"c":3},"b":4}"#)
        var members = (0..<40).map { "\"k\($0)\":\($0)" }
        members.append("\"k7\":true")
        let long = try JSON(
            parsing: Array("{\(members.joined(separator: ","))}".utf8), limits: limits)
        guard case .object(let object) = long else {
            Issue.record("not an object")
            return
        }
        #expect(object.count == 40)
        #expect(object["k7"] == .bool(true))
    }

    @Test(arguments: [
        ("null", JSONReader.Kind.null), ("true", .bool), ("false", .bool), ("-1", .number),
        ("0", .number), ("9", .number), (" \"a\"", .string), ("\n[", .array), ("{", .object),
    ])
    func `the kind of a value is known by its first byte`(
        _ text: String, _ kind: JSONReader.Kind
    ) throws {
        var reader = JSONReader(Array(text.utf8))
        #expect(try reader.peekKind() == kind)
        #expect(try reader.peekKind() == kind, "it is not read")
    }

    @Test(arguments: ["", "+1", ".5", "x", "]", "}", ",", ":", "'a'", "\u{e9}"])
    func `what begins no value has no kind`(_ text: String) {
        var reader = JSONReader(Array(text.utf8))
        #expect(throws: JSONSyntaxError.self) { try reader.peekKind() }
    }

    @Test(arguments: [
        ("1", 1), ("-9223372036854775808", Int.min), ("9223372036854775807", Int.max), (" 0 ", 0),
    ])
    func `an integer is read`(_ text: String, _ value: Int) throws {
        var reader = JSONReader(Array(text.utf8))
        #expect(try reader.readInt() == value)
        try reader.expectEnd()
    }

    @Test(arguments: ["1.0", "1e0", "9223372036854775808", "\"1\"", "true", "null", "[1]"])
    func `anything else is not an integer`(_ text: String) {
        var reader = JSONReader(Array(text.utf8))
        #expect(throws: JSONSyntaxError.self) { try reader.readInt() }
    }

    /// A text and the ranges of its top-level elements.
    @Test(arguments: [
        ("[]", []), ("[ ]", []), ("[1]", ["1"]), ("[ 1 , 2 ]", ["1", "2"]),
        (#"[ {"a" : [1, 2]} , "x,]" , null ]"#, [#"{"a" : [1, 2]}"#, #""x,]""#, "null"]),
        ("[[[]],[]]", ["[[]]", "[]"]), ("[-1.5e3,true]", ["-1.5e3", "true"]),
    ])
    func `skipping returns the exact range of a value`(
        _ text: String, _ expected: [String]
    ) throws {
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes)
        var found: [String] = []
        try reader.beginArray()
        while try reader.nextElement() {
            let range = try reader.skipValue()
            found.append(String(decoding: bytes[range], as: UTF8.self))
        }
        try reader.expectEnd()
        #expect(found == expected)
    }
}
