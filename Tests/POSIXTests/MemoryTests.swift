import POSIX
import TestSupport
import Testing

@Suite(.seeded) struct MemoryTests {
    @Test func `mapped memory is like an array of bytes`() throws {
        var random = SplitMix64()
        let count = 10_000
        let memory = try MappedMemory(count: count)
        var model = [UInt8](repeating: 0, count: count)
        func range(_ random: inout SplitMix64, _ most: Int) -> Range<Int> {
            let length = random.below(most + 1)
            let start = random.below(count - length + 1)
            return start..<start + length
        }
        for _ in 0..<2_000 {
            switch random.below(4) {
            case 0:
                let target = range(&random, 300)
                let bytes = random.bytes(target.count + 5)
                memory.copy(bytes, 3..<3 + target.count, to: target.lowerBound)
                model.replaceSubrange(target, with: bytes[3..<3 + target.count])
            case 1:
                let source = range(&random, 300)
                let near = source.lowerBound + random.below(200) - 100
                let target = min(max(near, 0), count - source.count)
                memory.move(source, to: target)
                model.replaceSubrange(target..<target + source.count, with: Array(model[source]))
            case 2:
                let place = random.below(count - 7)
                let word = random.next()
                memory[word: place] = word
                model.replaceSubrange(
                    place..<place + 8,
                    with: (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) })
                #expect(memory[word: place] == word)
            default:
                let source = range(&random, 300)
                var bytes: [UInt8] = [9]
                memory.append(source, to: &bytes)
                #expect(bytes == [9] + model[source])
            }
        }
        var all: [UInt8] = []
        memory.append(0..<count, to: &all)
        #expect(all == model)
    }

    @Test func `memory after the end cannot be accessed`() async {
        await #expect(processExitsWith: .failure) {
            let memory = try MappedMemory(count: 64)
            _ = memory[word: 57]
        }
        await #expect(processExitsWith: .failure) {
            let memory = try MappedMemory(count: 64)
            memory.copy([1, 2], 0..<2, to: 63)
        }
    }
}
