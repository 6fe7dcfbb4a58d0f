import HTTP
import TestSupport
import Testing

@Suite struct RequestIDTests {
    private func id(_ fields: String...) throws -> String? {
        let lines = fields.map { $0 + "\r\n" }.joined()
        let message = "GET / HTTP/1.1\r\nHost: localhost\r\n\(lines)\r\n"
        return RequestID(of: try #require(try Request.parsed(Array(message.utf8))))?.sentText
    }

    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00-\(trace)-00f067aa0ba902b7-01"

    @Test(arguments: ["7", "a.B-c_9~/:=+", String(repeating: "x", count: 128)])
    func `the client's id is taken over`(text: String) throws {
        #expect(try id("X-Request-Id: \(text)") == text)
        #expect(try id("X-Request-Id: \(text)", "traceparent: \(Self.parent)") == text)
    }

    @Test(arguments: [
        "", "a b", "a\"b", "a\\b", "a,b", "a{b}", "<a>", "é", "a\tb",
        String(repeating: "x", count: 129),
    ])
    func `an id that a log would have to escape is not taken over`(text: String) throws {
        #expect(try id("X-Request-Id: \(text)") == nil)
        #expect(try id("X-Request-Id: \(text)", "traceparent: \(Self.parent)") == Self.trace)
    }

    @Test func `a trace of a later version may have more parts`() throws {
        #expect(try id("traceparent: \(Self.parent)") == Self.trace)
        #expect(try id("traceparent: cc-\(Self.trace)-00f067aa0ba902b7-01-more") == Self.trace)
        #expect(try id() == nil)
    }

    @Test(arguments: [
        "ff-\(trace)-00f067aa0ba902b7-01", "00-\(trace)-00f067aa0ba902b7",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "0-\(trace)-00f067aa0ba902b7-01", "00-\(trace)0-00f067aa0ba902b7-01",
        "00-\(trace)-00f067aa0ba902b-01", "00-\(trace)-00f067aa0ba902b7-1",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-\(trace.dropLast())g-00f067aa0ba902b7-01", "", "---",
    ])
    func `a malformed trace is no id`(text: String) throws {
        #expect(try id("traceparent: \(text)") == nil)
    }

    @Test func `ids of one process differ, and look random`() {
        var ids: Set<String> = []
        var made = RequestIDs(seed: 0xFFFF_FFFF_FFFF_F000)
        for _ in 0..<20_000 {
            let text = made.next().text
            #expect(text.utf8.count == 16 && ids.insert(text).inserted)
        }
        #expect(Set(ids.map { $0.prefix(2) }).count == 256)
    }
}
