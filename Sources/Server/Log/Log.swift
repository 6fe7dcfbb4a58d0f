internal import Bytes
package import HTTP
internal import JSON
package import Navigation
internal import POSIX

// The log: lines to standard error, as JSON or as text.
//
// 1. A line is encoded into one buffer; the loop writes the buffer once a turn. Below the level
//    nothing is encoded at all.
// 2. Nobody waits for whoever reads it. What a pipe does not take stays in the buffer, and beyond
//    `bytesMax` lines are dropped; how many says a line of its own when there is room again.
// 3. Of a request it has the method, the route's template and never the path, no field but the
//    request's id, and so no token, no session's id and no params.
//
//     {"time":"2026-11-21T10:00:00.123Z","level":"info","message":"request","method":"GET",
//      "route":"/v1/sessions/{id}","status":200,"bytes":812,"ms":0.041,"requestId":"6f0c…"}
//     2026-11-21T10:00:00.123Z info GET /v1/sessions/{id} 200 812B 0.041ms 6f0c…

/// Where the program says what it does.
package final class Log {
    package var level: LogLevel
    package let format: LogFormat
    /// Milliseconds since 1970, set by the loop with each turn.
    package var now: Milliseconds = 0 { didSet { if now / 1000 != second { stamp() } } }
    package private(set) var dropped = 0

    private var buffer = ByteWriter()
    private var start = 0
    private var unsaid = 0
    private var second: Milliseconds = -1
    /// The time without its fraction, the same for a second's lines.
    private var time: [UInt8] = []
    private let output: any LogOutput

    /// A few seconds of a busy server.
    private static let bytesMax = 1 << 20

    package init(
        level: LogLevel, format: LogFormat, output: any LogOutput = StandardError()
    ) {
        self.level = level
        self.format = format
        self.output = output
    }

    package func says(_ level: LogLevel) -> Bool { level >= self.level }

    /// A line with facts of its own; it is written at once if nothing stands before it.
    package func say(
        _ level: LogLevel, _ message: String, _ facts: [(name: String, value: String)] = []
    ) {
        guard says(level), begin(level) else { return }
        switch format {
        case .json:
            append(#","message":"#)
            buffer.append(string: message)
            for fact in facts {
                append(",")
                buffer.append(string: fact.name)
                append(":")
                buffer.append(string: fact.value)
            }
            append("}\n")
        case .text:
            append(" ")
            append(Self.printable(message))
            for fact in facts { append(" \(fact.name)=\(Self.printable(fact.value))") }
            append("\n")
        }
        flush()
    }

    /// The line of a request.
    ///
    /// - Parameter route: the URL's template; `-` if there is none.
    func request(_ facts: RequestFacts, route: String, id: String?) {
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
        append(id ?? "-")
        append(isJSON ? "\"}\n" : "\n")
    }

    /// Time and level; false if there is no room.
    private func begin(_ level: LogLevel) -> Bool {
        guard buffer.count < Self.bytesMax else {
            dropped += 1
            unsaid += 1
            return false
        }
        if now == 0 { now = Clock.realtimeMilliseconds }
        if format == .json { append(#"{"time":""#) }
        buffer.append(time)
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
        // It stands in quotes and ends in Z.
        time = text.text.dropFirst().dropLast(2) + [UInt8(ascii: ".")]
    }

    // MARK: - Writing

    /// Whether something waits for room where it is written to.
    package var isWaiting: Bool { start < buffer.count }

    /// Writes what can be written without waiting.
    package func flush() {
        while start < buffer.count {
            let count = output.write(buffer.bytes, start..<buffer.count)
            guard count > 0 else { return }
            start += count
        }
        guard start > 0 else { return }
        start = 0
        if buffer.bytes.count <= 256 << 10 { buffer.removeAll() } else { buffer = ByteWriter() }
        guard unsaid > 0 else { return }
        let count = unsaid
        unsaid = 0
        say(.warning, "log lines were dropped", [("count", "\(count)")])
    }

    private func append(_ text: String) { buffer.append(text) }

    private func append(decimal number: Int) { buffer.append(number) }

    private func append(fraction: Int) {
        buffer.append(UInt8(ascii: "0") + UInt8(fraction / 100))
        buffer.append(UInt8(ascii: "0") + UInt8(fraction / 10 % 10))
        buffer.append(UInt8(ascii: "0") + UInt8(fraction % 10))
    }

    /// Without line ends and other controls, that a line stays one.
    private static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
    }
}

/// What the line of a request tells, and the metrics. Numbers alone: it is made for each answer.
package struct RequestFacts: Sendable {
    /// nil: the message was none.
    package var method: Method?
    /// The place in `Endpoint.all`; nil if the URL is not there.
    package var endpoint: Int?
    package var status = Status.ok
    /// Of the answer's body.
    package var bytes = 0
    package var nanoseconds: Int64 = 0

    package init() {}
}

/// Where lines go.
package protocol LogOutput {
    /// Takes what it can without waiting; 0: it would have to wait.
    func write(_ bytes: [UInt8], _ range: Range<Int>) -> Int
}

/// Descriptor 2.
package struct StandardError: LogOutput {
    package init() {}

    package func write(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
        ErrorStream.write(bytes, range)
    }
}
