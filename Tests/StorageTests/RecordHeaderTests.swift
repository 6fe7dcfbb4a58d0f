import Navigation
import Testing

@testable import Storage

/// What the start reads of a line beside what is read of it at other times.
@Suite("A record's header")
struct BriefTests {
    private static let usual = ",\"born\":7,\"undos\":0,\"next\":12345678"
    private static let end = ",\"elen\":2,\"event\":{},\"s\":{\"id\":\"a\"}"
    private static let start =
        "{\"n\":9,\"d\":8,\"op\":\"put\",\"id\":\"a\",\"rev\":1,\"at\":1795225000412"

    private static let bodies =
        ["12345678", "123456789012345", "1234567890123456", "9007199254740991"].map {
            "{\"n\":\($0),\"d\":8,\"op\":\"put\",\"id\":\"kiosk-1\",\"rev\":3,\"at\":5" + usual
                + end
        }
        + [
            "", ",\"exp\":1797817000412", ",\"exp\":-1", ",\"prev\":5",
            ",\"exp\":12345678,\"prev\":5",
        ].map { start + $0 + usual + end }
        + [
            ",\"app\":\"chat\"", ",\"labels\":{\"room\":\"lobby\",\"a\":\"\"}", ",\"labels\":{}",
            ",\"labels\":{\"a\":\"\\\"}\"}", ",\"undo\":[[24,25,183011],[28,28,184100]]",
            ",\"redo\":[[27,26,184002]]", ",\"undo\":[],\"redo\":[]", ",\"reach\":[[28,28,184100]]",
            ",\"key\":\"9f1c\",\"dig\":\"00c0ffee00c0ffee\"",
            ",\"key\":\"\",\"dig\":\"00c0ffee00c0ffee\"",
            ",\"key\":\"\\\"\",\"dig\":\"00c0ffee00c0ffee\"",
            ",\"key\":\"9f1c\",\"dig\":\"00c0ffee00c0ffeX\"",
            ",\"app\":\"chat\",\"labels\":{\"room\":\"lobby\"},\"key\":\"k\",\"dig\":\"00c0ffee00c0ffee\"",
        ].map { start + usual + $0 + end } + [
            start + ",\"born\":7,\"cur\":1,\"tip\":2,\"undos\":0,\"next\":1" + end,
            start + ",\"born\":7,\"cur\":1,\"undos\":0,\"next\":1" + end,
            start + ",\"cur\":-1,\"tip\":2,\"undos\":0,\"next\":1,\"born\":7" + end,
            start + usual, start + usual + ",\"elen\":900,\"event\":{},\"s\":{}",
            start + usual + ",\"elen\":2,\"event\":{},\"s\":", start, "{\"n\":0", "{", "",
            "{\"n\":9,\"d\":8,\"op\":\"delete\",\"id\":\"a\",\"rev\":4,\"at\":5,\"prev\":3,\"born\":2,"
                + "\"why\":\"expired\"",
            "{\"n\":9,\"d\":8,\"op\":\"mark\",\"at\":1795225000913",
            "{\"n\":9,\"d\":8,\"op\":\"seal\",\"at\":1795225100000,\"lines\":5",
            "{\"n\":9,\"d\":8,\"op\":\"app\",\"id\":\"chat\",\"at\":5,\"doc\":{}",
        ]

    private static func line(_ body: String) -> [UInt8] {
        Array((body + ",\"crc\":\"00000000\"}\n").utf8)
    }

    @Test("says what the envelope says, and is there if and only if that is", arguments: bodies)
    func agrees(body: String) {
        for before in ["", "another line\n"] {
            let bytes = Array(before.utf8) + Self.line(body)
            let line = before.utf8.count..<bytes.count
            let envelope = Envelope(bytes, line)
            #expect(RecordHeader(bytes, line) == envelope.map { RecordHeader($0, line) })
        }
    }

    @Test("whatever byte is another one", arguments: bodies)
    func oneByteElse(body: String) {
        let bytes = Self.line(body)
        for place in 0..<bytes.count - Line.endCount {
            for byte in [0x22, 0x2C, 0x30, 0x39, 0x3A, 0x5C, 0x7D, 0xFF] as [UInt8] {
                var other = bytes
                other[place] = byte
                let envelope = Envelope(other, other.indices)
                let whole = envelope.map { RecordHeader($0, other.indices) }
                #expect(
                    RecordHeader(other, other.indices) == whole,
                    "\(String(decoding: other, as: UTF8.self))")
            }
        }
    }

    @Test("a put that is written has one that is read quickly")
    func written() {
        for body in Self.bodies.prefix(2) {
            let bytes = Self.line(body)
            #expect(RecordHeader(bytes, bytes.indices)?.kind == .put)
        }
    }

    @Test(
        "what names a record that is not before it, or no session, is not one",
        arguments: [
            ("\"prev\":5", "\"prev\":9"), ("\"prev\":5", "\"prev\":10"),
            ("\"born\":7", "\"born\":10"), ("\"rev\":1", "\"rev\":0"),
            ("\"rev\":1", "\"rev\":-1"), ("\"id\":\"a\"", "\"id\":\"\""),
            ("\"id\":\"a\"", "\"id\":\"\(String(repeating: "a", count: 256))\""),
        ])
    func impossible(original: String, forged: String) throws {
        let body = Self.start + ",\"prev\":5" + Self.usual + Self.end
        #expect(RecordHeader(Self.line(body), Self.line(body).indices) != nil)
        let place = try #require(body.firstRange(of: original))
        let other = Self.line(body.replacingCharacters(place, with: forged))
        #expect(RecordHeader(other, other.indices) == nil)
        #expect(Envelope(other, other.indices) == nil)
    }
}

extension String {
    fileprivate func replacingCharacters(_ range: Range<Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}
