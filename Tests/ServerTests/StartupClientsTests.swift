import POSIX
import Testing

@testable import Server

/// The clients of a server that is starting.
@Suite struct StartupClientsTests {
    @Test func `the oldest client makes room for the next one`() throws {
        var served = StartupClients()
        var clients: [TestClient] = []
        for number in 0..<(StartupClients.countMax + 3) {
            let (server, client) = try Socket.pair()
            #expect(served.add(server, at: 0) == StartupClients.firstToken + UInt64(number))
            clients.append(TestClient(client))
        }
        #expect(served.count == StartupClients.countMax)
        for client in clients { try client.receive() }
        #expect(clients.map(\.isClosed) == clients.indices.map { $0 < 3 })
    }

    @Test func `a client is given its time, and no more when it sends something`() throws {
        var served = StartupClients()
        let (first, _) = try Socket.pair()
        let (second, _) = try Socket.pair()
        let token = served.add(first, at: 1_000)
        _ = served.add(second, at: 2_000)
        #expect(served.deadline == 1_000 + StartupClients.servedMilliseconds)
        let removed = served.remove(token)
        let client = try #require(removed)
        #expect(served.deadline == 2_000 + StartupClients.servedMilliseconds)
        served.putBack(client, token)
        #expect(served.deadline == 1_000 + StartupClients.servedMilliseconds)
        served.removeExpired(at: 999 + StartupClients.servedMilliseconds)
        #expect(served.count == 2)
        served.removeExpired(at: 1_000 + StartupClients.servedMilliseconds)
        let gone = served.remove(token)
        #expect(served.count == 1 && gone == nil)
        let ends = (served.removeOldest(), served.removeOldest())
        #expect(ends == (true, false) && served.deadline == nil)
    }
}
