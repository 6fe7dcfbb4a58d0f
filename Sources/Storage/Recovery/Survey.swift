package import Navigation
internal import POSIX

/// A look at a store that changes nothing: what `navstate check` and `navstate dump` do.
///
/// It takes no lock, so that it can be used beside a running server; what the server writes
/// meanwhile then looks like a torn tail.
package struct Survey {
    private let layout: Layout
    private var contents: Contents
    /// What a start would refuse.
    package private(set) var damages: [String] = []
    /// What a start would do besides.
    package private(set) var notes: [String] = []
    package private(set) var report = StartReport()
    package private(set) var lineage = ""

    /// Reads everything and checks every line.
    package init(of path: String) throws(StartError) {
        layout = Layout(root: path)
        do {
            contents = Contents(seed: try Random.word(), keysMax: 0)
            try read()
        } catch let error as SystemError {
            throw .system(error)
        } catch let error as StartError {
            throw error
        } catch Manifest.Trouble.damaged {
            throw .damagedManifest(path: layout.manifest)
        } catch Manifest.Trouble.newerFormat(let format) {
            throw .newerFormat(path: layout.manifest, format: format)
        } catch {
            throw .noManifest(path: layout.manifest)
        }
    }

    private mutating func read() throws {
        guard try Directory.status(layout.manifest) != nil else {
            throw StartError.noStore(path: layout.root)
        }
        let manifest = try Manifest(try FileDescriptor.contents(of: layout.manifest))
        lineage = manifest.lineage
        let present = try Directory.names(layout.log).compactMap(Layout.number)
        let listed = manifest.sealed + manifest.open
        let sizes = try present.map { ($0, try Directory.status(layout.segment($0))?.size ?? 0) }
        let lastWithBytes = sizes.last { listed.contains($0.0) && $0.1 > 0 }?.0
        var (last, covered) = (UInt64(0), 0)
        for number in Set(listed + present).sorted() {
            var facts = FileFacts(
                listing: manifest.sealed.contains(number)
                    ? .sealed : manifest.open.contains(number) ? .open : .absent,
                bytes: sizes.first { $0.0 == number }.map { $0.1 == 0 ? .none : .some } ?? .missing,
                isLast: number == lastWithBytes, holes: .none, seal: .absent)
            facts.isCovered = number <= covered
            var scan: Scan?
            if facts.bytes == .some, facts.listing != .absent, !facts.isCovered {
                scan = try self.scan(number, &facts, &last)
                covered = max(covered, scan?.header?.covers ?? 0)
            }
            note(Verdict(facts, recover: false), number, scan)
        }
        contents.finishRecovery()
        report.sessions = contents.index.count
        report.apps = contents.documents.count
    }

    private mutating func scan(
        _ number: Int, _ facts: inout FileFacts, _ last: inout UInt64
    ) throws -> Scan {
        let path = layout.segment(number)
        let file = LogFile(descriptor: try .open(path, .readOnly), path: path)
        var first = try SegmentScanner(file, expected: last + 1)
        let scan = try first.run { _, _, _, _ in }
        facts.isNewer = scan.newerFormat != nil
        facts.seal = scan.sealState
        if let hole = scan.holes.first {
            facts.holes = hole.firstMissing <= scan.durable ? .within : .above
        }
        if let header = scan.header, header.file != number { facts.holes = .within }
        report.files += 1
        report.bytes += scan.size
        report.records += Int(scan.lines)
        guard let header = scan.header else { return scan }
        let end = facts.holes == .above ? scan.holes.first?.offset : nil
        let segment = Segment(header: header, salt: scan.salt)
        contents.begin(segment)
        var (state, known) = (Segment.State(file: file), contents)
        var second = try SegmentScanner(file, expected: last + 1, end: end)
        let counted = try second.run { bytes, _, brief, offset in
            state.note(brief.sequence, at: offset)
            let hash = known.index.hash(bytes, brief.id.range)
            known.recover(brief, bytes, hash: hash)
        }
        contents = known
        (state.end, state.last) = (counted.size, counted.last)
        last = max(last, counted.last)
        let final = state
        segment.withState { $0 = final }
        return scan
    }

    private mutating func note(_ verdict: Verdict, _ number: Int, _ scan: Scan?) {
        let path = layout.segment(number)
        let place = scan?.holes.first.map { " at byte \($0.offset)" } ?? ""
        switch verdict {
        case .use, .drop: break
        case .seal: notes.append("\(path): open; a server is running or was killed")
        case .cut: notes.append("\(path): incomplete tail\(place), which was never acknowledged")
        case .setAside: notes.append("\(path): not listed in the manifest")
        case .refuseNewer: damages.append("\(path): newer format")
        case .refuseMissing: damages.append("\(path): missing")
        case .refuseDamaged, .salvage: damages.append("\(path): damaged\(place)")
        }
    }

    /// Calls the closure with each live session's newest state, a line of JSON without its
    /// newline, in the order of the names.
    package func dump(now: Milliseconds, _ print: ([UInt8]) -> Void) throws(StartError) {
        var failed: StartError?
        contents.index.walk(from: [], exclusive: false) { handle in
            let entry = contents.index[handle]
            guard entry.expiresAt > now else { return true }
            do throws(SystemError) {
                if let line = try contents.catalogue.line(with: entry.sequence),
                    let envelope = Envelope(line, 0..<line.count)
                {
                    print(Array(line[envelope.state]))
                }
                return true
            } catch {
                failed = .system(error)
                return false
            }
        }
        if let failed { throw failed }
    }
}
