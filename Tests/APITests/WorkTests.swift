import API
import HTTP
import JSON
import Navigation
import Testing

/// The cost of one request, measured in the units of its budget.
@Suite struct WorkTests {
    /// A pattern that takes all the steps that it may have for a text that nearly matches.
    private static let slow = #"{"type":"string","pattern":"^(\\w+\\s?)*$"}"#
    private static let almost = String(repeating: "x", count: 30) + "!"

    private static let slowApp = #"""
        {"routes":{"r":{"params":{"properties":{"name":\#(slow)}}},
          "s":{"presentation":"sheet","routes":["r"]}},
         "tabs":[{"id":"t","routes":["r"]}],
         "links":[{"pattern":"/r/{name}","path":[{"route":"r","params":{"name":"{name}"}}]}]}
        """#

    /// The session `s` of an app.
    private func client(_ app: String) throws -> Client {
        let client = try Client()
        #expect(try client.call("PUT", "/v1/apps/x", app).status == 201)
        #expect(try client.call("POST", "/v1/sessions", #"{"id":"s","app":"x"}"#).status == 201)
        return client
    }

    private func list(_ count: Int, _ item: (Int) -> String) -> String {
        "[" + (0..<count).map(item).joined(separator: ",") + "]"
    }

    private func spent(_ client: Client) -> Int {
        WorkBudget.unitsMax - client.service.work.unitsLeft
    }

    // MARK: - Refused

    struct Costly: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var method = "POST"
        var target: String
        var body: String?
    }

    static let costly: [Costly] = {
        let entry = #"{"route":"r","params":{"name":"\#(almost)"}}"#
        let path = "[" + Array(repeating: entry, count: 250).joined(separator: ",") + "]"
        let navigate = #"{"command":"navigate",\#(entry.dropFirst())"#
        let commands = "[" + Array(repeating: navigate, count: 90).joined(separator: ",") + "]"
        let sheet = #"{"route":"s","path":\#(path)}"#
        let url = "/a?" + String(repeating: "q&", count: 200_000)
        return [
            Costly(
                testDescription: "a whole state", method: "PUT", target: "",
                body: #"{"app":"x","tabs":[{"id":"t","path":\#(path)}]}"#),
            Costly(
                testDescription: "a path", target: "/setPath",
                body: #"{"in":"t","path":\#(path)}"#),
            Costly(testDescription: "a sheet", target: "/present", body: sheet),
            Costly(
                testDescription: "a batch", target: "/batch", body: #"{"commands":\#(commands)}"#),
            Costly(testDescription: "a long URL", target: "/open", body: #"{"url":"\#(url)"}"#),
        ]
    }()

    @Test(arguments: costly)
    func `a request that takes more work than it may is refused and changes nothing`(
        _ costly: Costly
    ) throws {
        let client = try client(Self.slowApp)
        let before = try client.call("GET", "/v1/sessions/s")
        let target = "/v1/sessions/s" + costly.target
        let answer = try client.call(costly.method, target, costly.body)
        // Single values that are too costly are told by their places, as long as the budget lasts.
        #expect(["limit-exceeded", "invalid-params"].contains(answer.problem))
        let after = try client.call("GET", "/v1/sessions/s")
        #expect(after.response.body == before.response.body)
        #expect(after.etag == before.etag)
        #expect(try client.command("s", "navigate", #"{"route":"r"}"#).status == 200)
    }

    @Test func `state that cannot be checked within the budget is the server's problem`() throws {
        let plain = #"{"routes":{"r":{"params":{}}},"tabs":[{"id":"t","routes":["r"]}]}"#
        let client = try client(plain)
        let entry = #"{"route":"r","params":{"name":"\#(Self.almost)"}}"#
        let path = list(60) { _ in entry }
        try client.command("s", "setPath", #"{"in":"t","path":\#(path)}"#)
        #expect(try client.call("PUT", "/v1/apps/x", Self.slowApp).status == 200)
        let refused = try client.command("s", "back")
        #expect(refused.status == 503)
        #expect(refused.problem == "too-much-work")
        let read = try client.call("GET", "/v1/sessions/s")
        #expect(read.json["revision"]?.integer == 2)
        #expect(try client.call("PUT", "/v1/apps/x", plain).status == 200)
        #expect(try client.command("s", "back").status == 200)
        #expect(try client.call("DELETE", "/v1/sessions/s").status == 204)
    }

    @Test func `the first change of a session after its app was replaced has one budget`() throws {
        let client = try client(
            #"{"routes":{"r":{"params":{}}},"tabs":[{"id":"t","routes":["r"]}]}"#)
        // With the new app each entry takes almost a 20th of the budget.
        let path = list(15) { _ in #"{"route":"r","params":{"name":"\#(Self.almost)"}}"# }
        let body = #"{"in":"t","path":\#(path)}"#
        #expect(try client.command("s", "setPath", body).status == 200)
        #expect(try client.call("PUT", "/v1/apps/x", Self.slowApp).status == 200)
        let before = client.service.work.unitsSpent
        let refused = try client.command("s", "setPath", body)
        #expect(["limit-exceeded", "invalid-params"].contains(refused.problem))
        #expect(client.service.work.unitsSpent - before <= WorkBudget.unitsMax)
        #expect(try client.command("s", "back").status == 200)
        #expect(try client.command("s", "setPath", body).problem == "invalid-params")
    }

    @Test func `an app whose defaults take too much work is refused`() throws {
        let property =
            #"{"type":"array","items":\#(Self.slow),"default":\#(list(60) { _ in "\"\(Self.almost)\"" })}"#
        let properties = (0..<120).map { "\"p\($0)\":\(property)" }.joined(separator: ",")
        let app =
            #"{"routes":{"r":{"params":{"properties":{\#(properties)}}}},"tabs":[{"id":"t"}]}"#
        let answer = try Client().call("PUT", "/v1/apps/x", app)
        #expect(answer.problem == "limit-exceeded")
    }

    // MARK: - Passed

    @Test func `a session of a mebibyte passes, also after its app was replaced`() throws {
        let params =
            #"{"contact":{"id":"42","tags":["a","b","c, and more of it"],"age":37},"page":3}"#
        let contact =
            #"{"type":"object","required":["id"],"properties":{"id":{"pattern":"^[0-9]+$"},"tags":{"items":{"type":"string"}},"age":{"type":"integer"}}}"#
        func app(_ title: String) -> String {
            #"""
            {"title":"\#(title)","routes":{"r":{"params":{"properties":{"contact":\#(contact),
              "page":{"minimum":0}},"additionalProperties":false}}},
             "tabs":\#(list(32) { #"{"id":"t\#($0)","routes":["r"]}"# })}
            """#
        }
        let client = try client(app("first"))
        let path = list(256) { _ in #"{"route":"r","params":\#(params)}"# }
        let body = #"{"app":"x","tabs":\#(list(32) { #"{"id":"t\#($0)","path":\#(path)}"# })}"#
        let kept = try client.call("PUT", "/v1/sessions/s", body)
        #expect(kept.status == 200)
        #expect(kept.response.body.count > 900_000)
        #expect(try client.call("PUT", "/v1/apps/x", app("second")).status == 200)
        #expect(try client.command("s", "back").status == 200)
        #expect(try client.call("PUT", "/v1/apps/x", app("third")).status == 200)
        #expect(try client.call("PUT", "/v1/sessions/s", body).status == 200)
    }

    @Test func `an app of a thousand routes and links passes`() throws {
        let params =
            ##"{"type":"object","required":["id"],"properties":{"id":{"$ref":"#/$defs/Id"},"q":{"type":"string"}}}"##
        let routes = (0..<1000).map { #""route\#($0)":{"params":\#(params)}"# }
        let links = list(1000) {
            #"{"pattern":"/r\#($0)/{id}","path":[{"route":"route\#($0)","params":{"id":"{id}"}}]}"#
        }
        let app = #"""
            {"$defs":{"Id":{"type":"integer"}},"routes":{\#(routes.joined(separator: ","))},
             "groups":{"all":\#(list(1000) { "\"route\($0)\"" })},
             "tabs":\#(list(32) { #"{"id":"t\#($0)","routes":["@all"]}"# }),"links":\#(links)}
            """#
        let client = try client(app)
        let opened = try client.command("s", "open", #"{"url":"/r999/7"}"#)
        #expect(opened.session.picture.hasPrefix("t0* [route999]"))
        #expect(try client.call("GET", "/v1/sessions/s/link").json["url"]?.string == "/r999/7")
    }

    @Test func `the work for twice as much is twice the work at most`() throws {
        func work(_ count: Int) throws -> [String: Int] {
            let links = list(count) {
                #"{"pattern":"/r\#($0)/{id}","path":[{"route":"r","params":{"id":"{id}","n":\#($0)}}]}"#
            }
            let client = try client(
                #"{"routes":{"r":{"params":{}}},"tabs":[{"id":"t","routes":["r"]}],"links":\#(links)}"#
            )
            let path = list(count) { #"{"route":"r","params":{"id":\#($0).0}}"# }
            let same = list(count) { #"{"route":"r","params":{"id":\#($0)}}"# }
            var found: [String: Int] = [:]
            func measure(_ name: String, _ body: String) throws {
                #expect(try client.command("s", name, body).status == 200)
                found[name] = max(found[name] ?? 0, spent(client))
            }
            try measure("setPath", #"{"in":"t","path":\#(path)}"#)
            try measure("setPath", #"{"in":"t","path":\#(same)}"#)
            try measure("navigate", #"{"route":"r","params":{"id":0},"mode":"toFront"}"#)
            try measure("open", #"{"url":"/r\#(count - 1)/7"}"#)
            #expect(try client.call("GET", "/v1/sessions/s/link").status == 200)
            found["link"] = spent(client)
            return found
        }
        let (less, more) = (try work(100), try work(200))
        for (name, units) in more {
            #expect(
                units > 0 && units * 10 < 22 * (less[name] ?? 0) + 5_000,
                "\(name): \(less[name] ?? 0), then \(units)")
        }
    }

    // MARK: - Ids that were added and removed

    /// A session `s` with about this many entries.
    private func session(tabs: Int) throws -> Client {
        let client = try Client()
        let path = list(256) { _ in #"{"route":"r"}"# }
        let tabs = list(tabs) { #"{"id":"t\#($0)","path":\#(path)}"# }
        #expect(try client.call("PUT", "/v1/sessions/s", #"{"tabs":\#(tabs)}"#).status == 201)
        return client
    }

    @Test(arguments: ["setTabs", "navigate"])
    func `a batch of changes in one place does not compare whole states`(
        _ command: String
    ) throws {
        let client = try session(tabs: 32)
        let others = (2..<32).map { #""t\#($0)""# }.joined(separator: ",")
        let flipped = #"{"command":"setTabs","order":["t1","t0",\#(others)]}"#
        let back = #"{"command":"setTabs","order":["t0","t1",\#(others)]}"#
        let replace = #"{"command":"navigate","route":"r","mode":"replace"}"#
        let commands = list(100) {
            command == "setTabs" ? ($0 % 2 == 0 ? flipped : back) : replace
        }
        let answer = try client.command("s", "batch", #"{"commands":\#(commands)}"#)
        #expect(answer.status == 200)
        #expect(spent(client) < WorkBudget.unitsMax / 10)
    }

    @Test func `a batch that compares whole states pays for it`() throws {
        let commands = list(100) {
            $0 % 2 == 0
                ? #"{"command":"present","route":"s"}"#
                : #"{"command":"navigate","route":"r","in":"t1","mode":"replace","sheets":"dismiss"}"#
        }
        let body = #"{"commands":\#(commands)}"#
        #expect(try session(tabs: 2).command("s", "batch", body).status == 200)
        let client = try session(tabs: 32)
        #expect(try client.command("s", "batch", body).problem == "limit-exceeded")
        #expect(try client.call("GET", "/v1/sessions/s").json["revision"]?.integer == 1)
    }

    @Test func `a search for a sheet in long events pays for what it reads`() throws {
        let client = try Client()
        try client.call("POST", "/v1/sessions", #"{"id":"s"}"#)
        func set(_ number: Int) throws {
            let params = #"{"p\#(number)":"\#(String(repeating: "x", count: 60_000))"}"#
            let path = list(8) { _ in #"{"route":"r","params":\#(params)}"# }
            let body = #"{"in":"main","path":\#(path)}"#
            #expect(try client.command("s", "setPath", body).status == 200)
        }
        for number in 1...3 { try set(number) }
        #expect(try client.call("GET", "/v1/sessions/s/sheets/e999").problem == "sheet-not-found")
        #expect(spent(client) > 3 * 480_000 / 2)
        for number in 4...13 { try set(number) }
        let refused = try client.call("GET", "/v1/sessions/s/sheets/e999")
        #expect(refused.problem == "too-much-work")
    }
}
