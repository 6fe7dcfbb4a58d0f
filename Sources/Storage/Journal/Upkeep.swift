internal import Navigation
internal import POSIX

/// The thread that keeps the directory in order: spare files ahead of need, sealed files, the
/// manifest. The journal may wait for it, so it never waits for the journal.
final class Upkeep: Sendable {
    /// A job names no number: which file comes next is asked when the job is done, since the
    /// journal may have turned to another file since the job was given.
    private enum Job: Sendable {
        /// The file has its seal and is synced; the journal has turned to the spare.
        case finish(Segment)
        /// The disk was full: see whether there is room again.
        case makeRoom
    }

    /// How the active file is at the end.
    enum End: Sendable {
        case sealed(Segment)
        /// There is no record in it.
        case unused
        /// The next start has to look.
        case asItIs
    }

    private struct State: Sendable {
        var jobs: [Job] = []
        /// A `makeRoom` waits or is under way.
        var isMakingRoom = false
        /// A file for the spare that could not be finished; the next try takes it.
        var unfinished: (number: Int, file: LogFile)?
        var isStopping = false
        var end = End.asItIs
        /// It knows this thread as well; the store holds both.
        weak var journal: Journal?
    }

    private let state = Lock(State())
    /// Held while it is written, so that one change comes after another.
    private let manifest: Lock<Manifest>
    private let wakeUp: WakeUp
    private let options: StoreOptions
    private let layout: Layout
    private var disk: Disk { options.disk }

    init(options: StoreOptions, layout: Layout, manifest: Manifest, wakeUp: WakeUp) {
        self.options = options
        self.layout = layout
        self.wakeUp = wakeUp
        self.manifest = Lock(manifest)
    }

    /// Reserves the first file, makes the first spare and writes the first manifest, before any
    /// record is taken.
    func begin(with file: LogFile, _ journal: Journal) throws(SystemError) {
        let number = journal.state.withLock { $0.active.number }
        manifest.withLock { $0.open = [number] }
        state.withLock { $0.journal = journal }
        try disk.reserve(file, count: options.segmentBytes)
        try makeSpare(for: journal)
    }

    /// Takes in hand a file that the journal has left, sealed and synced.
    func finish(_ segment: Segment) {
        state.withLock { $0.jobs.append(.finish(segment)) }
        state.notify()
    }

    /// Looks whether there is room on the disk again, unless that is under way already.
    func makeRoom() {
        state.withLock { state in
            guard !state.isMakingRoom else { return }
            state.isMakingRoom = true
            state.jobs.append(.makeRoom)
        }
        state.notify()
    }

    /// Ends the thread after the jobs that wait.
    func stop(leaving end: End) {
        state.withLock { state in
            state.end = end
            state.isStopping = true
        }
        state.notify()
    }

    func run() {
        while let job = nextJob() {
            switch job {
            case .finish(let segment): close(segment)
            case .makeRoom:
                lookForRoom()
                state.withLock { $0.isMakingRoom = false }
            }
        }
        leave()
    }

    private func nextJob() -> Job? {
        state.wait { state -> Job?? in
            if !state.jobs.isEmpty { return .some(state.jobs.removeFirst()) }
            return state.isStopping ? .some(nil) : nil
        }
    }

    private var journal: Journal? { state.withLock { $0.journal } }

    /// Cuts a sealed file to its lines and makes the next spare.
    private func close(_ segment: Segment) {
        if let file = segment.file { try? disk.truncate(file, to: segment.end) }
        manifest.withLock { manifest in
            manifest.open.removeAll { $0 == segment.number }
            manifest.sealed.append(segment.number)
        }
        guard let journal else { return }
        let error: SystemError?
        do {
            try makeSpare(for: journal)
            error = nil
        } catch let failed {
            error = failed
        }
        let hasNoRoom = error != nil
        journal.state.withLock { $0.hasNoRoom = hasNoRoom }
        journal.state.notify()
        wakeUp.signal()
    }

    /// Makes the file after the one that the journal writes to, reserves its room, and enters it
    /// into the manifest; all durable. Does nothing if it is there.
    private func makeSpare(for journal: Journal) throws(SystemError) {
        guard let number = journal.state.withLock({ $0.missingSpare }) else { return }
        let file = try unfinished(number)
        do {
            try disk.reserve(file, count: options.segmentBytes)
            try disk.sync(file)
            try disk.syncDirectory(layout.log)
        } catch {
            // Part of the room may have been reserved, and deletions can use it meanwhile.
            try? disk.truncate(file, to: 0)
            throw error
        }
        try writeManifest { $0.open = $0.open.filter { $0 < number } + [number] }
        state.withLock { $0.unfinished = nil }
        journal.state.withLock { $0.spare = (number, file) }
    }

    /// The empty file of that number: a new one, or what is left of the last try.
    private func unfinished(_ number: Int) throws(SystemError) -> LogFile {
        if let made = state.withLock({ $0.unfinished }), made.number == number { return made.file }
        let file = try disk.create(layout.segment(number))
        state.withLock { $0.unfinished = (number, file) }
        return file
    }

    func writeManifest(_ change: (inout Manifest) -> Void) throws(SystemError) {
        try manifest.withLock { manifest throws(SystemError) in
            var changed = manifest
            change(&changed)
            try changed.write(layout, disk)
            manifest = changed
        }
    }

    /// After the disk was full: a spare, and the active file's reservation.
    private func lookForRoom() {
        guard let journal else { return }
        let (active, isSealed) = journal.state.withLock { ($0.active, $0.isSealed) }
        do {
            // Nothing more is written to a file that has its seal: only the next one is missing.
            if !isSealed, let file = active.file {
                try disk.reserve(file, count: max(options.segmentBytes, active.end))
            }
            try makeSpare(for: journal)
            journal.state.withLock { $0.hasNoRoom = false }
        } catch {
            journal.state.withLock { $0.hasNoRoom = true }
        }
        journal.state.withLock { $0.roomTries += 1 }
        journal.state.notify()
        wakeUp.signal()
    }

    /// Takes files out of the manifest whose records stand in another.
    func forget(_ numbers: [Int]) throws(SystemError) {
        try writeManifest { manifest in manifest.sealed.removeAll { numbers.contains($0) } }
    }

    /// The last manifest: the active file is sealed, or unused and goes like the spare.
    private func leave() {
        var sealed: Segment?
        switch state.withLock({ $0.end }) {
        case .sealed(let segment): sealed = segment
        case .unused: break
        case .asItIs: return
        }
        do {
            let open = manifest.withLock { $0.open }
            try writeManifest { manifest in
                if let sealed { manifest.sealed.append(sealed.number) }
                manifest.open = []
            }
            for number in open where number != sealed?.number {
                try disk.remove(layout.segment(number))
            }
            if let sealed, let file = sealed.file { try disk.truncate(file, to: sealed.end) }
        } catch {
            // The next start finds an open file with a good seal and a spare, and is content.
        }
    }
}
