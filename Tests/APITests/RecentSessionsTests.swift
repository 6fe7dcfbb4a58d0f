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
