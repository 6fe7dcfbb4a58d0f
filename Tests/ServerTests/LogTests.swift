import HTTP
import JSON
import Server
import Testing

/// Lines of the log, and who has to wait for whoever reads them: nobody.
@Suite struct LogTests {
    /// Takes so many bytes at a time, and none while it is full.
    final class Sink: LogOutput {
        var bytes: [UInt8] = []
        var takes = Int.max
        func write(_ other: [UInt8], _ range: Range<Int>) -> Int {
            let count = min(takes, range.count)
            bytes += other[range.prefix(count)]
            return count
        }

        var lines: [String] {
            String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    static func log(_ level: LogLevel, _ format: LogFormat) -> (Log, Sink) {
        let sink = Sink()
        let log = Log(level: level, format: format, output: sink)
        log.now = 1_795_000_000_042
        return (log, sink)
    }

    @Test func `a line is a JSON object whatever it says`() throws {
        let (log, sink) = Self.log(.notice, .json)
        log.say(.error, "a \"quoted\"\nline\u{1F}", facts: [("path", "C:\\x"), ("empty", "")])
        let line = try #require(sink.lines.first)
        guard case .object(let object) = try JSON(parsing: Array(line.utf8)) else {
            Issue.record("no object")
            return
        }
        #expect(object["time"] == .string("2026-11-18T11:06:40.042Z"))
        #expect(object["level"] == .string("error"))
        #expect(object["message"] == .string("a \"quoted\"\nline\u{1F}"))
        #expect(object["path"] == .string("C:\\x"))
    }

    @Test func `a line of text stays one`() {
        let (log, sink) = Self.log(.notice, .text)
        log.say(.warning, "two\r\nlines", facts: [("a", "b\nc")])
        #expect(sink.lines == ["2026-11-18T11:06:40.042Z warning two  lines a=b c"])
    }

    @Test func `below the level nothing is said`() {
        let (log, sink) = Self.log(.error, .json)
        for level in LogLevel.allCases { log.say(level, "x") }
        #expect(sink.lines.count == 2)
    }

    @Test func `what nobody reads is kept for a while, then dropped, and that is said`() {
        let (log, sink) = Self.log(.info, .json)
        sink.takes = 0
        for number in 0..<20_000 { log.say(.info, "line \(number) of very many lines") }
        #expect(log.isWaiting && log.dropped > 0 && sink.bytes.isEmpty)
        sink.takes = 1000
        log.flush()
        #expect(!log.isWaiting)
        #expect(sink.lines.count == 20_000 - log.dropped + 1)
        #expect(sink.lines.last?.contains(#""count":"\#(log.dropped)""#) == true)
    }
}
