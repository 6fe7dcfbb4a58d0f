import API
import HTTP
import JSON
import Navigation
import TestSupport
import Testing

/// Tokens that may send some commands and show some routes only.
@Suite struct LimitedTokenTests {
    private static let app = #"""
        {"facts":{"staff":{"default":false}},"guards":{"staff":{"when":{"staff":true}}},
         "groups":{"people":["list","detail"]},
         "routes":{"home":{},"list":{},"detail":{},"talk":{},"vault":{"guard":"staff"},
                   "ask":{"presentation":"any","routes":["talk"]}},
         "tabs":[{"id":"t","root":"home","routes":["@people","talk","vault"]},
                 {"id":"u","routes":["talk"]}],
         "links":[{"pattern":"/u","tab":"u"},{"pattern":"/talk","tab":"u","path":["talk"]},
                  {"pattern":"/list","path":["list"]},{"pattern":"/vault","path":["vault"]}],
         "templates":{"talking":{"commands":[{"command":"navigate","route":"talk"}]},
                      "listing":{"commands":[{"command":"navigate","route":"list"}]}}}
        """#

    /// A server with the sessions s and r of the app, and a free-form one, f.
    let client: Client

    init() throws {
        client = try Client.guarded(
            by: """
                reader read
                controller control
                owner admin root
                robot control robot commands=navigate,back,create routes=@people
                pusher control commands=navigate
                shower control routes=list,@people
                """)
        #expect(try client.call("PUT", "/v1/apps/x", Self.app, bearer("owner")).status == 201)
        for body in [#"{"id":"s","app":"x"}"#, #"{"id":"r","app":"x"}"#, #"{"id":"f"}"#] {
            try client.call("POST", "/v1/sessions", body, bearer("owner"))
        }
    }

    private func make(_ limits: String, of id: String = "s") throws -> Client.Answer {
        try client.call(
            "POST", "/v1/sessions/\(id)/tokens", #"{"scope":"control",\#(limits)}"#,
            bearer("owner"))
    }

    private func token(_ limits: String, of id: String = "s") throws -> [String: String] {
        bearer(try #require(try make(limits, of: id).json["token"]?.string))
    }

    // MARK: - Making tokens

    @Test func `a token is shown with its lists, which lose repeats`() throws {
        let made = try make(
            #""name":"n","commands":["back","navigate","back"],"routes":["@people","talk","talk"]"#)
        #expect(made.status == 201)
        #expect(made.json["commands"]?.text == #"["back","navigate"]"#)
        #expect(made.json["routes"]?.text == #"["@people","talk"]"#)
        let listed = try client.call("GET", "/v1/sessions/s/tokens", nil, bearer("robot"))
        #expect(listed.json["tokens"]?[0]?["commands"]?.text == #"["back","navigate"]"#)
        #expect(listed.json["tokens"]?[0]?["routes"]?.text == #"["@people","talk"]"#)
        let plain = try client.call(
            "POST", "/v1/sessions/s/tokens", #"{"scope":"control"}"#, bearer("owner"))
        #expect(plain.json["commands"] == nil && plain.json["routes"] == nil)
    }

    @Test(arguments: [
        (#""commands":[]"#, "/commands"), (#""routes":[]"#, "/routes"),
        (#""commands":["fly"]"#, "/commands/0"), (#""commands":["back","create"]"#, "/commands/1"),
        (#""commands":[1]"#, "/commands/0"), (#""commands":"back""#, "/commands"),
        (#""commands":null"#, "/commands"), (#""routes":["@nobody"]"#, "/routes/0"),
        (#""routes":["list","nothing"]"#, "/routes/1"), (#""routes":["people"]"#, "/routes/0"),
        (#""routes":["@"]"#, "/routes/0"), (#""routes":[{}]"#, "/routes/0"),
    ])
    func `what cannot be a limit is refused`(_ limits: String, _ pointer: String) throws {
        let refused = try make(limits)
        #expect(refused.status == 422)
        #expect(refused.json["errors"]?[0]?["pointer"]?.string == pointer)
    }

    @Test func `lists are bounded, and are not for reading`() throws {
        let many = (0...64).map { "\"r\($0)\"" }.joined(separator: ",")
        #expect(try make(#""routes":[\#(many)]"#, of: "f").status == 422)
        for member in ["commands", "routes"] {
            let body = #"{"scope":"read","\#(member)":["back"]}"#
            let refused = try client.call(
                "POST", "/v1/sessions/f/tokens", body, bearer("owner"))
            #expect(refused.json["errors"]?[0]?["pointer"]?.string == "/\(member)")
        }
    }

    @Test func `a session without an app knows every route and no group`() throws {
        #expect(try make(#""routes":["anything"]"#, of: "f").status == 201)
        #expect(try make(#""routes":["@people"]"#, of: "f").status == 422)
        #expect(try make(#""routes":["u","alert","@people"]"#).status == 201)
    }

    // MARK: - Commands

    @Test func `commands that are not listed are 403 before the session is looked at`() throws {
        let token = try token(#""commands":["navigate","back"]"#)
        let refused = try client.command("s", "root", "{}", token)
        #expect(refused.status == 403 && refused.problem == "forbidden")
        #expect(
            refused.json["detail"]?.string
                == "This token may send navigate and back, but not root.")
        #expect(refused.json["commands"]?.text == #"["navigate","back"]"#)
        #expect(
            refused.response.value(of: "WWW-Authenticate")?.contains("insufficient_scope") == true)
        #expect(try client.command("s", "navigate", #"{"route":"talk"}"#, token).status == 200)
        // The body is not read, a precondition not checked, and another server's session not found.
        #expect(try client.command("s", "undo", "[", token).status == 403)
        let tag = ["If-Match": "\"x\""].merging(token) { $1 }
        #expect(try client.command("s", "redo", "{}", tag).status == 403)
        #expect(try client.command("none", "root", "{}", bearer("pusher")).status == 403)
        #expect(try client.command("none", "navigate", "{}", bearer("pusher")).status == 404)
    }

    @Test func `each command of a batch counts, and batch itself does not`() throws {
        let token = try token(#""commands":["navigate","back"]"#)
        func batch(_ commands: String, _ id: String = "s") throws -> Client.Answer {
            try client.command(id, "batch", #"{"commands":[\#(commands)]}"#, token)
        }
        let push = #"{"command":"navigate","route":"list"}"#
        #expect(try batch(push + #",{"command":"back"}"#).status == 200)
        #expect(try batch(push + #",{"command":"root"}"#).problem == "forbidden")
        // An item that is no command is refused as ever.
        for item in ["1", "{}", #"{"command":1}"#, #"{"command":"fly"}"#, #"{"command":"batch"}"#] {
            let status = try batch("\(push),\(item)").status
            #expect(status == 422 || status == 403, "\(item)")
        }
        #expect(try client.command("s", "batch", "[]", token).status == 422)
        #expect(
            try client.command(
                "none", "batch", #"{"commands":[{"command":"root"}]}"#, bearer("pusher")
            ).status == 403)
        #expect(try client.call("GET", "/v1/sessions/s").status == 401)
        let session = try client.call("GET", "/v1/sessions/s", nil, token)
        #expect(session.json["revision"]?.integer == 2)
    }

    @Test(arguments: [
        ("PUT", "/v1/sessions/s", "{}"), ("PATCH", "/v1/sessions/s", "{}"),
        ("DELETE", "/v1/sessions/s", nil), ("POST", "/v1/sessions/s/tokens", #"{"scope":"read"}"#),
        ("DELETE", "/v1/sessions/s/tokens/t1", nil), ("PUT", "/v1/apps/x", "{}"),
        ("DELETE", "/v1/apps/x", nil), ("GET", "/v1/backup", nil),
    ])
    func `nothing else can be changed`(
        _ method: String, _ target: String, _ body: String?
    ) throws {
        let ofSession = [
            try token(#""commands":["navigate"]"#), try token(#""routes":["list"]"#),
        ]
        for token in ofSession + [bearer("robot"), bearer("shower")] {
            let refused = try client.call(method, target, body, token)
            #expect(refused.status == 403, "\(token)")
        }
    }

    @Test func `a limited token reads what a read token reads`() throws {
        for token in [bearer("robot"), try token(#""commands":["back"]"#)] {
            for path in ["", "/history", "/allowed", "/watchers", "/steps?from=1"] {
                let answer = try client.call("GET", "/v1/sessions/s\(path)", nil, token)
                #expect(answer.status == 200, "\(path)")
            }
        }
        for path in ["sessions", "apps", "apps/x", "apps/x/impact", "sessions/s/tokens"] {
            #expect(try client.call("GET", "/v1/\(path)", nil, bearer("robot")).status == 200)
        }
    }

    @Test func `without setFacts no facts change in any way`() throws {
        let token = try token(#""commands":["navigate","batch"]"#)
        let facts = #"{"facts":{"staff":true}}"#
        #expect(try client.command("s", "setFacts", facts, token).status == 403)
        let batch = #"{"commands":[{"command":"setFacts","facts":{"staff":true}}]}"#
        #expect(try client.command("s", "batch", batch, token).status == 403)
        let vault = try client.command("s", "navigate", #"{"route":"vault"}"#, token)
        #expect(vault.problem == "guarded")
        let created = try client.call(
            "POST", "/v1/sessions", #"{"app":"x","facts":{"staff":true}}"#, bearer("robot"))
        #expect(created.status == 403)
    }

    // MARK: - Routes

    @Test func `a command that would show another route is 403 and changes nothing`() throws {
        let token = try token(#""routes":["@people"]"#)
        let refused = try client.command("s", "navigate", #"{"route":"talk"}"#, token)
        #expect(refused.status == 403 && refused.problem == "forbidden")
        #expect(
            refused.json["detail"]?.string
                == "This token may show list and detail, but not talk.")
        #expect(refused.json["route"]?.string == "talk")
        #expect(refused.json["routes"]?.text == #"["list","detail"]"#)
        #expect(try client.command("s", "navigate", #"{"route":"list"}"#, token).status == 200)
        let dry = try client.command("s", "navigate?dryRun=true", #"{"route":"talk"}"#, token)
        #expect(dry.status == 403)
        let batch =
            #"{"commands":[{"command":"navigate","route":"detail"},{"command":"navigate","route":"talk"}]}"#
        let inBatch = try client.command("s", "batch", batch, token)
        #expect(inBatch.status == 403 && inBatch.json["index"]?.integer == 1)
        #expect(
            try client.call("GET", "/v1/sessions/s", nil, token).json.picture == "t* [list] u []")
    }

    @Test func `groups are those of the app when they are used`() throws {
        let token = try token(#""routes":["@people"]"#)
        let replaced = Self.app.replacing(#"["list","detail"]"#, with: #"["list","talk"]"#)
        try client.call("PUT", "/v1/apps/x", replaced, bearer("owner"))
        #expect(try client.command("s", "navigate", #"{"route":"talk"}"#, token).status == 200)
        #expect(try client.command("s", "navigate", #"{"route":"list"}"#, token).status == 200)
    }

    @Test func `allowed lists what the token may show and send`() throws {
        func allowed(_ token: [String: String]) throws -> JSON {
            try client.call("GET", "/v1/sessions/s/allowed", nil, token).json
        }
        func names(_ list: JSON?) -> [String] {
            list?.array.compactMap { $0["route"]?.string } ?? []
        }
        try client.command("s", "navigate", #"{"route":"list"}"#, bearer("owner"))
        let all = try allowed(bearer("owner"))
        #expect(names(all["push"]) == ["list", "detail", "talk", "vault"])
        #expect(all["commands"] == nil && all["canGoBack"] == .bool(true))
        let shows = try allowed(token(#""routes":["ask","@people"]"#))
        #expect(names(shows["push"]) == ["list", "detail"] && names(shows["present"]) == ["ask"])
        #expect(shows["commands"] == nil && shows["canGoBack"] == .bool(true))
        let sends = try allowed(token(#""commands":["navigate","signal"],"routes":["talk"]"#))
        #expect(names(sends["push"]) == ["talk"] && names(sends["present"]) == [])
        #expect(sends["commands"]?.text == #"["navigate","signal"]"#)
        #expect(sends["canGoBack"] == .bool(false))
        let steps = try allowed(token(#""commands":["back","present"]"#))
        #expect(names(steps["push"]) == [] && names(steps["present"]) == ["ask"])
        #expect(steps["canGoBack"] == .bool(true))
    }

    // MARK: - Tokens of the server

    @Test func `create has to be listed, and is judged by all beyond the roots`() throws {
        func create(_ body: String, _ token: String) throws -> Int {
            try client.call("POST", "/v1/sessions", body, bearer(token)).status
        }
        #expect(try create(#"{"app":"x"}"#, "robot") == 201)
        #expect(try create(#"{"app":"x"}"#, "pusher") == 403)
        #expect(try create(#"{"app":"x"}"#, "shower") == 403)
        #expect(try create(#"{"app":"x","template":"listing"}"#, "robot") == 201)
        let refused = try client.call(
            "POST", "/v1/sessions", #"{"id":"n","app":"x","template":"talking"}"#, bearer("robot"))
        #expect(refused.status == 403 && refused.json["route"]?.string == "talk")
        #expect(try client.call("GET", "/v1/sessions/n", nil, bearer("owner")).status == 404)
        try client.command("s", "navigate", #"{"route":"list"}"#, bearer("owner"))
        #expect(try create(#"{"copyOf":"s"}"#, "robot") == 201)
        try client.command("s", "present", #"{"route":"ask"}"#, bearer("owner"))
        #expect(try create(#"{"copyOf":"s"}"#, "robot") == 403)
        #expect(try create(#"{"app":"x","selectedTab":"u"}"#, "robot") == 201)
        for (url, status) in [("/u", 201), ("/list", 201), ("/talk", 403), ("/vault", 403)] {
            #expect(try create(#"{"app":"x","url":"\#(url)"}"#, "robot") == status, "\(url)")
        }
        // The screen of an idle command is not asked.
        let idle = #"{"seconds":1,"command":{"command":"navigate","route":"talk"}}"#
        #expect(try [403, 422].contains(create(#"{"app":"x","idle":\#(idle)}"#, "robot")))
    }

    @Test func `a command for many sessions has a 403 for each`() throws {
        func many(_ command: String, _ token: String) throws -> Client.Answer {
            try client.call(
                "POST", "/v1/commands", #"{"command":\#(command),"sessions":["r","s"]}"#,
                bearer(token))
        }
        let answer = try many(#"{"command":"navigate","route":"talk"}"#, "robot")
        #expect(answer.status == 200)
        for index in 0...1 {
            let problem = answer.json["results"]?[index]?["problem"]
            #expect(problem?["status"]?.integer == 403 && problem?["route"]?.string == "talk")
        }
        let done = try many(#"{"command":"navigate","route":"list"}"#, "robot")
        #expect(done.json["results"]?[1]?["changed"] == .bool(true))
        #expect(try many(#"{"command":"root"}"#, "robot").status == 403)
        let batch = #"{"command":"batch","commands":[{"command":"back"},{"command":"root"}]}"#
        #expect(try many(batch, "robot").status == 403)
        #expect(try many(batch, "controller").status == 200)
        #expect(try many(#"{"command":"fly"}"#, "robot").status == 422)
    }

    // MARK: - Agents

    @Test func `agents are shown the tools that the token may use`() throws {
        let reading = [
            "listSessions", "readSession", "allowed", "waitForChange", "listApps", "readApp",
        ]
        func tools(_ token: [String: String]) throws -> Set<String> {
            Set(try Agent(client: client, fields: token).tools())
        }
        #expect(try tools(bearer("robot")) == Set(reading + ["navigate", "back", "createSession"]))
        #expect(try tools(bearer("pusher")) == Set(reading + ["navigate"]))
        let ofSession = ["readSession", "allowed", "waitForChange"]
        #expect(
            try tools(token(#""commands":["batch","undo"]"#)) == Set(ofSession + ["batch", "undo"]))
        #expect(try tools(token(#""routes":["list"]"#)).count == ofSession.count + 15)
    }

    @Test func `the schemas of tools name the routes that may be shown`() throws {
        func schemas(_ token: [String: String]) throws -> [String: JSON] {
            let list = try Agent(client: client, fields: token).request("tools/list")
            let tools = list.json["result"]?["tools"]?.array ?? []
            return Dictionary(
                uniqueKeysWithValues: tools.map {
                    ($0["name"]?.string ?? "", $0["inputSchema"]?["properties"] ?? .null)
                })
        }
        let limited = try schemas(token(#""routes":["@people","ask"]"#))
        let routes = #"["list","detail","ask"]"#
        #expect(limited["navigate"]?["route"]?["enum"]?.text == routes)
        #expect(limited["present"]?["route"]?["enum"]?.text == routes)
        let items = limited["setPath"]?["path"]?["items"]
        #expect(items?["properties"]?["route"]?["enum"]?.text == routes)
        #expect(limited["batch"]?.text.contains(#""enum":\#(routes)"#) == true)
        #expect(limited["back"]?.text.contains("enum\":\(routes)") == false)
        for token in [bearer("robot"), try token(#""routes":["a"]"#, of: "f"), bearer("owner")] {
            #expect(try schemas(token)["navigate"]?["route"]?["enum"] == nil)
        }
    }

    @Test func `a tool is refused like its request`() throws {
        let agent = Agent(
            client: client, fields: try token(#""commands":["navigate"],"routes":["list"]"#))
        #expect(try agent.problem("root", #"{"session":"s"}"#)["status"]?.integer == 403)
        let talk = try agent.problem("navigate", #"{"session":"s","route":"talk"}"#)
        #expect(talk["route"]?.string == "talk")
        try agent.value("navigate", #"{"session":"s","route":"list"}"#)
    }

    // MARK: - Laws

    /// Whatever a token sends that may neither set facts nor show `talk`, the session has neither
    /// another fact nor that screen.
    @Test(.seeded) func `a limited token does not get around its limits`() throws {
        var dice = SplitMix64()
        let token = try token(
            #""commands":["navigate","back","select","present","setPath","open","undo","redo","setParams"],"routes":["@people","home","ask"]"#
        )
        let routes = ["list", "detail", "talk", "vault", "ask", "home", "u", "t"]
        for _ in 0..<300 {
            let route = dice.one(of: routes)
            let tab = dice.one(of: ["t", "u"])
            let path = #"[{"route":"\#(route)","id":"e\#(1 + dice.below(20))"},{"route":"talk"}]"#
            let commands = [
                ("navigate", #"{"route":"\#(route)","in":"\#(tab)"}"#), ("back", "{}"),
                ("select", #"{"tab":"\#(tab)"}"#), ("undo", "{}"), ("redo", "{}"),
                ("present", #"{"route":"\#(route)","path":[{"route":"talk"}]}"#),
                ("setPath", #"{"in":"\#(tab)","path":\#(path)}"#),
                ("setFacts", #"{"facts":{"staff":true}}"#), ("root", "{}"),
                (
                    "batch",
                    #"{"commands":[{"command":"navigate","route":"\#(route)"},{"command":"setFacts","facts":{"staff":true}}]}"#
                ),
                (
                    "batch",
                    #"{"commands":[{"command":"navigate","route":"talk"},{"command":"back"}]}"#
                ),
            ]
            let (name, body) = dice.one(of: commands)
            try client.command("s", name, body, token)
            if dice.oneIn(10) {
                try client.command("s", "navigate", #"{"route":"talk"}"#, bearer("owner"))
                try client.command("s", "back", "{}", bearer("owner"))
            }
            let session = try client.call("GET", "/v1/sessions/s", nil, token).json
            #expect(!session.picture.contains("talk"), "\(name) \(body)")
            #expect(session["facts"]?["staff"] == .bool(false))
            #expect(session["visible"]?["route"]?.string != "u", "\(name) \(body)")
        }
    }
}
