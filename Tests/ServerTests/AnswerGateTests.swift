import POSIX
import Storage
import Synchronization
import Testing

@testable import Server

/// Answers that may not be seen before the disk has what they show.
@Suite struct AnswerGateTests {
    /// A server whose disk does not finish a sync of the log while `isSlow`.
    private func server(_ isSlow: SlowDisk) throws -> TestServer {
        let server = try TestServer(disk: isSlow.disk)
        try server.makeSession("a")
        try server.makeSession("b")
        try server.settle()
        isSlow.begin()
        return server
    }

    private static let change = String.post("/v1/sessions/a/navigate", #"{"route":"new"}"#)

    @Test func `a change is seen by nobody before it is durable`() throws {
        let disk = SlowDisk()
        defer { disk.end() }
        let server = try server(disk)
        let (writer, reader, other) = (try server.pair(), try server.pair(), try server.pair())
        try writer.send(Self.change)
        try server.settle()
        try reader.send(.get("/v1/sessions/a"))
        try other.send(.get("/v1/sessions/b"))
        try server.turn(until: { other.answers == 1 }, clients: other)
        for client in [writer, reader] { try client.receive() }
        #expect(writer.answers == 0 && reader.answers == 0 && other.statuses == [200])
        disk.end()
        try server.turn(
            until: { writer.answers == 1 && reader.answers == 1 }, clients: writer, reader)
        #expect(writer.statuses == [200] && reader.statuses == [200])
        #expect(reader.text.contains(#""route":"new""#))
    }

    @Test func `what follows a held answer on its connection follows it`() throws {
        let disk = SlowDisk()
        defer { disk.end() }
        let server = try server(disk)
        let client = try server.pair()
        try client.send(Self.change + .get("/nothing"))
        try server.settle()
        try client.receive()
        #expect(client.answers == 0)
        disk.end()
        try server.turn(until: { client.answers == 2 }, clients: client)
        #expect(client.statuses == [200, 404])
    }

    @Test func `a client that goes before its answer is released takes nothing with it`() throws {
        let disk = SlowDisk()
        defer { disk.end() }
        let server = try server(disk)
        let before = server.loop.parts.connections.count
        do {
            let client = try server.pair()
            try client.send(Self.change)
            try server.settle()
        }
        let other = try server.pair()
        try other.send(.post("/v1/sessions/b/navigate", #"{"route":"other"}"#))
        try server.settle()
        disk.end()
        try server.turn(until: { other.answers == 1 }, clients: other)
        try server.turn(until: { server.loop.parts.connections.count == before + 1 })
        let read = try server.ask(.get("/v1/sessions/a"))
        #expect(read.text.contains(#""route":"new""#))
        #expect(server.loop.parts.gate.releasedCount == 0)
    }
}

/// A disk whose syncs wait as long as a test wants.
final class SlowDisk: Sendable {
    private let isSlow = Lock(false)

    var disk: Disk {
        Disk { [isSlow] call in
            if case .sync = call { isSlow.wait { $0 ? nil : () } }
            return .proceed
        }
    }

    func begin() { isSlow.withLock { $0 = true } }

    func end() {
        isSlow.withLock { $0 = false }
        isSlow.notify()
    }
}
