internal import NATS
internal import Navigation
internal import Sessions

/// A change on its way into the store.
final class PendingChange {
    /// The session, its tokens or the app.
    let item: StoreLayout.Item
    let content: StoreMessage
    let text: [UInt8]
    /// The header with the short form of the message, if it has one.
    let head: Header?
    /// Whether the revision is the first of several. The request is processed again for the rest.
    var hasMore = false
    /// Whether it is the end of a session whose damaged messages are removed once it is kept.
    var removesDamage = false
    /// Whether it is the end of a session that has expired.
    var isExpiry: Bool {
        guard case .session(let record) = content, case .end(let end) = record.content else {
            return false
        }
        return end.why == .expired
    }
    let ticket: Ticket
    var write: ConditionalWrite

    init(
        _ content: StoreMessage, of item: StoreLayout.Item, ticket: Ticket,
        write: ConditionalWrite
    ) {
        self.item = item
        self.ticket = ticket
        self.content = content
        self.write = write
        let head: Header?
        (text, head) = content.message
        let hasRoom = text.count + (head?.lineBytes ?? 0) <= ChangeWriter.recordBytesMax
        self.head = hasRoom ? head : nil
    }
}

/// Writes changes: one at a time of each session, of its tokens and of each app.
final class ChangeWriter {
    /// A change with its outcome.
    struct Decided {
        let change: PendingChange
        let decision: ConditionalWrite.Decision
        var ticket: Ticket { change.ticket }

        /// The same with another outcome.
        func becoming(_ decision: ConditionalWrite.Decision) -> Decided {
            Decided(change: change, decision: decision)
        }
    }

    private let requests: StoreRequests
    private let timeout: Int64
    /// The items that have an undecided change.
    private var busy: Set<StoreLayout.Item> = []
    /// Changes that wait before they are published, or published again.
    private var waiting = WakeQueue<PendingChange>()
    private var decided: [Decided] = []
    /// The size of the messages that are not decided.
    private var bytes = 0

    /// The maximum size of a record in bytes. The limit of a stream includes the headers.
    static let recordBytesMax = StoreLayout.messageBytesMax - 1_024
    private static let countMax = 10_000
    private static let bytesMax = 64 << 20

    /// - Parameter timeout: how long a change is tried, in milliseconds.
    init(_ requests: StoreRequests, timeout: Int64) {
        self.requests = requests
        self.timeout = timeout
    }

    /// The number of undecided changes.
    var count: Int { busy.count }

    /// Whether one more change may be added: at most 10,000 changes, and about 64 MiB of them, may
    /// be undecided.
    var hasRoom: Bool { count < Self.countMax && bytes < Self.bytesMax }

    /// Whether a change of this is not decided.
    func isBusy(_ item: StoreLayout.Item) -> Bool { busy.contains(item) }

    var deadline: Int64 { waiting.first }

    /// A write that begins now.
    func write(_ id: WriteID, after expected: Int, at now: Int64) -> ConditionalWrite {
        ConditionalWrite(id, after: expected, deadline: now + timeout, at: now)
    }

    /// Adds a change, which the next call of `expired` publishes. Nothing else of the same item may
    /// be undecided.
    func add(_ change: PendingChange) {
        bytes += change.text.count
        busy.insert(change.item)
        waiting.add(change, at: change.write.wakesAt)
    }

    /// Publishes what has waited long enough.
    func expired(at now: Int64) {
        for change in waiting.takeDue(at: now) {
            perform(change.write.expired(at: now), change, at: now)
        }
    }

    /// The changes that were decided since the last call.
    func takeDecided() -> [Decided] {
        defer { decided = [] }
        return decided
    }

    // MARK: Answers

    /// The answer to a publication came.
    func published(_ change: PendingChange, _ message: Message, at now: Int64) {
        guard let answer = try? message.publishAck() else {
            return unanswered(change, at: now)
        }
        update(change, at: now) { write in
            write.answered(
                answer, from: requests.layout.stream(of: change.item), at: now,
                random: requests.random())
        }
    }

    /// The answer to the look-up of a successor came.
    func found(_ change: PendingChange, _ message: Message, at now: Int64) {
        let successor: ConditionalWrite.Successor
        switch try? message.answer(as: StoredMessage.self) {
        case .value(let stored): successor = ConditionalWrite.Successor(stored)
        case .refused(let error) where error.kind == .messageNotFound: successor = .none
        case .refused, .noResponders, nil: return unanswered(change, at: now)
        }
        update(change, at: now) { write in
            write.found(successor, at: now, random: requests.random())
        }
    }

    /// The time of a request is up, or its link broke.
    func unanswered(_ change: PendingChange, at now: Int64) {
        update(change, at: now) { write in
            write.unanswered(at: now, random: requests.random())
            return .none
        }
    }

    private func update(
        _ change: PendingChange, at now: Int64,
        _ body: (inout ConditionalWrite) -> ConditionalWrite.Action
    ) {
        let action = body(&change.write)
        if action == .none, !change.write.isDecided {
            waiting.add(change, at: change.write.wakesAt)
        }
        perform(action, change, at: now)
    }

    private func perform(
        _ action: ConditionalWrite.Action, _ change: PendingChange, at now: Int64
    ) {
        switch action {
        case .none: break
        case .publish:
            let (count, most) = (change.text.count, Self.recordBytesMax)
            guard count <= most else {
                return update(change, at: now) { write in
                    write.unsendable(
                        "a record of \(count) bytes; streams accept at most \(most)")
                }
            }
            // Servers look for the names of headers from the first one on, also in values.
            var headers = [Header.expectedLastSequence(change.write.expected)]
            if let head = change.head { headers.append(head) }
            let isSent = requests.send(
                requests.layout.subject(of: change.item), headers: headers,
                payload: change.text, for: .publication(change), at: now)
            if !isSent { notSent(change, at: now) }
        case .lookUp(let number):
            let query = MessageQuery.next(
                SubjectFilter(requests.layout.subject(of: change.item)), from: number + 1)
            let isSent = requests.get(
                query, from: requests.layout.stream(of: change.item),
                for: .successor(change), at: now)
            if !isSent { notSent(change, at: now) }
        case .decide(let decision):
            bytes -= change.text.count
            busy.remove(change.item)
            decided.append(Decided(change: change, decision: decision))
        }
    }

    private func notSent(_ change: PendingChange, at now: Int64) {
        update(change, at: now) { write in
            write.notSent(at: now, random: requests.random())
            return .none
        }
    }
}

/// Changes of apps that lost against another change. They are reported once the feed has delivered
/// the other one: until then the request would be processed again in vain.
struct DeferredConflicts {
    private struct Waiting {
        let decided: ChangeWriter.Decided
        /// When to tell it even if the feed has not brought the other one.
        let deadline: Int64
    }

    private var waiting: [Waiting] = []

    private static let waitMilliseconds: Int64 = 2_000

    var deadline: Int64 { waiting.reduce(.max) { min($0, $1.deadline) } }

    /// Adds a change.
    mutating func add(_ decided: ChangeWriter.Decided, at now: Int64) {
        waiting.append(Waiting(decided: decided, deadline: now + Self.waitMilliseconds))
    }

    /// The changes that can be reported now.
    mutating func take(at now: Int64, _ replica: Replica) -> [ChangeWriter.Decided] {
        guard !waiting.isEmpty else { return [] }
        let told = waiting.filter { conflict in
            let change = conflict.decided.change
            return conflict.deadline <= now
                || replica.lastNumber(of: change.item) > change.write.expected
        }
        guard !told.isEmpty else { return [] }
        waiting.removeAll { conflict in
            told.contains { $0.decided.ticket == conflict.decided.ticket }
        }
        return told.map(\.decided)
    }
}
