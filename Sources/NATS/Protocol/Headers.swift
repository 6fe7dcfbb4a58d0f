internal import Bytes

/// Why a header block, or a header to be sent, is invalid.
public enum HeaderError: Error, Equatable, Sendable {
    /// The first line does not begin with `NATS/1.0`, or its status does not have three digits.
    case statusLine
    /// A line has no colon or no name, or its name contains a byte other than visible ASCII.
    case name
    /// A value contains a control character other than a tab.
    case value
    /// A line does not end in CR LF, or the block does not end in an empty line.
    case lineEnd
    case notUTF8
    /// The named header is missing (`missing`) or its value is invalid (`malformed`).
    case missing(String)
    case malformed(String)
}

/// A header to send.
public struct Header: Equatable, Sendable {
    public let name: String
    public let value: [UInt8]

    /// Creates a header from a name and a single-line value. Throws if either is invalid.
    public init(_ name: String, _ value: String) throws(HeaderError) {
        guard !name.isEmpty, name.utf8.allSatisfy(Headers.isName) else { throw .name }
        guard value.utf8.allSatisfy(Headers.isValue) else { throw .value }
        self.init(trusted: name, Array(value.utf8))
    }

    /// Creates a header from parts that are known to be valid.
    public init(trusted name: String, _ value: [UInt8]) {
        self.name = name
        self.value = value
    }

    /// Makes a publish conditional on the sequence of the subject's last message; 0 means that the
    /// subject must not have any messages.
    public static func expectedLastSequence(_ number: Int) -> Header {
        var digits: [UInt8] = []
        digits.append(String(number))
        return Header(trusted: "Nats-Expected-Last-Subject-Sequence", digits)
    }

    /// The length of the encoded line.
    public var lineBytes: Int { name.utf8.count + value.count + 4 }
}

/// The header block of a message (ADR-4): `NATS/1.0` with an optional status, followed by lines of
/// names and values. Names are case-sensitive and compared byte by byte.
public struct Headers: Sendable {
    /// A status that a server sends in place of a payload.
    public struct Status: Equatable, Sendable {
        /// The code, from 0 to 999.
        public let code: Int
        /// The text after the code; empty if it is missing or not UTF-8.
        public let text: String
    }

    /// The length of the shortest block: a version and an empty line.
    static let bytesMin = 12

    /// The status in the first line, if it has one. A stored message can have a status too, because
    /// its publisher chooses the headers. A status therefore does not tell whether a message comes
    /// from a stream.
    public let status: Status?
    private let bytes: [UInt8]
    private let lines: Range<Int>

    /// Parses a block that fills the whole range.
    public init(_ bytes: [UInt8], _ range: Range<Int>) throws(HeaderError) {
        let first = try Self.line(bytes, range)
        status = try Self.status(bytes[first])
        var rest = first.upperBound + 2..<range.upperBound
        lines = rest
        while true {
            let line = try Self.line(bytes, rest)
            rest = line.upperBound + 2..<rest.upperBound
            guard !line.isEmpty else { break }
            try Self.check(bytes, line)
        }
        guard rest.isEmpty else { throw .lineEnd }
        self.bytes = bytes
    }

    /// The value of the last header with this name, without surrounding blanks. It is nil if the
    /// header is missing. The last one wins because the server appends its headers after the
    /// publisher's.
    public subscript(name: String) -> ArraySlice<UInt8>? {
        var found: ArraySlice<UInt8>?
        var rest = lines
        while let line = try? Self.line(bytes, rest), !line.isEmpty {
            rest = line.upperBound + 2..<rest.upperBound
            let value = line.lowerBound + name.utf8.count
            guard value < line.upperBound, bytes[value] == ASCII.colon,
                bytes[line.lowerBound..<value].elementsEqual(name.utf8)
            else { continue }
            found = Self.trimmed(bytes[value + 1..<line.upperBound])
        }
        return found
    }

    /// The value as text. Returns nil if the header is missing or not UTF-8.
    public func text(_ name: String) -> String? {
        self[name].flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The value as a number. Returns nil if the header is missing.
    public func number(_ name: String) throws(HeaderError) -> Int? {
        guard let value = self[name] else { return nil }
        guard let number = Decimal.number(value, digitsMax: 18) else { throw .malformed(name) }
        return number
    }

    /// The value as a number. It is an error if the header is missing.
    public func required(_ name: String) throws(HeaderError) -> Int {
        guard let number = try number(name) else { throw .missing(name) }
        return number
    }

    static func isName(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F && byte != ASCII.colon }
    static func isValue(_ byte: UInt8) -> Bool {
        byte >= ASCII.space && byte != 0x7F || byte == ASCII.tab
    }

    /// The range of the first line without its line end.
    private static func line(
        _ bytes: [UInt8], _ range: Range<Int>
    ) throws(HeaderError) -> Range<Int> {
        guard let end = ByteSearch.first(ASCII.lineFeed, in: bytes, range),
            end > range.lowerBound, bytes[end - 1] == ASCII.carriageReturn
        else { throw .lineEnd }
        return range.lowerBound..<end - 1
    }

    private static func check(_ bytes: [UInt8], _ line: Range<Int>) throws(HeaderError) {
        guard let colon = ByteSearch.first(ASCII.colon, in: bytes, line), colon > line.lowerBound,
            bytes[line.lowerBound..<colon].allSatisfy(isName)
        else { throw .name }
        var index = colon + 1
        while index < line.upperBound {
            guard isValue(bytes[index]) else { throw .value }
            guard let length = UTF8Sequence.length(in: bytes, at: index, end: line.upperBound)
            else { throw .notUTF8 }
            index += length
        }
    }

    private static func status(_ line: ArraySlice<UInt8>) throws(HeaderError) -> Status? {
        let version = "NATS/1.0"
        guard line.starts(with: version.utf8) else { throw .statusLine }
        let behind = line.dropFirst(version.utf8.count)
        let rest = trimmed(behind)
        guard !rest.isEmpty else { return nil }
        let digits = rest.prefix(3)
        let text = trimmed(rest.dropFirst(3))
        guard behind.first.map(ASCII.isBlank) == true, digits.count == 3,
            let code = Decimal.number(digits, digitsMax: 3),
            rest.dropFirst(3).first.map(ASCII.isBlank) != false, text.allSatisfy(isValue)
        else { throw .statusLine }
        return Status(code: code, text: String(validating: text, as: UTF8.self) ?? "")
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = bytes
        while let first = text.first, ASCII.isBlank(first) { text.removeFirst() }
        while let last = text.last, ASCII.isBlank(last) { text.removeLast() }
        return text
    }
}
