import Navigation
import Sessions
import TestSupport
import Testing

@testable import Storage

@Suite struct KeptKeysTests {
    private let session = SessionHandle(rawValue: 1)

    @Test func `memory follows the keys that are kept, not those that were used`() {
        var keys = IdempotencyKeys(countMax: 1_000_000)
        for number in 1...100_000 {
            keys.keep(UInt64(number), sequence: UInt64(number), at: 0, of: session)
        }
        #expect(keys.count <= IdempotencyKeys.perSession + 1)
        #expect(keys.queueCount <= 2 * IdempotencyKeys.slack + 3 * (IdempotencyKeys.perSession + 1))
        // The newest are there, and go when their time is up.
        #expect(keys.find(100_000, now: 1)?.sequence == 100_000)
        keys.drop(now: IdempotencyKeys.keptFor, limit: 10_000)
        #expect(keys.count == 0)
    }

    @Test func `one key that is used again and again takes the memory of a few`() {
        var keys = IdempotencyKeys(countMax: 1_000_000)
        for number in 1...100_000 { keys.keep(7, sequence: UInt64(number), at: 0, of: nil) }
        #expect(keys.count == 1)
        #expect(keys.queueCount <= 2 * IdempotencyKeys.slack)
    }

    @Test func `keys that were taken back are forgotten in their time`() {
        var keys = IdempotencyKeys(countMax: 1_000_000)
        keys.keep(1, sequence: 1, at: 10, of: session)
        let removed = keys.removeAll(of: session)
        for number in 2...5_000 {
            keys.keep(
                UInt64(number), sequence: UInt64(number), at: 20, of: SessionHandle(rawValue: 2))
        }
        keys.restore(removed, of: session)
        #expect(keys.find(1, now: 30)?.sequence == 1)
        keys.drop(now: IdempotencyKeys.keptFor + 30, limit: 100_000)
        #expect(keys.count == 0)
    }

    @Test func `keys that were taken back go with their session`() {
        var keys = IdempotencyKeys(countMax: 100)
        keys.keep(1, sequence: 1, at: 0, of: session)
        keys.keep(2, sequence: 2, at: 0, of: session)
        let removed = keys.removeAll(of: session)
        keys.restore(removed, of: session)
        #expect(keys.removeAll(of: session) == removed)
        #expect(removed.count == 2 && keys.count == 0)
    }

    @Test func `over all sessions the oldest go first`() {
        var keys = IdempotencyKeys(countMax: 100)
        for number in 1...10_000 {
            let handle = SessionHandle(rawValue: UInt32(number))
            keys.keep(UInt64(number), sequence: UInt64(number), at: 0, of: handle)
        }
        #expect(keys.count == 100)
        #expect(keys.find(9_901, now: 1) != nil && keys.find(9_900, now: 1) == nil)
    }

    @Test func `a key that two sessions used is forgotten with the later one only`() {
        var keys = IdempotencyKeys(countMax: 1_000)
        let other = SessionHandle(rawValue: 2)
        keys.keep(7, sequence: 1, at: 0, of: session)
        keys.keep(7, sequence: 2, at: IdempotencyKeys.keptFor, of: other)
        #expect(keys.removeAll(of: session).isEmpty)
        #expect(keys.find(7, now: IdempotencyKeys.keptFor + 1)?.handle == other)
        #expect(keys.removeAll(of: other).count == 1)
        #expect(keys.count == 0)
    }

    @Test func `a key that a session uses again after a day is kept with its last use`() {
        var keys = IdempotencyKeys(countMax: 1_000)
        keys.keep(7, sequence: 1, at: 0, of: session)
        keys.keep(7, sequence: 2, at: IdempotencyKeys.keptFor, of: session)
        for number in UInt64(100)..<UInt64(100 + IdempotencyKeys.perSession) {
            keys.keep(number, sequence: number, at: IdempotencyKeys.keptFor, of: session)
        }
        #expect(keys.find(7, now: IdempotencyKeys.keptFor + 1)?.sequence == 2)
    }
}

/// The keys that a plain list of all uses would say are kept.
private struct KeptKeysModel {
    struct Use {
        var hash: UInt64
        var sequence: UInt64
        var at: Milliseconds
        var handle: SessionHandle?
        var isKept = true
    }

    var uses: [Use] = []
    let countMax: Int

    var count: Int { uses.count { $0.isKept } }

    func find(_ hash: UInt64, now: Milliseconds) -> Use? {
        uses.last { $0.hash == hash && $0.isKept && now - $0.at < IdempotencyKeys.keptFor }
    }

    mutating func keep(_ use: Use) {
        forget { $0.hash == use.hash }
        uses.append(use)
        if let handle = use.handle {
            // A session's uses count towards its most until the session goes, kept or not.
            let own = uses.indices.filter { uses[$0].handle == handle }
            for index in own.dropLast(IdempotencyKeys.perSession + 1) { uses[index].isKept = false }
        }
        while count > countMax, let oldest = uses.firstIndex(where: \.isKept) {
            uses[oldest].isKept = false
        }
    }

    mutating func removeAll(of handle: SessionHandle) -> Int {
        let removed = uses.count { $0.handle == handle && $0.isKept }
        // The next session with this handle begins without any.
        uses.removeAll { $0.handle == handle }
        return removed
    }

    mutating func drop(now: Milliseconds) { forget { now - $0.at >= IdempotencyKeys.keptFor } }

    private mutating func forget(_ isMeant: (Use) -> Bool) {
        for index in uses.indices where isMeant(uses[index]) { uses[index].isKept = false }
    }
}

@Suite(.seeded) struct RandomKeysTests {
    private func handle(_ random: inout SplitMix64) -> SessionHandle {
        SessionHandle(rawValue: UInt32(random.below(4)))
    }

    @Test(arguments: [20, 1_000])
    func `keys are kept as a list of all uses says`(countMax: Int) throws {
        var random = SplitMix64(stream: UInt64(countMax))
        var (keys, now) = (IdempotencyKeys(countMax: countMax), Milliseconds(0))
        var model = KeptKeysModel(countMax: countMax)
        for sequence in UInt64(1)...6_000 {
            switch random.below(60) {
            case 0: now += IdempotencyKeys.keptFor / Int64(1 + random.below(30))
            case 1:
                let handle = handle(&random)
                let removed = keys.removeAll(of: handle).count
                try #require(removed == model.removeAll(of: handle))
            case 2:
                keys.drop(now: now, limit: .max)
                model.drop(now: now)
            default:
                let use = KeptKeysModel.Use(
                    hash: UInt64(random.below(500)), sequence: sequence, at: now,
                    handle: random.oneIn(8) ? nil : handle(&random))
                keys.keep(use.hash, sequence: use.sequence, at: use.at, of: use.handle)
                model.keep(use)
            }
            try #require(keys.count == model.count)
            let hash = UInt64(random.below(500))
            let (found, expected) = (keys.find(hash, now: now), model.find(hash, now: now))
            try #require(found?.sequence == expected?.sequence)
            try #require(found?.handle == expected?.handle)
        }
    }

    @Test func `what is taken back leaves the keys as they were`() throws {
        var random = SplitMix64()
        var keys = IdempotencyKeys(countMax: 100_000)
        for sequence in UInt64(1)...2_000 {
            let handle = handle(&random)
            let before = (0..<300).map { keys.find($0, now: 0) }
            if random.oneIn(4) {
                let removed = keys.removeAll(of: handle)
                // Another session may get the handle, and goes again.
                keys.keep(1_000, sequence: sequence, at: 0, of: handle)
                keys.remove([1_000], of: handle)
                keys.restore(removed, of: handle)
            } else {
                // A key is kept only if it was not known.
                let hash = UInt64(random.below(300))
                guard before[Int(hash)] == nil, keys.count < 60 else {
                    _ = keys.removeAll(of: handle)
                    continue
                }
                keys.keep(hash, sequence: sequence, at: 0, of: handle)
                if random.oneIn(2) { continue }
                keys.remove([hash], of: handle)
            }
            try #require((0..<300).map { keys.find($0, now: 0) } == before)
        }
    }
}
