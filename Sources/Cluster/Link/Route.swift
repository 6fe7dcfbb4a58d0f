internal import NATS
internal import POSIX

/// The steps to connect to a server: look up its name, try its addresses in turn until a socket is
/// connected, and keep that socket.
struct Route {
    private enum Stage {
        case none
        case resolving(HostLookUp)
        case connecting(FileDescriptor)
        case connected(FileDescriptor)
    }

    private var stage = Stage.none
    private var port: UInt16 = 0
    private var addresses: [String] = []
    private var waitsForRoom = false
    private let epoll: Epoll
    private let token: UInt64

    init(epoll: Epoll, token: UInt64) {
        self.epoll = epoll
        self.token = token
    }

    /// The connected socket. It is nil until there is one.
    var socket: FileDescriptor? {
        guard case .connected(let socket) = stage else { return nil }
        return socket
    }

    /// Starts to connect to a server.
    mutating func begin(to server: ServerAddress) throws(SystemError) {
        end()
        port = UInt16(server.port)
        if Socket.isNumeric(server.host) {
            addresses = [server.host]
            try connectToNext(after: nil)
        } else {
            let lookUp = try HostLookUp(server.host)
            try epoll.add(lookUp.wakeDescriptor, .readable, token: token)
            stage = .resolving(lookUp)
        }
    }

    /// Takes the next step after an event. Returns true once the socket is connected.
    mutating func proceed() throws(SystemError) -> Bool {
        switch stage {
        case .none: return false
        case .connected: return true
        case .resolving(let lookUp):
            guard let found = lookUp.addresses else { return false }
            try epoll.remove(lookUp.wakeDescriptor)
            addresses = found
            try connectToNext(after: nil)
            return false
        case .connecting(let socket):
            if let failure = try socket.connectionFailure() {
                try connectToNext(after: failure)
                return false
            }
            try epoll.change(socket, .input, token: token)
            stage = .connected(socket)
            return true
        }
    }

    private mutating func connectToNext(after failure: SystemError?) throws(SystemError) {
        var failure = failure
        while !addresses.isEmpty {
            let address = addresses.removeFirst()
            do throws(SystemError) {
                let socket = try Socket.beginConnecting(address: address, port: port)
                try epoll.add(socket, .writable, token: token)
                stage = .connecting(socket)
                return
            } catch {
                failure = error
            }
        }
        throw failure ?? SystemError("getaddrinfo", number: SystemError.notFound)
    }

    /// Starts or stops waiting for the socket to become writable.
    mutating func wait(forRoom: Bool) throws(SystemError) {
        guard forRoom != waitsForRoom, let socket else { return }
        try epoll.change(socket, forRoom ? .input.union(.writable) : .input, token: token)
        waitsForRoom = forRoom
    }

    /// Closes the socket, or abandons the attempt to connect.
    mutating func end() {
        if case .resolving(let lookUp) = stage {
            // The look-up thread keeps the descriptor open.
            try? epoll.remove(lookUp.wakeDescriptor)
        }
        stage = .none
        addresses = []
        waitsForRoom = false
    }
}
