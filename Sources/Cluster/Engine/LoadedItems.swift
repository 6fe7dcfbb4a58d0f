internal import NATS
internal import Navigation
internal import Sessions

/// Something that is asked of the servers for requests that wait.
enum Question: Hashable, Sendable {
    /// The newest message of a session.
    case newest(SessionID)
    /// All messages of a session.
    case history(SessionID)
    /// The newest message of a session's tokens.
    case tokens(SessionID)

    /// The session.
    var id: SessionID {
        switch self {
        case .newest(let id), .history(let id), .tokens(let id): id
        }
    }
}

/// A record of a session with its stream sequence.
struct NumberedRecord: Sendable {
    let number: Int
    let record: SharedRecord
}

/// The answer to a question.
enum LoadedItem: Sendable {
    /// The newest message of the session as the stream's leader has it; none if it has no message.
    case newest(NumberedRecord?)
    /// The session's messages after the last tombstone but one, the oldest first.
    case history([NumberedRecord])
    /// The newest list of tokens, with its stream sequence; none if there is no message.
    case tokens(SharedTokens?, number: Int)
    /// The message is not what it should be.
    case damaged
    /// The servers did not answer in time.
    case unanswered
}

/// What was loaded for one request.
struct LoadedItems: LoadResult {
    /// The token of the request.
    let token: UInt64
    /// The answers.
    var items: [Question: LoadedItem] = [:]

    /// What was loaded for the same request before is kept, so that it is not asked again.
    init(token: UInt64, earlier: LoadedItems?) {
        self.token = token
        items = earlier?.items ?? [:]
    }
}

extension LoadedItem {
    /// The answer to a question for the newest message.
    ///
    /// - Parameter message: the message, if the stream has one.
    static func answer(
        _ question: Question, _ message: StoredMessage?, in layout: StoreLayout
    ) -> LoadedItem {
        guard let message else {
            if case .tokens = question { return .tokens(nil, number: 0) }
            return .newest(nil)
        }
        switch question {
        case .tokens(let id):
            guard layout.item(of: message.subject) == .tokens(id),
                let tokens = try? SharedTokens(message.payload), tokens.id == id
            else { return .damaged }
            return .tokens(tokens, number: message.sequence)
        case .newest(let id), .history(let id):
            guard let record = NumberedRecord(message, of: id, in: layout) else { return .damaged }
            return .newest(record)
        }
    }

    /// The answer to a question for all messages, which are in the order of the stream.
    static func answer(
        historyOf id: SessionID, _ messages: [StoredMessage], in layout: StoreLayout
    ) -> LoadedItem {
        var history: [NumberedRecord] = []
        for message in messages {
            guard let next = NumberedRecord(message, of: id, in: layout) else { return .damaged }
            if let last = history.last {
                guard next.record.previous == last.number else { return .damaged }
                // Another session of the same id begins.
                if next.record.born != last.record.born { history = [] }
            }
            history.append(next)
        }
        return .history(history)
    }
}

extension NumberedRecord {
    /// Reads a message of a session's subject. Returns nil if it is not one.
    init?(_ message: StoredMessage, of id: SessionID, in layout: StoreLayout) {
        guard layout.item(of: message.subject) == .session(id),
            let record = try? SharedRecord(message.payload), record.id == id,
            record.previous < message.sequence
        else { return nil }
        self.init(number: message.sequence, record: record)
    }

    /// The record as the store's interface has it. Nil for the end of a session.
    func stored(in shard: Int) -> StoredRecord? {
        guard case .revision(let revision) = record.content else { return nil }
        let version = EntityVersion(record.born, UInt64(revision.revision))
        return StoredRecord(
            sequence: StreamPlace(shard: shard, number: number).sequence,
            version: StoredVersion(version, .none), appSequence: revision.appSequence,
            record: revision)
    }
}
