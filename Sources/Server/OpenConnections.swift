internal import POSIX

/// A connection's entry in the queue of deadlines.
struct DeadlineState {
    /// When the connection comes up; `.max` if it is not in the queue.
    fileprivate var time: Int64 = .max
}

/// The open connections, by token, by client address and by the time of their next deadline.
final class OpenConnections {
    private var table = ConnectionTable()
    private var deadlines: DeadlineQueue
    /// Addresses without open connections have no entry.
    private var countByAddress: [ClientAddress: Int] = [:]
    /// The number of connections that were closed since the start.
    private(set) var closedCount: UInt64 = 0

    /// - Parameter now: in milliseconds, as all times here.
    init(at now: Int64) { deadlines = DeadlineQueue(at: now) }

    var count: Int { table.count }
    var all: [Connection] { table.all }
    /// The number of addresses that have open connections.
    var addressCount: Int { countByAddress.count }

    /// The number of open connections of an address.
    func count(from address: ClientAddress) -> Int { countByAddress[address, default: 0] }

    subscript(token: UInt64) -> Connection? { table[token] }

    /// Whether the connection is still open.
    func holds(_ connection: Connection) -> Bool { table.holds(connection) }

    /// Adds the connection that `make` returns for a new token.
    func insert(_ make: (UInt64) -> Connection) -> Connection {
        let connection = table.insert(make)
        countByAddress[connection.origin.address, default: 0] += 1
        return connection
    }

    func remove(_ connection: Connection) {
        table.remove(connection)
        deadlines.remove(connection.index)
        let address = connection.origin.address
        let left = countByAddress[address, default: 1] - 1
        countByAddress[address] = left > 0 ? left : nil
        closedCount += 1
    }

    /// A few connections, different ones each time.
    func sample() -> [Connection] { table.sample() }

    // MARK: - Deadlines

    /// Makes the connection come up when its next time has come. If that time moves away the
    /// connection stays where it is in the queue, and is moved when it comes up.
    func schedule(_ connection: Connection) {
        let time = connection.nextTime
        guard time < connection.deadline.time else { return }
        deadlines.add(connection.index, at: time)
        connection.deadline.time = time
    }

    /// When the next connection comes up, or nil if none is scheduled. It may be too early.
    var nextDeadline: Int64? { deadlines.next }

    /// Takes a connection that has come up out of the queue, if there is one.
    func takeDue(at now: Int64) -> Connection? {
        while let index = deadlines.takeDue(at: now) {
            guard let connection = table.at(index) else { continue }
            connection.deadline.time = .max
            return connection
        }
        return nil
    }
}
