internal import Bytes
internal import Cluster
internal import Server
internal import Storage

/// The overview of URLs that `serve` prints when it starts.
package struct Banner {
    /// The number of sessions in the store.
    package var sessions: Int
    /// The number of apps in the store.
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
