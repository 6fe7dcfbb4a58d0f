internal import HTTP
internal import Navigation
internal import Sessions
internal import Storage

/// An encoded answer that may not be shown yet, or a portion of a request after which the next one
/// may not begin yet. It is a class, as it goes from part to part and is too large to be copied.
final class HeldAnswer {
    /// The sequence number that must be durable first.
    let visibleAfter: SequenceNumber
    /// Set if that never happens. The client is told this instead.
    fileprivate(set) var failure: StoreError?
    /// With a failure: the number up to which everything was durable nevertheless.
    fileprivate(set) var durable: SequenceNumber = 0
    fileprivate(set) var bytes: [UInt8]
    /// Whether the connection may be used again after the answer.
    fileprivate(set) var persists: Bool
    /// For the log and the metrics. Nil for streams and backups, which are logged when they begin.
    private(set) var facts: RequestFacts?
    let request: HeldRequest

    /// - Parameter bytes: the answer.
    init(
        to request: Request, visibleAfter: SequenceNumber, bytes: [UInt8], persists: Bool,
        facts: RequestFacts? = nil
    ) {
        self.visibleAfter = visibleAfter
        self.bytes = bytes
        self.persists = persists
        self.facts = facts
        self.request = HeldRequest(request)
    }

    /// Replaces the answer by the one that is shown when the store has failed.
    ///
    /// - Parameter refusal: what the bytes encode.
    func replace(by bytes: [UInt8], _ refusal: Response, persists: Bool) {
        self.bytes = bytes
        self.persists = persists
        facts?.status = refusal.status
        facts?.bytes = refusal.body.count
    }

    /// Bytes of memory.
    var heldBytes: Int { bytes.capacity + (request.read?.heldBytes ?? 0) }
}

/// What is kept of a request to make another answer if the store fails.
struct HeldRequest {
    let exchange: Exchange
    /// The whole request if it is a read, which is answered again if what it saw is undone.
    let read: Request?
    private let pathOfChange: [UInt8]

    fileprivate init(_ request: Request) {
        exchange = request.exchange
        read = request.method.isSafe ? request.compacted() : nil
        pathOfChange = read == nil ? Array(request.bytes[request.path]) : []
    }

    /// The request's path.
    var path: [UInt8] { read.map { Array($0.bytes[$0.path]) } ?? pathOfChange }
}

/// Holds answers until everything that they show is durable.
final class AnswerGate {
    /// Tokens of connections whose answers are held.
    private var waiting: [UInt64] = []
    /// Tokens of connections whose answers can be sent now.
    private var released = Queue<UInt64>()
    private let store: Store
    private let connections: OpenConnections

    init(store: Store, connections: OpenConnections) {
        self.store = store
        self.connections = connections
    }

    /// Whether an answer that shows changes up to a sequence number may be sent.
    func mayShow(_ sequence: SequenceNumber) -> Bool { sequence <= store.durable }

    /// The number of answers that can be sent now.
    var releasedCount: Int { released.count }

    /// Keeps an answer.
    func hold(_ answer: consuming HeldAnswer, _ connection: Connection) {
        connection.held = answer
        waiting.append(connection.token)
    }

    /// Adds bytes to the held answer of a connection, if it has one.
    ///
    /// - Returns: false if it has none.
    func append(_ bytes: [UInt8], _ connection: Connection) -> Bool {
        guard connection.held != nil else { return false }
        connection.held?.bytes += bytes
        return true
    }

    /// Notes that a held stream is over, and whether the connection may be used again after it.
    func endStream(_ connection: Connection, persists: Bool) {
        connection.held?.persists = persists
    }

    /// Releases the answers whose changes are durable now.
    ///
    /// - Parameter failure: the answer to all others, whose changes are undone or in doubt.
    func release(refusingOthers failure: StoreError? = nil) {
        guard !waiting.isEmpty else { return }
        let durable = store.durable
        let tokens = waiting
        waiting = []
        for token in tokens {
            guard let connection = connections[token],
                let visibleAfter = connection.held?.visibleAfter
            else { continue }
            if visibleAfter > durable {
                guard let failure else {
                    waiting.append(token)
                    continue
                }
                connection.held?.failure = failure
                connection.held?.durable = durable
            }
            released.append(token)
        }
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
