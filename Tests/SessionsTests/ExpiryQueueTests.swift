import Navigation
import Sessions
import TestSupport
import Testing

@Suite struct ExpiryQueueTests {
    @Test(.seeded) func `items come out by their second, and by their handle within one`() {
        var random = SplitMix64()
        var queue = ExpiryQueue()
        var model: [ExpiryQueue.Item] = []
        func least() -> ExpiryQueue.Item? {
            model.min { ($0.seconds, $0.handle.rawValue) < ($1.seconds, $1.handle.rawValue) }
        }
        for _ in 0..<5_000 {
            if random.below(5) < 3 {
                let item = ExpiryQueue.Item(
                    seconds: random.one(of: [0, 7, .max, UInt32(random.below(50))]),
                    handle: SessionHandle(
                        rawValue: random.one(of: [0, .max, UInt32(random.below(9))])))
                queue.push(item)
                model.append(item)
            } else {
                let expected = least()
                #expect(queue.popFirst() == expected)
                if let expected { model.remove(at: model.firstIndex(of: expected) ?? 0) }
            }
            #expect(queue.first == least())
        }
        while let expected = least() {
            #expect(queue.popFirst() == expected)
            model.remove(at: model.firstIndex(of: expected) ?? 0)
        }
        #expect(queue.popFirst() == nil && queue.first == nil)
    }

    @Test(
        arguments: [
            (1, 1), (999, 1), (1000, 1), (1001, 2), (0, 1), (-5_000, 1), (Milliseconds.min, 1),
            (4_294_967_295_000, .max), (4_294_967_295_001, .max), (.max, .max),
        ] as [(Milliseconds, UInt32)])
    func `a time is in the second that ends with or after it`(time: Milliseconds, second: UInt32) {
        #expect(ExpiryQueue.seconds(time) == second)
    }
}
