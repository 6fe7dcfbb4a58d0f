import Testing

@testable import Storage

@Suite struct StartWalkTests {
    private func walk(_ manifest: Manifest, _ sizes: [Int: Int]) -> StartWalk {
        let files = sizes.mapValues { Layout.File(size: $0, isRegular: true) }
        return StartWalk(manifest, files: files)
    }

    private func manifest(sealed: [Int] = [], open: [Int] = [], spare: [Int] = []) -> Manifest {
        var manifest = Manifest(lineage: "l")
        manifest.sealed = sealed.map { Manifest.Sealed(number: $0) }
        (manifest.open, manifest.spare) = (open, spare)
        return manifest
    }

    /// A whole file with these records.
    private func scan(
        _ file: Int, _ records: ClosedRange<UInt64>, covers: Int? = nil, cleaned: UInt64 = 0
    ) -> Scan {
        var scan = Scan()
        scan.header = SegmentHeader(
            lineage: "l", file: file, first: records.lowerBound, at: 0, covers: covers,
            cleaned: cleaned)
        (scan.first, scan.last) = (records.lowerBound, records.upperBound)
        scan.lines = UInt64(records.count) + 1
        scan.size = 100
        scan.seal = (scan.lines, 100)
        return scan
    }

    @Test func `files are gone through by number, listed or present`() {
        let walk = walk(manifest(sealed: [1, 4], open: [6], spare: [7]), [1: 9, 3: 9, 6: 9])
        #expect(walk.numbers == [1, 3, 4, 6, 7])
        #expect(walk.facts(of: 1) == FileFacts(listing: .sealed, bytes: .some, isLast: false))
        #expect(walk.facts(of: 3) == FileFacts(listing: .absent, bytes: .some, isLast: false))
        #expect(walk.facts(of: 4) == FileFacts(listing: .sealed, bytes: .missing, isLast: false))
        #expect(walk.facts(of: 6) == FileFacts(listing: .open, bytes: .some, isLast: true))
        #expect(walk.facts(of: 7) == FileFacts(listing: .spare, bytes: .missing, isLast: false))
    }

    @Test func `records that are missing between two files are a gap`() {
        var walk = walk(manifest(sealed: [1, 2, 3]), [1: 9, 2: 9, 3: 9])
        walk.keep(scan(1, 1...10), at: "one")
        walk.keep(scan(2, 11...20), at: "two")
        #expect(walk.gaps.isEmpty)
        walk.keep(scan(3, 31...40), at: "three")
        #expect(walk.gaps == [StartWalk.Gap(records: 21...30, path: "three")])
        #expect(walk.last == 40)
    }

    @Test func `a gap that the manifest notes, or before a new lineage, is none`() {
        var noted = manifest(sealed: [1, 2])
        noted.lost = [11...30]
        var walk = walk(noted, [1: 9, 2: 9])
        walk.keep(scan(1, 1...10), at: "one")
        walk.keep(scan(2, 31...40), at: "two")
        #expect(walk.gaps.isEmpty)
        let first: UInt64 = 1 << 32 + 1
        walk.keep(scan(3, first...first + 5), at: "three")
        #expect(walk.gaps.isEmpty)
        noted.lost = [11...29]
        var partly = self.walk(noted, [1: 9, 2: 9])
        partly.keep(scan(1, 1...10), at: "one")
        partly.keep(scan(2, 31...40), at: "two")
        #expect(partly.gaps.map(\.records) == [11...30])
    }

    @Test func `a file that an earlier one covers need not be read`() {
        var walk = walk(manifest(sealed: [1, 2, 3]), [1: 9, 2: 9, 3: 9])
        walk.keep(scan(1, 1...30, covers: 2, cleaned: 30), at: "one")
        #expect(walk.facts(of: 2).isCovered && !walk.facts(of: 3).isCovered)
        #expect(!walk.wantsReading(2, walk.facts(of: 2)))
        #expect(walk.wantsReading(3, walk.facts(of: 3)))
    }

    @Test func `another file under a listed number is told by its last record or its salt`() {
        var listed = Manifest(lineage: "l")
        let identity = Manifest.Identity(last: 10, salt: .none)
        listed.sealed = [Manifest.Sealed(number: 1, identity: identity)]
        let walk = walk(listed, [1: 9])
        var (own, shorter, salted) = (scan(1, 1...10), scan(1, 1...9), scan(1, 1...10))
        salted.salt = Salt(value: 7)
        own.durable = 9
        let expected: [(Scan, FileFacts.Origin)] = [
            (own, .own), (shorter, .other), (salted, .other),
        ]
        for (scan, origin) in expected {
            var facts = walk.facts(of: 1)
            walk.add(scan, of: 1, to: &facts)
            #expect(facts.origin == origin)
            #expect(facts.seal == .good && facts.holes == .none)
        }
        shorter.header = nil
        var facts = FileFacts(listing: .open, bytes: .some, isLast: true)
        walk.add(shorter, of: 1, to: &facts)
        #expect(facts.holes == .within, "the header was synced before the file was listed")
    }
}
