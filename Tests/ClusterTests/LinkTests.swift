@testable import Cluster
import NATS
import POSIX
import Testing

@Suite struct LinkTests {
    let server: FakeServer
    let link: RequestLink<String>

    init() throws {
        server = try FakeServer()
        link = server.makeLink(credentials: .user("ann", password: "s3cret"))
    }

    private func failure(_ events: [RequestEvent<String>]) -> LinkFailure? {
        for case .closed(let failure, _) in events { return failure }
        return nil
    }

    private func texts(_ events: [RequestEvent<String>]) -> [String] {
        events.compactMap { event in
            guard case .message(let message) = event else { return nil }
            return String(decoding: message.content, as: UTF8.self)
        }
    }

    @Test func `a link introduces itself, sends and receives`() throws {
        _ = link.expired(at: server.now)
        _ = try server.turn(link)
        try server.accept()
        #expect(!link.isReady)
        try server.say(FakeServer.info)
        #expect(try server.turn(link).isEmpty)
        try server.hear(#"CONNECT {"#)
        try server.hear(#""user":"ann","pass":"s3cret""#)
        try server.hear("PING\r\n")
        try server.say("PONG\r\n")
        guard case .ready? = try server.turn(link).first else {
            Issue.record("the link is not ready")
            return
        }
        link.send(.subscribe(try SubjectFilter("a.*"), SubscriptionID(4)))
        #expect(link.flush(at: server.now).isEmpty)
        try server.hear("SUB a.* 4\r\n")
        try server.say("MSG a.b 4 5\r\nfirst\r\nMSG a.c 4 6\r\nsecond\r\n")
        var heard: [String] = []
        while heard.count < 2 { heard += texts(try server.turn(link)) }
        #expect(heard == ["first", "second"])
        try server.say("PING\r\n")
        #expect(try server.turn(link).isEmpty)
        try server.hear("PONG\r\n")
    }

    @Test func `a message that is larger than a read comes whole`() throws {
        try server.greet(link)
        let content = String(repeating: "0123456789abcdef", count: 40_000)
        // Messages that were received before stay as they are.
        try server.say("MSG a 4 5\r\nearly\r\n")
        let early = try server.turn(link)
        let bytes = Array(
            "MSG a 4 \(content.utf8.count)\r\n\(content)\r\nMSG a 4 4\r\nlast\r\n".utf8)
        var sent = 0
        var heard: [String] = []
        while heard.count < 2 {
            if sent < bytes.count, let connection = server.connection {
                sent += try connection.send(bytes, sent..<bytes.count) ?? 0
            }
            heard += texts(try server.turn(link))
        }
        #expect(heard == [content, "last"])
        #expect(texts(early) == ["early"])
    }

    @Test func `what the server does not take waits, and is sent later`() throws {
        try server.greet(link)
        let payload = [UInt8](repeating: 0x61, count: 1 << 20)
        for _ in 0..<16 {
            link.send(.publish(Publication(try Subject("a"), reply: nil, payload: payload)))
        }
        #expect(link.flush(at: server.now).isEmpty)
        #expect(link.waitingBytes > 0)
        let connection = try #require(server.connection)
        var (buffer, received) = ([UInt8](repeating: 0, count: 1 << 20), 0)
        while link.waitingBytes > 0 {
            while let count = try connection.receive(into: &buffer, 0..<buffer.count) {
                received += count
            }
            #expect(try server.turn(link).isEmpty)
        }
        while received < 16 << 20 {
            received += try connection.receive(into: &buffer, 0..<buffer.count) ?? 0
        }
        #expect(received == 16 * ((1 << 20) + "PUB a 1048576\r\n\r\n".utf8.count))
    }

    @Test func `the end of the server is the end of the link, and the next one is tried`() throws {
        let (other, unknown) = (try FakeServer(), try FakeServer())
        let link = server.makeLink(to: [server.address, other.address])
        try server.greet(link)
        try server.say(
            #"INFO {"server_id":"A","version":"2.15.1","headers":true,"max_payload":1000000,"#
                + #""connect_urls":["\#(unknown.address)"]}"# + "\r\n")
        #expect(try server.turn(link).isEmpty)
        try server.say("MSG a 4 4\r\nlast\r\n")
        server.hangUp()
        var events: [RequestEvent<String>] = []
        while failure(events) == nil { events += try server.turn(link) }
        #expect(texts(events) == ["last"])
        #expect(failure(events) == .disconnected)
        #expect(!link.isReady && link.deadline > server.now)
        server.now = link.deadline
        _ = link.expired(at: server.now)
        _ = try server.turn(link)
        try other.accept()
        #expect(link.server == other.address)
    }

    @Test func `a server that refuses the connection is told, and tried again later`() throws {
        let gone = try FakeServer().address
        let link = server.makeLink(to: [gone])
        var events = link.expired(at: server.now)
        if failure(events) == nil { events = try server.turn(link) }
        #expect(failure(events) == .disconnected)
        #expect((50...500).contains(link.deadline - server.now))
    }

    @Test(arguments: [
        ("HTTP/1.1 400 Bad Request\r\n", "malformed"),
        ("MSG a 4 99999999\r\n", "malformed"),
        ("INFO {\"headers\":true}\r\n", "malformed"),
        ("-ERR 'Authorization Violation'\r\n", "unauthorized"),
        ("-ERR 'Stale Connection'\r\n", "refused"),
    ])
    func `a server that says something else is left`(text: String, kind: String) throws {
        try server.greet(link)
        try server.say(text)
        var events: [RequestEvent<String>] = []
        while failure(events) == nil { events += try server.turn(link) }
        let found =
            switch failure(events) {
            case .malformed: "malformed"
            case .unauthorized: "unauthorized"
            case .refused: "refused"
            default: "another"
            }
        #expect(found == kind)
        try server.hearEnd()
    }

    @Test func `names are looked up`() throws {
        let name = try #require(ServerAddress("localhost:\(server.address.port)"))
        let link = server.makeLink(to: [name])
        _ = link.expired(at: server.now)
        // The name may have an IPv6 address, too, to which nobody listens.
        var accepted: Socket.Accepted?
        while accepted == nil {
            try #require(failure(try server.turn(link)) == nil)
            accepted = try Socket.accept(server.listener)
        }
    }

    @Test func `a name that nobody knows is told`() throws {
        let name = try #require(ServerAddress("no-such-host.invalid"))
        let link = server.makeLink(to: [name])
        _ = link.expired(at: server.now)
        #expect(failure(try server.turn(link)) == .disconnected)
    }
}
