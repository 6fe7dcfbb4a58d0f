import API
import HTTP
import POSIX
import Storage
import Synchronization
import TestSupport

@testable import Server

/// A clock that stands still until a test moves it.
final class TestClock: LoopClock {
    private let milliseconds = Atomic<Int64>(1_800_000_000_000)
    private let measured = Atomic<Int64>(0)
    /// How much time each look at `nanoseconds` takes.
    let nanosecondsPerLook: Int64

    init(nanosecondsPerLook: Int64 = 0) { self.nanosecondsPerLook = nanosecondsPerLook }

    var wallMilliseconds: Int64 { milliseconds.load(ordering: .relaxed) }
    var steadyMilliseconds: Int64 { milliseconds.load(ordering: .relaxed) }
    var nanoseconds: Int64 {
        measured.add(nanosecondsPerLook, ordering: .relaxed).newValue
    }

    func advance(milliseconds count: Int64) { milliseconds.add(count, ordering: .relaxed) }
}

/// Makes the writes to a disk fail while an error is set.
final class WriteFailure: Sendable {
    private let number = Mutex<Int32?>(nil)

    /// The disk whose writes fail.
    var disk: Disk {
        Disk { call in
            guard case .write = call, let number = self.number.withLock({ $0 })
            else { return .proceed }
            return .fail(number)
        }
    }

    /// - Parameter errno: the error with which writes fail, or nil to let them succeed.
    func set(_ errno: Int32?) { number.withLock { $0 = errno } }
}

/// An event loop with a store in a directory of its own. The test takes the turns.
final class TestServer: LoopDriver {
    let clock: TestClock
    let store: Store
    let service: Service
    let loop: EventLoop
    let port: UInt16
    private let directory: TemporaryDirectory
    /// Nobody writes to it.
    private let signals: FileDescriptor

    init(
        clock: TestClock = TestClock(), disk: Disk = Disk(),
        log: Log = Log(level: .critical, format: .json), in directory: TemporaryDirectory? = nil,
        _ change: (inout ServerOptions) -> Void = { _ in }
    ) throws {
        self.clock = clock
        let directory = try directory ?? TemporaryDirectory(on: .memory)
        self.directory = directory
        var options = ServerOptions()
        options.clock = clock
        change(&options)
        var storeOptions = StoreOptions(path: directory.path + "/data")
        storeOptions.segmentBytes = 1 << 20
        storeOptions.cacheBytes = 4 << 20
        storeOptions.disk = disk
        store = try Store.open(storeOptions, now: clock.wallMilliseconds).store
        service = Service(store: store.parts, options: options.service)
        let listener = try Socket.listen(address: "127.0.0.1", port: 0)
        port = try Socket.port(of: listener)
        signals = try WakeUp().descriptor
        loop = try EventLoop(
            options: options, store: store, service: service,
            sockets: ServerSockets(listeners: [Listener(listener)], signals: signals),
            log: log)
    }

    deinit { store.close(at: clock.wallMilliseconds) }

    /// A server that starts with what a kill of this one would leave now.
    func afterKill() throws -> TestServer {
        let other = try TemporaryDirectory(on: .memory)
        try copyDirectory(directory.path + "/data", to: other.path + "/data")
        return try TestServer(clock: clock, in: other)
    }

    /// A client over TCP; the server accepts it in one of the next turns.
    func connect() throws -> TestClient {
        TestClient(try Socket.connect(address: "127.0.0.1", port: port))
    }

    /// Repeats a request whose answers nobody reads until one of them does not fit into the socket.
    ///
    /// - Returns: how often it was sent.
    func fill(_ client: TestClient, with request: String) throws -> Int {
        for count in 1...100 {
            try ask(request, of: client)
            if loop.parts.connections.all.contains(where: { !$0.outbox.isEmpty }) { return count }
        }
        throw TooManyTurns()
    }

    /// Repeats a request so often that the next answer does not fit into the socket.
    func almostFill(_ client: TestClient, with request: String) throws {
        let count = try fill(client, with: request)
        try turn(until: { client.answers == count && loop.isQuiet }, clients: client)
        client.forget()
        for _ in 1..<count { try ask(request, of: client) }
    }

    private func ask(_ request: String, of client: TestClient) throws {
        try client.send(request)
        try settle()
    }

    /// A session, with entries on its path whose params have so many bytes each. The last entry
    /// is in the answer to a read twice, for it is also what is visible.
    func makeSession(_ id: String, entries count: Int = 0, bytes: Int = 0) throws {
        let filler = String(repeating: "x", count: bytes)
        let entry = #"{"route":"r","params":{"f":"\#(filler)"}}"#
        let entries = [String](repeating: entry, count: count)
        let body = #"{"tabs":[{"id":"main","path":[\#(entries.joined(separator: ","))]}]}"#
        try ask(.put("/v1/sessions/\(id)", body))
    }
}

extension String {
    static func get(_ path: String, _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
    }

    static func head(_ path: String) -> String {
        "HEAD \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    }

    static func post(_ path: String, _ body: String = "{}") -> String {
        message("POST", path, body)
    }

    static func put(_ path: String, _ body: String) -> String { message("PUT", path, body) }

    private static func message(_ method: String, _ path: String, _ body: String) -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// A read that waits for the next change of a session in its first revision.
    static func wait(_ id: String, seconds: Int = 60, etag: String) -> String {
        get("/v1/sessions/\(id)", "If-None-Match: \(etag)\r\nPrefer: wait=\(seconds)\r\n")
    }
}

/// The client's end of a connection. It never blocks.
final class TestClient {
    let descriptor: FileDescriptor
    private(set) var received: [UInt8] = []
    private(set) var isClosed = false
    private var unsent: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    var text: String { String(decoding: received, as: UTF8.self) }

    /// Status codes of the answers that have begun.
    var statuses: [Int] {
        text.split(separator: "HTTP/1.1 ", omittingEmptySubsequences: false).dropFirst()
            .compactMap { Int($0.prefix(3)) }
    }

    var answers: Int { statuses.count }

    var etag: String? {
        text.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") }
            .map { String($0.dropFirst(6)) }
    }

    func forget() { received = [] }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Sends what the socket takes; the rest follows with each `receive`.
    func send(_ bytes: [UInt8]) throws {
        unsent += bytes
        try sendRest()
    }

    /// Sends more, if the socket takes it.
    func trySending() { try? sendRest() }

    private func sendRest() throws {
        while !unsent.isEmpty, let count = try descriptor.send(unsent, unsent.indices) {
            unsent.removeFirst(count)
        }
    }

    func shutDownWriting() throws { try Socket.shutdownWriting(descriptor) }

    /// Takes in what is there.
    func receive(atMost count: Int = .max) throws {
        trySending()
        var left = count
        while left > 0, !isClosed {
            let window = 0..<min(left, buffer.count)
            do {
                guard let some = try descriptor.receive(into: &buffer, window) else { return }
                if some == 0 { isClosed = true }
                received += buffer[..<some]
                left -= some
            } catch {
                isClosed = true
            }
        }
    }
}
