internal import API
internal import Navigation
internal import POSIX
internal import Server
internal import Storage

/// The verb `serve`: everything in its order, and for everything that can go wrong what to do.
///
/// The addresses are bound first, so that probes find somebody while a large store is read, and
/// signals are blocked before the first thread, so that none of them ends the process.
enum Serving {
    static func run(_ invocation: Invocation) throws(ExitError) {
        var configuration = try configuration(invocation)
        Signals.ignoreFatalWrites()
        let memory = Memory.ofThisMachine
        Process.keepFreedMemory(bytes: Int32(memory.freedBytes))
        configuration.share(memory)
        let descriptorsMax = Process.raiseDescriptorLimit()
        let signals = try system { () throws(SystemError) in try Control.signals() }
        let tokens = try AccessConfiguration.tokens(configuration)
        let limits = configuration.server.service.limits
        let apps = try Apps.read(configuration.apps, limits)
        let listeners = try Listeners.open(&configuration)
        try AccessConfiguration.check(configuration.listen, configuration, tokens)
        configuration.server.service.tokens = tokens
        configuration.server.service.originPolicy = AccessConfiguration.originPolicy(
            for: configuration.listen, configuration, isOpen: tokens.isEmpty)
        configuration.server.service.hasMetricsAddress = configuration.metricsListen != nil
        configuration.server.version = Version.text
        let log = Log(
            level: configuration.logLevel,
            format: configuration.logFormat ?? (Process.errorIsTerminal ? .text : .json))
        let store = try open(configuration, listeners, signals, log)
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
            try loop.reloadSettings { () throws(ReloadError) in
                try reloaded(invocation, limits)
            }
        }
        Banner.print(configuration, store, tokens.count)
        try serve(loop, store, log)
        Listeners.close(configuration)
    }

    private static func system<Value>(
        _ body: () throws(SystemError) -> Value
    ) throws(ExitError) -> Value {
        do { return try body() } catch { throw ExitError(.internalError, error.description) }
    }

    // MARK: - Parts

    private static func open(
        _ configuration: Configuration, _ listeners: [Listener], _ signals: FileDescriptor,
        _ log: Log
    ) throws(ExitError) -> Store {
        let startupResponder = try system { () throws(SystemError) in
            try StartupResponder(listeners, signals: signals)
        }
        defer { startupResponder.close() }
        do {
            let (store, report) = try Store.open(
                configuration.store, now: Clock.realtimeMilliseconds)
            for note in report.notes { log.say(.warning, note) }
            if let loss = configuration.store.fsync.loss { log.say(.warning, loss) }
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

    /// Logs stored apps that are invalid. They are no reason to stop: other sessions do not need them.
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

    private static func serve(_ loop: EventLoop, _ store: Store, _ log: Log) throws(ExitError) {
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

    /// What SIGHUP reads again, in all.
    private static func reloaded(
        _ invocation: Invocation, _ limits: Limits
    ) throws(ReloadError) -> ReloadedSettings {
        do throws(ExitError) {
            let configuration = try configuration(invocation)
            return ReloadedSettings(
                tokens: try AccessConfiguration.tokens(configuration),
                apps: try Apps.read(configuration.apps, limits), logLevel: configuration.logLevel)
        } catch {
            throw ReloadError(error.message)
        }
    }
}

/// The app files of a directory.
enum Apps {
    /// Reads and checks them all.
    static func read(_ directory: String?, _ limits: Limits) throws(ExitError) -> [CheckedApp] {
        guard let directory else { return [] }
        let names: [String]
        do {
            names = try Directory.names(directory).filter { $0.hasSuffix(".json") }.sorted()
        } catch {
            throw ExitError(.configuration, "--apps \(directory): \(error.text)")
        }
        var apps: [CheckedApp] = []
        for name in names { apps.append(try read("\(directory)/\(name)", name, limits)) }
        return apps
    }

    private static func read(
        _ path: String, _ name: String, _ limits: Limits
    ) throws(ExitError) -> CheckedApp {
        guard let id = AppID(String(name.dropLast(".json".count))) else {
            throw ExitError(.configuration, "\(path): the file name is not a valid app id")
        }
        let text: [UInt8]
        do {
            text = try FileDescriptor.contents(of: path)
        } catch {
            throw ExitError(.configuration, "\(path): \(error.text)")
        }
        do {
            return try CheckedApp(text, named: id, limits: limits)
        } catch {
            throw ExitError(.configuration, "\(path): invalid app:\n\(lines(error.faults))")
        }
    }

    static func lines(_ faults: [InputFault]) -> String {
        faults.map { "  \($0.pointer.isEmpty ? "the app" : $0.pointer) \($0.detail)" }
            .joined(separator: "\n")
    }
}
