// What to do with a file of the log at the start, as a table.
//
// D is the largest `d` among the file's valid lines: everything up to D was durable, and perhaps
// acknowledged, when that line was written. So a hole (bytes that are no valid line, or numbers
// that are left out) at or below D is acknowledged data damaged. Of a hole above D nothing proves
// that it was acknowledged: it is what a power cut leaves of a batch that was being written. *Last*
// is the listed file with bytes in it whose number is highest; the journal syncs a file with its
// seal before it writes the first byte of the next, so every other one must be whole.
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
// In the last five rows a spare with bytes counts as open: the journal had turned to it.
//
// *Seal* means: its valid lines are copied into a new file with a seal, synced and renamed over
// it, since after an unclean end the page cache can show lines that are not on the disk.
//
// Between files no number may be left out either; see `StartWalk`.
//
// With `--recover` a refusal for a missing or emptied file becomes *drop*, one for damage
// *salvage*: the file is set aside whole and its valid lines are kept in a new one. A file that is
// another than the listed one, or not listed, is used if it is whole, and salvaged if it is not.

/// What is known of a file of the log before anything is decided.
struct FileFacts: Equatable, Sendable {
    enum Listing: CaseIterable, Sendable {
        case sealed, open, spare, absent
    }

    enum Bytes: CaseIterable, Sendable {
        case missing, none, some
    }

    enum Holes: CaseIterable, Sendable {
        case none, above, within
    }

    /// Whether it is the file that has this number in the store.
    enum Origin: CaseIterable, Sendable {
        /// It is, as far as that is known.
        case own
        /// It is listed, but another file has its name.
        case other
        /// It is not listed; it has records of this store.
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
