internal import API
internal import HTTP
internal import POSIX
internal import Sessions

/// One client's connection.
///
/// Each part of the server keeps what it needs to know of a connection in a property whose type is
/// declared beside that part and which only that part changes.
final class Connection {
    /// A number that is never used again after the connection is closed.
    let token: UInt64
    let origin: ConnectionOrigin
    var socket: ConnectionSocket
    var state: ConnectionState
    var incoming: IncomingBytes
    /// Encoded bytes that are not written yet; empty at rest.
    var outbox = Outbox()
    var exchange: CurrentExchange
    /// An encoded answer that may not be shown yet.
    var held: HeldAnswer?
    var waiting = WaitState()
    var queuing = QueueState()
    var buffering = BufferState()
    var deadline = DeadlineState()

    /// An idle connection; its state says when it was accepted.
    init(
        _ descriptor: FileDescriptor, token: UInt64, origin: ConnectionOrigin,
        state: ConnectionState, limits: ParserLimits
    ) {
        self.token = token
        self.origin = origin
        self.state = state
        socket = ConnectionSocket(descriptor)
        incoming = IncomingBytes(limits: limits)
        exchange = CurrentExchange(requestedAt: state.since)
    }

    var descriptor: FileDescriptor { socket.descriptor }

    /// The index in the table of connections.
    var index: Int { ConnectionTable.index(of: token) }

    /// Whether a read of the connection waits for a change.
    var isWaiting: Bool { exchange.parked != nil && waiting.wakesAt != .max }

    /// The next time at which to look at the connection, or `.max` if there is none. Waits end at
    /// their time. Deadlines are kept in the second after theirs, so that those of many connections
    /// wake the loop once a second.
    var nextTime: Int64 {
        let deadline = state.deadline.map { ($0 / 1000 + 1) * 1000 }
        return min(deadline ?? .max, waiting.wakesAt)
    }

    /// Bytes of memory that the connection holds and shares with no other.
    var ownBytes: Int {
        var bytes = incoming.heldBytes + outbox.ownBytes
        if let held { bytes += held.heldBytes }
        if let parked = exchange.parked { bytes += parked.heldBytes }
        if let progress = exchange.progress { bytes += progress.heldBytes }
        return bytes
    }
}

/// Where a connection comes from.
struct ConnectionOrigin {
    /// Connections are numbered in the order in which they were accepted.
    let number: UInt64
    let address: ClientAddress
    /// Whether it was accepted on the address that serves metrics only.
    let isForMetrics: Bool
}

/// A connection's socket, and what the kernel has been asked about it.
struct ConnectionSocket {
    let descriptor: FileDescriptor
    /// The events that the kernel reports.
    var interest = Epoll.Interest.input
    /// The kernel has reported that the peer has ended its side. There may be bytes before that
    /// end that have not been read.
    var hasHungUp = false

    init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }
}

/// Bytes of requests that have been read.
struct IncomingBytes {
    var parser: RequestParser
    /// Bytes that have been read and not been used; empty at rest.
    var bytes: [UInt8] = []

    init(limits: ParserLimits) { parser = RequestParser(limits: limits) }

    /// Forgets the unfinished request, so that nothing more is parsed.
    mutating func discard() { self = IncomingBytes(limits: parser.limits) }

    /// Bytes of memory. `mutating`, so that it is read in place: it is asked for after each
    /// request, and would otherwise be copied for it.
    var heldBytes: Int { mutating get { bytes.capacity + parser.heldBytes } }
}

/// The request in work.
struct CurrentExchange {
    /// When the last request was complete, or when the connection was accepted.
    private(set) var requestedAt: Int64
    /// Whether there has been a request.
    private(set) var hasBegun = false
    /// The head of the unfinished request has been accepted: its content is wanted.
    var isAdmitted = false
    /// The number of attempts at the request that failed because another change was stored first.
    var conflicts: UInt8 = 0
    /// When the request was parsed, in nanoseconds.
    var begun: Int64 = 0
    var requestID = RequestID.made(0)
    /// The name of the token that the request came with, if it is a change.
    var author: TokenName?
    /// A request that waits until something is loaded, for a change of its session, for its next
    /// portion, or until streams have received earlier changes.
    var parked: Request?
    /// The progress of a request that is carried out in portions.
    var progress: CommandProgress?
    /// When the wait of the request ends, if it has waited.
    private var waitsUntil: Int64?

    init(requestedAt: Int64) { self.requestedAt = requestedAt }

    /// Notes that a request is complete.
    mutating func begin(at now: Int64) {
        requestedAt = now
        hasBegun = true
        author = nil
        progress = nil
        conflicts = 0
        waitsUntil = nil
    }

    /// When a wait of that many seconds ends. A request waits again after a change that is not the
    /// one that it waits for; all its waits end when the first one does.
    mutating func waitEnd(_ seconds: Int, at now: Int64) -> Int64 {
        let end = waitsUntil ?? now + Int64(seconds) * 1000
        waitsUntil = end
        return end
    }

    /// Ends the wait of the request, also before its time.
    mutating func endWait(at now: Int64) { waitsUntil = now }

    /// Whether the request has waited long enough. It can need something from the store after that.
    func hasWaited(at now: Int64) -> Bool { waitsUntil.map { $0 <= now } ?? false }

    /// Takes the parked request out.
    mutating func takeParked() -> Request? {
        defer { parked = nil }
        return parked
    }
}
