internal import API
internal import HTTP
internal import Navigation
internal import Sessions

/// An encoded answer that may not be shown yet, or a portion of a request after which the next one
/// may not begin yet. It is a class, as it goes from part to part and is too large to be copied.
final class HeldAnswer {
    /// The changes that must be kept first.
    let visibleAfter: Tickets
    /// The decision on these changes, if not all of them are kept.
    fileprivate(set) var decision: TicketDecision?
    /// The approximate number of clients to notify of the changes.
    let audience: Int
    fileprivate(set) var text: HeldText
    /// Whether the connection may be used again after the answer.
    fileprivate(set) var persists: Bool
    /// For the log and the metrics. It is nil for streams and backups, which are logged when they
    /// begin.
    private(set) var facts: RequestFacts?
    let request: HeldRequest
    /// How an answer that takes its place is written, if the request is a message of an agent.
    let form: AnswerForm?

    init(
        to request: Request, _ visibility: Visibility, text: HeldText, persists: Bool,
        facts: RequestFacts? = nil
    ) {
        visibleAfter = visibility.after
        audience = visibility.audience
        self.text = text
        self.persists = persists
        self.facts = facts
        form = visibility.form
        self.request = HeldRequest(
            request, isRead: visibility.form?.isRead ?? request.method.isSafe,
            isWhole: !visibility.after.singles.isEmpty)
    }

    /// Replaces the answer by the one that is shown when the store has failed.
    ///
    /// - Parameter refusal: the response that the text encodes.
    func replace(by text: HeldText, _ refusal: Response, persists: Bool) {
        self.text = text
        self.persists = persists
        facts?.status = refusal.status
        facts?.bytes = refusal.body.count
    }

    /// Bytes of memory.
    var heldBytes: Int { text.count + (request.whole?.heldBytes ?? 0) }

    /// When an answer may be shown, and what takes its place if it may not.
    struct Visibility {
        /// The changes that must be kept first.
        var after: Tickets
        /// The approximate number of clients to notify of the changes.
        var audience = 0
        /// How a refusal is written, for a message of an agent.
        var form: AnswerForm?
    }
}

/// Encoded answers, one after the other. The answers of a turn share a buffer, which is used again
/// once all of them are sent.
final class AnswerBuffer {
    fileprivate(set) var bytes: [UInt8] = []

    /// A buffer with more bytes than this takes no further answer. It is kept in memory as long as
    /// one of its answers is held.
    private static let bytesMax = 16 << 10

    /// Encodes an answer into a buffer, and replaces the buffer if it is full.
    static func append(
        to buffer: inout AnswerBuffer, _ encode: (inout [UInt8]) -> Bool
    ) -> (text: HeldText, persists: Bool) {
        if buffer.bytes.capacity > 2 * bytesMax || buffer.bytes.count > bytesMax,
            !buffer.bytes.isEmpty
        {
            buffer = AnswerBuffer()
        } else if isKnownUniquelyReferenced(&buffer) {
            buffer.bytes.removeAll(keepingCapacity: true)
        }
        let start = buffer.bytes.count
        let persists = encode(&buffer.bytes)
        return (HeldText(buffer, start..<buffer.bytes.count), persists)
    }
}

/// An encoded answer: a range of a buffer, and what was appended later.
struct HeldText {
    private let buffer: AnswerBuffer
    private let range: Range<Int>
    private var rest: [UInt8] = []

    fileprivate init(_ buffer: AnswerBuffer, _ range: Range<Int>) {
        (self.buffer, self.range) = (buffer, range)
    }

    /// An answer with bytes of its own.
    init(_ bytes: [UInt8]) {
        buffer = AnswerBuffer()
        buffer.bytes = bytes
        range = 0..<bytes.count
    }

    var count: Int { range.count + rest.count }

    fileprivate mutating func append(_ more: [UInt8]) { rest += more }

    /// Calls a function with each part in order.
    func forEachPart(_ body: ([UInt8], Range<Int>) -> Void) {
        body(buffer.bytes, range)
        if !rest.isEmpty { body(rest, rest.indices) }
    }
}

/// The parts of a request that are needed to answer again if the store does not keep its changes.
struct HeldRequest {
    let exchange: Exchange
    let isRead: Bool
    /// The whole request, if it may have to be processed again: a read if the changes that it shows
    /// are undone, and a change if somebody else made one first.
    let whole: Request?
    private let pathOfChange: [UInt8]

    fileprivate init(_ request: Request, isRead: Bool, isWhole: Bool) {
        exchange = request.exchange
        self.isRead = isRead
        whole = isRead || isWhole ? request.compacted() : nil
        pathOfChange = whole == nil ? Array(request.bytes[request.path]) : []
    }

    /// The request's path.
    var path: [UInt8] { whole.map { Array($0.bytes[$0.path]) } ?? pathOfChange }
}

/// Holds answers until everything that they show is kept.
///
/// Answers that wait for ordered tickets are in one list. For each single ticket, there is a list
/// of the answers that wait for it, so no answer waits for a change that it does not show.
final class AnswerGate {
    /// Something that waits for ordered tickets up to `last`. With the token of a connection, it is
    /// that connection's answer. With the token 0, it is only a count of expected events.
    private struct Waiting {
        let token: UInt64
        let last: Ticket
        let audience: Int
    }

    /// An answer that waits for single tickets.
    private final class WaitingForSingles {
        let waiting: Waiting
        /// The number of tickets that are not decided yet.
        var left: Int
        var decision: TicketDecision

        init(_ waiting: Waiting, _ tickets: Tickets, keptUpTo: Ticket) {
            self.waiting = waiting
            left = tickets.singles.count
            decision = TicketDecision(keptUpTo: keptUpTo)
        }
    }

    private var waiting: [Waiting] = []
    /// The waiting answers, by undecided single ticket.
    private var undecided: [Ticket: [WaitingForSingles]] = [:]
    /// Tokens of connections whose answers can be sent now.
    private var released = Queue<UInt64>()
    private let store: any Engine
    private let connections: OpenConnections
    private let streams: StreamHub

    init(_ parts: LoopParts) {
        store = parts.store
        connections = parts.connections
        streams = parts.streams
    }

    /// Whether an answer that shows these changes may be sent.
    func mayShow(_ tickets: Tickets) -> Bool { store.hasKept(tickets) }

    /// The number of answers that can be sent now.
    var releasedCount: Int { released.count }

    /// Keeps an answer.
    func hold(_ answer: consuming HeldAnswer, _ connection: Connection) {
        let tickets = answer.visibleAfter
        let item = Waiting(
            token: connection.token, last: tickets.last, audience: answer.audience)
        if item.audience > 0 { streams.expect(item.audience) }
        connection.held = answer
        guard !tickets.singles.isEmpty else { return waiting.append(item) }
        let all = WaitingForSingles(item, tickets, keptUpTo: store.keptUpTo)
        for ticket in tickets.singles { undecided[ticket, default: []].append(all) }
    }

    /// Counts events of changes that no answer shows, until they are decided.
    func expect(_ count: Int, until ticket: Ticket) {
        guard count > 0, !ticket.isSingle else { return }
        streams.expect(count)
        waiting.append(Waiting(token: 0, last: ticket, audience: count))
    }

    /// Adds bytes to the held answer of a connection, if it has one.
    ///
    /// - Returns: false if it has none.
    func append(_ bytes: [UInt8], _ connection: Connection) -> Bool {
        guard connection.held != nil else { return false }
        connection.held?.text.append(bytes)
        return true
    }

    /// Notes that a held stream is over, and whether the connection may be used again after it.
    func endStream(_ connection: Connection, persists: Bool) {
        connection.held?.persists = persists
    }

    /// Releases the answers whose ordered tickets are now kept.
    ///
    /// - Parameter failure: the answer to all others, whose changes are undone or in doubt.
    func release(refusingOthers failure: StoreError? = nil) {
        guard !waiting.isEmpty else { return }
        let keptUpTo = store.keptUpTo
        let items = waiting
        waiting = []
        for item in items {
            if item.last <= keptUpTo {
                release(item, nil)
            } else if let failure {
                release(item, TicketDecision(keptUpTo: keptUpTo, refusal: failure))
            } else {
                waiting.append(item)
            }
        }
    }

    /// Releases the answers for which these were the last undecided single tickets.
    func settle(_ outcomes: [DecidedTicket]) {
        for decided in outcomes {
            for all in undecided.removeValue(forKey: decided.ticket) ?? [] {
                all.decision.add(decided)
                all.left -= 1
                guard all.left == 0 else { continue }
                release(all.waiting, all.decision.isKept ? nil : all.decision)
            }
        }
    }

    private func release(_ item: Waiting, _ decision: TicketDecision?) {
        if item.audience > 0 { streams.expect(-item.audience) }
        guard let connection = connections[item.token], let held = connection.held else { return }
        held.decision = decision
        released.append(item.token)
    }

    /// Takes out the next answer that can be sent, if there is one.
    func next() -> (connection: Connection, answer: HeldAnswer)? {
        while let token = released.popFirst() {
            guard let connection = connections[token], let answer = connection.held.take() else {
                continue
            }
            return (connection, answer)
        }
        return nil
    }
}
