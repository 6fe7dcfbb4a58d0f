internal import POSIX

// What the verdicts do.

extension Recovery {
    mutating func act(
        on facts: FileFacts, _ scan: Scan?, _ path: String, _ number: Int, _ pass: inout Pass
    ) throws {
        switch Verdict(facts, recover: options.recover) {
        case .use: pass.kept.append(number)
        case .seal, .cut:
            if let scan, pass.damages.isEmpty { try seal(path, number, scan, &pass) }
        case .drop:
            if facts.bytes != .missing { pass.leftovers.append(path) }
            let isLost = facts.listing == .sealed || facts.bytes == .missing
            if isLost && !facts.isCovered {
                notes.append("\(path): missing; its records are lost")
                pass.isSalvaged = true
            }
        case .setAside: pass.strangers.append(path)
        case .salvage: try salvage(path, number, scan, &pass)
        case .refuseNewer:
            throw StartError.newerFormat(path: path, format: Int(scan?.newerFormat ?? 0))
        case .refuseMissing: throw StartError.missing(path: path)
        case .refuseDamaged: pass.damages.append(contentsOf: damages(path, scan))
        }
    }

    private func damages(_ path: String, _ scan: Scan?) -> [StartError.Damage] {
        guard let scan, !scan.holes.isEmpty else {
            return [StartError.Damage(path: path, offset: scan?.size, sequences: nil)]
        }
        return scan.holes.map { hole in
            let end = hole.nextValid.map { $0 - 1 } ?? hole.firstMissing
            return StartError.Damage(
                path: path, offset: hole.offset,
                sequences: hole.firstMissing...max(hole.firstMissing, end))
        }
    }

    /// Copies the valid beginning into a sealed file in its place; what is cut off is kept.
    private mutating func seal(
        _ path: String, _ number: Int, _ scan: Scan, _ pass: inout Pass
    ) throws {
        let file = LogFile(descriptor: try .open(path, .readOnly), path: path)
        let end = scan.holes.first?.offset ?? scan.size
        var scanner = try SegmentScanner(file, expected: pass.last + 1, end: end)
        let whole = try scanner.run { _, _, _, _ in }
        try keepTail(path, scan)
        guard whole.first > 0 else { return pass.leftovers.append(path) }
        let copy = try disk.createUnfinished(path + ".tmp")
        var offset = 0
        while offset < end {
            let bytes = try file.descriptor.bytes(at: offset, count: min(4 << 20, end - offset))
            try disk.write(copy, bytes, 0..<bytes.count, at: offset)
            offset += bytes.count
        }
        var line: [UInt8] = []
        Line.appendSeal(
            whole.last + 1, at: now, lines: whole.lines + 1, to: &line, salt: whole.salt)
        try disk.write(copy, line, 0..<line.count, at: offset)
        try disk.sync(copy)
        try disk.rename(copy.path, to: path)
        try disk.syncDirectory(layout.log)
        pass.kept.append(number)
    }

    /// Keeps what is cut off, if anything, for people.
    private mutating func keepTail(_ path: String, _ scan: Scan) throws {
        guard let offset = scan.holes.first?.offset else { return }
        let file = try FileDescriptor.open(path, .readOnly)
        let bytes = try file.bytes(at: offset, count: scan.size - offset)
        try Directory.make(layout.quarantine)
        let kept = try disk.create(try inQuarantine(path, suffix: ".from-\(offset)"))
        try disk.write(kept, bytes, 0..<bytes.count, at: 0)
        try disk.sync(kept)
        try disk.syncDirectory(layout.quarantine)
        notes.append(
            "\(path): an incomplete tail of \(bytes.count) bytes at byte \(offset), which was "
                + "never acknowledged, was moved to \(kept.path)")
    }

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
        pass.isSalvaged = true
        guard let scan, scan.first > 0 else {
            try setAside(path)
            notes.append("\(path): no valid record; the file was set aside in quarantine/")
            return
        }
        let old = LogFile(descriptor: try .open(path, .readOnly), path: path)
        var bytes: [UInt8] = []
        let header = SegmentHeader(
            lineage: scan.header?.lineage ?? "", file: number, first: scan.first, at: now,
            covers: max(number, scan.header?.covers ?? 0),
            cleaned: max(1, scan.header?.cleaned ?? 0))
        let salt = header.append(to: &bytes)
        var lines: UInt64 = 1
        var scanner = try SegmentScanner(old, expected: scan.first)
        _ = try scanner.run { buffer, line, brief, _ in
            if brief.kind == .seal { return }
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
        pass.kept.append(number)
        notes.append(
            "\(path): \(scan.holes.count) damaged places; the file was set aside in quarantine/, "
                + "and its \(lines - 1) intact records were kept")
    }
}
