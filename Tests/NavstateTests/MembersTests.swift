import JSON
import Testing
import navstate

/// The words of client commands that become members of a request.
@Suite struct MembersTests {
    private func object(_ words: String...) throws -> String {
        var object = JSONObject()
        try Members(words).add(to: &object)
        return JSON.object(object).text
    }

    @Test func `a value is a string unless it is written as JSON`() throws {
        #expect(try object() == "{}")
        #expect(try object("id=42", "n:=42") == #"{"id":"42","n":42}"#)
        #expect(try object("a=", "b=x=y", "c=:=") == #"{"a":"","b":"x=y","c":":="}"#)
        #expect(try object("a:=[1,{\"b\":null}]") == #"{"a":[1,{"b":null}]}"#)
        #expect(try object("a:b=c", "d e=f") == #"{"a:b":"c","d e":"f"}"#)
        #expect(try object("a= {", "x:=\"{\"") == #"{"a":" {","x":"{"}"#)
    }

    @Test func `one JSON object takes the place of all`() throws {
        #expect(try object(#"{"id": 42, "x": {"y": "="}}"#) == #"{"id":42,"x":{"y":"="}}"#)
    }

    @Test(arguments: [
        (["x"], "x must be KEY=VALUE, KEY:=JSON or one JSON object"),
        (["=x"], "=x must be KEY=VALUE, KEY:=JSON or one JSON object"),
        ([":=1"], ":=1 must be KEY=VALUE, KEY:=JSON or one JSON object"),
        (["a=1", "a:=2"], "a is given twice; give it once"),
        (["{}", "a=1"], "{}: a JSON object must be alone, without KEY=VALUE"),
        (["a=1", "{}"], "{}: a JSON object must be alone, without KEY=VALUE"),
    ])
    func `other words are refused`(words: [String], message: String) {
        let error = #expect(throws: ExitError.self) {
            var object = JSONObject()
            try Members(words).add(to: &object)
        }
        #expect(error?.message == message)
        #expect(error?.code == .usage)
    }

    @Test(arguments: ["a:=", "a:=x", "a:={\"b\":1", "a:=1 2", "{\"a\"", "a:=99999999999999999999"])
    func `invalid JSON is refused with its column`(word: String) {
        let error = #expect(throws: ExitError.self) { try Members([word]) }
        #expect(error?.message.contains("invalid JSON at column ") == true)
    }

    @Test func `a query is percent-encoded, and a key may be repeated`() throws {
        #expect(try Members([]).query.isEmpty)
        let words = ["label=room:a&b", "label=x y", "limit:=10", "q=ä"]
        #expect(
            try Members(words).query == "?label=room%3Aa%26b&label=x%20y&limit=10&q=%C3%A4")
    }
}

/// Where a client command finds the server.
@Suite struct ServerURLTests {
    @Test(arguments: [
        ("http://localhost:8080", "http://localhost:8080"), ("http://a.b-c_d/", "http://a.b-c_d"),
        ("HTTP://10.0.0.1:80", "http://10.0.0.1"), ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://[fd00::1]", "http://[fd00::1]"), ("unix:/run/n.sock", "unix:/run/n.sock"),
    ])
    func `an address is read and written`(text: String, written: String) {
        #expect(ServerURL(text)?.description == written)
    }

    @Test(arguments: [
        "", "localhost:8080", "http://", "http:///", "http://a:", "http://a:0", "http://a:65536",
        "http://a:8080/v1", "http://a?x", "http://u@a", "http://a b", "http://a\r\nX: y", "unix:",
        "http://[::1", "http://::1", "http://[a]", "http://[]:1", "ftp://a", "http://ä",
    ])
    func `other text is not an address`(text: String) {
        #expect(ServerURL(text) == nil)
        #expect(ServerURL.rule(text).contains("must be http://HOST:PORT"))
    }

    @Test func `https says what to do`() {
        #expect(ServerURL("https://a") == nil)
        #expect(ServerURL.rule("HTTPS://a").contains("proxy"))
    }
}
