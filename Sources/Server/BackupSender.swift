internal import HTTP
internal import Navigation
internal import Sessions

// Copies of the store, sent as streams.
//
// The next piece is requested when the one before has been written to the socket, so a backup holds
// one piece in memory however slow its client is, and a client that reads nothing runs into the
// same deadline as any other. Nothing is sent until everything in the backup is kept.
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
    /// The framing of each backup, by the token of its connection, which is also the token of the
    /// backup.
    private var transfers: [UInt64: StreamFraming] = [:]
    private let store: any Engine

    /// Each keeps a piece in memory, and files on the disk that compaction could have deleted.
    static let transfersMax = 4

    init(store: any Engine) { self.store = store }

    /// The number of backups that are being sent.
    var count: Int { transfers.count }
    /// Whether no further backup can be begun.
    var isFull: Bool { transfers.count >= Self.transfersMax }

    /// Whether the connection receives a backup.
    func serves(_ connection: Connection) -> Bool { transfers[connection.token] != nil }

    /// Begins a backup of what the store contains now.
    ///
    /// - Returns: the ticket that must be kept before any part of it is sent.
    func begin(
        _ connection: Connection, _ framing: StreamFraming, at now: Int64
    ) -> Ticket {
        transfers[connection.token] = framing
        return store.backups.begin(token: connection.token, at: now)
    }

    /// Ends the connection's backup, if it has one: it is complete, or the client has gone.
    func end(_ connection: Connection) {
        guard transfers.removeValue(forKey: connection.token) != nil else { return }
        store.backups.end(token: connection.token)
    }

    /// Requests the next piece, if the connection receives a backup: all before it is written.
    func requestNext(_ connection: Connection) {
        if serves(connection) { store.backups.read(token: connection.token) }
    }

    /// Takes the pieces that the store has read, each with its connection's token.
    func takeSteps() -> [(token: UInt64, step: BackupStep)] {
        // Also those of connections that have gone: the store reports them until they are taken.
        store.backups.takePieces().compactMap { piece in
            guard let framing = transfers[piece.token] else { return nil }
            guard let bytes = piece.bytes else { return (piece.token, .fail) }
            if bytes.isEmpty { return (piece.token, .end(framing)) }
            var part: [UInt8] = []
            framing.append(bytes, to: &part)
            return (piece.token, .send(part))
        }
    }
}
