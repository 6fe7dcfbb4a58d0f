@testable import Cluster
import Navigation
import Sessions
import TestSupport
import Testing

/// The table of sessions beside one that is as simple as possible.
@Suite struct SessionTableTests {
    private struct Live {
        var record: SessionRecord
        var born: UInt64
        var number: Int
        var isQueued: Bool
    }

    private struct Model {
        var live: [SessionID: Live] = [:]
        var endings: [SessionID: Int] = [:]

        func lastNumber(_ id: SessionID) -> Int { live[id]?.number ?? endings[id] ?? 0 }
    }

    private let ids = (0..<12).map { SessionID(trusted: "s\($0)") }
    private let apps = ["a", "b"].map { AppID(trusted: $0) }

    private func apply(_ record: SharedRecord, _ number: Int, to table: SessionTable) -> (
        effect: SessionTable.Effect, described: Int
    ) {
        var described = 0
        let place = StreamPlace(shard: 1, number: number)
        let handle = table.find(record.id)
        let effect = table.apply(record, of: handle, at: place) { _ in described += 1 }
        return (effect, described)
    }

    private func session(
        _ id: SessionID, _ revision: Int, now: Milliseconds, _ dice: inout SplitMix64
    ) -> SessionRecord {
        SessionRecord(
            id: id, revision: revision, at: now,
            expiresAt: dice.oneIn(3) ? nil : now + Milliseconds(dice.below(9_000)),
            app: dice.oneIn(2) ? dice.one(of: apps) : nil,
            labels: dice.oneIn(2) ? [Label(key: "k", value: "v")] : [],
            undoing: UndoStacks(), nextEntry: 1, event: [], state: [])
    }

    /// Puts a record at a number that is newer than what is known, or is not.
    private func put(
        _ id: SessionID, at number: Int, now: Milliseconds, in table: SessionTable,
        _ model: inout Model, _ dice: inout SplitMix64
    ) {
        let former = model.live[id]
        let born = dice.oneIn(4) ? dice.next() | 1 : former?.born ?? dice.next() | 1
        let revision = born == former?.born ? (former?.record.revision ?? 0) + 1 : 1
        let record = session(id, revision, now: now, &dice)
        let shared = SharedRecord(
            .revision(record), previous: 0, born: born, writer: WriteID(node: 1, number: 1))
        let (effect, described) = apply(shared, number, to: table)
        guard number > model.lastNumber(id) else {
            if case .none = effect {} else { Issue.record("an old record has an effect") }
            return
        }
        guard case .changed(let handle, let replaced) = effect else {
            Issue.record("a new record has no effect")
            return
        }
        #expect(table[handle].id == id)
        let isOther = former.map { $0.born != born } ?? false
        #expect((replaced != nil) == isOther && described == (isOther ? 1 : 0))
        if let replaced, let former {
            #expect(replaced.revision == former.record.revision && replaced.why == .expired)
            #expect(replaced.app == former.record.app && replaced.labels == former.record.labels)
        }
        model.endings[id] = nil
        model.live[id] = Live(
            record: record, born: born, number: number, isQueued: record.expiresAt != nil)
    }

    private func end(
        _ id: SessionID, at number: Int, now: Milliseconds, in table: SessionTable,
        _ model: inout Model
    ) {
        let former = model.live[id]
        let tombstone = SharedRecord.Tombstone(
            id: id, revision: former?.record.revision ?? 1, at: now, why: .deleted, key: nil)
        let record = SharedRecord(
            .end(tombstone), previous: 0, born: 1, writer: WriteID(node: 1, number: 1))
        let known = model.lastNumber(id)
        let (effect, _) = apply(record, number, to: table)
        switch effect {
        case .none: #expect(number <= known)
        case .changed: Issue.record("an end changes a session")
        case .ended(let handle):
            #expect(number > known && (handle != nil) == (former != nil))
            let deletion = table.ending(id)?.deletion
            #expect(deletion?.labels == former?.record.labels ?? [])
            model.live[id] = nil
            model.endings[id] = number
        }
    }

    private func expire(now: Milliseconds, in table: SessionTable, _ model: inout Model) {
        var expired: Set<SessionID> = []
        while let handle = table.popExpired(now: now) { expired.insert(table[handle].id) }
        for (id, live) in model.live where live.isQueued {
            guard let time = live.record.expiresAt, time <= now else { continue }
            // It may take until the second is over.
            #expect(expired.contains(id) || (time + 999) / 1_000 * 1_000 > now)
            if expired.remove(id) != nil { model.live[id]?.isQueued = false }
        }
        #expect(expired.isEmpty, "a session is told to have expired that has not")
    }

    private func compare(
        _ table: SessionTable, _ model: Model, now: Milliseconds, _ dice: inout SplitMix64
    ) {
        #expect(table.count == model.live.count)
        for id in ids {
            let live = model.live[id]
            let entry = table.find(id).map { table[$0] }
            #expect(entry?.revision == live?.record.revision && entry?.born == live?.born)
            #expect(table.lastNumber(id) == model.lastNumber(id))
            #expect(table.ending(id)?.number == model.endings[id])
        }
        for app in apps {
            let count = model.live.values.count { $0.record.app == app }
            #expect(table.sessionCount(of: app) == count)
        }
        var filter = SessionFilter(prefix: dice.oneIn(2) ? "s1" : "")
        if dice.oneIn(3) { filter.app = apps[0] }
        if dice.oneIn(3) { filter.labels = [Label(key: "k", value: "v")] }
        let expected = model.live.values.map(\.record).filter { record in
            record.id.rawValue.hasPrefix(filter.prefix) && record.expiresAt ?? .max > now
                && filter.matches(app: record.app, labels: record.labels)
        }
        #expect(pages(of: table, filter, now: now, &dice) == expected.map(\.id).sorted())
    }

    private func pages(
        of table: SessionTable, _ filter: SessionFilter, now: Milliseconds,
        _ dice: inout SplitMix64
    ) -> [SessionID] {
        var (found, after): ([SessionID], SessionID?) = ([], nil)
        let limit = 1 + dice.below(4)
        repeat {
            let page = table.walk(after: after, filter: filter, limit: limit, now: now)
            #expect(page.handles.count <= limit)
            found += page.handles.map { table[$0].id }
            after = page.next
        } while after != nil
        return found
    }

    @Test(.seeded, arguments: SplitMix64.worlds(6))
    func `it agrees with a simple one`(round: Int) {
        var dice = SplitMix64(stream: UInt64(round))
        let table = SessionTable()
        var model = Model()
        var (number, now): (Int, Milliseconds) = (0, 1_000_000)
        for _ in 0..<400 {
            number += 1
            now += Milliseconds(dice.below(400))
            let id = dice.one(of: ids)
            let place = dice.oneIn(5) ? max(1, number - dice.below(20)) : number
            switch dice.below(8) {
            case 0...4: put(id, at: place, now: now, in: table, &model, &dice)
            case 5: end(id, at: place, now: now, in: table, &model)
            case 6: expire(now: now, in: table, &model)
            default:
                table.forget(id)
                model.live[id] = nil
                model.endings[id] = nil
            }
            compare(table, model, now: now, &dice)
        }
    }

    @Test func `a session is stale until it is fresh or changed`() throws {
        let table = SessionTable()
        var dice = SplitMix64(seed: 1)
        func put(_ revision: Int) throws -> SharedEntry {
            let record = SharedRecord(
                .revision(session(ids[0], revision, now: 5, &dice)), previous: 0, born: 3,
                writer: WriteID(node: 1, number: 1))
            _ = apply(record, revision, to: table)
            return table[try #require(table.find(ids[0]))]
        }
        table.setStale(ids[0])
        #expect(try !put(1).isStale, "an unknown session is not stale")
        table.setStale(ids[0])
        #expect(table.find(ids[0]).map { table[$0].isStale } == true)
        table.setFresh(ids[0])
        #expect(table.find(ids[0]).map { table[$0].isStale } == false)
        table.setStale(ids[0])
        #expect(try put(1).isStale, "the same record tells nothing new")
        #expect(try !put(2).isStale)
    }

    @Test func `endings come in the order of their times, whatever came later`() throws {
        let table = SessionTable()
        var dice = SplitMix64(seed: 1)
        var number = 0
        func next(_ content: SharedRecord.Content) {
            number += 1
            let record = SharedRecord(
                content, previous: 0, born: UInt64(number),
                writer: WriteID(node: 1, number: 1))
            _ = apply(record, number, to: table)
        }
        func end(_ id: SessionID, at time: Milliseconds) {
            next(
                .end(
                    SharedRecord.Tombstone(
                        id: id, revision: 1, at: time, why: .deleted, key: nil)))
        }
        let hour: Milliseconds = 3_600_000
        end(ids[0], at: 0)
        end(ids[1], at: 2_000)
        // Its first end counts no more: the id was used again, and has ended later.
        next(.revision(session(ids[0], 1, now: 5_000, &dice)))
        end(ids[0], at: 20 * hour)
        // A stream that is read later has older ends, and a node's clock may be wrong.
        end(ids[2], at: 900 * hour)
        end(ids[3], at: 1_000)
        let first = table.popEndings(before: hour, limit: 64)
        #expect(first.map(\.deletion.id) == [ids[3], ids[1]])
        for ending in first { table.forget(ending.deletion.id) }
        #expect(table.popEndings(before: hour, limit: 64).isEmpty)
        let second = table.popEndings(before: 21 * hour, limit: 64)
        #expect(second.map(\.deletion.id) == [ids[0]])
    }

    @Test func `an expired session can be queued again`() throws {
        let table = SessionTable()
        let record = SessionRecord(
            id: ids[0], revision: 1, at: 0, expiresAt: 1_500, undoing: UndoStacks(), nextEntry: 1,
            event: [], state: [])
        let shared = SharedRecord(
            .revision(record), previous: 0, born: 3, writer: WriteID(node: 1, number: 1))
        _ = apply(shared, 1, to: table)
        #expect(table.nextExpiry == 2_000)
        #expect(table.popExpired(now: 1_999) == nil)
        let handle = try #require(table.popExpired(now: 2_000))
        #expect(table.popExpired(now: 9_000) == nil && table.nextExpiry == nil)
        table.enqueue(handle, notBefore: 5_000)
        #expect(table.popExpired(now: 4_999) == nil)
        #expect(table.popExpired(now: 5_000) == handle)
    }
}
