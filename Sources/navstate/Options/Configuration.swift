package import API
package import Bytes
package import Cluster
internal import HTTP
internal import Navigation
package import Server
package import Storage

/// The values of all options. A new configuration has the defaults.
package struct Configuration: Sendable {
    package var listen = [ListenAddress(host: "127.0.0.1", port: 8080)]
    /// A separate address for metrics, which are then no longer served at `listen`.
    package var metricsListen: ListenAddress?
    package var apps: String?
    /// Who may use the server.
    package var access = Access()
    /// The options of the event loop, the parser and the service.
    package var server = ServerOptions()
    package var store = StoreOptions(path: "./navstate-data")
    package var sharedStore = SharedStore()
    package var memory = MemorySizes()
    package var log = Logging()
    /// Whether other devices on the network can reach a `demo`.
    package var isOnNetwork = false
    package var client = Client()
    /// The options of single commands by their names, as they were written.
    package var ofCommand: [ExactString: String] = [:]

    package init() {}

    /// Tokens, host names and origins.
    package struct Access: Sendable {
        /// Whether addresses other than loopback may be served without a token.
        package var allowAnonymous = false
        /// Whether a token is made at the first start if none is set.
        package var makesFirstToken = false
        /// A file with lines of `TOKEN SCOPE [NAME]`.
        package var tokenFile: String?
        /// A token with the scope admin.
        package var token: String?
        /// The host names of the server besides localhost.
        package var allowedHosts: [String] = []
        /// The web origins whose pages may call.
        package var allowedOrigins: [String] = []
    }

    /// The store of several servers.
    package struct SharedStore: Sendable {
        /// Where it is. Nil if the server has a store of its own.
        package var address: StoreAddress?
        /// The same as it was written, with the password.
        package var addressText: String?
        /// Whether each read is current when it arrives.
        package var readsFromQuorum = false
        /// How long a change or a read may wait for the store.
        package var timeoutMilliseconds: Int64 = 10_000
        /// The fewest servers that keep each change.
        package var replicas = 3
        /// The number of streams of a new store.
        package var shards = 16
        /// The monitoring addresses of the store's servers.
        package var monitors: [String] = []
        /// Whether the store may be deleted without a question.
        package var isConfirmed = false
    }

    /// The server that the client commands call, and how they print.
    package struct Client: Sendable {
        package var server = ServerURL.standard
        /// How long to wait for the server in milliseconds.
        package var timeoutMilliseconds: Int64 = 30_000
        /// Whether results are printed as JSON, or nil for text on a terminal and JSON elsewhere.
        package var printsJSON: Bool?
        /// Further members of the request's body, as `KEY=VALUE` or `KEY:=JSON`.
        package var members: [String] = []
        /// The tabs that `setTabs` hides.
        package var hiddenTabs: [String] = []
    }

    /// Sizes in bytes, or nil for a share of the memory limit.
    package struct MemorySizes: Sendable {
        /// For session records.
        package var cacheBytes: Int?
        /// For the buffers of all connections.
        package var bufferedBytes: Int?
        /// For changes that wait for the disk.
        package var pendingBytes: Int?
    }

    /// The level and the format of the log.
    package struct Logging: Sendable {
        /// The lowest level that is logged.
        package var level = LogLevel.notice
        /// The format, or nil for text on a terminal and JSON elsewhere.
        package var format: LogFormat?
    }

    /// Sets the sizes that each part may use, from the options or from the machine's memory.
    package mutating func share(_ machine: Memory) {
        store.cacheBytes = memory.cacheBytes ?? machine.cacheBytes
        store.pendingBytesMax = memory.pendingBytes ?? machine.pendingBytes
        server.bufferedBytesMax = memory.bufferedBytes ?? machine.bufferedBytes
        server.service.decodedBytesMax = machine.decodedBytes
        // A response and the record it is made from must leave room for those of other clients.
        let part = server.bufferedBytesMax / 4
        server.service.recordBytesMax = min(server.service.recordBytesMax, part)
        server.service.snapshotBytesMax = min(server.service.snapshotBytesMax, part)
    }

    /// Whether the server has to take the token of `--first-token`.
    ///
    /// - Parameter tokens: the tokens that are set.
    /// - Throws: a `usage` error for a server on a shared store. Other commands need no token.
    package func needsFirstToken(besides tokens: Tokens) throws(ExitError) -> Bool {
        guard access.makesFirstToken, tokens.isEmpty, !access.allowAnonymous else { return false }
        guard sharedStore.address == nil else {
            throw ExitError(
                .usage,
                "--first-token cannot be combined with --store, because every server would make a "
                    + "token of its own; set the same token for all of them (NAVSTATE_TOKEN, "
                    + "NAVSTATE_TOKEN_FILE or --token-file)")
        }
        return true
    }

    /// The directory of the store, as an option with a path sets it.
    var data: String? {
        get { store.path }
        set { store.path = newValue ?? store.path }
    }

    /// The first contradiction between options, with the way to resolve it, if there is one.
    package var contradiction: String? {
        if let metricsListen, metricsListen.isFixed, listen.contains(metricsListen) {
            return "--metrics-listen \(metricsListen) is also a --listen address; omit "
                + "--metrics-listen to serve /metrics at --listen"
        }
        for (index, address) in listen.enumerated()
        where address.isFixed {
            if listen[..<index].contains(address) { return "--listen \(address) is given twice" }
        }
        if access.allowAnonymous, access.token != nil || access.tokenFile != nil {
            return "--allow-anonymous cannot be combined with a token; remove one of them"
        }
        let parser = server.parser
        if parser.fieldLineBytesMax > parser.headBytesMax {
            return "--field-max must not be larger than --header-max"
        }
        let limits = server.service.limits
        if limits.paramsBytesMax > limits.sessionBytesMax {
            return "--params-max must not be larger than --session-max"
        }
        return nil
    }
}
