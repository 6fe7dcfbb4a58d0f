import Sessions
import TestSupport
import Testing

@testable import Cluster

/// A table of handles finds what a dictionary finds, also if many hashes are the same.
@Suite struct HandleTableTests {
    @Test(.seeded, arguments: [1, 7, 255, .max])
    func `it has what was inserted and not removed`(hashes: UInt64) {
        var dice = SplitMix64(stream: UInt64(hashes))
        func hash(_ handle: SessionHandle) -> UInt64 {
            (UInt64(handle.rawValue) &* 0x9E37_79B9) & hashes
        }
        var table = HandleTable()
        var expected: Set<UInt32> = []
        for _ in 0..<3_000 {
            let number = UInt32(dice.below(400))
            let handle = SessionHandle(rawValue: number)
            let found = table.candidates(hash(handle)).first { $0.rawValue == number }
            #expect(found?.rawValue == (expected.contains(number) ? number : nil))
            if found != nil {
                table.remove(handle, hash(handle), hashing: hash)
                expected.remove(number)
            } else if dice.below(3) > 0 {
                table.insert(handle, hash(handle), hashing: hash)
                expected.insert(number)
            }
            #expect(table.count == expected.count)
        }
        for number in 0..<UInt32(400) {
            let candidates = table.candidates(hash(SessionHandle(rawValue: number)))
            let found = candidates.first { $0.rawValue == number }
            #expect((found != nil) == expected.contains(number))
        }
    }
}
