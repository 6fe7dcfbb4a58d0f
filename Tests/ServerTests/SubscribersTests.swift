import API
import HTTP
import Navigation
import POSIX
import TestSupport
import Testing

@testable import Server

/// Which connections are told of which session.
@Suite struct SubscribersTests {
    private static let (a, b) = (SessionID(trusted: "a"), SessionID(trusted: "b"))

    /// A subscriber with the subscription that a request to the service gives.
    private func subscriber(
        _ token: UInt64, to path: String, _ server: TestServer
    ) throws -> Subscriber {
        let request = try #require(try Request.parsed(Array(String.get(path).utf8)))
        let outcome = server.service.respond(to: request, at: server.clock.wallMilliseconds)
        guard case .stream(let opening) = outcome else { throw NoStream() }
        let connection = Connection(
            try WakeUp().descriptor, token: token,
            origin: ConnectionOrigin(number: token, address: .unix, isForMetrics: false),
            state: ConnectionState(Deadlines(), at: 0), limits: ParserLimits())
        return Subscriber(connection, opening.subscription, framing: .chunks, since: 0)
    }

    private struct NoStream: Error {}

    @Test func `streams are found by each of their sessions until they are removed`() throws {
        let server = try TestServer()
        for id in ["a", "b"] { try server.makeSession(id) }
        let subscribers = Subscribers()
        #expect(subscribers.audience(of: Self.a) == 0)
        subscribers.add(try subscriber(1, to: "/v1/sessions/a/events", server))
        subscribers.add(try subscriber(2, to: "/v1/events?session=a&session=b", server))
        #expect(subscribers.streams(Self.a).map(\.connection.token) == [1, 2])
        #expect(subscribers.streams(Self.b).map(\.connection.token) == [2])
        #expect(subscribers.count(of: Self.a) == 2 && subscribers.audience(of: Self.b) == 1)
        subscribers.remove(2)
        #expect(subscribers.streams(Self.a).map(\.connection.token) == [1])
        #expect(subscribers[2] == nil && subscribers.audience(of: Self.b) == 0)
        subscribers.remove(1)
        subscribers.remove(1)
        #expect(subscribers.byToken.isEmpty && subscribers.audience(of: Self.a) == 0)
    }

    @Test func `a stream of all sessions watches those that do not exist yet`() throws {
        let server = try TestServer()
        let subscribers = Subscribers()
        subscribers.add(try subscriber(3, to: "/v1/events", server))
        #expect(subscribers.audience(of: Self.a) > 0 && subscribers.audience(of: Self.a) == 1)
        #expect(subscribers.count(of: Self.a) == 0 && subscribers.streams(Self.a).isEmpty)
        #expect(subscribers.ofAll.map(\.connection.token) == [3])
        subscribers.remove(3)
        #expect(subscribers.audience(of: Self.a) == 0 && subscribers.ofAll.isEmpty)
    }

    @Test func `the number of events that a client wants is counted down from its wish`() throws {
        let server = try TestServer()
        try server.makeSession("a")
        let limited = try subscriber(1, to: "/v1/sessions/a/events?limit=5", server)
        #expect(limited.eventsLeft == 5)
        #expect(try subscriber(2, to: "/v1/sessions/a/events", server).eventsLeft == nil)
    }

    @Test func `a wait that ended is not taken for the next one of its connection`() throws {
        let subscribers = Subscribers()
        subscribers.wait(9, for: Self.a)
        let first = try #require(subscribers.waiters(Self.a).first)
        #expect(first.token == 9 && subscribers.has(first))
        subscribers.remove(9)
        #expect(!subscribers.has(first) && subscribers.audience(of: Self.a) == 0)
        subscribers.wait(9, for: Self.a)
        let second = try #require(subscribers.waiters(Self.a).first)
        #expect(subscribers.has(second) && !subscribers.has(first))
        #expect(subscribers.allWaiting == [9])
    }

    @Test func `waits for one session do not end those for another`() {
        let subscribers = Subscribers()
        for token in UInt64(0)..<10 {
            subscribers.wait(token, for: token % 2 == 0 ? Self.a : Self.b)
        }
        subscribers.remove(0)
        #expect(Set(subscribers.waiters(Self.a).map(\.token)) == [2, 4, 6, 8])
        #expect(Set(subscribers.waiters(Self.b).map(\.token)) == [1, 3, 5, 7, 9])
        #expect(subscribers.audience(of: Self.b) == 5)
    }
}
