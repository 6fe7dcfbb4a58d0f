import Navigation
import Testing

@testable import API
import Sessions

/// Sessions that stay decoded.
@Suite struct RecentSessionsTests {
    private func session(_ name: String) -> Session {
        Session(
            id: SessionID(trusted: name), app: nil, settings: SessionSettings(), at: 1000,
            state: NavigationState(tabs: [Tab(id: TabID(trusted: "main"))]))
    }

    private func item(_ name: String, _ jsonBytes: Int) -> RecentSession {
        RecentSession(session(name), fitsBefore: 0, jsonBytes: jsonBytes)
    }

    private func handle(_ number: Int) -> SessionHandle { SessionHandle(rawValue: UInt32(number)) }

    @Test func `what is kept is given away once, and only for the record it was made with`() {
        var recent = RecentSessions(bytesMax: 1 << 20)
        recent.keep(item("a", 300), of: handle(7), EntityVersion(40))
        #expect(recent.take(handle(7), EntityVersion(41)) == nil)
        #expect(recent.take(handle(8), EntityVersion(40)) == nil)
        let taken = recent.take(handle(7), EntityVersion(40))
        #expect(taken?.session == session("a"))
        #expect(taken?.jsonBytes == 300)
        #expect(recent.take(handle(7), EntityVersion(40)) == nil)
        recent.keep(item("a", 310), of: handle(7), EntityVersion(42))
        #expect(recent.take(handle(7), EntityVersion(42))?.jsonBytes == 310)
    }

    @Test func `one whose change is undecided is kept when the change is`() {
        var recent = RecentSessions(bytesMax: 1 << 20)
        for number: UInt64 in 1...3 {
            let version = StoredVersion(EntityVersion(9, number), Ticket(single: number))
            recent.keep(item("a", 300), of: handle(Int(number)), version)
            #expect(recent.take(handle(Int(number)), version.entity) == nil)
        }
        recent.settle([
            DecidedTicket(Ticket(single: 1), .conflict), DecidedTicket(Ticket(single: 4), .kept),
            DecidedTicket(Ticket(single: 2), .kept),
        ])
        #expect(recent.take(handle(1), EntityVersion(9, 1)) == nil)
        #expect(recent.take(handle(2), EntityVersion(9, 2))?.session == session("a"))
        recent.removeAll()
        recent.settle([DecidedTicket(Ticket(single: 3), .kept)])
        #expect(recent.take(handle(3), EntityVersion(9, 3)) == nil)
    }

    @Test func `all together stay within their bytes, the last ones are there`() {
        var recent = RecentSessions(bytesMax: 256 << 10)
        for number in 0..<5000 {
            recent.keep(item("s\(number)", 1000), of: handle(number), EntityVersion(1))
            #expect(recent.bytes <= 256 << 10)
        }
        let found = (4990..<5000).filter { recent.take(handle($0), EntityVersion(1)) != nil }
        #expect(found.count >= 5)
        #expect(recent.take(handle(3), EntityVersion(1)) == nil)
    }

    @Test func `long ones are not kept, and all can be forgotten`() {
        var recent = RecentSessions(bytesMax: 1 << 20)
        recent.keep(item("a", RecentSessions.jsonBytesMax + 1), of: handle(1), EntityVersion(1))
        #expect(recent.take(handle(1), EntityVersion(1)) == nil)
        recent.keep(item("a", RecentSessions.jsonBytesMax), of: handle(1), EntityVersion(1))
        recent.removeAll()
        #expect(recent.bytes == 0)
        #expect(recent.take(handle(1), EntityVersion(1)) == nil)
    }

    /// The entries that are left still refer to the text that the session was read from.
    @Test func `one that was long when it was decoded is not kept`() {
        var recent = RecentSessions(bytesMax: 1 << 20)
        let long = item("a", RecentSessions.jsonBytesMax + 1)
        long.jsonBytes = 100
        recent.keep(long, of: handle(1), EntityVersion(1))
        #expect(recent.take(handle(1), EntityVersion(1)) == nil && recent.bytes == 0)
        let short = item("b", 1_000)
        short.jsonBytes = 100
        recent.keep(short, of: handle(2), EntityVersion(1))
        #expect(recent.bytes >= 2_000)
    }

    @Test func `thousands of sessions in use stay decoded together`() {
        var recent = RecentSessions(bytesMax: 64 << 20)
        for number in 0..<10_000 {
            recent.keep(item("s\(number)", 700), of: handle(number), EntityVersion(1))
        }
        let found = (0..<10_000).filter { recent.take(handle($0), EntityVersion(1)) != nil }
        #expect(found.count > 9_000)
    }
}
