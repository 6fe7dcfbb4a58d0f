import API
import JSON
import Testing

/// Sessions that begin with a template of their app, or as a copy of another session.
@Suite struct SessionBeginningsTests {
    private static let app = #"""
        {"routes":{"fare":{"params":{"required":["zone"],"properties":{"zone":{"enum":["A","AB"]}}}},
          "payment":{},"note":{"presentation":"sheet"}},
         "tabs":[{"id":"buy","routes":["fare","payment"]},{"id":"help","routes":["payment"]}],
         "links":[{"pattern":"/pay","tab":"help","path":["payment"]}],
         "templates":{
          "ticket":{"title":"A ticket","commands":[
           {"command":"navigate","route":"fare","params":{"zone":"AB"}},
           {"command":"navigate","route":"payment"}]},
          "fare":{"commands":[
           {"command":"navigate","route":"fare","params":{"zone":"A"},"in":"buy"}]},
          "paying":{"commands":[{"command":"open","url":"/pay"},{"command":"present","route":"note"}]},
          "pay":{"commands":[{"command":"navigate","route":"payment"}]}}}
        """#

    private func client(_ app: String = app) throws -> Client {
        let client = try Client()
        #expect(try client.call("PUT", "/v1/apps/x", app).status == 201)
        return client
    }

    @discardableResult
    private func create(
        _ client: Client, _ body: String, query: String = "", _ fields: [String: String] = [:]
    ) throws -> Client.Answer {
        try client.call("POST", "/v1/sessions" + query, body, fields)
    }

    // MARK: - Templates

    @Test func `a session begins with a template, as its first revision`() throws {
        let client = try client()
        let answer = try create(client, #"{"id":"s","app":"x","template":"ticket"}"#)
        #expect(answer.status == 201)
        #expect(answer.json.picture == "buy* [fare, payment] help []")
        #expect(answer.json["revision"]?.integer == 1)
        #expect(answer.json["canUndo"] == .bool(false))
        let history = try client.call("GET", "/v1/sessions/s/history").json["history"]
        #expect(history?.array.count == 1)
        #expect(history?[0]?["command"]?.text == #"{"command":"create"}"#)
        #expect(history?[0]?["added"]?.text == #"["e1","e2"]"#)
        let next = try client.command("s", "navigate", #"{"route":"payment"}"#)
        #expect(next.json["added"]?.text == #"["e3"]"#)
        try client.command("s", "undo")
        #expect(try client.command("s", "undo").json["reason"]?.string == "nothing-to-undo")
    }

    @Test func `a template is carried out after the tab is selected`() throws {
        let client = try client()
        let answer = try create(
            client, #"{"app":"x","selectedTab":"help","template":"pay"}"#)
        #expect(answer.json.picture == "buy [] help* [payment]")
        let other = try create(client, #"{"app":"x","template":"paying"}"#)
        #expect(other.json.picture == "buy [] help* [payment] | note []")
        // A path that fits a new session need not fit the tab that the client selects.
        let refused = try create(
            client, #"{"id":"r","app":"x","selectedTab":"help","template":"ticket"}"#)
        #expect(refused.status == 422)
        #expect(refused.problem == "route-not-allowed-here")
        #expect(refused.json["errors"]?[0]?["pointer"]?.string == "/template")
        #expect(refused.json["index"]?.integer == 0)
        #expect(try client.call("GET", "/v1/sessions/r").status == 404)
    }

    @Test func `an unknown template is told with the ones that are near`() throws {
        let client = try client()
        let answer = try create(client, #"{"app":"x","template":"tickets"}"#)
        #expect(answer.status == 404)
        #expect(answer.problem == "template-not-found")
        #expect(answer.json["near"]?.text == #"["ticket"]"#)
        let free = try create(client, #"{"template":"ticket"}"#)
        #expect(free.status == 422)
        #expect(free.json["errors"]?[0]?["pointer"]?.string == "/template")
    }

    private static let many = Array(repeating: #"{"command":"back"}"#, count: 101)
        .joined(separator: ",")

    static let wrong: [(templates: String, pointers: [String])] = [
        ("1", ["/templates"]), (#"{"a b":{"commands":[]}}"#, ["/templates/a b"]),
        (#"{"a":1}"#, ["/templates/a"]), (#"{"a":{}}"#, ["/templates/a/commands"]),
        (#"{"a":{"commands":[]}}"#, ["/templates/a/commands"]),
        (#"{"a":{"commands":[{"command":"back"}],"to":1}}"#, ["/templates/a/to"]),
        (#"{"a":{"commands":[{"command":"bark"}]}}"#, ["/templates/a/commands/0/command"]),
        (#"{"a":{"commands":[{"command":"undo"}]}}"#, ["/templates/a/commands/0/command"]),
        (
            #"{"a":{"commands":[{"command":"back"},{"command":"select"}]}}"#,
            ["/templates/a/commands/1/tab"]
        ),
        (
            #"{"a":{"commands":[{"command":"navigate","route":"nope"}]}}"#,
            ["/templates/a/commands/0/route"]
        ),
        (
            #"{"a":{"commands":[{"command":"navigate","route":"fare","params":{"zone":"C"}}]}}"#,
            ["/templates/a/commands/0/params/zone"]
        ),
        (
            #"{"a":{"commands":[{"command":"select","tab":"z"}]},"b":{"commands":[{"command":"open","url":"/z"}]}}"#,
            ["/templates/a/commands/0", "/templates/b/commands/0"]
        ),
        (
            #"{"a101":{"commands":[\#(many)]}}"#, ["/templates/a101/commands"]
        ),
        (#"{"a":{"commands":[{"command":"back"}]}}"#, []),
    ]

    @Test(arguments: wrong)
    func `an app whose template fails on a new session is refused`(
        _ templates: String, _ pointers: [String]
    ) throws {
        let client = try Client()
        let start = try #require(Self.app.firstRange(of: #""templates""#)?.lowerBound)
        let document = Self.app[..<start] + #""templates":\#(templates)}"#
        let answer = try client.call("PUT", "/v1/apps/x", String(document))
        let found = (answer.json["errors"]?.array ?? []).compactMap { $0["pointer"]?.string }
        #expect(found == pointers)
        #expect(answer.status == (pointers.isEmpty ? 201 : 422))
        let isLimit = templates.contains("a101")
        if !pointers.isEmpty {
            #expect(answer.problem == (isLimit ? "limit-exceeded" : "invalid-app"))
        }
        let dry = try client.call("PUT", "/v1/apps/x?dryRun=true", String(document))
        #expect(dry.json["valid"] == .bool(pointers.isEmpty))
    }

    // MARK: - Facts and guards

    private static let guarded = #"""
        {"facts":{"staff":{"default":false}},
         "guards":{"staff":{"when":{"staff":true},"instead":{"command":"present","route":"login"}}},
         "routes":{"service":{"guard":"staff"},"plain":{},"login":{"presentation":"sheet"}},
         "tabs":[{"id":"a","routes":["service","plain"]},{"id":"b","routes":["plain"]}],
         "templates":{
          "repair":{"commands":[{"command":"navigate","route":"service"}]},
          "allowed":{"commands":[{"command":"setFacts","facts":{"staff":true}},
           {"command":"navigate","route":"service"}]}}}
        """#

    @Test func `guards are ignored when a template is stored, and obeyed when it is used`() throws {
        let client = try client(Self.guarded)
        let refused = try create(client, #"{"id":"s","app":"x","template":"repair"}"#)
        #expect(refused.status == 409)
        #expect(refused.problem == "guarded")
        #expect(refused.json["guard"]?.string == "staff")
        #expect(try client.call("GET", "/v1/sessions/s").status == 404)
        let staff = try create(
            client, #"{"id":"s","app":"x","template":"repair","facts":{"staff":true}}"#)
        #expect(staff.status == 201)
        #expect(staff.json["visible"]?["route"]?.string == "service")
        let own = try create(client, #"{"id":"t","app":"x","template":"allowed"}"#)
        #expect(own.json["facts"]?.text == #"{"staff":true}"#)
        #expect(own.json["revision"]?.integer == 1)
        #expect(own.json.picture == "a* [service] b []")
    }

    @Test func `a copy has the facts of its revision, and nothing under a guard that fails`() throws
    {
        let client = try client(Self.guarded)
        try create(client, #"{"id":"s","app":"x","facts":{"staff":true}}"#)
        try client.command("s", "navigate", #"{"route":"service"}"#)
        try client.command("s", "setFacts", #"{"facts":{"staff":false}}"#)
        let held = try client.command("s", "navigate", #"{"route":"service"}"#)
        #expect(held.json["held"]?.string == "staff")
        let now = try create(client, #"{"copyOf":"s"}"#)
        #expect(now.json["facts"]?.text == #"{"staff":false}"#)
        #expect(now.json["pending"]?["guard"]?.string == "staff")
        #expect(now.json.picture == "a* [] b [] | login []")
        let before = try create(client, #"{"copyOf":"s","revision":2}"#)
        #expect(before.json["facts"]?.text == #"{"staff":true}"#)
        #expect(before.json.picture == "a* [service] b []")
        // The app declares another guard now, under which the copy of the revision has nothing.
        let stricter = Self.guarded.replacing(
            #""when":{"staff":true}"#, with: #""when":{"staff":false}"#)
        #expect(try client.call("PUT", "/v1/apps/x", stricter).status == 200)
        let shut = try create(client, #"{"id":"c","copyOf":"s","revision":2}"#)
        #expect(shut.json.picture == "a* [] b []")
        let history = try client.call("GET", "/v1/sessions/c/history").json["history"]
        #expect(history?[0]?["command"]?["command"]?.string == "create")
    }

    // MARK: - Copies

    private func source(_ client: Client) throws {
        try create(client, #"{"id":"s","app":"x","labels":{"a":"b"},"ttlSeconds":600}"#)
        try client.command("s", "navigate", #"{"route":"fare","params":{"zone":"A"}}"#)
        try client.command("s", "present", #"{"route":"note"}"#)
    }

    @Test func `a copy has the state with its ids, and settings and a history of its own`() throws {
        let client = try client()
        try source(client)
        let answer = try create(client, #"{"copyOf":"s","id":"c","labels":{"c":"d"}}"#)
        #expect(answer.status == 201)
        #expect(answer.json.picture == "buy* [fare] help [] | note []")
        #expect(answer.json["sheets"]?[0]?["id"]?.string == "e2")
        #expect(answer.json["sheets"]?[0]?["presentedBy"]?.string == "e1")
        #expect(answer.json["app"]?.string == "x")
        #expect(answer.json["revision"]?.integer == 1)
        #expect(answer.json["canUndo"] == .bool(false))
        #expect(answer.json["labels"]?.text == #"{"c":"d"}"#)
        #expect(answer.json["ttlSeconds"] == nil)
        let next = try client.command("c", "present", #"{"route":"note"}"#)
        #expect(next.json["added"]?.text == #"["e3"]"#)
        #expect(try client.call("GET", "/v1/sessions/s").json["revision"]?.integer == 3)
    }

    @Test func `a copy may begin with a kept revision`() throws {
        let client = try client()
        try source(client)
        for (revision, picture) in [(1, "buy* [] help []"), (2, "buy* [fare] help []")] {
            let answer = try create(client, #"{"copyOf":"s","revision":\#(revision)}"#)
            #expect(answer.json.picture == picture)
        }
        #expect(try create(client, #"{"copyOf":"s","revision":3}"#).status == 201)
        let gone = try create(client, #"{"copyOf":"s","revision":4}"#)
        #expect(gone.status == 410)
        #expect(gone.problem == "revision-gone")
        let missing = try create(client, #"{"copyOf":"t"}"#)
        #expect(missing.status == 404)
        #expect(missing.problem == "session-not-found")
        #expect(try create(client, #"{"copyOf":"s","id":"s"}"#).status == 409)
        client.store.forget()
        #expect(try create(client, #"{"copyOf":"s","revision":2}"#).status == 201)
    }

    @Test(arguments: ["app", "tabs", "selectedTab", "tabBack", "facts", "template"])
    func `what a copy has from the other session is not named beside it`(_ name: String) throws {
        let client = try client()
        try source(client)
        let value = ["tabs": #"["a"]"#, "facts": "{}", "tabBack": #""none""#][name] ?? #""x""#
        let answer = try create(client, #"{"copyOf":"s","\#(name)":\#(value)}"#)
        #expect(answer.status == 422)
        let found = (answer.json["errors"]?.array ?? []).compactMap { $0["pointer"]?.string }
        #expect(found.contains("/" + name))
        let alone = try create(client, #"{"app":"x","revision":1}"#)
        #expect(alone.json["errors"]?[0]?["pointer"]?.string == "/revision")
    }

    @Test func `a copy fits its app as it is now`() throws {
        let client = try client()
        try source(client)
        let less =
            #"{"routes":{"note":{"presentation":"sheet"}},"tabs":[{"id":"help"},{"id":"new"}]}"#
        #expect(try client.call("PUT", "/v1/apps/x", less).status == 200)
        let answer = try create(client, #"{"copyOf":"s","id":"c"}"#)
        #expect(answer.json.picture == "help* [] new []", "the sheet goes with its presenter")
        let history = try client.call("GET", "/v1/sessions/c/history").json["history"]
        #expect(history?[0]?["command"]?.text == #"{"command":"create"}"#)
        #expect(
            try client.command("c", "select", #"{"tab":"new"}"#).json["session"]?["revision"]?
                .integer == 2)
    }

    @Test func `a copy is not shown before what it copies is durable`() throws {
        let client = try client()
        try create(client, #"{"id":"s","app":"x"}"#)
        client.store.isInstant = false
        let change = try client.command("s", "navigate", #"{"route":"payment"}"#)
        let dry = try create(client, #"{"copyOf":"s"}"#, query: "?dryRun=true")
        #expect(dry.json.picture == "buy* [payment] help []")
        #expect(dry.visibleAfter == change.visibleAfter)
        #expect(try create(client, #"{"copyOf":"s"}"#).visibleAfter > change.visibleAfter)
    }

    @Test func `a creation with a key is answered as the first one was`() throws {
        let client = try client()
        try source(client)
        let key = ["Idempotency-Key": "k"]
        let first = try create(client, #"{"copyOf":"s"}"#, key)
        try client.command("s", "back")
        let second = try create(client, #"{"copyOf":"s"}"#, key)
        #expect(first.text == second.text)
    }
}
