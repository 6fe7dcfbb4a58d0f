// The table by which a start decides what happens to each file of the log.
//
// D is the highest `d` in the valid lines of a file. Everything up to D was durable when the line
// with that `d` was written, and may have been acknowledged. A *hole* is a place with bytes that
// are no valid line, or with numbers that are missing. So a hole at or below D means that
// acknowledged data is damaged. If a hole is above D, nothing proves that its data was
// acknowledged: a power failure leaves such holes of a batch that was being written.
//
// The *last* file is the one with the highest number among the listed files that are not empty.
// The journal syncs a file with its seal before it writes to the next one, so all files before the
// last must be complete.
//
//     row  the file                                                   verdict
//      1   says a newer format                                        refuse: newer format
//      2   is covered by a compacted file                             drop
//      3   is not listed, but has records of this store               refuse: not listed
//      4   is not listed: anything else                               set aside (empty: drop)
//      5   is listed and missing                                      refuse: missing
//      6   is sealed or open, and empty                               refuse: emptied
//      7   is a spare, and empty                                      drop
//      8   is not the file that was listed as sealed                  refuse: another file
//      9   is not last: no hole, good seal                            use
//     10   is not last: anything else                                 refuse: damaged
//     11   is sealed: no hole, good seal                              use
//     12   is sealed: anything else                                   refuse: damaged
//     13   is open and last: a hole at or below D                     refuse: damaged
//     14   is open and last: holes above D only                       cut at the first, then seal
//     15   is open and last: no hole, good seal                       use
//     16   is open and last: no hole, no seal                         seal
//     17   is open and last: no hole, a wrong seal                    refuse: damaged
//
// In the last five rows, a spare that is not empty counts as open, because the journal had begun
// to write to it.
//
// To *seal* a file, its valid lines are copied into a new file with a seal, which is synced and
// renamed to the old name. After an unclean end, the page cache may show lines that are not on the
// disk; copying makes them durable.
//
// No number may be missing between two files either, which `StartWalk` checks.
//
// With `--recover`, missing and emptied files are dropped, and damaged files are *salvaged*: the
// file is set aside as it is, and its valid lines are kept in a new one. A file that is not listed,
// or not the one that was listed, is used if it is complete, and salvaged otherwise.

/// The known facts of a file of the log when a start decides on it.
struct FileFacts: Equatable, Sendable {
    /// Where the manifest lists the file.
    enum Listing: CaseIterable, Sendable {
        case sealed, open, spare, absent
    }

    /// Whether the file exists, and whether it is empty.
    enum Bytes: CaseIterable, Sendable {
        case missing, none, some
    }

    /// Where the first hole is: above D, or at or below it.
    enum Holes: CaseIterable, Sendable {
        case none, above, within
    }

    /// Whether it is the file that the store wrote under this number.
    enum Origin: CaseIterable, Sendable {
        /// It is, or nothing is known that contradicts it.
        case own
        /// Another file has the name of the one that is listed.
        case other
        /// It is not listed, but has records of this store.
        case unlisted
    }

    var isNewer = false
    var isCovered = false
    var listing: Listing
    var bytes: Bytes
    var isLast: Bool
    var holes = Holes.none
    var seal = Scan.Seal.absent
    var origin = Origin.own
}

/// The decision on a file.
enum Verdict: Equatable, Sendable {
    case use, seal, cut, drop, setAside, salvage
    case refuseNewer, refuseMissing, refuseEmptied, refuseUnlisted, refuseOther, refuseDamaged
}

extension Verdict {
    init(_ facts: FileFacts, recover: Bool) {
        let strict = Self.strict(facts)
        self = recover ? Self.recovering(facts, strict) : strict
    }

    private static func recovering(_ facts: FileFacts, _ strict: Verdict) -> Verdict {
        switch strict {
        case .refuseMissing, .refuseEmptied: .drop
        case .refuseUnlisted, .refuseOther:
            facts.holes == .none && facts.seal == .good ? .use : .salvage
        case .refuseDamaged: .salvage
        case .use, .seal, .cut, .drop, .setAside, .salvage, .refuseNewer: strict
        }
    }

    private static func strict(_ facts: FileFacts) -> Verdict {
        if facts.isNewer { return .refuseNewer }
        if facts.isCovered { return .drop }
        let isWhole = facts.holes == .none && facts.seal == .good
        switch (facts.listing, facts.bytes) {
        case (.absent, .some): return facts.origin == .unlisted ? .refuseUnlisted : .setAside
        case (.absent, _): return .drop
        case (_, .missing): return .refuseMissing
        case (.sealed, .none), (.open, .none): return .refuseEmptied
        case (.spare, .none): return .drop
        case (.sealed, .some):
            if facts.origin == .other { return .refuseOther }
            return isWhole ? .use : .refuseDamaged
        case (.open, .some), (.spare, .some):
            return facts.isLast ? last(facts) : isWhole ? .use : .refuseDamaged
        }
    }

    private static func last(_ facts: FileFacts) -> Verdict {
        switch (facts.holes, facts.seal) {
        case (.within, _): .refuseDamaged
        case (.above, _): .cut
        case (.none, .good): .use
        case (.none, .absent): .seal
        case (.none, .wrong): .refuseDamaged
        }
    }
}
