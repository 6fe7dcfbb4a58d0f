import Navigation
import Sessions
import TestSupport
import Testing

/// When something is due in sessions.
@Suite struct DeadlinesTests {
    private static let app = AppID(trusted: "shop")
    private let a = SessionHandle(rawValue: 7)

    /// All sessions that are due, by their handles.
    private func take(_ deadlines: inout Deadlines, at second: UInt32) -> [UInt32: Bool] {
        var due: [UInt32: Bool] = [:]
        while let taken = deadlines.takeDue(now: Milliseconds(second) * 1000) {
            #expect(due.updateValue(taken.mayBeIdle, forKey: taken.handle.rawValue) == nil)
        }
        return due
    }

    @Test func `a record without times and without an app that has some is not kept`() {
        var deadlines = Deadlines()
        deadlines.note(.none, of: a, at: 10, app: Self.app)
        let isEmpty = deadlines.isEmpty
        #expect(isEmpty && deadlines.next == nil && deadlines[a] == nil)
    }

    @Test func `an idle time begins with each record, and is due once`() {
        var deadlines = Deadlines()
        deadlines.note(DueTimes(idleSeconds: 5), of: a, at: 10, app: nil)
        #expect(take(&deadlines, at: 14).isEmpty)
        deadlines.note(DueTimes(idleSeconds: 5), of: a, at: 12, app: nil)
        #expect(take(&deadlines, at: 16).isEmpty)
        #expect(take(&deadlines, at: 17) == [7: true])
        #expect(take(&deadlines, at: 99).isEmpty)
        deadlines.note(DueTimes(idleSeconds: 0), of: a, at: 17, app: nil)
        #expect(take(&deadlines, at: 999).isEmpty)
        deadlines.note(DueTimes(idleSeconds: 5), of: a, at: 1_000, app: nil)
        #expect(take(&deadlines, at: 1_005) == [7: true])
    }

    @Test func `what could not be done comes back at its time, and what had no effect does not`() {
        var deadlines = Deadlines()
        deadlines.note(
            DueTimes(idleSeconds: 5, sheetsExpireAt: 60_000), of: a, at: 10, app: nil)
        #expect(take(&deadlines, at: 15) == [7: true])
        deadlines.postpone(a, until: 18_000)
        #expect(take(&deadlines, at: 17).isEmpty)
        #expect(take(&deadlines, at: 18) == [7: true])
        deadlines.settleIdle(a)
        #expect(take(&deadlines, at: 59).isEmpty)
        #expect(take(&deadlines, at: 60) == [7: false])
    }

    @Test func `a record that says something itself is not asked for the time of its app`() {
        var deadlines = Deadlines()
        deadlines.setIdleSeconds([Self.app: 5])
        deadlines.renewed(upTo: nil)
        deadlines.note(.none, of: a, at: 10, app: Self.app)
        deadlines.note(
            DueTimes(idleSeconds: 50), of: SessionHandle(rawValue: 8), at: 10, app: Self.app)
        deadlines.note(
            DueTimes(idleSeconds: 0), of: SessionHandle(rawValue: 9), at: 10, app: Self.app)
        #expect(take(&deadlines, at: 15) == [7: true])
        #expect(take(&deadlines, at: 60) == [8: true])
        #expect(take(&deadlines, at: 900).isEmpty)
    }

    @Test func `apps whose time has changed are renewed, and no others`() {
        var deadlines = Deadlines()
        let other = AppID(trusted: "other")
        deadlines.setIdleSeconds([Self.app: 5, other: 7])
        #expect(deadlines.isRenewing(Self.app) && deadlines.isRenewing(other))
        #expect(deadlines.next == 0)
        deadlines.renewed(upTo: 3)
        #expect(deadlines.renewalPlace == 3)
        deadlines.renewed(upTo: nil)
        #expect(!deadlines.isRenewing)
        deadlines.setIdleSeconds([Self.app: 5, other: 7])
        #expect(!deadlines.isRenewing)
        deadlines.setIdleSeconds([Self.app: 5])
        #expect(deadlines.isRenewing(other) && !deadlines.isRenewing(Self.app))
    }

    /// One session as a model has it.
    private struct Model {
        var times: DueTimes
        var second: UInt32
        var app: AppID?
        var isTaken = false

        func due(_ apps: [AppID: Int]) -> UInt32 {
            let own = times.idleSeconds ?? app.flatMap { apps[$0] } ?? 0
            let sheets = times.sheetsExpireAt.map(ExpiryQueue.seconds) ?? .max
            return min(sheets, own == 0 ? .max : second + UInt32(own))
        }
    }

    @Test(.seeded) func `exactly those come out whose time has come, in random lives`() {
        var random = SplitMix64()
        var deadlines = Deadlines()
        var model: [SessionHandle: Model] = [:]
        var apps: [AppID: Int] = [:]
        var now: UInt32 = 100
        for _ in 0..<4_000 {
            let handle = SessionHandle(rawValue: UInt32(random.below(12)))
            switch random.below(8) {
            case 0...3:
                let times = DueTimes(
                    idleSeconds: random.one(of: [nil, nil, 0, 1, 3, 20]),
                    sheetsExpireAt: random.one(of: [nil, nil, Int64(now + 4) * 1000 - 300]))
                let app = random.one(of: [nil, Self.app])
                deadlines.note(times, of: handle, at: now, app: app)
                model[handle] = Model(times: times, second: now, app: app)
            case 4:
                deadlines.remove(handle)
                model[handle] = nil
            case 5 where random.below(6) == 0:
                apps = random.one(of: [[:], [Self.app: 2], [Self.app: 9]])
                deadlines.setIdleSeconds(apps)
                guard deadlines.isRenewing else { continue }
                for (handle, session) in model where session.app == Self.app {
                    deadlines.renew(handle, at: session.second, app: Self.app)
                    // An item that was taken out and is still due comes again: whoever takes it
                    // looks.
                    model[handle]?.isTaken = false
                }
                deadlines.renewed(upTo: nil)
            default:
                now += UInt32(random.below(4))
                let due = take(&deadlines, at: now)
                let expected = model.filter { $0.value.due(apps) <= now && !$0.value.isTaken }
                #expect(Set(due.keys) == Set(expected.keys.map(\.rawValue)))
                for (handle, mayBeIdle) in due {
                    let handle = SessionHandle(rawValue: handle)
                    #expect(mayBeIdle == (model[handle]?.times.idleSeconds != 0))
                    model[handle]?.isTaken = true
                }
            }
        }
    }
}
