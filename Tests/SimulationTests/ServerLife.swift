import API
import Cluster
import POSIX
import Server
import Sessions
import Storage
import Synchronization

/// One life of the server's process: the store is opened, the loop runs, the store is closed.
final class ServerLife {
    enum End {
        /// The store was not opened.
        case refused(String)
        /// The loop, or the closing, said that the disk has failed.
        case failed(String)
        /// It was stopped, and everything is stored.
        case stopped
        case broken(String)
    }

    private let thread: Thread
    private let end: Ending
    /// Stands for the descriptor of signals.
    private let signals: WakeUp

    /// The end of the thread.
    private final class Ending: Sendable {
        let end = Mutex<End?>(nil)
        let wakeUp: WakeUp
        init() throws(SystemError) { wakeUp = try WakeUp() }
    }

    /// - Parameters:
    ///   - address: where clients come.
    ///   - serve: opens the store, runs the loop, and closes the store.
    init(
        address: FileDescriptor, _ serve: @escaping @Sendable (ServerSockets) -> End
    ) throws(SystemError) {
        let (end, signals) = (try Ending(), try WakeUp())
        (self.end, self.signals) = (end, signals)
        thread = try Thread(named: "server") {
            let sockets = ServerSockets(
                listeners: [Listener(address)], signals: signals.descriptor)
            let result = serve(sockets)
            end.end.withLock { $0 = result }
            end.wakeUp.signal()
        }
    }

    /// Readable when the life has ended.
    var wakeDescriptor: FileDescriptor { end.wakeUp.descriptor }
    /// How it ended, or nil while it goes on.
    var result: End? { end.end.withLock { $0 } }

    /// Sends SIGTERM. An eventfd gives its count where signalfd gives the signal's number.
    func terminate() {
        for _ in 0..<Signals.terminate { signals.signal() }
    }

    /// Waits until the thread has ended.
    func join() { thread.join() }

    /// A life of a server with a directory of its own.
    static func run(
        _ store: StoreOptions, _ server: ServerOptions, _ sockets: ServerSockets
    ) -> End {
        let opened: Store
        do {
            opened = try Store.open(store, now: Clock.realtimeMilliseconds).store
        } catch {
            return .refused("\(error)")
        }
        do {
            let isWell = try loop(opened, server, sockets).run()
            let isClosed = opened.close(at: Clock.realtimeMilliseconds)
            return isWell && isClosed
                ? .stopped : .failed(opened.failureText ?? "the last changes were not written")
        } catch {
            opened.close(at: Clock.realtimeMilliseconds)
            return .broken("\(error)")
        }
    }

    /// A life of a node of a shared store.
    static func run(
        _ store: ClusterOptions, _ server: ServerOptions, _ sockets: ServerSockets
    ) -> End {
        let opened: ClusterEngine
        do { opened = try ClusterEngine.open(store, within: 60_000) } catch {
            return .refused("\(error)")
        }
        do {
            let isWell = try loop(opened, server, sockets).run()
            return isWell ? .stopped : .failed("the shared store failed")
        } catch {
            return .broken("\(error)")
        }
    }

    private static func loop(
        _ store: any Engine, _ server: ServerOptions, _ sockets: ServerSockets
    ) throws(SystemError) -> EventLoop {
        try EventLoop(
            options: server, store: store,
            service: Service(store: store.parts, options: server.service), sockets: sockets,
            log: Log(level: .critical, format: .json))
    }
}
