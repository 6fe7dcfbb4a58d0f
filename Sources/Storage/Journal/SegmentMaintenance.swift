internal import Navigation
internal import POSIX

/// The thread that maintains the directory: it makes spare files ahead of need, cuts sealed files
/// to their lines, and writes the manifest. The journal may wait for it, so it never waits for the
/// journal.
final class SegmentMaintenance: Sendable {
    /// A job has no file number: the number of the next file is read when the job is carried out,
    /// since the journal may have changed to another file by then.
    private enum Job: Sendable {
        /// The journal has changed to another file.
        case turned(Journal.Turn)
        /// The disk was full: try again to reserve room.
        case makeRoom
    }

    /// The state of the active file when the store is closed.
    enum End: Sendable {
        case sealed(Segment)
        /// It has no records.
        case unused
        /// Not known; the next start will find out.
        case asItIs
    }

    private struct State: Sendable {
        var jobs: [Job] = []
        /// Whether a `makeRoom` job is queued or under way.
        var isMakingRoom = false
        /// A spare file that could not be finished. The next attempt continues with it.
        var unfinished: (number: Int, file: LogFile)?
        /// Files to remove once the manifest is written.
        var leftovers: [String] = []
        var isStopping = false
        var end = End.asItIs
    }

    private let state: Lock<State>
    /// Locked while it is written, so that changes do not overlap.
    private let manifest: Lock<Manifest>
    private let journal: Journal
    private let faults: FaultLog
    private let options: StoreOptions
    private let layout: Layout
    private var disk: Disk { options.disk }

    init(
        _ options: StoreOptions, _ recovered: Recovered, journal: Journal, faults: FaultLog
    ) {
        self.options = options
        self.journal = journal
        self.faults = faults
        layout = recovered.layout
        manifest = Lock(recovered.manifest)
        state = Lock(State(leftovers: recovered.leftovers))
    }

    /// Makes the first file and the manifest durable, before the store accepts a record. On a full
    /// disk both can wait if the manifest of the last run is still true, so that reads and
    /// deletions are served.
    func begin(_ recovered: Recovered) throws(SystemError) {
        do {
            if let spare = recovered.spare {
                // The old manifest lists it, and so does the new one.
                manifest.withLock { $0.spare = [recovered.nextFile] }
                journal.setSpare(spare)
                try disk.reserve(spare, count: options.segmentBytes)
                try writeManifest { _ in }
            } else {
                try makeSpare()
            }
        } catch {
            guard error.isFull, !recovered.needsManifest else { throw error }
            refuseGrowth(error)
        }
    }

    /// Queues the work for a change of files.
    func turned(_ turn: Journal.Turn) {
        state.withLock { $0.jobs.append(.turned(turn)) }
        state.notify()
    }

    /// Queues an attempt to reserve room, unless one is queued or under way.
    func makeRoom() {
        state.withLock { state in
            guard !state.isMakingRoom else { return }
            state.isMakingRoom = true
            state.jobs.append(.makeRoom)
        }
        state.notify()
    }

    /// Ends the thread after the queued jobs.
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

    // MARK: Files

    /// Cuts the sealed file to its lines and makes the next spare.
    private func finish(_ turn: Journal.Turn) {
        if let sealed = turn.from, let file = sealed.file {
            // If this fails, the file only takes more space than it needs.
            attempt { () throws(SystemError) in try disk.truncate(file, to: sealed.end) }
        }
        manifest.withLock { manifest in
            if let sealed = turn.from { manifest.seal(sealed) }
            manifest.spare.removeAll { $0 == turn.to.number }
            manifest.open.append(turn.to.number)
        }
        do {
            try makeSpare()
            journal.setRoom(nil)
        } catch {
            refuseGrowth(error)
        }
    }

    /// New changes are refused until the next file can be made. Without its directory it never can.
    private func refuseGrowth(_ error: SystemError, isRetry: Bool = false) {
        guard error.number != SystemError.notFound else {
            journal.fail(error)
            return journal.announce()
        }
        // The loop is woken by the second call and logs what was reported before.
        if !error.isFull { faults.report(.files, error) }
        journal.setRoom(error, isRetry: isRetry)
    }

    /// Calls the closure. If it throws, the error is reported and does no harm.
    private func attempt(_ body: () throws(SystemError) -> Void) {
        do { try body() } catch { faults.report(.files, error) }
    }

    /// Makes the file after the one that the journal writes to, reserves its room, and adds it to
    /// the manifest, all durably. Does nothing if the file exists already.
    private func makeSpare() throws(SystemError) {
        let (number, isMade) = journal.next
        guard !isMade else { return }
        let file = try unfinished(number)
        do {
            try disk.reserve(file, count: options.segmentBytes)
            try disk.sync(file)
            try disk.syncDirectory(layout.log)
        } catch {
            // Some room may have been reserved, which deletions can use in the meantime.
            attempt { () throws(SystemError) in try disk.truncate(file, to: 0) }
            throw error
        }
        try writeManifest { $0.spare = [number] }
        state.withLock { $0.unfinished = nil }
        journal.setSpare(file)
    }

    /// The empty file of that number: a new one, or the one of the last attempt.
    private func unfinished(_ number: Int) throws(SystemError) -> LogFile {
        if let made = state.withLock({ $0.unfinished }), made.number == number { return made.file }
        let file = try disk.create(layout.segment(number))
        state.withLock { $0.unfinished = (number, file) }
        return file
    }

    /// Reserves room for the active file and makes a spare, after the disk was full.
    private func lookForRoom() {
        let active = journal.active
        var failure: SystemError?
        do {
            // A sealed file needs no room; only the next one is missing.
            if let active, let file = active.file {
                try disk.reserve(file, count: max(options.segmentBytes, active.end))
            }
            try makeSpare()
        } catch {
            failure = error
        }
        // The loop may request another attempt as soon as it knows the result of this one.
        state.withLock { $0.isMakingRoom = false }
        if let failure {
            refuseGrowth(failure, isRetry: true)
        } else {
            journal.setRoom(nil, isRetry: true)
        }
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
        // A file that remains does no harm: the manifest does not list it.
        for path in leftovers { attempt { () throws(SystemError) in try disk.remove(path) } }
    }

    /// Lists a compacted file in addition to the one with its name, which it is about to replace.
    func expect(_ compacted: Segment) throws(SystemError) {
        try writeManifest { manifest in
            manifest.sealed.append(Manifest.Sealed(compacted))
            manifest.sort()
        }
    }

    /// Lists a compacted file instead of the files that it has replaced.
    func replace(_ old: [Segment], with compacted: Segment) throws(SystemError) {
        let covered = old.flatMap { Array($0.number...$0.header.covers) }
        try writeManifest { manifest in
            manifest.sealed.removeAll { covered.contains($0.number) }
            manifest.sealed.append(Manifest.Sealed(compacted))
            manifest.sort()
        }
    }

    /// Writes the last manifest. The active file is sealed, or removed like the spare.
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
            // The next start accepts an open file with a good seal, and a spare.
            faults.report(.files, error)
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
    /// Lists the file as sealed instead of open.
    fileprivate mutating func seal(_ segment: Segment) {
        open.removeAll { $0 == segment.number }
        sealed.append(Sealed(segment))
        sort()
    }

    /// Sorts the sealed files by number, for people who read the manifest.
    fileprivate mutating func sort() {
        sealed.sort { $0.number < $1.number }
    }
}
