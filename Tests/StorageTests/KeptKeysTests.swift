import Navigation
import Sessions
import Testing

@testable import Storage

@Suite struct KeptKeysTests {
    private let session = SessionHandle(rawValue: 1)

    @Test func `memory follows the keys that are kept, not those that were used`() {
        var keys = KeptKeys(countMax: 1_000_000)
        for number in 1...100_000 {
            keys.keep(UInt64(number), sequence: UInt64(number), at: 0, of: session)
        }
        #expect(keys.count <= KeptKeys.perSession + 1)
        #expect(keys.queueCount <= 2 * KeptKeys.slack + 3 * (KeptKeys.perSession + 1))
        // The newest are there, and go when their time is up.
        #expect(keys.find(100_000, now: 1)?.sequence == 100_000)
        keys.drop(now: KeptKeys.keptFor, limit: 10_000)
        #expect(keys.count == 0)
    }

    @Test func `one key that is used again and again takes the memory of a few`() {
        var keys = KeptKeys(countMax: 1_000_000)
        for number in 1...100_000 { keys.keep(7, sequence: UInt64(number), at: 0, of: nil) }
        #expect(keys.count == 1)
        #expect(keys.queueCount <= 2 * KeptKeys.slack)
    }

    @Test func `keys that were taken back are forgotten in their time`() {
        var keys = KeptKeys(countMax: 1_000_000)
        keys.keep(1, sequence: 1, at: 10, of: session)
        let removed = keys.removeAll(of: session)
        for number in 2...5_000 {
            keys.keep(
                UInt64(number), sequence: UInt64(number), at: 20, of: SessionHandle(rawValue: 2))
        }
        keys.restore(removed, of: session)
        #expect(keys.find(1, now: 30)?.sequence == 1)
        keys.drop(now: KeptKeys.keptFor + 30, limit: 100_000)
        #expect(keys.count == 0)
    }

    @Test func `over all sessions the oldest go first`() {
        var keys = KeptKeys(countMax: 100)
        for number in 1...10_000 {
            let handle = SessionHandle(rawValue: UInt32(number))
            keys.keep(UInt64(number), sequence: UInt64(number), at: 0, of: handle)
        }
        #expect(keys.count == 100)
        #expect(keys.find(9_901, now: 1) != nil && keys.find(9_900, now: 1) == nil)
    }
}
