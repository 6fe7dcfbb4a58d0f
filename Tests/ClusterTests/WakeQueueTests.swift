@testable import Cluster
import TestSupport
import Testing

@Suite struct WakeQueueTests {
    @Test(.seeded, arguments: 0..<20)
    func `keys come out when their time has come, the earliest first`(round: Int) {
        var dice = SplitMix64(stream: UInt64(round))
        var queue = WakeQueue<Int>()
        #expect(queue.first == .max && queue.takeDue(at: .max).isEmpty)
        var waiting: [(time: Int64, key: Int)] = []
        var now: Int64 = 0
        for key in 0..<500 {
            let time = now + Int64(dice.below(50))
            queue.add(key, at: time)
            waiting.append((time, key))
            if dice.oneIn(3) { now += Int64(dice.below(10)) }
            #expect(queue.first == waiting.map(\.time).min())
            guard dice.oneIn(4) else { continue }
            let due = queue.takeDue(at: now)
            let expected = waiting.filter { $0.time <= now }
            #expect(due.sorted() == expected.map(\.key).sorted())
            let times = due.map { key in waiting.first { $0.key == key }?.time ?? .max }
            #expect(times == times.sorted())
            waiting.removeAll { $0.time <= now }
        }
        #expect(queue.takeDue(at: .max).count == waiting.count)
        #expect(queue.first == .max)
    }
}
