internal import API
internal import Bytes
public import HTTP
internal import JSON
public import Navigation
public import POSIX
internal import Sessions

// The log: lines to standard error, as JSON or as text.
//
// 1. A line is encoded into one buffer; the loop writes the buffer once a turn. Below the level
//    nothing is encoded at all.
// 2. The loop never waits for the reader. What a pipe does not take stays in the buffer, and lines
//    beyond `bytesMax` are dropped; when there is room again, a line gives their number.
// 3. The line of a request has the method and the route's template but not the path, and no field
//    but the request's id, so it contains no token, no session's id and no params. The line of a
//    change has the name of its token, if the token has one; that of a refusal names the problem.
//
//     {"time":"2026-11-21T10:00:00.123Z","level":"info","message":"request","method":"POST",
//      "route":"/v1/sessions/{id}/back","status":200,"bytes":812,"ms":0.041,"requestId":"6f0c…",
//      "by":"wall","client":"10.0.0.7"}
//     2026-11-21T10:00:00.123Z info POST /v1/sessions/{id}/back 200 812B 0.041ms 6f0c… by=wall
//      client=10.0.0.7

/// Writes lines about what the program does.
public final class Log {
    /// Lines below this level are not written.
    public var level: LogLevel
    /// How lines look.
    public let format: LogFormat
    /// Milliseconds since 1970, set by the loop with each turn.
    public var now: Milliseconds = 0 { didSet { if now / 1000 != second { stamp() } } }
    /// The number of lines that were dropped because the reader was too slow.
    public private(set) var dropped = 0

    /// The lines that the reader has not taken yet, from `start` on.
    private var buffer: [UInt8] = []
    /// The line that is being written.
    private var line = ByteWriter()
    private var start = 0
    private var unsaid = 0
    private var second: Milliseconds = -1
    /// The time without its fraction, the same for a second's lines.
    private var time: [UInt8] = []
    private let output: any LogOutput

    /// A few seconds of a busy server.
    private static let bytesMax = 1 << 20

    public init(
        level: LogLevel, format: LogFormat, output: any LogOutput = StandardError()
    ) {
        self.level = level
        self.format = format
        self.output = output
    }

    /// Whether lines of this level are written.
    public func says(_ level: LogLevel) -> Bool { level >= self.level }

    /// Adds a line with facts of its own, and writes as much as the reader takes at once.
    public func say(
        _ level: LogLevel, _ message: String, facts: [(name: String, value: String)] = []
    ) {
        guard says(level), begin(level) else { return }
        switch format {
        case .json:
            append(#","message":"#)
            line.append(string: message)
            for fact in facts {
                append(",")
                line.append(string: fact.name)
                append(":")
                line.append(string: fact.value)
            }
            append("}\n")
        case .text:
            append(" ")
            append(Self.printable(message))
            for fact in facts { append(" \(fact.name)=\(Self.printable(fact.value))") }
            append("\n")
        }
        buffer.append(line)
        flush()
    }

    /// Adds the line of a request.
    ///
    /// - Parameters:
    ///   - route: the URL's template; `-` if there is none.
    ///   - author: the name of the token that a change came with.
    func request(
        _ facts: RequestFacts, route: String, id: RequestID, author: TokenName? = nil
    ) {
        guard begin(.info) else { return }
        let isJSON = format == .json
        append(isJSON ? #","message":"request","method":""# : " ")
        append(facts.method?.name ?? "-")
        append(isJSON ? #"","route":""# : " ")
        append(route)
        append(isJSON ? #"","status":"# : " ")
        append(decimal: Int(facts.status.rawValue))
        append(isJSON ? #","bytes":"# : " ")
        append(decimal: facts.bytes)
        append(isJSON ? #","ms":"# : "B ")
        let microseconds = Int(facts.nanoseconds / 1000)
        append(decimal: microseconds / 1000)
        append(".")
        append(fraction: microseconds % 1000)
        append(isJSON ? #","requestId":""# : "ms ")
        if let text = id.sentText {
            append(text)
        } else {
            line.append(hexadecimal: id.number, digits: 16)
        }
        if isJSON { append("\"") }
        appendMember("by", author?.rawValue)
        appendMember("problem", facts.problem?.rawValue)
        appendMember("client", facts.client?.text)
        append(isJSON ? "}\n" : "\n")
        buffer.append(line)
    }

    /// Adds a member to a line, if it has a value. The value needs no escapes.
    private func appendMember(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        let isJSON = format == .json
        append(isJSON ? ",\"" : " ")
        append("\(name)")
        append(isJSON ? "\":\"" : "=")
        append(value)
        if isJSON { append("\"") }
    }

    /// Begins a line with time and level. Returns false if there is no room.
    private func begin(_ level: LogLevel) -> Bool {
        guard buffer.count < Self.bytesMax else {
            dropped += 1
            unsaid += 1
            return false
        }
        if now == 0 { now = Clock.realtimeMilliseconds }
        line.removeAll()
        if format == .json { append(#"{"time":""#) }
        line.append(time)
        append(fraction: Int(now % 1000))
        append(format == .json ? #"Z","level":""# : "Z ")
        append(level.name)
        if format == .json { append("\"") }
        return true
    }

    private func stamp() {
        second = now / 1000
        var text = ByteWriter()
        text.append(time: second * 1000)
        // The text has quotes, and ends in Z.
        time = text.finish().dropFirst().dropLast(2) + [UInt8(ascii: ".")]
    }

    // MARK: - Writing

    /// Whether lines wait because the reader takes no more.
    public var isWaiting: Bool { start < buffer.count }

    /// Writes what can be written without waiting.
    public func flush() {
        while start < buffer.count {
            let count = output.write(buffer, start..<buffer.count)
            guard count > 0 else { return }
            start += count
        }
        guard start > 0 else { return }
        start = 0
        buffer.removeAll(keepingCapacity: buffer.count <= 256 << 10)
        guard unsaid > 0 else { return }
        let count = unsaid
        unsaid = 0
        say(.warning, "log lines were dropped", facts: [("count", "\(count)")])
    }

    private func append(_ text: String) { line.append(text) }

    private func append(decimal number: Int) { line.append(number) }

    private func append(fraction: Int) {
        line.append(UInt8(ascii: "0") + UInt8(fraction / 100))
        line.append(UInt8(ascii: "0") + UInt8(fraction / 10 % 10))
        line.append(UInt8(ascii: "0") + UInt8(fraction % 10))
    }

    /// The text without line ends and other control characters, so that it stays one line and a
    /// terminal does not obey it.
    private static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: false
        }
    }
}

/// The record of a request for the log and the metrics. It is made for each answer, so it
/// holds only numbers.
public struct RequestFacts: Sendable {
    /// Nil if the message was not a valid request.
    public var method: Method?
    /// The index in `Endpoint.all`, or nil if the URL matches none.
    public var endpoint: Int?
    /// The answer's status code.
    public var status = Status.ok
    /// The size of the answer's body.
    public var bytes = 0
    /// The time from the last byte of the request to the answer.
    public var nanoseconds: Int64 = 0
    /// Why it was refused, if it was.
    public var problem: ProblemKind?
    /// Where it came from, if that is known.
    public var client: ClientAddress?

    public init() {}
}

/// The output of the log.
public protocol LogOutput {
    /// Writes as much as is possible without waiting.
    ///
    /// - Returns: the number of bytes that were written.
    func write(_ bytes: [UInt8], _ range: Range<Int>) -> Int
}

/// Standard error, descriptor 2.
public struct StandardError: LogOutput {
    public init() {}

    /// Writes to descriptor 2, without waiting.
    public func write(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
        ErrorStream.write(bytes, range)
    }
}

/// How important a line of the log is. The levels are those of swift-log.
public enum LogLevel: UInt8, CaseIterable, Comparable, Sendable {
    case trace, debug, info, notice, warning, error, critical

    /// The name in options and in the log.
    public var name: String {
        switch self {
        case .trace: "trace"
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        case .critical: "critical"
        }
    }

    /// The level with that name, if there is one.
    public init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// Whether `left` is less important than `right`.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The format of the log's lines.
public enum LogFormat: String, Sendable {
    case text, json
}
