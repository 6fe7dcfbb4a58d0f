import TestSupport
import Testing

@testable import Server

@Suite struct DeadlineQueueTests {
    @Test func `an index comes up in the second after its time`() {
        var queue = DeadlineQueue(at: 10_000)
        #expect(queue.add(3, at: 12_500) == 13)
        #expect(queue.next == 13_000)
        #expect(queue.takeDue(at: 12_999) == nil)
        #expect(queue.takeDue(at: 13_000) == 3)
        #expect(queue.takeDue(at: 13_000) == nil)
        #expect(queue.next == nil)
    }

    @Test func `an index that is added again is moved`() {
        var queue = DeadlineQueue(at: 0)
        for second in (Int64(1)...75).reversed() { _ = queue.add(0, at: second * 1000) }
        #expect(queue.takeDue(at: 2_000) == 0)
        #expect(queue.takeDue(at: 1_000_000) == nil)
    }

    @Test func `a time that has passed comes up in the next second, and once`() {
        var queue = DeadlineQueue(at: 50_000)
        _ = queue.add(0, at: 1_000)
        #expect(queue.takeDue(at: 50_999) == nil)
        #expect(queue.takeDue(at: 51_000) == 0)
        _ = queue.add(0, at: 1_000)
        #expect(queue.takeDue(at: 51_000) == nil)
        #expect(queue.takeDue(at: 52_000) == 0)
    }

    @Test func `a time beyond the ring waits for its round`() {
        var queue = DeadlineQueue(at: 0)
        _ = queue.add(0, at: 86_400_000)
        _ = queue.add(1, at: 5_000)
        var found: [Int: Int64] = [:]
        for second in Int64(1)...86_401 {
            while let index = queue.takeDue(at: second * 1000) { found[index] = second }
        }
        #expect(found == [0: 86_401, 1: 6])
    }

    @Test(.seeded) func `it agrees with a plain list of times`() {
        var random = SplitMix64()
        for _ in 0..<20 {
            var now = Int64(random.below(1_000_000))
            var queue = DeadlineQueue(at: now)
            var seconds: [Int: Int64] = [:]
            for _ in 0..<2_000 {
                let index = random.below(50)
                switch random.below(4) {
                case 0:
                    queue.remove(index)
                    seconds[index] = nil
                case 1:
                    now += Int64(random.below(random.oneIn(20) ? 400_000 : 3_000))
                    var due: Set<Int> = []
                    while let index = queue.takeDue(at: now) {
                        #expect(due.insert(index).inserted)
                    }
                    let wanted = seconds.filter { $0.value <= now / 1000 }
                    #expect(due == Set(wanted.keys))
                    for index in due { seconds[index] = nil }
                default:
                    let time = now + Int64(random.below(random.oneIn(10) ? 500_000 : 80_000))
                    seconds[index] = queue.add(index, at: time)
                    #expect(seconds[index] == time / 1000 + 1)
                }
                if let earliest = seconds.values.min() {
                    #expect(queue.next.map { $0 <= earliest * 1000 } == true)
                }
            }
        }
    }
}
