import Foundation
import TestSupport
import Testing

@testable import NavstateClient

/// Streams over connections that are cut anywhere.
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

    @Test func `a stream goes on after the last event, and ends with the session`() async throws {
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

    @Test func `no revision is delivered twice, and half an event is none`() async throws {
        let change = Sent.change(5, id: 12)
        let (revisions, _, transport) = try await revisions([
            .stream([Sent.snapshot(4, id: 11), String(change.dropLast(2))]),
            .stream([Sent.change(4, id: 11), change, change, Sent.change(3, id: 9), Self.end]),
        ])
        #expect(revisions == [4, 5])
        #expect(await transport.requests[1].fields["Last-Event-ID"] == "11")
    }

    @Test func `a gap is shown, unless nothing was missed`() async throws {
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
        #expect(events.last == .ended(session: "k", .deleted))
    }

    @Test(arguments: [401, 403, 404]) func `a refused stream throws`(status: Int) async throws {
        let transport = ScriptedTransport([Sent.problem(status, "session-not-found")])
        await #expect(throws: NavstateError.self) {
            for try await _ in try transport.navstate().session("k").changes() {}
        }
    }

    @Test func `what is no event stream, or no event, is an error`() async throws {
        let odd: [ScriptedTransport.Response] = [
            .answer(200, ["content-type": "text/html"], "<html>"),
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

    @Test(.seeded) func `a stream is read the same wherever it is cut`() throws {
        let text =
            "\u{FEFF}: comment\r\nretry: 7\r\rid: 1\nevent: change\ndata: \u{1F600}\rdata:b\n\n"
            + "data\n\nid: 2\0\nid\n:\nevent: x\n\ndata: last\nid: 3\r\n\r\ndata: unfinished\n"
        var whole = EventStreamParser()
        let expected = try whole.push(Data(text.utf8))
        #expect(expected.map(\.data) == ["\u{1F600}\nb", "", "last"])
        #expect(expected.map(\.id) == ["1", "1", "3"])
        #expect(expected.map(\.name) == ["change", "", ""])
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
