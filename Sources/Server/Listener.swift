package import POSIX

/// A socket from which connections come.
package struct Listener: Sendable {
    package var descriptor: FileDescriptor
    /// Only metrics and health are behind it.
    package var isForMetrics = false
    /// It has connections to be accepted, and waits for its part of a turn.
    var isQueued = false

    package init(_ descriptor: FileDescriptor, isForMetrics: Bool = false) {
        self.descriptor = descriptor
        self.isForMetrics = isForMetrics
    }

    /// Binds an address. A Unix socket that a server has left behind is replaced; one that
    /// somebody answers at is not.
    package static func bind(
        _ address: ListenAddress, isForMetrics: Bool = false
    ) throws(SystemError) -> Listener {
        guard let path = address.path else {
            return Listener(
                try Socket.listen(address: address.host, port: address.port),
                isForMetrics: isForMetrics)
        }
        if isLeftBehind(path) { try Directory.remove(path) }
        return Listener(try Socket.listen(path: path), isForMetrics: isForMetrics)
    }

    private static func isLeftBehind(_ path: String) -> Bool {
        do {
            // A server that accepts nothing now is there nevertheless.
            _ = try Socket.connect(path: path, waitingAtMost: 1_000)
            return false
        } catch {
            return error.number == SystemError.connectionRefused
        }
    }
}
