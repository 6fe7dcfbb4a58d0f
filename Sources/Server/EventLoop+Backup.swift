internal import API
internal import HTTP
internal import Navigation
internal import Storage

// The store's copy as a stream.
//
// A piece is asked for when the one before has left for the socket, so that a backup holds one
// piece in memory however slow its reader is, and a peer that takes nothing runs into the same
// deadline as any other. Nothing of it is shown before all that it holds is durable.
//
// What cannot be read ends in a reset: neither the last chunk nor the backup's last line comes, so
// that nobody takes a part for the whole.

/// A backup on its way out.
struct BackupInWork {
    var backup: Backup
    var framing: StreamFraming
}

extension EventLoop {
    /// Each keeps a piece in memory and files on the disk that compaction could have given back.
    private static let backupsMax = 4

    /// - Returns: whether the next request can be begun at once.
    func openBackup(
        _ connection: Connection, _ request: Request, _ opening: Reply
    ) -> Bool {
        guard backups.count < Self.backupsMax else {
            var reply = service.refusal(
                Self.tooManyBackups, of: request, endpoint: opening.endpoint)
            return send(&reply, request, connection)
        }
        var response = opening.response
        let id = identify(request, &response)
        let facts = facts(of: request, response, endpoint: opening.endpoint)
        var head: [UInt8] = []
        let framing = ResponseEncoder.encodeStreamHead(
            response, to: request.exchange, date: date, into: &head)
        var answer = HeldAnswer(
            to: request, visibleAfter: 0, bytes: head,
            persists: request.exchange.minorVersion >= 1, facts: facts, id: id)
        guard framing != .nothing else { return send(answer, connection) }
        let backup = store.beginBackup(at: now)
        backups[connection.token] = BackupInWork(backup: backup, framing: framing)
        answer.visibleAfter = backup.upTo
        begin(answer, connection)
        return false
    }

    private static let tooManyBackups = Problem(
        .storeUnavailable,
        "\(backupsMax) backups are in progress. Wait until one has finished.",
        fields: [ResponseField(.retryAfter, "10")])

    /// There is no more of it, or nobody who takes it.
    func endBackup(_ connection: Connection) {
        guard let work = backups.removeValue(forKey: connection.token) else { return }
        store.endBackup(work.backup)
    }

    /// All is written that there was: the next piece is wanted.
    func continueBackup(_ connection: Connection) {
        guard let work = backups[connection.token] else { return }
        store.readBackup(work.backup, ticket: connection.token)
    }

    /// Sends on what the reader thread has read.
    func takeChunks() {
        guard !backups.isEmpty else { return }
        for chunk in store.takeChunks() {
            guard let connection = connections[chunk.ticket], let work = backups[chunk.ticket]
            else { continue }
            if chunk.hasFailed {
                perform(.abort, on: connection)
            } else if chunk.bytes.isEmpty {
                end(connection, work.framing)
                finishStream(connection, work.framing)
            } else {
                backups[chunk.ticket]?.backup = chunk.backup
                var part: [UInt8] = []
                work.framing.append(chunk.bytes, to: &part)
                owe(part, to: connection)
                connection.state.streamed(at: now)
                flush(connection)
                settle(connection)
            }
        }
    }
}
