import API
import HTTP
import JSON
import TestSupport
import Testing

/// The messages of `/mcp`: JSON-RPC, and what each revision of the protocol asks for.
@Suite struct AgentMessageTests {
    private func agent(_ revision: String? = "2025-11-25") throws -> Agent {
        Agent(client: try Client(), revision: revision)
    }

    // MARK: - Messages that are refused

    struct Fault: Sendable {
        var body: String
        var code: Int
        var id: String = "null"
    }

    static let faults = [
        Fault(body: "", code: -32700), Fault(body: "{", code: -32700),
        Fault(body: #"{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}"#, code: -32700),
        Fault(body: String(repeating: "[", count: 100_000), code: -32700),
        Fault(body: "7", code: -32600), Fault(body: "null", code: -32600),
        Fault(body: #"{"id":1,"method":"ping"}"#, code: -32600, id: "1"),
        Fault(body: #"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, code: -32600, id: "1"),
        Fault(body: #"{"jsonrpc":"2.0","id":1}"#, code: -32600, id: "1"),
        Fault(body: #"{"jsonrpc":"2.0","id":1,"method":7}"#, code: -32600, id: "1"),
        Fault(body: #"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, code: -32600),
        Fault(body: #"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, code: -32600),
        Fault(body: #"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, code: -32600),
        Fault(
            body: #"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, code: -32602, id: "1"),
    ]

    @Test(arguments: faults)
    func `what is not a message is refused by an error`(_ fault: Fault) throws {
        let answer = try agent().send(fault.body)
        #expect(answer.status == 200)
        #expect(answer.response.contentType == .json)
        #expect(answer.code == fault.code)
        #expect(answer.json["id"]?.text == fault.id)
        #expect(answer.json["error"]?["message"]?.string?.isEmpty == false)
        let stateless = try agent(Agent.stateless).send(fault.body)
        #expect(stateless.status == 400)
        #expect(stateless.code == fault.code)
    }

    @Test func `a request has the answer that repeats its id`() throws {
        let agent = try agent()
        for id in ["7", #""seven""#, "-9223372036854775808", #""""#, #""\"\n""#] {
            let answer = try agent.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"ping"}"#)
            #expect(answer.text == #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
        }
    }

    @Test(arguments: Agent.revisions)
    func `a notification has no answer`(_ revision: String) throws {
        for method in ["notifications/initialized", "notifications/cancelled", "tools/call"] {
            let answer = try agent(revision).send(#"{"jsonrpc":"2.0","method":"\#(method)"}"#)
            #expect(answer.status == 202)
            #expect(answer.text.isEmpty)
        }
    }

    @Test func `an answer is ignored, but by the stateless revision, which has none`() throws {
        for member in [#""result":{}"#, #""error":{"code":1,"message":""}"#] {
            let body = #"{"jsonrpc":"2.0","id":1,\#(member)}"#
            #expect(try agent().send(body).status == 202)
            let answer = try agent(Agent.stateless).send(body)
            #expect(answer.status == 400)
            #expect(answer.code == -32600)
        }
    }

    @Test func `only POST is served, and only JSON is taken`() throws {
        let client = try Client()
        for method in ["GET", "DELETE", "PUT"] {
            let answer = try client.call(method, "/mcp")
            #expect(answer.status == 405)
            #expect(answer.response.value(of: "Allow") == "POST, OPTIONS")
        }
        let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        let agent = Agent(client: client)
        #expect(try agent.send(ping, ["Content-Type": "text/plain"]).status == 415)
        #expect(try agent.send(ping, ["Accept": "text/event-stream"]).status == 406)
        #expect(try agent.send(ping, ["Origin": "https://evil.example"]).status == 403)
        #expect(try agent.send(ping, ["Host": "evil.example"]).status == 403)
        #expect(
            try agent.send(ping, ["Accept": "application/json, text/event-stream"]).status == 200)
        #expect(try agent.send(ping, ["Mcp-Session-Id": "x", "Last-Event-ID": "9"]).status == 200)
    }

    // MARK: - Revisions

    @Test(arguments: [
        ("2025-03-26", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2025-11-25"), ("2026-07-28", "2025-11-25"), ("2099-01-01", "2025-11-25"),
    ])
    func `initialize agrees on a revision`(_ asked: String, _ spoken: String) throws {
        let agent = try agent(nil)
        let result = try agent.request("initialize", #""protocolVersion":"\#(asked)""#)
            .json["result"]
        #expect(result?["protocolVersion"] == .string(spoken))
        #expect(result?["capabilities"]?.text == #"{"tools":{},"resources":{}}"#)
        #expect(result?["serverInfo"]?["name"] == .string("navstate"))
        #expect(result?["instructions"]?.string?.contains("allowed") == true)
        #expect(try agent.request("initialize").code == -32602)
    }

    @Test func `a request that names no revision has the oldest one`() throws {
        let agent = try agent(nil)
        #expect(try agent.request("ping").code == nil)
        #expect(try agent.request("server/discover").code == -32601)
        #expect(try agent.value("createSession")["revision"]?.integer == 1)
    }

    @Test(arguments: Agent.revisions + [nil])
    func `an array of messages is refused with the advice to send one`(
        _ revision: String?
    ) throws {
        let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        for body in ["[]", "[\(ping)]", "[\(ping),\(ping)]", "[7]"] {
            let answer = try agent(revision).send(body)
            #expect(answer.status == 400)
            #expect(answer.code == -32600)
            #expect(
                answer.json["error"]?["message"]
                    == .string("Send one message in each request."))
        }
    }

    /// A name of combining characters. To compare it by canonical equivalence takes minutes.
    private static let marks = String(repeating: "\u{301}\u{323}", count: 200_000)

    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":1,"method":"@"}"#, -32601),
        (#"{"jsonrpc":"@","id":1,"method":"ping"}"#, -32600),
        (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"@":1}}"#, nil),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"@"}}"#,
            nil
        ),
        (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"@"}}"#, -32602),
        (#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"@"}}"#, -32002),
        (#"{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"@"}}"#, -32602),
    ])
    func `a long run of combining characters is answered at once`(
        _ body: String, _ code: Int?
    ) throws {
        let parts = body.split(separator: "@", omittingEmptySubsequences: false)
        let before = secondsOfThread
        let answer = try agent().send(parts.joined(separator: Self.marks))
        #expect(secondsOfThread - before < 10, "the work grows with the square of the length")
        #expect(answer.code == code)
        let meta = Agent.meta(Self.marks)
        let call = #"{"jsonrpc":"2.0","id":1,"method":"ping","params":{\#(meta)}}"#
        #expect(try agent(Agent.stateless).send(call).code == -32020)
        #expect(secondsOfThread - before < 10, "the work grows with the square of the length")
    }

    @Test func `an unknown revision in the field is refused with those that are known`() throws {
        for body in [
            #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, #"{"jsonrpc":"2.0","method":"x"}"#,
        ] {
            let answer = try agent("2030-01-01").send(body)
            #expect(answer.status == 400)
            #expect(answer.code == -32022)
            #expect(answer.json["error"]?["data"]?["requested"] == .string("2030-01-01"))
            #expect(
                answer.json["error"]?["data"]?["supported"]?.array.compactMap(\.string)
                    == Agent.revisions.reversed())
        }
        #expect(try agent("2030-01-01").send("{").status == 400)
    }

    @Test func `methods belong to their revisions`() throws {
        for revision in Agent.revisions {
            let isStateless = revision == Agent.stateless
            let agent = try agent(revision)
            let initialize = #""protocolVersion":"2025-06-18""#
            #expect(try agent.request("server/discover").code == (isStateless ? nil : -32601))
            #expect(try agent.request("ping").code == (isStateless ? -32601 : nil))
            #expect(
                try agent.request("initialize", initialize).code == (isStateless ? -32601 : nil))
            for method in ["prompts/list", "logging/setLevel", "tools/List", ""] {
                let answer = try agent.request(method)
                #expect(answer.code == -32601)
                #expect(answer.status == (isStateless ? 404 : 200))
            }
        }
    }

    @Test func `a stateless result says that it is complete, by whom, and for how long`() throws {
        let agent = try agent(Agent.stateless)
        for (method, ttl) in [
            ("server/discover", 300_000), ("tools/list", 300_000), ("resources/list", 0),
            ("resources/templates/list", 300_000),
        ] {
            let answer = try agent.request(method)
            #expect(answer.status == 200)
            let result = answer.json["result"]
            #expect(result?["resultType"] == .string("complete"))
            #expect(result?["ttlMs"]?.integer == ttl)
            #expect(result?["cacheScope"] == .string("private"))
            #expect(
                result?["_meta"]?["io.modelcontextprotocol/serverInfo"]?["name"]
                    == .string("navstate"))
        }
        let versions = try agent.request("server/discover").json["result"]?["supportedVersions"]
        #expect(versions?[0] == .string(Agent.stateless))
        let call = try agent.call("createSession")
        #expect(call["resultType"] == .string("complete"))
        #expect(call["ttlMs"] == nil)
        #expect(try self.agent().request("tools/list").json["result"]?["resultType"] == nil)
    }

    struct Stateless: Sendable {
        var fields: [String: String?] = [:]
        var params = #""name":"listApps","# + Agent.meta()
        var code: Int?
    }

    private static let version = "io.modelcontextprotocol/protocolVersion"
    private static let capabilities = "io.modelcontextprotocol/clientCapabilities"

    static let statelessCalls: [Stateless] = [
        Stateless(), Stateless(fields: ["Mcp-Name": "=?base64?bGlzdEFwcHM=?="]),
        Stateless(fields: ["Mcp-Name": "=?base64?bGlzdEFwcHM?="], code: -32020),
        Stateless(fields: ["Mcp-Name": "=?base64?=?="], code: -32020),
        Stateless(fields: ["Mcp-Name": "=?base64?="], code: -32020),
        Stateless(fields: ["Mcp-Name": "listSessions"], code: -32020),
        Stateless(fields: ["Mcp-Name": String?.none], code: -32020),
        Stateless(fields: ["Mcp-Method": "tools/list"], code: -32020),
        Stateless(fields: ["Mcp-Method": String?.none], code: -32020),
        Stateless(fields: ["MCP-Protocol-Version": String?.none], code: -32020),
        Stateless(fields: ["MCP-Protocol-Version": "2025-11-25"], code: -32020),
        Stateless(
            fields: ["MCP-Protocol-Version": "2031-01-01"],
            params: #""name":"listApps","# + Agent.meta("2031-01-01"), code: -32022),
        Stateless(
            fields: ["MCP-Protocol-Version": "2025-11-25"],
            params: #""name":"listApps","# + Agent.meta("2025-11-25"), code: -32022),
        Stateless(params: #""name":"listApps""#, code: -32602),
        Stateless(params: #""name":"listApps","_meta":7"#, code: -32602),
        Stateless(params: #""name":"listApps","_meta":{}"#, code: -32602),
        Stateless(
            params: #""name":"listApps","_meta":{"\#(version)":"2026-07-28"}"#, code: -32602),
        Stateless(
            params: #""name":"listApps","_meta":{"\#(version)":7,"\#(capabilities)":{}}"#,
            code: -32602),
        Stateless(
            params: #""name":"listApps","_meta":{"\#(version)":"2026-07-28","#
                + #""\#(capabilities)":{},"io.modelcontextprotocol/clientInfo":{"name":"x"}}"#,
            code: -32602),
        Stateless(
            params: #""name":"listApps","_meta":{"\#(version)":"2026-07-28","#
                + #""\#(capabilities)":{},"io.modelcontextprotocol/clientInfo":"#
                + #"{"name":"x","version":"1"}}"#),
    ]

    @Test(arguments: statelessCalls)
    func `a stateless request says the same in its fields and in its body`(
        _ call: Stateless
    ) throws {
        var fields = [
            "MCP-Protocol-Version": Agent.stateless, "Mcp-Method": "tools/call",
            "Mcp-Name": "listApps",
        ]
        for (name, value) in call.fields { fields[name] = value }
        let body = #"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{\#(call.params)}}"#
        let answer = try agent(nil).send(body, fields)
        #expect(answer.code == call.code, "\(answer.text)")
        #expect(answer.status == (call.code == nil ? 200 : 400))
        #expect(answer.json["id"]?.integer == 5)
    }
}
