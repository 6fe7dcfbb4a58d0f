import POSIX

@testable import Server

/// A test that takes the turns of an event loop.
protocol LoopDriver: AnyObject {
    var loop: EventLoop { get }
}

/// A condition did not come true.
struct TooManyTurns: Error {}

extension LoopDriver {
    /// A client over a pair of sockets, which the server has accepted.
    func pair(from address: ClientAddress = .unix) throws -> TestClient {
        let (server, client) = try Socket.pair()
        try loop.welcome(Socket.Accepted(server, from: address))
        return TestClient(client)
    }

    /// Takes turns until the condition holds. It waits for the kernel and the disk, never for the
    /// time to pass.
    func turn(
        until isDone: () throws -> Bool, clients: TestClient...
    ) throws {
        for _ in 0..<1_000 {
            for client in clients { try client.receive() }
            if try isDone() { return }
            try loop.turn(waitingAtMost: 20)
        }
        throw TooManyTurns()
    }

    /// Takes turns until all clients have sent all that they were to send.
    func turn(whileSending clients: [TestClient]) throws {
        for _ in 0..<1_000 {
            for client in clients { client.trySending() }
            try loop.turn(waitingAtMost: 0)
            if loop.isQuiet { return }
        }
        throw TooManyTurns()
    }

    /// Takes turns until nothing happens any more.
    func settle() throws {
        repeat { try loop.turn(waitingAtMost: 0) } while !loop.isQuiet
    }

    /// The work of the busiest of the next turns, in units of `TurnWork`. The store's threads may
    /// wake the loop in any of them, for instance when the next file is made; that alone is no
    /// work.
    func work(ofTurns count: Int) throws -> Int {
        loop.parts.share.longestTurn = TurnWork()
        for _ in 0..<count { try loop.turn(waitingAtMost: 0) }
        return loop.parts.share.longestTurn.units
    }

    /// Takes turns until the loop has noticed what the client does in the closure, and nothing more
    /// happens.
    func settle(after act: () throws -> Void) throws {
        try settle()
        loop.parts.share.longestTurn = TurnWork()
        try act()
        try turn(until: { loop.parts.share.longestTurn.units > 0 })
        try settle()
    }

    /// One exchange on a connection of its own.
    @discardableResult
    func ask(_ text: String) throws -> TestClient {
        let client = try pair()
        try client.send(text)
        try turn(until: { client.answers == 1 }, clients: client)
        return client
    }
}
