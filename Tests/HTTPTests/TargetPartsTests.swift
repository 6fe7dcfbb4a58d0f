import Bytes
import HTTP
import TestSupport
import Testing

@Suite struct PercentCodingTests {
    private func segment(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        return PercentCoding.decodeSegment(bytes, 0..<bytes.count)
    }

    @Test(arguments: [
        ("abc", "abc"), ("", ""), ("a%20b", "a b"), ("%2F", "/"), ("%2f", "/"), ("a+b", "a+b"),
        ("%C3%A9", "\u{e9}"), ("%F0%9F%98%80", "\u{1F600}"), ("%25", "%"), ("%2525", "%25"),
        ("%2e%2e", ".."), ("..", ".."), ("a%41", "aA"), ("%7E", "~"),
    ])
    func `escapes are decoded once`(text: String, decoded: String) {
        #expect(segment(text) == decoded)
    }

    @Test(arguments: [
        "%", "a%", "%4", "%4g", "%g4", "%%41", "%u0041", "% 41", "%+1", "%00", "%0a", "%0D", "%1F",
        "%7F", "\u{1}", "%80", "%C3", "%C0%AF", "%E0%80%AF", "%ED%A0%80", "%F4%90%80%80", "%FF",
        "%C3%28", "%\u{ff14}1",
    ])
    func `bad escapes, control bytes and bad UTF-8 are refused`(text: String) {
        #expect(segment(text) == nil)
    }

    @Test func `raw bytes that are not UTF-8 are refused`() {
        #expect(PercentCoding.decodeSegment([0x61, 0xFF], 0..<2) == nil)
        #expect(PercentCoding.decodeSegment([0xFF, 0x61, 0xFF], 1..<2) == "a")
    }

    @Test func `a plus is a space in queries alone`() {
        let bytes = Array("a+b%2Bc".utf8)
        #expect(PercentCoding.decodeQuery(bytes, 0..<bytes.count) == "a b+c")
        #expect(PercentCoding.decodeSegment(bytes, 0..<bytes.count) == "a+b+c")
    }

    @Test(arguments: ["", "aZ09-._~", "a b/c?d#e%f+g&h=i", "\u{e9}\u{1F600}", "\"<>"])
    func `what is encoded decodes to itself`(text: String) {
        let encoded = PercentCoding.encode(text)
        #expect(segment(encoded) == text)
        #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F })
    }

    @Test func `encoding leaves the unreserved and writes upper-case escapes`() {
        #expect(PercentCoding.encode("A-z_0.~ /\u{ff}") == "A-z_0.~%20%2F%C3%BF")
    }
}

@Suite struct PathSegmentsTests {
    private func segments(_ path: String) -> [String?]? {
        let bytes = Array(("xx" + path + "?/").utf8)
        let split = PathSegments(bytes, 2..<2 + path.utf8.count)
        return split.map { parts in
            (0..<parts.count).map { PercentCoding.decodeSegment(bytes, parts[$0]) }
        }
    }

    @Test(
        arguments: [
            ("/", [""]), ("", [""]), ("/a", ["a"]), ("/a/", ["a", ""]), ("//", ["", ""]),
            ("/v1/sessions/a%2Fb", ["v1", "sessions", "a/b"]), ("/a/../b", ["a", "..", "b"]),
            ("/1/2/3/4/5/6/7/8", ["1", "2", "3", "4", "5", "6", "7", "8"]), ("/%zz", [nil]),
            ("/./%2e%2e/x", [".", "..", "x"]), ("//host/x", ["", "host", "x"]),
        ] as [(String, [String?])])
    func `a path is split before it is decoded`(path: String, expected: [String?]) {
        #expect(segments(path) == expected)
    }

    @Test func `segments may have any length`() {
        for first in 0..<18 {
            for second in 0..<10 {
                let expected = [long(first), long(second), ""]
                #expect(segments("/\(long(first))/\(long(second))/") == expected)
            }
        }
    }

    @Test(arguments: ["/1/2/3/4/5/6/7/8/9", "////////////", "/1/2/3/4/5/6/7/8/"])
    func `a path of more than eight segments is no route's`(path: String) {
        #expect(segments(path) == nil)
    }

    @Test func `an asterisk has no segments`() throws {
        let message = Array(wire("OPTIONS * HTTP/1.1", "Host: a").utf8)
        let request = try #require(try Request.parsed(message))
        #expect(PathSegments(request) == nil)
    }

    @Test func `literals are compared byte for byte`() throws {
        let request = try #require(try Request.parsed(Array(get(target: "/v1/%76%31/V1").utf8)))
        let parts = try #require(PathSegments(request))
        func fits(_ template: String) -> Bool {
            PathTemplate(template).variables(of: parts, in: request.bytes) != nil
        }
        #expect(fits("/v1/%76%31/V1"))
        #expect(fits("/v1/{a}/{b}"))
        #expect(!fits("/v1/v1/{b}"))
        #expect(!fits("/v1/{a}/v1"))
        #expect(!fits("/v/{a}/{b}"))
        #expect(!fits("/v1/{a}"))
        #expect(!fits("/v1/{a}/{b}/"))
    }

    @Test(
        arguments: [
            ("/{a}", "/x", ["x", ""]), ("/{a}/b", "/x/b", ["x", ""]),
            ("/b/{a}", "/b/%41", ["%41", ""]), ("/{a}/b/{c}", "/x/b/y", ["x", "y"]),
            ("/", "/", ["", ""]), ("/a/", "/a/", ["", ""]),
        ])
    func `variables come in the order of the path`(
        template: String, path: String, expected: [String]
    ) throws {
        let request = try #require(try Request.parsed(Array(get(target: path).utf8)))
        let parts = try #require(PathSegments(request))
        let found = try #require(PathTemplate(template).variables(of: parts, in: request.bytes))
        #expect((0..<2).map { request.text(found[$0]) } == expected)
    }

    @Test(arguments: [("/v1/{a}", "/v1/"), ("/{a}", "/"), ("/", "/v1")])
    func `a variable segment is not empty`(template: String, path: String) throws {
        let request = try #require(try Request.parsed(Array(get(target: path).utf8)))
        let parts = try #require(PathSegments(request))
        #expect(PathTemplate(template).variables(of: parts, in: request.bytes) == nil)
    }
}

@Suite struct QueryItemsTests {
    private func items(_ query: String) throws -> QueryItems {
        let message = Array(get(target: "/?" + query).utf8)
        return QueryItems(try #require(try Request.parsed(message)))
    }

    private func pairs(_ query: String) throws -> [String] {
        try items(query).decoded { $0 == "session" }.map { "\($0.name)=\($0.value)" }
    }

    @Test func `pairs come in order, decoded`() throws {
        #expect(try pairs("a=1&b=x%26y+z&c&d=&=e") == ["a=1", "b=x&y z", "c=", "d=", "=e"])
        #expect(try pairs("").isEmpty)
        #expect(try pairs("&&a=1&").count == 1)
        #expect(try pairs("a=b=c") == ["a=b=c"])
        #expect(try pairs("a=1;b=2") == ["a=1;b=2"])
    }

    @Test func `a name comes once, unless it may come again`() throws {
        #expect(try pairs("session=a&session=b") == ["session=a", "session=b"])
        #expect(throws: QueryItems.QueryItemsError.repeated("a")) { try pairs("a=1&b=2&a=1") }
        #expect(throws: QueryItems.QueryItemsError.repeated("a")) { try pairs("a=1&%61=2") }
    }

    @Test(arguments: ["a=%", "%=a", "a=%00", "a=%FF", "a=1&b=%2"])
    func `bad escapes are refused`(query: String) {
        #expect(throws: QueryItems.QueryItemsError.badEncoding) { try pairs(query) }
    }

    @Test func `without a query there are no pairs`() throws {
        let request = try #require(try Request.parsed(Array(get().utf8)))
        #expect(Array(QueryItems(request)).isEmpty)
    }
}
