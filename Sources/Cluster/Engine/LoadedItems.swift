internal import Bytes
internal import NATS
internal import Navigation
internal import Sessions

/// Something that is asked of the servers for requests that wait.
enum Question: Hashable, Sendable {
    case newest(SessionID)
    case history(SessionID)
    case tokens(SessionID)

    /// The subject of the messages.
    var item: StoreLayout.Item {
        switch self {
        case .newest(let id), .history(let id): .session(id)
        case .tokens(let id): .tokens(id)
        }
    }

    /// The request that asks the question.
    var request: LoadRequest {
        switch self {
        case .newest(let id): .session(id)
        case .history(let id): .history(id)
        case .tokens(let id): .tokens(id)
        }
    }
}

/// A record of a session with its stream sequence.
struct NumberedRecord: Sendable {
    let number: Int
    let record: SharedRecord

    /// Whether it is the first of all messages of the session's id.
    var isFirst: Bool { record.previous == 0 }

    /// The revision, if the record is not the end of a session.
    var revision: SessionRecord? {
        if case .revision(let revision) = record.content { revision } else { nil }
    }
}

/// The content of the messages of a session's subject, of which the stream keeps the last 128.
struct SessionHistory: Sendable {
    /// The messages of the last session of that id, the oldest first. If it has ended, the last of
    /// them is its end.
    var records: [NumberedRecord] = []
    /// The ends of the sessions that had the id before it, the oldest first.
    var earlierEnds: [NumberedRecord] = []

    /// The result of the newest request with an idempotency key. The keys of changes end with their
    /// session, and those of deletions do not.
    func result(ofKey key: String, in shard: Int) -> IdempotentResult? {
        let isAlive = records.last?.revision != nil
        let keyed = earlierEnds + (isAlive ? records : records.suffix(1))
        guard let found = keyed.last(where: { $0.record.key?.key == key }) else { return nil }
        switch found.record.content {
        case .revision: return found.stored(in: shard).map { .change($0) }
        case .end(let tombstone):
            return .deletion(
                Deletion(tombstone, at: StreamPlace(shard: shard, number: found.number)))
        }
    }
}

/// The answer to a question.
enum LoadedItem: Sendable {
    /// The newest message of the session as the stream's leader has it; none if it has no message.
    case newest(NumberedRecord?)
    /// The content of all messages of the session.
    case history(SessionHistory)
    /// The newest list of tokens, with its stream sequence; none if there is no message.
    case tokens(SharedTokens?, number: Int)
    /// The message is not what it should be.
    case damaged
    case unanswered
}

/// The items that were loaded for one request.
struct LoadedItems: LoadResult {
    /// The token of the request.
    let token: UInt64
    /// The answers.
    private(set) var items: [Question: LoadedItem] = [:]
    /// The questions whose answers came since the request was processed last.
    private(set) var news: Set<Question> = []
    /// The feeds that were awaited, and whether they have delivered a barrier that was stored after
    /// the request arrived.
    var barriers: [Int: Bool] = [:]
    /// The changes that the request has waited for, and whether the feed told of them in time.
    var awaited: [SequenceNumber: Bool] = [:]
    /// The answers of the other nodes.
    var peers: [PeerQuestion: PeerAnswer] = [:]

    /// Items that were loaded for the same request before are kept, so that they are not asked
    /// again.
    init(token: UInt64, earlier: LoadedItems?) {
        self.token = token
        items = earlier?.items ?? [:]
        barriers = earlier?.barriers ?? [:]
        awaited = earlier?.awaited ?? [:]
        peers = earlier?.peers ?? [:]
    }

    /// Adds an answer.
    mutating func take(_ item: LoadedItem, to question: Question) {
        items[question] = item
        news.insert(question)
    }
}

extension LoadedItem {
    /// Whether the stream has no message of the session.
    var isEmpty: Bool {
        switch self {
        case .newest(let record): record == nil
        case .history(let history): history.records.isEmpty
        case .tokens, .damaged, .unanswered: false
        }
    }

    /// The answer to a question for the newest message.
    ///
    /// - Parameter message: the message, if the stream has one.
    static func answer(
        _ question: Question, _ message: StoredMessage?, in layout: StoreLayout
    ) -> LoadedItem {
        guard let message else {
            switch question {
            case .newest, .history: return .newest(nil)
            case .tokens: return .tokens(nil, number: 0)
            }
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
        var history = SessionHistory()
        for message in messages {
            guard let next = NumberedRecord(message, of: id, in: layout) else { return .damaged }
            if let last = history.records.last {
                guard next.record.previous == last.number else { return .damaged }
                if next.record.born != last.record.born {
                    // Another session of the same id begins. The one before it may have expired,
                    // and nobody wrote its end.
                    if last.revision == nil { history.earlierEnds.append(last) }
                    history.records = []
                }
            }
            history.records.append(next)
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
        guard let revision else { return nil }
        let version = EntityVersion(record.born, UInt64(revision.revision))
        return StoredRecord(
            sequence: StreamPlace(shard: shard, number: number).sequence,
            version: StoredVersion(version, .none), appSequence: revision.appSequence,
            record: revision)
    }
}
