internal import POSIX
internal import Sessions

// All clients share one loop, so a turn must be short however many of them want something at the
// same moment. The work of a turn is counted in units of `WorkBudget`, about 10 ns each, and
// divided into parts. A part takes elements from its queue until it has used up its share of the
// turn, and at least one element; the rest stays in the queue for the next turn. A turn in which
// all parts together have used `TurnWork.unitsMax` ends, and the next turn begins with the next
// part.
//
// One element is one request, the events that one client gets together, one deadline, or 64 KiB
// that are read or written. A request takes `WorkBudget.unitsMax` at most. So no turn takes more
// than `TurnWork.unitsMax` and the work of one request.
//
// A command for many sessions is carried out in portions, each an element of its own.
//
// Streams receive changes one after another, over several turns if they are many. Changes wait
// while streams have not received many earlier ones; reads do not wait.

/// The work of a turn.
struct TurnWork {
    /// When a turn ends although work is left: about 5 ms.
    static let unitsMax = 500_000

    private(set) var units = 0

    mutating func spend(_ cost: Cost) { units += cost.units }

    /// Work that no request's budget counts.
    enum Cost {
        /// A few system calls for one connection.
        case element
        /// A request besides what its budget counts.
        case request
        /// A new connection.
        case connection
        /// Bytes that are read and parsed as HTTP.
        case input(bytes: Int)
        /// Bytes that are encoded, copied or written.
        case output(bytes: Int)
        /// The units that the request's budget has counted.
        case budget(units: Int)

        var units: Int {
            switch self {
            case .element: 300
            case .request: 300
            case .connection: 1_000
            case .input(let bytes): bytes / 8
            case .output(let bytes): bytes / 32
            case .budget(let units): units
            }
        }
    }
}

/// The parts of a turn in their order.
enum TurnPart: Int, CaseIterable {
    /// Held answers that may now be shown.
    case released
    /// Requests for which something was loaded.
    case loaded
    /// Connections that have sent something.
    case asking
    /// The same, if their last answer was long, so that the next one may be long too.
    case askingForLong
    /// Listeners, connections whose socket takes more output, and connections that have failed.
    case others
    case deadlines
    /// Sessions in which something is due by itself.
    case due
    /// Streams and waiting reads that a change concerns.
    case delivering
    /// Changes that wait until streams have received earlier ones, and the next portions of
    /// requests that are carried out in portions.
    case changes

    var next: TurnPart { TurnPart(rawValue: rawValue + 1) ?? .released }

    /// The part's share of a turn that has done other work before it.
    ///
    /// Streams get as much as the other work took. If there was none, the turn is short, so that
    /// the next change is noticed and synced while the last one is sent.
    func share(after units: Int) -> Int {
        self == .delivering ? min(unitsMax, max(Self.deliveryUnitsMin, units)) : unitsMax
    }

    /// About 80 µs.
    private static let deliveryUnitsMin = 8_000

    /// The part's largest share of a turn.
    var unitsMax: Int {
        switch self {
        case .asking: 200_000
        case .released, .loaded, .askingForLong, .deadlines, .due, .delivering, .changes: 100_000
        // Requests come before new connections and before output to slow clients.
        case .others: 5_000
        }
    }
}

/// A connection's place in the queues.
struct QueueState {
    fileprivate(set) var isQueued = false
    /// Requests that have been read wait for a later turn.
    fileprivate(set) var hasMore = false
    /// The events that the kernel has reported since the connection was last served.
    fileprivate var happened = Epoll.Interest.nothing
    /// Its last answer was not long, so the next one is probably not long either.
    fileprivate var isLight = false
}

/// The queues of work, and how much of them a turn does.
final class FairShare {
    private var asking = Queue<UInt64>()
    private var askingForLong = Queue<UInt64>()
    private var others = Queue<UInt64>()
    private var loaded = Queue<any LoadResult>()
    private var changes = Queue<UInt64>()
    private var work = TurnWork()
    /// The units of `work` at which the current part has used up its share.
    private var shareEnd = 0
    /// The part with which the next turn begins.
    private var firstPart = TurnPart.released
    /// Bytes of long answers that were made in this turn.
    private var longBytes = 0
    /// The most that a turn has done.
    var longestTurn = TurnWork()

    /// Whether any queue has work that can be done now.
    ///
    /// - Parameter takesChanges: false while changes have to wait.
    func hasWork(takesChanges: Bool) -> Bool {
        !asking.isEmpty || !askingForLong.isEmpty || !others.isEmpty || !loaded.isEmpty
            || takesChanges && !changes.isEmpty
    }

    // MARK: - Turns

    /// Begins a turn.
    func beginTurn() {
        work = TurnWork()
        shareEnd = 0
        longBytes = 0
    }

    /// Ends a turn.
    func endTurn() {
        if work.units > longestTurn.units { longestTurn = work }
    }

    /// Calls `take` for each part until the turn has used up its units.
    func forEachPart<Failure: Error>(_ take: (TurnPart) throws(Failure) -> Void) throws(Failure) {
        let first = firstPart
        var part = first
        firstPart = .released
        for _ in TurnPart.allCases {
            let share = part == first ? part.unitsMax : part.share(after: work.units)
            shareEnd = min(work.units + share, TurnWork.unitsMax)
            try take(part)
            part = part.next
            guard work.units < TurnWork.unitsMax else {
                firstPart = part
                return
            }
        }
    }

    func spend(_ cost: TurnWork.Cost) { work.spend(cost) }

    /// Whether the current part has used up its share.
    var isUsedUp: Bool { work.units >= shareEnd }

    // MARK: - Connections

    /// Adds a connection to the queue of those to be served, if it is not in one.
    ///
    /// - Parameter happened: what the kernel has reported.
    func enqueue(_ connection: Connection, _ happened: Epoll.Interest) {
        connection.queuing.happened.formUnion(happened)
        guard !connection.queuing.isQueued else { return }
        connection.queuing.isQueued = true
        if !connection.queuing.hasMore, !connection.queuing.happened.isSubset(of: .input) {
            others.append(connection.token)
        } else if connection.queuing.isLight {
            asking.append(connection.token)
        } else {
            askingForLong.append(connection.token)
        }
    }

    /// Leaves requests that have been read for a later turn.
    func postpone(_ connection: Connection) {
        connection.queuing.hasMore = true
        enqueue(connection, .nothing)
    }

    /// Clears what is known of a connection that has been taken out of its queue, and returns it.
    func beginServing(_ connection: Connection) -> (happened: Epoll.Interest, hasMore: Bool) {
        defer {
            connection.queuing.happened = .nothing
            connection.queuing.isQueued = false
            connection.queuing.hasMore = false
        }
        return (connection.queuing.happened, connection.queuing.hasMore)
    }

    /// Adds a listener, by its token.
    func enqueueListener(_ token: UInt64) { others.append(token) }

    /// The number of elements that wait in a queue.
    func count(of queue: ConnectionQueue) -> Int {
        switch queue {
        case .asking: asking.count
        case .askingForLong: askingForLong.count
        case .others: others.count
        case .changes: changes.count
        }
    }

    /// The queues that hold tokens.
    enum ConnectionQueue { case asking, askingForLong, others, changes }

    /// Takes the next token out of a queue. Returns nil if the queue is empty, or if this turn has
    /// made enough long answers.
    func next(of queue: ConnectionQueue) -> UInt64? {
        switch queue {
        case .asking: asking.popFirst()
        case .askingForLong: longBytes < Self.longBytesMax ? askingForLong.popFirst() : nil
        case .others: others.popFirst()
        case .changes: changes.popFirst()
        }
    }

    /// Counts an answer that was made.
    func noteAnswer(_ connection: Connection, bytes: Int) {
        work.spend(.output(bytes: bytes))
        connection.queuing.isLight = bytes <= Self.lightBytes
        if !connection.queuing.isLight { longBytes += bytes }
    }

    /// An answer with more bytes is long.
    private static let lightBytes = 16 << 10

    /// No further long answer is begun in a turn that has made this many bytes of them.
    private static let longBytesMax = 64 << 10

    // MARK: - Requests that wait

    /// Adds a connection whose change waits until streams have received earlier ones, or whose
    /// request has another portion.
    func enqueueChange(_ connection: Connection) { changes.append(connection.token) }

    /// Adds what was loaded for a request.
    func enqueue(_ result: any LoadResult) { loaded.append(result) }

    var loadedCount: Int { loaded.count }

    /// Removes and returns what was loaded for the next request.
    func nextLoaded() -> (any LoadResult)? { loaded.popFirst() }
}
