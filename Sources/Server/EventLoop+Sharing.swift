internal import API
internal import HTTP
internal import POSIX

// What connections hold in memory is bounded all together: requests that are not complete or wait,
// and answers that are not shown or not read. Bytes that several clients are sent count once. At the
// limit, the connections that have held the most for the longest are closed.

extension EventLoop {
    /// The number of pipelined requests of one connection that are answered together.
    static let requestsAtOnce = 8
    /// The number of bytes that are written to one connection together.
    static let writeBytesMax = 64 << 10

    /// Keeps count of what a connection holds; false if it had to go. Others may be gone after it.
    func weigh(_ connection: Connection) -> Bool {
        budget.update(connection, at: now)
        guard budget.isExceeded else { return true }
        makeRoom()
        return connections.holds(connection)
    }

    /// Closes connections until the others hold no more than is allowed, a few at a time. While it
    /// is more, nothing is read.
    func makeRoom() {
        for _ in 0..<Self.abortsAtOnce {
            guard budget.isExceeded, let connection = budget.heaviest(at: now) else { return }
            metrics.connectionsEvicted += 1
            perform(.abort, on: connection)
        }
    }

    private static let abortsAtOnce = 64
}
