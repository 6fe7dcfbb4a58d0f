import POSIX
import Storage

/// The files of a simulated disk, now and as a power cut would leave them, and what is wrong with
/// the disk.
struct DiskState {
    struct File {
        /// Where it can be read now, or nil when it has no name any more.
        var path: String?
        /// The bytes that a sync has covered.
        var synced: [UInt8] = []
        /// Bytes whose sync has failed: no later sync makes them durable.
        var spoilt: [UInt8]?
        var isReserved = false
    }

    /// A change of names that no sync of the directory has covered.
    struct NameChange {
        var removes: String?
        var adds: (path: String, file: Int)?

        func touches(_ directory: String) -> Bool {
            [removes, adds?.path].contains { $0.map(DiskState.directory) == directory }
        }

        func apply(to names: inout [String: Int]) {
            if let removes { names[removes] = nil }
            if let adds { names[adds.path] = adds.file }
        }
    }

    var root: String
    var files: [File] = []
    /// Names as the process sees them, and as they are on the disk.
    var names: [String: Int] = [:]
    var syncedNames: [String: Int] = [:]
    var changes: [NameChange] = []
    /// Files by the name that they were made under, which is how the store calls them.
    var opened: [String: Int] = [:]

    /// Segments that were written to since their last sync.
    var unsynced: Set<String> = []

    var faults: [DiskFault] = []
    var calls = 0
    var callsOfAllLives = 0
    var diesAfter: Int?
    var isDead = false
    var hasFailed = false
    var hasRefused = false
    var wasFullAt: Int64 = -1_000_000_000_000
    var history: [String] = []
    let isTold: Bool

    init(root: String, isTold: Bool) {
        self.root = root
        self.isTold = isTold
    }

    mutating func live(_ faults: [DiskFault], diesAfter: Int?) {
        self.faults = faults
        self.diesAfter = diesAfter
        (calls, isDead, hasFailed, hasRefused) = (0, false, false, false)
        opened = [:]
        unsynced = []
    }

    static func directory(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    // MARK: - Calls

    /// How long the call takes, or nil for hardly any time.
    mutating func delay(
        of call: Disk.Call, _ now: Int64
    ) -> (nanoseconds: Int64, isLast: Bool)? {
        guard !isDead else { return nil }
        var (delay, isLast) = (Int64?.none, false)
        switch call {
        case .sync, .syncDirectory, .reserve: delay = 50_000
        case .create, .write, .truncate, .rename, .remove, .link: break
        }
        for index in faults.indices {
            if case .slow(let time) = faults[index].kind,
                faults[index].takesPart(in: call, number: calls + 1, now: now)
            {
                delay = time
                isLast = isLast || faults[index].isLast
            }
        }
        return delay.map { ($0, isLast) }
    }

    /// The bytes that a sync that begins now covers.
    func contentToSync(_ call: Disk.Call) -> [UInt8]? {
        guard case .sync(let path) = call, let file = file(path) else { return nil }
        return content(of: file)
    }

    mutating func finish(
        _ call: Disk.Call, _ content: [UInt8]?, _ now: Int64, part: Int
    ) -> Disk.Answer {
        guard !isDead else {
            wasFullAt = now
            return .fail(SystemError.ioError)
        }
        calls += 1
        callsOfAllLives += 1
        if let diesAfter, calls > diesAfter {
            (isDead, wasFullAt) = (true, now)
            return .fail(SystemError.ioError)
        }
        if let number = failure(of: call, now) {
            note(call, "fails with \(number)", now)
            hasRefused = true
            wasFullAt = now
            if number != SystemError.noSpace { hasFailed = true }
            if case .sync(let path) = call, let file = file(path), number != SystemError.noSpace {
                files[file].spoilt = content
            }
            guard case .write(_, let count) = call, count > 0 else { return .fail(number) }
            return .writePart(part % (count + 1), number)
        }
        note(call, "", now)
        carryOut(call, content)
        if losesPower(with: call, now) { (isDead, wasFullAt) = (true, now) }
        return .proceed
    }

    private mutating func losesPower(with call: Disk.Call, _ now: Int64) -> Bool {
        guard !unsynced.isEmpty else { return false }
        return faults.indices.contains { index in
            if case .powerLoss = faults[index].kind {
                faults[index].takesPart(in: call, number: calls, now: now)
            } else {
                false
            }
        }
    }

    private mutating func failure(of call: Disk.Call, _ now: Int64) -> Int32? {
        for index in faults.indices {
            switch faults[index].kind {
            case .slow, .powerLoss: break
            case .error(let number):
                if faults[index].takesPart(in: call, number: calls, now: now) { return number }
            case .full:
                if needsRoom(call), faults[index].takesPart(in: call, number: calls, now: now) {
                    return SystemError.noSpace
                }
            }
        }
        return nil
    }

    private func needsRoom(_ call: Disk.Call) -> Bool {
        switch call {
        case .create, .reserve: true
        case .write(let path, _): file(path).map { !files[$0].isReserved } ?? true
        case .sync, .truncate, .rename, .remove, .link, .syncDirectory: false
        }
    }

    private mutating func note(_ call: Disk.Call, _ what: String, _ now: Int64) {
        if isTold { history.append("\(now / 1000) µs: \(call) \(what)") }
    }

    private mutating func carryOut(_ call: Disk.Call, _ content: [UInt8]?) {
        switch call {
        case .create(let path): create(path)
        case .write(let path, _): if path.hasSuffix(".jsonl") { unsynced.insert(path) }
        case .sync(let path):
            unsynced.remove(path)
            if let file = file(path), let content { sync(file, content) }
        case .truncate(let path):
            if let file = file(path) { files[file].isReserved = false }
        case .reserve(let path):
            if let file = file(path) { files[file].isReserved = true }
        case .rename(let path, let other): rename(path, to: other)
        case .remove(let path):
            guard let file = names[path] else { return }
            files[file].path = nil
            change(NameChange(removes: path))
        case .link(let path, let other):
            if let file = names[path] { change(NameChange(adds: (other, file))) }
        case .syncDirectory(let path):
            let covered = changes.filter { $0.touches(path) }
            changes.removeAll { $0.touches(path) }
            for change in covered { change.apply(to: &syncedNames) }
        }
    }

    /// The file that the store calls by this path: the one it made under it, or one that an earlier
    /// life has left there.
    private func file(_ path: String) -> Int? { opened[path] ?? names[path] }

    private mutating func create(_ path: String) {
        if let file = names[path] {
            opened[path] = file
        } else {
            files.append(File(path: path))
            opened[path] = files.count - 1
            change(NameChange(adds: (path, files.count - 1)))
        }
    }

    private mutating func rename(_ path: String, to other: String) {
        guard let file = names[path] else { return }
        if let old = names[other], files[old].path == other { files[old].path = nil }
        files[file].path = other
        change(NameChange(removes: path, adds: (other, file)))
    }

    private mutating func change(_ change: NameChange) {
        change.apply(to: &names)
        changes.append(change)
    }

    private mutating func sync(_ file: Int, _ content: [UInt8]) {
        guard let spoilt = files[file].spoilt else { return files[file].synced = content }
        var synced = content
        for sector in Sectors(content.count) {
            let isSpoilt = spoilt.count >= sector.upperBound && spoilt[sector] == content[sector]
            guard isSpoilt else { continue }
            for offset in sector {
                let isKnown = offset < files[file].synced.count
                synced[offset] = isKnown ? files[file].synced[offset] : 0
            }
        }
        files[file].synced = synced
    }

    /// The bytes that the process would read.
    private func content(of file: Int) -> [UInt8] {
        guard let path = files[file].path, let bytes = try? FileDescriptor.wholeFile(path) else {
            return files[file].synced
        }
        return bytes
    }

    // MARK: - Power

    mutating func losePower(to root: String, choices: PowerCut) throws(SystemError) {
        var kept = syncedNames
        for change in choices.some(of: changes) { change.apply(to: &kept) }
        var (left, leftNames) = ([File](), [String: Int]())
        for directory in ["", "/log", "/quarantine"] { try Directory.make(root + directory) }
        for (path, file) in kept.sorted(by: { $0.key < $1.key }) {
            let bytes = choices.torn(synced: files[file].synced, current: content(of: file))
            let copyPath = root + path.dropFirst(self.root.count)
            let copy = try FileDescriptor.open(copyPath, [.writeOnly, .create])
            try copy.writeAll(bytes)
            leftNames[copyPath] = left.count
            left.append(File(path: copyPath, synced: bytes))
        }
        self.root = root
        (files, names, syncedNames, changes) = (left, leftNames, leftNames, [])
    }
}

extension FileDescriptor {
    /// Reads a file without a pause for other threads.
    fileprivate static func wholeFile(_ path: String) throws(SystemError) -> [UInt8] {
        let file = try open(path, .readOnly)
        var bytes = [UInt8](repeating: 0, count: try file.status().size)
        var done = 0
        while done < bytes.count, let count = try file.read(into: &bytes, done..<bytes.count),
            count > 0
        {
            done += count
        }
        return bytes
    }
}
