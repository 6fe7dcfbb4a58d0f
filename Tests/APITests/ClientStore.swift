import Navigation
import POSIX
import Sessions
import TestSupport

@testable import Storage

/// The store of clients: a real one, in a directory in memory, driven as the event loop drives it.
final class ClientStore {
    private let directory: TemporaryDirectory
    private let store: Store
    private let isDiskFull = Lock(false)
    private let epoll: Epoll
    private var events: [Epoll.Event] = []
    private var lastToken: UInt64 = 0
    /// Whether a turn ends after each request, and what was written becomes durable at once.
    /// Otherwise nothing is handed to the disk before `sync` or `rollBack`.
    var isInstant = true
    /// Whether each request begins with no record in memory.
    var isForgetful = false
    /// Whether only the thread reads from files, as if the kernel had forgotten them.
    private var isCold = false
    /// Of each time since `forget` that a request had to wait for the disk.
    private(set) var bytesOfLoads: [Int] = []

    init(keysMax: Int = 1_000) throws {
        directory = try TemporaryDirectory(on: .memory)
        var options = StoreOptions(path: directory.path)
        options.cacheBytes = 4 << 20
        options.segmentBytes = 256 << 10
        options.disk = Disk { [isDiskFull] call in
            guard case .write(let path, _) = call, path.hasSuffix(".jsonl") else { return .proceed }
            return isDiskFull.withLock { $0 } ? .fail(SystemError.noSpace) : .proceed
        }
        options.keysMax = keysMax
        // The replies to the same requests are the same in each run.
        try Manifest(lineage: "test").write(Layout(root: directory.path), options.disk)
        store = try Store.open(options, now: 1_795_225_000_000).store
        epoll = try Epoll()
        try epoll.add(store.wakeDescriptor, .readable, token: 0)
    }

    deinit { store.close(at: 1_795_225_000_000) }

    var parts: SessionStore { store.parts }
    var durable: SequenceNumber { store.durable }
    var keptUpTo: Ticket { store.keptUpTo }
    func hasKept(_ tickets: Tickets) -> Bool { store.hasKept(tickets) }

    // MARK: The disk

    /// Whether nothing more can be written.
    var isFull: Bool {
        get { isDiskFull.withLock { $0 } }
        set { isDiskFull.withLock { $0 = newValue } }
    }

    /// No thread has reported anything for a long time.
    struct Stalled: Error {}

    /// Waits for the next report of the threads.
    private func collect() throws {
        try epoll.wait(into: &events, timeoutMilliseconds: waitMilliseconds)
        if events.isEmpty { throw Stalled() }
        store.collect()
    }

    /// Waits until all that was written is durable, or taken back because the disk is full.
    func sync() throws {
        store.submit()
        while store.durable < store.log.last, store.failure == nil { try collect() }
    }

    /// Takes back the changes that are not durable; their numbers are given again.
    func rollBack() throws {
        isFull = true
        try sync()
        isFull = false
        store.tick(now: 10_000)
        while store.failure != nil { try collect() }
    }

    /// Returns the changes that are durable and were not taken yet.
    func takeChanges() throws -> [StoreChange] {
        if isInstant { try sync() }
        return store.takeChanges()
    }

    // MARK: Memory

    /// No record is in memory any more.
    func forget() {
        isCold = true
        bytesOfLoads = []
        let all = store.reader.walk(after: nil, filter: SessionFilter(), limit: 100_000, now: .min)
        for handle in all.handles { store.state.setCached(RecordCache.nowhere, of: handle) }
    }

    var loads: Int { bytesOfLoads.count }

    /// Runs a turn for a request, which sees what was loaded for it.
    func with<Result, Failure: Error>(
        _ loaded: (any LoadResult)?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if isForgetful, loaded == nil { forget() }
        store.reader.beginTurn(reads: isCold ? StoreReader.readsOfTurnMax : 0)
        return try store.with(loaded, body)
    }

    /// Waits for what a request needs.
    func load(
        _ requests: [LoadRequest], earlier: (any LoadResult)?
    ) throws -> any LoadResult {
        lastToken += 1
        try sync()
        store.load(requests, token: lastToken, earlier: earlier)
        while true {
            try collect()
            guard let loaded = store.takeLoaded().first else { continue }
            bytesOfLoads.append(Self.bytes(loaded) - Self.bytes(earlier))
            return loaded
        }
    }

    private static func bytes(_ loaded: (any LoadResult)?) -> Int {
        (loaded as? LoadedRecords)?.lines.values.reduce(0) { $0 + $1.count } ?? 0
    }

    // MARK: Records

    /// The newest record of a session.
    func newest(_ id: String) throws -> StoredRecord? {
        try store.reader.find(SessionID(trusted: id), now: 0).map(store.reader.newest)
    }

    /// Writes the next revision of a session.
    func put(_ record: SessionRecord) throws {
        _ = try store.writer.put(
            [record], of: store.reader.find(record.id, now: 0), details: .none)
    }
}
