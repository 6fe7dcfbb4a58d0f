import Storage
import TestSupport
import Testing

@Suite struct RecordCacheTests {
    /// A line that was put into the cache.
    struct Line: Equatable {
        var bytes: [UInt8]
        var state: Range<Int>
        var sequence: UInt64
        var revision: Int64
        var previous: UInt64
        /// Bytes that the ring had taken when it was put there, at the least.
        var takenBefore: Int

        /// Its size in the ring.
        var size: Int { bytes.count + 48 }
    }

    /// The line that the cache has at a position, or nil if it has been overwritten.
    private func line(at position: UInt64, in cache: RecordCache) -> Line? {
        guard let found = cache.find(position) else { return nil }
        var bytes: [UInt8] = []
        cache.append(found.line, to: &bytes)
        let state =
            found.state.lowerBound - found.line.lowerBound..<found.state.upperBound
            - found.line.lowerBound
        return Line(
            bytes: bytes, state: state, sequence: found.sequence, revision: found.revision,
            previous: found.previous, takenBefore: 0)
    }

    private func newLine(_ number: Int, _ random: inout SplitMix64, _ most: Int) -> Line {
        let count = random.oneIn(10) ? most - random.below(4) : 1 + random.below(900)
        let start = random.below(count)
        return Line(
            bytes: random.bytes(count), state: start..<start + random.below(count - start + 1),
            sequence: UInt64(number), revision: Int64(bitPattern: random.next()),
            previous: random.next(), takenBefore: 0)
    }

    @Test(.seeded, arguments: [1, 4])
    func `a line is there whole or not at all, and the newest are there`(growth: Int) throws {
        var random = SplitMix64()
        let ringBytes = 1 << 16
        var cache = try RecordCache(bytes: growth * ringBytes, bytesAtFirst: ringBytes)
        var (lines, taken) = ([UInt64: Line](), 0)
        func check(_ position: UInt64) {
            let expected = lines[position]
            if var found = line(at: position, in: cache) {
                found.takenBefore = expected?.takenBefore ?? 0
                #expect(found == expected)
                var state: [UInt8] = []
                cache.appendState(at: position, to: &state)
                #expect(state == expected.map { Array($0.bytes[$0.state]) })
            } else {
                #expect(!cache.holds(position))
                #expect(taken - (expected?.takenBefore ?? 0) > ringBytes / 2, "too soon")
                lines[position] = nil
            }
        }
        for number in 0..<4_000 {
            if random.oneIn(4), !lines.isEmpty {
                let old = random.one(of: lines.keys.sorted())
                var line = lines[old]
                let held = cache.holds(old)
                let position = cache.touch(old)
                if position != old {
                    #expect(held)
                    line?.takenBefore = taken
                    taken += line?.size ?? 0
                    lines[position] = line
                }
                check(position)
            } else {
                var line = newLine(number, &random, cache.lineMax)
                // Within other bytes, as a batch has it.
                let all = [1, 2, 3] + line.bytes + [4]
                let place = 3..<3 + line.bytes.count
                let position = cache.append(
                    all, line: place, state: line.state.lowerBound + 3..<line.state.upperBound + 3,
                    header: RecordCache.Header(
                        sequence: line.sequence, revision: line.revision, previous: line.previous))
                line.takenBefore = taken
                taken += line.size
                #expect(lines.updateValue(line, forKey: position) == nil, "a position is new")
                check(position)
            }
            if random.oneIn(40) { cache.miss(random.below(900)) }
            if number % 50 == 0 { for position in lines.keys { check(position) } }
        }
        #expect(!lines.isEmpty)
    }

    @Test func `a line that is too long is not kept, and nothing is lost by it`() throws {
        var cache = try RecordCache(bytes: 1)
        let short = cache.append(
            [1, 2, 3], line: 0..<3, state: 1..<2,
            header: RecordCache.Header(sequence: 1, revision: 1, previous: 0))
        let long = [UInt8](repeating: 7, count: cache.lineMax + 1)
        let position = cache.append(
            long, line: 0..<long.count, state: 0..<0,
            header: RecordCache.Header(sequence: 2, revision: 1, previous: 0))
        #expect(position == RecordCache.nowhere)
        #expect(cache.find(position) == nil && !cache.holds(position))
        #expect(line(at: short, in: cache)?.bytes == [1, 2, 3])
        let longest = cache.append(
            long, line: 1..<long.count, state: 1..<long.count,
            header: RecordCache.Header(sequence: 3, revision: 1, previous: 0))
        #expect(line(at: longest, in: cache)?.bytes.count == cache.lineMax)
    }

    @Test func `a line that is looked at often stays`() throws {
        var cache = try RecordCache(bytes: 1 << 16)
        var position = cache.append(
            Array("kept".utf8), line: 0..<4, state: 0..<2,
            header: RecordCache.Header(sequence: 9, revision: 8, previous: 7))
        let noise = [UInt8](repeating: 0, count: 1_000)
        for number in 0..<1_000 {
            _ = cache.append(
                noise, line: 0..<1_000, state: 0..<0,
                header: RecordCache.Header(sequence: UInt64(number), revision: 0, previous: 0))
            position = cache.touch(position)
            #expect(cache.find(position)?.sequence == 9)
        }
        #expect(line(at: position, in: cache)?.bytes == Array("kept".utf8))
        #expect(cache.touch(0) == 0, "what is gone is not moved")
    }

    @Test func `the ring uses more memory only where lines are missed`() throws {
        let noise = [UInt8](repeating: 0, count: 1_000)
        func lapCount(missing: Int) throws -> Int {
            var cache = try RecordCache(bytes: 1 << 20, bytesAtFirst: 1 << 16)
            var positions: [UInt64] = []
            for number in 0..<5_000 {
                if missing > 0, number % missing == 0 { cache.miss(1_000) }
                positions.append(
                    cache.append(
                        noise, line: 0..<1_000, state: 0..<0,
                        header: RecordCache.Header(
                            sequence: UInt64(number), revision: 0, previous: 0)))
            }
            return positions.count { cache.holds($0) }
        }
        let (small, whole) = ((1 << 16) / 1_040, (1 << 20) / 1_040)
        #expect(try lapCount(missing: 0) == small)
        #expect(try lapCount(missing: 100) == small, "one of a hundred is no reason to grow")
        #expect(try lapCount(missing: 10) == whole)
    }

    @Test func `what is kept stays while the ring grows`() throws {
        var cache = try RecordCache(bytes: 1 << 20, bytesAtFirst: 1 << 16)
        var positions: [UInt64] = []
        let count = (1 << 20) / 1_040
        for number in 0..<count {
            let text = [UInt8](repeating: UInt8(number % 251), count: 1_000)
            positions.append(
                cache.append(
                    text, line: 0..<1_000, state: 0..<1_000,
                    header: RecordCache.Header(sequence: UInt64(number), revision: 0, previous: 0)))
            cache.miss(1_000)
        }
        for (number, position) in positions.enumerated() {
            var text: [UInt8] = []
            if cache.holds(position) { cache.appendState(at: position, to: &text) }
            #expect(text == [UInt8](repeating: UInt8(number % 251), count: 1_000))
        }
    }
}
