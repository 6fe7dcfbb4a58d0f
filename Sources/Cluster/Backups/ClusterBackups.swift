internal import Navigation
internal import Sessions

/// The backups that a node is making. What they contain is asked of the servers, a few sessions at
/// a time, and does not displace anything in the cache.
final class ClusterBackups {
    private let replica: Replica
    private let links: StoreLinks
    private let loader: StoreLoader
    private let clock: EngineClock
    private let news: EngineNews
    private let lineage: String
    private let format: any BackupFormat

    private var backups: [UInt64: SharedBackup] = [:]
    /// Which backup a load is for.
    private var loads: [UInt64: UInt64] = [:]
    private var lastLoad: UInt64 = 0
    private var pieces: [BackupPiece] = []

    init(
        replica: Replica, links: StoreLinks, loader: StoreLoader, clock: EngineClock,
        news: EngineNews, lineage: String, format: any BackupFormat
    ) {
        self.replica = replica
        self.links = links
        self.loader = loader
        self.clock = clock
        self.news = news
        self.lineage = lineage
        self.format = format
    }

    /// Begins a backup.
    func begin(token: UInt64, at: Milliseconds) {
        let writer = format.writer(lineage: lineage, after: highestNumber, at: at)
        backups[token] = SharedBackup(writer, at: at)
    }

    /// The highest number that any session of the store has, as far as the feeds have told.
    private var highestNumber: SequenceNumber {
        let shards = 0..<replica.layout.shardCount
        return zip(shards, links.feeds?.lastNumbers ?? [])
            .map { StreamPlace(shard: $0, number: $1).sequence }.max() ?? 0
    }

    /// Makes the next piece of a backup, or has loaded what it needs.
    func read(token: UInt64) {
        advance(token)
        // The loop looks at the descriptor only.
        if !pieces.isEmpty { links.wake() }
    }

    /// Ends a backup. What is being loaded for it is dropped when it comes.
    func end(token: UInt64) {
        backups[token] = nil
        loads = loads.filter { $0.value != token }
    }

    /// The pieces that have been made since the last call.
    func takePieces() -> [BackupPiece] {
        for loaded in loader.takeFinishedBackups() {
            guard let token = loads.removeValue(forKey: loaded.token) else { continue }
            do throws(SharedBackup.Failure) {
                try backups[token]?.take(loaded, replica)
                advance(token)
            } catch {
                news.report(StoreReport("a backup could not be made", error: error.description))
                pieces.append(BackupPiece(token: token, bytes: nil))
            }
        }
        defer { pieces = [] }
        return pieces
    }

    private func advance(_ token: UInt64) {
        let step = backups[token]?.next(replica) { links.feeds?.isAlive($0) == true }
        switch step {
        case .piece(let bytes): pieces.append(BackupPiece(token: token, bytes: bytes))
        case .load(let requests): load(requests, for: token)
        case nil: break
        }
    }

    private func load(_ requests: [LoadRequest], for token: UInt64) {
        lastLoad += 1
        loads[lastLoad] = token
        var result = LoadedItems(token: lastLoad, earlier: nil)
        result.isForBackup = true
        loader.load(requests, into: result, at: clock.now) { _ in false }
    }
}
