internal import HTTP
internal import POSIX

/// The sockets of the open connections: what the kernel is to report of them, when to look at them
/// again, the memory that they may take, and how they are closed.
final class Transport {
    private let connections: OpenConnections
    private let streams: StreamHub
    private let backups: BackupSender
    private let budget: BufferBudget
    private let observer: RequestObserver
    private let clock: TurnClock
    private let epoll: Epoll

    /// The most connections that are closed together to free memory.
    private static let abortsMax = 64

    init(_ parts: LoopParts, epoll: Epoll, backups: BackupSender) {
        connections = parts.connections
        streams = parts.streams
        budget = parts.budget
        observer = parts.observer
        clock = parts.clock
        self.epoll = epoll
        self.backups = backups
    }

    // MARK: - The kernel

    /// Begins to watch a connection's socket.
    func watch(_ connection: Connection) throws(SystemError) {
        try epoll.add(
            connection.descriptor, connection.socket.interest, token: connection.token)
        connections.schedule(connection)
    }

    /// After a connection was served: counts its memory, notes its next deadline and asks the
    /// kernel to report what it needs, and no more.
    func settle(_ connection: Connection) {
        guard connections.holds(connection), weigh(connection) else { return }
        connections.schedule(connection)
        let input = input(connection)
        let wanted = connection.outbox.isEmpty ? input : input.union(.writable)
        if wanted != connection.socket.interest { report(wanted, of: connection) }
    }

    /// What to be told of the peer's side. Few clients send anything while an answer is being made,
    /// so the interest stays as it is until one does.
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
        connection.waiting.isStreaming && !backups.serves(connection)
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
    var isOverBudget: Bool { budget.isExceeded }

    /// Counts what a connection holds, and closes others if it is too much.
    ///
    /// - Returns: false if this connection was closed too.
    func weigh(_ connection: Connection) -> Bool {
        budget.update(connection, at: clock.now)
        guard budget.isExceeded else { return true }
        makeRoom()
        return connections.holds(connection)
    }

    /// Closes a few connections if all together hold too much memory.
    func makeRoom() {
        for _ in 0..<Self.abortsMax {
            guard budget.isExceeded, let connection = budget.heaviest(at: clock.now) else { return }
            observer.connectionEvicted()
            abort(connection)
        }
    }

    // MARK: - Closing

    /// Closes a connection with a reset, so that the kernel keeps no output for a client that does
    /// not read.
    func abort(_ connection: Connection) {
        guard connections.holds(connection) else { return }
        Socket.resetWhenClosed(connection.descriptor)
        drop(connection)
    }

    /// Closes a connection that has failed or is given up.
    func drop(_ connection: Connection) {
        connection.state.lost(at: clock.now)
        close(connection)
    }

    /// Closes a connection, if it is still open, and forgets everything about it.
    func close(_ connection: Connection) {
        guard connections.holds(connection) else { return }
        connections.remove(connection)
        budget.remove(connection)
        streams.remove(connection)
        backups.end(connection)
    }
}
