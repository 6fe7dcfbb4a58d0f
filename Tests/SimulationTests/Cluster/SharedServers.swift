import POSIX
import TestSupport
import Testing

@testable import ClusterModel

/// The servers of a store in a world: a thread of their own gives them turns, by the world's clock.
final class SharedServers {
    private let servers: Lock<ModelServers>
    private let thread: Thread
    private let end: WakeUp
    /// Where they listen.
    let port: UInt16

    /// - Parameter path: where to make the Unix socket that connections of the world lead to.
    init(seed: UInt64, in world: World, path: String) throws {
        let model = try ModelServers(dice: SplitMix64(seed: seed), path: path)
        world.route(port: model.port, to: path)
        let (port, descriptor) = (model.port, model.descriptor)
        let (servers, end) = (Lock(model), try WakeUp())
        (self.servers, self.end, self.port) = (servers, end, port)
        thread = try Thread(named: "servers") {
            do {
                try Self.run(servers, descriptor, until: end.descriptor)
            } catch {
                Issue.record(error)
            }
        }
    }

    /// Looks at the servers, or changes them, between two of their turns.
    func with<Value>(_ body: (ModelServers) -> sending Value) -> sending Value {
        servers.withLock { body($0) }
    }

    /// Ends the thread.
    func stop() {
        end.signal()
        thread.join()
    }

    private static func run(
        _ servers: Lock<ModelServers>, _ descriptor: FileDescriptor, until end: FileDescriptor
    ) throws {
        let epoll = try Epoll()
        try epoll.add(descriptor, .readable, token: 0)
        try epoll.add(end, .readable, token: 1)
        var events: [Epoll.Event] = []
        while !events.contains(where: { $0.token == 1 }) {
            let rest = try servers.withLock { servers in
                try servers.receive()
                servers.now = Clock.monotonicMilliseconds
                servers.deliver()
                return Int(max(1, min(servers.nextEvent - servers.now, 500)))
            }
            try epoll.wait(into: &events, timeoutMilliseconds: rest)
        }
    }
}
