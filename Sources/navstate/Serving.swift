internal import API
internal import Navigation
internal import POSIX
internal import Server
internal import Storage

/// The verb `serve`: everything in its order, and for everything that can go wrong what to do.
enum Serving {
    static func run(_ invocation: Invocation) throws(Failure) {
        let options = try settings(invocation)
        Signals.ignoreFatalWrites()
        _ = Process.raiseDescriptorLimit()
        try checkDoor(options)
        let store = try openStore(options)
        let listener = try listen(options.listen[0])
        let service = try makeService(store)
        try storeApps(options, service)
        banner(options, listener, store)
        try serve(listener, store, service)
    }

    /// Without tokens anybody who reaches the server may do anything.
    private static func checkDoor(_ options: Settings) throws(Failure) {
        guard options.listen[0].isLoopback else {
            throw Failure(
                .usage,
                "\(options.listen[0]) is not a loopback address, and the server has no tokens yet; "
                    + "listen on 127.0.0.1 and put a proxy in front")
        }
    }

    private static func openStore(_ options: Settings) throws(Failure) -> Store {
        do {
            let (store, report) = try Store.open(
                options.store, now: Clock.realtimeMilliseconds)
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

    private static func makeService(_ store: Store) throws(Failure) -> Service {
        do {
            return try Service(store: store)
        } catch {
            throw Failure(
                .configuration, "the stored app \(error.id) is refused: \(lines(error.faults))")
        }
    }

    // MARK: - Apps

    private static func storeApps(_ options: Settings, _ service: Service) throws(Failure) {
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

    private static func banner(_ options: Settings, _ listener: FileDescriptor, _ store: Store) {
        var address = options.listen[0]
        if let port = try? Socket.port(of: listener) { address.port = port }
        let url = "http://\(address)"
        Process.print(
            """
            navstate \(Version.text)
              sessions  \(url)/v1/sessions
              API       \(url)/openapi.yaml
              data      \(options.store.path) (\(store.sessionCount) sessions, \
            \(store.apps.count) apps)
              stop      Ctrl-C

            """)
    }

    private static func serve(
        _ listener: FileDescriptor, _ store: Store, _ service: Service
    ) throws(Failure) {
        let isWell: Bool
        do {
            let loop = try EventLoop(
                options: ServerOptions(), store: store, service: service, listeners: [listener])
            isWell = try loop.run()
        } catch {
            throw Failure(.internalError, "the event loop failed: \(error)")
        }
        guard isWell, store.close(at: Clock.realtimeMilliseconds) else {
            let why = store.failureText ?? "the last changes could not be written"
            throw Failure(
                .internalError, "the disk failed: \(why); nothing in doubt was acknowledged")
        }
    }
}
