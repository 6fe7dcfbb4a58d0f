import TestSupport
import Testing
import navstate

/// Commands that send several requests: questions, typed members and scripts.
@Suite struct PlayTests {
    private func run(
        _ words: String..., files: [String: String] = [:], responses: [String]
    ) throws -> (result: CommandLine.Result, requests: [String]) {
        let server = try ScriptedServer(responses.map { ScriptedServer.json($0) })
        let result = CommandLine(files: files).run(
            words + ["--server", "http://127.0.0.1:\(server.port)"])
        return (result, server.join())
    }

    private func line(_ request: String) -> String {
        String(request.split(separator: " HTTP").first ?? "")
    }

    private func body(_ request: String) -> String {
        String(request.split(separator: "\r\n").last ?? "")
    }

    // MARK: - Types

    private static let app = #"""
        {"id":"shop","tabs":[{"id":"t","root":"home","routes":["item"]}],\#
        "facts":{"signedIn":{"default":false,"schema":{"type":"boolean"}},\#
        "role":{"default":"guest","schema":{"type":"string"}}},\#
        "guards":{"member":{"when":{"signedIn":true}}},\#
        "routes":{"home":{},"item":{"guard":"member","params":{"type":"object","properties":{\#
        "id":{"type":"integer"},"code":{"type":"string"},"any":{},\#
        "list":{"type":"array","items":{"type":"integer"}}}}}}}
        """#
    private static let session = #"""
        {"id":"a","app":"shop","visible":{"route":"item"},\#
        "tabs":[{"id":"t","root":{"route":"home"},"path":[{"id":"e3","route":"item"}]}],"sheets":[]}
        """#

    @Test(arguments: [
        (
            ["setFacts", "a", "signedIn=true", "role=true"],
            #"{"facts":{"signedIn":true,"role":"true"}}"#
        ),
        (
            ["navigate", "a", "item", "id=7", "code=7", "any=7", "list=[1,2]"],
            #"{"route":"item","params":{"id":7,"code":"7","any":"7","list":[1,2]}}"#
        ),
        // A text that does not fit either way stays as it is written; the server says so.
        (["navigate", "a", "item", "id=true"], #"{"route":"item","params":{"id":"true"}}"#),
        (
            ["navigate", "a", "item", #"id:="7""#, "code=1"],
            #"{"route":"item","params":{"id":"7","code":"1"}}"#
        ),
        (["navigate", "a", "nothing", "id=7"], #"{"route":"nothing","params":{"id":"7"}}"#),
        (["setParams", "a", "visible", "id=7"], #"{"params":{"id":7}}"#),
        (["setParams", "a", "e3", "id=7"], #"{"entry":"e3","params":{"id":7}}"#),
    ])
    func `members have the types that the app declares`(words: [String], sent: String) throws {
        let server = try ScriptedServer(
            [Self.session, Self.app, "{}"].map { ScriptedServer.json($0) })
        let result = CommandLine().run(words + ["--server", "http://127.0.0.1:\(server.port)"])
        #expect(result.code == .success, "\(result.errors)")
        let requests = server.join()
        #expect(requests.map(line).prefix(2) == ["GET /v1/sessions/a", "GET /v1/apps/shop"])
        #expect(body(requests[2]) == sent)
    }

    @Test func `the app is read only if a text can be another value`() throws {
        let (_, requests) = try run(
            "navigate", "a", "item", "id:=7", "code=x y", "e=", responses: ["{}"])
        #expect(requests.map(line) == ["POST /v1/sessions/a/navigate"])
        let (_, free) = try run(
            "navigate", "a", "item", "id=7", responses: [#"{"id":"a","tabs":[]}"#, "{}"])
        #expect(body(free[1]) == #"{"route":"item","params":{"id":"7"}}"#)
    }

    // MARK: - Questions

    private static let presented =
        #"{"changed":true,"added":["e7"],"session":{"id":"a","sheets":[{"id":"e7"}]}}"#

    @Test func `ask prints the result, and says if nobody answers`() throws {
        let answered = #"{"sheet":"e7","state":"dismissed","result":{"ok":true}}"#
        let (good, requests) = try run(
            "ask", "a", "sure", "text=Delete?", "--with", "style=sheet",
            responses: [Self.presented, #"{"sheet":"e7","state":"presented"}"#, answered])
        #expect(good.code == .success && good.output == "{\"ok\":true}\n")
        #expect(requests[0].contains("\r\nPrefer: handling=strict\r\n"))
        #expect(
            body(requests[0]) == #"{"route":"sure","params":{"text":"Delete?"},"style":"sheet"}"#)
        #expect(line(requests[2]) == "GET /v1/sessions/a/sheets/e7")
        #expect(requests[2].contains("\r\nPrefer: wait=50\r\n"))
        let (pressed, _) = try run(
            "ask", "a", "--with", "style=alert",
            responses: [Self.presented, #"{"state":"dismissed","button":"delete"}"#])
        #expect(pressed.code == .success && pressed.output == "\"delete\"\n")
        for state in ["dismissed", "expired"] {
            let (none, _) = try run(
                "ask", "a", "sure", responses: [Self.presented, #"{"state":"\#(state)"}"#])
            #expect(none.code.rawValue == 1 && none.output.isEmpty)
            #expect(none.errors.contains("there was no answer; the sheet is \(state)"))
        }
        let (held, _) = try run("ask", "a", "sure", responses: [#"{"changed":false}"#])
        #expect(held.code.rawValue == 1 && held.errors.contains("no sheet was presented"))
    }

    @Test func `a question that nobody answers in time is dismissed`() throws {
        let waiting = #"{"state":"presented"}"#
        let (late, requests) = try run(
            "ask", "a", "sure", "--timeout", "100ms",
            responses: [Self.presented]
                + [waiting, "{}", #"{"state":"dismissed","result":1}"#])
        #expect(
            requests.map(line) == [
                "POST /v1/sessions/a/present", "GET /v1/sessions/a/sheets/e7",
                "POST /v1/sessions/a/dismiss", "GET /v1/sessions/a/sheets/e7",
            ])
        #expect(requests[1].contains("\r\nPrefer: wait=1\r\n"))
        #expect(body(requests[2]) == #"{"sheet":"e7","force":true}"#)
        // The answer that came at this moment counts.
        #expect(late.code == .success && late.output == "1\n")
    }

    // MARK: - Scripts

    private static let script = #"""
        #!/bin/sh
        # A tour.
        navstate restore-session k '{"tabs":[{"id":"t","path":[{"id":"e2","route":"x"}]}]}'
        sleep 0.01
        navstate present k sure 'text=It'\''s' n:=1  # e7

        navstate dismiss k e7 "result:={\"ok\":true}"
        navstate setParams k e2 id:=4 # nothing
        """#

    @Test func `play sends each line, with the ids of this session`() throws {
        let (result, requests) = try run(
            "play", "tour.sh", "b", "--speed", "100", files: ["tour.sh": Self.script],
            responses: ["{}", #"{"added":["e12"]}"#, "{}", "{}"])
        #expect(result.code == .success, "\(result.errors)")
        #expect(
            requests.map(line) == [
                "PUT /v1/sessions/b", "POST /v1/sessions/b/present", "POST /v1/sessions/b/dismiss",
                "POST /v1/sessions/b/setParams",
            ])
        #expect(body(requests[1]) == #"{"route":"sure","params":{"text":"It's","n":1}}"#)
        #expect(body(requests[2]) == #"{"sheet":"e12","result":{"ok":true}}"#)
        #expect(body(requests[3]) == #"{"entry":"e2","params":{"id":4}}"#)
    }

    @Test func `without an id the lines are for the sessions that they name`() throws {
        let (_, requests) = try run(
            "play", "f", files: ["f": "navstate back a\nnavstate back b 2"],
            responses: ["{}", "{}"])
        #expect(requests.map(line) == ["POST /v1/sessions/a/back", "POST /v1/sessions/b/back"])
    }

    @Test(arguments: [
        ("navstate back a\nrm -r x", "f:2: rm: only navstate and sleep can be played"),
        ("navstate show a | head", "f:1: only words, quotes and comments can be played"),
        ("navstate back '", "f:1: only words, quotes and comments can be played"),
        ("navstate back $ID", "f:1: only words"), ("navstate back `id`", "f:1: only words"),
        ("navstate watch a", "f:1: watch cannot be played"),
        ("navstate play f", "f:1: play cannot be played"),
        ("navstate ask a r", "f:1: ask cannot be played"),
        ("navstate serve", "f:1: serve cannot be played"),
        ("navstate back", "f:1: missing argument ID"), ("sleep x", "f:1: sleep: only navstate"),
        ("sleep -1", "f:1: sleep: only navstate"), ("navstate", "f:1: navstate: only navstate"),
        ("\n\nnavstate shwo a", "f:3: unknown command shwo"),
    ])
    func `a script that cannot be played is refused before anything is sent`(
        script: String, message: String
    ) {
        let result = CommandLine(files: ["f": script]).run(
            "play", "f", "--server", "http://127.0.0.1:1")
        #expect(result.code == .clientUsage)
        #expect(result.errors.hasPrefix("navstate: \(message)"), "\(result.errors)")
    }

    @Test func `it ends at the line that the server refuses`() throws {
        let server = try ScriptedServer([
            ScriptedServer.json("{}"),
            ScriptedServer.json(#"{"type":"/problems/x","detail":"D"}"#, "409 Conflict"),
        ])
        let script = "navstate back a\n\nnavstate back a\nnavstate back a\n"
        let result = CommandLine(files: ["f": script]).run(
            "play", "f", "--json=false", "--server", "http://127.0.0.1:\(server.port)")
        #expect(server.join().count == 2)
        #expect(result.code.rawValue == 1)
        #expect(
            result.errors
                == "navstate: x (409): D\nnavstate: f:3: refused; the rest is not played\n")
    }

    // MARK: - Words

    @Test(arguments: [
        ("", []), ("  a\tb ", ["a", "b"]), ("a'b c'd", ["ab cd"]), ("''", [""]),
        (#"a\ b "c \" d" 'e\f'"#, ["a b", #"c " d"#, #"e\f"#]), ("a#b # c", ["a#b"]),
        (#""\x\\""#, [#"\x\"#]),
    ])
    func `words are read as a shell reads them`(line: String, words: [String]) throws {
        #expect(try #require(ShellWords.parse(line)).words == words)
    }

    @Test(arguments: ["a", "it's", "a b", "", "~x", "x~", "$(id)", "\\", "a=b", "ä", "'", "#", "*"])
    func `a word in quotes is read as it was`(word: String) throws {
        let line = "x " + ShellWords.quoted(word)
        #expect(try #require(ShellWords.parse(line)).words == ["x", word])
    }

    @Test(arguments: ["'", "\"", "a\\", "a|b", "a;b", "a&", "<a", "$a", "\"$a\"", "`", "*", "a?"])
    func `a line with more than words is refused`(line: String) {
        #expect(ShellWords.parse(line) == nil)
    }
}
