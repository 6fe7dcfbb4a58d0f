internal import Navigation
internal import POSIX

/// The thread that keeps the directory in order: spare files ahead of need, the manifest,
/// compaction. It owns the manifest; the loop sends it jobs.
final class Upkeep: Sendable {
    enum Job: Sendable {
        /// The file has its seal and is synced; the journal has turned to the spare.
        case finish(Segment)
        /// The disk was full: see whether there is room again.
        case makeRoom(Segment)
        /// Look at neighbouring files, and rewrite them if too little of them is alive.
        case compact([Segment], now: Milliseconds)
    }

    private struct State: Sendable {
        var jobs: [Job] = []
        var isStopping = false
        var stopsCompacting = false
        /// The active file, if it was sealed at the end.
        var sealed: Int?
        var manifest: Manifest
        var journal: Journal?
    }

    private let state: Lock<State>
    let compaction: Compaction
    private let options: StoreOptions
    private let layout: Layout
    private var disk: Disk { options.disk }

    init(
        options: StoreOptions, layout: Layout, manifest: Manifest, wakeUp: WakeUp,
        catalogue: Catalogue
    ) {
        self.options = options
        self.layout = layout
        state = Lock(State(manifest: manifest))
        compaction = Compaction(options: options, layout: layout, wakeUp: wakeUp)
    }

    /// Reserves the first file, makes the first spare and writes the first manifest, before any
    /// record is taken.
    func begin(
        with segment: Segment, _ file: LogFile, _ journal: Journal
    ) throws(SystemError) {
        let number = segment.number
        state.withLock { state in
            state.manifest.open = [number]
            state.journal = journal
        }
        try disk.reserve(file, count: options.segmentBytes)
        try makeSpare(number + 1)
    }

    func add(_ job: Job) {
        state.withLock { $0.jobs.append(job) }
        state.notify()
    }

    func stopCompacting() {
        state.withLock { $0.stopsCompacting = true }
        compaction.stop()
    }

    /// Ends the thread after the jobs that wait.
    func stop(sealing segment: Segment?) {
        let number = segment?.number
        state.withLock { state in
            state.sealed = number
            state.isStopping = true
        }
        state.notify()
    }

    func run() {
        while let job = nextJob() {
            switch job {
            case .finish(let segment): finish(segment)
            case .makeRoom(let segment): makeRoom(segment)
            case .compact(let segments, let now): compact(segments, now)
            }
        }
        leave()
    }

    private func nextJob() -> Job? {
        state.wait { state -> Job?? in
            while !state.jobs.isEmpty {
                let job = state.jobs.removeFirst()
                if case .compact = job, state.stopsCompacting { continue }
                return .some(job)
            }
            return state.isStopping ? .some(nil) : nil
        }
    }

    private var journal: Journal? { state.withLock { $0.journal } }

    /// Gives back what a sealed file had reserved, and makes the next spare.
    private func finish(_ segment: Segment) {
        if let file = segment.file { try? disk.truncate(file, to: segment.end) }
        state.withLock { state in
            state.manifest.open.removeAll { $0 == segment.number }
            state.manifest.sealed.append(segment.number)
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
        compaction.wakeUp.signal()
    }

    /// Makes a file, reserves its room, and enters it into the manifest; all durable.
    private func makeSpare(_ number: Int) throws(SystemError) {
        let path = layout.segment(number)
        let file = try disk.create(path)
        do {
            try disk.reserve(file, count: options.segmentBytes)
            try disk.sync(file)
            try disk.syncDirectory(layout.log)
            try writeManifest { $0.open = $0.open.filter { $0 < number } + [number] }
        } catch {
            try? disk.remove(path)
            throw error
        }
        journal?.state.withLock { $0.spare = (number, file) }
    }

    func writeManifest(_ change: (inout Manifest) -> Void) throws(SystemError) {
        var manifest = state.withLock { $0.manifest }
        change(&manifest)
        try manifest.write(layout, disk)
        let written = manifest
        state.withLock { $0.manifest = written }
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
        compaction.wakeUp.signal()
    }

    private func compact(_ segments: [Segment], _ now: Milliseconds) {
        guard let journal else { return }
        compaction.run(segments, now: now, journal: journal) { covered throws(SystemError) in
            try self.writeManifest { manifest in
                manifest.sealed.removeAll { covered.contains($0) }
            }
        }
    }

    /// The last manifest: the active file is sealed and the spare goes.
    private func leave() {
        guard let sealed = state.withLock({ $0.sealed }) else { return }
        do {
            let open = state.withLock { $0.manifest.open }
            try writeManifest { manifest in
                manifest.sealed.append(sealed)
                manifest.open = []
            }
            for number in open where number != sealed {
                try disk.remove(layout.segment(number))
            }
            if let file = try? FileDescriptor.open(layout.segment(sealed), .readWrite) {
                try file.truncate(to: try file.status().size)
            }
        } catch {
            // The next start finds an open file with a good seal and a spare, and is content.
        }
    }
}
