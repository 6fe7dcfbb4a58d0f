public import POSIX

/// The descriptors with which the event loop begins.
public struct ServerSockets: Sendable {
    let listeners: [Listener]
    let signals: FileDescriptor

    /// - Parameters:
    ///   - listeners: bound and listening already.
    ///   - signals: the descriptor that `Control.signals` returned.
    public init(listeners: [Listener], signals: FileDescriptor) {
        self.listeners = listeners
        self.signals = signals
    }
}

/// A socket that accepts connections.
public struct Listener: Sendable {
    /// The listening socket.
    public var descriptor: FileDescriptor
    /// Whether it serves only metrics and health checks.
    public var isForMetrics = false
    /// Whether it waits in a queue because it has connections to be accepted.
    var isQueued = false
    /// The file of a Unix socket that was made for it.
    private var file: (path: String, inode: UInt64)?

    /// - Parameter descriptor: bound and listening already.
    public init(_ descriptor: FileDescriptor, isForMetrics: Bool = false) {
        self.descriptor = descriptor
        self.isForMetrics = isForMetrics
    }

    /// Binds an address. The Unix socket of a server that has ended is replaced; that of a running
    /// one is not, and no other file either.
    public static func bind(
        _ address: ListenAddress, isForMetrics: Bool = false
    ) throws(SystemError) -> Listener {
        guard let path = address.path else {
            return Listener(
                try Socket.listen(address: address.host, port: address.port),
                isForMetrics: isForMetrics)
        }
        if try Directory.status(path)?.isSocket == true, isLeftBehind(path) {
            try Directory.remove(path)
        }
        var listener = Listener(try Socket.listen(path: path), isForMetrics: isForMetrics)
        listener.file = try Directory.status(path).map { (path, $0.inode) }
        return listener
    }

    /// Removes the file of a Unix socket that `bind` has made, unless another file has its path.
    /// Call it while the socket is open. Until then, no other server replaces the file.
    public func removeFile() {
        guard let file, (try? Directory.status(file.path))?.inode == file.inode else { return }
        try? Directory.remove(file.path)
    }

    private static func isLeftBehind(_ path: String) -> Bool {
        do {
            // A server that is too busy to accept is running nevertheless.
            _ = try Socket.connect(path: path, waitingAtMost: 1_000)
            return false
        } catch {
            return error.number == SystemError.connectionRefused
        }
    }
}
