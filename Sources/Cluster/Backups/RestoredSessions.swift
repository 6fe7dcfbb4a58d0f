internal import NATS
internal import Navigation
internal import Sessions

/// Turns the items of a backup into messages of a store.
struct RestoredSessions {
    private let facts: StoreFacts
    private let messageBytesMax: Int
    private let now: Milliseconds
    /// The births of the sessions that have not ended so far.
    private var births: [SessionID: UInt64] = [:]
    /// The last list of tokens of each session. It may belong to a session that has ended.
    private var tokens: [SessionID: BackupTokens] = [:]
    /// The stream sequences of the documents of apps.
    private var apps: [AppID: Int] = [:]
    /// The sessions that were created with idempotency keys within the last day.
    private var creations: [Creation] = []

    private struct Creation {
        let key: IdempotencyKey
        let id: SessionID
        let birth: UInt64
        let at: Milliseconds
    }

    /// - Parameters:
    ///   - messageBytesMax: the size of the largest message that the servers take.
    ///   - now: the time in milliseconds since 1970.
    init(_ facts: StoreFacts, messageBytesMax: Int, now: Milliseconds) {
        self.facts = facts
        self.messageBytesMax = messageBytesMax
        self.now = now
    }

    /// The document of an app is stored with this stream sequence.
    mutating func isStored(_ app: AppID, as number: Int) { apps[app] = number }

    /// The message of an item. Nil if the item has none, or none before the end of the backup.
    mutating func message(
        for item: BackupInput.Item
    ) throws(SharedRestoreError) -> RestoreQueue.Message? {
        switch item.item {
        case .revision(let record, let birth):
            return try message(record, birth: birth, line: item.line)
        case .end(let end):
            let birth = births.removeValue(forKey: end.id)
            // The end of an unknown session only says which request ended it.
            guard birth != nil || end.key != nil else { return nil }
            let tombstone = SharedRecord.Tombstone(
                id: end.id, revision: end.revision, at: end.at, why: end.why, key: end.key)
            return try message(
                SharedRecord(
                    .end(tombstone), previous: 0, born: born(birth ?? 0),
                    writer: Self.placeholderWriter),
                line: item.line)
        case .tokens(let list):
            tokens[list.id] = list
            return nil
        case .app(let app):
            let shared = SharedApp(
                id: app.id, at: app.at, link: Self.placeholderLink, document: app.document)
            guard (try? SharedApp(shared.text[...])) == shared else { throw Self.unfit(item.line) }
            try check(shared.text.count, item.line)
            return RestoreQueue.Message(item: .app(app.id), content: .app(shared))
        }
    }

    private mutating func message(
        _ record: SessionRecord, birth: UInt64, line: Int
    ) throws(SharedRestoreError) -> RestoreQueue.Message {
        births[record.id] = birth
        if record.revision == 1, let key = record.key,
            now - record.at < ReplicaReader.keysKeptFor
        {
            creations.append(Creation(key: key, id: record.id, birth: birth, at: record.at))
        }
        var record = record
        record.appSequence = record.app.flatMap { apps[$0] }.map { UInt64($0) } ?? 0
        let shared = SharedRecord(
            .revision(record), previous: 0, born: born(birth), writer: Self.placeholderWriter)
        return try message(shared, line: line)
    }

    private func message(
        _ record: SharedRecord, line: Int
    ) throws(SharedRestoreError) -> RestoreQueue.Message {
        let text = record.texts.whole
        guard (try? SharedRecord(text[...])) == record else { throw Self.unfit(line) }
        try check(text.count, line)
        return RestoreQueue.Message(item: .session(record.id), content: .session(record))
    }

    private func check(_ bytes: Int, _ line: Int) throws(SharedRestoreError) {
        guard bytes <= messageBytesMax else {
            let reason =
                "the record has \(bytes) bytes, and the servers take at most \(messageBytesMax); "
                + "raise max_payload"
            throw .backup(BackupError(line: line, reason: reason))
        }
    }

    private static func unfit(_ line: Int) -> SharedRestoreError {
        .backup(BackupError(line: line, reason: "the record has a value out of range"))
    }

    /// The messages that only the whole backup makes known.
    func lastMessages() -> [RestoreQueue.Message] {
        let lists = tokens.values.filter { births[$0.id] == $0.birth }.map { list in
            let shared = SharedTokens(
                id: list.id, born: born(list.birth), at: list.at, link: Self.placeholderLink,
                tokens: list.tokens)
            return RestoreQueue.Message(item: .tokens(list.id), content: .tokens(shared))
        }
        return lists + creations.filter { births[$0.id] == $0.birth }.map(keyRedirect)
    }

    /// A redirect from the id derived from an idempotency key to the restored session: the end of a
    /// session with that id, which names the restored one.
    private func keyRedirect(_ creation: Creation) -> RestoreQueue.Message {
        let day = Int(creation.at / 86_400_000)
        let id = facts.creationID(forKey: creation.key.key, day: day)
        let tombstone = SharedRecord.Tombstone(
            id: id, revision: 1, at: creation.at, why: .deleted, key: creation.key,
            standsFor: creation.id)
        let record = SharedRecord(
            .end(tombstone), previous: 0, born: born(0), writer: Self.placeholderWriter)
        return RestoreQueue.Message(item: .session(id), content: .session(record))
    }

    /// The session's birth number, derived with a secret so that clients cannot guess it.
    private func born(_ birth: UInt64) -> UInt64 {
        SHA256.authenticationCode(of: "\(birth)".utf8, key: Array(facts.secret.utf8)).words.first
            | 1
    }

    /// The queue replaces these.
    private static let placeholderWriter = WriteID(node: 0, number: 0)
    private static let placeholderLink = SharedLink(previous: 0, writer: placeholderWriter)
}
