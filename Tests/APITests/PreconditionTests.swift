import API
import HTTP
import TestSupport
import Testing

@Suite struct PreconditionTests {
    let client: Client
    let etag: String
    private let old = #""old""#

    init() throws {
        client = try Client()
        etag = try client.call("POST", "/v1/sessions", #"{"id":"a"}"#).etag
    }

    private func get(_ path: String, _ fields: [String: String]) throws -> Client.Answer {
        try client.call("GET", path, nil, fields)
    }

    @Test func `If-Match holds for reads too, and before If-None-Match`() throws {
        #expect(try get("/v1/sessions/a", ["If-Match": etag]).status == 200)
        #expect(try get("/v1/sessions/a", ["If-Match": "W/" + etag]).status == 412)
        let stale = try get("/v1/sessions/a", ["If-Match": old, "If-None-Match": etag])
        #expect(stale.problem == "revision-mismatch")
        #expect(stale.etag == etag)
        let same = try get("/v1/sessions/a", ["If-Match": etag, "If-None-Match": etag])
        #expect(same.status == 304)
    }

    @Test(arguments: [("PUT", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/back")])
    func `If-None-Match refuses a change of what matches`(method: String, rest: String) throws {
        let body = method == "PUT" ? #"{"tabs":[{"id":"main"}]}"# : "{}"
        for value in ["*", etag, "W/" + etag, "\(old), \(etag)"] {
            let answer = try client.call(
                method, "/v1/sessions/a" + rest, body, ["If-None-Match": value])
            #expect(answer.problem == "revision-mismatch")
        }
        #expect(try get("/v1/sessions/a", [:]).etag == etag)
        let answer = try client.call(method, "/v1/sessions/a" + rest, body, ["If-None-Match": old])
        #expect(answer.status < 300)
    }

    @Test func `what has no tag is matched by a star alone`() throws {
        #expect(try get("/v1/sessions", ["If-Match": "*"]).status == 200)
        #expect(try get("/v1/sessions", ["If-Match": etag]).status == 412)
        #expect(try get("/v1/sessions", ["If-None-Match": "*"]).status == 304)
        let refused = try client.call("POST", "/v1/sessions", "{}", ["If-Match": etag])
        #expect(refused.status == 412)
        let token = #"{"scope":"read"}"#
        let path = "/v1/sessions/a/tokens"
        #expect(try client.call("POST", path, token, ["If-None-Match": "*"]).status == 412)
        #expect(try client.call("POST", path, token, ["If-Match": "*"]).status == 201)
    }

    @Test(arguments: ["/v1/sessions/a/events", "/v1/events", "/v1/backup"])
    func `a stream and a backup have no tag either`(path: String) throws {
        let refused = try get(path, ["If-Match": etag])
        #expect(refused.status == 412 && refused.problem == "revision-mismatch")
        #expect(try get(path, ["If-None-Match": "*"]).status == 304)
    }

    @Test func `a request that fails anyway fails as it would without them`() throws {
        for fields in [["If-Match": old], ["If-None-Match": "*"]] {
            #expect(try get("/v1/sessions/none", fields).status == 404)
            #expect(try client.call("DELETE", "/v1/sessions/none", nil, fields).status == 404)
        }
    }

    @Test func `304 says what 200 would have said`() throws {
        let whole = try get("/", [:]).response
        let tag = try #require(whole.etag)
        let short = try get("/", ["If-None-Match": "\"\(tag.opaque)\""]).response
        #expect(short.status == .notModified)
        #expect(short.value(of: "Cache-Control") == whole.value(of: "Cache-Control"))
        #expect(short.etag == whole.etag)
        #expect(short.body.isEmpty && short.contentType == nil)
    }

    @Test func `caches are told to ask again, or to keep nothing`() throws {
        for path in ["/v1/sessions/a", "/v1/sessions", "/", "/livez", "/problems/forbidden"] {
            #expect(try get(path, [:]).response.value(of: "Cache-Control") == "no-cache")
        }
        for path in ["/nothing", "/v1/sessions/none", "/metrics", "/v1/sessions/a/tokens"] {
            #expect(try get(path, [:]).response.value(of: "Cache-Control") == "no-store")
        }
    }

    @Test func `a part of a document is not taken for the whole`() throws {
        let part = ["Content-Range": "bytes 0-1/9"]
        let body = #"{"tabs":[{"id":"main"}]}"#
        #expect(try client.call("PUT", "/v1/sessions/a", body, part).status == 400)
        #expect(try client.call("PUT", "/v1/apps/b", "{}", part).status == 400)
    }

    @Test func `415 says what is taken`() throws {
        let packed = try client.command("a", "back", "{}", ["Content-Encoding": "gzip"])
        #expect(packed.problem == "unsupported-media-type")
        #expect(packed.response.value(of: "Accept-Encoding") == "identity")
        let plain = ["Content-Encoding": "identity"]
        #expect(try client.command("a", "back", "{}", plain).status == 200)
        let text = try client.command("a", "back", "{}", ["Content-Type": "text/plain"])
        #expect(text.response.value(of: "Accept") == "application/json")
        let patch = try client.call(
            "PATCH", "/v1/sessions/a", "[]", ["Content-Type": "application/json-patch+json"])
        #expect(
            patch.response.value(of: "Accept-Patch")?.hasPrefix("application/merge-patch") == true)
    }

    @Test func `a weak tag that refuses a change is named`() throws {
        try client.call("PUT", "/v1/apps/x", #"{"tabs":[{"id":"t"}]}"#)
        let app = try get("/v1/apps/x", [:]).etag
        let changes = [
            ("POST", "/v1/sessions/a/back", "{}", etag), ("PATCH", "/v1/sessions/a", "{}", etag),
            ("PUT", "/v1/sessions/a", #"{"tabs":[{"id":"main"}]}"#, etag),
            ("PUT", "/v1/sessions/none", #"{"tabs":[{"id":"main"}]}"#, etag),
            ("DELETE", "/v1/sessions/a", "", etag), ("DELETE", "/v1/apps/x", "", app),
            ("PUT", "/v1/apps/x", #"{"tabs":[{"id":"t"}]}"#, app),
            ("POST", "/v1/sessions/a/tokens", #"{"scope":"read"}"#, etag),
        ]
        for (method, path, body, tag) in changes {
            let fields = ["If-Match": "\(old), W/\(tag), W/\(old)"]
            let refused = try client.call(method, path, body, fields)
            #expect(refused.status == 412 && refused.problem == "revision-mismatch")
            #expect(refused.json["weak"]?.array.compactMap(\.string) == ["W/\(tag)", "W/\(old)"])
            #expect(
                refused.json["detail"]?.string
                    == "W/\(tag) is a weak ETag, which never holds for a change. A proxy that "
                    + "compresses may have made it weak: send it without W/, or let the proxy "
                    + "leave /v1 alone.")
        }
        let strong = try client.command("a", "back", "{}", ["If-Match": old])
        #expect(strong.status == 412 && strong.json["weak"] == nil)
        let known = try client.command(
            "a", "back", "{}", ["If-Match": "W/\(old), \(etag)", "If-None-Match": etag])
        #expect(known.status == 412 && known.json["weak"] == nil)
        let held = try client.command("a", "back", "{}", ["If-Match": "W/\(old), \(etag)"])
        #expect(held.status == 200)
    }
}
