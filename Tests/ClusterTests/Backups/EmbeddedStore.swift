import Navigation
import POSIX
import Sessions
import Storage
import TestSupport
import Testing

/// A store on this machine, as far as backups are concerned.
final class EmbeddedStore: AskableStore {
    private let directory: TemporaryDirectory
    private let store: Store
    private let epoll = try? Epoll()
    private var lastToken: UInt64 = 0

    /// An empty store, or one that is made of a backup.
    init(restoring backup: [UInt8]? = nil, now: Milliseconds) throws {
        directory = try TemporaryDirectory(on: .memory)
        if let backup { try Self.restore(backup, into: directory.path, now: now) }
        var options = StoreOptions(path: directory.path)
        (options.cacheBytes, options.segmentBytes) = (1 << 16, 1 << 20)
        store = try Store.open(options, now: now).0
        try epoll?.add(store.wakeDescriptor, .readable, token: 0)
    }

    deinit { store.close(at: 1) }

    static func restore(_ backup: [UInt8], into path: String, now: Milliseconds) throws {
        var restore = try Restore(into: path, now: now)
        try restore.feed(backup)
        _ = try restore.finish()
    }

    private func wait<Value>(_ body: () -> Value?) throws -> Value {
        store.submit()
        var events: [Epoll.Event] = []
        for _ in 0..<1_000 {
            if let value = body() { return value }
            try epoll?.wait(into: &events, timeoutMilliseconds: 1_000)
            _ = store.collect()
        }
        throw StoreError.unavailable
    }

    func ask<Value>(_ body: (SessionStore) throws(StoreError) -> Value) throws -> Value {
        var loaded: (any LoadResult)?
        while true {
            do throws(StoreError) {
                return try store.with(loaded) { () throws(StoreError) in try body(store.parts) }
            } catch {
                guard case .notInMemory(let requests) = error else { throw error }
                lastToken += 1
                store.load(requests, token: lastToken, earlier: loaded)
            }
            loaded = try wait { store.takeLoaded().first }
        }
    }

    func take(_ step: LifeStep, at now: Milliseconds) throws {
        try ask { store throws(StoreError) in
            switch step {
            case .put(let record):
                _ = try store.writing.put(
                    [record], of: try store.reading.find(record.id, now: now), details: .none)
            case .delete(let id, let key):
                guard let handle = try store.reading.find(id, now: now) else { return }
                _ = try store.writing.delete(handle, at: now, key: key, author: nil)
            case .tokens(let id, let tokens):
                guard let handle = try store.reading.find(id, now: now) else { return }
                _ = try store.writing.putTokens(tokens, of: handle, at: now)
            case .app(let id, let document?):
                _ = try store.writing.putApps([(id, document)], at: now)
            case .app(let id, nil):
                guard store.apps.storedApps.contains(where: { $0.id == id }) else { return }
                _ = try store.writing.deleteApp(id, at: now)
            }
        }
    }

    func backup(at now: Milliseconds) throws -> [UInt8] {
        let ticket = store.backups.begin(token: 5, at: now)
        _ = try wait { ticket <= store.keptUpTo ? true : nil }
        var bytes: [UInt8] = []
        while true {
            store.backups.read(token: 5)
            let piece = try wait { store.backups.takePieces().first }
            let part = try #require(piece.bytes)
            if part.isEmpty { return bytes }
            bytes += part
        }
    }
}
