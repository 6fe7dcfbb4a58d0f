@testable import Cluster
import NATS
import POSIX
import Testing

@Suite struct RequestLinkTests {
    let server: FakeServer
    let requests: RequestLink<String>

    init() throws {
        server = try FakeServer()
        requests = server.makeLink()
        try server.greet(requests)
    }

    private func turn() throws -> [RequestEvent<String>] {
        try server.wait()
        return requests.happened(at: server.now)
    }

    /// - Returns: whether it was sent.
    @discardableResult
    private func send(_ context: String, deadline: Int64 = 5_000) -> Bool {
        defer { _ = requests.flush(at: server.now) }
        return requests.request(
            Subject(trusted: "ask.\(context)"), payload: Array(context.utf8), context: context,
            deadline: deadline)
    }

    private func replies(_ events: [RequestEvent<String>]) -> [String] {
        events.compactMap { event in
            guard case .reply(let context, let message) = event else { return nil }
            requests.finish(with: message)
            return "\(context): \(String(decoding: message.content, as: UTF8.self))"
        }
    }

    private func unanswered(_ events: [RequestEvent<String>]) -> [String] {
        events.compactMap { event in
            guard case .unanswered(let context) = event else { return nil }
            return context
        }
    }

    @Test func `each reply finds its request, in any order`() throws {
        send("a")
        send("b")
        try server.hear("PUB ask.a _INBOX.n1.1.1 1\r\na\r\nPUB ask.b _INBOX.n1.1.2 1\r\nb\r\n")
        try server.say("MSG _INBOX.n1.1.2 1 1\r\nB\r\nMSG _INBOX.n1.1.1 1 1\r\nA\r\n")
        var heard: [String] = []
        while heard.count < 2 { heard += replies(try turn()) }
        #expect(heard == ["b: B", "a: A"])
        try server.say("MSG _INBOX.n1.1.2 1 4\r\nlate\r\nMSG other 9 4\r\nmine\r\n")
        var messages: [String] = []
        while messages.isEmpty {
            for event in try turn() {
                guard case .message(let message) = event else {
                    Issue.record("\(event)")
                    continue
                }
                messages.append(String(decoding: message.content, as: UTF8.self))
            }
        }
        #expect(messages == ["mine"], "a late reply is dropped")
    }

    @Test func `what has no reply in time is unanswered`() throws {
        send("a", deadline: 2_000)
        send("b", deadline: 1_500)
        #expect(requests.deadline == 1_500)
        #expect(unanswered(requests.expired(at: 1_499)).isEmpty)
        #expect(unanswered(requests.expired(at: 2_000)) == ["b", "a"])
        #expect(requests.waitingCount == 0)
    }

    @Test func `the end of the link leaves all requests unanswered`() throws {
        send("a")
        send("b")
        server.hangUp()
        var events: [RequestEvent<String>] = []
        while unanswered(events).isEmpty { events += try turn() }
        #expect(unanswered(events) == ["a", "b"])
        #expect(!send("c"))
    }

    @Test func `what cannot be sent is not sent`() throws {
        for name in ["a", "b", "c"] { send(name) }
        #expect(!send("d"))
        let isSent = requests.request(
            Subject(trusted: "big"), payload: [UInt8](repeating: 0, count: 2_097_153),
            context: "big", deadline: 9_000)
        #expect(!isSent)
        #expect(requests.waitingCount == 3)
    }

    @Test func `while the server does not read, nothing more is sent`() throws {
        let payload = [UInt8](repeating: 0x61, count: 1 << 20)
        var (count, buffer) = (0, payload)
        while requests.hasRoom {
            try #require(count < 100, "nothing bounds the bytes that wait")
            requests.send(.publish(Publication(try Subject("a"), reply: nil, payload: payload)))
            _ = requests.flush(at: server.now)
            count += 1
        }
        #expect(!send("b"))
        #expect(requests.waitingCount == 0)
        let connection = try #require(server.connection)
        while !requests.hasRoom {
            while try connection.receive(into: &buffer, 0..<buffer.count) ?? 0 > 0 {}
            #expect(try turn().isEmpty)
        }
        #expect(send("b") && requests.waitingCount == 1)
    }
}
