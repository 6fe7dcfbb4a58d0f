internal import Bytes
internal import POSIX
package import Server

/// Opens the sockets on which the server listens.
package enum Listeners {
    /// Binds all addresses and replaces port 0 by the port that the kernel chose. Sockets passed by
    /// the service manager are used instead of `--listen`.
    ///
    /// - Throws: an `unavailable` error for the first address that cannot be bound.
    package static func open(_ configuration: inout Configuration) throws(ExitError) -> [Listener] {
        var listeners: [Listener] = []
        let inherited = try passedSockets()
        if !inherited.isEmpty {
            listeners = inherited.map { Listener($0.socket) }
            configuration.listen = inherited.map(\.address)
        } else {
            for index in configuration.listen.indices {
                listeners.append(try bind(&configuration.listen[index]))
            }
        }
        if var address = configuration.metricsListen {
            listeners.append(try bind(&address, isForMetrics: true))
            configuration.metricsListen = address
        }
        return listeners
    }

    /// The sockets that the service manager has passed.
    private static func passedSockets() throws(ExitError)
        -> [(socket: FileDescriptor, address: ListenAddress)]
    {
        do throws(SystemError) {
            var found: [(FileDescriptor, ListenAddress)] = []
            for socket in try ServiceManager.inheritedSockets() {
                if let path = try Socket.path(of: socket) {
                    found.append((socket, ListenAddress(path: path)))
                } else if let address = ListenAddress(Socket.boundAddress(socket)) {
                    try Socket.setSendingOptions(socket)
                    found.append((socket, address))
                } else {
                    throw SystemError("getsockname", number: SystemError.unknownFamily)
                }
            }
            return found
        } catch {
            throw ExitError(
                .unavailable,
                "cannot use a socket passed by the service manager (LISTEN_FDS): \(error)")
        }
    }

    private static func bind(
        _ address: inout ListenAddress, isForMetrics: Bool = false
    ) throws(ExitError) -> Listener {
        do {
            let listener = try Listener.bind(address, isForMetrics: isForMetrics)
            if address.path == nil { address.port = try Socket.port(of: listener.descriptor) }
            return listener
        } catch {
            let option = isForMetrics ? "--metrics-listen" : "--listen"
            let hint =
                if error.number != SystemError.addressInUse {
                    error.text
                } else if address.path == nil {
                    "the address is in use; choose another one with \(option)"
                } else {
                    "a running server or another file has this path; "
                        + "choose another one with \(option)"
                }
            throw ExitError(.unavailable, "cannot listen on \(address): \(hint)")
        }
    }
}
