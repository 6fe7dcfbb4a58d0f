import Navigation
import POSIX
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite struct SegmentTests {
    private func segment(_ number: Int, first: UInt64) -> Segment {
        Segment(
            header: SegmentHeader(lineage: "l", file: number, first: first, at: 0), salt: .none)
    }

    @Test(.seeded) func `a piece holds the record, and starts at most a mark's distance before`() {
        var random = SplitMix64()
        let segment = segment(1, first: 1)
        var (starts, offset): ([Int], Int) = ([], 100)
        for number in UInt64(1)...2_000 {
            starts.append(offset)
            let at = offset
            segment.withState { $0.note(number, at: at) }
            offset += Int(random.next() % 900) + 1
        }
        let end = offset
        segment.withState { ($0.end, $0.last) = (end, 2_000) }
        for (index, start) in starts.enumerated() {
            guard let piece = segment.piece(with: UInt64(index + 1)) else {
                Issue.record("record \(index + 1) has no piece")
                return
            }
            let lineEnd = index + 1 < starts.count ? starts[index + 1] : end
            #expect(piece.lowerBound <= start && piece.upperBound >= lineEnd)
            #expect(start - piece.lowerBound < Segment.markDistance)
        }
        #expect(segment.piece(with: 0) == nil)
        #expect(segment.piece(with: 2_001) == nil)
    }

    @Test func `a record is sought in the last file that does not begin after it`() {
        let files = [(1, 1), (2, 10), (5, 11), (6, 40)].map {
            segment($0.0, first: UInt64($0.1))
        }
        let list = SegmentList(files)
        let expected: [(UInt64, Int?)] = [
            (0, nil), (1, 1), (9, 1), (10, 2), (11, 5), (39, 5), (40, 6), (99, 6),
        ]
        for (sequence, number) in expected {
            #expect(list.segment(with: sequence)?.number == number)
        }
        #expect(SegmentList().segment(with: 1) == nil)
    }

    @Test func `what is superseded is counted for the record's file, and can be taken back`() {
        let (first, second) = (segment(1, first: 1), segment(2, first: 10))
        let list = SegmentList([first, second])
        var entry = SessionEntry()
        (entry.sequence, entry.length) = (9, 300)
        list.supersede(entry)
        list.supersede(10, 50)
        #expect(first.superseded.load(ordering: .relaxed) == 300)
        #expect(second.superseded.load(ordering: .relaxed) == 50)
        list.restore(entry)
        #expect(first.superseded.load(ordering: .relaxed) == 0)
    }

    @Test func `a recovery counts the same without a lock`() {
        let files = [segment(1, first: 1), segment(2, first: 10), segment(3, first: 20)]
        let list = SegmentList(files)
        var counts = SupersededBytes()
        counts.add(7, ofRecord: 3)
        for file in files { counts.append(file) }
        for sequence in UInt64(1)...30 { counts.add(Int(sequence), ofRecord: sequence) }
        counts.finish()
        let counted = files.map { $0.superseded.load(ordering: .relaxed) }
        for sequence in UInt64(1)...30 { list.supersede(sequence, -Int(sequence)) }
        #expect(counted == [45, 145, 275])
        #expect(files.allSatisfy { $0.superseded.load(ordering: .relaxed) == 0 })
    }

    @Test func `neighbors are replaced by one file, in their place`() {
        let files = (1...4).map { segment($0, first: UInt64($0)) }
        let list = SegmentList(files)
        let new = segment(2, first: 2)
        list.replace([files[1], files[2]], with: new)
        #expect(list.all.map(\.number) == [1, 2, 4])
        #expect(list.all[1] === new)
        list.replace([files[1]], with: nil)
        #expect(list.all.count == 3, "a file that is not in the list replaces nothing")
        list.replace([new], with: nil)
        #expect(list.all.map(\.number) == [1, 4])
    }

    @Test func `files are removed from the end only`() {
        let list = SegmentList((1...5).map { segment($0, first: UInt64($0)) })
        list.removeLast { $0.number % 2 == 1 }
        #expect(list.all.map(\.number) == [1, 2, 3, 4])
    }
}

/// The header, the first line of a file.
@Suite struct SegmentHeaderTests {
    private func read(_ text: String) -> SegmentHeader? {
        var bytes = Array(text.utf8)
        Line.close(&bytes, from: 0, salt: .none)
        var format: UInt64 = 0
        return SegmentHeader(bytes, bytes.indices, format: &format)
    }

    @Test(arguments: [
        SegmentHeader(lineage: "abc", file: 7, first: 184_320, at: 5),
        SegmentHeader(lineage: "", file: 1, first: 1, at: -5),
        SegmentHeader(lineage: "l", file: 7, first: 1, at: 5, covers: 9, cleaned: 190_000),
    ])
    func `a header reads back, and gives the salt of the lines after it`(
        header: SegmentHeader
    ) throws {
        var bytes: [UInt8] = [0x20]
        let salt = header.append(to: &bytes)
        var format: UInt64 = 0
        let line = 1..<bytes.count
        #expect(bytes.count <= SegmentHeader.countMax)
        #expect(SegmentHeader(bytes, line, format: &format) == header)
        #expect(format == UInt64(Manifest.format))
        let digits = try #require(Line.digits(of: bytes, line))
        #expect(Salt(digits: digits, of: bytes) == salt)
    }

    @Test(arguments: [
        #"{"log":"navstate","format":2,"lineage":"l","file":1,"first":1"#,
        #"{"log":"navstate","format":2,"lineage":"l","file":1,"first":1,"at":5,"covers":2"#,
        #"{"log":"navstate","format":2,"lineage":"l","file":"1","first":1,"at":5"#,
        #"{"backup":"navstate","format":2,"lineage":"l","file":1,"first":1,"at":5"#,
        #"{"log":"navstate","format":2,"lineage":"l","file":1,"first":1,"at":5,"x":1,"y":2,"z":3"#,
        #"["log":"navstate","format":2,"lineage":"l","file":1,"first":1,"at":5"#, "{",
    ])
    func `another line is no header`(text: String) {
        #expect(read(text) == nil)
    }

    @Test func `a file covers itself at least`() {
        let text = #"{"log":"navstate","format":2,"lineage":"l","file":4,"first":1,"at":5,"#
        #expect(read(text + #""covers":2,"cleaned":9"#)?.covers == 4)
        #expect(read(text + #""covers":6,"cleaned":9"#)?.covers == 6)
    }

    @Test func `a newer format is told`() {
        let text = #"{"log":"navstate","format":3,"lineage":"l","file":1,"first":1,"at":5"#
        var bytes = Array(text.utf8)
        Line.close(&bytes, from: 0, salt: .none)
        var format: UInt64 = 0
        #expect(SegmentHeader(bytes, bytes.indices, format: &format) == nil)
        #expect(format == 3)
    }
}
