@testable import Cluster
import NATS
import POSIX
import TestSupport
import Testing

/// A server whose every byte the test decides, and a link that is to connect to it.
final class FakeServer {
    let listener: FileDescriptor
    let epoll: Epoll
    let address: ServerAddress
    private(set) var connection: FileDescriptor?
    private var heard: [UInt8] = []
    /// The clock of the link.
    var now: Int64 = 1_000

    static let info =
        #"INFO {"server_id":"A","server_name":"a","version":"2.15.1","headers":true,"#
        + #""max_payload":2097152}"# + "\r\n"

    init() throws {
        listener = try Socket.listen(address: "127.0.0.1", port: 0)
        epoll = try Epoll()
        address = try #require(ServerAddress("127.0.0.1:\(try Socket.port(of: listener))"))
    }

    func makeLink(
        to servers: [ServerAddress]? = nil, credentials: ConnectOptions.Credentials = .none
    ) -> RequestLink<String> {
        let state = LinkState(
            ServerList(servers ?? [address], random: 0),
            ConnectOptions(credentials: credentials, name: "navstate", version: "1"), at: now)
        return RequestLink(
            state, over: Route(epoll: epoll, token: 1), name: SubjectToken(trusted: "n1"),
            countMax: 3, random: { 1 })
    }

    /// Waits until something happens to the link, and lets it go on.
    func turn(_ link: RequestLink<String>) throws -> [RequestEvent<String>] {
        try wait()
        return link.happened(at: now)
    }

    /// Waits for an event of the link.
    func wait() throws {
        var events: [Epoll.Event] = []
        try epoll.wait(into: &events, timeoutMilliseconds: waitMilliseconds)
        try #require(!events.isEmpty, "nothing happened")
    }

    func accept() throws {
        var accepted: Socket.Accepted?
        while accepted == nil { accepted = try Socket.accept(listener) }
        connection = accepted?.descriptor
        heard = []
    }

    func say(_ text: String) throws { try say(Array(text.utf8)) }

    func say(_ bytes: [UInt8]) throws {
        let connection = try #require(connection)
        var sent = 0
        while sent < bytes.count { sent += try connection.send(bytes, sent..<bytes.count) ?? 0 }
    }

    /// Reads until the link has sent the text, and forgets all up to its end.
    func hear(_ text: String) throws {
        let connection = try #require(connection)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let all = String(decoding: heard, as: UTF8.self)
            if let range = all.firstRange(of: text) {
                heard = Array(all[range.upperBound...].utf8)
                return
            }
            guard let count = try connection.receive(into: &buffer, 0..<buffer.count) else {
                continue
            }
            try #require(count > 0, "the link was closed, and sent: \(all)")
            heard += buffer[..<count]
        }
    }

    /// Reads until the link has closed its end.
    func hearEnd() throws {
        let connection = try #require(connection)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while try connection.receive(into: &buffer, 0..<buffer.count) != 0 {}
    }

    func hangUp() { connection = nil }

    /// Leads a link through the greeting until it is ready.
    func greet(_ link: RequestLink<String>) throws {
        #expect(link.expired(at: now).isEmpty)
        _ = try turn(link)
        try accept()
        try say(Self.info)
        #expect(try turn(link).isEmpty)
        try hear("PING\r\n")
        try say("PONG\r\n")
        guard case .ready? = try turn(link).first else {
            Issue.record("the link is not ready")
            return
        }
        _ = link.flush(at: now)
        try hear("SUB _INBOX.n1.1.* 1\r\n")
    }
}
