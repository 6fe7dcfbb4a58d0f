internal import Navigation
internal import POSIX
internal import Sessions

/// The plan of a start: a step for each file of a directory, and the tables of the records that it
/// keeps.
///
/// Making a plan reads every line and changes nothing. `Recovery` carries it out; `Survey` shows
/// it. A file that must be complete is added to the tables while it is read. The last file is read
/// twice, because how much of it is valid is known only at its end.
struct StartPlan {
    /// The step for a file.
    struct Step {
        let number: Int
        let path: String
        /// The lowest number that its first record may have.
        let expected: UInt64
        let facts: FileFacts
        let verdict: Verdict
        /// The result of reading the file, or nil if it was not read.
        var scan: Scan?
        /// The part of the last file that is kept, if the file was not sealed.
        var kept: Scan?
    }

    private let manifest: Manifest
    private let layout: Layout
    private let recovers: Bool
    private(set) var walk: StartWalk
    private(set) var builder: StateBuilder
    private(set) var steps: [Step] = []
    /// The damaged and missing files because of which a start refuses.
    private(set) var faults: [String] = []
    /// The first fault that `--recover` does not help with, or that is reported alone.
    private(set) var refusal: StartError?
    /// Whether `--recover` makes a difference.
    private(set) var isSalvage = false
    /// Counts of what was read.
    private(set) var report = StartReport()
    private let logBytes: Int
    /// Whether the tables have room for what all files are expected to hold.
    private var hasRoom = false

    /// Reads the files in the order of their numbers.
    ///
    /// - Parameters:
    ///   - recovers: whether damaged data is set aside instead of refused.
    ///   - keysMax: the maximum number of idempotency keys.
    init(
        _ manifest: Manifest, _ files: [Int: Layout.File], in layout: Layout, recovers: Bool,
        keysMax: Int
    ) throws(StartError) {
        (self.manifest, self.layout, self.recovers) = (manifest, layout, recovers)
        walk = StartWalk(manifest, files: files)
        logBytes = files.values.reduce(0) { $0 + $1.size }
        builder = StateBuilder(seed: Random.word(), keysMax: keysMax)
        for number in walk.numbers { try StartError.catching(try add(number)) }
        if recovers {
            isSalvage = isSalvage || !walk.gaps.isEmpty
        } else {
            faults += walk.gaps.map(\.fault)
        }
    }

    /// The tables. The plan has none afterwards.
    mutating func finish() -> StateTables { builder.finish() }

    private mutating func refuse(_ error: StartError) {
        refusal = refusal ?? error
        faults.append(error.description)
    }

    private mutating func add(_ number: Int) throws(SystemError) {
        var facts = walk.facts(of: number)
        guard walk.wantsReading(number, facts) else {
            return add(step(number, facts))
        }
        let file = try LogFile(reading: layout.segment(number))
        let expected = walk.last + 1
        let isIndexedAtOnce = facts.listing == .sealed || facts.listing != .absent && !facts.isLast
        let scan =
            try isIndexedAtOnce ? index(file, expected) : Self.scan(file, expected, end: nil)
        walk.add(scan, of: number, to: &facts)
        if facts.listing != .absent {
            report.files += 1
            report.bytes += scan.size
            report.records += Int(scan.lines)
        }
        var step = step(number, facts)
        step.scan = scan
        switch step.verdict {
        case .seal, .cut:
            let end = scan.holes.first?.offset
            let kept = end == nil ? scan : try Self.scan(file, expected, end: end)
            if kept.first > 0 { _ = try index(file, expected, end: kept.size) }
            step.kept = kept
        case .use, .refuseDamaged: if !isIndexedAtOnce { _ = try index(file, expected) }
        case .drop, .setAside, .salvage, .refuseNewer, .refuseMissing, .refuseEmptied,
            .refuseUnlisted, .refuseOther:
            break
        }
        add(step)
    }

    private func step(_ number: Int, _ facts: FileFacts) -> Step {
        Step(
            number: number, path: layout.segment(number), expected: walk.last + 1, facts: facts,
            verdict: Verdict(facts, recover: recovers))
    }

    /// Adds a step, whose file's numbers count from now on.
    private mutating func add(_ step: Step) {
        steps.append(step)
        if step.verdict != Verdict(step.facts, recover: false) { isSalvage = true }
        switch step.verdict {
        case .drop, .setAside: break
        case .use: if let scan = step.scan { walk.keep(scan, at: step.path) }
        case .seal, .cut:
            guard let scan = step.scan, var kept = step.kept else { return }
            walk.begin(scan, at: step.path)
            if kept.first > 0 { kept.last += 1 }  // the seal
            walk.keep(kept, at: step.path)
        case .salvage:
            guard var scan = step.scan, scan.first > 0 else { return }
            if scan.seal == nil { scan.last += 1 }
            walk.keep(scan, at: step.path)
        case .refuseNewer:
            refuse(.newerFormat(path: step.path, format: Int(step.scan?.newerFormat ?? 0)))
        case .refuseMissing: refuse(.missing(path: step.path))
        case .refuseEmptied, .refuseUnlisted, .refuseOther, .refuseDamaged:
            faults += step.verdict.faults(of: step.path, step.scan)
            // Its numbers count, so that they are not missing before the next file as well.
            if let scan = step.scan, scan.header != nil, step.facts.listing != .absent {
                walk.keep(scan, at: step.path)
            }
        }
    }

    private static func scan(
        _ file: LogFile, _ expected: UInt64, end: Int?
    ) throws(SystemError) -> Scan {
        var scanner = try SegmentScanner(file, expected: expected, end: end)
        return try scanner.run { _, _, _, _ in }
    }

    /// Reads a file and adds its records to the tables.
    ///
    /// - Parameters:
    ///   - expected: the lowest number that the first record may have.
    ///   - end: how much of the file to read, or nil for all of it.
    private mutating func index(
        _ file: LogFile, _ expected: UInt64, end: Int? = nil
    ) throws(SystemError) -> Scan {
        guard let (header, salt) = try SegmentScanner.header(file) else {
            return try Self.scan(file, expected, end: end)
        }
        let segment = Segment(header: header, salt: salt)
        builder.begin(segment)
        var state = Segment.State(file: file)
        let scan = try ScanPipe.run(file, expected: expected, end: end, hasher: builder.hasher) {
            bytes, base, records in
            let headers = records.headers.span
            for number in headers.indices {
                let line = headers[number].line.range
                state.note(headers[number].sequence, at: base + line.lowerBound)
            }
            builder.recover(records, bytes)
            if !hasRoom, let last = records.headers.last {
                builder.makeRoom(read: base + last.line.range.upperBound, of: logBytes)
                hasRoom = true
            }
        }
        (state.end, state.last) = (scan.size, scan.last)
        let final = state
        segment.withState { $0 = final }
        return scan
    }
}
