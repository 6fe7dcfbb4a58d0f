import Foundation
import TestSupport
import Testing

@testable import NavstateClient

/// Streams over connections that can be cut anywhere.
@Suite struct StreamTests {
    private func revisions(
        _ responses: [ScriptedTransport.Response]
    ) async throws -> (revisions: [Int], gaps: [Int], transport: ScriptedTransport) {
        let transport = ScriptedTransport(responses)
        var (revisions, gaps): ([Int], [Int]) = ([], [])
        for try await change in try transport.navstate().session("k").changes() {
            revisions.append(change.revision)
            if change.hasGap { gaps.append(change.revision) }
        }
        return (revisions, gaps, transport)
    }

    private static let end = "id: 99\nevent: deleted\ndata: {\"id\":\"k\"}\n\n"

    @Test func `a stream continues after the last event and ends with the session`() async throws {
        let (revisions, gaps, transport) = try await revisions([
            .stream([Sent.snapshot(3, id: 10), Sent.change(4, id: 11)]),
            .failure(.cannotConnectToHost),
            Sent.problem(503, "shutting-down"),
            .stream([": \n\n", Sent.change(5, id: 12)]),
            .stream([Sent.change(6, id: 13), Self.end]),
        ])
        #expect(revisions == [3, 4, 5, 6])
        #expect(gaps.isEmpty)
        let last = await transport.requests.map { $0.fields["Last-Event-ID"] }
        #expect(last == [nil, "11", "11", "11", "12"])
    }

    @Test func `no revision is delivered twice, and half an event is not delivered`() async throws {
        let change = Sent.change(5, id: 12)
        let (revisions, _, transport) = try await revisions([
            .stream([Sent.snapshot(4, id: 11), String(change.dropLast(2))]),
            .stream([Sent.change(4, id: 11), change, change, Sent.change(3, id: 9), Self.end]),
        ])
        #expect(revisions == [4, 5])
        #expect(await transport.requests[1].fields["Last-Event-ID"] == "11")
    }

    @Test func `a gap is reported unless nothing was missed`() async throws {
        let (revisions, gaps, _) = try await revisions([
            .stream([Sent.snapshot(4, id: 11)]),
            .stream([Sent.snapshot(4, id: 11, gap: true)]),
            .stream([Sent.snapshot(50, id: 70, gap: true), Sent.change(51, id: 71)]),
            .stream([Sent.snapshot(7, id: 80, gap: true), Sent.change(8, id: 81), Self.end]),
        ])
        #expect(revisions == [4, 50, 51, 7, 8])
        #expect(gaps == [50, 7])
    }

    @Test func `a session that is gone after a reconnect has ended`() async throws {
        let transport = ScriptedTransport([
            .stream([Sent.snapshot(4, id: 11)]), Sent.problem(404, "session-not-found"),
        ])
        var events: [SessionEvent] = []
        for try await event in try transport.navstate().session("k").events() {
            events.append(event)
        }
        #expect(events.last == .ended(session: "k", .gone))
    }

    @Test(arguments: [401, 403, 404]) func `a refused stream throws`(status: Int) async throws {
        let transport = ScriptedTransport([Sent.problem(status, "session-not-found")])
        await #expect(throws: NavstateError.self) {
            for try await _ in try transport.navstate().session("k").changes() {}
        }
    }

    @Test(arguments: [200, 302, 401, 403, 404, 500]) func `a proxy's page does not end a stream`(
        status: Int
    ) async throws {
        let page = ScriptedTransport.Response.answer(
            status, ["content-type": "text/html"], "<html>")
        let (revisions, _, transport) = try await revisions([
            page, .stream([Sent.snapshot(3, id: 10)]), page,
            .stream([Sent.change(4, id: 11), Self.end]),
        ])
        #expect(revisions == [3, 4])
        #expect(await transport.requests.count == 4)
    }

    @Test(arguments: [500, 507]) func `a server error does not end a stream`(
        status: Int
    ) async throws {
        let (revisions, _, _) = try await revisions([
            Sent.problem(status, "internal-error"), .stream([Sent.snapshot(3, id: 10), Self.end]),
        ])
        #expect(revisions == [3])
    }

    @Test func `a router waits until its session is created`() async throws {
        let transport = ScriptedTransport([
            Sent.problem(404, "session-not-found"), .stream([Sent.snapshot(1, id: 10), Self.end]),
        ])
        var items: [StreamItem] = []
        for try await item in try transport.navstate().session("k").items() { items.append(item) }
        #expect(items.contains(.live))
        #expect(items.last == .event(.ended(session: "k", .deleted)))
    }

    @Test func `a session that is gone does not end the stream of the others`() async throws {
        let gone = Sent.problem(404, "session-not-found")
        let transport = ScriptedTransport([
            .stream([Sent.snapshot(4, id: 11)]), gone,
            // The client asks for each session: `gone` no longer exists, but `k` does.
            gone, .answer(200, [:], Sent.session(4)),
            .stream([Sent.change(5, id: 12), Self.end]),
        ])
        var events: [SessionEvent] = []
        for try await event in try transport.navstate().events(of: ["k", "gone"]) {
            events.append(event)
        }
        #expect(events.count == 4)
        #expect(events[1] == .ended(session: "gone", .gone))
        #expect(events[3] == .ended(session: "k", .deleted))
        let urls = await transport.requests.map(\.url.absoluteString)
        #expect(urls.last?.hasSuffix("/v1/events?session=k") == true)
    }

    @Test func `a stream without sessions is empty`() async throws {
        let transport = ScriptedTransport([])
        for try await _ in try transport.navstate().events(of: []) {
            Issue.record("there was an event")
        }
        #expect(await transport.requests.isEmpty)
    }

    @Test func `a stream of matching sessions sends the filter`() async throws {
        let transport = ScriptedTransport([.stream([Sent.snapshot(1, id: 1)])])
        let filter = SessionFilter(app: "shop", labels: ["room": "lobby"])
        for try await _ in try transport.navstate().events(matching: filter) { break }
        let url = await transport.requests.first?.url.absoluteString
        #expect(url?.hasSuffix("/v1/events?app=shop&label=room%3Alobby") == true)
    }

    @Test func `waiting for a dismissal continues through outages`() async throws {
        let dismissed = #"{"sheet":"e1","state":"dismissed","result":7}"#
        let failures = (0..<20).map { _ in ScriptedTransport.Response.failure(.cannotConnectToHost)
        }
        let transport = ScriptedTransport(
            failures + [
                Sent.problem(503, "shutting-down"), .answer(502, [:], "<html>"),
                Sent.problem(500, "internal-error"), .answer(403, [:], "<html>"),
                .answer(200, [:], #"{"sheet":"e1","state":"presented"}"#),
                .answer(200, [:], dismissed),
            ])
        let session = try transport.navstate().session("k")
        #expect(try await session.dismissal(of: "e1").result == 7)
        let refusing = try ScriptedTransport([Sent.problem(404, "sheet-not-found")]).navstate()
        await #expect(throws: NavstateError.self) {
            try await refusing.session("k").dismissal(of: "e1")
        }
    }

    @Test func `an event that cannot be read is an error`() async throws {
        let odd: [ScriptedTransport.Response] = [
            .stream(["event: change\ndata: {\n\n"]),
            .stream(["event: change\ndata: {\"revision\":1}\n\n"]),
        ]
        for response in odd {
            await #expect(throws: NavstateError.self) { try await revisions([response]) }
        }
    }

    @Test func `a cancelled stream ends without an error`() async throws {
        let transport = ScriptedTransport([.openStream([Sent.snapshot(4, id: 11)])])
        let session = try transport.navstate().session("k")
        let task = Task {
            var count = 0
            for try await _ in session.changes() { count += 1 }
            return count
        }
        while await transport.requests.isEmpty { await Task.yield() }
        task.cancel()
        #expect(try await task.value <= 1)
    }

    @Test(.seeded) func `a stream is parsed the same wherever it is cut`() throws {
        let text =
            "\u{FEFF}data:\u{301}\n\n: comment\r\nretry: 7\r\rretry: -1\nid: 1\nevent: change\ndata: \u{1F600}\rdata:b\n\n"
            + "data\n\nid: 2\0\nid\n:\nevent: x\n\ndata: last\nid: 3\r\n\r\ndata: unfinished\n"
        var whole = EventStreamParser()
        let expected = try whole.push(Data(text.utf8))
        #expect(expected.map(\.data) == ["\u{301}", "\u{1F600}\nb", "", "last"])
        #expect(expected.map(\.id) == ["", "1", "1", "3"])
        #expect(expected.map(\.name) == ["", "change", "", ""])
        #expect(whole.retryMilliseconds == 7)
        var random = SplitMix64(stream: 88)
        for _ in 0..<200 {
            var parser = EventStreamParser()
            var events: [ServerSentEvent] = []
            var rest = Data(text.utf8)[...]
            while !rest.isEmpty {
                let part = rest.prefix(1 + random.below(12))
                rest = rest.dropFirst(part.count)
                events += try parser.push(Data(part))
            }
            #expect(events == expected)
        }
    }
}
