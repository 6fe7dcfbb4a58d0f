import JSON
import Testing

@Suite struct ReaderTests {
    @Test func `a known structure is read piece by piece`() throws {
        let text =
            #" {"id":"a\u0062","n":-7,"on":true,"off":null,"list":[1,[2]],"rest":{"x":[{}]}} "#
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes)
        try reader.beginObject()
        #expect(try reader.nextKey() == "id")
        #expect(try reader.readString() == "ab")
        #expect(try reader.nextKeyRange() != nil)
        #expect(reader.keyIs("n") && !reader.keyIs("m") && !reader.keyIs("nn"))
        #expect(try reader.readInt() == -7)
        #expect(try reader.nextKey() == "on")
        #expect(try reader.readNull() == false)
        #expect(try reader.readBool())
        #expect(try reader.nextKey() == "off")
        #expect(try reader.readNull())
        #expect(try reader.nextKey() == "list")
        try reader.beginArray()
        #expect(try reader.nextElement())
        #expect(try reader.readInt() == 1)
        #expect(try reader.nextElement())
        #expect(try reader.readValue() == .array([.integer(2)]))
        #expect(try !reader.nextElement())
        #expect(try reader.nextKey() == "rest")
        #expect(try reader.peekKind() == .object)
        let range = try reader.skipValue()
        #expect(String(decoding: bytes[range], as: UTF8.self) == #"{"x":[{}]}"#)
        #expect(try reader.nextKey() == nil)
        try reader.expectEnd()
        #expect(reader.offset == bytes.count)
    }

    @Test func `an escaped name is compared after decoding`() throws {
        var reader = JSONReader(Array(#"{"\u0061\n":1}"#.utf8))
        try reader.beginObject()
        let range = try reader.nextKeyRange()
        #expect(range == 2..<10)
        #expect(reader.keyIs("a\n"))
        #expect(!reader.keyIs(#"\u0061\n"#))
    }

    @Test func `another kind than the expected one is an error with its position`() {
        func read(_ text: String, _ step: (inout JSONReader) throws -> Void) -> String {
            var reader = JSONReader(Array(text.utf8))
            do { try step(&reader) } catch { return "\(error)" }
            return "none"
        }
        #expect(read(" 1") { try $0.beginObject() } == "line 1, column 2: expected an object")
        #expect(read("{}") { try $0.beginArray() } == "line 1, column 1: expected an array")
        #expect(read("1") { _ = try $0.readString() } == "line 1, column 1: expected a string")
        #expect(read("\n1.5") { _ = try $0.readInt() } == "line 2, column 1: expected an integer")
        #expect(read("x") { _ = try $0.readInt() } == "line 1, column 1: expected an integer")
        #expect(read("1") { _ = try $0.readBool() } == "line 1, column 1: expected true or false")
        #expect(read("nil") { _ = try $0.readNull() } == "line 1, column 1: expected a value")
        #expect(read("[") { _ = try $0.peekKind() } == "none")
    }

    @Test func `skipping refuses what reading refuses but for duplicate names`() throws {
        var reader = JSONReader(Array(#"{"a":1,"a":2}"#.utf8))
        #expect(try reader.skipValue() == 0..<13)
        for text in ["[1,]", "[\"\\x\"]", "[01]", "{\"a\"}", "[\"\u{1}\"]", "[tru]", "[1e999]"] {
            var reader = JSONReader(Array(text.utf8))
            #expect(throws: JSONSyntaxError.self, "\(text)") { try reader.skipValue() }
        }
    }
}
