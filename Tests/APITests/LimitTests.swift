import API
import JSON
import Navigation
import Testing

/// Every exceeded limit is the same problem, wherever it is.
@Suite struct LimitTests {
    private static let long = String(repeating: "x", count: 300)
    private static let longFact = String(repeating: "x", count: 4096)

    /// Members with these many names and the same value.
    private static func many(_ count: Int, _ value: String) -> String {
        (1...count).map { #""n\#($0)":\#(value)"# }.joined(separator: ",")
    }

    private static let path =
        "["
        + Array(repeating: #"{"route":"r"}"#, count: 5)
        .joined(separator: ",") + "]"

    private func client() throws -> Client {
        var options = ServiceOptions()
        options.limits.tabsMax = 2
        options.limits.pathDepthMax = 4
        options.limits.labelsMax = 1
        options.limits.sheetsMax = 1
        options.limits.batchCommandsMax = 1
        options.limits.paramsBytesMax = 100
        let client = try Client(options: options)
        try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        return client
    }

    @Test(arguments: [
        ("POST", "/v1/sessions", #"{"tabs":["a","b","c"]}"#),
        ("POST", "/v1/sessions", #"{"labels":{"a":"","b":""}}"#),
        ("POST", "/v1/sessions", #"{"labels":{"a":"\#(long)"}}"#),
        ("PATCH", "/v1/sessions/a", #"{"labels":{"a":"","b":""}}"#),
        ("PUT", "/v1/sessions/a", #"{"tabs":[{"id":"a"},{"id":"b"},{"id":"c"}]}"#),
        ("PUT", "/v1/sessions/a", #"{"tabs":[{"id":"a","path":\#(path)}]}"#),
        ("PUT", "/v1/sessions/a", #"{"tabs":[{"id":"a","badge":"\#(long)"}]}"#),
        (
            "PUT", "/v1/sessions/a",
            #"{"tabs":[{"id":"a"}],"sheets":[{"route":"r"},{"route":"r"}]}"#
        ),
        (
            "PUT", "/v1/sessions/a",
            #"{"tabs":[{"id":"a","path":[{"route":"r","params":{"x":"\#(long)"}}]}]}"#
        ),
        (
            "PUT", "/v1/sessions/b",
            #"{"tabs":[{"id":"a","path":[{"id":"e2147483649","route":"r"}]}]}"#
        ),
        ("POST", "/v1/sessions/a/setBadge", #"{"tab":"main","badge":"\#(long)"}"#),
        ("POST", "/v1/sessions/a/setPath", #"{"in":"main","path":\#(path)}"#),
        ("POST", "/v1/sessions/a/navigate", #"{"route":"r","params":{"x":"\#(long)"}}"#),
        ("POST", "/v1/sessions/a/present", #"{"route":"r","tag":"\#(long)"}"#),
        ("POST", "/v1/sessions/a/present", #"{"route":"r","detents":["\#(long)"]}"#),
        ("POST", "/v1/sessions/a/batch", #"{"commands":[{"command":"back"},{"command":"back"}]}"#),
        ("PUT", "/v1/apps/x", #"{"tabs":[{"id":"a"},{"id":"b"},{"id":"c"}]}"#),
        ("PUT", "/v1/apps/x", #"{"tabs":[{"id":"a"}],"facts":{\#(many(33, #"{"default":1}"#))}}"#),
        ("PUT", "/v1/apps/x", #"{"tabs":[{"id":"a"}],"facts":{"f":{"default":"\#(longFact)"}}}"#),
        (
            "PUT", "/v1/apps/x",
            #"{"tabs":[{"id":"a"}],"facts":{"f":{"default":1}},"#
                + #""guards":{\#(many(101, #"{"when":{"f":1}}"#))}}"#
        ),
        (
            "PUT", "/v1/apps/x",
            #"{"routes":{"r":{"params":{}}},"tabs":[{"id":"a","routes":["r"]}],"#
                + #""facts":{"f":{"default":1}},"guards":{"g":{"when":{"f":1},"#
                + #""instead":{"command":"navigate","route":"r","params":{"x":"\#(long)"}}}}}"#
        ),
    ])
    func `an exceeded limit is told as one`(method: String, target: String, body: String) throws {
        let answer = try client().call(method, target, body)
        #expect(answer.status == 422 && answer.problem == "limit-exceeded", "\(answer.text)")
    }

    @Test(arguments: [
        ("POST", "/v1/sessions", #"{"tabs":[]}"#, "invalid-request"),
        ("POST", "/v1/sessions", #"{"tabs":["a","b","c"],"x":1}"#, "invalid-request"),
        ("POST", "/v1/sessions/a/setBadge", #"{"tab":"main","badge":""}"#, "invalid-request"),
        ("POST", "/v1/sessions/a/batch", #"{"commands":[]}"#, "invalid-request"),
        ("PUT", "/v1/apps/x", #"{"tabs":[]}"#, "invalid-app"),
    ])
    func `what is wrong in another way is not`(
        method: String, target: String, body: String, problem: String
    ) throws {
        #expect(try client().call(method, target, body).problem == problem)
    }

    @Test func `a key may be too long, and a stream may name too many sessions`() throws {
        let client = try client()
        let key = ["Idempotency-Key": Self.long]
        #expect(try client.command("a", "back", "{}", key).problem == "limit-exceeded")
        let empty = try client.command("a", "back", "{}", ["Idempotency-Key": ""])
        #expect(empty.problem == "invalid-request")
        let names = (0..<257).map { "session=s\($0)" }.joined(separator: "&")
        #expect(try client.call("GET", "/v1/events?\(names)").problem == "limit-exceeded")
    }
}
