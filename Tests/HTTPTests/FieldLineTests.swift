import Bytes
import HTTP
import Testing

@Suite struct FieldLineTests {
    @Test(arguments: Field.allCases)
    func `each known field is found in any case`(field: Field) {
        let value = field == .contentLength ? "0" : field == .transferEncoding ? "chunked" : "x"
        for name in [field.name, field.name.uppercased()] where field != .expect {
            let lines = field == .host ? ["\(name): x"] : ["Host: a", "\(name): \(value)"]
            let body = field == .transferEncoding ? "0\r\n\r\n" : ""
            let text = lines.joined(separator: "\r\n")
            let verdict = judge("GET / HTTP/1.1\r\n\(text)\r\n\r\n\(body)")
            #expect(verdict.summary?.lines[field] == [value])
        }
    }

    @Test func `blanks around a value do not belong to it`() {
        let summary = judge(get("Accept: \t a, b \t ", "Prefer:x", "Origin:", "If-Match: \t "))
            .summary
        #expect(summary?.lines[.accept] == ["a, b"])
        #expect(summary?.lines[.prefer] == ["x"])
        #expect(summary?.lines[.origin] == [""])
        #expect(summary?.lines[.ifMatch] == [""])
    }

    @Test func `unknown fields are accepted and ignored`() {
        let summary = judge(get("X-Anything!#$%&'*+-.^_`|~09: value", "\(long(200)): y")).summary
        #expect(summary?.lines.keys.count == 1)
    }

    @Test func `bytes above ASCII are opaque in values`() {
        let message = Array("GET / HTTP/1.1\r\nHost: a\r\nX-Request-ID: ".utf8) + [0xFF, 0x80]
        let verdict = judge(message + Array("\r\n\r\n".utf8))
        #expect(verdict.summary?.lines[.xRequestID] == [nil])
    }

    @Test(arguments: [
        ": v", "Name : v", "Name\t: v", "Na me: v", "Name", "N\u{e9}me: v", "Na(me: v", "\"N\": v",
        "Name\u{301}: v", "@: v", "Name\r", "=: v",
    ])
    func `a name is token bytes, directly followed by a colon`(line: String) {
        let refusals: [Verdict] = [.refused(.fieldName), .refused(.bareCarriageReturn)]
        #expect(refusals.contains(judge(get(line))))
    }

    @Test(arguments: [" folded", "\tfolded", " "])
    func `folded lines are refused`(line: String) {
        #expect(judge(get("Accept: a", line)) == .refused(.foldedField))
        #expect(judge(wire("GET / HTTP/1.1", line, "Host: a")) == .refused(.foldedField))
    }

    @Test(arguments: [0x00, 0x01, 0x08, 0x0B, 0x0C, 0x1B, 0x7F] as [UInt8])
    func `control bytes in names and values are refused`(byte: UInt8) {
        let head = "GET / HTTP/1.1\r\nHost: a\r\nX"
        let inName = Array(head.utf8) + [byte] + Array(": v\r\n\r\n".utf8)
        let inValue = Array((head + ": v").utf8) + [byte] + Array("\r\n\r\n".utf8)
        #expect(judge(inName) == .refused(.controlByte(byte)))
        #expect(judge(inValue) == .refused(.controlByte(byte)))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: y\nZ: 1\r\n\r\n", "GET / HTTP/1.1\r\n\nHost: a\r\n\r\n",
    ])
    func `a line feed alone ends no line of the head`(message: String) {
        #expect(judge(message) == .refused(.bareLineFeed))
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\r\rX: y\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\r\n",
        "GET / HTTP/1.1\r\nX: a\rb\r\nHost: a\r\n\r\n",
    ])
    func `a carriage return alone ends no line of the head`(message: String) {
        #expect(judge(message) == .refused(.bareCarriageReturn))
    }

    @Test(arguments: [
        Field.host, .contentType, .contentLength, .transferEncoding, .authorization, .origin,
        .idempotencyKey, .secFetchSite,
    ])
    func `a second line of a field that must be alone is refused`(field: Field) {
        let line = "\(field.name): \(field == .transferEncoding ? "chunked" : "1")"
        let message = wire("GET / HTTP/1.1", line, field == .host ? "x: y" : "Host: a", line)
        #expect(judge(message) == .refused(.repeatedField(field)))
    }

    @Test func `lists may come on several lines, in order`() {
        let summary = judge(
            get("If-Match: \"a\"", "X: if-match: no", "IF-MATCH:\"b\" ", "Accept: z", "if-match: "))
        #expect(summary.summary?.lines[.ifMatch] == ["\"a\"", "\"b\"", ""])
    }

    @Test func `for a field whose repetition is harmless the first line counts`() {
        let summary = judge(get("Traceparent: one", "Traceparent: two")).summary
        #expect(summary?.lines[.traceparent] == ["one"])
    }

    @Test func `a Kelvin sign is not a k`() {
        #expect(judge(get("Transfer-Encoding: chun\u{212A}ed")) == .refused(.transferEncoding))
        let summary = judge(get("Connection: \u{212A}eep-alive", "Connection: clo\u{17F}e")).summary
        #expect(summary?.keepsAlive == true)
    }

    /// Bytes that are read eight at once are read alone where fewer are left.
    @Test(arguments: Array(0x00...0x30) + [0x3F] + Array(0x7D...0x82) + [0xFF] as [UInt8])
    func `a byte has the same result at each position`(byte: UInt8) {
        for place in 0..<10 {
            var text = [UInt8](repeating: 0x61, count: 12)
            text[place] = byte
            let target = Array("GET /".utf8) + text + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            let value = Array("GET / HTTP/1.1\r\nHost: a\r\nAccept:".utf8) + text
            for message in [target, value + Array("\r\n\r\n".utf8)] {
                let alone = parsed(message, cuts: Array(message.indices), ParserLimits())
                #expect(whole(message) == alone, "at \(place)")
            }
        }
    }

    @Test func `a refusal comes with the byte, not with the end of the head`() {
        let start = "GET / HTTP/1.1\r\nHost: a\r\nX: " + long(5_000)
        #expect(whole(Array((start + "\u{0}").utf8)) == .refused(.controlByte(0)))
        #expect(whole(Array((start + "\n").utf8)) == .refused(.bareLineFeed))
        #expect(whole(Array((start + "\r\n ").utf8)) == .refused(.foldedField))
        #expect(whole(Array((start + "\r\nX Y").utf8)) == .refused(.fieldName))
        #expect(whole(Array(start.utf8)) == .needsMore)
    }
}

func long(_ count: Int) -> String { String(repeating: "a", count: count) }
