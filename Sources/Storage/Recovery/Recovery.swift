internal import Navigation
internal import POSIX
internal import Sessions

/// Opens a directory: lock, manifest, every file by the table of `StartDecision`, the index.
///
/// 1. Lock. Read the manifest.
/// 2. Read the files in the order of their numbers. Lines of files that must be complete are added
///    to the index at once. The last file is read twice, because how much of it is valid is known
///    only at its end.
/// 3. If something is damaged, report all damage and change nothing. With `--recover`, salvage what
///    is valid and read everything again, under a new lineage.
/// 4. Seal the file that was not sealed. Build the order of the names and the expiry queue.
/// 5. Remove files that are no longer needed once the new manifest is durable, so that an
///    interrupted start leaves what the next one needs.
///
/// After an unclean end of a run that did not sync every change (`--fsync` with a time, or
/// `never`), numbers continue with those of the next lineage: records that clients have seen may be
/// lost, and their numbers must not be given to others.
struct Recovery {
    let options: StoreOptions
    let layout: Layout
    let now: Milliseconds
    let disk: Disk
    let quarantine: Quarantine
    var notes: [String] = []

    init(options: StoreOptions, now: Milliseconds) {
        self.options = options
        self.now = now
        layout = Layout(root: options.path)
        disk = options.disk
        quarantine = Quarantine(layout: layout, disk: disk, now: now)
    }

    func run() throws(StartError) -> Recovered {
        let started = Clock.monotonicMilliseconds
        var copy = self
        var recovered = try copy.recover()
        recovered.report.milliseconds = Int(Clock.monotonicMilliseconds - started)
        recovered.report.sessions = recovered.tables.index.count
        recovered.report.apps = recovered.tables.documents.count
        recovered.report.files = recovered.segments.all.count
        recovered.report.notes = copy.notes
        return recovered
    }

    private mutating func recover() throws(StartError) -> Recovered {
        try StartError.naming(room: options.segmentBytes) { () throws(StartError) in
            try prepare()
            let lock = try DirectoryLock(layout)
            let files = try StartError.catching(try layout.files())
            let read = try StoredManifest.read(
                layout, files, rebuilds: options.recover, quarantine: quarantine)
            notes += read.notes
            var manifest = read.manifest
            var pass = try readFiles(manifest, files)
            if read.origin == .rebuilt { pass.isSalvaged = true }
            let spares = pass.spares
            if pass.isSalvaged {
                try readSalvaged(&pass, &manifest)
            } else if options.recover {
                notes.append("--recover: nothing is damaged; remove the option")
            }
            let tables = pass.builder.finish()
            let (nextFile, spare) = try StartError.catching(
                try firstFile(spares, files: files, manifest: manifest, in: &pass))
            let next = nextManifest(manifest, &pass)
            return Recovered(
                layout: layout, lock: lock, manifest: next,
                needsManifest: read.origin != .found || pass.isSalvaged
                    || manifest.isSynced && !next.isSynced,
                tables: tables, segments: pass.builder.segments, last: next.after,
                nextFile: nextFile, spare: spare,
                leftovers: pass.leftovers, isSalvaged: pass.isSalvaged, report: pass.report)
        }
    }

    private func prepare() throws(StartError) {
        try makeDirectory(layout.root)
        let status = try StartError.catching(try Directory.status(layout.root))
        if let status, status.owner != Process.userIdentifier {
            throw .notOurs(path: layout.root, owner: status.owner)
        }
        try makeDirectory(layout.log)
    }

    private func makeDirectory(_ path: String) throws(StartError) {
        do throws(SystemError) { try Directory.make(path) } catch {
            throw error.isFull ? .system(error) : .unusable(error, path: layout.root)
        }
    }

    /// Reads the files again after they have been salvaged, like any others.
    private mutating func readSalvaged(
        _ first: inout Pass, _ manifest: inout Manifest
    ) throws(StartError) {
        manifest.lineage = Manifest.newLineage(now)
        manifest.format = Manifest.format
        manifest.sealed = first.kept.map { Manifest.Sealed(number: $0.number) }
        (manifest.open, manifest.spare) = ([], [])
        let kept = Set(first.kept.map(\.number))
        let files = try StartError.catching(try layout.files()).filter { kept.contains($0.key) }
        var second = try readFiles(manifest, files, isSecond: true)
        second.leftovers = first.leftovers
        second.isSalvaged = true
        first = second
    }

    /// The manifest for the run that begins.
    private mutating func nextManifest(_ old: Manifest, _ pass: inout Pass) -> Manifest {
        var next = Manifest(lineage: old.lineage)
        next.isSynced = options.fsync == .always
        next.sealed = pass.kept
        next.lost = old.lost + pass.lost
        next.after = max(pass.walk.last, old.after)
        if pass.isSalvaged {
            next.after = next.after.lastBeforeNextLineage
        } else if mayHaveLost(old) {
            next.after = next.after.lastBeforeNextLineage
            notes.append(
                "the last run did not sync every change and was not shut down: its last "
                    + "changes may be lost; event ids and ETags continue above \(next.after)")
        }
        return next
    }

    /// Whether a power failure may have undone changes that were acknowledged in the last run.
    private func mayHaveLost(_ old: Manifest) -> Bool {
        guard !old.isClosed else { return false }
        // Format 1 did not store the mode, which is rarely changed.
        return old.format == 1 ? options.fsync != .always : !old.isSynced
    }

    /// The number of the first file that is written to, and the file itself if the last run's spare
    /// can be used. Only files in the manifest matter: a foreign file with a high number does not.
    private func firstFile(
        _ spares: [Int], files: [Int: Layout.File], manifest: Manifest, in pass: inout Pass
    ) throws(SystemError) -> (Int, LogFile?) {
        let used = pass.kept.map(\.number) + [pass.walk.coveredUpTo]
        let highest = used.max() ?? 0
        let spare = spares.filter { $0 > highest && files[$0]?.isRegular == true }.min()
        pass.leftovers += spares.filter { $0 != spare }.map(layout.segment)
        if let spare {
            let path = layout.segment(spare)
            return (
                spare, LogFile(descriptor: try .open(path, [.readWrite, .noFollow]), path: path)
            )
        }
        var next = max(highest, manifest.listed.max() ?? 0) + 1
        while files[next] != nil { next += 1 }
        return (next, nil)
    }
}

// MARK: - The files

extension Recovery {
    /// The result of reading the files so far.
    struct Pass {
        var walk: StartWalk
        var builder: StateBuilder
        var kept: [Manifest.Sealed] = []
        /// The last file, which was not sealed.
        var unsealed: (number: Int, scan: Scan)?
        var isSalvaged = false
        var damages: [StartError.Damage] = []
        /// Records that are missing between two files and that the start does without.
        var lost: [ClosedRange<UInt64>] = []
        var leftovers: [String] = []
        /// Files of others, which are moved to the quarantine.
        var foreign: [String] = []
        /// Empty files that had been made ahead of need.
        var spares: [Int] = []
        var report = StartReport()
    }

    /// Reads the files in the order of their numbers, and does with each what the table says.
    ///
    /// - Parameter isSecond: whether damaged files have been salvaged already.
    private mutating func readFiles(
        _ manifest: Manifest, _ files: [Int: Layout.File], isSecond: Bool = false
    ) throws(StartError) -> Pass {
        let walk = StartWalk(manifest, files: files, layout: layout)
        var pass = Pass(
            walk: walk,
            builder: StateBuilder(seed: Random.word(), keysMax: options.keysMax))
        if let missing = walk.missingAtEnd, !options.recover {
            throw .missing(path: layout.segment(missing))
        }
        for number in walk.numbers { try read(file: number, &pass) }
        takeGaps(&pass, isSecond: isSecond)
        if !pass.damages.isEmpty { throw .damaged(pass.damages) }
        for path in pass.foreign {
            try StartError.catching(try quarantine.move(path))
            notes.append("\(path): not listed in the manifest; set aside in quarantine/")
        }
        for path in try StartError.catching(try layout.unfinished()) {
            try StartError.catching(try disk.remove(path))
        }
        if let (number, scan) = pass.unsealed {
            try StartError.catching(try seal(number, scan, in: &pass))
        }
        return pass
    }

    private mutating func takeGaps(_ pass: inout Pass, isSecond: Bool) {
        guard options.recover else {
            pass.lost = pass.walk.oldGaps.map(\.records)
            return pass.damages += pass.walk.gaps.map(StartError.Damage.init)
        }
        guard isSecond else {
            if !pass.walk.gaps.isEmpty { pass.isSalvaged = true }
            return
        }
        for gap in pass.walk.gaps {
            pass.lost.append(gap.records)
            let (first, last) = (gap.records.lowerBound, gap.records.upperBound)
            notes.append("\(gap.path): records \(first) to \(last), before this file, are lost")
        }
    }

    private mutating func read(file number: Int, _ pass: inout Pass) throws(StartError) {
        let path = layout.segment(number)
        var facts = pass.walk.facts(of: number)
        guard pass.walk.wantsReading(number, facts) else {
            return try act(on: facts, nil, file: number, in: &pass)
        }
        let file = try StartError.catching(try LogFile(reading: path))
        let isIndexedAtOnce = facts.listing == .sealed || facts.listing != .absent && !facts.isLast
        let expected = pass.walk.last + 1
        let scan = try StartError.catching(
            try isIndexedAtOnce
                ? index(file, expected: expected, in: &pass) : self.scan(file, expected))
        pass.walk.add(scan, of: number, to: &facts)
        try act(on: facts, scan, file: number, in: &pass)
        if !isIndexedAtOnce, pass.kept.last?.number == number {
            _ = try StartError.catching(try index(file, expected: expected, in: &pass))
        }
    }

    private func scan(_ file: LogFile, _ expected: UInt64) throws(SystemError) -> Scan {
        var scanner = try SegmentScanner(file, expected: expected)
        return try scanner.run { _, _, _, _ in }
    }

    /// Reads a file and adds its records to the index.
    ///
    /// - Parameter expected: the lowest number that the first record may have.
    func index(
        _ file: LogFile, expected: UInt64, in pass: inout Pass
    ) throws(SystemError) -> Scan {
        guard let (header, salt) = try SegmentScanner.header(file) else {
            return try scan(file, expected)
        }
        let segment = Segment(header: header, salt: salt)
        pass.builder.begin(segment)
        var state = Segment.State(file: file)
        let hasher = pass.builder.hasher
        let scan = try ScanPipe.run(file, expected: expected, hasher: hasher) {
            bytes, base, records in
            let headers = records.headers.span
            for number in headers.indices {
                let line = headers[number].line.range
                state.note(headers[number].sequence, at: base + line.lowerBound)
            }
            pass.builder.recover(records, bytes)
        }
        state.end = scan.size
        state.last = scan.last
        let final = state
        segment.withState { $0 = final }
        pass.report.records += Int(scan.lines)
        pass.report.bytes += scan.size
        return scan
    }
}
