internal import API
internal import Server

/// What a server serves. The verbs `serve` and `demo` differ in it.
struct ServingPlan {
    /// The options; port 0 is replaced when the address is bound.
    var configuration: Configuration
    /// The tokens from options, without the one that `--first-token` makes.
    var tokens = Tokens()
    /// Apps to be stored.
    var apps: [CheckedApp] = []
    /// Whether the store ends with the process. Nobody waits while such a store is opened.
    var isTemporary = false
    /// Reads the settings again on SIGHUP. Without it, SIGHUP ends the server.
    var reload: (@Sendable () throws(ReloadError) -> ReloadedSettings)?
    /// Called when the store is open and the addresses are bound, before the first client.
    var prepare: (Service, Configuration) throws(ExitError) -> Void = { _, _ in }
    /// Returns what is printed when all is ready.
    var introduction: (Introduction) -> String = { _ in "" }

    /// What an introduction is about.
    struct Introduction {
        /// The options, with the addresses that were bound.
        var configuration: Configuration
        /// The number of sessions in the store.
        var sessions: Int
        /// The number of apps in the store.
        var apps: Int
        /// The number of tokens of the server.
        var tokens: Int
    }

    init(_ configuration: Configuration) { self.configuration = configuration }
}
