internal import Bytes
internal import POSIX

/// Walks through the files of a log in the order of their numbers, for a start and for `check`, and
/// collects what is known about each: from the manifest, from the file itself, and from the files
/// before it.
///
/// No number may be missing between files: a file's first number follows the last of the previous
/// file. Only a new lineage begins with a higher one (see `SequenceNumber.lastBeforeNextLineage`),
/// and the manifest notes what `--recover` did without.
struct StartWalk {
    /// Records that should be between two files and are in neither.
    struct Gap: Equatable {
        var records: ClosedRange<UInt64>
        /// The file after the gap.
        var path: String
    }

    let manifest: Manifest
    /// The listed and the existing files, in order.
    let numbers: [Int]
    private let files: [Int: Layout.File]
    private let lastWithBytes: Int
    /// The last number of the files so far.
    private(set) var last: UInt64 = 0
    private(set) var coveredUpTo = 0
    /// Gaps without an explanation.
    private(set) var gaps: [Gap] = []

    init(_ manifest: Manifest, files: [Int: Layout.File]) {
        self.manifest = manifest
        self.files = files
        let listed = manifest.listed
        numbers = Set(listed + files.keys).sorted()
        lastWithBytes = listed.last { (files[$0]?.size ?? 0) > 0 } ?? 0
    }

    /// The known facts of a file before it is read.
    func facts(of number: Int) -> FileFacts {
        let listing: FileFacts.Listing =
            if manifest.sealed.contains(where: { $0.number == number }) {
                .sealed
            } else if manifest.open.contains(number) {
                .open
            } else {
                manifest.spare.contains(number) ? .spare : .absent
            }
        var facts = FileFacts(
            listing: listing, bytes: files[number].map { $0.size == 0 ? .none : .some } ?? .missing,
            isLast: number == lastWithBytes)
        facts.isCovered = number <= coveredUpTo
        return facts
    }

    /// Whether the file has to be read to decide what happens to it.
    func wantsReading(_ number: Int, _ facts: FileFacts) -> Bool {
        guard facts.bytes == .some, !facts.isCovered else { return false }
        return facts.listing != .absent || files[number]?.isRegular == true
    }

    /// Adds the result of reading the file.
    func add(_ scan: Scan, of number: Int, to facts: inout FileFacts) {
        facts.isNewer = scan.newerFormat != nil
        facts.seal = scan.sealState
        if let hole = scan.holes.first {
            facts.holes = hole.firstMissing <= scan.durable ? .within : .above
        }
        if facts.listing == .absent {
            let isOwn =
                scan.header?.file == number && scan.header?.lineage == manifest.lineage
                && scan.first > 0
            facts.origin = isOwn ? .unlisted : .other
            // A file that someone else has put there is no reason to refuse.
            facts.isNewer = false
            return
        }
        if let header = scan.header, header.file != number { facts.holes = .within }
        // The file's header was durable before the file was listed as open.
        if facts.listing == .open, scan.header == nil { facts.holes = .within }
        let identity = Manifest.Identity(last: scan.last, salt: scan.salt)
        let entered = manifest.sealed.filter { $0.number == number }.map(\.identity)
        if !entered.isEmpty, !entered.contains(identity), !entered.contains(nil) {
            facts.origin = .other
        }
    }

    /// Notes that a file begins here, and what is missing before it.
    mutating func begin(_ scan: Scan, at path: String) {
        guard let header = scan.header, header.first > last + 1 else { return }
        note(header.first, path)
        last = header.first - 1
    }

    /// Notes that a file is kept, so that its numbers count.
    mutating func keep(_ scan: Scan, at path: String) {
        begin(scan, at: path)
        last = max(last, scan.last)
        coveredUpTo = max(coveredUpTo, scan.header?.covers ?? 0)
    }

    private mutating func note(_ first: UInt64, _ path: String) {
        if first.isFirstOfLineage { return }
        let missing = last + 1...first - 1
        let isNoted = manifest.lost.contains { lost in
            lost.contains(missing.lowerBound) && lost.contains(missing.upperBound)
        }
        if isNoted { return }
        gaps.append(Gap(records: missing, path: path))
    }
}

extension UInt64 {
    /// Whether a lineage may begin with this number.
    var isFirstOfLineage: Bool { self >> 32 > 0 && self & 0xFFFF_FFFF == 1 }
}
