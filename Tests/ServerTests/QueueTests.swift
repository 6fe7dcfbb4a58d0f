import TestSupport
import Testing

@testable import Server

@Suite struct QueueTests {
    @Test(.seeded) func `it agrees with an array`() {
        var random = SplitMix64()
        for _ in 0..<3 {
            var queue = Queue<Int>()
            var array: [Int] = []
            for number in 0..<4_000 {
                // The queue grows at first, and shrinks towards the end.
                if random.below(4_000) > number {
                    queue.append(number)
                    array.append(number)
                } else {
                    let expected = array.isEmpty ? nil : array.removeFirst()
                    #expect(queue.popFirst() == expected)
                }
                #expect(queue.count == array.count && queue.isEmpty == array.isEmpty)
                #expect(queue.first == array.first)
            }
        }
    }

    @Test func `an element that was taken out is not kept alive`() {
        final class Element {}
        var queue = Queue<Element>()
        weak var first: Element?
        do {
            let element = Element()
            first = element
            queue.append(element)
        }
        queue.append(Element())
        #expect(first != nil)
        _ = queue.popFirst()
        #expect(first == nil && queue.count == 1)
    }
}
