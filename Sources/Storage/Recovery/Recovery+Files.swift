internal import POSIX

extension Recovery {
    /// Carries out a plan.
    mutating func carryOut(_ plan: StartPlan) throws(SystemError) {
        for step in plan.steps {
            switch step.verdict {
            case .use:
                if step.facts.origin != .own {
                    notes.append("\(step.path): \(step.facts.origin.text); it is used")
                }
                if let scan = step.scan { keep(step, until: scan.last, scan.salt) }
            case .drop: drop(step)
            case .salvage: try salvage(step)
            case .seal, .cut, .setAside, .refuseNewer, .refuseMissing, .refuseEmptied,
                .refuseUnlisted, .refuseOther, .refuseDamaged:
                break
            }
        }
        for step in plan.steps where step.verdict == .setAside {
            try quarantine.move(step.path)
            notes.append(
                "\(step.path): not listed in the manifest; set aside in quarantine/")
        }
        for path in try layout.unfinished() { try disk.remove(path) }
        for step in plan.steps where step.kept != nil { try seal(step, plan.builder.segments) }
    }

    private mutating func keep(_ step: StartPlan.Step, until last: UInt64, _ salt: Salt) {
        let identity = Manifest.Identity(last: last, salt: salt)
        kept.append(Manifest.Sealed(number: step.number, identity: identity))
    }

    private mutating func drop(_ step: StartPlan.Step) {
        let facts = step.facts
        if facts.listing == .spare, facts.bytes == .none, !facts.isCovered {
            return spares.append(step.number)
        }
        if facts.bytes != .missing { leftovers.append(step.path) }
        guard !facts.isCovered, facts.listing != .absent else { return }
        let what = facts.bytes == .missing ? "missing" : "empty, but it had records"
        notes.append("\(step.path): \(what); its records are lost")
    }

    // MARK: The last file

    /// Ends the file that was written to last: its valid beginning gets a seal, and the rest is
    /// copied to the quarantine.
    private mutating func seal(
        _ step: StartPlan.Step, _ segments: SegmentList
    ) throws(SystemError) {
        guard let scan = step.scan, let kept = step.kept else { return }
        try keepTail(step.path, scan)
        guard kept.first > 0 else { return leftovers.append(step.path) }
        let (number, end) = (kept.last + 1, kept.size)
        var line: [UInt8] = []
        Line.appendSeal(number, at: now, lines: kept.lines + 1, to: &line, salt: kept.salt)
        let file = try LogFile(reading: step.path)
        try SegmentSealer(layout: layout, disk: disk).end(file, at: end, with: line)
        let sealed = try LogFile(reading: step.path)
        let bytes = end + line.count
        segments.all.last { $0.number == step.number }?.withState { state in
            state.note(number, at: end)
            (state.file, state.end, state.last) = (sealed, bytes, number)
        }
        keep(step, until: number, kept.salt)
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
    private mutating func salvage(_ step: StartPlan.Step) throws(SystemError) {
        let path = step.path
        guard let scan = step.scan, scan.first > 0 else {
            try quarantine.move(path)
            notes.append("\(path): no valid record; the file was set aside in quarantine/")
            return
        }
        let new = try disk.createUnfinished(path + ".tmp")
        let records = try copyValidLines(of: step, scan, to: new)
        try disk.sync(new)
        try quarantine.link(path)
        try disk.rename(new.path, to: path)
        try disk.syncDirectory(layout.log)
        kept.append(Manifest.Sealed(number: step.number))
        notes.append(
            "\(path): \(scan.damageText); the file was set aside in quarantine/, and its "
                + "\(records) intact records were kept")
    }

    /// Writes the valid lines of a damaged file, and a seal.
    ///
    /// - Returns: the number of its records.
    private func copyValidLines(
        of step: StartPlan.Step, _ scan: Scan, to new: LogFile
    ) throws(SystemError) -> UInt64 {
        let header = SegmentHeader(
            lineage: scan.header?.lineage ?? "", file: step.number,
            first: scan.header?.first ?? step.expected, at: now,
            covers: max(step.number, scan.header?.covers ?? 0),
            cleaned: max(1, scan.header?.cleaned ?? 0))
        var file = SegmentFile(header, in: new, disk: disk)
        var scanner = try SegmentScanner(LogFile(reading: step.path), expected: scan.first)
        _ = try scanner.run { buffer, line, record, _ in
            if record.kind == .seal { return }
            file.append(buffer, line, number: record.sequence, hasOtherSalt: true)
        }
        let records = file.lines - 1
        file.appendSeal(scan.seal == nil ? scan.last + 1 : scan.last, at: now)
        try file.flush()
        return records
    }
}

extension Scan {
    /// The places of the damage, or what is wrong with the seal.
    var damageText: String {
        let places = holes.map { "at byte \($0.offset)" }.joined(separator: ", ")
        guard !places.isEmpty else { return sealText }
        return "damaged \(places)"
    }

    /// The fault of the seal.
    private var sealText: String {
        guard let seal else { return "the seal is missing" }
        guard seal.lines > lines else { return "there are lines after the seal" }
        return "\(seal.lines - lines) lines fewer than the seal counts; their place is unknown"
    }
}

extension FileFacts.Origin {
    /// The words of messages about such a file.
    var text: String {
        switch self {
        case .own: "the file that MANIFEST.json lists"
        case .other: "not the file that MANIFEST.json lists under this name"
        case .unlisted: "not listed in MANIFEST.json, although it has records of this store"
        }
    }
}
