internal import Bytes
internal import POSIX

/// Reads a file of the log with two threads: one reads, checks and parses the lines, while the
/// caller adds the records of earlier chunks to the index.
///
/// With one thread, a start of a million sessions takes 1.4 times as long on a machine with two
/// free processors.
final class ScanPipe: Sendable {
    struct Records: Sendable {
        var headers: [RecordHeader] = []
        /// The hashes of the ids.
        var hashes: [UInt64] = []

        mutating func append(_ header: RecordHeader, hash: UInt64) {
            headers.append(header)
            hashes.append(hash)
        }

        mutating func removeAll() {
            headers.removeAll(keepingCapacity: true)
            hashes.removeAll(keepingCapacity: true)
        }
    }

    private struct Chunk: Sendable {
        var bytes: [UInt8]
        /// Where the bytes begin in the file.
        var base = 0
        var records = Records()
    }

    private enum Item: Sendable {
        case chunk(Chunk)
        case done(Scan)
        case failed(SystemError)
    }

    private let items = Lock<[Item]>([])
    /// Buffers whose records were added to the index; they can be reused.
    private let emptied = Lock<[Chunk]>([])
    private let hasher: SeededHash

    private init(_ hasher: SeededHash) { self.hasher = hasher }

    /// The maximum number of chunks that may wait.
    private static let waitingMax = 8

    /// Reads the file. The closure is given some records at a time, in order, with the bytes that
    /// contain them and the offset of these bytes in the file.
    static func run(
        _ file: LogFile, expected: UInt64, end: Int? = nil, hasher: SeededHash,
        _ body: ([UInt8], Int, Records) -> Void
    ) throws(SystemError) -> Scan {
        let pipe = ScanPipe(hasher)
        let thread = try Thread(named: "scan") { pipe.scan(file, expected, end: end) }
        defer { thread.join() }
        while true {
            switch pipe.take() {
            case .chunk(let chunk):
                body(chunk.bytes, chunk.base, chunk.records)
                pipe.emptied.withLock { $0.append(chunk) }
            case .done(let scan): return scan
            case .failed(let error): throw error
            }
        }
    }

    private func scan(_ file: LogFile, _ expected: UInt64, end: Int?) {
        do throws(SystemError) {
            var scanner = try SegmentScanner(file, expected: expected, end: end)
            var (records, base) = (Records(), 0)
            let scan = try scanner.run { bytes, rest in
                var next = nextBuffer(atLeast: rest.count * 2)
                next.bytes.replaceSubrange(0..<rest.count, with: bytes[rest])
                put(.chunk(Chunk(bytes: bytes, base: base, records: records)))
                records = next.records
                return next.bytes
            } _: { bytes, line, header, offset in
                base = offset - line.lowerBound
                let hash = hasher.hash(bytes, header.id.range)
                records.append(header, hash: hash)
            }
            put(.done(scan))
        } catch {
            put(.failed(error))
        }
    }

    private func nextBuffer(atLeast count: Int) -> Chunk {
        var chunk = emptied.withLock { $0.popLast() } ?? Chunk(bytes: [])
        chunk.records.removeAll()
        let size = max(SegmentScanner.chunk, count)
        if chunk.bytes.count < size { chunk.bytes = [UInt8](repeating: 0, count: size) }
        return chunk
    }

    private func put(_ item: Item) {
        items.wait { items -> Void? in
            guard items.count < Self.waitingMax else { return nil }
            items.append(item)
            return ()
        }
        items.notify()
    }

    private func take() -> Item {
        let item = items.wait { items -> Item? in items.isEmpty ? nil : items.removeFirst() }
        items.notify()
        return item
    }
}
