internal import Bytes
internal import POSIX
internal import Synchronization

/// A file of the log, as all threads see it.
final class Segment: Sendable {
    let header: SegmentHeader
    let salt: Salt
    private let state: Lock<State>
    /// Approximate bytes of records that are no longer the newest of a live session.
    let superseded = Atomic<Int>(0)

    /// The number of a line and where it begins. There is about one mark in 4 KiB.
    struct Mark: Equatable, Sendable {
        var sequence: UInt64
        var offset: Int
    }

    struct State: Sendable {
        /// Nil until the journal has changed to the file.
        var file: LogFile?
        var marks: [Mark] = []
        /// The number of bytes that belong to the log, including those that wait for the disk.
        var end = 0
        /// The highest number in it.
        var last: UInt64 = 0
    }

    static let markDistance = 4 << 10

    init(header: SegmentHeader, salt: Salt, state: sending State = State()) {
        self.header = header
        self.salt = salt
        self.state = Lock(state)
    }

    var number: Int { header.file }

    func withState<Result>(_ body: (inout State) -> sending Result) -> sending Result {
        state.withLock(body)
    }

    var file: LogFile? { state.withLock { $0.file } }
    var end: Int { state.withLock { $0.end } }
    var last: UInt64 { state.withLock { $0.last } }

    /// The range of whole lines that contains the record of that number.
    func piece(with sequence: UInt64) -> Range<Int>? {
        state.withLock { state in
            guard sequence <= state.last, let first = state.marks.first,
                first.sequence <= sequence
            else { return nil }
            var (low, high) = (0, state.marks.count)
            while high - low > 1 {
                let middle = (low + high) / 2
                if state.marks[middle].sequence <= sequence { low = middle } else { high = middle }
            }
            let end = low + 1 < state.marks.count ? state.marks[low + 1].offset : state.end
            return state.marks[low].offset..<end
        }
    }
}

extension Segment.State {
    /// Marks a line if the previous mark is far enough away.
    mutating func note(_ sequence: UInt64, at offset: Int) {
        if let last = marks.last, offset - last.offset < Segment.markDistance { return }
        marks.append(Segment.Mark(sequence: sequence, offset: offset))
    }
}

/// The files of the log in the order of their numbers, as all threads see them.
final class SegmentList: Sendable {
    private let segments: Lock<[Segment]>

    init(_ segments: [Segment] = []) { self.segments = Lock(segments) }

    var all: [Segment] { segments.withLock { $0 } }

    func append(_ segment: Segment) { segments.withLock { $0.append(segment) } }

    /// Removes files from the end while the condition is true.
    func removeLast(where isSuch: (Segment) -> Bool) {
        segments.withLock { segments in
            while let last = segments.last, isSuch(last) { segments.removeLast() }
        }
    }

    /// Replaces neighbouring files with one.
    func replace(_ old: [Segment], with new: Segment?) {
        segments.withLock { segments in
            guard let place = segments.firstIndex(where: { $0 === old.first }) else { return }
            segments.removeAll { segment in old.contains { $0 === segment } }
            if let new { segments.insert(new, at: place) }
        }
    }

    /// Notes that the entry's record is no longer the newest of its session.
    func supersede(_ entry: SessionEntry) { supersede(entry.sequence, Int(entry.length)) }

    func supersede(_ sequence: UInt64, _ length: Int) {
        segment(with: sequence)?.superseded.wrappingAdd(length, ordering: .relaxed)
    }

    /// Reverts that.
    func restore(_ entry: SessionEntry) { supersede(entry.sequence, -Int(entry.length)) }

    /// The file in which a record of that number would be.
    func segment(with sequence: UInt64) -> Segment? {
        segments.withLock { segments in
            var (low, high) = (0, segments.count)
            while low < high {
                let middle = (low + high) / 2
                if segments[middle].header.first <= sequence {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return low > 0 ? segments[low - 1] : nil
        }
    }
}

extension SegmentList {
    /// A record's line, found by its number alone. Nil if it is no longer kept.
    func line(with sequence: UInt64) throws(SystemError) -> [UInt8]? {
        guard let segment = segment(with: sequence), let file = segment.file,
            let piece = segment.piece(with: sequence)
        else { return nil }
        let bytes = try file.bytes(at: piece.lowerBound, count: piece.count)
        return try segment.line(with: sequence, in: bytes, of: file)
    }

    /// The same without waiting for a disk. Nil also if that is not possible.
    func lineInMemory(with sequence: UInt64) -> [UInt8]? {
        guard let segment = segment(with: sequence), let file = segment.file,
            let piece = segment.piece(with: sequence),
            let bytes = file.descriptor.bytesInMemory(at: piece.lowerBound, count: piece.count)
        else { return nil }
        // The thread that loads the record finds the damage again, and reports it.
        return try? segment.line(with: sequence, in: bytes, of: file)
    }
}

extension Segment {
    fileprivate func line(
        with sequence: UInt64, in bytes: [UInt8], of file: LogFile
    ) throws(SystemError) -> [UInt8]? {
        var start = 0
        while let end = ByteSearch.first(0x0A, in: bytes, start..<bytes.count) {
            let line = start..<end + 1
            if RecordHeader.sequence(bytes, line) == sequence {
                guard Line.isValid(bytes, line, salt: salt) else { throw .damage(file.path) }
                return Array(bytes[line])
            }
            start = end + 1
        }
        try check(bytes, of: file)
        return nil
    }

    /// A missing record may be in a line that cannot be recognized.
    private func check(_ bytes: [UInt8], of file: LogFile) throws(SystemError) {
        var start = 0
        while let end = ByteSearch.first(0x0A, in: bytes, start..<bytes.count) {
            guard Line.isValid(bytes, start..<end + 1, salt: salt) else {
                throw .damage(file.path)
            }
            start = end + 1
        }
        guard start == bytes.count else { throw .damage(file.path) }
    }
}

/// Bytes of superseded records that a recovery finds, by file. They are counted without a lock and
/// added to the files at the end.
struct SupersededBytes {
    private var segments: [Segment] = []
    /// The first number of each file.
    private var firsts: [UInt64] = []
    private var counts: [Int] = []

    mutating func append(_ segment: Segment) {
        segments.append(segment)
        firsts.append(segment.header.first)
        counts.append(0)
    }

    mutating func add(_ count: Int, ofRecord sequence: UInt64) {
        var (low, high) = (0, firsts.count)
        while low < high {
            let middle = (low + high) / 2
            if firsts[middle] <= sequence { low = middle + 1 } else { high = middle }
        }
        if low > 0 { counts[low - 1] += count }
    }

    mutating func finish() {
        for (segment, count) in zip(segments, counts) where count > 0 {
            segment.superseded.wrappingAdd(count, ordering: .relaxed)
        }
        self = SupersededBytes()
    }
}
