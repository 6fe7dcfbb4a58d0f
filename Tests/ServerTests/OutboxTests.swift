import TestSupport
import Testing

@testable import Server

@Suite struct OutboxTests {
    @Test(.seeded) func `bytes leave in the order in which they came, and nothing stays`() {
        var random = SplitMix64()
        for _ in 0..<10 {
            var outbox = Outbox()
            var shared = SharedBytes()
            var owed: [UInt8] = []
            for _ in 0..<200 {
                if random.oneIn(2) {
                    let piece = random.bytes(random.below(random.oneIn(5) ? 100_000 : 3_000))
                    let start = random.oneIn(3) ? random.below(piece.count + 1) : 0
                    outbox.append(piece, from: start, &shared)
                    owed += piece[start...]
                } else if let (bytes, range) = outbox.next(atMost: 1 + random.below(64 << 10)) {
                    let count = random.below(range.count + 1)
                    #expect(bytes[range].elementsEqual(owed[..<range.count]))
                    outbox.advance(by: count, &shared)
                    owed.removeFirst(count)
                }
                #expect(outbox.count == owed.count && outbox.isEmpty == owed.isEmpty)
            }
            outbox.removeAll(&shared)
            #expect(outbox.ownBytes == 0 && shared.count == 0)
        }
    }

    @Test func `a long piece that several owe counts once`() {
        let piece = [UInt8](repeating: 1, count: 1 << 20)
        var shared = SharedBytes()
        var outboxes = [Outbox](repeating: Outbox(), count: 100)
        for index in outboxes.indices { outboxes[index].append(piece, &shared) }
        #expect(shared.count == piece.capacity)
        #expect(outboxes.allSatisfy { $0.ownBytes == 0 })
        #expect(outboxes[0].sharedBytes(shared) == piece.count / 100)
        for index in 1..<100 { outboxes[index].advance(by: piece.count, &shared) }
        #expect(shared.count == piece.capacity)
        outboxes[0].removeAll(&shared)
        #expect(shared.count == 0)
    }

    @Test func `what has been written takes no memory`() {
        var outbox = Outbox()
        var shared = SharedBytes()
        for count in [3_000, 100_000, 3_000] {
            outbox.append([UInt8](repeating: 1, count: count), &shared)
        }
        while let (_, range) = outbox.next(atMost: 1 << 20) {
            outbox.advance(by: range.count, &shared)
        }
        #expect(outbox.isEmpty && outbox.ownBytes == 0 && shared.count == 0)
    }

    @Test func `short pieces are joined`() {
        var outbox = Outbox()
        var shared = SharedBytes()
        for _ in 0..<1_000 { outbox.append([1, 2, 3], &shared) }
        #expect(outbox.next(atMost: .max - 1)?.range == 0..<3_000)
        #expect(shared.count == 0 && outbox.ownBytes >= 3_000)
    }
}
