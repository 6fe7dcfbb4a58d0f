internal import Navigation
internal import POSIX
public import Sessions

/// Records that were read for a request, which uses them when it is repeated.
public struct LoadedRecords: LoadResult {
    /// The number under which they were requested.
    public fileprivate(set) var token: UInt64
    /// Whole lines by the numbers of their records.
    var lines: [UInt64: [UInt8]] = [:]
    /// Records that are no longer kept.
    var gone: Set<UInt64> = []
    /// Records that did not reach the disk.
    var failed: Set<UInt64> = []
    /// Records that are damaged on the disk.
    var damaged: Set<UInt64> = []
    /// The number of bytes of the lines that the last load read.
    fileprivate var bytes = 0

    init(token: UInt64) { self.token = token }
}

/// The thread that reads records and backups from the disk, so that the loop does not wait.
final class RecordLoader: Sendable {
    struct Request: Sendable {
        var token: UInt64
        var locations: [RecordLocation]
        var earlier: LoadedRecords?
    }

    private struct State: Sendable {
        var requests: [Request] = []
        var done: [LoadedRecords] = []
        /// The number of bytes that were read for `done`.
        var doneBytes = 0
        var backups: [BackupChunk] = []
        var chunks: [BackupChunk] = []
        var isStopping = false
    }

    private let state = Lock(State())
    private let segments: SegmentList
    private let journal: Journal
    private let wakeUp: WakeUp
    private let faults: FaultLog

    /// Once this many bytes wait for the loop, nothing more is read for requests.
    private let doneBytesMax: Int

    init(
        segments: SegmentList, journal: Journal, wakeUp: WakeUp, faults: FaultLog,
        doneBytesMax: Int
    ) {
        self.doneBytesMax = doneBytesMax
        self.segments = segments
        self.journal = journal
        self.wakeUp = wakeUp
        self.faults = faults
    }

    /// Queues a request.
    func load(_ request: Request) {
        state.withLock { $0.requests.append(request) }
        state.notify()
    }

    /// The records that were read since the last call.
    func takeLoaded() -> [LoadedRecords] {
        let done = state.withLock { state in
            let done = state.done
            state.done = []
            state.doneBytes = 0
            return done
        }
        if !done.isEmpty { state.notify() }
        return done
    }

    /// Ends the thread.
    func stop() {
        state.withLock { $0.isStopping = true }
        state.notify()
    }

    /// Works until the loader is stopped.
    func run() {
        while true {
            switch nextWork() {
            case .stop: return
            case .load(let request):
                let loaded = read(request)
                state.withLock { state in
                    state.doneBytes += loaded.bytes
                    state.done.append(loaded)
                }
            case .backup(let chunk):
                let read = chunk.reading(journal, faults)
                state.withLock { $0.chunks.append(read) }
            }
            wakeUp.signal()
        }
    }

    private enum Work: Sendable {
        case load(Request)
        case backup(BackupChunk)
        case stop
    }

    /// Requests come before backups.
    private func nextWork() -> Work {
        state.wait { state in
            if state.isStopping { return .stop }
            if !state.requests.isEmpty, state.doneBytes <= doneBytesMax {
                return .load(state.requests.removeFirst())
            }
            return state.backups.isEmpty ? nil : .backup(state.backups.removeFirst())
        }
    }

    /// Queues a request for a chunk.
    func read(_ chunk: BackupChunk) {
        state.withLock { $0.backups.append(chunk) }
        state.notify()
    }

    /// The chunks that were read since the last call.
    func takeChunks() -> [BackupChunk] {
        state.withLock { state in
            let chunks = state.chunks
            state.chunks = []
            return chunks
        }
    }

    private func read(_ request: Request) -> LoadedRecords {
        var loaded = request.earlier ?? LoadedRecords(token: request.token)
        loaded.token = request.token
        loaded.bytes = 0
        for location in request.locations {
            var (sequence, left) = (location.sequence, location.behind)
            while sequence > 0 {
                guard let previous = read(sequence, &loaded), left > 0, previous > location.after,
                    loaded.bytes < location.bytesMax
                else { break }
                (sequence, left) = (previous, left - 1)
            }
        }
        return loaded
    }

    /// Reads one record, and returns the number of the session's previous record, if there is one.
    private func read(_ sequence: UInt64, _ loaded: inout LoadedRecords) -> UInt64? {
        if let line = loaded.lines[sequence] {
            return RecordHeader(line, 0..<line.count).flatMap { Self.previous($0, sequence) }
        }
        guard journal.waitUntilWritten(sequence) else {
            loaded.failed.insert(sequence)
            return nil
        }
        do {
            guard let line = try segments.line(with: sequence),
                let header = RecordHeader(line, 0..<line.count),
                header.sequence == sequence
            else {
                loaded.gone.insert(sequence)
                return nil
            }
            loaded.lines[sequence] = line
            loaded.bytes += line.count
            return Self.previous(header, sequence)
        } catch {
            faults.report(.damage, error)
            loaded.damaged.insert(sequence)
            return nil
        }
    }

    /// A forged line may name a record that is not older, and waiting for it would never end.
    private static func previous(_ header: RecordHeader, _ sequence: UInt64) -> UInt64? {
        header.links.previous < sequence ? header.links.previous : nil
    }
}
