internal import Bytes
internal import JSON
internal import POSIX

/// Which files count.
///
///     {"manifest":"navstate","format":2,"lineage":"…","sealed":[1,2,5],"open":[7,8],"crc":"…"}
///
/// `sealed` files are whole and end in their seal; of `open` the first that has no seal is
/// written to, the next is the spare. The line has the same frame as a record's. Replaced by
/// write, sync, rename, sync of the directory: a reader finds the old one or the new one.
struct Manifest: Equatable, Sendable {
    var lineage: String
    var sealed: [Int] = []
    var open: [Int] = []

    /// Of everything that is written. 1 is version 0.1.0, whose records name otherwise what undo and
    /// redo lead to (see `RecordText`).
    static let format = 2
    /// Those that are read.
    static let formats: ClosedRange<UInt64> = 1...2

    enum Trouble: Error, Equatable {
        case damaged
        case newerFormat(Int)
    }

    var bytes: [UInt8] {
        var bytes = Array("{\"manifest\":\"navstate\",\"format\":\(Self.format)".utf8)
        bytes.append(contentsOf: ",\"lineage\":\"\(lineage)\"".utf8)
        bytes.append(contentsOf: ",\"sealed\":\(Self.list(sealed))".utf8)
        bytes.append(contentsOf: ",\"open\":\(Self.list(open))".utf8)
        Line.close(&bytes, from: 0, salt: .none)
        return bytes
    }

    private static func list(_ numbers: [Int]) -> String {
        "[" + numbers.map(String.init).joined(separator: ",") + "]"
    }

    init(lineage: String, sealed: [Int] = [], open: [Int] = []) {
        self.lineage = lineage
        self.sealed = sealed
        self.open = open
    }

    init(_ bytes: [UInt8]) throws(Trouble) {
        let line = 0..<bytes.count
        guard Line.isValid(bytes, line, salt: .none) else { throw .damaged }
        var reader = EnvelopeReader(bytes, line)
        var (format, text) = (UInt64(0), 0..<0)
        guard reader.take(0x7B), reader.key() != nil, reader.text(&text), reader.take(0x2C),
            reader.key() != nil, reader.read(&format)
        else { throw .damaged }
        guard format <= Self.formats.upperBound else { throw .newerFormat(Int(format)) }
        guard reader.take(0x2C), reader.key() != nil, reader.text(&text), reader.take(0x2C),
            reader.key() != nil, let sealed = Self.numbers(&reader), reader.take(0x2C),
            reader.key() != nil, let open = Self.numbers(&reader), reader.isAtEnd
        else { throw .damaged }
        lineage = String(decoding: bytes[text], as: UTF8.self)
        self.sealed = sealed
        self.open = open
    }

    private static func numbers(_ reader: inout EnvelopeReader) -> [Int]? {
        var (numbers, number) = ([Int](), UInt64(0))
        guard reader.take(0x5B) else { return nil }
        while reader.read(&number) {
            numbers.append(Int(number))
            if !reader.take(0x2C) { break }
        }
        return reader.take(0x5D) ? numbers : nil
    }

    func write(_ layout: Layout, _ disk: Disk) throws(SystemError) {
        try disk.replace(layout.manifest, bytes, in: layout.root)
    }

    /// A new store's name: 20 hexadecimal digits of the time and of chance.
    static func newLineage(_ now: Int64) throws(SystemError) -> String {
        var out = ByteWriter()
        out.append(hexadecimal: UInt64(max(0, now)), digits: 11)
        out.append(hexadecimal: try Random.word(), digits: 9)
        return String(decoding: out.text, as: UTF8.self)
    }
}
