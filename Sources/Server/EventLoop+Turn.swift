internal import API
internal import HTTP
internal import Navigation
internal import POSIX
internal import Storage

// One turn of the loop, and how its work is bounded.
//
// All clients share one loop, so a turn must be short however many of them want something at the
// same moment. The work of a turn is counted in units of `WorkBudget`, some 10 ns each, and divided
// into parts. A part takes elements from its queue until it has used up its share of the turn, and
// at least one element; the rest stays in the queue for the next turn. A turn in which all parts
// together have used `TurnWork.unitsMax` ends, and the next turn begins with the next part.
//
// One element is one request, one event for one client, one deadline, or 64 KiB that are read or
// written. A request takes `WorkBudget.unitsMax` at most. So no turn takes more than
// `TurnWork.unitsMax` and the work of one request.
//
// Streams are told of a change one after another, over several turns if they are many. Changes wait
// while streams are still to be told of many earlier ones; reads do not wait.

/// The work of a turn.
struct TurnWork {
    /// When a turn ends although work is left: about 5 ms.
    static let unitsMax = 500_000

    private(set) var units = 0

    mutating func spend(_ cost: Cost) { units += cost.units }

    /// What work costs that no request's budget counts.
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
        /// What the request's budget has counted.
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

/// Elements that wait for their part of a turn.
struct TurnQueues {
    /// Connections that have sent something.
    var asking = Queue<UInt64>()
    /// The same, after a long answer, so that another one may follow.
    var askingForLong = Queue<UInt64>()
    /// Listeners, connections whose socket takes more output, and connections that have failed.
    var others = Queue<UInt64>()
    /// Connections whose held answers can be sent.
    var released = Queue<UInt64>()
    /// Records that were read from the disk for requests.
    var loaded = Queue<LoadedRecords>()
    /// Connections with changes that wait until streams have been told of earlier ones.
    var changes = Queue<UInt64>()

    var isEmpty: Bool {
        asking.isEmpty && askingForLong.isEmpty && others.isEmpty && released.isEmpty
            && loaded.isEmpty && changes.isEmpty
    }
}

/// The parts of a turn in their order.
enum TurnPart: Int, CaseIterable {
    case released, loaded, asking, askingForLong, others, deadlines, telling, changes

    var next: TurnPart { TurnPart(rawValue: rawValue + 1) ?? .released }

    /// The part's share of a turn.
    var unitsMax: Int {
        switch self {
        case .asking: 200_000
        case .released, .loaded, .askingForLong, .deadlines, .telling, .changes: 100_000
        // Requests come before new connections and before output to slow clients.
        case .others: 5_000
        }
    }
}

extension EventLoop {
    func takeParts() throws(SystemError) {
        var part = firstPart
        firstPart = .released
        for _ in TurnPart.allCases {
            try take(part)
            part = part.next
            guard work.units < TurnWork.unitsMax else {
                firstPart = part
                return
            }
        }
    }

    private func take(_ part: TurnPart) throws(SystemError) {
        // Elements that are added meanwhile wait for the next turn.
        var left = count(of: part)
        shareEnd = min(work.units + part.unitsMax, TurnWork.unitsMax)
        while left > 0, work.units < shareEnd, try takeElement(of: part) {
            work.spend(.element)
            left -= 1
        }
    }

    private func count(of part: TurnPart) -> Int {
        switch part {
        case .released: queues.released.count
        case .loaded: queues.loaded.count
        case .asking: queues.asking.count
        case .askingForLong: queues.askingForLong.count
        case .others: queues.others.count
        case .deadlines, .telling: .max
        case .changes: queues.changes.count
        }
    }

    /// - Returns: false if there is nothing to do now.
    private func takeElement(of part: TurnPart) throws(SystemError) -> Bool {
        switch part {
        case .released: return showNext()
        case .loaded: return answerLoaded()
        case .asking:
            guard !budget.isExceeded, let token = queues.asking.popFirst() else { return false }
            serveQueued(token)
        case .askingForLong:
            guard !budget.isExceeded, longBytes < Self.longBytesMax,
                let token = queues.askingForLong.popFirst()
            else { return false }
            serveQueued(token)
        case .others:
            guard let token = queues.others.popFirst() else { return false }
            if token < ConnectionTable.firstToken {
                try accept(at: token)
            } else {
                serveQueued(token)
            }
        case .deadlines: return keepDeadline()
        case .telling: return tellNext()
        case .changes: return changeNext()
        }
        return true
    }

    // MARK: - Connections

    /// Adds a connection to the queue of those that are to be served, if it is not in one.
    func enqueue(_ connection: Connection) {
        guard !connection.isQueued else { return }
        connection.isQueued = true
        if !connection.hasMore, !connection.happened.isSubset(of: .input) {
            queues.others.append(connection.token)
        } else if connection.isLight {
            queues.asking.append(connection.token)
        } else {
            queues.askingForLong.append(connection.token)
        }
    }

    /// Leaves requests that have been read for a later turn.
    func postpone(_ connection: Connection) {
        connection.hasMore = true
        enqueue(connection)
    }

    private func serveQueued(_ token: UInt64) {
        guard let connection = connections[token] else { return }
        let happened = connection.happened
        connection.happened = .nothing
        connection.isQueued = false
        if connection.hasMore {
            connection.hasMore = false
            if connection.state.phase == .idle, !connection.input.isEmpty {
                consumeOwn(connection)
            }
            settle(connection)
        }
        if happened != .nothing, connections.holds(connection) { serve(connection, happened) }
    }

    // MARK: - Long answers

    /// Counts an answer that was made.
    func noteAnswer(_ connection: Connection, bytes: Int) {
        work.spend(.output(bytes: bytes))
        connection.isLight = bytes <= Self.lightBytes
        if !connection.isLight { longBytes += bytes }
    }

    /// An answer with more bytes is long.
    private static let lightBytes = 16 << 10

    /// No further long answer is begun in a turn that has made this many bytes of them.
    private static let longBytesMax = 64 << 10

    // MARK: - Changes that wait

    /// Changes wait while streams are still to be told this many events.
    private static let eventsOwedMax = 4_096

    var hasTooMuchToTell: Bool { eventsOwed > Self.eventsOwedMax }

    /// Keeps a change until streams have been told of earlier ones.
    func keepWaiting(_ connection: Connection, _ request: Request) {
        connection.parked = request.compacted()
        queues.changes.append(connection.token)
    }

    private func changeNext() -> Bool {
        guard !hasTooMuchToTell, let token = queues.changes.popFirst() else { return false }
        guard let connection = connections[token], let request = connection.parked else {
            return true
        }
        connection.parked = nil
        proceed(connection, goesOn: respond(connection, request))
        return true
    }
}
