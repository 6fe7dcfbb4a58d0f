import API
import HTTP
import JSON
import Navigation
import POSIX
import Testing

@testable import Server

/// Lines of the log, and that nothing waits for their reader.
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

    @Test func `text with line ends stays one line`() {
        let (log, sink) = Self.log(.notice, .text)
        log.say(.warning, "two\r\nlines", facts: [("a", "b\nc")])
        #expect(sink.lines == ["2026-11-18T11:06:40.042Z warning two  lines a=b c"])
    }

    @Test(arguments: ["\u{0}", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}", "\u{2029}"])
    func `a line of text has no control characters`(character: String) {
        let (log, sink) = Self.log(.notice, .text)
        log.say(.warning, "a\(character)b", facts: [("c", "d\(character)e")])
        #expect(sink.lines == ["2026-11-18T11:06:40.042Z warning a b c=d e"])
    }

    private static func facts(_ method: Method?, _ nanoseconds: Int64) -> RequestFacts {
        var facts = RequestFacts()
        (facts.method, facts.status, facts.bytes) = (method, .notFound, 812)
        facts.nanoseconds = nanoseconds
        return facts
    }

    @Test(arguments: [
        (0, "0.000"), (999, "0.000"), (41_000, "0.041"), (1_000_000, "1.000"),
        (61_234_567_890, "61234.567"),
    ])
    func `the line of a request has its duration in milliseconds`(
        nanoseconds: Int64, milliseconds: String
    ) throws {
        let (log, sink) = Self.log(.info, .json)
        log.request(Self.facts(.get, nanoseconds), route: "/v1/sessions/{id}", id: .given("6f0c"))
        log.flush()
        #expect(
            sink.lines == [
                #"{"time":"2026-11-18T11:06:40.042Z","level":"info","message":"request","#
                    + #""method":"GET","route":"/v1/sessions/{id}","status":404,"bytes":812,"#
                    + #""ms":\#(milliseconds),"requestId":"6f0c"}"#
            ])
        _ = try JSON(parsing: Array(sink.lines[0].utf8))
    }

    @Test func `a refusal has its problem, and a request its client`() throws {
        var facts = Self.facts(.post, 41_000)
        (facts.problem, facts.client) = (.atRoot, ClientAddress(ipv4: 0x0A00_0007))
        let (log, sink) = Self.log(.info, .json)
        log.request(facts, route: "/v1/sessions/{id}/back", id: .given("6f0c"))
        log.flush()
        #expect(
            sink.lines[0].hasSuffix(
                #""requestId":"6f0c","problem":"at-root","client":"10.0.0.7"}"#))
        _ = try JSON(parsing: Array(sink.lines[0].utf8))
        let (plain, lines) = Self.log(.info, .text)
        plain.request(facts, route: "/v1/sessions/{id}/back", id: .given("6f0c"))
        plain.flush()
        #expect(lines.lines[0].hasSuffix(" 6f0c problem=at-root client=10.0.0.7"))
    }

    @Test func `what was no request has dashes`() {
        let (log, sink) = Self.log(.info, .text)
        log.request(Self.facts(nil, 5_000), route: "-", id: .made(0xAB))
        log.flush()
        let line = "2026-11-18T11:06:40.042Z info - - 404 812B 0.005ms 00000000000000ab"
        #expect(sink.lines == [line])
    }

    @Test func `each line has the time of its turn`() {
        let (log, sink) = Self.log(.info, .text)
        for milliseconds: Int64 in [0, 7, 957, 958, 86_400_000] {
            log.now = 1_795_000_000_042 + milliseconds
            log.say(.info, "x")
        }
        #expect(
            sink.lines.map { String($0.prefix(24)) } == [
                "2026-11-18T11:06:40.042Z", "2026-11-18T11:06:40.049Z", "2026-11-18T11:06:40.999Z",
                "2026-11-18T11:06:41.000Z", "2026-11-19T11:06:40.042Z",
            ])
    }

    @Test func `lines below the level are not written`() {
        let (log, sink) = Self.log(.error, .json)
        for level in LogLevel.allCases { log.say(level, "x") }
        #expect(sink.lines.count == 2)
    }

    @Test func `lines that are not read are kept for a while, then dropped and counted`() {
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
