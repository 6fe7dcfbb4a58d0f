import Bytes
import JSON
import Navigation
import TestSupport
import Testing

@testable import Storage

@Suite struct FormatTests {
    @Test func `the keys' numbers spell their letters`() {
        let names = [
            "n", "d", "op", "id", "rev", "at", "exp", "prev", "born", "undos", "next", "app",
            "labels", "due", "undo", "redo", "why", "key", "dig", "elen", "event", "s", "doc",
            "tokens",
            "lines", "cur", "tip", "reach",
        ]
        #expect(
            RecordKey.allCases.map(\.rawValue)
                == names.map { $0.utf8.reduce(0) { $0 << 8 | UInt64($1) } })
    }

    @Test func `a line of another file does not pass`() {
        var bytes: [UInt8] = []
        let header = SegmentHeader(lineage: "l", file: 1, first: 1, at: 5)
        let salt = header.append(to: &bytes)
        let start = bytes.count
        var mark = ByteWriter()
        mark.append(mark: 2, durable: 1, at: -7)
        Line.append(mark, to: &bytes, salt: salt)
        let line = start..<bytes.count
        #expect(Line.isValid(bytes, line, salt: salt))
        #expect(!Line.isValid(bytes, line, salt: Salt(value: salt.value ^ 1)))
        #expect(Line.salt(of: bytes, line) == salt)
        #expect(RecordHeader(bytes, line)?.at == -7)
        var format: UInt64 = 0
        #expect(SegmentHeader(bytes, 0..<start, format: &format) == header)
    }

    @Test func `a line within a damaged one is sought among a bounded number of bytes`() {
        let beginnings = Array(String(repeating: #"{"n":"#, count: 1_000).utf8)
        var bytes = beginnings
        var mark = ByteWriter()
        mark.append(mark: 2, durable: 1, at: -7)
        Line.append(mark, to: &bytes, salt: .none)
        let whole = bytes.indices
        let enough = 1_001 * bytes.count
        #expect(
            SegmentScanner.line(within: whole, of: bytes, salt: .none, bytesMax: enough)
                == beginnings.count..<bytes.count)
        #expect(
            SegmentScanner.line(within: whole, of: bytes, salt: .none, bytesMax: bytes.count)
                == nil)
    }

    @Test(arguments: [
        #"{"a":"x\u000ay\u0009","b\"":"\u0001\\n"}"#, #"{"a":"x\ny\t","b\"":"\u0001\\n"}"#,
    ])
    func `labels are read however they are escaped`(_ text: String) {
        let bytes = Array((text + #","crc":"00000000"}"# + "\n").utf8)
        let labels = RecordJSON.labels(bytes, 0..<text.utf8.count)
        #expect(labels == [Label(key: "a", value: "x\ny\t"), Label(key: "b\"", value: "\u{1}\\n")])
    }

    @Test func `the manifest reads back, and says when it is newer or damaged`() throws {
        var manifest = Manifest(lineage: "abc")
        #expect(try Manifest(manifest.bytes) == manifest)
        let identity = Manifest.Identity(last: 99, salt: Salt(value: 0x00C0_FFEE))
        manifest.sealed = [
            Manifest.Sealed(number: 1), Manifest.Sealed(number: 12, identity: identity),
        ]
        (manifest.open, manifest.spare) = ([13], [14, 15])
        (manifest.isSynced, manifest.after) = (false, 1 << 40)
        manifest.lost = [3...7, 9...9]
        #expect(try Manifest(manifest.bytes) == manifest)
        for index in manifest.bytes.indices {
            var bytes = manifest.bytes
            bytes[index] ^= 1
            #expect(throws: Manifest.ReadError.damaged) { try Manifest(bytes) }
        }
    }

    @Test func `the manifest of format 1 is refused`() throws {
        var bytes = Array(
            #"{"manifest":"navstate","format":1,"lineage":"abc","sealed":[1,2,12],"open":[13,14]"#
                .utf8)
        Line.close(&bytes, from: 0, salt: .none)
        #expect(throws: Manifest.ReadError.olderFormat) { try Manifest(bytes) }
    }

    @Test(arguments: [
        ("0000000001.jsonl", 1), ("9999999999.jsonl", 9_999_999_999),
        ("10000000000.jsonl", 10_000_000_000), ("00000000001.jsonl", nil), ("1.jsonl", nil),
        ("0000000001.jsonl.tmp", nil), ("000000000x.jsonl", nil), ("9999999999999999.jsonl", nil),
    ])
    func `a segment's name has ten digits, or more without a zero before them`(
        name: String, number: Int?
    ) {
        #expect(Layout.number(name) == number)
        if let number { #expect(Layout.name(number) == name) }
    }

    /// All facts that a file can be known by, but for newer formats and covered files one each.
    private var allFacts: [FileFacts] {
        var all: [FileFacts] = []
        for listing in FileFacts.Listing.allCases {
            for bytes in FileFacts.Bytes.allCases {
                for origin in FileFacts.Origin.allCases {
                    for (isLast, flags) in [(true, 0), (false, 0), (true, 1), (false, 2)] {
                        for holes in FileFacts.Holes.allCases {
                            for seal in Scan.Seal.allCases {
                                all.append(
                                    FileFacts(
                                        isNewer: flags == 1, isCovered: flags == 2,
                                        listing: listing, bytes: bytes, isLast: isLast,
                                        holes: holes, seal: seal, origin: origin))
                            }
                        }
                    }
                }
            }
        }
        return all
    }

    @Test func `every row of the table of the start`() {
        #expect(allFacts.count == 4 * 3 * 3 * 4 * 3 * 3)
        for facts in allFacts {
            #expect(Verdict(facts, recover: false) == row(facts), "\(facts)")
        }
    }

    /// The table's rows once more, top down, the first that fits.
    private func row(_ facts: FileFacts) -> Verdict {
        let isWhole = facts.holes == .none && facts.seal == .good
        let isOpen = facts.listing == .open || facts.listing == .spare
        let isOpenLast = isOpen && facts.isLast
        let isUnlisted = facts.listing == .absent
        let rows: [(Bool, Verdict)] = [
            (facts.isNewer, .refuseNewer),
            (facts.isCovered, .drop),
            (isUnlisted && facts.bytes == .some && facts.origin == .unlisted, .refuseUnlisted),
            (isUnlisted && facts.bytes == .some, .setAside),
            (isUnlisted, .drop),
            (facts.bytes == .missing, .refuseMissing),
            (facts.listing != .spare && facts.bytes == .none, .refuseEmptied),
            (facts.bytes == .none, .drop),
            (facts.listing == .sealed && facts.origin == .other, .refuseOther),
            (!facts.isLast && isWhole, .use),
            (!facts.isLast, .refuseDamaged),
            (facts.listing == .sealed && isWhole, .use),
            (facts.listing == .sealed, .refuseDamaged),
            (isOpenLast && facts.holes == .within, .refuseDamaged),
            (isOpenLast && facts.holes == .above, .cut),
            (isOpenLast && isWhole, .use),
            (isOpenLast && facts.seal == .absent, .seal),
            (isOpenLast && facts.seal == .wrong, .refuseDamaged),
        ]
        return rows.first { $0.0 }?.1 ?? .refuseDamaged
    }

    @Test func `told to recover, refusals for damage become salvage`() {
        var facts = FileFacts(
            listing: .sealed, bytes: .some, isLast: false, holes: .within, seal: .good)
        #expect(Verdict(facts, recover: true) == .salvage)
        facts.origin = .other
        #expect(Verdict(facts, recover: true) == .salvage)
        facts.holes = .none
        #expect(Verdict(facts, recover: true) == .use)
        facts.bytes = .none
        #expect(Verdict(facts, recover: true) == .drop)
        facts.bytes = .missing
        #expect(Verdict(facts, recover: true) == .drop)
        facts.isNewer = true
        #expect(Verdict(facts, recover: true) == .refuseNewer)
    }
}
