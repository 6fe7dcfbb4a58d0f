package import Navigation
internal import POSIX

/// Examines a store without changing it, for `navstate check` and `navstate dump`.
///
/// It decides by the same table as a start. It takes no lock, so it can be used while a server is
/// running; what the server writes in the meantime then looks like a torn tail.
package struct Survey {
    private let layout: Layout
    private var builder: StateBuilder
    private var tables: StateTables
    /// What a start would refuse.
    package private(set) var damages: [String] = []
    /// What else a start would do.
    package private(set) var notes: [String] = []
    /// Counts of what has been read.
    package private(set) var report = StartReport()
    /// The lineage that the manifest has.
    package private(set) var lineage = ""

    /// Reads everything and checks every line.
    package init(of path: String) throws(StartError) {
        let layout = Layout(root: path)
        // A running server may replace files while they are read. What looks wrong then is examined
        // again, unless the manifest has stayed the same.
        var tries = 0
        while true {
            tries += 1
            let before = try? FileDescriptor.contents(of: layout.manifest)
            let result = Result { () throws(StartError) in try Survey(layout) }
            let after = try? FileDescriptor.contents(of: layout.manifest)
            let isWell = (try? result.get())?.damages.isEmpty == true
            if isWell || before == after || tries == Self.triesMax {
                self = try result.get()
                return
            }
        }
    }

    private static let triesMax = 10

    private init(_ layout: Layout) throws(StartError) {
        self.layout = layout
        builder = StateBuilder(seed: Random.word(), keysMax: 0)
        tables = StateTables(seed: 0, keysMax: 0)
        try read()
    }

    private mutating func read() throws(StartError) {
        let manifest = try readManifest()
        lineage = manifest.lineage
        let files = try StartError.catching(try layout.files())
        var walk = StartWalk(manifest, files: files, layout: layout)
        if let missing = walk.missingAtEnd {
            damages.append(StartError.missing(path: layout.segment(missing)).description)
        }
        for number in walk.numbers {
            var facts = walk.facts(of: number)
            var scan: Scan?
            if walk.wantsReading(number, facts) {
                scan = try StartError.catching(
                    try self.scan(number, facts: &facts, walk: &walk))
            }
            note(Verdict(facts, recover: false), of: number, scan)
        }
        damages += walk.gaps.map { StartError.Damage($0).description }
        notes += walk.oldGaps.map { gap in
            let (first, last) = (gap.records.lowerBound, gap.records.upperBound)
            return "\(gap.path): records \(first) to \(last), before this file, were lost earlier"
        }
        tables = builder.finish()
        report.sessions = tables.index.count
        report.apps = tables.documents.count
    }

    /// Refuses what a start refuses before it looks at a file.
    private func readManifest() throws(StartError) -> Manifest {
        let isRestoring = try StartError.catching(try Directory.status(layout.restoring)) != nil
        guard try StartError.catching(try Directory.status(layout.manifest)) != nil else {
            if isRestoring { throw .unfinishedRestore(path: layout.root) }
            guard try StartError.catching(try Directory.status(layout.log)) != nil,
                try StartError.catching(try layout.files()).values.contains(where: { $0.size > 0 })
            else { throw .noStore(path: layout.root) }
            throw .noManifest(path: layout.manifest)
        }
        let bytes = try StartError.catching(try FileDescriptor.contents(of: layout.manifest))
        do throws(Manifest.ReadError) {
            return try Manifest(bytes)
        } catch {
            throw StartError(error, layout, isRestoring: isRestoring)
        }
    }

    private mutating func scan(
        _ number: Int, facts: inout FileFacts, walk: inout StartWalk
    ) throws(SystemError) -> Scan {
        let path = layout.segment(number)
        let file = try LogFile(reading: path)
        var first = try SegmentScanner(file, expected: walk.last + 1)
        let scan = try first.run { _, _, _, _ in }
        walk.add(scan, of: number, to: &facts)
        guard facts.listing != .absent else { return scan }
        report.files += 1
        report.bytes += scan.size
        report.records += Int(scan.lines)
        guard let header = scan.header else { return scan }
        let end = facts.holes == .above ? scan.holes.first?.offset : nil
        let segment = Segment(header: header, salt: scan.salt)
        builder.begin(segment)
        var (state, known) = (Segment.State(file: file), builder)
        var second = try SegmentScanner(file, expected: walk.last + 1, end: end)
        let counted = try second.run { bytes, _, header, offset in
            state.note(header.sequence, at: offset)
            let hash = known.hasher.hash(bytes, header.id.range)
            known.recover(header, bytes, hash: hash)
        }
        builder = known
        (state.end, state.last) = (counted.size, counted.last)
        // The numbers behind a hole count: they are not missing before the next file.
        walk.keep(scan, at: path)
        let final = state
        segment.withState { $0 = final }
        return scan
    }

    private mutating func note(_ verdict: Verdict, of number: Int, _ scan: Scan?) {
        let path = layout.segment(number)
        switch verdict {
        case .use, .drop: break
        case .seal: notes.append("\(path): open; a server is running or was killed")
        case .cut:
            let place = scan?.holes.first.map { " at byte \($0.offset)" } ?? ""
            notes.append(
                "\(path): incomplete tail\(place); there is no proof that it was acknowledged")
        case .setAside: notes.append("\(path): not listed in the manifest")
        case .refuseNewer: damages.append("\(path): newer format")
        case .refuseMissing: damages.append(StartError.missing(path: path).description)
        case .refuseEmptied, .refuseUnlisted, .refuseOther, .refuseDamaged, .salvage:
            damages += StartError.Damage.all(in: path, verdict, scan).map(\.description)
        }
    }

    /// Calls `print` with the newest state of each live session, a line of JSON without its
    /// newline, in the order of the names. Where a state cannot be read, `complain` is called
    /// with the reason instead.
    package func dump(
        now: Milliseconds, _ print: ([UInt8]) -> Void, complain: (String) -> Void
    ) {
        tables.index.walk(from: [], exclusive: false) { handle in
            let entry = tables.index[handle]
            guard entry.expiresAt > now else { return true }
            let name = "session \(tables.index.id(handle)), record \(entry.sequence)"
            do throws(SystemError) {
                if let state = try state(entry.sequence) {
                    print(state)
                } else {
                    complain("\(name): missing")
                }
            } catch {
                complain("\(name): \(error)")
            }
            return true
        }
    }

    private func state(_ sequence: UInt64) throws(SystemError) -> [UInt8]? {
        guard let line = try builder.segments.line(with: sequence),
            let header = RecordHeader(line, 0..<line.count)
        else { return nil }
        return Array(line[header.body.state.range])
    }
}
