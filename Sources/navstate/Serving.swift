internal import API
internal import Navigation
internal import POSIX
internal import Server
internal import Sessions
internal import Storage

/// The command `serve`, and what `demo` has in common with it: the start-up sequence and its error
/// handling.
///
/// The addresses are bound before the store is read, so that probes get a response while a large
/// store is loading. Signals are blocked before the first thread starts, because a thread that does
/// not block a signal would let it end the process.
enum Serving {
    /// The command `serve`: starts the server and returns after a graceful shutdown.
    static func run(_ context: CommandContext) throws(ExitError) {
        var plan = ServingPlan(try context.configuration())
        plan.tokens = try AccessConfiguration.tokens(plan.configuration)
        plan.apps = try AppFiles.read(
            plan.configuration.apps, plan.configuration.server.service.limits)
        plan.reload = { () throws(ReloadError) in try reloaded(context) }
        plan.hasBanner = context.output.isTerminal
        try run(plan, output: context.output)
    }

    /// Starts a server and returns after a graceful shutdown.
    static func run(_ plan: ServingPlan, output: Output) throws(ExitError) {
        try run(try start(plan, output))
    }

    /// A server that is ready for clients. It has no listeners besides those of the loop, which
    /// closes them when it begins to stop.
    private struct Started {
        let loop: EventLoop
        let store: OpenStore
        /// The options, with the addresses that were bound.
        let configuration: Configuration
        let log: Log
    }

    private static func start(
        _ plan: ServingPlan, _ output: Output
    ) throws(ExitError) -> Started {
        var (configuration, tokens) = (plan.configuration, plan.tokens)
        let needsFirstToken = try configuration.needsFirstToken(besides: tokens)
        Signals.ignoreFatalWrites()
        let memory = Memory.ofThisMachine
        configuration.share(memory)
        let descriptorsMax = Process.raiseDescriptorLimit()
        let signals = try system { () throws(SystemError) in try Control.signals() }
        let listeners = try Listeners.open(&configuration)
        let log = log(configuration.log)
        if needsFirstToken {
            try takeFirstToken(into: &tokens, configuration, log)
        }
        try AccessConfiguration.check(configuration, tokens)
        configure(&configuration, tokens: tokens)
        let store = try openStore(
            configuration, respondingAt: plan.isTemporary ? [] : listeners,
            signals: signals, log: log)
        // Building the index needs twice the memory that the index has.
        Process.releaseFreedMemory()
        Process.keepFreedMemory(bytes: Int32(memory.freedBytes))
        let forClients = max(descriptorsForClientsMin, descriptorsMax - store.descriptorsReserved)
        configuration.server.connectionsMax = min(configuration.server.connectionsMax, forClients)
        let service = Service(store: store.engine.parts, options: configuration.server.service)
        try prepare(service, store, by: plan, with: configuration, log: log)
        let sockets = ServerSockets(listeners: listeners, signals: signals)
        let loop = try system { () throws(SystemError) in
            try EventLoop(
                options: configuration.server, store: store.engine, service: service,
                sockets: sockets, log: log)
        }
        try checkDescriptors(descriptorsMax)
        if let reload = plan.reload {
            try system { () throws(SystemError) in try loop.reloadSettings(by: reload) }
        }
        if plan.hasBanner {
            let banner = Banner(
                sessions: store.engine.parts.reading.sessionCount,
                apps: store.engine.parts.apps.storedApps.count, tokens: tokens.count)
            output.print(banner.text(for: configuration))
        }
        return Started(loop: loop, store: store, configuration: configuration, log: log)
    }

    /// Refuses to serve if there are no file descriptors left for clients.
    private static func checkDescriptors(_ countMax: Int) throws(ExitError) {
        let standardStreams = 3
        let needed = standardStreams + FileDescriptor.openCount + descriptorsForClientsMin
        guard countMax < needed else { return }
        throw ExitError(
            .cannotCreate,
            "the process may open \(countMax) files, but needs at least \(needed) to serve clients; "
                + "raise the limit (ulimit -n, LimitNOFILE=)")
    }

    private static let descriptorsForClientsMin = 16

    private static func log(_ options: Configuration.Logging) -> Log {
        Log(
            level: options.level,
            format: options.format ?? (Process.errorIsTerminal ? .text : .json))
    }

    /// Stores the apps, and does what the plan wants done before the first client.
    private static func prepare(
        _ service: Service, _ store: OpenStore, by plan: ServingPlan,
        with configuration: Configuration, log: Log
    ) throws(ExitError) {
        warn(of: plan.apps, log)
        try store.keep(plan.apps, service)
        reportApps(service, log)
        try plan.prepare(service, configuration)
    }

    /// Adds the token of `--first-token`. It is shown when it is made, and only then.
    private static func takeFirstToken(
        into tokens: inout Tokens, _ configuration: Configuration, _ log: Log
    ) throws(ExitError) {
        let first = FirstToken(in: configuration.store.path)
        if try !first.exists(), let token = try first.make() {
            let console = Address.origin(configuration.listen, onNetwork: false)
                .map { ("console", "\($0)/#token=\(token)") }
            log.say(
                .warning, "a token was made, because none was set; it is not shown again",
                facts: [console ?? ("token", token), ("file", first.path)])
        } else {
            log.say(
                .notice, "the token was made at the first start and is in a file",
                facts: [("file", first.path)])
        }
        if first.isReadableByOthers {
            log.say(
                .warning, "others on this machine can read the token; change that with chmod 600",
                facts: [("file", first.path)])
        }
        try AccessConfiguration.add(first, to: &tokens)
    }

    /// Passes on what the server has to know about access and its own addresses.
    private static func configure(_ configuration: inout Configuration, tokens: Tokens) {
        configuration.server.service.tokens = tokens
        configuration.server.service.originPolicy = AccessConfiguration.originPolicy(
            for: configuration.listen, configuration, isOpen: tokens.isEmpty)
        configuration.server.service.hasMetricsAddress = configuration.metricsListen != nil
        configuration.server.service.version = Version.text
    }

    private static func system<Value>(
        _ body: () throws(SystemError) -> Value
    ) throws(ExitError) -> Value {
        do { return try body() } catch { throw ExitError(.internalError, error.description) }
    }

    // MARK: - Parts

    /// Opens the store while a `StartupResponder` answers at the listeners, if there are any.
    private static func openStore(
        _ configuration: Configuration, respondingAt listeners: [Listener],
        signals: FileDescriptor, log: Log
    ) throws(ExitError) -> OpenStore {
        let startupResponder = try system { () throws(SystemError) in
            listeners.isEmpty ? nil : try StartupResponder(listeners, signals: signals)
        }
        defer {
            if let error = startupResponder?.close() {
                log.say(.warning, "clients had no answer while the store was opened: \(error)")
            }
            // The event loop receives the signal and reloads the settings.
            if startupResponder?.wantsReload == true { Signals.send(Signals.hangUp) }
        }
        return try OpenStore(configuration, log) { startupResponder?.say($0) }
    }

    /// Logs stored apps that are invalid. The server starts nevertheless, because the sessions of
    /// other apps do not need them.
    private static func reportApps(_ service: Service, _ log: Log) {
        for (id, faults) in service.invalidApps {
            let lines = faults.map { "\($0.pointer.isEmpty ? "/" : $0.pointer): \($0.detail)" }
            log.say(
                .error,
                "the stored app \(id) is invalid; its sessions cannot be changed until it is stored "
                    + "again with PUT /v1/apps/\(id)",
                facts: [("errors", lines.joined(separator: "; "))])
        }
    }

    /// Logs what looks like a mistake in apps that are valid.
    private static func warn(of apps: [CheckedApp], _ log: Log) {
        for app in apps {
            for fault in app.warnings {
                log.say(
                    .warning, "\(fault.pointer) of the app \(app.id) \(fault.detail)")
            }
        }
    }

    /// Runs the loop until a signal stops it, then closes the store.
    private static func run(_ server: Started) throws(ExitError) {
        let (configuration, store, log) = (server.configuration, server.store, server.log)
        let addresses = configuration.listen.map(Address.text).joined(separator: " ")
        let metrics = configuration.metricsListen.map { ("metrics", Address.text($0)) }
        let isRead = store.engine.reading == nil
        log.say(
            .notice, isRead ? "ready" : "serving what has been read of the shared store",
            facts: [("version", Version.text), ("address", addresses)] + [metrics].compactMap { $0 }
        )
        ServiceManager.say("READY=1\nMAINPID=\(Process.identifier)")
        let isHealthy = try system { () throws(SystemError) in try server.loop.run() }
        try store.close(isHealthy: isHealthy)
        log.say(.notice, store.shutdownMessage)
    }

    /// Reads again everything that SIGHUP reloads.
    private static func reloaded(
        _ context: CommandContext
    ) throws(ReloadError) -> ReloadedSettings {
        do throws(ExitError) {
            let configuration = try context.configuration()
            var tokens = try AccessConfiguration.tokens(configuration)
            if try configuration.needsFirstToken(besides: tokens) {
                try AccessConfiguration.add(FirstToken(in: configuration.store.path), to: &tokens)
            }
            return ReloadedSettings(
                tokens: tokens,
                apps: try AppFiles.read(
                    configuration.apps, configuration.server.service.limits),
                logLevel: configuration.log.level)
        } catch {
            throw ReloadError(error.message)
        }
    }
}

/// The contents and settings of a server, in which `serve` and `demo` differ.
struct ServingPlan {
    /// The options; port 0 is replaced when the address is bound.
    var configuration: Configuration
    /// The tokens from options, without the one that `--first-token` makes.
    var tokens = Tokens()
    var apps: [CheckedApp] = []
    /// Whether the store ends with the process. No client can connect while such a store is opened.
    var isTemporary = false
    /// Reads the settings again on SIGHUP. Without it, SIGHUP ends the server.
    var reload: (@Sendable () throws(ReloadError) -> ReloadedSettings)?
    /// Called when the store is open and the addresses are bound, before the first client.
    var prepare: (Service, Configuration) throws(ExitError) -> Void = { _, _ in }
    /// Whether an overview of URLs is printed when all is ready.
    var hasBanner = false

    init(_ configuration: Configuration) { self.configuration = configuration }
}
