internal import POSIX

// What the verdicts do.

extension Recovery {
    mutating func act(
        on facts: FileFacts, _ scan: Scan?, _ number: Int, _ pass: inout Pass
    ) throws {
        let path = layout.segment(number)
        let verdict = Verdict(facts, recover: options.recover)
        if verdict != Verdict(facts, recover: false) { pass.isSalvaged = true }
        switch verdict {
        case .use:
            guard let scan else { return }
            if facts.origin != .own { notes.append("\(path): \(facts.origin.text); it is used") }
            keep(number, scan, &pass)
        case .seal, .cut:
            guard let scan else { return }
            pass.walk.begin(scan, at: path)
            pass.unsealed = (number, scan)
        case .drop: drop(facts, number, &pass)
        case .setAside: pass.strangers.append(path)
        case .salvage: try salvage(path, number, scan, &pass)
        case .refuseNewer:
            throw StartError.newerFormat(path: path, format: Int(scan?.newerFormat ?? 0))
        case .refuseMissing: throw StartError.missing(path: path)
        case .refuseEmptied, .refuseUnlisted, .refuseOther, .refuseDamaged:
            pass.damages += StartError.Damage.all(in: path, verdict, scan)
        }
    }

    private func keep(_ number: Int, _ scan: Scan, _ pass: inout Pass) {
        let identity = Manifest.Identity(last: scan.last, salt: scan.salt)
        pass.kept.append(Manifest.Sealed(number: number, identity: identity))
        pass.walk.keep(scan, at: layout.segment(number))
    }

    private mutating func drop(_ facts: FileFacts, _ number: Int, _ pass: inout Pass) {
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

    /// Ends the file that was written to: its valid beginning gets a seal; what is cut off is kept.
    mutating func seal(_ number: Int, _ scan: Scan, _ pass: inout Pass) throws {
        let path = layout.segment(number)
        let file = LogFile(descriptor: try .open(path, .readOnly), path: path)
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
        do {
            try copy(file, to: end, and: line)
        } catch {
            guard error.isFull else { throw error }
            try disk.remove(path + ".tmp")
            try sealInPlace(path, to: end, and: line)
        }
        let sealed = LogFile(descriptor: try .open(path, .readOnly), path: path)
        keep(number, try index(sealed, expected, &pass), &pass)
    }

    /// Bytes that are copied at a time.
    private static let pieceMax = 4 << 20

    /// Puts a copy in the file's place that ends in its seal.
    private func copy(
        _ file: LogFile, to end: Int, and line: [UInt8]
    ) throws(SystemError) {
        let copy = try disk.createUnfinished(file.path + ".tmp")
        var offset = 0
        while offset < end {
            let bytes = try file.bytes(at: offset, count: min(Self.pieceMax, end - offset))
            try disk.write(copy, bytes, 0..<bytes.count, at: offset)
            offset += bytes.count
        }
        try disk.write(copy, line, 0..<line.count, at: offset)
        try disk.sync(copy)
        try disk.rename(copy.path, to: file.path)
        try disk.syncDirectory(layout.log)
    }

    /// Without room for a copy, each byte is written once more where it is. That makes it durable
    /// as well, and a crash meanwhile changes nothing.
    private func sealInPlace(
        _ path: String, to end: Int, and line: [UInt8]
    ) throws(SystemError) {
        let options: FileDescriptor.Options = [.readWrite, .noFollow]
        let file = LogFile(descriptor: try .open(path, options), path: path)
        try disk.truncate(file, to: end)
        var offset = 0
        while offset < end {
            let bytes = try file.bytes(at: offset, count: min(Self.pieceMax, end - offset))
            try disk.write(file, bytes, 0..<bytes.count, at: offset)
            offset += bytes.count
        }
        try disk.sync(file)
        try disk.write(file, line, 0..<line.count, at: end)
        try disk.sync(file)
    }

    /// Keeps what is cut off, if anything, for people.
    private mutating func keepTail(_ path: String, _ scan: Scan) throws {
        guard let offset = scan.holes.first?.offset else { return }
        let file = LogFile(descriptor: try .open(path, .readOnly), path: path)
        let bytes = try file.bytes(at: offset, count: scan.size - offset)
        try Directory.make(layout.quarantine)
        let kept = try disk.create(try inQuarantine(path, suffix: ".from-\(offset)"))
        try disk.write(kept, bytes, 0..<bytes.count, at: 0)
        try disk.sync(kept)
        try disk.syncDirectory(layout.quarantine)
        notes.append(
            "\(path): an incomplete tail of \(bytes.count) bytes at byte \(offset), of which there "
                + "is no proof that it was acknowledged, was moved to \(kept.path)")
    }

    // MARK: What is set aside

    /// A name in the quarantine that no file has: what was kept there before stays.
    private func inQuarantine(
        _ path: String, suffix: String = ""
    ) throws(SystemError) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? "file"
        let first = "\(layout.quarantine)/\(name).\(now)\(suffix)"
        var (candidate, number) = (first, 1)
        while try Directory.status(candidate) != nil {
            number += 1
            candidate = "\(first).\(number)"
        }
        return candidate
    }

    mutating func setAside(_ path: String) throws {
        try Directory.make(layout.quarantine)
        try disk.rename(path, to: try inQuarantine(path))
        try disk.syncDirectory(layout.quarantine)
        try disk.syncDirectory(layout.root)
    }

    /// Sets the file aside whole and puts one with its valid lines in its place.
    private mutating func salvage(
        _ path: String, _ number: Int, _ scan: Scan?, _ pass: inout Pass
    ) throws {
        guard let scan, scan.first > 0 else {
            try setAside(path)
            notes.append("\(path): no valid record; the file was set aside in quarantine/")
            return
        }
        let old = LogFile(descriptor: try .open(path, .readOnly), path: path)
        var bytes: [UInt8] = []
        let header = SegmentHeader(
            lineage: scan.header?.lineage ?? "", file: number,
            first: scan.header?.first ?? pass.walk.last + 1, at: now,
            covers: max(number, scan.header?.covers ?? 0),
            cleaned: max(1, scan.header?.cleaned ?? 0))
        let salt = header.append(to: &bytes)
        var lines: UInt64 = 1
        var scanner = try SegmentScanner(old, expected: scan.first)
        _ = try scanner.run { buffer, line, header, _ in
            if header.kind == .seal { return }
            Line.copy(buffer, line, to: &bytes, salt: salt)
            lines += 1
        }
        let sealed = scan.seal == nil ? scan.last + 1 : scan.last
        Line.appendSeal(sealed, at: now, lines: lines + 1, to: &bytes, salt: salt)
        let new = try disk.createUnfinished(path + ".tmp")
        try disk.write(new, bytes, 0..<bytes.count, at: 0)
        try disk.sync(new)
        try Directory.make(layout.quarantine)
        try disk.link(path, to: try inQuarantine(path))
        try disk.syncDirectory(layout.quarantine)
        try disk.rename(new.path, to: path)
        try disk.syncDirectory(layout.log)
        pass.kept.append(Manifest.Sealed(number: number))
        var kept = scan
        kept.last = sealed
        pass.walk.keep(kept, at: path)
        notes.append(
            "\(path): \(scan.damageText); the file was set aside in quarantine/, and its "
                + "\(lines - 1) intact records were kept")
    }
}

extension Scan {
    /// Where it is damaged, as far as that can be seen.
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
    /// Said of a file.
    var text: String {
        switch self {
        case .own: "the file that MANIFEST.json lists"
        case .other: "not the file that MANIFEST.json lists under this name"
        case .unlisted: "not listed in MANIFEST.json, although it has records of this store"
        }
    }
}
