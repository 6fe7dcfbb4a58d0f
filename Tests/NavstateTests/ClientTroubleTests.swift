import POSIX
import TestSupport
import Testing
import navstate

/// Client commands and servers that refuse, are not there, or break the connection.
@Suite struct ClientTroubleTests {
    private func run(
        _ words: [String], _ responses: [String]
    ) throws -> (result: CommandLine.Result, requests: [String]) {
        let server = try ScriptedServer(responses)
        let result = CommandLine().run(words + ["--server", "http://127.0.0.1:\(server.port)"])
        return (result, server.join())
    }

    private static let problem = #"""
        {"type":"/problems/invalid-params","title":"T","status":422,"detail":"Mend\u001bit.",\#
        "errors":[{"pointer":"/params/id","detail":"must be a number"}]}
        """#

    @Test func `a refusal is the problem on standard error, and exit code 1`() throws {
        let response = ScriptedServer.json(Self.problem, "422 Unprocessable")
        let (plain, _) = try run(["undo", "a", "--json=false"], [response])
        #expect(plain.code.rawValue == 1)
        #expect(
            plain.errors == """
                navstate: invalid-params (422): Mend\\u001bit.
                  /params/id  must be a number

                """)
        let (document, _) = try run(["undo", "a"], [response])
        #expect(document.code.rawValue == 1)
        #expect(document.errors == Self.problem + "\n")
        #expect(plain.output.isEmpty && document.output.isEmpty)
    }

    @Test func `a refusal of something else than navstate has its status`() throws {
        let (result, _) = try run(
            ["apps"], ["HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\n<html>"])
        #expect(result.code.rawValue == 1)
        #expect(result.errors.contains("refused with status 502"))
    }

    @Test(arguments: [
        (["HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>"], "is not JSON"),
        (["SSH-2.0-x\r\n"], "does not begin with a status line"),
        (["", ""], "the connection was lost"), (["HTTP/1.1 200 OK\r\n", ""], "was lost"),
        ([""], "the connection was lost"),
    ])
    func `without a response the exit code is 69`(responses: [String], text: String) throws {
        for words in [["apps"], ["undo", "a"]] {
            let (result, _) = try run(words, responses)
            #expect(result.code == .unavailable)
            #expect(result.errors.contains(text), "\(result.errors)")
            let mayBeMade = result.errors.contains("the change may have been made")
            #expect(mayBeMade == (words[0] == "undo" && !text.contains("JSON")))
        }
    }

    @Test func `a server that is not there is named`() throws {
        let listener = try Socket.listen(address: "127.0.0.1", port: 0)
        let port = try Socket.port(of: listener)
        _ = consume listener
        let result = CommandLine().run("undo", "a", "--server", "http://127.0.0.1:\(port)")
        #expect(result.code == .unavailable)
        #expect(result.errors.hasPrefix("navstate: http://127.0.0.1:\(port) cannot be reached: "))
        #expect(!result.errors.contains("may have been made"))
        let missing = CommandLine().run("apps", "--server", "unix:/nowhere/n.sock")
        #expect(missing.code == .unavailable)
        #expect(missing.errors.contains("unix:/nowhere/n.sock cannot be reached: No such file"))
    }

    @Test func `a server that does not respond ends the wait`() throws {
        let listener = try Socket.listen(address: "127.0.0.1", port: 0)
        let port = try Socket.port(of: listener)
        let words = ["--server", "http://localhost:\(port)", "--timeout", "100ms"]
        for command in [["undo", "a"], ["watch", "a"]] {
            let result = CommandLine().run(command + words)
            #expect(result.code == .unavailable)
            #expect(result.errors.contains("no response within the time of --timeout"))
        }
        withExtendedLifetime(listener) {}
    }

    @Test func `a change whose response was lost is sent once more with its key`() throws {
        let (result, requests) = try run(["undo", "a"], ["", ScriptedServer.json("{}")])
        #expect(result.code == .success)
        #expect(requests.count == 2)
        #expect(requests[0] == requests[1])
        let (twice, keys) = try run(["undo", "a"], [ScriptedServer.json("{}")])
        #expect(twice.code == .success)
        #expect(keys[0] != requests[0], "another change has another key")
    }

    @Test func `a Unix socket is called as well`() throws {
        let directory = try TemporaryDirectory(on: .memory)
        let path = directory.path + "/n.sock"
        let server = try ScriptedServer(
            ScriptedServer.json("{}"), at: try Socket.listen(path: path))
        let result = CommandLine().run("apps", "--server", "unix:\(path)")
        #expect(result.output == "{}\n", "\(result.errors)")
        #expect(server.join().first?.contains("\r\nHost: localhost\r\n") == true)
    }

    @Test func `control characters in JSON become escapes`() throws {
        let (result, _) = try run(["apps"], [ScriptedServer.json("{\"a\":\"\u{9B}2J\u{7F}\"}")])
        #expect(result.output == #"{"a":"\u009b2J\u007f"}"# + "\n")
    }

    // MARK: - watch

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

    private func change(_ number: Int) -> String {
        "id: \(number)\nevent: change\ndata: {\"revision\":\(number),\"command\":"
            + "{\"command\":\"back\"}}\n\n"
    }

    private static let deleted = "id: 9\nevent: deleted\ndata: {}\n\n"

    @Test func `watch prints a line for each event, and ends with the session`() throws {
        let stream = Self.head + change(3) + ":\n\n" + change(4) + Self.deleted + change(5)
        let (plain, requests) = try run(["watch", "a", "--json=false"], [stream])
        #expect(plain.output == "     3  back\n     4  back\n        deleted\n")
        #expect(plain.code == .success, "\(plain.errors)")
        #expect(requests[0].hasPrefix("GET /v1/sessions/a/events HTTP/1.1\r\n"))
        #expect(!requests[0].contains("Last-Event-ID"))
        let (json, _) = try run(["watch", "a"], [stream])
        let lines = json.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.last == #"{"id":9,"event":"deleted","data":{}}"#)
    }

    @Test func `a stream that is lost is opened again after its last event`() throws {
        let busy = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
        let (result, requests) = try run(
            ["watch", "a", "--json=false"],
            [Self.head + change(3) + "id: 4\nda", busy, Self.head + change(4) + Self.deleted])
        #expect(result.output == "     3  back\n     4  back\n        deleted\n")
        #expect(result.errors.contains("connecting again"))
        #expect(requests.count == 3)
        #expect(requests[1].contains("\r\nLast-Event-ID: 3\r\n"))
        #expect(requests[2].contains("\r\nLast-Event-ID: 3\r\n"))
    }

    @Test func `a stream that cannot be opened again ends with 69, or with the refusal`() throws {
        let (gone, _) = try run(
            ["watch", "a", "--timeout", "100ms"], [Self.head + change(3)])
        #expect(gone.code == .unavailable, "\(gone.errors)")
        let missing = ScriptedServer.json(
            #"{"type":"/problems/session-not-found","detail":"No."}"#, "404 Not Found")
        let (refused, _) = try run(["watch", "a"], [Self.head + change(3), missing])
        #expect(refused.code.rawValue == 1)
        #expect(refused.errors.contains("session-not-found"))
        let (first, _) = try run(["watch", "a"], [missing])
        #expect(first.code.rawValue == 1)
    }
}
