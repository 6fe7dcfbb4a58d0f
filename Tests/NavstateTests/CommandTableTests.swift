import JSON
import TestSupport
import Testing
import navstate

/// The table of the client commands beside the description of the API.
@Suite struct CommandTableTests {
    /// The operations that have no command, and why.
    private static let notForTheShell = [
        "getConsole": "a page", "getDocs": "a page", "getDisplay": "a page",
        "getProblems": "a page", "getProblemPage": "a page",
        "getClientModule": "a script for pages", "getDisplayElement": "a script for pages",
        "getReactNavigationModule": "a script for pages",
        "getClientTypes": "types of a script", "getReactNavigationTypes": "types of a script",
        "getOpenapiDocument": "navstate openapi prints it without a server",
        "getOpenapiJSON": "navstate openapi prints it without a server",
        "getAppSchema": "navstate app schema prints it without a server",
        "checkReady": "navstate healthcheck asks it", "checkLive": "for supervisors",
        "getMetrics": "for Prometheus",
        "backup": "larger than memory; docs/operating.md has it with curl",
        "sendMessage": "for agents",
    ]

    private struct Operation {
        var id: String
        var request: String
        var parameters: [String]
        var members: [String]
    }

    /// The operations of openapi.json with the names of what they take.
    private static func operations() throws -> [Operation] {
        let document = try JSON(
            parsing: Array(HelpTests.text(of: "Sources/Assets/openapi.json").utf8))
        func resolved(_ value: JSON) -> JSON {
            guard case .string(let reference)? = value.member("$ref") else { return value }
            return reference.split(separator: "/").dropFirst()
                .reduce(document) { $0.member(String($1)) ?? .null }
        }
        func members(_ schema: JSON) -> [String] {
            let schema = resolved(schema)
            let inner = ["allOf", "oneOf", "anyOf"].flatMap { schema.member($0)?.list ?? [] }
            return (schema.member("properties")?.names ?? []) + inner.flatMap(members)
        }
        var operations: [Operation] = []
        for path in document.member("paths")?.names ?? [] {
            let item = try #require(document.member("paths")?.member(path))
            for method in item.names where method != "parameters" {
                let operation = try #require(item.member(method))
                let parameters =
                    (item.member("parameters")?.list ?? [])
                    + (operation.member("parameters")?.list ?? [])
                let content = operation.member("requestBody").map(resolved)?.member("content")
                let schema = content?.member("application/json")?.member("schema")
                operations.append(
                    Operation(
                        id: operation.member("operationId")?.word ?? "",
                        request: normal("\(method.uppercased()) \(path)"),
                        parameters: parameters.map(resolved).compactMap { $0.member("name")?.word },
                        members: schema.map(members) ?? []))
            }
        }
        return operations
    }

    /// A request without the names in braces.
    private static func normal(_ request: String) -> String {
        request.replacing(/\{[a-zA-Z]*\}/, with: "{}")
    }

    @Test func `every operation of the API has a command, or a reason to have none`() throws {
        let known = Set(Subcommand.all.flatMap(\.requests).map(Self.normal))
        let operations = try Self.operations()
        #expect(operations.count >= 60)
        for operation in operations {
            let isListed = Self.notForTheShell[operation.id] != nil
            #expect(known.contains(operation.request) != isListed, "\(operation.id)")
        }
        let ids = operations.map(\.id)
        for id in Self.notForTheShell.keys { #expect(ids.contains(id), "\(id)") }
        for request in known {
            #expect(operations.contains { $0.request == request }, "\(request)")
        }
    }

    @Test(arguments: Subcommand.client + Subcommand.app)
    func `each word is one of the request's`(row: Subcommand) throws {
        let operations = try Self.operations().filter { operation in
            row.requests.map(Self.normal).contains(operation.request)
        }
        guard let first = operations.first else { return }
        let names = operations.flatMap { $0.parameters + $0.members } + ["token"]
        for word in row.words.all where word.name != "FILE" && word.name != word.name.lowercased() {
            #expect(names.contains(word.member), "\(row.name) \(word.name)")
        }
        if let name = row.words.enclosingMember { #expect(names.contains(name), "\(row.name)") }
        guard operations.count == 1 else { return }
        let tries = first.parameters.contains("dryRun")
        #expect(row.options.contains("dry-run") == tries, "\(row.name)")
    }

    // MARK: - Lines

    private static let bodies: [(name: String, body: String, line: String?)] = [
        ("navigate", #"{"route":"r"}"#, "navstate navigate a r"),
        (
            "navigate", #"{"route":"r","params":{"id":7,"s":"7","t":"it's"},"mode":"reset"}"#,
            #"navstate navigate a r id:=7 's:="7"' 't=it'\''s' --with mode=reset"#
        ),
        (
            "navigate",
            #"{"route":"r","params":{"a":"it's $HOME `x`","b":{"n":[1]},"c":"plain"}}"#,
            #"navstate navigate a r 'a=it'\''s $HOME `x`' 'b:={"n":[1]}' c=plain"#
        ),
        ("navigate", #"{"route":"r","params":{"a=b":1,"{":true}}"#, nil),
        ("navigate", #"{"route":"r","params":{"x":"\u001b[2J\u2028"},"select":false}"#, nil),
        ("navigate", #"{"route":"-r","params":{}}"#, nil),
        ("navigate", #"{"route":"r","params":{"x":null,"true":"true","":""}}"#, nil),
        ("present", #"{"style":"alert","title":"a b"}"#, nil),
        ("present", #"{"route":"r","style":"sheet"}"#, "navstate present a r --with style=sheet"),
        ("back", "{}", "navstate back a"), ("back", #"{"count":2}"#, "navstate back a 2"),
        ("back", #"{"to":{"route":"r"},"inclusive":true}"#, nil),
        ("root", #"{"scope":"all"}"#, "navstate root a all"),
        ("dismiss", #"{"sheet":"e7","result":{"ok":[1,"'"]}}"#, nil),
        ("dismiss", #"{"result":"42"}"#, #"navstate dismiss a 'result:="42"'"#),
        ("select", #"{"tab":"t","sheets":"dismiss"}"#, "navstate select a t sheets=dismiss"),
        ("open", #"{"url":"x://y?a=b&c=d"}"#, "navstate open a 'x://y?a=b&c=d'"),
        ("setPath", #"{"in":"t","path":[{"route":"r","id":"e3"}]}"#, nil),
        ("setParams", #"{"params":{"x":{"y":1}}}"#, #"navstate setParams a visible 'x:={"y":1}'"#),
        ("setParams", #"{"entry":"visible","locked":true}"#, nil),
        ("setParams", #"{"entry":"e7","mode":"replace","params":{}}"#, nil),
        ("setBadge", #"{"tab":"t","badge":3}"#, "navstate setBadge a t 3"),
        ("setBadge", #"{"tab":"t","badge":null}"#, "navstate setBadge a t"),
        ("setBadge", #"{"tab":"t","badge":"3"}"#, nil),
        ("setTabs", #"{"order":["b","a"],"hidden":[]}"#, nil), ("setTabs", "{}", nil),
        (
            "setFacts", #"{"facts":{"in":true,"role":"x","n":null}}"#,
            "navstate setFacts a in:=true role=x n:=null"
        ),
        ("batch", #"{"commands":[{"command":"back"}]}"#, nil),
        ("undo", #"{"count":3}"#, "navstate undo a 3"), ("redo", "{}", "navstate redo a"),
    ]

    @Test(arguments: bodies.indices)
    func `the line for a command is read as the same command`(index: Int) throws {
        let (name, body, expected) = Self.bodies[index]
        guard case .object(let object) = try JSON(parsing: Array(body.utf8)) else { return }
        let line = Subcommand.line(name, object, session: "a")
        if let expected { #expect(line == expected) }
        let words = try #require(ShellWords.parse(line)).words
        #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x2028 })
        let server = try ScriptedServer(ScriptedServer.json("{}"))
        let result = CommandLine().run(
            Array(words.dropFirst()) + ["--server", "http://127.0.0.1:\(server.port)"])
        #expect(result.code == .success, "\(result.errors)")
        let request = try #require(server.join().first)
        let sent = try JSON(
            parsing: Array((request.split(separator: "\r\n").last ?? "").utf8))
        let isBatch = name != "batch" && words[1] == "batch"
        #expect(request.hasPrefix("POST /v1/sessions/a/\(isBatch ? "batch" : name) "))
        var item = JSONObject([("command", .string(name))])
        for member in object.members { item.append(member.key, member.value) }
        let batch = JSON.object(["commands": .array([.object(item)])])
        // Empty params are the same as none.
        let plain = JSON.object(
            JSONObject(
                object.members.filter { $0.value != .object([:]) }.map { ($0.key, $0.value) }))
        #expect(sent == (isBatch ? batch : plain) || sent == .object(object))
    }
}

extension JSON {
    func member(_ name: String) -> JSON? {
        if case .object(let object) = self { object[name] } else { nil }
    }

    var names: [String] {
        if case .object(let object) = self { object.members.map(\.key) } else { [] }
    }
    var list: [JSON] { if case .array(let items) = self { items } else { [] } }
    var word: String? { if case .string(let text) = self { text } else { nil } }
}
