internal import POSIX

extension Recovery {
    /// Carries out the verdict of the decision table on a file.
    ///
    /// - Parameter scan: the result of reading the file, or nil if it was not read.
    mutating func act(
        on facts: FileFacts, _ scan: Scan?, file number: Int, in pass: inout Pass
    ) throws(StartError) {
        let path = layout.segment(number)
        let verdict = Verdict(facts, recover: options.recover)
        if verdict != Verdict(facts, recover: false) { pass.isSalvaged = true }
        switch verdict {
        case .use:
            guard let scan else { return }
            if facts.origin != .own { notes.append("\(path): \(facts.origin.text); it is used") }
            keep(number, scan, in: &pass)
        case .seal, .cut:
            guard let scan else { return }
            pass.walk.begin(scan, at: path)
            pass.unsealed = (number, scan)
        case .drop: drop(facts, file: number, in: &pass)
        case .setAside: pass.foreign.append(path)
        case .salvage: try StartError.catching(try salvage(path, file: number, scan, in: &pass))
        case .refuseNewer:
            throw .newerFormat(path: path, format: Int(scan?.newerFormat ?? 0))
        case .refuseMissing: throw .missing(path: path)
        case .refuseEmptied, .refuseUnlisted, .refuseOther, .refuseDamaged:
            pass.damages += StartError.Damage.all(in: path, verdict, scan)
            // Its numbers count, so that they are not missing before the next file as well.
            if let scan, scan.header != nil, facts.listing != .absent {
                pass.walk.keep(scan, at: path)
            }
        }
    }

    private func keep(_ number: Int, _ scan: Scan, in pass: inout Pass) {
        let identity = Manifest.Identity(last: scan.last, salt: scan.salt)
        pass.kept.append(Manifest.Sealed(number: number, identity: identity))
        pass.walk.keep(scan, at: layout.segment(number))
    }

    private mutating func drop(_ facts: FileFacts, file number: Int, in pass: inout Pass) {
        let path = layout.segment(number)
        if facts.listing == .spare, facts.bytes == .none, !facts.isCovered {
            return pass.spares.append(number)
        }
        if facts.bytes != .missing { pass.leftovers.append(path) }
        guard !facts.isCovered, facts.listing != .absent else { return }
        let what = facts.bytes == .missing ? "missing" : "empty, but it had records"
        notes.append("\(path): \(what); its records are lost")
    }

    // MARK: The last file

    /// Ends the file that was written to last: its valid beginning gets a seal, and the rest is
    /// copied to the quarantine.
    mutating func seal(_ number: Int, _ scan: Scan, in pass: inout Pass) throws(SystemError) {
        let path = layout.segment(number)
        let file = try LogFile(reading: path)
        let end = scan.holes.first?.offset ?? scan.size
        let expected = pass.walk.last + 1
        var scanner = try SegmentScanner(file, expected: expected, end: end)
        let whole = try scanner.run { _, _, _, _ in }
        try keepTail(path, scan)
        guard whole.first > 0 else {
            pass.walk.keep(whole, at: path)
            return pass.leftovers.append(path)
        }
        var line: [UInt8] = []
        Line.appendSeal(
            whole.last + 1, at: now, lines: whole.lines + 1, to: &line, salt: whole.salt)
        try SegmentSealer(layout: layout, disk: disk).end(file, at: end, with: line)
        let sealed = try LogFile(reading: path)
        keep(number, try index(sealed, expected: expected, in: &pass), in: &pass)
    }

    /// Copies what is cut off, if anything.
    private mutating func keepTail(_ path: String, _ scan: Scan) throws(SystemError) {
        guard let offset = scan.holes.first?.offset else { return }
        let kept = try quarantine.copyTail(of: path, from: offset, to: scan.size)
        notes.append(
            "\(path): an incomplete tail of \(kept.count) bytes at byte \(offset), of which there "
                + "is no proof that it was acknowledged, was moved to \(kept.path)")
    }

    // MARK: Salvage

    /// Moves the file to the quarantine and replaces it with one that has its valid lines.
    private mutating func salvage(
        _ path: String, file number: Int, _ scan: Scan?, in pass: inout Pass
    ) throws(SystemError) {
        guard let scan, scan.first > 0 else {
            try quarantine.move(path)
            notes.append("\(path): no valid record; the file was set aside in quarantine/")
            return
        }
        let sealed = scan.seal == nil ? scan.last + 1 : scan.last
        let (bytes, records) = try validLines(
            of: path, file: number, scan, seal: sealed, after: pass.walk.last)
        let new = try disk.createUnfinished(path + ".tmp")
        try disk.write(bytes, 0..<bytes.count, to: new, at: 0)
        try disk.sync(new)
        try quarantine.link(path)
        try disk.rename(new.path, to: path)
        try disk.syncDirectory(layout.log)
        pass.kept.append(Manifest.Sealed(number: number))
        var kept = scan
        kept.last = sealed
        pass.walk.keep(kept, at: path)
        notes.append(
            "\(path): \(scan.damageText); the file was set aside in quarantine/, and its "
                + "\(records) intact records were kept")
    }

    /// The bytes of a file that has only the valid lines of a damaged one, and the number of their
    /// records.
    ///
    /// - Parameters:
    ///   - seal: the number of its seal.
    ///   - last: the last number of the previous file.
    private func validLines(
        of path: String, file number: Int, _ scan: Scan, seal: UInt64, after last: UInt64
    ) throws(SystemError) -> (bytes: [UInt8], records: UInt64) {
        var bytes: [UInt8] = []
        let header = SegmentHeader(
            lineage: scan.header?.lineage ?? "", file: number,
            first: scan.header?.first ?? last + 1, at: now,
            covers: max(number, scan.header?.covers ?? 0),
            cleaned: max(1, scan.header?.cleaned ?? 0))
        let salt = header.append(to: &bytes)
        var records: UInt64 = 0
        let old = try LogFile(reading: path)
        var scanner = try SegmentScanner(old, expected: scan.first)
        _ = try scanner.run { buffer, line, record, _ in
            if record.kind == .seal { return }
            Line.copy(buffer, line, to: &bytes, salt: salt)
            records += 1
        }
        Line.appendSeal(seal, at: now, lines: records + 2, to: &bytes, salt: salt)
        return (bytes, records)
    }
}

extension Scan {
    /// Where it is damaged, as far as that is known.
    var damageText: String {
        let places = holes.map { "at byte \($0.offset)" }.joined(separator: ", ")
        guard !places.isEmpty else { return sealText }
        return "damaged \(places)"
    }

    /// What is wrong with the seal.
    private var sealText: String {
        guard let seal else { return "the seal is missing" }
        guard seal.lines > lines else { return "there are lines after the seal" }
        return "\(seal.lines - lines) lines fewer than the seal counts; their place is unknown"
    }
}

extension FileFacts.Origin {
    /// What messages say about such a file.
    var text: String {
        switch self {
        case .own: "the file that MANIFEST.json lists"
        case .other: "not the file that MANIFEST.json lists under this name"
        case .unlisted: "not listed in MANIFEST.json, although it has records of this store"
        }
    }
}
