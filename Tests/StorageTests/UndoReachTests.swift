import Navigation
@testable import Storage
import TestSupport
import Testing

/// A caller of undo and redo as the rule book does it, over the store's revisions.
struct UndoCaller {
    let test: TestStore
    let id: String
    var revision = 0
    var cursor = 0
    var tip = 0
    var undos = 0

    init(_ test: TestStore, _ id: String) {
        self.test = test
        self.id = id
    }

    private mutating func put(_ cursor: Int, _ tip: Int, _ undos: Int) throws {
        revision += 1
        (self.cursor, self.tip, self.undos) = (cursor, tip, undos)
        let record = record(id, revision, cursor: cursor, tip: tip, undos: undos)
        _ = try test.waiting { store throws(StoreError) in try store.put(record) }
    }

    mutating func change() throws {
        try put(revision + 1, revision + 1, revision == 0 ? 0 : min(32, undos + 1))
    }

    private func stored(_ wanted: Int) throws -> SessionRecord? {
        guard let handle = test.store.handle(id) else { return nil }
        return try test.waiting { store throws(StoreError) in
            try store.revision(wanted, of: handle)
        }?.record
    }

    /// False if there is nothing to undo.
    mutating func undo() throws -> Bool {
        guard undos > 0 else { return false }
        let target = try #require(try stored(cursor - 1), "revision \(cursor - 1) is not kept")
        #expect(target.revision == cursor - 1)
        try put(target.cursor, tip, undos - 1)
        return true
    }

    mutating func redo() throws -> Bool {
        guard tip > cursor else { return false }
        var next = try #require(try stored(tip), "the tip \(tip) is not kept")
        while true {
            let below = try #require(try stored(next.cursor - 1))
            if below.cursor == cursor { break }
            next = below
        }
        try put(next.cursor, tip, min(32, undos + 1))
        return true
    }
}

@Suite struct UndoReachTests {
    @Test func `undo and redo reach 32 steps however often one goes back and forth`() throws {
        let test = try TestStore { $0.cacheBytes = 1 << 16 }
        var caller = UndoCaller(test, "a")
        for _ in 0..<40 { try caller.change() }
        for _ in 0..<3 {
            var steps = 0
            while try caller.undo() { steps += 1 }
            #expect(steps == 32)
            while try caller.redo() { steps -= 1 }
            #expect(steps == 0)
            try test.settle()
            try test.reopen()
        }
    }

    @Test(.seeded) func `random lives never miss a revision`() throws {
        let test = try TestStore { $0.cacheBytes = 1 << 16 }
        var generator = SplitMix64()
        var callers = (0..<4).map { UndoCaller(test, "s\($0)") }
        for step in 0..<1500 {
            let index = generator.below(4)
            switch generator.below(6) {
            case 0, 1: _ = try callers[index].revision == 0 ? false : callers[index].undo()
            case 2: _ = try callers[index].revision == 0 ? false : callers[index].redo()
            case 3:
                for _ in 0..<10 where callers[index].revision > 0 { _ = try callers[index].undo() }
            default: try callers[index].change()
            }
            if step % 400 == 399 {
                try test.settle()
                try test.reopen()
            }
        }
    }
}
