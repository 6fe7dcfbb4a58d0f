import JSON
import Testing
import navstate

/// The commands about the documents of apps.
@Suite struct AppCommandTests {
    private static let good = #"{"id": "good", "tabs": [{"id": "a"}]}"#
    private static let bad = "{\n\"tabs\": [{\"id\": 7}]}"
    private static let odd =
        "{\"tabs\": [{\"id\": \"a\", \"icon\": \"\\u001b[2J\"}],\n"
        + "\"facts\": {\"f\": {\"default\": 1}}}"
    private let program = CommandLine(files: [
        "good.json": good, "dir/bad.json": bad, "odd.json": odd, "cut.json": "{\"tabs\":\n",
    ])

    @Test func `check prints each finding with its place, and a summary`() {
        let good = program.run("app", "check", "good.json")
        #expect(good.output == "0 errors, 0 warnings\n")
        #expect(good.code == .success && good.errors.isEmpty)
        let bad = program.run("app", "check", "dir/bad.json", "good.json", "cut.json", "odd.json")
        let lines = bad.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 5)
        #expect(lines[0] == "dir/bad.json:2:17: error: /tabs/0/id must be a string")
        #expect(
            lines[1]
                == "cut.json:2:1: error: the text ends before the value is complete")
        #expect(lines[2].hasPrefix("odd.json:1:31: warning: /tabs/0/icon: \"\\u001b[2J\" is not "))
        #expect(lines[3] == "odd.json:2:16: warning: /facts/f is not used by any guard")
        #expect(lines[4] == "2 errors, 2 warnings")
        #expect(bad.code == .configuration && bad.errors.isEmpty)
    }

    @Test func `strict makes warnings fail, and those about icons do not count`() {
        #expect(program.run("app", "check", "odd.json").code == .success)
        #expect(program.run("app", "check", "--strict", "odd.json").code == .configuration)
        let icon = CommandLine(files: ["x": #"{"tabs": [{"id": "a", "icon": "zzzzz"}]}"#])
        #expect(icon.run("app", "check", "--strict", "x").code == .success)
        #expect(program.run("app", "check", "--strict=false", "odd.json").code == .success)
    }

    @Test func `with --json each finding is an object, and there is no summary`() throws {
        let result = program.run("app", "check", "--json", "dir/bad.json", "cut.json")
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 2)
        #expect(
            lines[0] == #"{"file":"dir/bad.json","line":2,"column":17,"severity":"error","#
                + #""pointer":"/tabs/0/id","code":"invalid-value","detail":"must be a string"}"#)
        #expect(lines[1].contains(#""pointer":"","code":"syntax","#))
        #expect(result.code == .configuration)
        #expect(program.run("app", "check", "--json", "good.json").output.isEmpty)
    }

    @Test func `with --generate a param without a type is a warning`() {
        let text =
            #"{"tabs": [{"id": "a", "routes": ["r"]}], "#
            + #""routes": {"r": {"params": {"type": "object", "properties": {"x": {}}}}}}"#
        let program = CommandLine(files: ["x": text])
        #expect(program.run("app", "check", "x").output == "0 errors, 0 warnings\n")
        let result = program.run("app", "check", "--generate", "swift", "x")
        #expect(result.output.hasPrefix("x:1:108: warning: /routes/r/params/properties/x "))
        #expect(result.output.hasSuffix("\n0 errors, 1 warning\n"))
        #expect(result.code == .success)
        let strict = program.run("app", "check", "--generate=swift", "--strict", "x")
        #expect(strict.code == .configuration)
    }

    @Test func `templates and the idle command are tried, too`() {
        let text = #"""
            {"tabs": [{"id": "a"}],
             "templates": {"t": {"commands": [{"command": "select", "tab": "none"}]}}}
            """#
        let result = CommandLine(files: ["x": text]).run("app", "check", "x")
        #expect(result.code == .configuration)
        #expect(result.output.hasPrefix("x:2:35: error: /templates/t/commands/0 is refused: "))
    }

    @Test func `a file that cannot be read is 78, and so is one that is too much work`() {
        let result = program.run("app", "check", "none.json")
        #expect(result.code == .configuration)
        #expect(result.errors == "navstate: none.json: No such file or directory\n")
    }

    @Test func `with --server the word is the id of an app there`() throws {
        let server = try ScriptedServer(ScriptedServer.json(Self.bad))
        let url = "http://127.0.0.1:\(server.port)"
        let result = program.run("app", "check", "shop", "--server", url)
        #expect(server.join()[0].hasPrefix("GET /v1/apps/shop HTTP/1.1\r\n"))
        #expect(result.output.hasPrefix("shop:2:17: error: /tabs/0/id must be a string\n"))
        #expect(result.code == .configuration)
        // A server that is only set in the environment does not count.
        let local = CommandLine(
            environment: ["NAVSTATE_SERVER": url], files: ["good.json": Self.good])
        #expect(local.run("app", "check", "good.json").code == .success)
    }

    @Test func `a server that refuses is 1, and one that does not answer 69`() throws {
        let problem = #"{"type":"/problems/app-not-found","detail":"There is none."}"#
        let server = try ScriptedServer(ScriptedServer.json(problem, "404 Not Found"))
        let refused = program.run(
            "app", "check", "shop", "--server", "http://127.0.0.1:\(server.port)")
        server.join()
        #expect(refused.code.rawValue == 1)
        #expect(refused.errors == "navstate: app-not-found (404): There is none.\n")
        let absent = program.run("app", "check", "shop", "--server", "http://127.0.0.1:1")
        #expect(absent.code == .unavailable)
        let odd = program.run("app", "check", "a/b", "--server", "http://127.0.0.1:1")
        #expect(odd.code == .usage && odd.errors.contains("a/b is not the id of an app"))
    }

    @Test func `schema prints the JSON Schema of documents`() throws {
        let result = program.run("app", "schema")
        #expect(result.output == (try HelpTests.text(of: "docs/app.schema.json")))
        #expect(result.code == .success)
    }

    // MARK: - Import

    @Test func `import prints a document, and notes what it does not express`() throws {
        let text = #"{"applinks": {"details": [{"appID": "T.a", "paths": ["/a*b/c"]}]}}"#
        let files = CommandLine(files: ["well-known/site.json": text])
        let from = "--from=apple-app-site-association"
        let result = files.run("app", "import", from, "--host", "a.example", "well-known/site.json")
        #expect(result.code == .success)
        let document = try JSON(parsing: Array(result.output.utf8))
        #expect(result.output == document.lines)
        #expect(result.output.contains(#""id": "site""#))
        #expect(result.output.contains("https://a.example/a{a}b/c"))
        #expect(
            result.errors == "/applinks/details/0/paths/0: * within a word becomes a capture of "
                + "one character or more in the segment\n")
        let named = files.run("app", "import", from, "--id", "mine", "well-known/site.json")
        #expect(named.output.contains(#""id": "mine""#))
        let wrong = files.run("app", "import", "--from=hotwire", "well-known/site.json")
        #expect(wrong.code == .configuration)
        #expect(wrong.errors.contains("site.json is no path configuration: rules is missing"))
        let none = files.run("app", "import", from, "none")
        #expect(none.code == .configuration)
    }

    // MARK: - Requests

    @Test(arguments: [
        ("chat.json", #"{"id":"chat"}"#, "chat"), ("dir/shop.json", #"{"routes":{}}"#, "shop"),
        ("x.json", #"{"id":"y"}"#, "y"),
    ])
    func `an app is stored under its id or the name of its file`(
        path: String, text: String, id: String
    ) throws {
        let answer = #"""
            {"app":{"id":"\#(id)"},"warnings":[{"pointer":"/routes","detail":"is unused"}]}
            """#
        let server = try ScriptedServer(ScriptedServer.json(answer))
        let result = CommandLine(files: [path: text]).run(
            "app", "put", path, "--json=false", "--server", "http://127.0.0.1:\(server.port)")
        let request = server.join()[0]
        #expect(result.output.hasPrefix("stored the app \(id)\n\(path):1:"))
        #expect(result.output.hasSuffix(": warning: /routes is unused\n"))
        #expect(request.hasPrefix("PUT /v1/apps/\(id) HTTP/1.1\r\n"))
        #expect(request.hasSuffix("\r\n\r\n\(text)"))
    }

    @Test(arguments: [("a.json", "{"), ("a b.json", "{}"), ("a.json", #"{"id":"/"}"#)])
    func `an app that cannot be named is not sent`(path: String, text: String) {
        let result = CommandLine(files: [path: text]).run("app", "put", path)
        #expect(result.code == .clientUsage)
        #expect(result.errors.hasPrefix("navstate: \(path):"))
    }

    @Test func `a dry run stores nothing and says what is wrong, with the places`() throws {
        let answer = #"""
            {"valid":false,"errors":[{"pointer":"/tabs/0/id","detail":"must be a string"}],\#
            "warnings":[]}
            """#
        let server = try ScriptedServer(ScriptedServer.json(answer))
        let result = program.run(
            "app", "put", "dir/bad.json", "--dry-run", "--json=false", "--server",
            "http://127.0.0.1:\(server.port)")
        #expect(server.join()[0].hasPrefix("PUT /v1/apps/bad?dryRun=true HTTP/1.1\r\n"))
        #expect(
            result.output
                == "the app is invalid\ndir/bad.json:2:17: error: /tabs/0/id must be a string\n")
        #expect(result.code.rawValue == 1 && result.errors.isEmpty)
    }

    @Test func `a refused app has the places of its faults`() throws {
        let problem = #"""
            {"type":"/problems/invalid-app","detail":"No.","errors":\#
            [{"pointer":"/tabs/0/id","detail":"must be a string"}]}
            """#
        let server = try ScriptedServer(
            ScriptedServer.json(problem, "422 Unprocessable Content"))
        let result = program.run(
            "app", "put", "dir/bad.json", "--json=false", "--server",
            "http://127.0.0.1:\(server.port)")
        server.join()
        #expect(
            result.errors == "navstate: invalid-app (422): No.\n"
                + "dir/bad.json:2:17: error: /tabs/0/id must be a string\n")
        #expect(result.code.rawValue == 1)
    }

    @Test func `an app is shown with a line for each member, and deleted`() throws {
        let server = try ScriptedServer([
            ScriptedServer.json(#"{"id":"a","tabs":[]}"#),
            "HTTP/1.1 204 No Content\r\n\r\n",
        ])
        let url = "http://127.0.0.1:\(server.port)"
        let shown = program.run("app", "show", "a", "--json=false", "--server", url)
        #expect(shown.output == "{\n  \"id\": \"a\",\n  \"tabs\": []\n}\n")
        let deleted = program.run("app", "delete", "a", "--json=false", "--server", url)
        #expect(deleted.output == "deleted the app a\n" && deleted.code == .success)
        #expect(server.join()[1].hasPrefix("DELETE /v1/apps/a HTTP/1.1\r\n"))
        for words in [["app", "put"], ["app", "show"], ["app", "delete", "a", "b"]] {
            #expect(program.run(words).code == .clientUsage)
        }
    }
}
