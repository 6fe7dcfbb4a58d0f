internal import API
internal import Navigation
internal import POSIX
internal import Server
internal import Storage

/// The verb `serve`: the start-up sequence and its error handling.
///
/// The addresses are bound before the store is read, so that probes get a response while a large
/// store is loading. Signals are blocked before the first thread starts, because a thread that does
/// not block a signal would let it end the process.
enum Serving {
    /// Starts the server and returns after a graceful shutdown.
    static func run(
        _ invocation: Invocation, in world: Resolution.World, output: Output
    ) throws(ExitError) {
        var configuration = try Resolution(invocation.options, world).configuration
        Signals.ignoreFatalWrites()
        let memory = Memory.ofThisMachine
        Process.keepFreedMemory(bytes: Int32(memory.freedBytes))
        configuration.share(memory)
        let descriptorsMax = Process.raiseDescriptorLimit()
        let signals = try system { () throws(SystemError) in try Control.signals() }
        let tokens = try AccessConfiguration.tokens(configuration)
        let apps = try AppFiles.read(configuration.apps, configuration.server.service.limits)
        let listeners = try Listeners.open(&configuration)
        try AccessConfiguration.check(configuration, tokens)
        configure(&configuration, tokens: tokens)
        let log = Log(
            level: configuration.log.level,
            format: configuration.log.format ?? (Process.errorIsTerminal ? .text : .json))
        let store = try openStore(
            configuration.store, respondingAt: listeners, signals: signals, log: log)
        let forClients = max(16, descriptorsMax - store.descriptorsReserved)
        configuration.server.connectionsMax = min(configuration.server.connectionsMax, forClients)
        let service = Service(store: store, options: configuration.server.service)
        try storeApps(apps, in: service)
        reportApps(service, log)
        let loop = try system { () throws(SystemError) in
            try EventLoop(
                options: configuration.server, store: store, service: service,
                sockets: ServerSockets(listeners: listeners, signals: signals), log: log)
        }
        try system { () throws(SystemError) in
            try loop.reloadSettings { () throws(ReloadError) in try reloaded(invocation, world) }
        }
        let banner = Banner(
            sessions: store.sessionCount, apps: store.apps.count, tokens: tokens.count)
        output.print(banner.text(for: configuration))
        try run(loop, on: store, log: log)
        Listeners.close(configuration)
    }

    /// Passes on what the server has to know about access and its own addresses.
    private static func configure(_ configuration: inout Configuration, tokens: Tokens) {
        configuration.server.service.tokens = tokens
        configuration.server.service.originPolicy = AccessConfiguration.originPolicy(
            for: configuration.listen, configuration, isOpen: tokens.isEmpty)
        configuration.server.service.hasMetricsAddress = configuration.metricsListen != nil
        configuration.server.version = Version.text
    }

    private static func system<Value>(
        _ body: () throws(SystemError) -> Value
    ) throws(ExitError) -> Value {
        do { return try body() } catch { throw ExitError(.internalError, error.description) }
    }

    // MARK: - Parts

    /// Opens the store while a `StartupResponder` answers at the listeners.
    private static func openStore(
        _ options: StoreOptions, respondingAt listeners: [Listener], signals: FileDescriptor,
        log: Log
    ) throws(ExitError) -> Store {
        let startupResponder = try system { () throws(SystemError) in
            try StartupResponder(listeners, signals: signals)
        }
        defer {
            if let error = startupResponder.close() {
                log.say(.warning, "clients had no answer while the store was opened: \(error)")
            }
        }
        do {
            let (store, report) = try Store.open(options, now: Clock.realtimeMilliseconds)
            for note in report.notes { log.say(.warning, note) }
            if let loss = options.fsync.loss { log.say(.warning, loss) }
            log.say(
                .debug, "store opened",
                facts: [
                    ("sessions", "\(report.sessions)"), ("records", "\(report.records)"),
                    ("milliseconds", "\(report.milliseconds)"),
                ])
            return store
        } catch {
            throw ExitError(error)
        }
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

    private static func storeApps(
        _ apps: [CheckedApp], in service: Service
    ) throws(ExitError) {
        do { try service.store(apps, at: Clock.realtimeMilliseconds) } catch {
            throw ExitError(.internalError, "the apps of --apps cannot be stored: \(error.detail)")
        }
    }

    /// Runs the loop until it is told to stop, then closes the store.
    private static func run(
        _ loop: EventLoop, on store: Store, log: Log
    ) throws(ExitError) {
        log.say(.notice, "ready", facts: [("version", Version.text)])
        ServiceManager.say("READY=1\nMAINPID=\(Process.identifier)")
        let isWell = try system { () throws(SystemError) in try loop.run() }
        guard isWell, store.close(at: Clock.realtimeMilliseconds) else {
            let why = store.failureText ?? "the last changes could not be written"
            throw ExitError(
                .internalError,
                "the disk failed: \(why); with --fsync always no acknowledged change is lost")
        }
        log.say(.notice, "stopped; all changes are on disk")
    }

    /// Reads again everything that SIGHUP reloads.
    private static func reloaded(
        _ invocation: Invocation, _ world: Resolution.World
    ) throws(ReloadError) -> ReloadedSettings {
        do throws(ExitError) {
            let configuration = try Resolution(invocation.options, world).configuration
            return ReloadedSettings(
                tokens: try AccessConfiguration.tokens(configuration),
                apps: try AppFiles.read(
                    configuration.apps, configuration.server.service.limits),
                logLevel: configuration.log.level)
        } catch {
            throw ReloadError(error.message)
        }
    }
}
