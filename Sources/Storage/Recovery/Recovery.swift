internal import Navigation
internal import POSIX

/// What a start leads to.
struct Recovered {
    var layout: Layout
    var lock: DirectoryLock
    /// All files that were kept, as sealed.
    var manifest: Manifest
    var contents: Contents
    var last: UInt64
    var nextFile: Int
    /// What counts no longer; to be removed once the manifest says so.
    var leftovers: [String]
    /// Something was lost, and the lineage is another now.
    var isSalvaged: Bool
    var report: StartReport
}

/// Opens a directory: lock, manifest, every file by the table of `StartDecision`, the index.
///
/// 1. Lock. Read the manifest.
/// 2. Go through the files in the order of their numbers. Lines of files that must be whole go
///    into the index at once; the last file is gone through twice, since only at its end is it
///    known how much of it counts.
/// 3. If something is damaged, refuse with all of it and change nothing; or, told to recover,
///    salvage and go through everything anew, under a new lineage.
/// 4. What was not sealed is sealed. The names' order and the expiry queue are built.
/// 5. What counts no longer, and what is unfinished (`*.tmp`), goes when the new manifest stands,
///    so that a start that is broken off leaves what the next one needs.
struct Recovery {
    let options: StoreOptions
    let layout: Layout
    let now: Milliseconds
    let disk: Disk
    var notes: [String] = []

    init(options: StoreOptions, now: Milliseconds) {
        self.options = options
        self.now = now
        layout = Layout(root: options.path)
        disk = options.disk
    }

    func run() throws(StartError) -> Recovered {
        let started = Clock.monotonicMilliseconds
        var copy = self
        var recovered = try copy.recover()
        recovered.report.milliseconds = Int(Clock.monotonicMilliseconds - started)
        recovered.report.sessions = recovered.contents.index.count
        recovered.report.apps = recovered.contents.documents.count
        recovered.report.files = recovered.contents.catalogue.all.count
        recovered.report.notes = copy.notes
        return recovered
    }

    private mutating func recover() throws(StartError) -> Recovered {
        try prepare()
        let lock = try DirectoryLock(layout)
        do {
            let names = try Directory.names(layout.log)
            let unfinished = names.filter { $0.hasSuffix(".tmp") }.map { "\(layout.log)/\($0)" }
            let numbers = names.compactMap(Layout.number)
            var manifest = try readManifest(numbers)
            var pass = try go(through: manifest, numbers)
            let (isSalvaged, leftovers) = (pass.isSalvaged, pass.leftovers)
            if isSalvaged {
                manifest.lineage = try Manifest.newLineage(now)
                manifest.sealed = pass.kept
                manifest.open = []
                pass = try go(through: manifest, pass.kept)
                pass.last = pass.last.lastBeforeNextLineage
            }
            pass.contents.finishRecovery()
            let highest = max(numbers.max() ?? 0, manifest.sealed.max() ?? 0)
            return Recovered(
                layout: layout, lock: lock,
                manifest: Manifest(lineage: manifest.lineage, sealed: pass.kept),
                contents: pass.contents, last: pass.last,
                nextFile: highest + 1, leftovers: unfinished + leftovers, isSalvaged: isSalvaged,
                report: pass.report)
        } catch let error as SystemError {
            throw .system(error)
        } catch let error as StartError {
            throw error
        } catch {
            throw .noManifest(path: layout.manifest)
        }
    }

    private func prepare() throws(StartError) {
        do {
            try Directory.make(layout.root)
            if let status = try Directory.status(layout.root),
                status.owner != Process.userIdentifier
            {
                throw StartError.notOurs(path: layout.root, owner: status.owner)
            }
            try Directory.make(layout.log)
        } catch let error as SystemError {
            throw .system(error)
        } catch let error as StartError {
            throw error
        } catch {
            throw .noManifest(path: layout.root)
        }
    }

    private mutating func readManifest(_ numbers: [Int]) throws -> Manifest {
        guard try Directory.status(layout.manifest) != nil else {
            guard numbers.isEmpty || options.recover else {
                // A store whose very first start did not come to its manifest has no record.
                let sizes = try numbers.map { try Directory.status(layout.segment($0))?.size ?? 0 }
                guard sizes.allSatisfy({ $0 == 0 }) else {
                    throw StartError.noManifest(path: layout.manifest)
                }
                return Manifest(lineage: try Manifest.newLineage(now), open: numbers)
            }
            return Manifest(lineage: try Manifest.newLineage(now), open: numbers)
        }
        do {
            return try Manifest(try FileDescriptor.contents(of: layout.manifest))
        } catch Manifest.Trouble.newerFormat(let format) {
            throw StartError.newerFormat(path: layout.manifest, format: format)
        } catch Manifest.Trouble.damaged {
            guard options.recover else {
                throw StartError.damagedManifest(path: layout.manifest)
            }
            notes.append("\(layout.manifest): was damaged and has been rebuilt")
            try setAside(layout.manifest)
            return Manifest(lineage: try Manifest.newLineage(now), open: numbers)
        }
    }

    // MARK: The files

    struct Pass {
        var contents: Contents
        var kept: [Int] = []
        var last: UInt64 = 0
        var coveredUpTo = 0
        var isSalvaged = false
        var damages: [StartError.Damage] = []
        var leftovers: [String] = []
        var strangers: [String] = []
        var report = StartReport()
        /// Bytes of all files that are there.
        var bytesInAll = 0
    }

    private mutating func go(through manifest: Manifest, _ present: [Int]) throws -> Pass {
        let seed = try Random.word()
        var pass = Pass(contents: Contents(seed: seed, keysMax: options.keysMax))
        let listed = manifest.sealed + manifest.open
        let sizes = try present.map { ($0, try Directory.status(layout.segment($0))?.size ?? 0) }
        pass.bytesInAll = sizes.reduce(0) { $0 + $1.1 }
        let lastWithBytes = sizes.last { listed.contains($0.0) && $0.1 > 0 }?.0
        // Behind the last with bytes nothing can cover a file that is not there.
        let lost = listed.filter { $0 > lastWithBytes ?? 0 && !present.contains($0) }.min()
        if let lost, !options.recover { throw StartError.missing(path: layout.segment(lost)) }
        for number in Set(listed + present).sorted() {
            try take(
                number, manifest: manifest, size: sizes.first { $0.0 == number }?.1,
                isLast: number == lastWithBytes, &pass)
        }
        if !pass.damages.isEmpty { throw StartError.damaged(pass.damages) }
        for path in pass.strangers {
            try setAside(path)
            notes.append("\(path): not listed in the manifest; set aside in quarantine/")
        }
        return pass
    }

    private mutating func take(
        _ number: Int, manifest: Manifest, size: Int?, isLast: Bool, _ pass: inout Pass
    ) throws {
        let path = layout.segment(number)
        var facts = FileFacts(
            listing: manifest.sealed.contains(number)
                ? .sealed : manifest.open.contains(number) ? .open : .absent,
            bytes: size.map { $0 == 0 ? .none : .some } ?? .missing, isLast: isLast,
            holes: .none, seal: .absent)
        facts.isCovered = number <= pass.coveredUpTo
        guard facts.bytes == .some, facts.listing != .absent, !facts.isCovered else {
            return try act(on: facts, nil, path, number, &pass)
        }
        let file = LogFile(descriptor: try .open(path, .readOnly), path: path)
        let isStrict = facts.listing == .sealed || !isLast
        let scan = try isStrict ? index(file, &pass) : survey(file, pass.last)
        facts.isNewer = scan.newerFormat != nil
        facts.seal = scan.sealState
        if let hole = scan.holes.first {
            facts.holes = hole.firstMissing <= scan.durable ? .within : .above
        }
        if let header = scan.header, header.file != number { facts.holes = .within }
        try act(on: facts, scan, path, number, &pass)
        if !isStrict, pass.kept.last == number {
            _ = try index(LogFile(descriptor: try .open(path, .readOnly), path: path), &pass)
        }
    }

    private func survey(_ file: LogFile, _ last: UInt64) throws -> Scan {
        var scanner = try SegmentScanner(file, expected: last + 1)
        return try scanner.run { _, _, _, _ in }
    }

    /// Goes through a file and takes its records into the index.
    private func index(_ file: LogFile, _ pass: inout Pass) throws -> Scan {
        guard let (header, salt) = try SegmentScanner.header(file) else {
            return try survey(file, pass.last)
        }
        let segment = Segment(header: header, salt: salt)
        pass.contents.begin(segment)
        var state = Segment.State(file: file)
        let hasher = pass.contents.index.hasher
        let scan = try ScanPipe.run(file, expected: pass.last + 1, hasher) { bytes, base, records in
            for record in records {
                state.note(record.brief.sequence, at: base + record.brief.line.range.lowerBound)
            }
            pass.contents.recover(records, bytes)
        }
        state.end = scan.size
        state.last = scan.last
        let final = state
        segment.withState { $0 = final }
        pass.last = max(pass.last, scan.last)
        pass.coveredUpTo = max(pass.coveredUpTo, header.covers)
        pass.report.records += Int(scan.lines)
        pass.report.bytes += scan.size
        // As many sessions a byte may come in what is left.
        let share = Double(pass.bytesInAll) / Double(max(1, pass.report.bytes))
        pass.contents.index.reserve(sessions: Int(Double(pass.contents.index.count) * share))
        return scan
    }
}
