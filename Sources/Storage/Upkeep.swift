internal import Navigation
internal import POSIX

/// The thread that keeps the directory in order: spare files ahead of need, sealed files, the
/// manifest. The journal may wait for it, so it never waits for the journal.
final class Upkeep: Sendable {
    enum Job: Sendable {
        /// The file has its seal and is synced; the journal has turned to the spare.
        case finish(Segment)
        /// The disk was full: see whether there is room again.
        case makeRoom(Segment)
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
    func begin(
        with segment: Segment, _ file: LogFile, _ journal: Journal
    ) throws(SystemError) {
        let number = segment.number
        manifest.withLock { $0.open = [number] }
        state.withLock { $0.journal = journal }
        try disk.reserve(file, count: options.segmentBytes)
        try makeSpare(number + 1)
    }

    func add(_ job: Job) {
        state.withLock { $0.jobs.append(job) }
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
            case .finish(let segment): finish(segment)
            case .makeRoom(let segment): makeRoom(segment)
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
    private func finish(_ segment: Segment) {
        if let file = segment.file { try? disk.truncate(file, to: segment.end) }
        manifest.withLock { manifest in
            manifest.open.removeAll { $0 == segment.number }
            manifest.sealed.append(segment.number)
        }
        trySpare(segment.number + 2)
    }

    private func trySpare(_ number: Int) {
        let error: SystemError?
        do {
            try makeSpare(number)
            error = nil
        } catch let failed {
            error = failed
        }
        let hasNoRoom = error != nil
        journal?.state.withLock { $0.hasNoRoom = hasNoRoom }
        journal?.state.notify()
        wakeUp.signal()
    }

    /// Makes a file, reserves its room, and enters it into the manifest; all durable.
    private func makeSpare(_ number: Int) throws(SystemError) {
        let path = layout.segment(number)
        let file = try disk.create(path)
        do {
            try disk.reserve(file, count: options.segmentBytes)
            try disk.sync(file)
            try disk.syncDirectory(layout.log)
        } catch {
            try? disk.remove(path)
            throw error
        }
        // A manifest whose writing failed may stand there all the same, so the file stays.
        try writeManifest { $0.open = $0.open.filter { $0 < number } + [number] }
        journal?.state.withLock { $0.spare = (number, file) }
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
    private func makeRoom(_ active: Segment) {
        guard let journal, let file = active.file else { return }
        let hasSpare = journal.state.withLock { $0.spare != nil }
        do {
            try disk.reserve(file, count: max(options.segmentBytes, active.end))
            if !hasSpare { try makeSpare(active.number + 1) }
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
