internal import Bytes
internal import Cluster
internal import POSIX
package import Server
internal import Storage

/// The overview of URLs that `serve` prints when it starts.
package struct Banner {
    package var sessions: Int
    package var apps: Int
    /// The number of tokens; without any, the banner says that no token is needed.
    package var tokens: Int

    package init(sessions: Int, apps: Int, tokens: Int) {
        self.sessions = sessions
        self.apps = apps
        self.tokens = tokens
    }

    /// The text for a configuration whose addresses have been bound, so that ports are known.
    package func text(for configuration: Configuration) -> String {
        let urls = configuration.listen.map { address in
            address.path.map { "--unix-socket \($0) http://localhost" }
                ?? Address.origin([address], onNetwork: false) ?? ""
        }
        let url = urls.first ?? ""
        let metrics = configuration.metricsListen.map { "http://\($0)/metrics" } ?? "\(url)/metrics"
        let network = Address.origin(configuration.listen, onNetwork: true)
            .flatMap { urls.contains($0) ? nil : "\n  network   \($0)/" }
        let others = urls.dropFirst().map { "\n  also      \($0)" }.joined() + (network ?? "")
        let access = tokens == 0 ? "no token needed" : count(tokens, "token")
        let contents = "\(count(sessions, "session")), \(count(apps, "app"))"
        return """
            navstate \(Version.text)
              sessions  \(url)/v1/sessions\(others)
              console   \(url)/
              API       \(url)/docs
              metrics   \(metrics)
              access    \(access)
              data      \(data(configuration)) (\(contents))
              stop      Ctrl-C

            """
    }

    private func data(_ configuration: Configuration) -> String {
        configuration.sharedStore.address.map { "the shared store \($0.place)" }
            ?? configuration.store.path
    }

    private func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}

/// The addresses of the server as its users type them.
package enum Address {
    /// The origin of the console and of the API: `http://localhost:8080`. Nil if the server only
    /// listens on Unix sockets.
    ///
    /// - Parameter isOnNetwork: whether other machines are to reach it by this origin. A wildcard
    ///   address is then the address of this machine in its network, if it has one.
    package static func origin(_ addresses: [ListenAddress], onNetwork: Bool) -> String? {
        let tcp = addresses.filter { $0.path == nil }
        guard var address = (onNetwork ? tcp.first { !$0.isLoopback } : nil) ?? tcp.first else {
            return nil
        }
        guard isWildcard(address) else { return "http://\(address)" }
        guard onNetwork, let host = Socket.networkAddress else {
            return "http://localhost:\(address.port)"
        }
        address.host = host
        return "http://\(address)"
    }

    private static func isWildcard(_ address: ListenAddress) -> Bool {
        address.host == "0.0.0.0" || address.host == "::"
    }

    /// The address as the log shows it.
    static func text(_ address: ListenAddress) -> String {
        address.path == nil ? "http://\(address)" : "\(address)"
    }
}
