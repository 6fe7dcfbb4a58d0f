import JSON
import TestSupport
import Testing

@testable import Server

/// Changes of sessions without a request, with a clock that the test moves.
@Suite struct DueSessionsTests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    // MARK: Help

    private func body(_ client: TestClient) -> JSON {
        let text = client.text.split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""
        return (try? JSON(parsing: Array(text.utf8))) ?? .null
    }

    private func ask(_ text: String, of server: TestServer? = nil) throws -> JSON {
        body(try (server ?? self.server).ask(text))
    }

    private func command(_ id: String, _ name: String, _ body: String = "{}") throws -> JSON {
        try ask(.post("/v1/sessions/\(id)/\(name)", body))
    }

    private func session(_ id: String, of server: TestServer? = nil) throws -> JSON {
        try ask(.get("/v1/sessions/\(id)"), of: server)
    }

    private func revision(_ id: String, of server: TestServer? = nil) throws -> Int64? {
        try session(id, of: server)["revision"]?.integer
    }

    /// The history, the oldest first: revision, command and author of each change.
    private func history(_ id: String, of server: TestServer? = nil) throws -> [String] {
        let page = try ask(.get("/v1/sessions/\(id)/history?limit=1000"), of: server)
        guard case .array(let items)? = page["history"] else { return [] }
        return items.reversed().map { item in
            let by = item["by"]?.string.map { " by \($0)" } ?? ""
            let name = item["command"]?["command"]?.string ?? ""
            return "\(item["revision"]?.integer ?? 0) \(name)\(by)"
        }
    }

    private func pass(_ milliseconds: Int64, at server: TestServer? = nil) throws {
        let server = server ?? self.server
        server.clock.advance(milliseconds: milliseconds)
        try server.settle()
    }

    private static let idle =
        #""idle":{"seconds":5,"command":{"command":"root","scope":"all"}}"#

    private func make(_ id: String, _ members: String = Self.idle) throws {
        _ = try ask(.post("/v1/sessions", #"{"id":"\#(id)",\#(members)}"#))
        _ = try command(id, "navigate", #"{"route":"r"}"#)
    }

    // MARK: Idle commands

    @Test func `an idle command is carried out once, at most a second late`() throws {
        try make("a")
        try pass(4_999)
        #expect(try revision("a") == 2)
        try pass(1_001)
        #expect(try history("a") == ["1 create", "2 navigate", "3 root by idle"])
        try pass(3_600_000)
        #expect(try revision("a") == 3)
        _ = try command("a", "navigate", #"{"route":"r"}"#)
        try pass(6_000)
        #expect(try history("a").suffix(2) == ["4 navigate", "5 root by idle"])
    }

    @Test func `every change begins the time again, and reads do not`() throws {
        try make("a")
        for number in 1...5 {
            try pass(4_000)
            let answer = try command("a", "setBadge", #"{"tab":"main","badge":\#(number)}"#)
            #expect(answer["changed"] == .bool(true), "\(answer.text)")
        }
        #expect(try history("a").allSatisfy { !$0.contains("idle") })
        for _ in 0..<5 {
            try pass(1_000)
            _ = try session("a")
        }
        try pass(1_000)
        #expect(try history("a").last == "8 root by idle")
    }

    @Test func `without effect nothing happens until the next change`() throws {
        _ = try ask(.post("/v1/sessions", #"{"id":"a",\#(Self.idle)}"#))
        try pass(60_000)
        #expect(try revision("a") == 1)
        _ = try command("a", "navigate", #"{"route":"r"}"#)
        try pass(4_000)
        #expect(try revision("a") == 2)
        try pass(2_000)
        #expect(try revision("a") == 3)
    }

    @Test func `a refused command is not tried again before the next change`() throws {
        try make("a", #""idle":{"seconds":5,"command":{"command":"select","tab":"none"}}"#)
        try pass(60_000)
        #expect(try revision("a") == 2)
    }

    @Test func `a batch is one change, and undo reverts what an idle command has done`() throws {
        let batch =
            #"{"command":"batch","commands":[{"command":"root"},{"command":"present","route":"s"}]}"#
        try make("a", #""idle":{"seconds":1,"command":\#(batch)}"#)
        try pass(2_000)
        #expect(try history("a").last == "3 batch by idle")
        _ = try command("a", "undo")
        #expect(try session("a")["tabs"]?.text.contains(#""route":"r""#) == true)
        #expect(try session("a")["idle"] != nil)
    }

    @Test func `a session without it is left alone, also after it was removed`() throws {
        try make("a")
        _ = try ask(
            "PATCH /v1/sessions/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\n"
                + "Content-Type: application/json\r\n\r\n{\"idle\":null}")
        try pass(60_000)
        #expect(try history("a").last == "3 update")
        #expect(try session("a")["idle"] == nil)
    }

    // MARK: Apps

    private func putApp(_ idle: String) throws {
        _ = try ask(
            .put(
                "/v1/apps/shop",
                #"{"tabs":[{"id":"main","routes":["r"]}],"routes":{"r":{}}\#(idle)}"#))
    }

    private static let ofApp = #","idle":{"seconds":5,"command":{"command":"root"}}"#

    @Test func `the command of an app counts for its sessions, old ones too`() throws {
        try putApp("")
        for number in 0..<50 { try make("s\(number)", #""app":"shop""#) }
        try make("other", #""labels":{}"#)
        try make("own", #""app":"shop","idle":{"seconds":30,"command":{"command":"root"}}"#)
        try pass(3_000)
        try putApp(Self.ofApp)
        try pass(1_900)
        for number in 0..<50 { #expect(try revision("s\(number)") == 2) }
        try pass(1_100)
        for number in 0..<50 { #expect(try history("s\(number)").last == "3 root by idle") }
        #expect(try revision("other") == 2 && revision("own") == 2)
        try pass(26_000)
        #expect(try history("own").last == "3 root by idle")
        _ = try command("s1", "navigate", #"{"route":"r"}"#)
        try putApp("")
        try pass(60_000)
        #expect(try history("s1").last == "4 navigate")
    }

    @Test func `the command of an app is tried when the app is stored`() throws {
        let refused = try ask(
            .put(
                "/v1/apps/shop",
                #"{"tabs":[{"id":"main"}],"idle":{"seconds":5,"command":{"command":"navigate","route":"x"}}}"#
            ))
        #expect(refused["type"]?.string == "/problems/invalid-app")
        #expect(refused["errors"]?.text.contains(#""pointer":"/idle/command/route""#) == true)
        let misshapen = try ask(
            .put("/v1/apps/shop", #"{"tabs":[{"id":"main"}],"idle":{"seconds":0}}"#))
        #expect(misshapen["errors"]?.text.contains("/idle/seconds") == true)
    }

    // MARK: Sheets

    @Test func `a sheet goes when its time has come, and says so`() throws {
        try make("a", #""labels":{}"#)
        _ = try command("a", "present", #"{"route":"s","ttlSeconds":5}"#)
        _ = try command("a", "present", #"{"route":"t"}"#)
        let waiting = try server.pair()
        try waiting.send(.get("/v1/sessions/a/sheets/e2", "Prefer: wait=30\r\n"))
        try server.settle()
        try pass(4_900)
        #expect(try revision("a") == 4)
        try pass(1_100)
        try server.turn(until: { waiting.answers == 1 }, clients: waiting)
        #expect(body(waiting)["state"]?.string == "expired")
        #expect(body(waiting)["command"]?.string == "expire")
        let above = try ask(.get("/v1/sessions/a/sheets/e3"))
        #expect(above["state"]?.string == "dismissed" && above["command"]?.string == "expire")
        #expect(try history("a").last == "5 expire")
        try pass(60_000)
        #expect(try revision("a") == 5)
    }

    // MARK: Restarts

    @Test func `what is overdue after a kill happens then, once`() throws {
        try make("a")
        _ = try command("a", "present", #"{"route":"s","ttlSeconds":2}"#)
        try make("b")
        try pass(3_000)
        #expect(try history("a").last == "4 expire")
        let second = try server.afterKill()
        try pass(60_000, at: second)
        #expect(try history("a", of: second).last == "5 root by idle")
        #expect(try history("b", of: second).last == "3 root by idle")
        let third = try second.afterKill()
        try pass(60_000, at: third)
        #expect(try revision("a", of: third) == 5 && revision("b", of: third) == 3)
    }

    @Test func `the sessions of an app with a command are known after a start`() throws {
        try putApp(Self.ofApp)
        for number in 0..<20 { try make("s\(number)", #""app":"shop""#) }
        let second = try server.afterKill()
        try pass(3_000, at: second)
        #expect(try revision("s3", of: second) == 2)
        try pass(3_000, at: second)
        for number in 0..<20 {
            #expect(try history("s\(number)", of: second).last == "3 root by idle")
        }
    }

    /// Random lives of some sessions over kills. After every change but one by idle, an idle
    /// command follows if nobody changes the session for its time, and never twice.
    @Test(.seeded) func `each idle command and each end of a sheet happens once over kills`() throws
    {
        var random = SplitMix64()
        var server = server
        let ids = (0..<6).map { "s\($0)" }
        for id in ids { try make(id) }
        for _ in 0..<150 {
            let id = ids[random.below(ids.count)]
            switch random.below(6) {
            case 0, 1: _ = try server.ask(.post("/v1/sessions/\(id)/navigate", #"{"route":"r"}"#))
            case 2:
                let body = #"{"route":"s","ttlSeconds":\#(1 + random.below(9))}"#
                _ = try server.ask(.post("/v1/sessions/\(id)/present", body))
            case 3 where random.below(4) == 0:
                server.clock.advance(milliseconds: Int64(random.below(9_000)))
                for _ in 0..<random.below(4) { try server.loop.turn(waitingAtMost: 0) }
                server = try server.afterKill()
            default: try pass(Int64(random.below(3_000)), at: server)
            }
        }
        // The end of a sheet is a change as well, after which the idle command is due again.
        try pass(60_000, at: server)
        try pass(6_000, at: server)
        for id in ids {
            let changes = try history(id, of: server)
            for (before, after) in zip(changes, changes.dropFirst()) {
                #expect(!(before.contains("by idle") && after.contains("by idle")), "\(changes)")
            }
            let session = try session(id, of: server)
            #expect(session["sheets"]?.text == "[]")
            #expect(session["tabs"]?.text.contains("route") == false, "\(changes)")
        }
    }

    // MARK: Many

    @Test func `two thousand at once take short turns`() throws {
        try putApp(Self.ofApp)
        for start in stride(from: 0, to: 2_000, by: 100) {
            let client = try server.pair()
            var text = ""
            for number in start..<start + 100 {
                text += .post("/v1/sessions", #"{"id":"s\#(number)","app":"shop"}"#)
                text += .post("/v1/sessions/s\(number)/navigate", #"{"route":"r"}"#)
            }
            try client.send(text)
            try server.turn(until: { client.answers == 200 }, clients: client)
        }
        server.loop.parts.share.longestTurn = TurnWork()
        try pass(60_000)
        #expect(server.loop.parts.share.longestTurn.units < 2 * TurnWork.unitsMax)
        for number in [0, 1, 999, 1_999] { #expect(try revision("s\(number)") == 3) }
    }
}

extension JSON {
    fileprivate subscript(_ key: String) -> JSON? {
        if case .object(let object) = self { object[key] } else { nil }
    }
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
    fileprivate var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
}
