internal import NATS
internal import Navigation
internal import Sessions

/// The backups that a node is making. What they contain is read from the streams, a portion at a
/// time, and does not displace anything in the cache.
final class ClusterBackups: BackupReading {
    private let replica: Replica
    private let links: StoreLinks
    private let reader: StreamReader
    private let clock: EngineClock
    private let news: EngineNews
    private let lineage: String
    private let format: any BackupFormat

    private var backups: [UInt64: SharedBackup] = [:]
    private var pieces: [BackupPiece] = []

    /// How many damaged messages of a backup are reported one by one.
    private static let reportsMax = 10

    init(
        replica: Replica, links: StoreLinks, reader: StreamReader, clock: EngineClock,
        news: EngineNews, lineage: String, format: any BackupFormat
    ) {
        self.replica = replica
        self.links = links
        self.reader = reader
        self.clock = clock
        self.news = news
        self.lineage = lineage
        self.format = format
    }

    /// Begins a backup. Each session in it is as it is when it is read.
    func begin(token: UInt64, at: Milliseconds) -> Ticket {
        let writer = format.writer(lineage: lineage, after: highestNumber, at: at)
        backups[token] = SharedBackup(writer, of: replica.layout, at: at)
        return .none
    }

    /// The highest number that any session of the store has, as far as the feeds have told.
    private var highestNumber: SequenceNumber {
        let shards = 0..<replica.layout.shardCount
        return zip(shards, links.feeds?.lastNumbers ?? [])
            .map { StreamPlace(shard: $0, number: $1).sequence }.max() ?? 0
    }

    /// Makes the next piece of a backup, or has read what it needs.
    func read(token: UInt64) {
        advance(token)
        // The loop looks at the descriptor only.
        if !pieces.isEmpty { links.wake() }
    }

    /// Ends a backup. What is being read for it is dropped.
    func end(token: UInt64) {
        backups[token] = nil
        reader.end(token)
        pieces.removeAll { $0.token == token }
    }

    /// The pieces that have been made since the last call.
    func takePieces() -> [BackupPiece] {
        for portion in reader.takeFinished() { take(portion) }
        defer { pieces = [] }
        return pieces
    }

    private func take(_ portion: StreamReader.Portion) {
        guard var backup = backups[portion.token] else { return }
        guard let messages = portion.messages else {
            let stream = portion.reading.stream.text
            news.report(
                StoreReport(
                    "a backup could not be made",
                    error: "the servers did not answer when asked for the stream \(stream)"))
            return pieces.append(BackupPiece(token: portion.token, bytes: nil))
        }
        backups[portion.token] = nil
        let before = backup.omitted
        for message in backup.take(messages, at: portion.reading, replica)
            .prefix(max(0, Self.reportsMax - before))
        {
            news.report(
                StoreReport(
                    "a damaged message was left out of a backup",
                    error: "message \(message.sequence) of \(portion.reading.stream.text), "
                        + "subject \(message.subject.text)"))
        }
        backups[portion.token] = backup
        advance(portion.token)
    }

    private func advance(_ token: UInt64) {
        switch backups[token]?.next(replica) {
        case .piece(let bytes):
            pieces.append(BackupPiece(token: token, bytes: bytes))
            if bytes.isEmpty, let omitted = backups[token]?.omitted, omitted > 0 {
                news.report(
                    StoreReport(
                        "a backup is complete without its damaged messages",
                        error: "\(omitted) left out"))
            }
        case .read(let reading): reader.read(reading, for: token, at: clock.now)
        case nil: break
        }
    }
}
