import API
import HTTP
import JSON
import Navigation
import POSIX
import Sessions
import TestSupport
import Testing

@testable import Storage

/// The service over a store in a directory of its own, driven as the event loop drives it.
final class ServiceOnDisk {
    private let directory: TemporaryDirectory
    private var options: StoreOptions
    private let serviceOptions: ServiceOptions
    private(set) var store: Store
    private(set) var service: Service
    private let epoll: Epoll
    private var events: [Epoll.Event] = []
    private var token: UInt64 = 0
    var now: Milliseconds = 1_795_225_000_000

    /// Small files, so that compaction has something to do, and a small cache.
    init(service: ServiceOptions = ServiceOptions()) throws {
        directory = try TemporaryDirectory(on: .memory)
        options = StoreOptions(path: directory.path)
        options.segmentBytes = 32 << 10
        options.cacheBytes = 1 << 16
        options.fsync = .never
        serviceOptions = service
        store = try Store.open(options, now: now).store
        self.service = Service(store: store.parts, options: service)
        epoll = try Epoll()
        try epoll.add(store.wakeDescriptor, .readable, token: 0)
    }

    deinit { store.close(at: now) }

    struct Answer {
        var status: Int
        var json: JSON
        var text: String

        subscript(_ name: String) -> JSON? {
            if case .object(let object) = json { object[name] } else { nil }
        }
    }

    @discardableResult
    func call(
        _ method: String, _ target: String, _ body: String? = nil, _ fields: [String: String] = [:]
    ) throws -> Answer {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        if let body {
            head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        }
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        let request = try #require(
            try Request.parsed(Array((head + "\r\n" + (body ?? "")).utf8)), "not whole")
        let response = try respond(to: request)
        let limits = JSONLimits(nestingMax: 600, valuesMax: 1_000_000)
        return Answer(
            status: response.status.code,
            json: (try? JSON(parsing: response.body, limits: limits)) ?? .null,
            text: String(decoding: response.body, as: UTF8.self))
    }

    /// Asks again until everything that the request needs has been read.
    private func respond(to request: Request) throws -> Response {
        var loaded: (any LoadResult)?
        while true {
            let outcome = store.with(loaded) { service.respond(to: request, at: now) }
            store.submit()
            switch outcome {
            case .reply(let reply): return reply.response
            case .load(let requests):
                token += 1
                store.load(requests, token: token, earlier: loaded)
                loaded = nil
                while loaded == nil {
                    try collect()
                    loaded = store.takeLoaded().first { $0.token == token }
                }
            case .wait, .stream, .shown, .pause, .backup: throw Unanswered()
            }
        }
    }

    struct Unanswered: Error {}

    private func collect() throws {
        try epoll.wait(into: &events, timeoutMilliseconds: waitMilliseconds)
        store.collect()
        for change in store.takeChanges() { _ = service.event(of: change, isHeard: true) }
    }

    /// Waits until everything is written and compaction has come to its end.
    func settle() throws {
        store.submit()
        while store.durable < store.log.last, store.failure == nil { try collect() }
        store.collect()
        while store.isCompacting { try collect() }
    }

    /// Stops in order and starts again.
    ///
    /// - Parameter change: what is done to the log's files in between.
    func restart(
        recovering: Bool = false, _ change: (_ log: String) throws -> Void = { _ in }
    ) throws {
        #expect(store.close(at: now))
        now += 1000
        try? epoll.remove(store.wakeDescriptor)
        try change(options.path + "/log")
        options.recover = recovering
        store = try Store.open(options, now: now).store
        service = Service(store: store.parts, options: serviceOptions)
        try epoll.add(store.wakeDescriptor, .readable, token: 0)
    }
}
