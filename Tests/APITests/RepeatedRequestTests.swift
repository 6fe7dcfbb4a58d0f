import API
import Bytes
import HTTP
import JSON
import Navigation
import Sessions
import TestSupport
import Testing

/// Which requests with an `Idempotency-Key` are the same.
@Suite struct RepeatedRequestTests {
    let client: Client
    private let key = ["Idempotency-Key": "k"]
    private let path = "/v1/sessions/a"

    init() throws {
        client = try Client()
        try client.call("POST", "/v1/sessions", #"{"id":"a","tabs":["t"]}"#)
    }

    private static let body =
        #"{"route":"p","params":{"n":5,"to":"é","l":[1,2.5],"o":{"x":1,"y":null}}}"#

    @Test(arguments: [
        #"{"params":{"to":"é","o":{"y":null,"x":1},"l":[1,2.5],"n":5},"route":"p"}"#,
        #" {"route" : "p", "params": {"n":5,"to":"\u00e9","l":[ 1,25e-1 ],"o":{"x":1,"y":null}} } "#,
        #"{"route":"\u0070","params":{"n":5.0,"to":"é","l":[1e0,2.50],"o":{"x":1.0,"y":null}}}"#,
    ])
    func `the same value in other words gets the first answer`(other: String) throws {
        let first = try client.command("a", "navigate", Self.body, key)
        let again = try client.command("a", "navigate", other, key)
        #expect(again.status == 200 && again.text == first.text)
    }

    @Test(arguments: [
        #"{"route":"p","params":{"n":6,"to":"é","l":[1,2.5],"o":{"x":1,"y":null}}}"#,
        #"{"route":"p","params":{"n":5,"to":"e\u0301","l":[1,2.5],"o":{"x":1,"y":null}}}"#,
        #"{"route":"p","params":{"n":5,"to":"é","l":[2.5,1],"o":{"x":1,"y":null}}}"#,
        #"{"route":"p","params":{"n":5,"to":"é","l":[1,2.5],"o":{"x":null,"y":1}}}"#,
        #"{"route":"p","params":{"n":"5","to":"é","l":[1,2.5],"o":{"x":1,"y":null}}}"#,
        #"{"route":"p","params":{"n":5,"to":"é","l":[[1],2.5],"o":{"x":1,"y":null}}}"#,
        #"{"route":"p","params":{"n":5,"to":"é","l":[1,2.5],"o":{"x":1}}}"#,
        "{}",
    ])
    func `another value is another request`(other: String) throws {
        try client.command("a", "navigate", Self.body, key)
        #expect(try client.command("a", "navigate", other, key).problem == "idempotency-key-reused")
    }

    @Test func `the id of a session may be the key of its changes`() throws {
        try client.call("POST", "/v1/sessions", #"{"id":"b","tabs":["t"]}"#)
        let answers = try ["a", "b", "a", "b"].map { id in
            try client.command(id, "navigate", #"{"route":"p"}"#, ["Idempotency-Key": id]).text
        }
        #expect(answers[0] == answers[2] && answers[1] == answers[3])
    }

    @Test func `no body is an empty object, and a path is what it decodes to`() throws {
        try client.command("a", "navigate", #"{"route":"p"}"#)
        let first = try client.call("POST", path + "/back", nil, key)
        for body in ["{}", " { } "] {
            #expect(try client.call("POST", "/v1/sessions/%61/back", body, key).text == first.text)
        }
        let other = try client.call("POST", path + "/back?dryRun=false", "{}", key)
        #expect(other.problem == "idempotency-key-reused")
    }

    @Test func `every change of a session compares values`() throws {
        let requests = [
            ("PATCH", path, #"{"labels":{"a":"1","b":"2"}}"#, #"{"labels":{"b":"2","a":"1"}}"#),
            ("PUT", path, #"{"tabs":[{"id":"u","path":[]}]}"#, #"{"tabs":[{"path":[],"id":"u"}]}"#),
            (
                "PUT", "/v1/sessions/b", #"{"tabs":[{"id":"u","path":[]}]}"#,
                #"{"tabs":[{"path":[],"id":"u"}]}"#
            ),
            (
                "POST", "/v1/sessions", #"{"tabs":["x"],"selectedTab":"x"}"#,
                #"{"selectedTab":"x","tabs":["x"]}"#
            ),
            ("DELETE", path, "", "{}"),
        ]
        for (index, (method, path, body, other)) in requests.enumerated() {
            let key = ["Idempotency-Key": "key-\(index)"]
            let first = try client.call(method, path, body, key)
            #expect(first.status < 300, "\(first.text)")
            let again = try client.call(method, path, other, key)
            #expect(again.status == first.status && again.text == first.text, "\(again.text)")
        }
    }

    @Test func `a command for many sessions compares values for each of them`() throws {
        try client.call("POST", "/v1/sessions", #"{"id":"b","tabs":["t"]}"#)
        func send(_ command: String) throws -> [JSON] {
            let body = #"{"sessions":["a","b"],"command":\#(command)}"#
            return try client.call("POST", "/v1/commands", body, key).json["results"]?.array ?? []
        }
        let first = try send(#"{"command":"navigate","route":"p"}"#)
        #expect(first.count == 2)
        #expect(try send(#"{"route":"p","command":"navigate"}"#) == first)
        let others = try send(#"{"route":"q","command":"navigate"}"#)
        #expect(
            others.allSatisfy {
                $0["problem"]?["type"]?.string == "/problems/idempotency-key-reused"
            } && others.count == 2)
    }

    /// Version 0.2 has stored a digest of the bytes.
    @Test func `a key of an older version is compared by its bytes`() throws {
        let body = #"{"route":"p","params":{"n":1}}"#
        var hash = FNV1a()
        for part in [
            [Method.post.rawValue], Array("\(path)/navigate".utf8), Array(body.utf8),
        ] {
            hash.mix(part)
            hash.mixSeparator()
        }
        var record = try #require(try client.store.newest("a")).record
        record.revision = 2
        record.key = IdempotencyKey(key: "k", digest: hash.hash)
        record.event = Array(
            #"{"command":{"command":"navigate"},"added":["e7"],"removed":[]}"#.utf8)
        try client.store.put(record)
        #expect(try client.command("a", "navigate", body, key).json["added"]?[0]?.string == "e7")
        let other = try client.command("a", "navigate", body + " ", key)
        #expect(other.problem == "idempotency-key-reused")
    }
}
