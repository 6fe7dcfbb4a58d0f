import Navigation
import Sessions
import TestSupport
import Testing

@testable import Storage

/// A caller of undo and redo as the rule book does it, over the store's revisions.
struct UndoCaller {
    let test: TestStore
    let id: String
    var revision = 0
    var undoing = UndoStacks()

    init(_ test: TestStore, _ id: String) {
        self.test = test
        self.id = id
    }

    private mutating func put(_ step: UndoStacks.Move) throws {
        if revision > 0 { undoing.move(step, from: revision) }
        revision += 1
        let record = record(id, revision, undoing: undoing)
        _ = try test.waiting { store throws(StoreError) in try store.put(record) }
    }

    mutating func change() throws { try put(.forward) }

    /// A change that is no step.
    mutating func set() throws { try put(.aside) }

    /// False if there is nothing to undo.
    mutating func undo(_ count: Int = 1) throws -> Bool {
        let steps = min(count, undoing.undo.count)
        guard try isKept(undoing.undo[steps - 1]) else { return false }
        try put(.undo(count: steps, left: undoing.undo.count - steps))
        return true
    }

    mutating func redo(_ count: Int = 1) throws -> Bool {
        let steps = min(count, undoing.redo.count)
        guard try isKept(undoing.redo[steps - 1]) else { return false }
        try put(.redo(count: steps, left: undoing.redo.count - steps))
        return true
    }

    private func isKept(_ step: Int?) throws -> Bool {
        guard let step else { return false }
        let record = try #require(try stored(step), "revision \(step) is not kept")
        #expect(record.revision == step)
        return true
    }

    private func stored(_ wanted: Int) throws -> SessionRecord? {
        guard let handle = test.store.handle(id) else { return nil }
        return try test.waiting { store throws(StoreError) in
            try store.reader.revision(wanted, of: handle)
        }?.record
    }

    /// Every step of both stacks is kept, and the newest record gives both back.
    func check() throws {
        guard revision > 0 else { return }
        #expect(try stored(revision)?.undoing == undoing)
        for stack in [undoing.undo, undoing.redo] {
            for depth in 0..<stack.count { #expect(try isKept(stack[depth])) }
        }
    }
}

@Suite struct UndoStackTests {
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

    @Test func `a settings change keeps what undo reaches, however old that is`() throws {
        let test = try TestStore { $0.cacheBytes = 1 << 16 }
        var caller = UndoCaller(test, "a")
        for _ in 0..<40 { try caller.change() }
        for _ in 0..<80 { try caller.set() }
        try test.settle()
        try test.reopen()
        try caller.check()
        #expect(caller.undoing.undo.count == 32)
        #expect(try caller.undo(32))
        try caller.check()
    }

    @Test(.seeded) func `random lives never miss a step`() throws {
        let test = try TestStore { $0.cacheBytes = 1 << 16 }
        var generator = SplitMix64()
        var callers = (0..<4).map { UndoCaller(test, "s\($0)") }
        for step in 0..<1500 {
            let index = generator.below(4)
            let count = 1 + generator.below(12)
            switch generator.below(8) {
            case 0: _ = try callers[index].undo()
            case 1: _ = try callers[index].undo(count)
            case 2: _ = try callers[index].redo()
            case 3: _ = try callers[index].redo(count)
            case 4: try callers[index].set()
            default: try callers[index].change()
            }
            if step % 400 == 399 {
                try test.settle()
                try test.reopen()
                for caller in callers { try caller.check() }
            }
        }
    }

    @Test func `two records are written both or not at all`() throws {
        let test = try TestStore { $0.pendingBytesMax = 1 << 20 }
        let first = record("a", 1)
        _ = try test.store.put(first)
        var numbers: [SequenceNumber] = []
        var stacks = UndoStacks(steps: 1, before: 3)
        stacks.move(.undo(count: 1, left: 0), from: 2)
        numbers.append(
            try test.store.put([record("a", 2), record("a", 3, undoing: stacks)], of: nil))
        #expect(numbers == [3])
        let handle = try #require(test.store.handle("a"))
        #expect(try test.store.reader.newest(handle).record.undoing == stacks)
        #expect(test.store.state.undoRuns(of: handle)?.map(\.sequence) == [2])
        while let refusal = try? test.store.put(record("b\(numbers.count)", 1, bytes: 100_000)) {
            numbers.append(refusal)
        }
        #expect(throws: StoreError.busy) {
            try test.store.put([record("a", 4), record("a", 5)], of: nil)
        }
        #expect(try test.store.reader.newest(handle).record.revision == 3)
    }

    @Test(arguments: [false, true])
    func `a put needs no handle, and takes one of an expired session`(isFound: Bool) throws {
        let test = try TestStore()
        func handle() -> SessionHandle? { isFound ? test.store.handle("a") : nil }
        _ = try test.store.put(record("a", 1))
        var numbers: [SequenceNumber] = []
        numbers.append(try test.store.put([record("a", 2)], of: handle()))
        numbers.append(try test.store.put([record("a", 3), record("a", 4)], of: handle()))
        #expect(numbers == [2, 4])
        numbers.append(try test.store.put([record("a", 1), record("a", 2)], of: handle()))
        #expect(numbers == [2, 4, 7])
        let found = try #require(test.store.handle("a"))
        #expect(try test.store.reader.newest(found).record.revision == 2)
        #expect(test.store.reader.sessionCount == 1)
    }

    @Test func `what version 0.1.0 wrote is read`() throws {
        func stacks(_ text: String) throws -> UndoStacks {
            let line = Array(
                (#"{"n":900,"d":1,"op":"put","id":"a","rev":50,"at":5,"prev":899,"born":1,"#
                    + text + #","next":7,"elen":2,"event":{},"s":{},"crc":"00000000"}"# + "\n").utf8
            )
            let header = try #require(RecordHeader(line, line.indices))
            return header.undoing(line)
        }
        func steps(_ stack: RevisionStack) -> [Int] { (0..<stack.count).compactMap { stack[$0] } }

        let plain = try stacks(#""cur":50,"tip":50,"undos":32"#)
        #expect(plain == UndoStacks(steps: 32, before: 50))
        // Records 10, 9, … were made one after another; 12 undid two of them and 50 one more.
        let undone = try stacks(
            #""cur":7,"tip":10,"undos":2,"reach":[[10,10,100],[9,9,90],[8,8,80],[7,7,70],[6,6,60],[5,5,50]]"#
        )
        #expect(steps(undone.redo) == [8, 9, 10])
        #expect(steps(undone.undo) == [6, 5])
        let unnamed = try stacks(#""cur":7,"tip":7,"undos":2"#)
        #expect(unnamed == UndoStacks())
    }

    @Test(arguments: [
        #""undo":[[1,9007199254740991,5]]"#, #""undo":[[0,3,5]]"#, #""undo":[[-3,3,5]]"#,
        #""undo":[[50,50,5]]"#, #""undo":[[1,33,5]]"#, #""undo":[[1,2"#, #""undo":{}"#,
        #""redo":[[1,9007199254740991,5]]"#, #""reach":[[-1,-1,0]]"#,
        #""reach":[[9007199254740991,1,18446744073709551615]]"#,
    ])
    func `stacks that cannot be the session's lead nowhere`(_ text: String) throws {
        let line = Array(
            (#"{"n":900,"d":1,"op":"put","id":"a","rev":50,"at":5,"prev":899,"born":1,"undos":0,"#
                + #""next":7,\#(text),"elen":2,"event":{},"s":{},"crc":"00000000"}"# + "\n").utf8)
        guard let header = RecordHeader(line, line.indices) else { return }
        #expect(header.undoing(line) == UndoStacks())
        #expect(header.undoRuns(line).all == [])
    }
}
