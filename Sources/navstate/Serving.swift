internal import API
internal import Navigation
internal import POSIX
internal import Server
internal import Storage

/// The verb `serve`: everything in its order, and for everything that can go wrong what to do.
enum Serving {
    static func run(_ options: Options) throws(Failure) {
        Signals.ignoreFatalWrites()
        _ = Process.raiseDescriptorLimit()
        var settings = options.server
        settings.service.tokens = try options.entrance.tokens()
        try options.entrance.check(options.listen, settings.service.tokens)
        settings.service.door = options.entrance.door(for: options.listen)
        let store = try openStore(options)
        let listener = try listen(options.listen)
        let service = try makeService(store, settings.service)
        try storeApps(options, service)
        banner(options, listener, store)
        try serve(listener, store, service, settings)
    }

    private static func openStore(_ options: Options) throws(Failure) -> Store {
        do {
            let (store, report) = try Store.open(
                StoreOptions(path: options.data), now: Clock.realtimeMilliseconds)
            for note in report.notes { Process.print("navstate: \(note)\n", toError: true) }
            return store
        } catch {
            throw Failure(error)
        }
    }

    private static func listen(_ address: ListenAddress) throws(Failure) -> FileDescriptor {
        do {
            return try Socket.listen(address: address.host, port: address.port)
        } catch {
            let hint =
                error.number == SystemError.addressInUse
                ? "another program listens there; choose another by --listen" : error.text
            throw Failure(.unavailable, "cannot listen on \(address): \(hint)")
        }
    }

    private static func makeService(
        _ store: Store, _ options: ServiceOptions
    ) throws(Failure) -> Service {
        do {
            return try Service(store: store, options: options)
        } catch {
            throw Failure(
                .configuration, "the stored app \(error.id) is refused: \(lines(error.faults))")
        }
    }

    // MARK: - Apps

    private static func storeApps(_ options: Options, _ service: Service) throws(Failure) {
        guard let directory = options.apps else { return }
        let names: [String]
        do {
            names = try Directory.names(directory).filter { $0.hasSuffix(".json") }.sorted()
        } catch {
            throw Failure(.configuration, "--apps \(directory): \(error.text)")
        }
        for name in names { try storeApp(directory + "/" + name, name, service) }
    }

    private static func storeApp(
        _ path: String, _ name: String, _ service: Service
    ) throws(Failure) {
        guard let id = AppID(String(name.dropLast(".json".count))) else {
            throw Failure(.configuration, "\(path): the file's name is not an app's id")
        }
        let text: [UInt8]
        do {
            text = try FileDescriptor.contents(of: path)
        } catch {
            throw Failure(.configuration, "\(path): \(error.text)")
        }
        let faults = service.storeApp(text, named: id, at: Clock.realtimeMilliseconds)
        guard faults.isEmpty else {
            throw Failure(.configuration, "\(path) is no valid app:\n\(lines(faults))")
        }
    }

    private static func lines(_ faults: [Fault]) -> String {
        faults.map { "  \($0.pointer.isEmpty ? "/" : $0.pointer): \($0.detail)" }
            .joined(separator: "\n")
    }

    // MARK: - Serving

    private static func banner(_ options: Options, _ listener: FileDescriptor, _ store: Store) {
        var address = options.listen
        if let port = try? Socket.port(of: listener) { address.port = port }
        let url = "http://\(address)"
        Process.print(
            """
            navstate \(Version.text)
              sessions  \(url)/v1/sessions
              API       \(url)/openapi.yaml
              data      \(options.data) (\(store.sessionCount) sessions, \
            \(store.apps.count) apps)
              stop      Ctrl-C

            """)
    }

    private static func serve(
        _ listener: FileDescriptor, _ store: Store, _ service: Service, _ settings: ServerOptions
    ) throws(Failure) {
        let isWell: Bool
        do {
            let loop = try EventLoop(
                options: settings, store: store, service: service, listeners: [listener])
            isWell = try loop.run()
        } catch {
            throw Failure(.internalError, "the event loop failed: \(error)")
        }
        guard isWell, store.close(at: Clock.realtimeMilliseconds) else {
            let why = store.failureText ?? "the last changes could not be written"
            throw Failure(.diskFailed, "the disk failed: \(why); nothing in doubt was acknowledged")
        }
    }
}
