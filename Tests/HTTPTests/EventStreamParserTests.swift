import Bytes
import HTTP
import Testing

/// Server-sent events as a client reads them.
@Suite struct EventStreamParserTests {
    private func read(_ parts: [[UInt8]]) throws -> [StreamedEvent] {
        var parser = EventStreamParser(eventBytesMax: 1_000)
        return try parts.flatMap { try parser.feed($0) }
    }

    private func event(_ name: String, _ id: String, _ data: String) -> StreamedEvent {
        StreamedEvent(name: name, id: id, data: Array(data.utf8))
    }

    private static let stream =
        "\u{FEFF}id: 1\nevent: snapshot\ndata: {}\n\n:\n\nretry: 900\n\n"
        + "event:change\r\ndata:a\r\ndata: b\r\nunknown\r\n\r\nid: 3\rdata\r\rid: 4\n\ndata: last\n\n"

    private var expected: [StreamedEvent] {
        [
            event("snapshot", "1", "{}"), event("change", "1", "a\nb"), event("", "3", ""),
            event("", "4", "last"),
        ]
    }

    @Test func `a stream is read whole, byte by byte, and cut at every byte`() throws {
        let bytes = Array(Self.stream.utf8)
        #expect(try read([bytes]) == expected)
        #expect(try read(bytes.map { [$0] }) == expected)
        for cut in bytes.indices {
            let parts = [Array(bytes[..<cut]), Array(bytes[cut...])]
            #expect(try read(parts) == expected, "cut at \(cut)")
        }
    }

    @Test func `what the encoder writes is read again`() throws {
        var out = ByteWriter()
        let (lines, letter) = (Array("x\ny".utf8), Array("z".utf8))
        EventStreamEncoder.append(event: "change", id: 7, to: &out) { $0.append(lines) }
        EventStreamEncoder.append(event: "hello", id: nil, to: &out) { $0.append(letter) }
        let bytes = out.finish()
        #expect(try read([bytes]) == [event("change", "7", "x\ny"), event("hello", "7", "z")])
    }

    @Test func `an event that does not end is not an event`() throws {
        #expect(try read([Array("id: 1\ndata: x\n".utf8)]).isEmpty)
        #expect(try read([Array("event: x\nid: 2\n\n".utf8)]).isEmpty)
    }

    @Test func `an id that was there before is kept, and one with NUL is ignored`() throws {
        var parser = EventStreamParser(after: "9", eventBytesMax: 100)
        let events = try parser.feed(Array("data: x\n\nid: 1\0\ndata: y\n\n".utf8))
        #expect(events.map(\.id) == ["9", "9"])
    }

    @Test func `the waiting time is a number`() throws {
        var parser = EventStreamParser(eventBytesMax: 100)
        #expect(parser.retryMilliseconds == nil)
        _ = try parser.feed(Array("retry: 900\nretry: soon\nretry: -1\n\n".utf8))
        #expect(parser.retryMilliseconds == 900)
    }

    @Test func `an event has a limit, in one line and in many`() {
        let long = Array(String(repeating: "x", count: 1_001).utf8)
        #expect(throws: EventTooLargeError.self) { try read([long]) }
        let lines = Array(String(repeating: "data: 0123456789\n", count: 101).utf8)
        #expect(throws: EventTooLargeError.self) { try read([lines]) }
        let events = Array(String(repeating: "data: 0123456789\n\n", count: 200).utf8)
        #expect(throws: Never.self) { try read([events]) }
    }
}
