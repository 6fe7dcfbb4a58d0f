internal import Bytes
internal import Navigation
internal import POSIX

/// Which files count, and what is known of them.
///
///     {"manifest":"navstate","format":2,"lineage":"…","fsync":"always","after":184319,
///      "sealed":[[1,99,"8c87705d"],[5,184319,"01b2c3d4"]],"open":[7],"spare":[8],
///      "lost":[[100,199]],"crc":"…"}
///
/// (in one line, which has the same frame as a record's).
///
/// - `fsync` is `always` if every acknowledged change was synced while this manifest counted, and
///   `later` if a power cut could take some back.
/// - Numbers up to `after` had been given when the server started.
/// - `sealed` files are whole and end in their seal: number, last record, salt. A number stands
///   there twice while compaction replaces the file; either one is right.
/// - `open` files have a header that was synced, so they cannot be empty. `spare` files may be.
/// - `lost` are records between two files that a start with `--recover` went on without.
///
/// Replaced by write, sync, rename, sync of the directory: a reader finds the old one or the new
/// one. Format 1 had the numbers alone, and named the spare among the open files.
struct Manifest: Equatable, Sendable {
    /// A sealed file as it was when it was entered.
    struct Sealed: Equatable, Sendable {
        var number: Int
        /// Tells the file from others that had its number; nil if format 1 listed it.
        var identity: Identity?
    }

    struct Identity: Equatable, Sendable {
        /// The number of its seal.
        var last: UInt64
        /// What its lines' checksums begin with; it follows from the header.
        var salt: Salt
    }

    var format = Self.format
    var lineage: String
    var isSynced = true
    var after: UInt64 = 0
    var sealed: [Sealed] = []
    var open: [Int] = []
    var spare: [Int] = []
    var lost: [ClosedRange<UInt64>] = []

    static let format = 2
    /// Those that are read.
    static let formats: ClosedRange<UInt64> = 1...2

    enum ReadError: Error, Equatable {
        case damaged
        case newerFormat(Int)
    }

    init(lineage: String) { self.lineage = lineage }

    /// All numbers that it names, in order.
    var listed: [Int] { Set(sealed.map(\.number) + open + spare).sorted() }

    /// Whether the server that wrote it stopped in good order: then no file is left open.
    var isClosed: Bool { open.isEmpty && spare.isEmpty }

    /// The new store's name: 20 hexadecimal digits of the time and of chance.
    static func newLineage(_ now: Int64) throws(SystemError) -> String {
        var out = ByteWriter()
        out.append(hexadecimal: UInt64(max(0, now)), digits: 11)
        out.append(hexadecimal: try Random.word(), digits: 9)
        return String(decoding: out.text, as: UTF8.self)
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
        var bytes = Array(out.text)
        Line.close(&bytes, from: 0, salt: .none)
        return bytes
    }

    private static func text(_ file: Sealed) -> String {
        guard let identity = file.identity else { return "[\(file.number)]" }
        var salt = ByteWriter()
        salt.append(hexadecimal: UInt64(identity.salt.value), digits: 8)
        let digits = String(decoding: salt.text, as: UTF8.self)
        return "[\(file.number),\(identity.last),\"\(digits)\"]"
    }
}

// MARK: - Reading

extension Manifest {
    init(_ bytes: [UInt8]) throws(ReadError) {
        let line = 0..<bytes.count
        guard Line.isValid(bytes, line, salt: .none) else { throw .damaged }
        var reader = EnvelopeReader(bytes, line)
        var (number, text) = (UInt64(0), 0..<0)
        guard reader.take(0x7B), reader.key() != nil, reader.text(&text),
            reader.nextKey(), reader.read(&number)
        else { throw .damaged }
        guard number <= Self.formats.upperBound else { throw .newerFormat(Int(number)) }
        guard reader.nextKey(), reader.text(&text) else { throw .damaged }
        self.init(lineage: String(decoding: bytes[text], as: UTF8.self))
        format = Int(number)
        guard format == 1 ? readFirst(&reader) : readSecond(&reader, bytes), reader.isAtEnd
        else { throw .damaged }
    }

    /// What format 1 has after the lineage. Its open files may be empty, as spare ones are.
    private mutating func readFirst(_ reader: inout EnvelopeReader) -> Bool {
        guard reader.nextKey(), let sealed = reader.numbers(), reader.nextKey(),
            let open = reader.numbers()
        else { return false }
        self.sealed = sealed.map { Sealed(number: Int($0)) }
        spare = open.map { Int($0) }
        return true
    }

    private mutating func readSecond(_ reader: inout EnvelopeReader, _ bytes: [UInt8]) -> Bool {
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

    private static func sealed(_ reader: inout EnvelopeReader) -> [Sealed]? {
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

    private static func lost(_ reader: inout EnvelopeReader) -> [ClosedRange<UInt64>]? {
        reader.array { reader -> ClosedRange<UInt64>? in
            var (first, last) = (UInt64(0), UInt64(0))
            guard reader.take(0x5B), reader.read(&first), reader.take(0x2C), reader.read(&last),
                reader.take(0x5D), first <= last
            else { return nil }
            return first...last
        }
    }
}

extension EnvelopeReader {
    /// `,"name":`, whatever the name is.
    fileprivate mutating func nextKey() -> Bool { take(0x2C) && key() != nil }

    /// An array whose items the closure reads; nil if there is none.
    fileprivate mutating func array<Item>(
        _ item: (inout EnvelopeReader) -> Item?
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
