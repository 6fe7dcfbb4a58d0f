internal import POSIX
internal import Server
internal import Storage

/// The addresses, bound.
enum Listeners {
    /// Binds what is to be listened on; port 0 is replaced by what the kernel chose. Sockets that
    /// the service manager has opened are taken instead of `--listen`.
    static func open(_ configuration: inout Configuration) throws(ExitError) -> [Listener] {
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

    /// Takes the names of Unix sockets out of the file system again.
    static func close(_ configuration: Configuration) {
        for address in configuration.listen + [configuration.metricsListen].compactMap({ $0 }) {
            if let path = address.path { try? Directory.remove(path) }
        }
    }
}

/// What is printed at the start: a map of what there is.
enum Banner {
    static func print(_ configuration: Configuration, _ store: Store, _ tokenCount: Int) {
        let urls = configuration.listen.map { address in
            address.path.map { "--unix-socket \($0) http://localhost" } ?? "http://\(address)"
        }
        let url = urls.first ?? ""
        let metrics = configuration.metricsListen.map { "http://\($0)/metrics" } ?? "\(url)/metrics"
        let others = urls.dropFirst().map { "\n  also      \($0)" }.joined()
        let access = tokenCount == 0 ? "no token needed" : count(tokenCount, "token")
        let contents = "\(count(store.sessionCount, "session")), \(count(store.apps.count, "app"))"
        Process.print(
            """
            navstate \(Version.text)
              sessions  \(url)/v1/sessions\(others)
              console   \(url)/
              API       \(url)/docs
              metrics   \(metrics)
              access    \(access)
              data      \(configuration.store.path) (\(contents))
              stop      Ctrl-C

            """)
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
