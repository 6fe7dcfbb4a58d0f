internal import HTTP
internal import Navigation
internal import POSIX
internal import Sessions
internal import Storage

/// One client's socket with what the loop remembers of it.
final class Connection {
    let descriptor: FileDescriptor
    /// Never used again when the connection is gone.
    let token: UInt64
    var state: ConnectionState
    var parser: RequestParser
    /// What has been read and is not used up; empty at rest.
    var input: [UInt8] = []
    /// What has been encoded and is not written; empty at rest.
    var outbox = Outbox()
    var held: HeldAnswer?
    /// A request that waits for bytes from the disk.
    var parked: Request?
    /// Whether the answer is a stream that has no end yet.
    var isStreaming = false
    /// When a waiting read has waited long enough, or when the stream's next sign of life is due;
    /// `.max` for any other connection.
    var wakesAt: Int64 = .max
    /// What the kernel has been asked to tell.
    var interest = Epoll.Interest.input
    /// The kernel has told that the peer has ended its side. There may be bytes before that end
    /// that have not been read.
    var hasHungUp = false
    /// Connections that came before it.
    let number: UInt64
    let address: ClientAddress
    /// The head of the unfinished request has been judged: its content is wanted.
    var isAdmitted = false
    /// Requests in `input` wait for their turn.
    var hasMore = false
    /// It is in a queue of those that are to be served.
    var isQueued = false
    /// What the kernel has told since it was last served.
    var happened = Epoll.Interest.nothing
    /// When the last request was complete, or when the connection was accepted.
    var requestedAt: Int64
    /// Its last answer was not long, so that the next one will hardly be.
    var isLight = false
    /// What it counts for in the budget of buffers: its own bytes, and without what it shares.
    var weight = 0
    /// Its place among those that hold anything.
    var holder: Int?
    /// Since when it has held anything, or since its last request began if that was later.
    var holdsSince: Int64 = 0
    /// The second of the loop's clock in which the connection is in the queue of deadlines.
    var bucket: Int64 = .max
    /// When the request in work was parsed, in nanoseconds.
    var begun: Int64 = 0
    /// It came where only metrics are.
    let isForMetrics: Bool

    init(
        descriptor: FileDescriptor, token: UInt64, state: ConnectionState, parser: RequestParser,
        number: UInt64, address: ClientAddress, isForMetrics: Bool
    ) {
        self.number = number
        self.address = address
        self.descriptor = descriptor
        self.token = token
        self.state = state
        requestedAt = state.since
        self.parser = parser
        self.isForMetrics = isForMetrics
    }

    /// The place in the table of connections.
    var place: Int { Int(truncatingIfNeeded: token & 0xFFFF_FFFF) }

    /// Whether a read waits here for a change.
    var isWaiting: Bool { parked != nil && wakesAt != .max }

    /// The next time at which to look at the connection: a deadline, or what `wakesAt` says.
    var nextTime: Int64 { min(state.deadline ?? .max, wakesAt) }

    /// Bytes of memory that it holds and shares with no other connection.
    var ownBytes: Int {
        var bytes = input.capacity + outbox.ownBytes + parser.heldBytes
        if let held { bytes += held.bytes.capacity + (held.read?.heldBytes ?? 0) }
        if let parked { bytes += parked.heldBytes }
        return bytes
    }
}

/// An answer that is encoded and may not be shown yet.
struct HeldAnswer {
    /// What must be durable first.
    var visibleAfter: SequenceNumber
    /// Why it will never be shown, so that the client is told that instead.
    var failure: StoreError?
    var bytes: [UInt8]
    /// Enough to make another answer if the store fails.
    var exchange: Exchange
    var path: [UInt8]
    /// A read, which is answered again if what it saw is taken back.
    var read: Request?
    var persists: Bool
    var facts: RequestFacts?
    /// The request's.
    var id: String?

    /// - Parameter bytes: the answer.
    init(
        to request: Request, visibleAfter: SequenceNumber, bytes: [UInt8], persists: Bool,
        facts: RequestFacts? = nil, id: String? = nil
    ) {
        self.visibleAfter = visibleAfter
        self.bytes = bytes
        exchange = request.exchange
        read = request.method.isSafe ? request.compacted() : nil
        path = read == nil ? Array(request.bytes[request.path]) : []
        self.persists = persists
        self.facts = facts
        self.id = id
    }
}

/// All connections, by a token that joins a place with the number of its use.
struct ConnectionTable {
    private var places: [Connection?] = []
    private var uses: [UInt32] = []
    private var free: [Int] = []
    private(set) var count = 0
    /// Where the next sample begins.
    private var hand = 0

    /// Tokens below are the loop's own descriptors.
    static let firstToken: UInt64 = 1 << 32

    mutating func insert(_ make: (UInt64) -> Connection) -> Connection {
        let place = free.popLast() ?? places.count
        if place == places.count {
            places.append(nil)
            uses.append(0)
        }
        uses[place] += 1
        let connection = make(UInt64(uses[place]) << 32 | UInt64(place))
        places[place] = connection
        count += 1
        return connection
    }

    /// Whether the connection is one of them still.
    func holds(_ connection: Connection) -> Bool {
        let (token, place) = (connection.token, connection.place)
        return place < places.count && UInt64(uses[place]) == token >> 32 && places[place] != nil
    }

    subscript(token: UInt64) -> Connection? {
        let place = Int(truncatingIfNeeded: token & 0xFFFF_FFFF)
        guard place < places.count, let connection = places[place], connection.token == token
        else { return nil }
        return connection
    }

    /// The connection at a place, if there is one.
    func at(_ place: Int) -> Connection? { place < places.count ? places[place] : nil }

    mutating func remove(_ connection: Connection) {
        let place = connection.place
        guard places[place] === connection else { return }
        places[place] = nil
        count -= 1
        // A place whose numbers are used up is not used again.
        if uses[place] < .max { free.append(place) }
    }

    /// A few connections, others each time.
    mutating func sample(_ count: Int = 64) -> [Connection] {
        guard !places.isEmpty else { return [] }
        var found: [Connection] = []
        for _ in 0..<min(places.count, count * 4) where found.count < count {
            hand = hand + 1 < places.count ? hand + 1 : 0
            if let connection = places[hand] { found.append(connection) }
        }
        return found
    }

    var all: [Connection] { places.compactMap { $0 } }
}
