import API
import HTTP
import JSON
import Navigation
import Sessions
import Testing

/// The tools and resources of `/mcp`, which have the checks and the problems of the API.
@Suite struct AgentToolTests {
    private static let app = #"""
        {"title":"Shop","routes":{"item":{"params":{"type":"object","required":["id"],
           "properties":{"id":{"type":"integer"}}}},"help":{"presentation":"sheet"}},
         "tabs":[{"id":"shop","routes":["item"]},{"id":"more"}]}
        """#

    private func client() throws -> Client {
        let client = try Client()
        #expect(try client.call("PUT", "/v1/apps/shop", Self.app).status == 201)
        return client
    }

    static let commands = CommandName.allCases.map(\.rawValue)
    static let names =
        ["listSessions", "createSession", "readSession", "allowed"] + commands
        + ["waitForChange", "listApps", "readApp"]

    // MARK: - The list

    @Test(arguments: Agent.revisions)
    func `every tool is listed with a schema and hints`(_ revision: String) throws {
        let agent = Agent(client: try client(), revision: revision)
        #expect(try agent.tools() == Self.names)
        for tool in try agent.request("tools/list").json["result"]?["tools"]?.array ?? [] {
            #expect(tool["inputSchema"]?["type"] == .string("object"))
            #expect(tool["description"]?.string?.isEmpty == false)
            guard case .object(let hints)? = tool["annotations"] else {
                Issue.record("no annotations")
                continue
            }
            #expect(
                Set(hints.members.map(\.key))
                    == ["readOnlyHint", "destructiveHint", "idempotentHint"])
        }
        let answer = try agent.request("tools/list", #""cursor":"x""#)
        #expect(answer.code == -32602)
    }

    @Test func `a token is told of the tools that it may use`() throws {
        let client = try Client.guarded(by: "owner admin\nhand control\neye read\n")
        let session = ["readSession", "allowed", "waitForChange"]
        let reads = ["listSessions"] + session + ["listApps", "readApp"]
        func tools(_ fields: [String: String]) throws -> [String] {
            try Agent(client: client, fields: fields).tools()
        }
        #expect(try tools(bearer("owner")) == Self.names)
        #expect(try tools(bearer("hand")) == Self.names)
        #expect(try tools(bearer("eye")) == Self.names.filter(reads.contains))
        #expect(try tools(client.reader(of: "a")) == session)
        let made = try client.call(
            "POST", "/v1/sessions/a/tokens", #"{"scope":"control"}"#, bearer("owner"))
        let token = made.json["token"]?.string ?? ""
        #expect(
            try tools(bearer(token)) == Self.names.filter((session + Self.commands).contains))
        let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        #expect(try Agent(client: client).send(ping).status == 401)
        #expect(try Agent(client: client).send(ping, bearer("else")).status == 401)
    }

    // MARK: - Calls

    @Test(arguments: Agent.revisions)
    func `a call answers what the URL answers`(_ revision: String) throws {
        let client = try client()
        let agent = Agent(client: client, revision: revision)
        let made = try agent.value("createSession", #"{"id":"s","app":"shop"}"#)
        #expect(made == (try client.call("GET", "/v1/sessions/s").json))
        let allowed = try agent.value("allowed", #"{"session":"s"}"#)
        #expect(allowed == (try client.call("GET", "/v1/sessions/s/allowed").json))
        #expect(allowed["push"]?[0]?["params"]?["required"]?.text == #"["id"]"#)
        let result = try agent.call(
            "navigate", #"{"session":"s","route":"item","params":{"id":9007199254740993}}"#)
        let pushed = try Agent.body(of: result)
        #expect(pushed["changed"] == .bool(true))
        #expect(pushed["session"] == (try client.call("GET", "/v1/sessions/s").json))
        #expect(pushed["session"]?["visible"]?["params"]?.text == #"{"id":9007199254740993}"#)
        #expect(result["structuredContent"] == pushed)
        let again = try agent.value("readSession", #"{"session":"s","revision":1}"#)
        #expect(again["revision"]?.integer == 1)
        let list = try agent.value("listSessions", #"{"q":"s","app":"shop","limit":1}"#)
        #expect(list["sessions"]?.array.count == 1)
        #expect(try agent.value("listApps")["apps"]?[0]?["id"] == .string("shop"))
        #expect(try agent.value("readApp", #"{"app":"shop"}"#)["title"] == .string("Shop"))
    }

    @Test func `sessions are found by their labels`() throws {
        let agent = Agent(client: try client())
        try agent.value("createSession", #"{"id":"a","labels":{"room":"a & b","floor":"1"}}"#)
        try agent.value("createSession", #"{"id":"b","labels":{"room":"a & b"}}"#)
        func ids(_ labels: String) throws -> [String?] {
            let list = try agent.value("listSessions", #"{"label":\#(labels)}"#)
            return (list["sessions"]?.array ?? []).map { $0["id"]?.string }
        }
        #expect(try ids(#"["room:a & b"]"#) == ["a", "b"])
        #expect(try ids(#"["room:a & b","floor:1"]"#) == ["a"])
        let page = try agent.value("listSessions", #"{"limit":1}"#)
        #expect(page["next"] == .string("a"))
        let next = try agent.value("listSessions", #"{"cursor":"a"}"#)
        #expect(next["sessions"]?.array.count == 1)
    }

    static let refusals: [(tool: String, arguments: String, problem: String, place: String)] = [
        ("readSession", "{}", "invalid-request", "/session"),
        ("readSession", #"{"session":7}"#, "invalid-request", "/session"),
        ("readSession", #"{"session":""}"#, "invalid-request", "/session"),
        ("readSession", #"{"session":"a/b"}"#, "invalid-request", "/session"),
        ("readSession", #"{"session":"s","x":1}"#, "invalid-request", "/x"),
        ("readSession", #"{"session":"s","revision":0}"#, "invalid-request", "/revision"),
        ("readSession", #"{"session":"s","revision":9}"#, "revision-gone", ""),
        ("readSession", #"{"session":"nobody"}"#, "session-not-found", ""),
        ("allowed", #"{"session":"s","route":"item"}"#, "invalid-request", "/route"),
        ("navigate", #"{"route":"item"}"#, "invalid-request", "/session"),
        ("navigate", #"{"session":"s"}"#, "invalid-request", "/route"),
        ("navigate", #"{"session":"s","route":"itme"}"#, "unknown-route", "/route"),
        ("navigate", #"{"session":"s","route":"help"}"#, "route-not-allowed-here", "/route"),
        ("navigate", #"{"session":"s","route":"item"}"#, "invalid-params", "/params/id"),
        ("navigate", #"{"session":"s","route":"item","to":1}"#, "invalid-request", "/to"),
        ("createSession", #"{"id":"s"}"#, "session-exists", ""),
        ("createSession", #"{"app":"shpo"}"#, "app-not-found", ""),
        ("waitForChange", #"{"session":"s"}"#, "invalid-request", "/revision"),
        (
            "waitForChange", #"{"session":"s","revision":1,"seconds":61}"#, "invalid-request",
            "/seconds"
        ),
        ("listApps", #"{"app":"shop"}"#, "invalid-request", "/app"),
        ("readApp", "{}", "invalid-request", "/app"),
        ("readApp", #"{"app":"shpo"}"#, "app-not-found", ""),
        ("listSessions", #"{"limit":0}"#, "invalid-request", "/limit"),
        ("listSessions", #"{"label":["x"]}"#, "invalid-request", ""),
        ("batch", #"{"session":"s","commands":[{"command":"undo"}]}"#, "invalid-request", ""),
    ]

    @Test(arguments: refusals)
    func `a refused call has the problem, so that it can be corrected`(
        _ tool: String, _ arguments: String, _ kind: String, _ place: String
    ) throws {
        let agent = Agent(client: try client())
        try agent.value("createSession", #"{"id":"s","app":"shop"}"#)
        let problem = try agent.problem(tool, arguments)
        #expect(problem["type"] == .string("/problems/" + kind), "\(problem.text)")
        #expect(problem["detail"]?.string?.isEmpty == false)
        if !place.isEmpty {
            #expect(problem["errors"]?[0]?["pointer"] == .string(place))
        }
        #expect(try agent.value("readSession", #"{"session":"s"}"#)["revision"]?.integer == 1)
    }

    @Test func `what names no tool, or has no arguments, is an error`() throws {
        let agent = Agent(client: try client())
        let misspelled = try agent.request("tools/call", #""name":"navigat""#)
        #expect(misspelled.code == -32602)
        #expect(misspelled.text.contains("did you mean navigate?"))
        for params in ["", #""name":7"#, #""name":"listApps","arguments":[]"#] {
            #expect(try agent.request("tools/call", params).code == -32602)
        }
        #expect(try agent.request("tools/call", #""name":"listApps""#).code == nil)
    }

    @Test func `arguments may nest as deep as a body, and the target is bounded`() throws {
        let agent = Agent(client: try client())
        try agent.value("createSession", #"{"id":"s"}"#)
        func nested(_ depth: Int) -> String {
            let value = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return #"{"session":"s","route":"r","params":{"x":\#(value)}}"#
        }
        // The body and the params are two levels of the 64.
        let deepest = #""name":"navigate","arguments":\#(nested(62))"#
        #expect(try agent.request("tools/call", deepest).text.contains(#""isError":false"#))
        #expect(
            try agent.problem("navigate", nested(63))["type"]
                == .string("/problems/malformed-json"))
        let deeper = #""name":"navigate","arguments":\#(nested(70))"#
        #expect(try agent.request("tools/call", deeper).code == -32700)
        let longest = String(repeating: "q", count: 60_000)
        let found = #""name":"listSessions","arguments":{"q":"\#(longest)"}"#
        #expect(!(try agent.request("tools/call", found).text.contains("uri-too-long")))
        let long = String(repeating: "q", count: 70_000)
        #expect(
            try agent.problem("listSessions", #"{"cursor":"\#(long)"}"#)["type"]
                == .string("/problems/uri-too-long"))
    }

    @Test func `a token is checked for each call, and a change has its name`() throws {
        let client = try Client.guarded(by: "owner admin\nhand control remote\neye read\n")
        let eye = Agent(client: client, fields: bearer("eye"))
        #expect(
            try eye.problem("navigate", #"{"session":"a","route":"r"}"#)["type"]
                == .string("/problems/forbidden"))
        let guest = Agent(client: client, fields: try client.reader(of: "a"))
        try guest.value("readSession", #"{"session":"a"}"#)
        #expect(
            try guest.problem("readSession", #"{"session":"b"}"#)["type"]
                == .string("/problems/forbidden"))
        let hand = Agent(client: client, fields: bearer("hand"))
        try hand.value("navigate", #"{"session":"a","route":"r"}"#)
        let history = try client.call("GET", "/v1/sessions/a/history", nil, bearer("owner"))
        #expect(history.json["history"]?[0]?["by"] == .string("remote"))
    }

    @Test func `a repeated call with the same key changes nothing again`() throws {
        let client = try client()
        let agent = Agent(client: client, fields: ["Idempotency-Key": "k"])
        try Agent(client: client).value("createSession", #"{"id":"s"}"#)
        let arguments = #"{"session":"s","route":"r"}"#
        let first = try agent.value("navigate", arguments)
        #expect(try agent.value("navigate", arguments) == first)
        #expect(
            try agent.problem("navigate", #"{"session":"s","route":"q"}"#)["type"]
                == .string("/problems/idempotency-key-reused"))
    }

    // MARK: - Resources

    @Test func `sessions and apps are resources`() throws {
        let client = try client()
        for number in 100..<205 {
            try client.call("POST", "/v1/sessions", #"{"id":"s\#(number)","app":"shop"}"#)
        }
        let agent = Agent(client: client)
        let first = try agent.request("resources/list").json["result"]
        #expect(first?["resources"]?[0]?["uri"] == .string("navstate://apps/shop"))
        #expect(first?["resources"]?[0]?["title"] == .string("Shop"))
        #expect(first?["resources"]?.array.count == 101)
        #expect(first?["nextCursor"] == .string("s199"))
        let second = try agent.request("resources/list", #""cursor":"s199""#).json["result"]
        #expect(second?["resources"]?.array.count == 5)
        #expect(second?["resources"]?[0]?["uri"] == .string("navstate://sessions/s200"))
        #expect(second?["nextCursor"] == nil)
        #expect(try agent.request("resources/list", #""cursor":"/""#).code == -32602)
        let templates = try agent.request("resources/templates/list").json["result"]
        #expect(
            templates?["resourceTemplates"]?.array.map { $0["uriTemplate"]?.string } == [
                "navstate://sessions/{id}", "navstate://apps/{app}",
            ])
        #expect(try agent.request("resources/templates/list", #""cursor":"""#).code == -32602)
        for (uri, url) in [
            ("navstate://sessions/s100", "/v1/sessions/s100"),
            ("navstate://sessions/s%31%300", "/v1/sessions/s100"),
            ("navstate://apps/shop", "/v1/apps/shop"),
        ] {
            let read = try agent.request("resources/read", #""uri":"\#(uri)""#)
            let contents = read.json["result"]?["contents"]?[0]
            #expect(contents?["mimeType"] == .string("application/json"))
            #expect(contents?["text"]?.string == (try client.call("GET", url).text))
        }
    }

    @Test(arguments: Agent.revisions)
    func `a resource that is not there is an error`(_ revision: String) throws {
        let agent = Agent(client: try client(), revision: revision)
        let isStateless = revision == Agent.stateless
        for uri in [
            "navstate://sessions/none", "navstate://apps/none", "navstate://sessions/a/b",
            "navstate://sessions/", "navstate://sessions/%", "http://localhost/", "",
        ] {
            let answer = try agent.request("resources/read", #""uri":"\#(uri)""#, name: uri)
            #expect(answer.code == (isStateless ? -32602 : -32002), "\(uri)")
            #expect(answer.status == (isStateless ? 400 : 200))
            #expect(answer.json["error"]?["data"]?["uri"] == .string(uri))
        }
        #expect(try agent.request("resources/read").code == -32602)
    }

    @Test func `a token of a session has this session as its resource`() throws {
        let client = try Client.guarded(by: "owner admin\n")
        let guest = Agent(client: client, fields: try client.reader(of: "b"))
        func read(_ uri: String) throws -> Client.Answer {
            try guest.request("resources/read", #""uri":"\#(uri)""#)
        }
        let list = try guest.request("resources/list").json["result"]?["resources"]?.array
        #expect(list?.map { $0["uri"]?.string } == ["navstate://sessions/b"])
        let templates = try guest.request("resources/templates/list").json["result"]
        #expect(templates?["resourceTemplates"]?.array.count == 1)
        #expect(try read("navstate://sessions/b").code == nil)
        #expect(try read("navstate://sessions/a").code == -32602)
        #expect(
            try read("navstate://apps/x").json["error"]?["data"]?["problem"]?["status"]?.integer
                == 403)
    }
}
