internal import Bytes
internal import Navigation
internal import POSIX

/// The list of the files that make up the log, and what is known about each of them.
///
///     {"manifest":"navstate","format":2,"lineage":"…","fsync":"always","after":184319,
///      "sealed":[[1,99,"8c87705d"],[5,184319,"01b2c3d4"]],"open":[7],"spare":[8],
///      "lost":[[100,199]],"crc":"…"}
///
/// The file has it in one line, which has the same frame as a record.
///
/// - `fsync` is `always` if every acknowledged change was synced while this manifest was in force.
///   It is `later` if a power failure could have undone acknowledged changes.
/// - `after` is the highest number that had been used when the server started.
/// - `sealed` lists the files that are complete and end in their seal, each with its number, its
///   last record and its salt. A number occurs twice while compaction replaces the file; either
///   entry is right.
/// - `open` lists the files whose header was synced, which therefore cannot be empty. The files in
///   `spare` can be.
/// - `lost` lists the records between two files that a start with `--recover` did without.
///
/// A new manifest is written beside the old one, synced and renamed, and then the directory is
/// synced; so a reader finds either the old one or the new one.
struct Manifest: Equatable, Sendable {
    /// A sealed file, as it was when it was listed.
    struct Sealed: Equatable, Sendable {
        var number: Int
        /// Distinguishes the file from others that had its number. Nil if it was just salvaged.
        var identity: Identity?
    }

    /// The values that distinguish a file from another one with its number.
    struct Identity: Equatable, Sendable {
        /// The number of its seal.
        var last: UInt64
        /// The value with which the checksums of its lines begin. It follows from the header.
        var salt: Salt
    }

    var lineage: String
    var isSynced = true
    var after: UInt64 = 0
    var sealed: [Sealed] = []
    var open: [Int] = []
    var spare: [Int] = []
    var lost: [ClosedRange<UInt64>] = []

    static let format = 2

    enum ReadError: Error, Equatable {
        case damaged
        case olderFormat
        case newerFormat(Int)
    }

    init(lineage: String) { self.lineage = lineage }

    /// The numbers of all files that it lists, in order.
    var listed: [Int] { Set(sealed.map(\.number) + open + spare).sorted() }

    /// Whether the server that wrote it was stopped in order, so that no file was left open.
    var isClosed: Bool { open.isEmpty && spare.isEmpty }

    /// Makes the name of a new store: 20 hexadecimal digits, of the time and at random.
    static func newLineage(_ now: Int64) -> String {
        var out = ByteWriter()
        out.append(hexadecimal: UInt64(max(0, now)), digits: 11)
        out.append(hexadecimal: Random.word(), digits: 9)
        return out.string
    }

    func write(_ layout: Layout, _ disk: Disk) throws(SystemError) {
        try disk.replace(layout.manifest, bytes, in: layout.root)
    }
}

// MARK: - Writing

extension Manifest {
    var bytes: [UInt8] {
        var out = ByteWriter()
        out.append(#"{"manifest":"navstate","format":\#(Self.format),"lineage":"\#(lineage)""#)
        out.append(#","fsync":"\#(isSynced ? "always" : "later")","after":\#(after)"#)
        out.append(#","sealed":[\#(sealed.map(Self.text).joined(separator: ","))]"#)
        out.append(#","open":[\#(open.map(String.init).joined(separator: ","))]"#)
        out.append(#","spare":[\#(spare.map(String.init).joined(separator: ","))]"#)
        let lost = lost.map { "[\($0.lowerBound),\($0.upperBound)]" }
        out.append(#","lost":[\#(lost.joined(separator: ","))]"#)
        var bytes = out.finish()
        Line.close(&bytes, from: 0, salt: .none)
        return bytes
    }

    private static func text(_ file: Sealed) -> String {
        guard let identity = file.identity else { return "[\(file.number)]" }
        var salt = ByteWriter()
        salt.append(hexadecimal: UInt64(identity.salt.value), digits: 8)
        let digits = salt.string
        return "[\(file.number),\(identity.last),\"\(digits)\"]"
    }
}

// MARK: - Reading

extension Manifest {
    init(_ bytes: [UInt8]) throws(ReadError) {
        let line = 0..<bytes.count
        guard Line.isValid(bytes, line, salt: .none) else { throw .damaged }
        var reader = LineReader(bytes, line)
        var (number, text) = (UInt64(0), 0..<0)
        guard reader.take(0x7B), reader.key() != nil, reader.text(&text),
            reader.nextKey(), reader.read(&number)
        else { throw .damaged }
        guard number <= Self.format else { throw .newerFormat(Int(number)) }
        guard number == Self.format else { throw .olderFormat }
        guard reader.nextKey(), reader.text(&text) else { throw .damaged }
        self.init(lineage: String(decoding: bytes[text], as: UTF8.self))
        guard readFiles(&reader, bytes), reader.isAtEnd else { throw .damaged }
    }

    /// Reads what comes after the lineage.
    private mutating func readFiles(_ reader: inout LineReader, _ bytes: [UInt8]) -> Bool {
        var text = 0..<0
        guard reader.nextKey(), reader.text(&text), reader.nextKey(), reader.read(&after),
            reader.nextKey(), let sealed = Self.sealed(&reader), reader.nextKey(),
            let open = reader.numbers(), reader.nextKey(), let spare = reader.numbers(),
            reader.nextKey(), let lost = Self.lost(&reader)
        else { return false }
        isSynced = bytes[text].elementsEqual("always".utf8)
        self.sealed = sealed
        self.open = open.map { Int($0) }
        self.spare = spare.map { Int($0) }
        self.lost = lost
        return true
    }

    private static func sealed(_ reader: inout LineReader) -> [Sealed]? {
        reader.array { reader -> Sealed? in
            var (number, last, digits) = (UInt64(0), UInt64(0), 0..<0)
            guard reader.take(0x5B), reader.read(&number) else { return nil }
            if reader.take(0x5D) { return Sealed(number: Int(number)) }
            guard reader.take(0x2C), reader.read(&last), reader.take(0x2C), reader.text(&digits),
                digits.count == 8, let salt = Hexadecimal.number(reader.bytes[digits]),
                reader.take(0x5D)
            else { return nil }
            return Sealed(
                number: Int(number),
                identity: Identity(last: last, salt: Salt(value: UInt32(truncatingIfNeeded: salt))))
        }
    }

    private static func lost(_ reader: inout LineReader) -> [ClosedRange<UInt64>]? {
        reader.array { reader -> ClosedRange<UInt64>? in
            var (first, last) = (UInt64(0), UInt64(0))
            guard reader.take(0x5B), reader.read(&first), reader.take(0x2C), reader.read(&last),
                reader.take(0x5D), first <= last
            else { return nil }
            return first...last
        }
    }
}

extension LineReader {
    /// Steps over `,"name":`, whatever the name is.
    fileprivate mutating func nextKey() -> Bool { take(0x2C) && key() != nil }

    /// Reads an array, each item with the closure. Returns nil if there is no valid array.
    fileprivate mutating func array<Item>(
        _ item: (inout LineReader) -> Item?
    ) -> [Item]? {
        var items: [Item] = []
        guard take(0x5B) else { return nil }
        if take(0x5D) { return items }
        repeat {
            guard let next = item(&self) else { return nil }
            items.append(next)
        } while take(0x2C)
        return take(0x5D) ? items : nil
    }

    fileprivate mutating func numbers() -> [UInt64]? {
        array { reader -> UInt64? in
            var number: UInt64 = 0
            return reader.read(&number) ? number : nil
        }
    }
}
