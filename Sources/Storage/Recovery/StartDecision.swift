// What to do with a file of the log at the start, as a table.
//
// D is the largest `d` among the file's valid lines: everything up to D was durable, and perhaps
// acknowledged, when that line was written. So a hole (bytes that are no valid line, or numbers
// that are left out) at or below D is acknowledged data damaged, and a hole above D is what a
// power cut leaves of a batch that was never acknowledged. *Last* is the listed file with bytes
// in it whose number is highest; the journal syncs a file with its seal before it writes the
// first byte of the next, so every other one must be whole.
//
//     row  the file                                                   verdict
//      1   says a newer format                                        refuse: newer format
//      2   is covered by a compacted file                             drop
//      3   is not listed in the manifest                              set aside (empty: drop)
//      4   is listed and missing                                      refuse: missing
//      5   is sealed and empty                                        refuse: damaged
//      6   is open and empty                                          drop
//      7   is not last: no hole, good seal                            use
//      8   is not last: anything else                                 refuse: damaged
//      9   is sealed: no hole, good seal                              use
//     10   is sealed: anything else                                   refuse: damaged
//     11   is open and last: a hole at or below D                     refuse: damaged
//     12   is open and last: holes above D only                       cut at the first, then seal
//     13   is open and last: no hole, good seal                       use
//     14   is open and last: no hole, no seal                         seal
//     15   is open and last: no hole, a wrong seal                    refuse: damaged
//
// *Seal* means: its valid lines are copied into a new file with a seal, synced and renamed over
// it, since after an unclean end the page cache can show lines that are not on the disk.
// With `--recover` a refusal for a missing file becomes *drop*, one for damage *salvage*: the
// file is set aside whole and its valid lines are kept in a new one.

/// What is known of a file of the log before anything is decided.
struct FileFacts: Equatable, Sendable {
    enum Listing: CaseIterable, Sendable {
        case sealed, open, absent
    }

    enum Bytes: CaseIterable, Sendable {
        case missing, none, some
    }

    enum Holes: CaseIterable, Sendable {
        case none, above, within
    }

    var isNewer = false
    var isCovered = false
    var listing: Listing
    var bytes: Bytes
    var isLast: Bool
    var holes: Holes
    var seal: Scan.Seal
}

enum Verdict: Equatable, Sendable {
    case use, seal, cut, drop, setAside, salvage
    case refuseNewer, refuseMissing, refuseDamaged
}

extension Verdict {
    init(_ facts: FileFacts, recover: Bool) {
        let strict = Self.strict(facts)
        switch strict {
        case .refuseMissing where recover: self = .drop
        case .refuseDamaged where recover: self = facts.bytes == .none ? .drop : .salvage
        case .use, .seal, .cut, .drop, .setAside, .salvage, .refuseNewer, .refuseMissing,
            .refuseDamaged:
            self = strict
        }
    }

    private static func strict(_ facts: FileFacts) -> Verdict {
        if facts.isNewer { return .refuseNewer }
        if facts.isCovered { return .drop }
        let isWhole = facts.holes == .none && facts.seal == .good
        switch (facts.listing, facts.bytes) {
        case (.absent, let bytes): return bytes == .some ? .setAside : .drop
        case (_, .missing): return .refuseMissing
        case (.sealed, .none): return .refuseDamaged
        case (.open, .none): return .drop
        case (.sealed, .some): return isWhole ? .use : .refuseDamaged
        case (.open, .some):
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
