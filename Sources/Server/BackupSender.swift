internal import HTTP
internal import Navigation
internal import Sessions
internal import Storage

// Copies of the store, sent as streams.
//
// The next piece is requested when the one before has been written to the socket, so a backup holds
// one piece in memory however slow its client is, and a client that reads nothing runs into the
// same deadline as any other. Nothing is sent before all that the backup contains is durable.
//
// If the store cannot be read the connection is reset. Neither the last chunk nor the backup's last
// line is sent, so that the client cannot take a part for the whole.

/// The result of reading a piece of a backup.
enum BackupStep {
    /// The next part of the stream.
    case send([UInt8])
    /// Everything has been sent.
    case end(StreamFraming)
    /// The store could not be read.
    case fail
}

/// The backups that are being sent.
final class BackupSender {
    private struct Transfer {
        var backup: Backup
        var framing: StreamFraming
    }

    /// By the connection's token.
    private var transfers: [UInt64: Transfer] = [:]
    private let store: Store

    /// Each keeps a piece in memory, and files on the disk that compaction could have deleted.
    static let transfersMax = 4

    init(store: Store) { self.store = store }

    /// The number of backups that are being sent.
    var count: Int { transfers.count }
    /// Whether no further backup can be begun.
    var isFull: Bool { transfers.count >= Self.transfersMax }

    /// Whether the connection receives a backup.
    func serves(_ connection: Connection) -> Bool { transfers[connection.token] != nil }

    /// Begins a backup of what the store contains now.
    ///
    /// - Returns: the sequence number that must be durable before any of it is sent.
    func begin(
        _ connection: Connection, _ framing: StreamFraming, at now: Int64
    ) -> SequenceNumber {
        let backup = store.beginBackup(at: now)
        transfers[connection.token] = Transfer(backup: backup, framing: framing)
        return backup.upTo
    }

    /// Ends the connection's backup, if it has one: it is complete, or the client has gone.
    func end(_ connection: Connection) {
        guard let transfer = transfers.removeValue(forKey: connection.token) else { return }
        store.endBackup(transfer.backup)
    }

    /// Requests the next piece, if the connection receives a backup: all before it is written.
    func requestNext(_ connection: Connection) {
        guard let transfer = transfers[connection.token] else { return }
        store.readBackup(transfer.backup, ticket: connection.token)
    }

    /// Takes what the reader thread has read, each with its connection's token.
    func takeSteps() -> [(token: UInt64, step: BackupStep)] {
        guard !transfers.isEmpty else { return [] }
        return store.takeChunks().compactMap { chunk in
            guard let framing = transfers[chunk.ticket]?.framing else { return nil }
            if chunk.hasFailed { return (chunk.ticket, .fail) }
            if chunk.bytes.isEmpty { return (chunk.ticket, .end(framing)) }
            transfers[chunk.ticket]?.backup = chunk.backup
            var part: [UInt8] = []
            framing.append(chunk.bytes, to: &part)
            return (chunk.ticket, .send(part))
        }
    }
}
