import POSIX
import Storage
import Synchronization

// The simulated disk.
//
// The files are real ones, in memory where the machine has such a file system. Beside them stands
// what a power cut would leave for sure: of each file the bytes of its last sync, of each directory
// the names of its last sync, and the operations on names since. Each call of the store comes by
// here first; it may take long, fail, or find the disk full, and other threads run meanwhile.

/// A disk that takes its time, fails, fills up, and forgets what was not synced when it dies.
final class SimulatedDisk: Sendable {
    private let world: World
    private let state: Mutex<DiskState>

    init(in world: World, root: String, isTold: Bool) {
        self.world = world
        state = Mutex(DiskState(root: root, isTold: isTold))
    }

    /// For the store.
    var disk: Disk { Disk { self.answer($0) } }

    /// The directory as it is now.
    var root: String { state.withLock { $0.root } }

    /// Begins a life of the process, with these faults; nil: the disk does not die by itself.
    func live(_ faults: [DiskFault], diesAfter calls: Int?) {
        state.withLock { $0.live(faults, diesAfter: calls) }
    }

    /// From now on the process can do nothing with the disk.
    func die() { state.withLock { $0.isDead = true } }
    var isDead: Bool { state.withLock { $0.isDead } }

    /// Whether a call failed in this life, other than for lack of room.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }
    /// Whether any call failed in this life.
    var hasRefused: Bool { state.withLock { $0.hasRefused } }
    /// When a call last failed, in monotonic nanoseconds: the store may take any failure to make a
    /// file for a lack of room.
    var wasFullAt: Int64 { state.withLock { $0.wasFullAt } }
    /// Ends all faults.
    func heal() { state.withLock { $0.faults = [] } }

    /// Calls of all lives.
    var callCount: Int { state.withLock { $0.callsOfAllLives } }

    /// What was called last, oldest first, for the report of a failure.
    var history: [String] { state.withLock { $0.history } }

    /// Leaves in a new directory what a power cut may leave of the present one.
    func losePower(to root: String) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            try state.losePower(to: root, choices: PowerCut(world))
        }
    }

    private func answer(_ call: Disk.Call) -> Disk.Answer {
        let now = world.monotonicNanoseconds
        let (delay, content) = state.withLock { ($0.delay(of: call, now), $0.contentToSync(call)) }
        if let (delay, isLast) = delay {
            world.sleep(delay + Int64(world.below(200_000)))
            if isLast { die() }
        } else {
            world.pause()
        }
        let part = world.below(1 << 20)
        let end = world.monotonicNanoseconds
        return state.withLock { $0.finish(call, content, end, part: part) }
    }
}

/// Something that is wrong with the disk for a while.
struct DiskFault: Sendable {
    enum Kind: Sendable {
        /// The calls fail.
        case error(Int32)
        /// The calls take longer, in nanoseconds.
        case slow(Int64)
        /// There is no room for anything that is not reserved.
        case full
        /// The power goes after the first such call during which a sync of the log is due.
        case powerLoss
    }

    var kind: Kind
    var isMeant: @Sendable (Disk.Call) -> Bool
    /// It begins with this call of the life, and ends after so many calls or so much time.
    var from: Int
    var callsMax = Int.max
    var nanoseconds = Int64.max
    /// The power goes at the end of the call, which does nothing. With a slow call everything else
    /// has had its time to act on what is not synced.
    var isLast = false
    var description: String

    fileprivate var begun: Int64?
    fileprivate var calls = 0

    init(
        _ description: String, _ kind: Kind, from: Int,
        isMeant: @escaping @Sendable (Disk.Call) -> Bool
    ) {
        self.kind = kind
        self.from = from
        self.isMeant = isMeant
        self.description = description
    }

    fileprivate mutating func takesPart(in call: Disk.Call, number: Int, now: Int64) -> Bool {
        guard number >= from, calls < callsMax, isMeant(call) else { return false }
        if let begun, now - begun > nanoseconds { return false }
        if begun == nil { begun = now }
        calls += 1
        return true
    }
}

private struct DiskState {
    struct File {
        /// Where it can be read now; nil when it has no name any more.
        var path: String?
        /// What a sync has covered.
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

    /// How long the call takes; nil for hardly any time.
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

    /// What a sync that begins now covers.
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
            for place in sector {
                synced[place] = place < files[file].synced.count ? files[file].synced[place] : 0
            }
        }
        files[file].synced = synced
    }

    /// What the process would read.
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
            let place = root + path.dropFirst(self.root.count)
            let copy = try FileDescriptor.open(place, [.writeOnly, .create])
            try copy.writeAll(bytes)
            leftNames[place] = left.count
            left.append(File(path: place, synced: bytes))
        }
        self.root = root
        (files, names, syncedNames, changes) = (left, leftNames, leftNames, [])
    }
}

/// Ranges of 512 bytes, the last one shorter.
struct Sectors: Sequence, IteratorProtocol {
    private var start = 0
    private let count: Int
    static let size = 512

    init(_ count: Int) { self.count = count }

    mutating func next() -> Range<Int>? {
        guard start < count else { return nil }
        defer { start += Self.size }
        return start..<Swift.min(start + Self.size, count)
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
