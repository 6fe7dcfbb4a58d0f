internal import POSIX
internal import Sessions

/// A backup that is read piece by piece.
struct BackupInput {
    /// An item with the number of its line.
    struct Item {
        let line: Int
        let item: BackupItem
    }

    private var reader: any BackupReader
    private let batchBytes: Int
    private let source: SharedRestore.Source
    /// The beginning of the backup, as far as it tells it from others.
    private var beginning: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: chunkBytes)
    /// Whether everything has been read, and the backup is complete.
    private(set) var isAtEnd = false

    private static let chunkBytes = 256 << 10
    /// More than the first line has.
    private static let beginningBytes = 1 << 10
    /// Above this, a store would soon have numbers that JSON cannot represent.
    private static let numberMax: SequenceNumber = 1 << 52

    /// - Parameter batchBytes: how much `next` reads.
    init(
        _ reader: any BackupReader, batchBytes: Int, _ source: @escaping SharedRestore.Source
    ) {
        self.reader = reader
        self.batchBytes = batchBytes
        self.source = source
    }

    /// The next items, at least one unless the backup is at its end.
    mutating func next() throws(SharedRestoreError) -> [Item] {
        var (items, bytes) = ([Item](), 0)
        while items.isEmpty || bytes < batchBytes, !isAtEnd {
            let count: Int
            do throws(SystemError) { count = try source(&buffer) } catch { throw .input(error) }
            bytes += count
            if beginning.count < Self.beginningBytes { beginning += buffer[..<count] }
            reader.append(buffer[..<count])
            do throws(BackupError) {
                while let item = try reader.next() {
                    items.append(Item(line: reader.line, item: item))
                }
                if count == 0 { try reader.finish() }
            } catch {
                throw .backup(error)
            }
            isAtEnd = count == 0
        }
        return items
    }

    /// Text that no other backup has, after the first items have been read: the SHA-256 of the
    /// first line, which says of which store it was made and when.
    var identity: String {
        let line = beginning.prefix(Self.beginningBytes).prefix { $0 != UInt8(ascii: "\n") }
        return SHA256.digest(of: line).hexadecimal
    }

    /// A number that no record of the backup exceeds, after the first items have been read.
    func highestNumber() throws(SharedRestoreError) -> SequenceNumber {
        guard let number = reader.highestNumber, number < Self.numberMax else {
            throw .backup(BackupError(line: 1, reason: "the numbers are too high"))
        }
        return number
    }
}
