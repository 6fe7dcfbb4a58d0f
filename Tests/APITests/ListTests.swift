import API
import HTTP
import JSON
import Navigation
import Sessions
import TestSupport
import Testing

/// Lists and streams of many sessions, and what they may cost.
@Suite struct ListTests {
    private func client(_ change: (inout ServiceOptions) -> Void = { _ in }) throws -> Client {
        var options = ServiceOptions()
        change(&options)
        return try Client(options: options)
    }

    /// Sessions whose records have about so many bytes.
    private func fill(_ client: Client, _ count: Int, bytes: Int) throws {
        let text = String(repeating: "x", count: min(bytes, 60_000))
        let entry = #"{"route":"r","params":{"p":"\#(text)"}}"#
        let path = Array(repeating: entry, count: max(1, bytes / 60_000)).joined(separator: ",")
        for number in 0..<count {
            let body = #"{"tabs":[{"id":"main","path":[\#(path)]}]}"#
            let made = try client.call("PUT", "/v1/sessions/s\(100 + number)", body)
            #expect(made.status == 201)
        }
    }

    /// All ids by following `next`, and how many pages they took.
    private func pages(_ client: Client, _ query: String) throws -> [[String]] {
        var (pages, cursor) = ([[String]](), "")
        repeat {
            let answer = try client.call("GET", "/v1/sessions?\(query)\(cursor)")
            #expect(answer.status == 200)
            pages.append((answer.json["sessions"]?.array ?? []).compactMap { $0["id"]?.string })
            cursor = (answer.json["next"]?.string).map { "&cursor=\($0)" } ?? ""
        } while !cursor.isEmpty
        return pages
    }

    @Test func `a page of the list ends where its records have many bytes`() throws {
        let client = try client { $0.recordBytesMax = 2 << 20 }
        try fill(client, 8, bytes: 300_000)
        client.store.forget()
        let pages = try pages(client, "limit=1000")
        #expect(pages.map(\.count) == [5, 3])
        #expect(pages.flatMap { $0 } == (100..<108).map { "s\($0)" })
        // All that a page shows is loaded at once.
        #expect(client.store.loads == 2)
        #expect(client.store.bytesOfLoads.max() ?? 0 <= 2 << 20)
    }

    @Test func `a session that is larger than a page is a page of its own`() throws {
        let client = try client { $0.recordBytesMax = 100_000 }
        try fill(client, 3, bytes: 300_000)
        client.store.forget()
        #expect(try pages(client, "limit=2").map(\.count) == [1, 1, 1])
    }

    @Test func `sessions are listed by their idle time and route also if no record is in memory`()
        throws
    {
        let client = try client()
        for number in 0..<4 {
            try client.call("POST", "/v1/sessions", #"{"id":"s\#(number)"}"#)
            try client.call(
                "POST", "/v1/sessions/s\(number)/navigate", #"{"route":"r\#(number % 2)"}"#)
            client.now += 10_000
        }
        client.store.forget()
        #expect(try pages(client, "idle=25") == [["s0", "s1"]])
        // The conditions and the list need one load.
        #expect(client.store.loads == 1)
        client.store.forget()
        #expect(try pages(client, "idle=15&visible=r0") == [["s0", "s2"]])
        client.store.forget()
        #expect(try pages(client, "idle=25&limit=1") == [["s0"], ["s1"]])
    }

    @Test func `a page of small sessions has as many as were asked for`() throws {
        let client = try client()
        try fill(client, 30, bytes: 2000)
        #expect(try pages(client, "limit=20").map(\.count) == [20, 10])
    }

    @Test func `a label that is asked for again counts once`() throws {
        let client = try client()
        for id in ["a", "b"] {
            try client.call("POST", "/v1/sessions", #"{"id":"\#(id)","labels":{"k":"v"}}"#)
        }
        let query = Array(repeating: "label=k:v", count: 100).joined(separator: "&")
        let answer = try client.call("GET", "/v1/sessions?limit=1&\(query)")
        #expect(answer.json["sessions"]?.array.count == 1)
        let link = try #require(answer.response.value(of: "Link"))
        #expect(link == #"</v1/sessions?label=k%3Av&limit=1&cursor=a>; rel="next""#)
        let none = try client.call("GET", "/v1/sessions?\(query)&label=k:w")
        #expect(none.json["sessions"]?.array.isEmpty == true)
    }

    @Test func `a query's names are compared byte by byte`() throws {
        let client = try client()
        for name in ["%E2%84%AA", "li%CC%81mit", "limit%CC%81"] {
            #expect(try client.call("GET", "/v1/sessions?\(name)=1").status == 422)
        }
        let twice = try client.call("GET", "/v1/sessions?limit=1&limit=1")
        #expect(twice.text.contains("must not be repeated"))
    }
}

/// The first lines of a stream.
@Suite struct StreamBeginningTests {
    private let client: Client
    /// The number of the last change, after which a client comes back.
    private var last: SequenceNumber { client.store.durable }

    init() throws {
        var options = ServiceOptions()
        options.recordBytesMax = 64 << 10
        options.snapshotBytesMax = 400 << 10
        client = try Client(options: options)
    }

    private func create(_ ids: [String]) throws {
        for id in ids { try client.call("POST", "/v1/sessions", #"{"id":"\#(id)"}"#) }
    }

    private func change(_ ids: [String], times: Int) throws {
        for number in 1...times {
            for id in ids {
                try client.command(id, "setBadge", #"{"tab":"main","badge":\#(number)}"#)
            }
        }
    }

    private func opening(_ target: String) throws -> StreamOpening {
        let text = "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        return try #require(try client.opening(Array(text.utf8)))
    }

    /// `change s1 3` for a change of that session to that revision.
    private func events(_ opening: StreamOpening) throws -> [String] {
        #expect(opening.events.map(\.sequence) == opening.events.map(\.sequence).sorted())
        return try opening.events.map { event in
            let data = try JSON(parsing: event.data)
            let id = data["session"]?["id"]?.string ?? "-"
            let gap = data["gap"] == nil ? "" : " gap"
            return "\(event.name) \(id) \(data["revision"]?.integer ?? 0)\(gap)"
        }
    }

    @Test func `what many sessions missed is read at once`() throws {
        let ids = (0..<30).map { "s\($0)" }
        try create(ids)
        let after = last
        try change(ids, times: 3)
        client.store.forget()
        let query = ids.map { "session=\($0)" }.joined(separator: "&")
        let opening = try opening("/v1/events?\(query)&after=\(after)")
        let expected = (2...4).flatMap { revision in ids.map { "change \($0) \(revision)" } }
        #expect(try events(opening) == expected)
        #expect(client.store.loads == 1)
    }

    @Test func `snapshots of many sessions are read at once`() throws {
        let ids = (0..<40).map { "s\($0)" }
        try create(ids)
        client.store.forget()
        let query = ids.map { "session=\($0)" }.joined(separator: "&")
        let opening = try opening("/v1/events?\(query)")
        #expect(try events(opening) == ids.map { "snapshot \($0) 1" })
        #expect(client.store.loads == 1)
    }

    @Test func `sessions that missed too much get a snapshot with a gap, the others their changes`()
        throws
    {
        try create(["large", "small"])
        let after = last
        try change(["small"], times: 2)
        let text = String(repeating: "x", count: 20_000)
        for _ in 1...5 {
            try client.command(
                "large", "navigate", #"{"route":"r","mode":"reset","params":{"p":"\#(text)"}}"#)
        }
        client.store.forget()
        let opening = try opening("/v1/events?session=small&session=large&after=\(after)")
        #expect(
            try events(opening) == ["change small 2", "change small 3", "snapshot large 6 gap"])
        #expect(client.store.loads <= 2)
    }

    @Test func `a session's own stream is bounded in the same way`() throws {
        try create(["a"])
        let after = last
        try change(["a"], times: 3)
        client.store.forget()
        let target = "/v1/sessions/a/events?after="
        #expect(
            try events(opening(target + "\(after)")) == ["change a 2", "change a 3", "change a 4"])
        #expect(client.store.loads == 1)
        #expect(try events(opening(target + "\(last)")).isEmpty)
        #expect(try events(opening(target + "\(last + 1)")) == ["snapshot a 4 gap"])
        let text = String(repeating: "x", count: 30_000)
        for _ in 1...3 {
            try client.command(
                "a", "navigate", #"{"route":"r","mode":"reset","params":{"p":"\#(text)"}}"#)
        }
        client.store.forget()
        #expect(try events(opening(target + "\(after)")) == ["snapshot a 7 gap"])
    }

    @Test func `a browser that connects again continues after the last event`() throws {
        try create(["a"])
        let after = last
        try change(["a"], times: 3)
        for target in [
            "/v1/sessions/a/events?after=\(after)", "/v1/events?session=a&after=\(after)",
        ] {
            let fields = "Host: localhost\r\nLast-Event-ID: \(last - 1)\r\n\r\n"
            let text = "GET \(target) HTTP/1.1\r\n\(fields)"
            let opening = try #require(try client.opening(Array(text.utf8)))
            #expect(try events(opening) == ["change a 4"], "\(target)")
        }
    }

    @Test func `a resumed stream reports the end of a session and follows the others`() throws {
        try create(["a", "b"])
        let after = last
        try change(["a"], times: 1)
        try client.call("DELETE", "/v1/sessions/b")
        let target = "/v1/events?session=b&session=a"
        let opening = try opening(target + "&after=\(after)")
        #expect(try events(opening) == ["change a 2", "deleted - 0"])
        let data = try #require(opening.events.last).data
        #expect(String(decoding: data, as: UTF8.self) == #"{"id":"b"}"#)
        // The change of the other session is not sent again.
        let id = try #require(opening.events.last?.sequence)
        #expect(try events(self.opening(target + "&after=\(id)")) == ["deleted - 0"])
        #expect(try client.call("GET", target).problem == "session-not-found")
    }

    @Test func `a session that was created since begins with a snapshot`() throws {
        try create(["a"])
        let after = last
        try create(["b"])
        let opening = try opening("/v1/events?session=a&session=b&after=\(after)")
        #expect(try events(opening) == ["snapshot b 1 gap"])
    }

    @Test func `the stream of all makes up for what is known, else it says hello with a gap`()
        throws
    {
        try create(["a", "b"])
        let after = last
        try create(["c"])
        try change(["a", "b"], times: 2)
        client.store.forget()
        let missed = try opening("/v1/events?after=\(after)")
        #expect(
            try events(missed) == [
                "change c 1", "change a 2", "change b 2", "change a 3", "change b 3",
            ])
        #expect(client.store.loads == 1)
        let text = String(repeating: "x", count: 40_000)
        for id in ["a", "b"] {
            try client.command(id, "navigate", #"{"route":"r","params":{"p":"\#(text)"}}"#)
        }
        #expect(try events(opening("/v1/events?after=\(after)")) == ["hello - 0 gap"])
        let afterThat = last
        try change(["a"], times: 1)
        try client.call("DELETE", "/v1/sessions/b")
        #expect(try events(opening("/v1/events?after=\(afterThat)")) == ["hello - 0 gap"])
    }

    @Test func `sessions that are too large to begin with together are refused`() throws {
        try create(["a", "b", "c"])
        let text = String(repeating: "x", count: 60_000)
        for id in ["a", "b", "c"] {
            try client.command(id, "navigate", #"{"route":"r","params":{"p":"\#(text)"}}"#)
        }
        let query = "/v1/events?session=a&session=b"
        #expect(try events(opening(query)).count == 2)
        let refused = try client.call("GET", query + "&session=c")
        #expect(refused.problem == "limit-exceeded")
        // Who has seen them goes on with nothing but what is new.
        #expect(try events(opening(query + "&session=c&after=\(last)")).isEmpty)
    }

    @Test func `a session that is named again is followed once`() throws {
        try create(["a"])
        let names = Array(repeating: "session=a", count: 300).joined(separator: "&")
        #expect(try events(opening("/v1/events?\(names)")) == ["snapshot a 1"])
    }
}
