@testable import Cluster
import NATS
import POSIX
import TestSupport
import Testing

/// The monitoring page of a server.
@Suite struct ServerMonitorTests {
    private func page(_ settings: String) -> [UInt8] {
        Array(#"{"version":"2.15.1","jetstream":{"config":{\#(settings)}}}"#.utf8)
    }

    @Test func `a server that syncs each change is fine`() {
        #expect(ServerMonitor.faults(in: page(#""sync_always":true"#), at: "a").isEmpty)
    }

    @Test(arguments: [
        (#"{"version":"2.15.1","jetstream":{"config":{}}}"#, "sync_interval: always"),
        (
            #"{"version":"2.15.1","jetstream":{"config":{"sync_always":false}}}"#,
            "sync_interval: always"
        ),
        (#"{"version":"2.15.1","jetstream":{}}"#, "does not offer JetStream"),
        (#"{"version":"2.15.1"}"#, "does not offer JetStream"),
        ("{}", "is not the monitoring address"), ("<html>", "is not the monitoring address"),
        ("", "is not the monitoring address"),
    ])
    func `a page that says something else is a fault`(text: String, fault: String) {
        let faults = ServerMonitor.faults(in: Array(text.utf8), at: "http://a:8222")
        #expect(faults.count == 1)
        #expect(faults.first?.contains(fault) == true && faults[0].contains("http://a:8222"))
    }

    @Test(arguments: [
        ("http://10.0.0.1:8222", "10.0.0.1:8222"), ("http://nats", "nats:8222"),
        ("http://nats/", "nats:8222"), ("http://nats:80/varz", "nats:80"),
        ("http://[::1]", "[::1]:8222"), ("http://[::1]:7", "[::1]:7"), ("nats", nil),
        ("https://nats", nil), ("http://", nil), ("http://a b", nil), ("http://a:b", nil),
        ("http://a/other", nil), ("http://a\r\nX: y", nil),
    ])
    func `an address is a host and a port`(text: String, server: String?) {
        #expect(ServerMonitor.server(text).map { "\($0)" } == server)
    }

    @Test(arguments: [
        ("HTTP/1.0 200 OK\r\nA: b\r\n\r\n{}", "{}"), ("HTTP/1.1 200\r\n\r\n", ""),
        ("HTTP/1.0 404 Not Found\r\n\r\n{}", nil), ("HTTP/1.0 200 OK\r\nA: b", nil),
        ("SSH-2.0", nil), ("", nil),
    ])
    func `an answer has status 200 and a body`(text: String, body: String?) {
        let found = ServerMonitor.body(of: Array(text.utf8))
        #expect(found.map { String(decoding: $0, as: UTF8.self) } == body)
    }

    @Test func `the servers are asked again, and each new fault is told once`() throws {
        // Nobody listens there. Another test could be given a port that was free a moment ago.
        let address = "http://127.0.0.1:1"
        let watch = try SyncWatch([address], knowing: ["an old one"], every: 5)
        #expect(watch.takeNews().isEmpty)
        let deadline = Clock.monotonicMilliseconds + Int64(waitMilliseconds)
        let epoll = try Epoll()
        var events: [Epoll.Event] = []
        while watch.faults == ["an old one"], Clock.monotonicMilliseconds < deadline {
            try epoll.wait(into: &events, timeoutMilliseconds: 5)
        }
        let faults = watch.faults
        #expect(faults.count == 1 && faults[0].contains(address))
        #expect(watch.takeNews() == faults)
        #expect(watch.takeNews().isEmpty)
    }

    @Test func `an answer that is too long is refused`() {
        let long = Array("HTTP/1.0 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 32, count: 1 << 20)
        #expect(ServerMonitor.body(of: long) == nil)
    }

    /// Answers one request with these bytes, and returns what is found at the address.
    private func answering<Result>(
        _ answer: String, _ find: (String) throws -> Result
    ) throws -> Result {
        let listener = try Socket.listen(address: "127.0.0.1", port: 0)
        let port = try Socket.port(of: listener)
        let server = try Thread(named: "monitor") {
            do {
                var accepted: Socket.Accepted?
                while accepted == nil { accepted = try Socket.accept(listener) }
                guard let socket = accepted?.descriptor else { return }
                var (heard, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1_000))
                while !heard.reversed().starts(with: Array("\n\r\n\r".utf8)) {
                    guard let count = try socket.receive(into: &buffer, 0..<1_000) else { continue }
                    heard += buffer[..<count]
                }
                #expect(heard.starts(with: "GET /varz HTTP/1.0\r\nHost: 127.0.0.1:".utf8))
                let bytes = Array(answer.utf8)
                var sent = 0
                while sent < bytes.count {
                    sent += try socket.send(bytes, sent..<bytes.count) ?? 0
                }
            } catch {
                Issue.record(error)
            }
        }
        defer { server.join() }
        return try find("http://127.0.0.1:\(port)")
    }

    private func faults(answering answer: String) throws -> [String] {
        try answering(answer) { ServerMonitor.faults(at: $0) }
    }

    @Test func `a node does not start if a server says that it does not sync`() throws {
        let head = "HTTP/1.0 200 OK\r\n\r\n"
        let good = head + String(decoding: page(#""sync_always":true"#), as: UTF8.self)
        let unknown = try answering(good) { good in
            try ServerMonitor.requireSyncs(at: [good, "nats://a"])
        }
        #expect(unknown.count == 1 && unknown[0].contains("nats://a cannot be read"))
        let lazy = head + String(decoding: page(#""sync_interval":1"#), as: UTF8.self)
        let error = #expect(throws: StoreOpenError.self) {
            try answering(lazy) { try ServerMonitor.requireSyncs(at: [$0]) }
        }
        #expect(error?.message.contains("sync_interval: always") == true)
        #expect(error?.kind == .configuration)
    }

    @Test func `the page is read over HTTP`() throws {
        let head = "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n"
        let good = String(decoding: page(#""sync_always":true"#), as: UTF8.self)
        #expect(try faults(answering: head + good).isEmpty)
        let lazy = String(decoding: page(#""sync_interval":1"#), as: UTF8.self)
        #expect(try faults(answering: head + lazy).first?.contains("sync_interval: always") == true)
        let missing = try faults(answering: "HTTP/1.0 404 Not Found\r\n\r\n")
        #expect(missing.first?.contains("does not answer with a page") == true)
    }

    @Test func `what cannot be reached is told`() throws {
        let listener = try Socket.listen(address: "127.0.0.1", port: 0)
        let port = try Socket.port(of: listener)
        try Socket.shutdownWriting(listener)
        let refused = ServerMonitor.faults(at: "http://127.0.0.1:\(port)")
        #expect(refused.count == 1 && refused[0].contains("cannot be read"))
        #expect(ServerMonitor.faults(at: "nats://a").first?.contains("http://HOST:PORT") == true)
        let unknown = ServerMonitor.faults(at: "http://name.invalid:1")
        #expect(unknown.first?.contains("unknown") == true)
    }
}
