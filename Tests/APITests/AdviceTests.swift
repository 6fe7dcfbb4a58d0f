import API
import HTTP
import JSON
import TestSupport
import Testing

/// The advice of refusals, which names what is accepted instead.
@Suite struct AdviceTests {
    private let client: Client

    init() throws {
        client = try Client()
        try client.call(
            "PUT", "/v1/apps/clinic", #"{"tabs":[{"id":"t","routes":["r"]}],"routes":{"r":{}}}"#)
        try client.call("POST", "/v1/sessions", #"{"id":"a","app":"clinic"}"#)
    }

    /// The details of all faults of the body.
    private func details(
        _ method: String, _ target: String, _ body: String
    ) throws -> [String] {
        let answer = try client.call(method, target, body)
        #expect(answer.status == 422, "\(answer.text)")
        return answer.json["errors"]?.array.compactMap { $0["detail"]?.string } ?? []
    }

    @Test func `the scopes of a session's token are offered, and no other`() throws {
        #expect(
            try details("POST", "/v1/sessions/a/tokens", #"{"scope":"zzz"}"#)
                == ["must be one of read, control"])
        #expect(
            try details("POST", "/v1/sessions/a/tokens", #"{"scope":"admin"}"#)
                == ["must be control or read"])
    }

    @Test func `each place offers the commands that it accepts`() throws {
        let many = try details(
            "POST", "/v1/commands", #"{"app":"clinic","command":{"command":"zzz"}}"#)
        #expect(many.first?.hasSuffix("setFacts, batch, undo, redo") == true, "\(many)")
        let batch = try details(
            "POST", "/v1/sessions/a/batch", #"{"commands":[{"command":"zzz"}]}"#)
        #expect(batch.first?.hasSuffix("setFacts") == true, "\(batch)")
    }

    /// Such a revision never existed.
    @Test(arguments: ["999999999999999", "1000000000000000", "999999999999999999"])
    func `a revision may have as many digits as a number`(_ text: String) throws {
        let answer = try client.call("GET", "/v1/sessions/a?revision=\(text)")
        #expect(answer.status == 410 && answer.problem == "revision-gone", "\(answer.text)")
        #expect(try client.call("GET", "/v1/sessions?idle=\(text)").status == 200)
    }

    @Test func `an entry's id with too many digits is refused for them`() throws {
        let body =
            #"{"tabs":[{"id":"t","path":[{"id":"e1234567890123456","route":"r"}]}],"app":"clinic"}"#
        #expect(
            try details("PUT", "/v1/sessions/b", body)
                == ["must be e and a number of at most 15 digits, or absent"])
    }

    @Test(arguments: ["GET", "DELETE"]) func `an unknown app has those that are similar`(
        _ method: String
    ) throws {
        let answer = try client.call(method, "/v1/apps/clinc")
        #expect(answer.status == 404 && answer.problem == "app-not-found")
        #expect(answer.json["near"] == .array([.string("clinic")]))
        #expect(answer.json["detail"]?.string == "There is no app clinc. Did you mean clinic?")
        let none = try client.call(method, "/v1/apps/other")
        #expect(none.json["near"] == nil)
        #expect(
            none.json["detail"]?.string == "There is no app other. GET /v1/apps lists the apps.")
    }

    @Test(arguments: ["id", "thread"]) func `a param beside the keywords is to be a property`(
        _ name: String
    ) throws {
        let app =
            #"{"tabs":[{"id":"t"}],"routes":{"r":{"params":{"\#(name)":{"type":"string"}}}}}"#
        #expect(
            try details("PUT", "/v1/apps/x", app).first?.hasSuffix("put \(name) under properties")
                == true)
    }

    // MARK: - Preferences

    @Test func `a read that may wait says so`() throws {
        let old = ["If-None-Match": "\"x\"", "Prefer": "wait=5"]
        let changed = try client.call("GET", "/v1/sessions/a", nil, old)
        #expect(changed.status == 200)
        #expect(changed.response.value(of: "Preference-Applied") == "wait=5")
        let long = ["If-None-Match": "\"x\"", "Prefer": "wait=100"]
        let capped = try client.call("GET", "/v1/sessions/a", nil, long)
        #expect(capped.response.value(of: "Preference-Applied") == "wait=60")
        let watchers = try client.call(
            "GET", "/v1/sessions/a/watchers?shown=1", nil, ["Prefer": "wait=5"])
        #expect(watchers.response.value(of: "Preference-Applied") == "wait=5")
        for fields in [["Prefer": "wait=5"], ["If-None-Match": "\"x\"", "Prefer": "wait=0"], [:]] {
            let plain = try client.call("GET", "/v1/sessions/a", nil, fields)
            #expect(plain.response.value(of: "Preference-Applied") == nil)
        }
        #expect(
            try client.call("GET", "/v1/sessions", nil, old).response
                .value(of: "Preference-Applied") == nil)
    }
}
