internal import NATS
internal import Navigation
internal import Sessions

/// Publishes messages in the order in which they are added, as far as they have the same subject.
/// Messages of different subjects are published at the same time, because the servers take one
/// conditional message of a subject after the other.
final class RestoreQueue {
    /// A message that is added to the queue, without its place in the stream.
    struct Message {
        let item: StoreLayout.Item
        let content: StoreMessage
    }

    private let links: StoreLinks
    private let environment: EngineEnvironment
    private let writer: ChangeWriter
    private var identity: NodeIdentity
    /// The messages of each subject that are not kept yet. The first one is on its way.
    private var waiting: [StoreLayout.Item: [Message]] = [:]
    /// The stream sequence of the last message of each subject.
    private var numbers: [StoreLayout.Item: Int] = [:]
    private var waitingCount = 0
    private(set) var keptCount = 0
    /// The last messages of an earlier restore that were not met yet. What comes before them and
    /// they themselves are not published again.
    var stored: [StoreLayout.Item: StoredItem] = [:]
    private(set) var foundCount = 0

    private static let pauseMilliseconds = 20

    /// - Parameter timeout: how long the servers may take for one message, in milliseconds.
    init(_ opening: StoreOpening, _ facts: StoreFacts, timeout: Int64) {
        links = opening.links
        environment = opening.environment
        identity = opening.identity
        let layout = StoreLayout(
            prefix: opening.requests.layout.prefix, shardCount: facts.shardCount)
        writer = ChangeWriter(
            StoreRequests(
                link: links.requests, layout: layout, random: opening.environment.random),
            timeout: timeout)
    }

    private var now: Int64 { environment.clock.now }

    /// The stream sequence of the last message of a subject that is stored; 0 if none is.
    func number(of item: StoreLayout.Item) -> Int { numbers[item] ?? 0 }

    /// Adds a message.
    func add(_ message: Message) {
        if let last = stored[message.item] {
            foundCount += 1
            numbers[message.item] = last.number
            if last.trait == RestoredTrait(message.content) { stored[message.item] = nil }
            return
        }
        waitingCount += 1
        waiting[message.item, default: []].append(message)
        if waiting[message.item]?.count == 1 { begin(message) }
    }

    private func begin(_ message: Message) {
        let (id, ticket) = identity.nextWrite()
        let write = writer.write(id, after: number(of: message.item), at: now)
        let link = SharedLink(previous: write.expected, writer: id)
        writer.add(
            PendingChange(
                message.content.placed(link), of: message.item, ticket: ticket, write: write))
    }

    /// Waits until all messages are stored.
    func drain() throws(SharedRestoreError) {
        while waitingCount > 0 { try turn() }
    }

    /// Sends what is due, and waits a little for what comes.
    private func turn() throws(SharedRestoreError) {
        writer.expired(at: now)
        let events: [RequestEvent<Purpose>]
        do throws(StoreOpenError) {
            events = try links.turnOfRequests(environment, waiting: Self.pauseMilliseconds)
        } catch {
            throw .store(error)
        }
        for event in events { take(event) }
        for decided in writer.takeDecided() { try settle(decided) }
    }

    private func take(_ event: RequestEvent<Purpose>) {
        switch event {
        case .reply(let purpose, let message):
            links.requests.finish(with: message)
            switch purpose {
            case .publication(let change): writer.published(change, message, at: now)
            case .successor(let change): writer.found(change, message, at: now)
            case .question, .barrier, .portion, .removal: break
            }
        case .unanswered(.publication(let change)), .unanswered(.successor(let change)):
            writer.unanswered(change, at: now)
        case .unanswered, .ready, .message, .warning, .closed: break
        }
    }

    private func settle(_ decided: ChangeWriter.Decided) throws(SharedRestoreError) {
        switch decided.decision {
        case .kept(let number): isKept(decided.change.item, number)
        case .conflict: throw .overtaken
        case .refused(.full): throw .full
        case .refused(.rejected(let text)): throw .refused(text)
        case .refused(.unavailable), .unknown: throw .unanswered
        }
    }

    private func isKept(_ item: StoreLayout.Item, _ number: Int) {
        numbers[item] = number
        keptCount += 1
        waiting[item]?.removeFirst()
        waitingCount -= 1
        if let next = waiting[item]?.first {
            begin(next)
        } else {
            waiting[item] = nil
        }
    }
}

/// The last message of a subject that an earlier restore has stored.
struct StoredItem {
    let number: Int
    let trait: RestoredTrait
}

/// The part of a message by which it differs from the others of its subject in the same backup.
enum RestoredTrait: Equatable {
    case revision(Int, born: UInt64, at: Milliseconds)
    case end(Int, born: UInt64, at: Milliseconds)
    case tokens(born: UInt64)
    case app([UInt8]?, at: Milliseconds)
    case other

    init(_ message: StoreMessage) {
        switch message {
        case .session(let record):
            switch record.content {
            case .revision(let made):
                self = .revision(made.revision, born: record.born, at: made.at)
            case .end(let end): self = .end(end.revision, born: record.born, at: end.at)
            }
        case .tokens(let list): self = .tokens(born: list.born)
        case .app(let app): self = .app(app.document, at: app.at)
        case .facts, .plan, .mark, .barrier: self = .other
        }
    }
}

extension StoreMessage {
    /// The same at a place in its stream.
    fileprivate func placed(_ link: SharedLink) -> Self {
        switch self {
        case .session(let record):
            return .session(
                SharedRecord(
                    record.content, previous: link.previous, born: record.born,
                    writer: link.writer, size: record.size))
        case .tokens(var list):
            list.link = link
            return .tokens(list)
        case .app(var app):
            app.link = link
            return .app(app)
        case .facts, .plan, .mark, .barrier: return self
        }
    }
}
