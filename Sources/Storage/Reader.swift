internal import Navigation
internal import POSIX

/// Records that were read for a request, to be seen while it is repeated.
package struct Loaded: Sendable {
    package let ticket: UInt64
    /// Whole lines by their records' numbers.
    var lines: [UInt64: [UInt8]] = [:]
    /// What is no longer kept, and what could not be read.
    var gone: Set<UInt64> = []
    var failed: Set<UInt64> = []

    init(ticket: UInt64) { self.ticket = ticket }

    /// Takes over what was read before for the same request.
    mutating func add(_ earlier: Loaded) {
        lines.merge(earlier.lines) { new, _ in new }
        gone.formUnion(earlier.gone)
        failed.formUnion(earlier.failed)
    }
}

/// The thread that waits for the disk when a record is not in memory.
final class Reader: Sendable {
    struct Request: Sendable {
        var ticket: UInt64
        var places: [Wanted]
        var earlier: Loaded?
    }

    struct Wanted: Sendable {
        var place: Place
        /// Where it lies, if the index knows.
        var spot: (segment: Segment, range: Range<Int>)?
    }

    private struct State: Sendable {
        var requests: [Request] = []
        var done: [Loaded] = []
        var isStopping = false
    }

    private let state = Lock(State())
    private let catalogue: Catalogue
    private let journal: Journal
    private let wakeUp: WakeUp

    init(catalogue: Catalogue, journal: Journal, wakeUp: WakeUp) {
        self.catalogue = catalogue
        self.journal = journal
        self.wakeUp = wakeUp
    }

    func ask(_ request: Request) {
        state.withLock { $0.requests.append(request) }
        state.notify()
    }

    func takeDone() -> [Loaded] {
        state.withLock { state in
            let done = state.done
            state.done = []
            return done
        }
    }

    func stop() {
        state.withLock { $0.isStopping = true }
        state.notify()
    }

    func run() {
        while true {
            let next = state.wait { state -> Request?? in
                if state.isStopping { return .some(nil) }
                return state.requests.isEmpty ? nil : .some(state.requests.removeFirst())
            }
            guard let request = next else { return }
            let loaded = load(request)
            state.withLock { $0.done.append(loaded) }
            wakeUp.signal()
        }
    }

    private func load(_ request: Request) -> Loaded {
        var loaded = Loaded(ticket: request.ticket)
        if let earlier = request.earlier { loaded.add(earlier) }
        for wanted in request.places {
            var (sequence, left) = (wanted.place.sequence, wanted.place.behind)
            var spot = wanted.spot
            while sequence > 0 {
                guard let previous = load(sequence, spot, &loaded), left > 0 else { break }
                (sequence, left, spot) = (previous, left - 1, nil)
            }
        }
        return loaded
    }

    /// Reads one record; the number of the session's record before, nil if there was none.
    private func load(
        _ sequence: UInt64, _ spot: (segment: Segment, range: Range<Int>)?,
        _ loaded: inout Loaded
    ) -> UInt64? {
        if let line = loaded.lines[sequence] {
            return Envelope(line, 0..<line.count)?.previous
        }
        guard journal.waitUntilWritten(sequence) else {
            loaded.failed.insert(sequence)
            return nil
        }
        do {
            let line = try spot.map { try read($0.segment, $0.range) } ?? search(sequence)
            guard let line, let envelope = Envelope(line, 0..<line.count),
                envelope.sequence == sequence
            else {
                loaded.gone.insert(sequence)
                return nil
            }
            loaded.lines[sequence] = line
            return envelope.previous
        } catch {
            loaded.failed.insert(sequence)
            return nil
        }
    }

    private func read(_ segment: Segment, _ range: Range<Int>) throws(SystemError) -> [UInt8] {
        guard let file = segment.file else {
            throw SystemError("pread", number: SystemError.notFound)
        }
        let line = try file.descriptor.bytes(at: range.lowerBound, count: range.count)
        guard Line.isValid(line, 0..<line.count, salt: segment.salt) else {
            throw SystemError("checksum", number: SystemError.ioError, path: file.path)
        }
        return line
    }

    /// Looks for a record by its number alone.
    private func search(_ sequence: UInt64) throws(SystemError) -> [UInt8]? {
        guard let segment = catalogue.segment(with: sequence), let file = segment.file,
            let piece = segment.piece(with: sequence)
        else { return nil }
        let bytes = try file.descriptor.bytes(at: piece.lowerBound, count: piece.count)
        var start = 0
        while let end = ByteSearch.first(0x0A, in: bytes, start..<bytes.count) {
            let line = start..<end + 1
            var reader = EnvelopeReader(bytes, line)
            var number: UInt64 = 0
            if reader.take(0x7B), reader.key() != nil, reader.read(&number), number == sequence {
                guard Line.isValid(bytes, line, salt: segment.salt) else {
                    throw SystemError("checksum", number: SystemError.ioError, path: file.path)
                }
                return Array(bytes[line])
            }
            start = end + 1
        }
        return nil
    }
}
