import API
import JSON
import Navigation
import Sessions
import Testing

/// An object in objects, so many of them in all.
private func nested(_ count: Int) -> String {
    String(repeating: #"{"a":"#, count: count - 1) + "{}" + String(repeating: "}", count: count - 1)
}

@Suite struct StoredTextTests {
    @Test func `params with the maximum nesting can be read by every operation`() throws {
        let client = try Client()
        try client.call("POST", "/v1/sessions", #"{"id":"a","app":null}"#)
        try client.call("POST", "/v1/sessions", #"{"id":"a"}"#)
        let deep = #"{"route":"x","params":\#(nested(63))}"#
        let body = #"{"commands":[{"command":"navigate","route":"x","params":\#(nested(61))}]}"#
        for (command, body) in [("navigate", deep), ("present", deep), ("batch", body)] {
            let key = ["Idempotency-Key": command]
            let first = try client.command("a", command, body, key)
            #expect(first.status == 200, "\(first.text.prefix(300))")
            #expect(try client.command("a", command, body, key).text == first.text)
        }
        for target in ["", "?limit=1", "/a", "/a/history", "/a/allowed", "/a?revision=3"] {
            #expect(try client.call("GET", "/v1/sessions\(target)").status == 200)
        }
        let state = try client.call("GET", "/v1/sessions/a").text
        #expect(try client.command("a", "undo", #"{"count":9}"#).status == 200)
        #expect(try client.command("a", "redo", #"{"count":9}"#).status == 200)
        #expect(try client.call("PUT", "/v1/sessions/a", state).status == 200)
        let deeper = state.replacing(nested(63), with: nested(64))
        #expect(try client.call("PUT", "/v1/sessions/a", deeper).problem == "malformed-json")
    }

    /// A record that somebody has written into the log.
    private func forge(
        _ client: Client, state: String? = nil, event: String? = nil, nextEntry: Int? = nil,
        change: (inout SessionRecord) -> Void = { _ in }
    ) throws {
        var record = try #require(try client.store.newest("a")).record
        record.revision += 1
        record.key = IdempotencyKey(key: "k", digest: 0)
        if let state { record.state = Array(state.utf8) }
        if let event { record.event = Array(event.utf8) }
        if let nextEntry { record.nextEntry = nextEntry }
        change(&record)
        try client.store.put(record)
    }

    private func client() throws -> Client {
        let client = try Client()
        for id in ["0", "a", "z"] { try client.call("POST", "/v1/sessions", #"{"id":"\#(id)"}"#) }
        return client
    }

    @Test(arguments: [
        "{", "null", "[]", "{}", #"{"tabs":[],"sheets":[]}"#,
        #"{"selectedTab":"y","tabs":[{"id":"x","path":[]}],"sheets":[]}"#,
        #"{"ttlSeconds":9223372036854775807,"selectedTab":"x","tabs":[{"id":"x"}],"sheets":[]}"#,
        #"{"selectedTab":"x","tabs":[{"id":"x","path":[{"id":"e","route":"r"}]}],"sheets":[]}"#,
        #"{"selectedTab":"x","tabs":[{"id":"x","badge":-1,"path":[]}],"sheets":[]}"#,
    ])
    func `an unreadable record is answered with 500 and logged`(state: String) throws {
        let client = try client()
        var lines: [String] = []
        client.service.environment.reportUnreadable = { lines.append($0) }
        try forge(client, state: state)
        for command in ["back", "undo", "redo"] {
            let answer = try client.command("a", command)
            #expect(answer.status == 500)
            #expect(answer.problem == "internal-error")
        }
        #expect(try client.call("PATCH", "/v1/sessions/a", #"{"ttlSeconds":60}"#).status == 500)
        #expect(try client.call("GET", "/v1/sessions/a/allowed").status == 500)
        #expect(lines.count == 5)
        #expect(lines.first?.contains("record 4 is not a session") == true)
        let list = try client.call("GET", "/v1/sessions").json["sessions"]?.array ?? []
        let shown = list.compactMap { $0["id"]?.string }
        #expect(shown == ["0", "z"])
        #expect(try client.call("GET", "/v1/sessions/a/history").status == 200)
        #expect(try client.call("DELETE", "/v1/sessions/a").status == 204)
    }

    /// A line without a state is no record.
    @Test func `a session whose record is damaged is named in the list and can be deleted`() throws
    {
        let client = try client()
        try forge(client, state: "")
        client.store.forget()
        for command in ["back", "undo", "redo"] {
            #expect(try client.command("a", command).problem == "store-unavailable")
        }
        let list = try client.call("GET", "/v1/sessions").json
        #expect(list["sessions"]?.array.compactMap { $0["id"]?.string } == ["0", "z"])
        #expect(list["damaged"]?.text == #"["a"]"#)
        #expect(try client.call("DELETE", "/v1/sessions/a").status == 204)
    }

    /// The highest number that a line of the log can hold.
    private static let numberMax: Int64 = 1 << 53 - 1

    @Test(arguments: ["at", "the first time", "nextEntry", "too high a nextEntry"])
    func `a record whose numbers leave no room for a change is unreadable`(
        _ number: String
    ) throws {
        let client = try client()
        try client.command("a", "navigate", #"{"route":"r"}"#)
        try client.call("PATCH", "/v1/sessions/a", #"{"ttlSeconds":3155760000}"#)
        try forge(client) { record in
            switch number {
            case "at": record.at = Self.numberMax
            case "the first time": record.at = -Self.numberMax
            case "nextEntry": record.nextEntry = Int(Self.numberMax)
            default: record.nextEntry = EntryID.numberMax + 2
            }
        }
        let commands = [
            ("navigate", #"{"route":"r"}"#), ("present", #"{"route":"r"}"#), ("back", "{}"),
            ("undo", "{}"),
        ]
        for (command, body) in commands {
            #expect(try client.command("a", command, body).problem == "internal-error")
        }
        let state = #"{"tabs":[{"id":"main","path":[{"route":"r"}]}]}"#
        #expect(try client.call("PUT", "/v1/sessions/a", state).problem == "internal-error")
        #expect(try client.call("GET", "/v1/sessions/a/history").status == 200)
        #expect(try client.call("DELETE", "/v1/sessions/a").status == 204)
    }

    @Test func `a session that has used up its entry ids can still be changed without them`()
        throws
    {
        let client = try client()
        try forge(client, nextEntry: EntryID.numberMax + 1)
        for (command, body) in [
            ("navigate", #"{"route":"r"}"#), ("present", #"{"route":"r"}"#),
            ("setPath", #"{"in":"main","path":[{"route":"r"}]}"#),
        ] {
            #expect(try client.command("a", command, body).problem == "limit-exceeded")
        }
        let state = #"{"tabs":[{"id":"main","path":[{"route":"r"}]}]}"#
        #expect(try client.call("PUT", "/v1/sessions/a", state).problem == "limit-exceeded")
        #expect(try client.command("a", "setBadge", #"{"tab":"main","badge":1}"#).status == 200)
    }

    @Test func `an unreadable undo step is answered with 500, and other steps still work`() throws {
        let client = try client()
        var record = try #require(try client.store.newest("a")).record
        try forge(client, state: "{}")
        record.revision = 3
        record.undoing = UndoStacks(steps: 2, before: 3)
        try client.store.put(record)
        #expect(try client.command("a", "undo").problem == "internal-error")
        let answer = try client.command("a", "undo", #"{"count":2}"#)
        #expect(answer.json["undone"]?.integer == 2)
    }

    @Test(arguments: ["", "[]", "{", "null", #"{"added":"#])
    func `history ends at an event that is not an object`(event: String) throws {
        let client = try client()
        try client.command("a", "navigate", #"{"route":"x"}"#)
        try forge(client, event: event)
        try client.command("a", "navigate", #"{"route":"y"}"#)
        let history = try client.call("GET", "/v1/sessions/a/history")
        #expect(history.json["history"]?.array.count == 1)
        #expect(history.json["next"] == nil)
    }

    @Test func `of a name that stored params have twice the last value counts`() throws {
        let client = try client()
        let state =
            #"{"selectedTab":"x","tabs":[{"id":"x","path":[{"id":"e1","route":"r","#
            + #""params":{"a":1,"b":2,"a":3}}]}],"sheets":[]}"#
        try forge(client, state: state, nextEntry: 2)
        let answer = try client.command("a", "setParams", #"{"entry":"e1","params":{"c":4}}"#)
        let entry = answer.session["tabs"]?[0]?["path"]?[0]
        #expect(entry?["params"]?.text == #"{"a":3,"b":2,"c":4}"#)
    }
}

@Suite struct StoredAppTests {
    private let document = #"{"id":"x","routes":{"r":{}},"tabs":[{"id":"t","routes":["r"]}]}"#

    @Test func `an app that was stored under other limits is still valid`() throws {
        var options = ServiceOptions()
        options.limits.tabsMax = 40
        options.limits.pathDepthMax = 300
        options.limits.nestingMax = 200
        let client = try Client(options: options)
        let tabs = (1...40).map { #"{"id":"t\#($0)","routes":["r"]}"# }.joined(separator: ",")
        let path = Array(repeating: #""r""#, count: 300).joined(separator: ",")
        let params = #"{"const":\#(nested(190))}"#
        let stored = try client.call(
            "PUT", "/v1/apps/x",
            #"{"routes":{"r":{},"s":{"presentation":"sheet","params":\#(params)}},"tabs":[\#(tabs)],"#
                + #""links":[{"pattern":"/all","tab":"t1","path":[\#(path)]}]}"#)
        #expect(stored.status == 201, "\(stored.text.prefix(500))")
        try client.call("POST", "/v1/sessions", #"{"id":"a","app":"x"}"#)
        let later = Client(over: client.store)
        #expect(later.service.invalidApps.isEmpty)
        #expect(try later.command("a", "navigate", #"{"route":"r"}"#).status == 200)
        #expect(try later.call("GET", "/v1/apps/x/resolve?url=/all").status == 200)
        later.service.storeWentBack()
        #expect(try later.command("a", "navigate", #"{"route":"r"}"#).status == 200)
    }

    @Test func `an app document is within the limits with its id`() throws {
        /// With so many values, the document's own among them.
        func document(_ values: Int, id: String) -> String {
            // Seven values with the app itself, and two for the list and its route.
            let ones = Array(repeating: "1", count: values - 11).joined(separator: ",")
            return
                #"{\#(id)"tabs":[{"id":"t","routes":["r"]}],"routes":{"r":{"params":{"enum":[\#(ones)]}}}}"#
        }
        let client = try Client()
        func put(_ text: String, _ query: String = "") throws -> Client.Answer {
            try client.call("PUT", "/v1/apps/x\(query)", text)
        }
        var most = 100_011
        while try put(document(most, id: "")).problem == "malformed-json" { most -= 1 }
        let refused = try put(document(most, id: ""))
        #expect(refused.problem == "invalid-app")
        #expect(refused.json["errors"]?[0]?["pointer"]?.string == "/id")
        #expect(try put(document(most, id: ""), "?dryRun=true").json["valid"] == .bool(false))
        #expect(try put(document(most - 1, id: "")).status == 201)
        let text = try client.call("GET", "/v1/apps/x").text
        #expect(try put(text).status == 200)
        #expect(try put(document(most - 1, id: #""id":"x","#)).status == 200)
        #expect(Client(over: client.store).service.invalidApps.isEmpty)
    }

    @Test(arguments: ["", "null", "{}", #"{"tabs":[]}"#, #"{"id":"y","tabs":[{"id":"t"}]}"#])
    func `an invalid stored app affects its own sessions only, until it is stored again`(
        forged: String
    ) throws {
        let client = try Client()
        try client.call("PUT", "/v1/apps/x", document)
        try client.call("POST", "/v1/sessions", #"{"id":"a","app":"x"}"#)
        try client.command("a", "navigate", #"{"route":"r"}"#)
        try client.call("POST", "/v1/sessions", #"{"id":"free"}"#)
        _ = try client.store.parts.writing.putApps(
            [(id: AppID(trusted: "x"), text: Array(forged.utf8))], at: client.now)
        let later = Client(over: client.store)
        #expect(later.service.invalidApps.map(\.id.rawValue) == ["x"])
        #expect(later.service.invalidApps.first?.faults.isEmpty == false)
        later.service.storeWentBack()
        #expect(try later.call("GET", "/v1/sessions/a").session.picture == "t* [r]")
        #expect(try later.call("GET", "/v1/sessions").json["sessions"]?.array.count == 2)
        #expect(try later.call("GET", "/v1/apps").json["apps"]?.array.count == 1)
        #expect(try later.call("GET", "/v1/apps/x").text == forged)
        #expect(try later.command("free", "navigate", #"{"route":"r"}"#).status == 200)
        for (method, target) in [
            ("POST", "/v1/sessions/a/back"), ("GET", "/v1/sessions/a/allowed"),
            ("GET", "/v1/apps/x/resolve?url=/r"),
        ] {
            let answer = try later.call(method, target)
            #expect(answer.problem == "internal-error")
            #expect(answer.json["detail"]?.string?.contains("PUT") == true)
        }
        let created = try later.call("POST", "/v1/sessions", #"{"app":"x"}"#)
        #expect(created.problem == "internal-error")
        #expect(try later.call("PUT", "/v1/apps/x", document).status == 200)
        #expect(try later.command("a", "back").session.picture == "t* []")
    }

    /// Apps that an earlier version accepted and this one would not.
    @Test(arguments: [
        (
            "a link that leaves a required param unset",
            #"{"routes":{"r":{"params":{"allOf":[{"required":["n"]}],"properties":{"n":{}}}}},"#
                + #""tabs":[{"id":"t","routes":["r"]}],"links":[{"pattern":"/r","path":["r"]},"#
                + #"{"pattern":"/r/{n}","path":[{"route":"r","params":{"n":"{n}"}}]}]}"#
        ),
        (
            "a link that captures into a param which no text can become",
            #"{"routes":{"r":{"params":{"properties":{"o":{"type":"object"}}}}},"#
                + #""tabs":[{"id":"t","routes":["r"]}],"links":["#
                + #"{"pattern":"/r/{n}","path":[{"route":"r","params":{"n":"{n}"}}]},"#
                + #"{"pattern":"/o/{o}","path":[{"route":"r","params":{"o":"{o}"}}]}]}"#
        ),
        (
            "a default that its schema refuses",
            #"{"routes":{"r":{"params":{"properties":{"n":{"type":"string"},"#
                + #""m":{"type":"integer","default":"?"}}}}},"tabs":[{"id":"t","routes":["r"]}],"#
                + #""links":[{"pattern":"/r/{n}","path":[{"route":"r","params":{"n":"{n}","m":1}}]}]}"#
        ),
    ])
    func `sessions of a stored app that this version would refuse can be used`(
        _ rule: String, _ old: String
    ) throws {
        let client = try Client()
        try client.call("PUT", "/v1/apps/x", document)
        try client.call("POST", "/v1/sessions", #"{"id":"a","app":"x"}"#)
        _ = try client.store.parts.writing.putApps(
            [(id: AppID(trusted: "x"), text: Array(old.utf8))], at: client.now)
        let later = Client(over: client.store)
        #expect(later.service.invalidApps.isEmpty)
        let params = #"{"route":"r","params":{"n":"1","m":2}}"#
        #expect(try later.command("a", "navigate", params).session.picture == "t* [r]")
        #expect(try later.command("a", "open", #"{"url":"/r/7"}"#).session.picture == "t* [r]")
        #expect(try later.call("GET", "/v1/sessions/a/allowed").status == 200)
        #expect(try later.call("POST", "/v1/sessions", #"{"app":"x"}"#).status == 201)
        later.service.storeWentBack()
        #expect(try later.command("a", "back").status == 200)
        let refused = try later.call("PUT", "/v1/apps/x", old)
        #expect(refused.problem == "invalid-app")
        #expect(refused.json["errors"]?.array.isEmpty == false)
        #expect(try later.command("a", "navigate", params).status == 200)
    }

    @Test func `a session whose app is missing is not treated as a free-form session`() throws {
        let client = try Client()
        try client.call("PUT", "/v1/apps/x", document)
        try client.call("POST", "/v1/sessions", #"{"id":"a","app":"x"}"#)
        _ = try client.store.parts.writing.deleteApp(AppID(trusted: "x"), at: client.now)
        let later = Client(over: client.store)
        #expect(try later.command("a", "navigate", #"{"route":"any"}"#).problem == "app-not-found")
        #expect(try later.call("GET", "/v1/sessions/a").status == 200)
        #expect(try later.call("DELETE", "/v1/sessions/a").status == 204)
    }
}
