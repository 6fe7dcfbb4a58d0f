import HTTP
import TestSupport
import Testing

/// A request with these field lines.
private func request(_ lines: String...) throws -> Request {
    let head = "GET / HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
    return try #require(try Request.parsed(Array(head.utf8)))
}

@Suite struct EntityTagsTests {
    private func tags(_ value: String) throws -> EntityTags? {
        EntityTags(try request("If-Match: \(value)"), .ifMatch)
    }

    @Test func `a list of tags keeps its order and their strength`() throws {
        let expected: [EntityTag] = [
            EntityTag(opaque: "a"), EntityTag(isWeak: true, opaque: "b,c"), EntityTag(opaque: ""),
        ]
        #expect(try tags("\"a\" , W/\"b,c\",,\"\"") == .tags(expected))
        #expect(try tags("*") == .any)
        #expect(try tags("\"\\\"") == .tags([EntityTag(opaque: "\\")]))
    }

    @Test(arguments: [
        "", "a", "\"a", "a\"", "w/\"a\"", "W/a", "W\"a\"", "\"a\" \"b\"", "*, \"a\"", "\"a\"x",
        "\"a b\"",
    ])
    func `what is no list of tags is nil`(value: String) throws {
        #expect(try tags(value) == nil)
    }

    @Test func `a tag of bytes that are no text is a tag, and none of ours`() throws {
        let head = Array("GET / HTTP/1.1\r\nHost: a\r\nIf-Match: \"".utf8)
        let message = head + [0xE9, 0xFF] + Array("\"\r\n\r\n".utf8)
        let tags = EntityTags(try #require(try Request.parsed(message)), .ifMatch)
        #expect(tags != nil)
        #expect(tags?.matchWeakly("a") == false)
    }

    @Test func `several lines are one list`() throws {
        let both = try request("If-None-Match: \"a\"", "If-None-Match: \"b\"")
        #expect(EntityTags(both, .ifNoneMatch)?.matchWeakly("b") == true)
        let mixed = try request("If-None-Match: *", "If-None-Match: \"b\"")
        #expect(EntityTags(mixed, .ifNoneMatch) == nil)
        #expect(EntityTags(try request(), .ifMatch) == nil)
    }

    @Test func `a weak tag matches weakly alone`() throws {
        let tags = try #require(try tags("W/\"a\", \"b\""))
        #expect(tags.matchWeakly("a") && !tags.matchStrongly("a"))
        #expect(tags.matchWeakly("b") && tags.matchStrongly("b"))
        #expect(!tags.matchWeakly("c") && !tags.matchStrongly("c"))
    }

    @Test func `nothing matches where nothing is, a star everything else`() throws {
        for value in ["*", "\"a\""] {
            let tags = try #require(try tags(value))
            #expect(!tags.matchWeakly(nil) && !tags.matchStrongly(nil))
            #expect(tags.matchStrongly("a"))
        }
    }
}

@Suite struct PreferencesTests {
    private func preferences(_ lines: String...) throws -> Preferences {
        let head = lines.map { "Prefer: \($0)\r\n" }.joined()
        let message = Array("GET / HTTP/1.1\r\nHost: a\r\n\(head)\r\n".utf8)
        return Preferences(try #require(try Request.parsed(message)))
    }

    @Test func `wishes come on one line or on several, in any case`() throws {
        let one = try preferences("return=minimal, wait=30; x=y, handling=strict")
        #expect(one.returnsMinimal == true)
        #expect(one.waitSeconds == 30)
        #expect(one.isStrict == true)
        #expect(try preferences("Return=Minimal", "WAIT = \"30\"", "HANDLING=\"STRICT\"") == one)
    }

    @Test func `the other wishes are wishes too`() throws {
        let wishes = try preferences("return=representation, handling=lenient")
        #expect(wishes.returnsMinimal == false)
        #expect(wishes.isStrict == false)
    }

    @Test func `of two the first counts`() throws {
        #expect(try preferences("wait=1, wait=2", "wait=3").waitSeconds == 1)
        #expect(try preferences("return=x, return=minimal").returnsMinimal == nil)
        #expect(try preferences("wait", "WAIT=3").waitSeconds == nil)
    }

    @Test(arguments: [
        "wait", "wait=", "wait=-1", "wait=+1", "wait=1.5", "return=x", "=x", "x=\"", ",", "wait;=1",
        "waits=4", "foo bar=1",
    ])
    func `what is unknown or malformed is passed over`(value: String) throws {
        #expect(try preferences(value) == Preferences())
    }

    @Test func `a huge number is a large number`() throws {
        #expect(try preferences("wait=99999999999999999999999").waitSeconds == 999_999_999)
    }
}

@Suite struct AcceptedTypesTests {
    private func accepted(_ value: String) throws -> AcceptedTypes {
        AcceptedTypes(try request("Accept: \(value)"))
    }

    @Test(arguments: [
        ("application/json", 1_000), ("*/*", 1_000), ("application/*;q=0.5", 500), ("text/html", 0),
        ("APPLICATION/JSON ; Q=0.25", 250), ("*/*, application/json;q=0", 0), ("*/*;q=0", 0),
        ("application/*, */*;q=0.1", 1_000), ("text/html, */*;q=0.8", 800), ("", 1_000),
        ("application/json;q=1.000", 1_000), ("application/json;q=0.001", 1),
        ("application/json;version=2", 0), ("application/json;version=2;charset=utf-8", 0),
        ("application/json;charset=utf-8", 1_000),
        ("nonsense, application/json", 1_000), ("nonsense", 1_000), ("*/json", 0),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", 800),
    ])
    func `the most specific range decides`(value: String, weight: Int) throws {
        #expect(try accepted(value).weight(of: "application/json") == weight)
    }

    @Test(arguments: ["2", "1.001", "0.1234", "-1", "x", "", "0,5", "1.5", "00.5", ".5"])
    func `a range with a malformed weight is ignored`(weight: String) throws {
        let types = try accepted("text/html, application/json;q=\(weight)")
        #expect(!types.accepts(.json))
        #expect(types.accepts(.html))
    }

    @Test func `the best type is the one that the client prefers`() throws {
        let types = try accepted("application/x-ndjson;q=0.9, text/event-stream;q=0.9, */*;q=0.1")
        #expect(types.best(of: [.eventStream, .ndjson]) == .eventStream)
        #expect(types.best(of: [.ndjson, .eventStream]) == .ndjson)
        #expect(types.best(of: [.json, .ndjson]) == .ndjson)
        #expect(try accepted("text/html").best(of: [.json]) == nil)
    }

    @Test func `without the field everything is accepted`() throws {
        #expect(AcceptedTypes(try request()).accepts(.css))
    }

    @Test func `several lines are one list`() throws {
        let types = AcceptedTypes(try request("Accept: text/html", "Accept: application/json"))
        #expect(types.accepts(.json) && types.accepts(.html) && !types.accepts(.css))
    }
}

@Suite struct AcceptedCodingsTests {
    @Test(arguments: [
        ("br", true), ("gzip, deflate, br, zstd", true), ("gzip , BR;q=0.1", true),
        ("br;q=1.000", true), (", ,br", true), ("", false), ("*", false), ("gzip", false),
        ("br;q=0", false), ("br;q=0.000", false), ("br;q=2", false), ("br;q=", false),
        ("bro, xbr, b r", false), ("br;=", false), ("gzip br", false), ("(, br", false),
    ])
    func `Brotli is taken by those who name it`(value: String, isTaken: Bool) throws {
        #expect(AcceptedCodings(try request("Accept-Encoding: \(value)")).hasBrotli == isTaken)
    }

    @Test func `several lines are one list, and without the field nothing is named`() throws {
        let both = try request("Accept-Encoding: gzip", "accept-encoding: br")
        #expect(AcceptedCodings(both).hasBrotli)
        #expect(!AcceptedCodings(try request()).hasBrotli)
    }
}

@Suite struct MediaTypeTests {
    @Test(arguments: [
        "application/json", "Application/JSON", "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\"", "application/json ; x=y; charset=utf-8 ",
        "application/json;", "application/json; ;x=\";\"",
    ])
    func `JSON is not case-sensitive and may have parameters`(value: String) throws {
        #expect(MediaType(try request("Content-Type: \(value)"))?.isJSON == true)
    }

    @Test(arguments: [
        "text/plain", "application/json; charset=latin1", "application/jsonp", "application/x-json",
        "application/merge-patch+json", "text/plain; a=\"application/json\"", "multipart/form-data",
    ])
    func `other types are not`(value: String) throws {
        #expect(MediaType(try request("Content-Type: \(value)"))?.isJSON == false)
    }

    @Test func `a charset need not be text`() throws {
        var bytes = Array("application/json; charset=\"utf-8".utf8)
        bytes += [0xCC, 0x81, 0xFF, UInt8(ascii: "\"")]
        #expect(MediaType(bytes, 0..<bytes.count)?.isJSON == false)
    }

    @Test(arguments: [
        "", "json", "application/", "/json", "application /json", "application/json, text/plain",
        "application/json; charset=utf-8; charset=latin1", "application/json; charset=\"utf-8",
        "application/json; =x", "application/json x",
    ])
    func `a malformed media type is nil`(value: String) throws {
        #expect(MediaType(try request("Content-Type: \(value)")) == nil)
    }

    @Test func `without the field there is no type`() throws {
        #expect(MediaType(try request()) == nil)
    }
}
