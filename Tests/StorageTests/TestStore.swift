import Navigation
import POSIX
import Sessions
import TestSupport
import Testing

@testable import Storage

/// A store in a directory of its own, driven as the loop drives it.
final class TestStore {
    let directory: TemporaryDirectory
    var path: String { directory.path }
    var options: StoreOptions
    private(set) var store: Store
    private(set) var report: StartReport
    private let epoll: Epoll
    private var events: [Epoll.Event] = []
    private var token: UInt64 = 0

    convenience init(
        on medium: TemporaryDirectory.Medium = .disk,
        _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws {
        try self.init(in: TemporaryDirectory(on: medium), change)
    }

    /// Opens the store that is in the directory.
    init(
        in directory: TemporaryDirectory, _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws {
        self.directory = directory
        var options = StoreOptions(path: directory.path)
        options.cacheBytes = 4 << 20
        options.segmentBytes = 1 << 20
        change(&options)
        self.options = options
        (store, report) = try Store.open(options, now: 1000)
        epoll = try Epoll()
        try epoll.add(store.wakeDescriptor, .readable, token: 0)
    }

    deinit { store.close(at: 9000) }

    /// A thread has said nothing for so long that it never will.
    struct Stalled: Error {}

    /// Waits for the threads' next word.
    @discardableResult
    func collect() throws -> Collected {
        try epoll.wait(into: &events, timeoutMilliseconds: waitMilliseconds)
        if events.isEmpty { throw Stalled() }
        return store.collect()
    }

    /// Waits until the file after the one that is written to is there, and so the manifest is
    /// up to date.
    func prepareNextFile() throws {
        while store.journal.next != (store.activeFile + 1, true) {
            try collect()
        }
    }

    /// Hands over and waits until everything is durable, or the disk has failed.
    @discardableResult
    func settle() throws -> Collected {
        var all = Collected()
        store.submit()
        while store.durable < store.last, store.failure == nil {
            let collected = try collect()
            all.isRolledBack = all.isRolledBack || collected.isRolledBack
            all.hasFailed = all.hasFailed || collected.hasFailed
        }
        return all
    }

    /// Repeats a request until what it needs is in memory.
    func waiting<Result>(_ body: (Store) throws(StoreError) -> Result) throws -> Result {
        var (loaded, loads) = (LoadedRecords?.none, 0)
        while true {
            do throws(StoreError) {
                return try store.with(loaded) { () throws(StoreError) in try body(store) }
            } catch {
                guard case .notInMemory(let requests) = error else { throw error }
                loaded = try load(requests, earlier: loaded)
                loads += 1
                loadsMax = max(loadsMax, loads)
            }
        }
    }

    /// The most loads that a request has waited for.
    private(set) var loadsMax = 0

    /// Has records read aside and waits for them.
    func load(_ requests: [LoadRequest], earlier: LoadedRecords? = nil) throws -> LoadedRecords {
        token += 1
        store.submit()
        store.load(requests, token: token, earlier: earlier)
        while true {
            try collect()
            for case let loaded as LoadedRecords in store.takeLoaded()
            where loaded.token == token {
                return loaded
            }
        }
    }

    /// Ends in order and opens the directory again.
    func reopen(_ change: (inout StoreOptions) -> Void = { _ in }) throws {
        #expect(store.close(at: 5000))
        try open(change)
    }

    /// Opens a copy of the directory as a kill would have left it.
    func afterKill(_ change: (inout StoreOptions) -> Void = { _ in }) throws -> TestStore {
        let other = try TemporaryDirectory()
        try copyDirectory(path, to: other.path)
        var changed = options
        change(&changed)
        let final = changed
        return try TestStore(in: other) { options in
            options = final
            options.path = other.path
        }
    }

    private func open(_ change: (inout StoreOptions) -> Void) throws {
        try? epoll.remove(store.wakeDescriptor)
        change(&options)
        (store, report) = try Store.open(options, now: 6000)
        try epoll.add(store.wakeDescriptor, .readable, token: 0)
    }
}

/// A record of a session's plain life: revision n with so much state.
func record(
    _ id: String, _ revision: Int, bytes: Int = 40, expiresAt: Milliseconds? = nil,
    app: String? = nil, labels: [Label] = [], key: IdempotencyKey? = nil,
    undoing: UndoStacks? = nil,
    at: Milliseconds = 2000
) -> SessionRecord {
    let filler = String(repeating: "x", count: bytes)
    return SessionRecord(
        id: SessionID(trusted: id), revision: revision, at: at, expiresAt: expiresAt,
        app: app.map { AppID(trusted: $0) }, labels: labels,
        undoing: undoing ?? UndoStacks(steps: 32, before: revision), nextEntry: revision + 1,
        key: key, event: Array("{\"command\":{\"s\":\"\\\"}\"},\"r\":\(revision)}".utf8),
        state: Array("{\"id\":\"\(id)\",\"revision\":\(revision),\"f\":\"\(filler)\"}".utf8))
}

extension Store {
    /// The number of the newest change.
    var last: SequenceNumber { log.last }
    /// The files of the log; the last one is written to.
    var files: [Segment] { segments.all }
    /// The number of the file that is written to.
    var activeFile: Int { log.activeSegment.number }
    var journal: Journal { threads.journal }

    func putApp(_ id: AppID, document: [UInt8], at: Milliseconds) throws -> SequenceNumber {
        try #require(try writer.putApps([(id, document)], at: at).first).ticket.rawValue
    }

    /// Writes the next revision of a session.
    ///
    /// - Returns: the number of its record.
    func put(_ record: SessionRecord) throws(StoreError) -> SequenceNumber {
        try put([record], of: nil)
    }

    /// Writes the next revisions of a session.
    ///
    /// - Returns: the number of the last record.
    func put(
        _ records: [SessionRecord], of handle: SessionHandle?
    ) throws(StoreError) -> SequenceNumber {
        try writer.put(records, of: handle, details: .none).ticket.rawValue
    }

    func delete(
        _ handle: SessionHandle, at: Milliseconds, key: IdempotencyKey?
    ) throws(StoreError) -> Ticket {
        try writer.delete(handle, at: at, key: key, author: nil)
    }

    func owner(
        of digest: TokenDigest, now: Milliseconds
    ) -> (handle: SessionHandle, token: SessionToken)? {
        reader.owner(of: digest, in: nil, now: now)
    }

    func handle(_ id: String, now: Milliseconds = 2000) -> SessionHandle? {
        reader.find(SessionID(trusted: id), now: now)
    }
}
