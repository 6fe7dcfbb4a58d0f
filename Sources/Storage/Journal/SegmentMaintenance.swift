internal import Navigation
internal import POSIX

/// The thread that keeps the directory in order: spare files ahead of need, sealed files, the
/// manifest. The journal may wait for it, so it never waits for the journal.
final class SegmentMaintenance: Sendable {
    /// A job names no number: which file comes next is asked when the job is done, since the
    /// journal may have turned to another file since the job was given.
    private enum Job: Sendable {
        /// The journal has turned to another file.
        case turned(Journal.Turn)
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
        /// Files that count no longer once the manifest is written.
        var leftovers: [String] = []
        var isStopping = false
        var end = End.asItIs
        /// It knows this thread as well; the store holds both.
        weak var journal: Journal?
    }

    private let state = Lock(State())
    /// Held while it is written, so that one change comes after another.
    private let manifest: Lock<Manifest>
    private let wakeUp: WakeUp
    private let troubles: Troubles
    private let options: StoreOptions
    private let layout: Layout
    private var disk: Disk { options.disk }

    init(
        options: StoreOptions, layout: Layout, manifest: Manifest, wakeUp: WakeUp,
        troubles: Troubles
    ) {
        self.options = options
        self.layout = layout
        self.troubles = troubles
        self.wakeUp = wakeUp
        self.manifest = Lock(manifest)
    }

    /// What the start has left to do, before any record is taken: the first file and the manifest.
    /// On a full disk both can wait if the last run's manifest is still true, so that reads and
    /// deletions are served.
    func begin(_ recovered: Recovered, _ journal: Journal) throws(SystemError) {
        state.withLock { state in
            state.journal = journal
            state.leftovers = recovered.leftovers
        }
        do {
            if let spare = recovered.spare {
                // The old manifest lists it, and so does the new one.
                manifest.withLock { $0.spare = [recovered.nextFile] }
                journal.state.withLock { $0.spare = (recovered.nextFile, spare) }
                try disk.reserve(spare, count: options.segmentBytes)
                try writeManifest { _ in }
            } else {
                try makeSpare(for: journal)
            }
        } catch {
            guard error.isFull, !recovered.needsManifest else { throw error }
            refuseGrowth(error, journal)
        }
    }

    /// Takes in hand what is to be done when the journal has turned to another file.
    func turned(_ turn: Journal.Turn) {
        state.withLock { $0.jobs.append(.turned(turn)) }
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
            case .turned(let turn): finish(turn)
            case .makeRoom: lookForRoom()
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

    // MARK: Files

    /// Cuts the sealed file to its lines and makes the next spare.
    private func finish(_ turn: Journal.Turn) {
        if let sealed = turn.from, let file = sealed.file {
            // Without that the file only takes more room than it needs.
            attempt { () throws(SystemError) in try disk.truncate(file, to: sealed.end) }
        }
        manifest.withLock { manifest in
            if let sealed = turn.from { manifest.seal(sealed) }
            manifest.spare.removeAll { $0 == turn.to.number }
            manifest.open.append(turn.to.number)
        }
        guard let journal else { return }
        do {
            try makeSpare(for: journal)
            journal.state.withLock { $0.roomError = nil }
        } catch {
            refuseGrowth(error, journal)
        }
        journal.state.notify()
        wakeUp.signal()
    }

    /// New changes are refused until the next file can be made.
    private func refuseGrowth(_ error: SystemError, _ journal: Journal) {
        journal.state.withLock { $0.roomError = error }
        if !error.isFull { troubles.report(.files, error) }
    }

    /// Does what can be left undone.
    private func attempt(_ body: () throws(SystemError) -> Void) {
        do { try body() } catch { troubles.report(.files, error) }
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
            attempt { () throws(SystemError) in try disk.truncate(file, to: 0) }
            throw error
        }
        try writeManifest { $0.spare = [number] }
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

    /// After the disk was full: the active file's reservation, and a spare.
    private func lookForRoom() {
        guard let journal else { return }
        let active = journal.state.withLock { $0.active }
        do {
            // A file that has its seal needs no room: only the next one is missing.
            if let active, let file = active.file {
                try disk.reserve(file, count: max(options.segmentBytes, active.end))
            }
            try makeSpare(for: journal)
            journal.state.withLock { $0.roomError = nil }
        } catch {
            refuseGrowth(error, journal)
        }
        // Before anybody is told of this try, so that the answer to it may be to ask for another.
        state.withLock { $0.isMakingRoom = false }
        journal.state.withLock { $0.roomTries += 1 }
        journal.state.notify()
        wakeUp.signal()
    }

    // MARK: The manifest

    private func writeManifest(
        _ change: (inout Manifest) -> Void
    ) throws(SystemError) {
        try manifest.withLock { manifest throws(SystemError) in
            var changed = manifest
            change(&changed)
            try changed.write(layout, disk)
            manifest = changed
        }
        let leftovers = state.withLock { state in
            defer { state.leftovers = [] }
            return state.leftovers
        }
        // Nothing is lost if one stays: the manifest does not list it.
        for path in leftovers { attempt { () throws(SystemError) in try disk.remove(path) } }
    }

    /// Allows a compacted file beside the one that has its name until it replaces that.
    func expect(_ compacted: Segment) throws(SystemError) {
        try writeManifest { manifest in
            manifest.sealed.append(Manifest.Sealed(compacted))
            manifest.sort()
        }
    }

    /// The compacted file has replaced these.
    func replace(_ old: [Segment], with compacted: Segment) throws(SystemError) {
        let covered = old.flatMap { Array($0.number...$0.header.covers) }
        try writeManifest { manifest in
            manifest.sealed.removeAll { covered.contains($0.number) }
            manifest.sealed.append(Manifest.Sealed(compacted))
            manifest.sort()
        }
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
            let files = manifest.withLock { $0.open + $0.spare }
            try writeManifest { manifest in
                if let sealed { manifest.seal(sealed) }
                (manifest.open, manifest.spare) = ([], [])
            }
            for number in files where number != sealed?.number {
                try disk.remove(layout.segment(number))
            }
            if let sealed, let file = sealed.file { try disk.truncate(file, to: sealed.end) }
        } catch {
            // The next start finds an open file with a good seal and a spare, and is content.
            troubles.report(.files, error)
        }
    }
}

extension Manifest.Sealed {
    init(_ segment: Segment) {
        self.init(
            number: segment.number,
            identity: Manifest.Identity(last: segment.last, salt: segment.salt))
    }
}

extension Manifest {
    /// The file is open no longer.
    fileprivate mutating func seal(_ segment: Segment) {
        open.removeAll { $0 == segment.number }
        sealed.append(Sealed(segment))
        sort()
    }

    /// By number, so that people find a file.
    fileprivate mutating func sort() {
        sealed.sort { $0.number < $1.number }
    }
}
