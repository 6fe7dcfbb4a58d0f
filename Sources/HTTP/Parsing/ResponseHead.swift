internal import Bytes

/// The head of a response, as a client reads it.
public struct ResponseHead: Equatable, Sendable {
    /// The status code, from 100 to 599.
    public private(set) var statusCode: Int
    /// The field lines in their order, with names in lower case.
    private var fields: [FieldLine] = []

    private struct FieldLine: Equatable, Sendable {
        var name: String
        var value: String
    }

    /// Parses the lines of a head, without the empty line at its end.
    ///
    /// A response is read as strictly as a request: a bare line end, a folded line, a blank before
    /// a colon and control bytes are refused.
    init(_ bytes: ArraySlice<UInt8>) throws(MalformedResponseError) {
        let lines = try Self.lines(bytes)
        statusCode = try Self.statusCode(lines[0])
        guard lines.count - 1 <= Self.fieldsMax else { throw .headTooLarge }
        for line in lines.dropFirst() { fields.append(try Self.field(line)) }
    }

    private static let fieldsMax = 100

    /// The value of a field whose name is given in lower case, or nil if it is absent. Several
    /// lines of one field are joined by commas (RFC 9110 §5.3).
    public subscript(name: String) -> String? {
        let values = fields.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The media type in lower case and without its parameters; empty if the field is absent.
    public var mediaType: String {
        let value = self["content-type"] ?? ""
        let type = value.unicodeScalars.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
        return Substring(type).lowercased()
    }

    /// How the end of the body is found (RFC 9112 §6.3).
    func framing() throws(MalformedResponseError) -> ResponseFraming {
        if (100..<200).contains(statusCode) || statusCode == 204 || statusCode == 304 {
            return .length(0)
        }
        let (length, coding) = (self["content-length"], self["transfer-encoding"])
        if let coding {
            guard length == nil, coding.lowercased() == "chunked" else { throw .framing }
            return .chunked
        }
        guard let length else { return .untilEnd }
        guard let count = Decimal.number(length.utf8, digitsMax: 18) else { throw .framing }
        return .length(count)
    }

    // MARK: - Lines

    private static func lines(
        _ bytes: ArraySlice<UInt8>
    ) throws(MalformedResponseError) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: ASCII.lineFeed) {
            guard end > start, bytes[end - 1] == ASCII.carriageReturn else { throw .line }
            lines.append(bytes[start..<end - 1])
            start = end + 1
        }
        lines.append(bytes[start...])
        return lines
    }

    /// `HTTP/1.1 200 OK`, where the reason may be missing.
    private static func statusCode(
        _ line: ArraySlice<UInt8>
    ) throws(MalformedResponseError) -> Int {
        let parts = line.split(
            separator: ASCII.space, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2,
            parts[0].elementsEqual("HTTP/1.1".utf8)
                || parts[0].elementsEqual("HTTP/1.0".utf8),
            parts[1].count == 3, let code = Decimal.number(parts[1], digitsMax: 3),
            (100..<600).contains(code), line.allSatisfy(ASCII.isFieldValue)
        else { throw .statusLine }
        return code
    }

    private static func field(
        _ line: ArraySlice<UInt8>
    ) throws(MalformedResponseError) -> FieldLine {
        guard let colon = line.firstIndex(of: ASCII.colon), colon > line.startIndex,
            line[..<colon].allSatisfy(ASCII.isToken), line.allSatisfy(ASCII.isFieldValue)
        else { throw .line }
        var value = line[(colon + 1)...]
        while let first = value.first, ASCII.isBlank(first) { value.removeFirst() }
        while let last = value.last, ASCII.isBlank(last) { value.removeLast() }
        return FieldLine(
            name: String(decoding: line[..<colon].map(ASCII.lowercased), as: UTF8.self),
            value: String(decoding: value, as: UTF8.self))
    }
}

/// How the end of a response's body is found.
enum ResponseFraming: Equatable, Sendable {
    case length(Int)
    case chunked
    /// By the end of the connection.
    case untilEnd
}

/// Why bytes are not a response.
public enum MalformedResponseError: Error, Equatable, Sendable {
    /// The first line is not `HTTP/1.d CODE REASON`.
    case statusLine
    /// A line of the head is not a field line that ends in CR LF.
    case line
    case headTooLarge
    /// The length of the body is invalid, stated twice, or coded in an unknown way.
    case framing
    /// A chunk is malformed.
    case chunk
    /// There are too many interim responses, or too many bytes after the last chunk.
    case tooLong
    /// The connection has ended before the response has.
    case incomplete

    /// The fault, as the end of a sentence that begins with "the response".
    public var text: String {
        switch self {
        case .statusLine: "does not begin with a status line of HTTP/1.1"
        case .line: "has a malformed header line"
        case .headTooLarge: "has too large a header"
        case .framing: "has a body of unknown length"
        case .chunk: "has a malformed chunk"
        case .tooLong: "does not end"
        case .incomplete: "is incomplete"
        }
    }
}
