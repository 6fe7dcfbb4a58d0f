import TestSupport
import Testing

@testable import Server

@Suite struct DeadlineQueueTests {
    @Test func `an index comes up at its time, or up to ten milliseconds later`() {
        for (time, tick) in [(12_500, 12_500), (12_501, 12_510), (12_509, 12_510)]
            as [(Int64, Int64)]
        {
            var queue = DeadlineQueue(at: 10_000)
            queue.add(3, at: time)
            #expect(queue.next == tick)
            #expect(queue.takeDue(at: tick - 1) == nil)
            #expect(queue.takeDue(at: tick) == 3)
            #expect(queue.takeDue(at: tick) == nil)
            #expect(queue.next == nil)
        }
    }

    @Test func `an index that is added again is moved`() {
        var queue = DeadlineQueue(at: 0)
        for second in (Int64(1)...75).reversed() { queue.add(0, at: second * 1000) }
        #expect(queue.takeDue(at: 1_000) == 0)
        #expect(queue.takeDue(at: 1_000_000) == nil)
    }

    @Test func `a time that has passed comes up in the next tick, and once`() {
        var queue = DeadlineQueue(at: 50_000)
        queue.add(0, at: 1_000)
        #expect(queue.takeDue(at: 50_009) == nil)
        #expect(queue.takeDue(at: 50_010) == 0)
        queue.add(0, at: 1_000)
        #expect(queue.takeDue(at: 50_010) == nil)
        #expect(queue.takeDue(at: 50_020) == 0)
    }

    @Test func `a time beyond the ring waits for its round`() {
        var queue = DeadlineQueue(at: 0)
        queue.add(0, at: 86_400_000)
        queue.add(1, at: 5_000)
        var found: [Int: Int64] = [:]
        for second in Int64(1)...86_401 {
            while let index = queue.takeDue(at: second * 1000) { found[index] = second }
        }
        #expect(found == [0: 86_400, 1: 5])
    }

    @Test(.seeded) func `it agrees with a plain list of times`() {
        var random = SplitMix64()
        for _ in 0..<20 {
            var now = Int64(random.below(1_000_000))
            var queue = DeadlineQueue(at: now)
            var ticks: [Int: Int64] = [:]
            for _ in 0..<2_000 {
                let index = random.below(50)
                switch random.below(4) {
                case 0:
                    queue.remove(index)
                    ticks[index] = nil
                case 1:
                    now += Int64(random.below(random.oneIn(20) ? 400_000 : 3_000))
                    var due: Set<Int> = []
                    while let index = queue.takeDue(at: now) {
                        #expect(due.insert(index).inserted)
                    }
                    let wanted = ticks.filter { $0.value <= now / 10 }
                    #expect(due == Set(wanted.keys))
                    for index in due { ticks[index] = nil }
                default:
                    let time = now + Int64(random.below(random.oneIn(10) ? 500_000 : 80_000))
                    queue.add(index, at: time)
                    ticks[index] = max((time + 9) / 10, now / 10 + 1)
                }
                if let earliest = ticks.values.min() {
                    #expect(queue.next.map { $0 <= earliest * 10 } == true)
                }
            }
        }
    }
}
