internal import HTTP
internal import POSIX

/// The sockets of the open connections: what the kernel is to report of them, when to look at them
/// again, the memory that they may take, and how they are closed.
final class Transport {
    private let parts: LoopParts
    private let epoll: Epoll

    /// The most connections that are closed together to free memory.
    private static let abortsMax = 64

    init(_ parts: LoopParts, epoll: Epoll) {
        self.parts = parts
        self.epoll = epoll
    }

    // MARK: - The kernel

    /// Begins to watch a connection's socket.
    func watch(_ connection: Connection) throws(SystemError) {
        try epoll.add(
            connection.descriptor, connection.socket.interest, token: connection.token)
        parts.connections.schedule(connection)
    }

    /// After a connection was served: counts its memory, notes its next deadline and asks the
    /// kernel to report what it needs, and no more.
    func settle(_ connection: Connection) {
        guard parts.connections.holds(connection), weigh(connection) else { return }
        parts.connections.schedule(connection)
        let input = input(connection)
        let wanted = connection.outbox.isEmpty ? input : input.union(.writable)
        if wanted != connection.socket.interest { report(wanted, of: connection) }
    }

    /// The events of the peer's side that the kernel is to report. Few clients send anything while
    /// an answer is being made, so the interest stays as it is until one does.
    private func input(_ connection: Connection) -> Epoll.Interest {
        if connection.state.wantsInput { return .input }
        if connection.socket.hasHungUp || connection.state.isHalfClosed { return .nothing }
        if endsWithPeer(connection) { return .readHangUp }
        return connection.state.phase == .answering
            ? connection.socket.interest.intersection(.input) : .nothing
    }

    /// Whether the answer is a stream that ends when the peer ends its side. A client that receives
    /// a backup may have ended its side already.
    func endsWithPeer(_ connection: Connection) -> Bool {
        connection.waiting.isStreaming && !parts.backups.serves(connection)
    }

    /// Leaves the next request in the kernel until the connection wants it.
    func pauseReading(_ connection: Connection) {
        report(connection.socket.interest.subtracting(.readable), of: connection)
    }

    /// Notes that the peer has ended its side, so that the kernel reports it no longer.
    func hangUp(_ connection: Connection) {
        connection.socket.hasHungUp = true
        report(connection.socket.interest.subtracting(.input), of: connection)
    }

    private func report(_ wanted: Epoll.Interest, of connection: Connection) {
        do {
            try epoll.change(connection.descriptor, wanted, token: connection.token)
            connection.socket.interest = wanted
        } catch {
            drop(connection)
        }
    }

    // MARK: - Memory

    /// Whether the connections hold more memory than is allowed, so that nothing may be read.
    var isOverBudget: Bool { parts.budget.isExceeded }

    /// Counts what a connection holds, and closes others if it is too much.
    ///
    /// - Returns: false if this connection was closed too.
    func weigh(_ connection: Connection) -> Bool {
        parts.budget.update(connection, at: parts.clock.now)
        guard parts.budget.isExceeded else { return true }
        makeRoom()
        return parts.connections.holds(connection)
    }

    /// Closes a few connections if all together hold too much memory.
    func makeRoom() {
        for _ in 0..<Self.abortsMax {
            guard parts.budget.isExceeded,
                let connection = parts.budget.heaviest(at: parts.clock.now)
            else { return }
            parts.observer.connectionEvicted()
            abort(connection)
        }
    }

    // MARK: - Closing

    /// Closes a connection with a reset, so that the kernel keeps no output for a client that does
    /// not read.
    func abort(_ connection: Connection) {
        guard parts.connections.holds(connection) else { return }
        Socket.resetWhenClosed(connection.descriptor)
        drop(connection)
    }

    /// Closes a connection that has failed or is given up.
    func drop(_ connection: Connection) {
        connection.state.lost(at: parts.clock.now)
        close(connection)
    }

    /// Closes a connection, if it is still open, and forgets everything about it.
    func close(_ connection: Connection) {
        guard parts.connections.holds(connection) else { return }
        parts.connections.remove(connection)
        parts.budget.remove(connection)
        parts.streams.remove(connection)
        parts.backups.end(connection)
    }
}
