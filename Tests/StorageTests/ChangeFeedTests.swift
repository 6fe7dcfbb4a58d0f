import Navigation
import POSIX
import Sessions
import TestSupport
import Testing

@testable import Storage

/// The feed of changes that streams are told from.
@Suite struct ChangeFeedTests {
    /// The changes as text: the id, the revision and the number.
    private func texts(_ changes: [StoreChange]) -> [String] {
        changes.map { change in
            switch change {
            case .put(let put): "\(put.id) \(put.revision) \(put.sequence)"
            case .deleted(let deletion): "\(deletion.id) ended \(deletion.sequence)"
            }
        }
    }

    @Test func `a change is in the feed once, when it is durable`() throws {
        let test = try TestStore()
        _ = try test.store.put(record("a", 1))
        _ = try test.store.put([record("a", 2), record("a", 3)], of: nil)
        let a = try #require(test.store.handle("a"))
        _ = try test.store.writer.putTokens([], of: a, at: 2000)
        _ = try test.store.delete(a, at: 2000, key: nil)
        #expect(test.store.takeChanges().isEmpty && test.store.fedUpTo == FeedPosition(0))
        #expect(test.store.undecided.changes.map(\.sequence) == [1, 2, 3, 5])
        #expect(test.store.undecided.ticket == Ticket(ordered: 5))
        try test.settle()
        #expect(texts(test.store.takeChanges()) == ["a 1 1", "a 2 2", "a 3 3", "a ended 5"])
        #expect(test.store.takeChanges().isEmpty && test.store.fedUpTo == FeedPosition(5))
        #expect(test.store.undecided.changes.isEmpty && test.store.undecided.ticket == .none)
    }

    @Test func `the feed has the record and its steps if they are wanted`() throws {
        let test = try TestStore()
        let steps: [Int: [UInt8]] = [2: Array("[]".utf8)]
        _ = try test.store.writer.put(
            [record("a", 1), record("a", 2)], of: nil, details: .records(steps: steps))
        try test.settle()
        var found: [SessionChange] = []
        for case .put(let put) in test.store.takeChanges() { found.append(put) }
        #expect(found.map { $0.details?.stored.record } == [record("a", 1), record("a", 2)])
        #expect(found.map { $0.details?.steps } == [nil, steps[2]])
    }

    @Test func `a change that is rolled back is never in the feed`() throws {
        let failure = WriteRefusal()
        let test = try TestStore { $0.disk = failure.disk }
        _ = try test.store.put(record("a", 1))
        try test.settle()
        failure.isOn.withLock { $0 = true }
        _ = try test.store.put(record("a", 2))
        _ = try test.store.put(record("b", 1))
        #expect(try test.settle().isRolledBack)
        #expect(texts(test.store.takeChanges()) == ["a 1 1"])
        #expect(test.store.undecided.changes.isEmpty)
    }
}

/// A disk that is full when a test wants it.
final class WriteRefusal: Sendable {
    let isOn = Lock(false)

    var disk: Disk {
        Disk { [isOn] call in
            guard case .write = call, isOn.withLock({ $0 }) else { return .proceed }
            return .fail(SystemError.noSpace)
        }
    }
}
