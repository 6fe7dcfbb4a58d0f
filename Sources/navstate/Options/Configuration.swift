internal import API
internal import HTTP
internal import Navigation
package import Server
package import Storage

/// Everything that can be set, with what holds when nobody says anything.
package struct Configuration: Sendable {
    package var listen = [ListenAddress(host: "127.0.0.1", port: 8080)]
    /// Metrics are then served there, and no longer at `listen`.
    package var metricsListen: ListenAddress?
    /// A directory of app files.
    package var apps: String?
    package var allowAnonymous = false
    /// A file with lines of `TOKEN SCOPE`.
    package var tokenFile: String?
    /// A token that may do everything.
    package var token: String?
    /// Names besides loopback's that the server goes by.
    package var allowedHosts: [String] = []
    package var allowedOrigins: [String] = []
    package var server = ServerOptions()
    package var store = StoreOptions(path: "./navstate-data")
    /// Bytes of memory for sessions, for connections' buffers and for changes that wait for the disk;
    /// nil: by what the machine allows.
    package var cacheBytes: Int?
    package var bufferedBytes: Int?
    package var pendingBytes: Int?
    package var logLevel = LogLevel.notice
    /// nil: text on a terminal, JSON elsewhere.
    package var logFormat: LogFormat?

    package init() {}

    /// Gives each part its memory.
    package mutating func share(_ memory: Memory) {
        store.cacheBytes = cacheBytes ?? memory.cacheBytes
        store.pendingBytesMax = pendingBytes ?? memory.pendingBytes
        server.bufferedBytesMax = bufferedBytes ?? memory.bufferedBytes
        server.service.decodedBytesMax = memory.decodedBytes
        // An answer and what it is made from must find room beside those of others.
        let part = server.bufferedBytesMax / 4
        server.service.recordBytesMax = min(server.service.recordBytesMax, part)
        server.service.snapshotBytesMax = min(server.service.snapshotBytesMax, part)
    }

    /// The directory of the store, for an option that is a path.
    var data: String? {
        get { store.path }
        set { store.path = newValue ?? store.path }
    }

    /// What does not go together, and what to do about it.
    package var contradiction: String? {
        if let metricsListen, metricsListen.isFixed, listen.contains(metricsListen) {
            return "--metrics-listen \(metricsListen) is also a --listen address; omit "
                + "--metrics-listen to serve /metrics at --listen"
        }
        for (index, address) in listen.enumerated()
        where address.isFixed {
            if listen[..<index].contains(address) { return "--listen \(address) is given twice" }
        }
        if allowAnonymous, token != nil || tokenFile != nil {
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
