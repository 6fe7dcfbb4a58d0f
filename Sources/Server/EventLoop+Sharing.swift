internal import API
internal import HTTP
internal import POSIX

// What keeps one client from being everybody's burden.
//
// - Order: who asks comes before those who come, who go and who take what they are owed; these have a
//   short while a turn.
// - Turns: of the requests that one connection has pipelined a few are answered a turn, and of a
//   long answer a part is written; then the others have theirs. When a turn has made its share of
//   long answers, connections of which another may be expected wait for one of the next turns:
//   who asks for little waits for one long answer at most, however many are asked for.
// - Memory: what connections hold in memory is bounded all together: requests that are not whole or
//   wait, answers that are not shown or not read. Bytes that several are sent count once. When it is
//   too much, those go that have held the most for the longest.
// - Places: see EventLoop+Accepting.

extension EventLoop {
    /// So many pipelined requests of one connection are answered a turn.
    static let requestsAtOnce = 8
    /// So many bytes are written to one connection a turn; a long answer takes several turns.
    static let writeBytesMax = 64 << 10

    // MARK: - Turns

    /// Leaves the rest of what is read to a later turn.
    func postpone(_ connection: Connection) {
        connection.hasMore = true
        unfinished.append(connection.token)
    }

    /// Keeps count of the long answers of this turn.
    func noteAnswer(_ connection: Connection, bytes: Int) {
        connection.isLight = bytes <= Self.lightBytes
        if !connection.isLight { longBytes += bytes }
    }

    /// Whether the connection has to wait for another turn.
    func mustWait(_ connection: Connection) -> Bool {
        !connection.isLight && longBytes >= Self.longBytesMax
    }

    /// Bytes of an answer that is not long.
    private static let lightBytes = 16 << 10

    /// So many bytes of long answers are made a turn, and the one that goes beyond it.
    private static let longBytesMax = 64 << 10

    /// Goes on with those that had to wait for their next turn.
    func takeTurns() {
        guard !unfinished.isEmpty else { return }
        let tokens = unfinished
        unfinished = []
        for token in tokens {
            guard let connection = connections[token], connection.hasMore else { continue }
            guard !mustWait(connection) else {
                unfinished.append(token)
                continue
            }
            connection.hasMore = false
            if connection.state.phase == .idle, !connection.input.isEmpty {
                consumeOwn(connection)
            } else if connection.state.wantsInput {
                read(connection)
            }
            settle(connection)
        }
    }

    // MARK: - Memory

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
