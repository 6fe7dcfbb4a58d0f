import Navigation
import POSIX
import Sessions
import TestSupport
import Testing

@testable import Storage

/// The records' statements on the time at which something is due.
@Suite struct DueTests {
    private static let app = AppID(trusted: "shop")

    private func record(
        _ id: String, _ revision: Int, _ due: DueTimes = .none, app: String? = nil,
        at: Milliseconds = 2_000
    ) -> SessionRecord {
        var made = StorageTests.record(id, revision, app: app, at: at)
        made.due = due
        return made
    }

    private func due(_ store: Store, at now: Milliseconds) -> [String: Bool] {
        var found: [String: Bool] = [:]
        while let next = store.nextDue, next <= now {
            if let due = store.takeDue(now: now) { found[due.id.rawValue] = due.mayBeIdle }
        }
        return found
    }

    @Test(
        arguments: [
            .none, DueTimes(idleSeconds: 60), DueTimes(idleSeconds: 0),
            DueTimes(sheetsExpireAt: 1_795_225_030_000),
            DueTimes(idleSeconds: 86_400, sheetsExpireAt: 1),
        ] as [DueTimes])
    func `a record is read as it was written`(due: DueTimes) throws {
        let test = try TestStore()
        let written = record("a", 1, due)
        _ = try test.store.put(written)
        _ = try test.settle()
        let handle = try #require(test.store.handle("a"))
        #expect(
            try test.waiting { store throws(StoreError) in
                try store.reader.newest(handle)
            }.record == written)
        let text = String(decoding: try contents(of: test.path).values.joined(), as: UTF8.self)
        #expect(text.contains(#""due":"#) == !due.isEmpty)
    }

    @Test func `a start knows what is due without reading a state`() throws {
        let test = try TestStore()
        _ = try test.store.put(record("idle", 1, DueTimes(idleSeconds: 5)))
        _ = try test.store.put(record("done", 1, DueTimes(idleSeconds: 5)))
        _ = try test.store.put(record("done", 2, DueTimes(idleSeconds: 0)))
        _ = try test.store.put(record("sheet", 1, DueTimes(sheetsExpireAt: 9_000)))
        _ = try test.store.put(record("gone", 1, DueTimes(idleSeconds: 5)))
        let gone = try #require(test.store.handle("gone"))
        _ = try test.store.writer.delete(gone, at: 2_000, key: nil, author: nil)
        _ = try test.store.put(record("plain", 1))
        _ = try test.store.put(record("app", 1, app: "shop", at: 3_001))
        _ = try test.store.put(record("app-own", 1, DueTimes(idleSeconds: 9), app: "shop"))
        _ = try test.store.put(record("app-done", 1, DueTimes(idleSeconds: 0), app: "shop"))
        _ = try test.settle()
        for store in [test.store, try test.afterKill().store] {
            store.setIdleSeconds([Self.app: 4])
            #expect(due(store, at: 7_000) == ["idle": true])
            #expect(due(store, at: 8_000) == ["app": true])
            #expect(due(store, at: 9_000) == ["sheet": true])
            #expect(due(store, at: 99_000) == ["app-own": true])
        }
    }

    @Test func `what a full disk takes back is due as before`() throws {
        let failure = WriteRefusal()
        let test = try TestStore { $0.disk = failure.disk }
        _ = try test.store.put(record("a", 1, DueTimes(idleSeconds: 5)))
        _ = try test.settle()
        failure.isOn.withLock { $0 = true }
        _ = try test.store.put(record("a", 2, DueTimes(idleSeconds: 0)))
        _ = try test.store.put(record("b", 1, DueTimes(idleSeconds: 1)))
        #expect(try test.settle().isRolledBack)
        #expect(due(test.store, at: 99_000) == ["a": true])
    }
}
