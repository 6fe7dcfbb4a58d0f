import POSIX
import Testing

@testable import Server

/// The clients of a server that is starting.
@Suite struct GuestsTests {
    @Test func `the oldest guest makes room for the next one`() throws {
        var guests = Guests()
        var clients: [TestClient] = []
        for number in 0..<(Guests.countMax + 3) {
            let (server, client) = try Socket.pair()
            #expect(guests.add(server, at: 0) == Guests.firstToken + UInt64(number))
            clients.append(TestClient(client))
        }
        #expect(guests.count == Guests.countMax)
        for client in clients { try client.receive() }
        #expect(clients.map(\.isClosed) == clients.indices.map { $0 < 3 })
    }

    @Test func `a guest is given its time, and no more when it sends something`() throws {
        var guests = Guests()
        let (first, _) = try Socket.pair()
        let (second, _) = try Socket.pair()
        let token = guests.add(first, at: 1_000)
        _ = guests.add(second, at: 2_000)
        #expect(guests.deadline == 1_000 + Guests.patienceMilliseconds)
        let removed = guests.remove(token)
        let guest = try #require(removed)
        #expect(guests.deadline == 2_000 + Guests.patienceMilliseconds)
        guests.putBack(guest, token)
        #expect(guests.deadline == 1_000 + Guests.patienceMilliseconds)
        guests.removeExpired(at: 999 + Guests.patienceMilliseconds)
        #expect(guests.count == 2)
        guests.removeExpired(at: 1_000 + Guests.patienceMilliseconds)
        let gone = guests.remove(token)
        #expect(guests.count == 1 && gone == nil)
        let ends = (guests.removeOldest(), guests.removeOldest())
        #expect(ends == (true, false) && guests.deadline == nil)
    }
}
