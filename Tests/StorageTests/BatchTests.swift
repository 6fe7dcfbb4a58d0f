import Testing

@testable import Storage

@Suite struct BatchTests {
    private let first = Segment(
        header: SegmentHeader(lineage: "l", file: 1, first: 1, at: 0), salt: .none)
    private let second = Segment(
        header: SegmentHeader(lineage: "l", file: 2, first: 9, at: 0), salt: .none)

    private func batch(_ parts: (segment: Segment, bytes: [UInt8], last: UInt64)...) -> Batch {
        var batch = Batch()
        for part in parts {
            batch.parts.append(
                Batch.Part(segment: part.segment, start: batch.bytes.count, last: part.last))
            batch.bytes += part.bytes
        }
        return batch
    }

    /// The bytes of each part.
    private func pieces(_ batch: Batch) -> [[UInt8]] {
        let ends = batch.parts.dropFirst().map(\.start) + [batch.bytes.count]
        return zip(batch.parts, ends).map { Array(batch.bytes[$0.start..<$1]) }
    }

    @Test func `batches of one file become one part`() {
        var all = batch((first, [1, 2], 3))
        all.append(batch((first, [3], 4)))
        #expect(pieces(all) == [[1, 2, 3]])
        #expect(all.parts.map(\.last) == [4])
    }

    @Test func `each file has its own part, in the order in which they came`() {
        var all = batch((first, [1, 2], 3))
        all.append(batch((first, [3], 4), (second, [4, 5], 0)))
        all.append(batch((second, [6], 5)))
        #expect(pieces(all) == [[1, 2, 3], [4, 5, 6]])
        #expect(all.parts.map { $0.segment.number } == [1, 2])
        #expect(all.parts.map(\.last) == [4, 5])
    }

    @Test func `a header without records does not take back a number`() {
        var all = batch((first, [1], 7))
        all.append(batch((first, [2], 0)))
        #expect(all.parts.map(\.last) == [7])
    }

    @Test func `an emptied batch begins anew`() {
        var all = batch((first, [1], 7))
        all.removeAll()
        all.append(batch((second, [2], 8)))
        #expect(pieces(all) == [[2]])
        #expect(all.parts.map(\.start) == [0])
    }
}
