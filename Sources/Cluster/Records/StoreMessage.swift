internal import Bytes
internal import NATS
internal import Navigation
internal import Sessions

/// The place of a message about a session, its tokens or an app among the messages
/// of its subject. See `ConditionalWrite`.
struct SharedLink: Equatable, Sendable {
    /// The stream sequence of the message that this one follows; 0 for the first of its subject.
    var previous: Int
    var writer: WriteID
}

extension ConditionalWrite.Successor {
    /// The successor that a message which was looked up represents.
    init(_ message: StoredMessage) {
        let link = try? SharedRecordText(message.payload).link()
        self = .record(
            sequence: message.sequence, previous: link?.previous ?? -1, writer: link?.writer)
    }
}

/// The content of a message of a stream.
enum StoreMessage: Sendable {
    case session(SharedRecord)
    case tokens(SharedTokens)
    case app(SharedApp)
    case facts(StoreFacts)
    /// The plan of the restore that has made the store: see `RestorePlan`.
    case plan
    /// It marks this shard: see `ShardMark`.
    case mark(Int)
    case barrier
}

extension StoreMessage {
    /// The write that made the message. Nil if it is no record.
    var writer: WriteID? {
        switch self {
        case .session(let record): record.writer
        case .tokens(let tokens): tokens.link.writer
        case .app(let app): app.link.writer
        case .facts, .plan, .mark, .barrier: nil
        }
    }

    /// Reads a message.
    ///
    /// - Parameters:
    ///   - shard: the shard whose stream it is in. Nil for the stream of apps.
    ///   - own: the record that this node has written with these bytes, if it has.
    init(
        _ message: FedMessage, of shard: Int?, in layout: StoreLayout, own: SharedRecord? = nil
    ) throws(DamageError) {
        if let shard, let record = own ?? (try? SharedRecord(message.content)),
            layout.isSubject(message.subject, of: record.id, in: shard),
            record.previous < message.number
        {
            // Most messages are sound records of sessions.
            self = .session(record)
        } else if layout.isBarrier(message.subject, in: shard) {
            self = .barrier
        } else if let marked = layout.shardMarked(by: message.subject, in: shard) {
            self = .mark(marked)
        } else {
            let item = (try? Subject(message.subject)).flatMap { layout.item(of: $0) }
            do throws(SharedRecordError) {
                self = try Self.read(message, about: item, of: shard, in: layout)
            } catch {
                throw DamageError(error, message, item: item)
            }
        }
    }

    private static func read(
        _ message: FedMessage, about item: StoreLayout.Item?, of shard: Int?,
        in layout: StoreLayout
    ) throws(SharedRecordError) -> StoreMessage {
        switch item {
        case .session(let id) where shard == layout.shard(of: id):
            let record = try SharedRecord(message.content)
            guard record.id == id, record.previous < message.number else { throw .form }
            return .session(record)
        case .tokens(let id) where shard == layout.shard(of: id):
            let tokens = try SharedTokens(message.content)
            guard tokens.id == id else { throw .form }
            return .tokens(tokens)
        case .app(let id) where shard == nil:
            let app = try SharedApp(message.content)
            guard app.id == id else { throw .form }
            return .app(app)
        case .meta where shard == nil:
            if (try? RestorePlan(message.content)) != nil { return .plan }
            return .facts(try StoreFacts(message.content))
        case .session, .tokens, .app, .meta, nil: throw .form
        }
    }
}

/// A message of the store that is not what it should be.
struct DamageError: Error, Equatable {
    /// The item that its subject names. Nil if it names nothing of this store.
    let item: StoreLayout.Item?
    let number: Int
    let reason: SharedRecordError
    /// Whether it was read without its payload, and its headers do not have what is needed.
    let lacksHead: Bool

    init(_ reason: SharedRecordError, _ message: FedMessage, item: StoreLayout.Item?) {
        (self.item, number, self.reason) = (item, message.number, reason)
        lacksHead = message.isHead && item != nil
    }

    /// A message that marks a shard.
    init(_ reason: SharedRecordError, mark message: FedMessage) {
        (item, number, self.reason, lacksHead) = (nil, message.number, reason, message.isHead)
    }

    /// The report for the log.
    ///
    /// - Parameter stream: the name of the stream.
    func report(in stream: String) -> StoreReport {
        if case .newerFormat(let format) = reason {
            return StoreReport(
                "the store was changed by a newer version",
                error: StoreOpenError.tooNew(format: format).message)
        }
        return StoreReport(
            "message \(number) of the stream \(stream) is damaged", error: "\(reason)")
    }
}

/// The damaged messages of the store that this node has read, and the sessions whose messages are
/// gone although the sessions were not ended. Those that were replaced since do not count.
struct DamageRegister {
    /// The stream sequence of the damaged last message of an item; 0 if it has no message.
    private var items: [StoreLayout.Item: Int] = [:]
    /// The number of messages whose subjects name nothing of this store.
    private var strays = 0
    /// The subjects that streams lack of those that were read.
    var losses = SubjectLosses()

    var count: Int { items.count + strays }

    /// The stream sequence of the damaged last message of an item; 0 if it has no message. Nil if
    /// it is not damaged.
    subscript(item: StoreLayout.Item) -> Int? { items[item] }

    /// The sessions whose messages are gone.
    var lost: some Sequence<SessionID> {
        items.lazy.compactMap { item, number in
            guard number == 0, case .session(let id) = item else { return nil }
            return id
        }
    }

    /// A message is not what it should be. One of a newer version is not damaged.
    mutating func note(_ error: DamageError) {
        if case .newerFormat = error.reason { return }
        if let item = error.item { items[item] = error.number } else { strays += 1 }
    }

    /// A session has no messages.
    ///
    /// - Returns: whether that was not known.
    mutating func noteLost(_ id: SessionID) -> Bool {
        items.updateValue(0, forKey: .session(id)) == nil
    }

    /// An item has a sound message with this stream sequence.
    mutating func clear(_ item: StoreLayout.Item, before number: Int) {
        if let damaged = items[item], damaged < number { items[item] = nil }
    }
}
