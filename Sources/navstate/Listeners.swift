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
        for socket in ServiceManager.inheritedSockets() {
            do {
                if Socket.isTCP(socket) { try Socket.setSendingOptions(socket) }
            } catch {
                throw ExitError(
                    .unavailable, "cannot use the socket passed by the service manager: \(error)")
            }
            listeners.append(Listener(socket))
        }
        if !listeners.isEmpty {
            configuration.listen = listeners.map { Socket.boundAddress($0.descriptor) }
                .map { ListenAddress($0) ?? ListenAddress(host: "0.0.0.0", port: 0) }
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

    private static func bind(
        _ address: inout ListenAddress, isForMetrics: Bool = false
    ) throws(ExitError) -> Listener {
        do {
            let listener = try Listener.bind(address, isForMetrics: isForMetrics)
            if address.path == nil { address.port = try Socket.port(of: listener.descriptor) }
            return listener
        } catch {
            let hint =
                error.number == SystemError.addressInUse
                ? "the address is in use; choose another one with --listen" : error.text
            throw ExitError(.unavailable, "cannot listen on \(address): \(hint)")
        }
    }

    /// Removes the files of the Unix domain sockets.
    package static func close(_ configuration: Configuration) {
        for address in configuration.listen + [configuration.metricsListen].compactMap({ $0 }) {
            if let path = address.path { try? Directory.remove(path) }
        }
    }
}
