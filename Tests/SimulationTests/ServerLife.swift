import API
import POSIX
import Server
import Storage
import Synchronization

/// One life of the server's process: the store is opened, the loop runs, the store is closed.
final class ServerLife {
    enum End {
        /// The store was not opened.
        case refused(String)
        /// The loop, or the closing, said that the disk has failed.
        case failed(String)
        /// It was stopped, and everything is on the disk.
        case stopped
        case broken(String)
    }

    private let thread: Thread
    private let end: Ending
    /// Stands for the descriptor of signals.
    private let signals: WakeUp
    /// Kept open until the thread is joined: a thread that has had its last turn lets go of what it
    /// holds at a time that no seed decides.
    private let address: FileDescriptor

    /// What the thread leaves.
    private final class Ending: Sendable {
        let end = Mutex<End?>(nil)
        let wakeUp: WakeUp
        init() throws(SystemError) { wakeUp = try WakeUp() }
    }

    /// - Parameter address: where clients come.
    init(
        store: StoreOptions, server: ServerOptions, address: FileDescriptor
    ) throws(SystemError) {
        let (end, signals) = (try Ending(), try WakeUp())
        (self.end, self.signals, self.address) = (end, signals, address)
        thread = try Thread(named: "server") {
            let result = Self.run(store, server, address, signals.descriptor)
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

    private static func run(
        _ store: StoreOptions, _ server: ServerOptions, _ address: FileDescriptor,
        _ signals: FileDescriptor
    ) -> End {
        let opened: Store
        do {
            opened = try Store.open(store, now: Clock.realtimeMilliseconds).store
        } catch {
            return .refused("\(error)")
        }
        do {
            let service = Service(store: opened, options: server.service)
            let loop = try EventLoop(
                options: server, store: opened, service: service,
                sockets: ServerSockets(listeners: [Listener(address)], signals: signals),
                log: Log(level: .critical, format: .json))
            let isWell = try loop.run()
            let isClosed = opened.close(at: Clock.realtimeMilliseconds)
            return isWell && isClosed
                ? .stopped : .failed(opened.failureText ?? "the last changes were not written")
        } catch {
            opened.close(at: Clock.realtimeMilliseconds)
            return .broken("\(error)")
        }
    }
}
