import HTTP
import JSON
import Navigation
import Sessions
import TestSupport
import Testing

import API

/// The fate of a sheet, and the wait for it.
@Suite struct SheetReadingTests {
    let client: Client

    init() throws {
        client = try Client()
        try client.call("POST", "/v1/sessions", #"{"id":"a","tabs":["x","y"]}"#)
    }

    private func sheet(_ id: String, _ fields: [String: String] = [:]) throws -> Client.Answer {
        try client.call("GET", "/v1/sessions/a/sheets/\(id)", nil, fields)
    }

    /// The text of a sheet that is gone, without the time.
    private func end(_ id: String) throws -> String {
        let answer = try sheet(id)
        #expect(answer.json["at"]?.string?.hasSuffix("Z") == true)
        guard case .object(let object) = answer.json else { return answer.text }
        return object.members.filter { !["sheet", "state", "at"].contains($0.key) }
            .map { $0.value.text }.joined(separator: " ")
    }

    @Test func `a sheet is presented until it is dismissed, with its result`() throws {
        try client.command("a", "present", #"{"route":"ask"}"#)
        #expect(try sheet("e1").text == #"{"sheet":"e1","state":"presented"}"#)
        try client.command("a", "dismiss", #"{"result":{"n":1.0,"t":"é"}}"#)
        #expect(
            try sheet("e1").text
                == #"{"sheet":"e1","state":"dismissed","revision":3,"at":"2026-11-21T01:36:40Z","#
                + #""command":"dismiss","result":{"n":1.0,"t":"é"}}"#)
        try client.command("a", "navigate", #"{"route":"r"}"#)
        #expect(try end("e1") == #"3 "dismiss" {"n":1.0,"t":"é"}"#)
    }

    @Test func `a null is a result, and nothing is none`() throws {
        for body in [#"{"result":null}"#, "{}"] {
            try client.command("a", "present", #"{"route":"ask"}"#)
            try client.command("a", "dismiss", body)
        }
        #expect(try sheet("e1").json["result"] == .null)
        #expect(try sheet("e2").json["result"] == nil)
    }

    @Test func `a sheet that undo brings back is presented, and redo dismisses it`() throws {
        try client.command("a", "present", #"{"route":"ask"}"#)
        try client.command("a", "dismiss", #"{"result":1}"#)
        try client.command("a", "undo")
        #expect(try sheet("e1").json["state"]?.string == "presented")
        try client.command("a", "redo")
        #expect(try end("e1") == #"5 "redo""#)
        try client.command("a", "undo", #"{"count":2}"#)
        #expect(try end("e1") == #"5 "redo""#, "it was gone before")
        try client.command("a", "redo")
        try client.command("a", "undo")
        #expect(try end("e1") == #"8 "undo""#)
    }

    @Test(arguments: [
        ("back", "{}"), ("root", "{}"), ("root", #"{"scope":"all"}"#),
        ("navigate", #"{"route":"r","in":"x","sheets":"dismiss"}"#),
        ("present", #"{"route":"other","tag":"t"}"#),
    ])
    func `any command that removes it is named`(command: String, body: String) throws {
        try client.command("a", "present", #"{"route":"ask","tag":"t"}"#)
        try client.command("a", command, body)
        #expect(try end("e1") == "3 \"\(command)\"")
    }

    @Test func `a whole state that leaves it out is the command restore`() throws {
        try client.command("a", "present", #"{"route":"ask"}"#)
        try client.call("PUT", "/v1/sessions/a", #"{"tabs":[{"id":"x"}]}"#)
        #expect(try end("e1") == #"3 "restore""#)
    }

    @Test func `the result belongs to the lowest sheet alone`() throws {
        for route in ["low", "middle", "high"] {
            try client.command("a", "present", #"{"route":"\#(route)","path":[{"route":"r"}]}"#)
        }
        try client.command("a", "dismiss", #"{"sheet":"e3","result":7}"#)
        #expect(try end("e3") == #"5 "dismiss" 7"#)
        #expect(try end("e5") == #"5 "dismiss""#)
        #expect(try sheet("e1").json["state"]?.string == "presented")
    }

    @Test func `of a batch it is the result of the command that dismissed it`() throws {
        for tag in ["a", "b", "c"] {
            try client.command("a", "present", #"{"route":"s","tag":"\#(tag)"}"#)
        }
        try client.command(
            "a", "batch",
            #"""
            {"commands":[{"command":"dismiss","result":3},{"command":"present","route":"brief"},
             {"command":"dismiss","result":"no"},{"command":"dismiss","tag":"a","result":1}]}
            """#)
        #expect(try end("e3") == #"5 "batch" 3"#)
        #expect(try end("e2") == #"5 "batch""#)
        #expect(try end("e1") == #"5 "batch" 1"#)
        #expect(try end("e4") == #"5 "batch" "no""#, "it came and went in one revision")
    }

    @Test(arguments: [
        (#"{"command":"dismiss","all":true,"result":1}"#, #"2 "batch" 1"#),
        (#"{"command":"present","route":"new","tag":"t"}"#, #"2 "batch""#),
        (#"{"command":"root"}"#, #"2 "batch""#),
        (#"{"command":"navigate","route":"r","in":"y","sheets":"dismiss"}"#, #"2 "batch""#),
    ])
    func `a sheet that came and went in one batch is told from entries that did`(
        last: String, expected: String
    ) throws {
        let first = #"{"command":"navigate","route":"r"}"#
        let second = #"{"command":"back"}"#
        let third = #"{"command":"present","route":"s","tag":"t","path":[{"route":"r"}]}"#
        let fourth = #"{"command":"navigate","route":"r"}"#
        try client.command(
            "a", "batch",
            #"{"commands":[\#([first, second, third, fourth, last].joined(separator: ","))]}"#)
        #expect(try end("e2") == expected)
        for entry in ["e1", "e3", "e4"] {
            #expect(try sheet(entry).problem == "sheet-not-found", "\(entry)")
        }
        try client.command("a", "navigate", #"{"route":"r"}"#)
        try change(times: 31)
        #expect(try end("e2") == expected, "the history still has it")
        try change(times: 1)
        #expect(try sheet("e2").problem == "sheet-not-found")
    }

    /// Makes changes that do not concern sheets. The store keeps the newest record and the 32
    /// before it.
    private func change(times: Int) throws {
        for _ in 1...times {
            try client.command("a", "navigate", #"{"route":"r","mode":"reset"}"#)
        }
    }

    /// A session with a link that shows a path, a sheet and a path on it.
    private func makeGuide() throws {
        try client.call(
            "PUT", "/v1/apps/guide",
            #"""
            {"tabs":[{"id":"home","routes":["page"]}],
             "routes":{"page":{},"tip":{"presentation":"sheet"},"hint":{"presentation":"sheet"}},
             "links":[{"pattern":"/tip","tab":"home","path":["page"],
                       "present":{"route":"tip","path":["page"]}},
                      {"pattern":"/hint","tab":"home","path":[],"present":{"route":"hint"}}]}
            """#)
        try client.call("POST", "/v1/sessions", #"{"id":"g","app":"guide"}"#)
    }

    private func ends(_ ids: ClosedRange<Int>) throws -> [String] {
        try ids.map { number in
            let answer = try client.call("GET", "/v1/sessions/g/sheets/e\(number)")
            return answer.problem ?? answer.json["state"]?.string ?? ""
        }
    }

    @Test func `of what a link opened in a batch, a dismissal tells which is the sheet`() throws {
        try makeGuide()
        try client.command(
            "g", "batch",
            #"{"commands":[{"command":"open","url":"/tip"},{"command":"dismiss","result":5}]}"#)
        #expect(try ends(1...3) == ["sheet-not-found", "dismissed", "sheet-not-found"])
        let answer = try client.call("GET", "/v1/sessions/g/sheets/e2")
        #expect(answer.json["result"]?.integer == 5)
    }

    @Test(arguments: [
        #"{"command":"root"}"#, #"{"command":"back","count":2}"#,
        #"{"command":"select","tab":"home","sheets":"dismiss"}"#,
        #"{"command":"open","url":"/hint"}"#,
    ])
    func `of what a link opened in a batch, its app tells which is the sheet`(
        last: String
    ) throws {
        try makeGuide()
        try client.command(
            "g", "batch", #"{"commands":[{"command":"open","url":"/tip"},\#(last)]}"#)
        #expect(try ends(2...2) == ["dismissed"])
        #expect(try ends(3...3) == ["sheet-not-found"])
        try client.call(
            "PUT", "/v1/apps/guide",
            #"{"tabs":[{"id":"home"}],"routes":{"page":{},"tip":{}},"links":[]}"#)
        #expect(try ends(2...2) == ["sheet-not-found"], "another app does not tell")
    }

    @Test(arguments: ["e1", "e2", "e9", "x", "e01", "E1"])
    func `what never was a sheet is not found`(id: String) throws {
        try client.command("a", "navigate", #"{"route":"r"}"#)
        try client.command("a", "navigate", #"{"route":"r"}"#)
        try client.command("a", "back")
        let answer = try sheet(id)
        #expect(answer.status == 404)
        #expect(answer.problem == "sheet-not-found")
    }

    @Test func `it is known as long as its change is in the history`() throws {
        try client.command("a", "present", #"{"route":"ask"}"#)
        try client.command("a", "dismiss", #"{"result":1}"#)
        try change(times: 32)
        #expect(try end("e1") == #"3 "dismiss" 1"#)
        try change(times: 1)
        #expect(try sheet("e1").problem == "sheet-not-found")
    }

    @Test func `records that are not in memory are loaded`() throws {
        try client.command("a", "present", #"{"route":"ask"}"#)
        try client.command("a", "dismiss", #"{"result":1}"#)
        try client.command("a", "navigate", #"{"route":"r"}"#)
        client.store.forget()
        #expect(try end("e1") == #"3 "dismiss" 1"#)
        #expect(client.store.loads > 0)
    }

    @Test func `neither state is shown before it is durable`() throws {
        client.store.isInstant = false
        try client.command("a", "present", #"{"route":"ask"}"#)
        #expect(try sheet("e1").visibleAfter == client.store.durable + 1)
        try client.command("a", "dismiss")
        #expect(try sheet("e1").visibleAfter == client.store.durable + 2)
    }

    @Test func `queries are refused, and other sessions have their own sheets`() throws {
        try client.command("a", "present", #"{"route":"ask"}"#)
        #expect(try sheet("e1?wait=1").problem == "invalid-request")
        #expect(
            try client.call("GET", "/v1/sessions/b/sheets/e1").problem == "session-not-found")
        #expect(try client.call("POST", "/v1/sessions/a/sheets/e1", "{}").status == 405)
    }

    // MARK: - Waiting

    private func wait(_ id: String, seconds: String) throws -> Int? {
        let request = try #require(
            try Request.parsed(
                Array(
                    ("GET /v1/sessions/a/sheets/\(id) HTTP/1.1\r\nHost: localhost:8080\r\n"
                        + "Prefer: wait=\(seconds)\r\n\r\n").utf8)))
        guard case .wait(let poll) = client.service.respond(to: request, at: client.now) else {
            return nil
        }
        #expect(poll.id == SessionID(trusted: "a"))
        return poll.seconds
    }

    @Test func `a read waits while the sheet is presented, at most a minute`() throws {
        try client.command("a", "present", #"{"route":"ask"}"#)
        #expect(try wait("e1", seconds: "5") == 5)
        #expect(try wait("e1", seconds: "3600") == 60)
        #expect(try wait("e1", seconds: "0") == nil)
        #expect(try wait("e1", seconds: "x") == nil)
        #expect(try wait("e2", seconds: "5") == nil)
        try client.command("a", "dismiss")
        #expect(try wait("e1", seconds: "5") == nil)
        try client.command("a", "undo")
        #expect(try wait("e1", seconds: "5") == 5)
    }

    @Test func `a token that may read the session may wait for its sheets`() throws {
        let client = try Client.guarded(by: "owner admin")
        for id in ["a", "b"] {
            try client.command(id, "present", #"{"route":"ask"}"#, bearer("owner"))
        }
        let reader = try client.reader(of: "a")
        for path in ["sheets/e1", "steps?from=1"] {
            #expect(try client.call("GET", "/v1/sessions/a/\(path)", nil, reader).status == 200)
            let other = try client.call("GET", "/v1/sessions/b/\(path)", nil, reader)
            #expect(other.problem == "forbidden")
            #expect(try client.call("GET", "/v1/sessions/a/\(path)").problem == "unauthorized")
        }
    }
}
