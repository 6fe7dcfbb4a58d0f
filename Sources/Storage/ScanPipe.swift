internal import POSIX

/// A file of the log gone through by two threads: one reads, checks and parses the lines, the
/// caller takes the records into the index, a chunk behind.
final class ScanPipe: Sendable {
    struct Record: Sendable {
        var envelope: Envelope
        /// Of the line, in the file.
        var offset: Int
        var length: Int
    }

    private enum Item: Sendable {
        case records([UInt8], [Record])
        case done(Scan)
        case failed(SystemError)
    }

    private let items = Lock<[Item]>([])

    /// Chunks that may wait.
    private static let waitingMax = 4

    /// Goes through the file; the closure sees the records in order.
    static func run(
        _ file: LogFile, expected: UInt64, _ body: ([UInt8], Record) -> Void
    ) throws(SystemError) -> Scan {
        let pipe = ScanPipe()
        let thread = try Thread(named: "scan") { pipe.scan(file, expected) }
        defer { thread.join() }
        while true {
            switch pipe.take() {
            case .records(let bytes, let records): for record in records { body(bytes, record) }
            case .done(let scan): return scan
            case .failed(let error): throw error
            }
        }
    }

    private func scan(_ file: LogFile, _ expected: UInt64) {
        do throws(SystemError) {
            var scanner = try SegmentScanner(file, expected: expected)
            var records: [Record] = []
            let scan = try scanner.run { bytes in
                put(.records(bytes, records))
                records.removeAll()
                records.reserveCapacity(2048)
            } _: { _, line, envelope, offset in
                records.append(Record(envelope: envelope, offset: offset, length: line.count))
            }
            put(.done(scan))
        } catch {
            put(.failed(error))
        }
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
