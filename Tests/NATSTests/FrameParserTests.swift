import NATS
import TestSupport
import Testing

/// The parsing of server operations, whole and split.
@Suite struct FrameParserTests {
    @Test(arguments: [
        ("PING\r\n", Outcome.ping), ("ping \r\n", .ping), ("PONG\r\n", .pong), ("+OK\r\n", .ok),
        ("-ERR 'Stale Connection'\r\n", .error("Stale Connection")),
        ("-ERR  Stale 'Connection \r\n", .error("Stale 'Connection")),
        ("-ERR 'it's \"x\"'\r\n", .error("it's \"x\"")), ("-ERR\r\n", .error("")),
        ("-err '\r\n", .error("'")), ("-ERR ''\r\n", .error("")),
    ])
    func `an operation without a payload`(text: String, expected: Outcome) {
        #expect(judge(text) == [expected])
        #expect(judge(text + "PING\r\n") == [expected, .ping])
    }

    @Test func `a message with and without a reply subject, headers and payload`() throws {
        let plain = judge("MSG nav.000.s.a 7 3\r\none\r\nPING\r\n")
        #expect(plain == [.message(Summary(try message("MSG nav.000.s.a 7 3\r\none\r\n"))), .ping])
        let whole = judge("hmsg  a.b\t12 r.1  18 23 \r\nNATS/1.0\r\nN: v\r\n\r\nMSG\r\n\r\n")
        guard case .message(let summary) = whole.first else {
            Issue.record("\(whole)")
            return
        }
        #expect(summary.subject == "a.b" && summary.subscription == 12 && summary.reply == "r.1")
        #expect(summary.payload == "MSG\r\n" && summary.headers == ["", "v"])
        let empty = try message("MSG a 1 0\r\n\r\n")
        #expect(empty.content.isEmpty && empty.reply == nil)
        #expect(try empty.headers() == nil)
    }

    @Test(arguments: [
        ("HTTP/1.1 400 Bad Request\r\n", FrameError.unknownVerb), ("\u{16}\u{03}", .unknownVerb),
        ("\r\n", .unknownVerb), ("\n", .unknownVerb), (" PING\r\n", .unknownVerb),
        ("PINGS\r\n", .unknownVerb), ("P\r\n", .unknownVerb), ("PUB a 0\r\n", .unknownVerb),
        ("+OKAY\r\n", .unknownVerb), ("M", nil), ("MSG", nil), ("PING\r", nil),
        ("PING\n", .lineEnd), ("MSG a 1 0\n\r\n", .lineEnd), ("PING x\r\n", .arguments(.ping)),
        ("PONG 1\r\n", .arguments(.pong)), ("+OK ok\r\n", .arguments(.ok)),
        ("MSG\r\n", .arguments(.message)), ("MSG a 1\r\n", .arguments(.message)),
        ("MSG a 1 b c 0\r\n", .arguments(.message)), ("MSG a x 0\r\n", .arguments(.message)),
        ("MSG a 1 -1\r\n", .arguments(.message)), ("MSG a 1 1.0\r\n", .arguments(.message)),
        ("MSG a 1 0x1\r\n", .arguments(.message)), ("MSG a -1 0\r\n", .arguments(.message)),
        ("HMSG a 1 12\r\n", .arguments(.messageWithHeaders)),
        ("HMSG a 1 b c 12 12\r\n", .arguments(.messageWithHeaders)),
        ("HMSG a 1 b c d 12 12\r\n", .arguments(.messageWithHeaders)),
        ("HMSG a 1 11 20\r\n", .headerSize(11)), ("HMSG a 1 13 12\r\n", .headerSize(13)),
        ("HMSG a 1 0 0\r\n", .headerSize(0)),
        ("MSG a 1 3\r\nabcd\r\n", .payloadEnd), ("MSG a 1 3\r\nabc\n\r", .payloadEnd),
        ("MSG a 1 3\r\nabcPING\r\n", .payloadEnd),
        ("-ERR '\u{1}'\r\n", .errorText), ("-ERR '\u{7f}'\r\n", .errorText),
        ("INFO \r\n", nil), ("INFO []\r\n", .info(.notAnObject)),
        ("INFO {}\r\n", .info(.member("version"))),
    ])
    func `input that violates the protocol is rejected`(text: String, error: FrameError?) {
        let found = judge(text)
        guard let error else {
            // An incomplete operation, or an `INFO` without any JSON.
            if case .refused(.info(.json)) = found.last { return }
            #expect(found == [.more])
            return
        }
        #expect(found == [.refused(error)])
    }

    @Test func `invalid UTF-8 is rejected where text is expected`() {
        #expect(judge(Array("-ERR '".utf8) + [0xFF, 0x27, 13, 10]) == [.refused(.errorText)])
        let line = Array("MSG a".utf8) + [0xC0] + Array(" 1 0\r\n\r\n".utf8)
        guard case .message = judge(line).first else {
            Issue.record("the link ends")
            return
        }
        #expect(throws: SubjectError.notUTF8) { try message(line).subject() }
    }

    @Test func `sizes are checked before memory is allocated for them`() {
        let limits = ProtocolLimits(payloadBytesMax: 300, headerBytesMax: 30)
        let max = limits.messageBytesMax
        func found(_ text: String) -> [Outcome] { outcomes(Array(text.utf8), limits: limits) }
        #expect(found("MSG a 1 \(max)\r\n") == [.more])
        for size in ["\(max + 1)", "99999999999999999999", "9223372036854775807"] {
            guard case .refused(.messageTooLarge) = found("MSG a 1 \(size)\r\n").last else {
                Issue.record("\(size) is not too large")
                continue
            }
        }
        #expect(found("HMSG a 1 30 30\r\n") == [.more])
        let large = FrameError.headersTooLarge(bytes: 31, bytesMax: 30)
        #expect(found("HMSG a 1 31 31\r\n") == [.refused(large)])
        #expect(found("HMSG a 1 99999999999999999999 31\r\n").count == 1)
        // A stored message of maximum size fits in base64.
        #expect(max >= (300 + 30 + 2) / 3 * 4 + 1_000)
    }

    @Test func `a control line has at most 4096 bytes, and INFO at most 65,536`() {
        func line(_ length: Int) -> [UInt8] {
            Array("MSG ".utf8) + Array(repeating: 0x61, count: length - 8) + Array(" 1 0".utf8)
        }
        let end = Array("\r\n\r\n".utf8)
        let fits = outcomes(line(4096) + end, cuts: [4095, 4096, 4097])
        guard case .message = fits.first else {
            Issue.record("\(fits)")
            return
        }
        let tooLong = [Outcome.refused(.lineTooLong(bytesMax: 4096))]
        #expect(outcomes(line(4097) + end) == tooLong)
        #expect(outcomes(line(4098)) == tooLong)
        #expect(outcomes(line(4098), cuts: Array(4000..<4098)) == tooLong)
        #expect(outcomes(line(4097)) == [.more])
        let info = Array("INFO ".utf8) + Array(repeating: 0x20, count: 65_536 - 5)
        #expect(outcomes(info) == [.more])
        #expect(outcomes(info + [0x20, 0x20]) == [.refused(.lineTooLong(bytesMax: 65_536))])
    }

    @Test func `a message that arrives byte by byte is not scanned again for each byte`() {
        let payload = Array(repeating: UInt8(0x0A), count: 1 << 20)
        let bytes = Array("MSG a 1 \(payload.count)\r\n".utf8) + payload + [13, 10]
        var parser = FrameParser()
        let before = secondsOfThread
        for end in 0..<bytes.count { _ = parser.parse(bytes, from: 0, to: end) }
        // Quadratic work would take minutes.
        #expect(secondsOfThread - before < 20)
        guard
            case .frame(.message(let message), let consumed) = parser.parse(
                bytes, from: 0, to: bytes.count)
        else {
            Issue.record("not parsed")
            return
        }
        #expect(consumed == bytes.count && message.content.count == payload.count)
    }

    /// Recorded operations, with and without random changes, parse the same wherever they are
    /// split.
    @Test(.seeded) func `modified operations parse the same wherever they are split`() {
        var dice = SplitMix64()
        let seeds = Transcript.answers.values.filter { $0.count < 2_000 }.sorted {
            $0.lexicographicallyPrecedes($1)
        }
        let pieces = [
            "\r\n", "\n", " ", "MSG a 1 3\r\n", "HMSG ", "99999999999999999999", "-1", "PING\r\n",
            "'", ":", "NATS/1.0", "\0", "{", "\"",
        ]
        var tally = (messages: 0, refusals: 0)
        for _ in 0..<4_000 {
            var bytes = dice.one(of: seeds)
            for _ in 0..<dice.below(3) {
                let place = dice.below(bytes.count + 1)
                let end = min(bytes.count, place + dice.below(5))
                switch dice.below(3) {
                case 0: bytes.insert(contentsOf: dice.one(of: pieces).utf8, at: place)
                case 1: bytes.removeSubrange(place..<end)
                default: if place < bytes.count { bytes[place] = UInt8(dice.below(256)) }
                }
            }
            let expected = outcomes(bytes)
            let cuts = (0..<3).map { _ in dice.below(bytes.count + 1) }.sorted()
            guard outcomes(bytes, cuts: cuts) == expected else {
                Issue.record("\(String(decoding: bytes, as: UTF8.self)) cut at \(cuts)")
                return
            }
            for outcome in expected {
                if case .message = outcome { tally.messages += 1 }
                if case .refused = outcome { tally.refusals += 1 }
            }
        }
        #expect(tally.messages > 100 && tally.refusals > 100)
    }
}
