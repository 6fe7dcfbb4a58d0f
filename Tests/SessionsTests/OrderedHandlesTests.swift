import Navigation
import Sessions
import TestSupport
import Testing

@Suite(.seeded) struct OrderedHandlesTests {
    /// Handles whose names are their numbers, beside a sorted array of them.
    struct Pair {
        var handles = OrderedHandles()
        var model: [UInt32] = []

        /// Where the number is in the model, or should be.
        func place(_ number: UInt32) -> Int {
            var (low, high) = (0, model.count)
            while low < high {
                let middle = (low + high) / 2
                if model[middle] < number { low = middle + 1 } else { high = middle }
            }
            return low
        }

        mutating func insert(_ number: UInt32) {
            let place = place(number)
            guard place == model.count || model[place] != number else { return }
            model.insert(number, at: place)
            handles.insert(SessionHandle(rawValue: number), Self.order(number))
        }

        mutating func remove(at place: Int) {
            let number = model.remove(at: place)
            handles.remove(SessionHandle(rawValue: number), Self.order(number))
        }

        static func order(_ number: UInt32) -> (SessionHandle) -> Int {
            { $0.rawValue < number ? -1 : $0.rawValue > number ? 1 : 0 }
        }

        /// Up to so many numbers, from the first that is not before the start.
        func walk(from start: UInt32, count: Int = .max) -> [UInt32] {
            var found: [UInt32] = []
            handles.walk(isBefore: { $0.rawValue < start }) { handle in
                found.append(handle.rawValue)
                return found.count < count
            }
            return found
        }
    }

    @Test func `handles stay in order however they come and go`() {
        var random = SplitMix64()
        var pair = Pair()
        for round in 0..<40 {
            // It grows to some thousands and shrinks to nothing, twice.
            let grows = round % 20 < 12
            for _ in 0..<400 {
                if grows || pair.model.isEmpty ? !random.oneIn(5) : random.oneIn(8) {
                    pair.insert(UInt32(random.below(20_000)))
                } else if !pair.model.isEmpty {
                    pair.remove(at: random.below(pair.model.count))
                }
            }
            #expect(pair.walk(from: 0) == pair.model)
            for _ in 0..<20 {
                let (start, count) = (UInt32(random.below(21_000)), 1 + random.below(700))
                #expect(
                    pair.walk(from: start, count: count)
                        == Array(pair.model[pair.place(start)...].prefix(count)))
            }
        }
        while !pair.model.isEmpty { pair.remove(at: pair.model.count / 2) }
        #expect(pair.walk(from: 0).isEmpty)
        pair.insert(7)
        #expect(pair.walk(from: 0) == [7])
    }

    @Test(arguments: [0, 1, 383, 384, 385, 512, 513, 3_000])
    func `handles that are in order are taken as they are`(count: Int) {
        var random = SplitMix64()
        var pair = Pair()
        pair.model = (0..<UInt32(count)).map { $0 * 3 }
        pair.handles = OrderedHandles(sorted: pair.model.map { SessionHandle(rawValue: $0) })
        #expect(pair.walk(from: 0) == pair.model)
        for _ in 0..<600 { pair.insert(UInt32(random.below(3 * count + 10))) }
        while pair.model.count > count / 2 { pair.remove(at: random.below(pair.model.count)) }
        #expect(pair.walk(from: 0) == pair.model)
    }

    @Test func `ascending and descending names fill it as well`() {
        for numbers in [Array(0..<2_000), Array((0..<2_000).reversed())] {
            var pair = Pair()
            for number in numbers { pair.insert(UInt32(number)) }
            #expect(pair.walk(from: 0) == pair.model)
            for number in numbers { pair.remove(at: pair.place(UInt32(number))) }
            #expect(pair.walk(from: 0).isEmpty)
        }
    }
}
