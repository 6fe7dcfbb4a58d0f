import JSON
import Testing

@Suite struct PointerTests {
    @Test(arguments: ["", "/", "/params/contact/id", "/a~1b/m~0n", "//x/", "/0/é", "/~01"])
    func `a pointer reads and writes the same`(_ text: String) {
        #expect(JSONPointer(text)?.description == text)
    }

    @Test(arguments: ["a", "#/a", "/~", "/~2", "/a~", " /a"])
    func `an invalid pointer is refused`(_ text: String) {
        #expect(JSONPointer(text) == nil)
    }

    @Test func `steps are escaped once`() {
        var pointer = JSONPointer().appending("a/b").appending(3)
        pointer.append("~1")
        #expect(pointer.description == "/a~1b/3/~01")
        #expect(pointer.steps == ["a/b", "3", "~1"])
        pointer.removeLast()
        #expect(pointer == JSONPointer("/a~1b/3"))
        #expect(JSONPointer("/x")?.appending(pointer).description == "/x/a~1b/3")
    }

    @Test func `a pointer finds the values of the example in RFC 6901`() throws {
        let value = try parse(
            #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"k\"l":6," ":7,"m~n":8}"#)
        let find = { (text: String) in JSONPointer(text).flatMap { value.value(at: $0) } }
        #expect(find("") == value)
        #expect(find("/foo/0") == .string("bar"))
        #expect(find("/") == .integer(0))
        #expect(find("/a~1b") == .integer(1))
        #expect(find("/c%d") == .integer(2))
        #expect(find("/k\"l") == .integer(6))
        #expect(find("/ ") == .integer(7))
        #expect(find("/m~0n") == .integer(8))
        for nowhere in ["/x", "/foo/2", "/foo/01", "/foo/-", "/foo/+1", "/foo/0/x", "/foo/"] {
            #expect(find(nowhere) == nil, "\(nowhere)")
        }
        #expect(find("/foo/99999999999999999999") == nil)
    }
}

@Suite struct MergePatchTests {
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
        ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
        (#"{"b":1,"a":2,"c":3}"#, #"{"d":4,"a":{"x":1},"b":null}"#, #"{"a":{"x":1},"c":3,"d":4}"#),
    ])
    func `a merge patch does what RFC 7396 says`(
        _ target: String, _ patch: String, _ result: String
    ) throws {
        #expect(try parse(target).merging(parse(patch)).text == result)
    }

    @Test func `a patch of many members takes linear time`() {
        let members = (0..<20_000).map { ("k\($0)", JSON.integer(1)) }
        let object = JSONObject(members)
        #expect(JSONObject().merging(object) == object)
        let removal = JSONObject(members.map { ($0.0, .null) })
        #expect(object.merging(removal).isEmpty)
    }
}
