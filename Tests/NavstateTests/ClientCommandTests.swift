import POSIX
import TestSupport
import Testing
import navstate

/// The commands to a running server, against responses of the test.
@Suite struct ClientCommandTests {
    private static let session =
        #"{"id":"a","revision":2,"selectedTab":"t","tabs":[{"id":"t","path":[]}],"sheets":[]}"#

    /// Runs a command against a server, and returns the requests besides the result.
    private func run(
        _ words: String..., responses: [String] = [ScriptedServer.json(session)],
        program: CommandLine = CommandLine()
    ) throws -> (result: CommandLine.Result, requests: [String]) {
        let server = try ScriptedServer(responses)
        let result = program.run(words + ["--server", "http://127.0.0.1:\(server.port)"])
        return (result, server.join())
    }

    /// The request line and the body.
    private func parts(_ request: String) -> (line: String, body: String) {
        let lines = request.split(separator: "\r\n", omittingEmptySubsequences: false)
        return (String(lines.first ?? ""), String(lines.last ?? ""))
    }

    /// The words of a command, and the request that it becomes.
    private static let requests: [(words: [String], line: String, body: String)] = [
        (["sessions"], "GET /v1/sessions", ""),
        (["sessions", "label=a:b", "limit:=3"], "GET /v1/sessions?label=a%3Ab&limit=3", ""),
        (["show", "a~b"], "GET /v1/sessions/a~b", ""),
        (["show", "a", "revision=3"], "GET /v1/sessions/a?revision=3", ""),
        (["apps"], "GET /v1/apps", ""), (["app", "show", "a~b"], "GET /v1/apps/a~b", ""),
        (["create"], "POST /v1/sessions", "{}"),
        (["create", "a", "app=chat"], "POST /v1/sessions", #"{"id":"a","app":"chat"}"#),
        (["create", "app=chat"], "POST /v1/sessions", #"{"app":"chat"}"#),
        (["navigate", "a", "r"], "POST /v1/sessions/a/navigate", #"{"route":"r"}"#),
        (
            ["navigate", "a", "r", "id:=42", "--with", "mode=replace", "--with", "x:=[1,2]"],
            "POST /v1/sessions/a/navigate",
            #"{"route":"r","params":{"id":42},"mode":"replace","x":[1,2]}"#
        ),
        (
            ["present", "a", "r", #"{"id":1}"#], "POST /v1/sessions/a/present",
            #"{"route":"r","params":{"id":1}}"#
        ),
        (["back", "a"], "POST /v1/sessions/a/back", "{}"),
        (["back", "a", "2"], "POST /v1/sessions/a/back", #"{"count":2}"#),
        (
            ["back", "a", #"to:={"route":"r"}"#], "POST /v1/sessions/a/back",
            #"{"to":{"route":"r"}}"#
        ),
        (["root", "a", "all"], "POST /v1/sessions/a/root", #"{"scope":"all"}"#),
        (["dismiss", "a", "e7"], "POST /v1/sessions/a/dismiss", #"{"sheet":"e7"}"#),
        (["dismiss", "a", "all:=true"], "POST /v1/sessions/a/dismiss", #"{"all":true}"#),
        (["select", "a", "t"], "POST /v1/sessions/a/select", #"{"tab":"t"}"#),
        (["open", "a", "x://y?z=1"], "POST /v1/sessions/a/open", #"{"url":"x://y?z=1"}"#),
        (
            ["setFacts", "a", "role=clerk", "signedIn:=true"], "POST /v1/sessions/a/setFacts",
            #"{"facts":{"role":"clerk","signedIn":true}}"#
        ),
        (["undo", "a"], "POST /v1/sessions/a/undo", "{}"),
        (["redo", "a", "3"], "POST /v1/sessions/a/redo", #"{"count":3}"#),
        (
            ["undo", "a", "--dry-run"], "POST /v1/sessions/a/undo?dryRun=true", "{}"
        ),
        (["copy", "a"], "POST /v1/sessions", #"{"copyOf":"a"}"#),
        (
            ["copy", "a", "b", "revision:=3"], "POST /v1/sessions",
            #"{"copyOf":"a","id":"b","revision":3}"#
        ),
        (["restore-session", "a", #"{"tabs":[]}"#], "PUT /v1/sessions/a", #"{"tabs":[]}"#),
        (["restore-session", "a", "file"], "PUT /v1/sessions/a", #"{"tabs": [1]}"#),
        (["update", "a", "ttlSeconds:=9"], "PATCH /v1/sessions/a", #"{"ttlSeconds":9}"#),
        (["delete", "a"], "DELETE /v1/sessions/a", ""),
        (["delete", "a", "--dry-run"], "DELETE /v1/sessions/a?dryRun=true", ""),
        (["history", "a", "limit=2"], "GET /v1/sessions/a/history?limit=2", ""),
        (["steps", "a", "3"], "GET /v1/sessions/a/steps?from=3", ""),
        (["steps", "a", "3", "7"], "GET /v1/sessions/a/steps?from=3&to=7", ""),
        (["allowed", "a"], "GET /v1/sessions/a/allowed", ""),
        (["link", "a"], "GET /v1/sessions/a/link", ""),
        (["sheet", "a", "e/1"], "GET /v1/sessions/a/sheets/e%2F1", ""),
        (["watchers", "a", "shown=3"], "GET /v1/sessions/a/watchers?shown=3", ""),
        (
            ["report", "a", "lobby", "12"], "POST /v1/sessions/a/shown",
            #"{"as":"lobby","revision":12}"#
        ),
        (
            ["signal", "a", "refresh", "hard:=true"], "POST /v1/sessions/a/signal",
            #"{"name":"refresh","data":{"hard":true}}"#
        ),
        (
            ["commands", "app=chat", #"command:={"command":"root"}"#], "POST /v1/commands",
            #"{"app":"chat","command":{"command":"root"}}"#
        ),
        (
            ["setPath", "a", "t", "list", #"item {"id":"a=b"}"#, "force:=true"],
            "POST /v1/sessions/a/setPath",
            #"{"in":"t","path":[{"route":"list"},{"route":"item","params":{"id":"a=b"}}],"force":true}"#
        ),
        (["setPath", "a", "t"], "POST /v1/sessions/a/setPath", #"{"in":"t","path":[]}"#),
        (
            ["setPath", "a", "t", "path:=[1]"], "POST /v1/sessions/a/setPath",
            #"{"in":"t","path":[1]}"#
        ),
        (
            ["setParams", "a", "e7", "x=y", "--with", "mode=replace"],
            "POST /v1/sessions/a/setParams",
            #"{"entry":"e7","params":{"x":"y"},"mode":"replace"}"#
        ),
        (
            ["setParams", "a", "visible", "x:=null"], "POST /v1/sessions/a/setParams",
            #"{"params":{"x":null}}"#
        ),
        (["setBadge", "a", "t"], "POST /v1/sessions/a/setBadge", #"{"tab":"t","badge":null}"#),
        (["setBadge", "a", "t", "3"], "POST /v1/sessions/a/setBadge", #"{"tab":"t","badge":3}"#),
        (
            ["setBadge", "a", "t", "3+"], "POST /v1/sessions/a/setBadge",
            #"{"tab":"t","badge":"3+"}"#
        ),
        (
            ["setTabs", "a", "b", "a", "--hide", "a"], "POST /v1/sessions/a/setTabs",
            #"{"order":["b","a"],"hidden":["a"]}"#
        ),
        (["setTabs", "a", "hidden:=[]"], "POST /v1/sessions/a/setTabs", #"{"hidden":[]}"#),
        (
            ["batch", "a", #"{"commands":[]}"#], "POST /v1/sessions/a/batch", #"{"commands":[]}"#
        ),
        (
            ["present", "a", "--with", "style=alert"], "POST /v1/sessions/a/present",
            #"{"style":"alert"}"#
        ),
        (["tokens", "a"], "GET /v1/sessions/a/tokens", ""),
        (
            ["tokens", "a", "create", "read", "name=desk"], "POST /v1/sessions/a/tokens",
            #"{"scope":"read","name":"desk"}"#
        ),
        (
            ["resolve", "a", "x://y?a=b&c"], "GET /v1/apps/a/resolve?url=x%3A%2F%2Fy%3Fa%3Db%26c",
            ""
        ),
        (["app", "impact", "a", "limit=3"], "GET /v1/apps/a/impact?limit=3", ""),
        (["contract"], "GET /v1", ""),
        (["navigate", "a", "r", "x:=\(deep)"], "POST /v1/sessions/a/navigate", deepBody),
    ]

    /// As deep as --nesting-max can allow.
    private static let deep =
        String(repeating: "[", count: 254) + String(repeating: "]", count: 254)
    private static let deepBody = #"{"route":"r","params":{"x":\#(deep)}}"#

    @Test(arguments: requests.indices)
    func `each command is a request`(index: Int) throws {
        let (words, line, body) = Self.requests[index]
        let server = try ScriptedServer(ScriptedServer.json(Self.session))
        let result = CommandLine(files: ["file": #"{"tabs": [1]}"#])
            .run(words + ["--server=http://127.0.0.1:\(server.port)"])
        let request = try #require(server.join().first)
        #expect(result.code == .success, "\(result.errors)")
        #expect(parts(request).line == line + " HTTP/1.1")
        #expect(parts(request).body == body)
        #expect(result.output == Self.session + "\n")
        #expect(request.contains("\r\nIdempotency-Key: ") == !line.hasPrefix("GET"))
    }

    @Test(arguments: [
        (["show"], "missing argument ID; usage: navstate show ID [KEY=VALUE...]"),
        (["navigate", "a"], "missing argument ROUTE"),
        (["navigate", "a", "id=1"], "missing argument ROUTE"),
        (["show", "a/b"], "a/b is not the id of a session"),
        (["show", ".."], ".. is not the id of a session"), (["create", "-a"], "unknown option -a"),
        (["back", "a", "two"], "two: COUNT must be a number of at most 15 digits"),
        (["back", "a", "1", "2"], "unexpected argument 2"),
        (["apps", "x"], "unexpected argument x"),
        (["link", "a", "b=c"], "unexpected argument b=c"),
        (["copy", "a", "b/c"], "b/c is not the id of a session"),
        (["steps", "a"], "missing argument FROM"),
        (["steps", "a", "one"], "one: FROM must be a number"),
        (["resolve", "a/b", "x:/"], "a/b is not the id of an app"),
        (["tokens", "a", "make"], "make: give create SCOPE or revoke TOKEN"),
        (["tokens", "a", "revoke"], "revoke: give create SCOPE or revoke TOKEN"),
        (["batch", "a", "bad"], "bad:2:3: error: "),
        (["batch", "a", "{,}"], "FILE:1:2: error: "),
        (["restore-session", "a"], "missing argument FILE"),
        (["signal", "a", "n", "--dry-run"], "--dry-run is an option of "),
        (["play", "none"], "none: No such"),
        (["play", "odd", "--speed", "0"], "--speed must be a number from 0.001 to 86400"),
        (["play", "odd", "--speed", "1e-300"], "--speed must be a number from 0.001 to 86400"),
        (["ask", "a", "sure", "--dry-run"], "--dry-run is an option of "),
        (["tokens", "a", "foo=bar"], "foo: only tokens ID create has members"),
        (["tokens", "a", "revoke", "x", "foo=bar"], "foo: only tokens ID create has members"),
        (["app", "show", "a/b"], "a/b is not the id of an app: it must be 1 to 64 letters"),
        (["app", "put", "none.json"], "none.json: No such"),
        (["back", "a", "--with", "x=1"], "--with is an option of navigate, present, setParams, "),
        (["show", "a", "--data", "x"], "--data is an option of the server"),
        (["show", "a", "--server", "https://x"], "--server https://x: must begin with http://"),
        (["show", "a", "--timeout", "1"], "--timeout 1: must be a time"),
        (["show", "a", "--token-file", "none"], "none: No such file"),
        (["show", "a", "--token-file", "empty"], "empty: there is no token in the file"),
        (["show", "a", "--token-file", "odd"], "odd: a token consists of visible ASCII"),
    ])
    func `a wrong command line is refused before anything is sent`(
        words: [String], message: String
    ) {
        let program = CommandLine(files: [
            "empty": "# none\n\n", "odd": "a\u{1}b read\n", "bad": "{\n  7}",
        ])
        let result = program.run(words)
        #expect(result.code == .clientUsage)
        #expect(result.errors.hasPrefix("navstate: \(message)"), "\(result.errors)")
        #expect(result.output.isEmpty)
    }

    @Test func `other commands refuse the options of clients, and ignore their variables`() {
        let result = CommandLine().run("version", "--server", "http://a")
        #expect(result.code == .usage)
        #expect(result.errors.contains("--server is an option of the commands to a server"))
        let program = CommandLine(environment: ["NAVSTATE_SERVER": "http://a:1"])
        #expect(program.run("version").code == .success)
        #expect(program.run("config").output.contains("http://a:1"))
        #expect(!program.run("config").output.contains("with "))
        let with = CommandLine(environment: ["NAVSTATE_WITH": "a=b"]).run("version")
        #expect(CommandLine(environment: ["NAVSTATE_WITH": "a=b"]).run("config").code == .usage)
        #expect(with.code == .success)
    }

    // MARK: - Tokens

    @Test(arguments: [
        (["NAVSTATE_TOKEN": "t1"], [], "t1"), (["NAVSTATE_TOKENS_FILE": "tokens"], [], "t2"),
        (["NAVSTATE_TOKEN_FILE": "one"], [], "t3"),
        (["NAVSTATE_TOKEN": "t1"], ["--token-file", "one"], "t3"),
        (["NAVSTATE_TOKEN": "t1", "NAVSTATE_TOKENS_FILE": "tokens"], [], "t1"),
        (["NAVSTATE_DATA": "/x", "NAVSTATE_CONFIG": "none"], ["--token-file", "tokens"], "t2"),
    ])
    func `the token comes from a variable or a file`(
        environment: [String: String], words: [String], token: String
    ) throws {
        let files = ["tokens": "# comment\n\nt2 admin desk\nt9 read\n", "one": "t3\n"]
        let program = CommandLine(environment: environment, files: files)
        let server = try ScriptedServer(ScriptedServer.json("{}"))
        let result = program.run(
            ["apps", "--server", "http://127.0.0.1:\(server.port)"] + words)
        #expect(result.code == .success, "\(result.errors)")
        let request = try #require(server.join().first)
        #expect(request.contains("\r\nAuthorization: Bearer \(token)\r\n"))
    }

    // MARK: - Results

    @Test func `for people the session is drawn, under what has changed`() throws {
        let answer = #"{"changed":true,"added":["e1"],"removed":["e2","e3"],"session":"#
        let (result, _) = try run(
            "undo", "a", "--json=false",
            responses: [ScriptedServer.json(answer + Self.session + "}")])
        #expect(result.output.hasPrefix("added e1; removed e2, e3\nsession a, revision 2\n┌──"))
        let (nothing, _) = try run(
            "undo", "a", "--json=no",
            responses: [ScriptedServer.json(#"{"changed":false,"reason":"at-root"}"#)])
        #expect(nothing.output == "nothing changed: at-root\n")
        let held = #"{"changed":true,"added":["e1"],"removed":[],"held":"member"}"#
        let (other, _) = try run(
            "open", "a", "x:/", "--json=false", responses: [ScriptedServer.json(held)])
        #expect(other.output == "added e1; held back by the guard member\n")
    }

    @Test func `for people lists are tables`() throws {
        let list = #"""
            {"sessions":[{"id":"a","revision":12,"app":"chat","visible":{"route":"r"},\#
            "watchers":1,"updatedAt":"2026-01-01T00:00:00Z"}],"next":"a"}
            """#
        let (result, _) = try run(
            "sessions", "--json=false", responses: [ScriptedServer.json(list)])
        #expect(
            result.output == """
                ID  APP   REVISION  VISIBLE  WATCHERS  UPDATED
                a   chat  12        r        1         2026-01-01T00:00:00Z

                """)
        #expect(result.errors.contains("cursor=a"))
        for (verb, name) in [("sessions", "sessions"), ("apps", "apps")] {
            let (none, _) = try run(
                verb, "--json=false", responses: [ScriptedServer.json("{\"\(name)\":[]}")])
            #expect(none.output == "no \(name)\n")
        }
    }

    @Test func `ids follow the pages to their end`() throws {
        let pages = [
            #"{"sessions":[{"id":"a"},{"id":"b"}],"next":"b"}"#,
            #"{"sessions":[{"id":"c"},{"id":"\u001b[2J"}],"next":"c"}"#, #"{"sessions":[]}"#,
        ].map { ScriptedServer.json($0) }
        let (result, requests) = try run("ids", "x", responses: pages)
        #expect(result.output == "a\nb\nc\n")
        #expect(
            requests.map { parts($0).line } == [
                "GET /v1/sessions?q=x&limit=1000 HTTP/1.1",
                "GET /v1/sessions?q=x&limit=1000&cursor=b HTTP/1.1",
                "GET /v1/sessions?q=x&limit=1000&cursor=c HTTP/1.1",
            ])
        let (one, _) = try run("ids", "limit=2", responses: [pages[0]])
        #expect(one.output == "a\nb\n")
        // A server that always names the same page would keep the command busy for ever.
        let (same, _) = try run("ids", responses: [pages[0], pages[0]])
        #expect(same.output == "a\nb\na\nb\n")
        #expect(same.code == .success, "\(same.errors)")
    }
}
