internal import Navigation
internal import POSIX
internal import Sessions

/// Opens a directory: lock, manifest, and a `StartPlan`, which it carries out.
///
/// 1. Lock. Read the manifest, and make a plan by reading the files.
/// 2. If something is damaged, report all damage and change nothing. With `--recover`, salvage what
///    is valid and make another plan, under a new lineage.
/// 3. Seal the file that was not sealed. Build the order of the names and the expiry queue.
/// 4. Remove files that are no longer needed once the new manifest is durable, so that an
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
    /// The files that are kept.
    var kept: [Manifest.Sealed] = []
    /// Files that are no longer needed.
    var leftovers: [String] = []
    /// Empty files that had been made ahead of need.
    var spares: [Int] = []

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
                layout, files, rebuilding: options.recover ? quarantine : nil, now: now)
            notes += read.notes
            var manifest = read.manifest
            var plan = try self.plan(manifest, files)
            let isSalvaged = plan.isSalvage || read.origin == .rebuilt
            try StartError.catching(try carryOut(plan))
            if isSalvaged {
                plan = try planAgain(&manifest)
            } else if options.recover {
                notes.append("--recover: nothing is damaged; remove the option")
            }
            let (nextFile, spare) = try StartError.catching(
                try firstFile(files, manifest, coveredUpTo: plan.walk.coveredUpTo))
            let tables = plan.finish()
            let next = nextManifest(manifest, plan.walk, isSalvaged: isSalvaged)
            return Recovered(
                layout: layout, lock: lock, manifest: next,
                needsManifest: read.origin != .found || isSalvaged
                    || manifest.isSynced && !next.isSynced,
                tables: tables, segments: plan.builder.segments, last: next.after,
                nextFile: nextFile, spare: spare, leftovers: leftovers, isSalvaged: isSalvaged,
                report: plan.report)
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

    private func plan(
        _ manifest: Manifest, _ files: [Int: Layout.File]
    ) throws(StartError) -> StartPlan {
        let plan = try StartPlan(
            manifest, files, in: layout, recovers: options.recover, keysMax: options.keysMax)
        if let refusal = plan.refusal { throw refusal }
        guard plan.faults.isEmpty else { throw .damaged(plan.faults) }
        return plan
    }

    /// Reads the files again after they have been salvaged, like any others.
    private mutating func planAgain(_ manifest: inout Manifest) throws(StartError) -> StartPlan {
        manifest.lineage = Manifest.newLineage(now)
        manifest.sealed = kept.map { Manifest.Sealed(number: $0.number) }
        (manifest.open, manifest.spare) = ([], [])
        let numbers = Set(kept.map(\.number))
        let files = try StartError.catching(try layout.files()).filter { numbers.contains($0.key) }
        let plan = try plan(manifest, files)
        kept = []
        try StartError.catching(try carryOut(plan))
        for gap in plan.walk.gaps {
            manifest.lost.append(gap.records)
            let (first, last) = (gap.records.lowerBound, gap.records.upperBound)
            notes.append("\(gap.path): records \(first) to \(last), before this file, are lost")
        }
        return plan
    }

    /// The manifest for the run that begins.
    private mutating func nextManifest(
        _ old: Manifest, _ walk: StartWalk, isSalvaged: Bool
    ) -> Manifest {
        var next = Manifest(lineage: old.lineage)
        next.isSynced = options.fsync == .always
        (next.sealed, next.lost) = (kept, old.lost)
        next.after = max(walk.last, old.after)
        if isSalvaged {
            next.after = next.after.lastBeforeNextLineage
        } else if !old.isClosed, !old.isSynced {
            // A power failure may have undone changes that were acknowledged in the last run.
            next.after = next.after.lastBeforeNextLineage
            notes.append(
                "the last run did not sync every change and was not shut down: its last "
                    + "changes may be lost; event ids and ETags continue above \(next.after)")
        }
        return next
    }

    /// The number of the first file that is written to, and the file itself if the last run's spare
    /// can be used. Only files in the manifest matter: a foreign file with a high number does not.
    private mutating func firstFile(
        _ files: [Int: Layout.File], _ manifest: Manifest, coveredUpTo covered: Int
    ) throws(SystemError) -> (Int, LogFile?) {
        let highest = max(covered, kept.map(\.number).max() ?? 0)
        let spare = spares.filter { $0 > highest && files[$0]?.isRegular == true }.min()
        leftovers += spares.filter { $0 != spare }.map(layout.segment)
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

/// The result of a start.
struct Recovered {
    var layout: Layout
    var lock: DirectoryLock
    /// All files that were kept, as sealed files, and none that is open.
    var manifest: Manifest
    /// Whether the old manifest does not say what the store promises from now on, so that nothing
    /// may be written before the new one is durable.
    var needsManifest: Bool
    var tables: StateTables
    var segments: SegmentList
    var last: UInt64
    /// The number of the file to begin with.
    var nextFile: Int
    /// That file, if the last run has left a spare: empty, with its room reserved.
    var spare: LogFile?
    /// Files that are no longer needed, to be removed once the manifest says so.
    var leftovers: [String]
    /// Whether something was lost, so that the lineage is a new one.
    var isSalvaged: Bool
    var report: StartReport
}
