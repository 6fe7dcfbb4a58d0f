import HTTP
import Testing

/// The classes of bytes are inside; here they are held to the RFC's own lists from outside.
@Suite struct ByteClassTests {
    private func isTaken(_ bytes: [UInt8], before: String, behind: String) -> Bool {
        whole(Array(before.utf8) + bytes + Array(behind.utf8)).summary != nil
    }

    @Test func `a name consists of the token bytes of RFC 9110`() {
        let token = Set("!#$%&'*+-.^_`|~".utf8).union(0x30...0x39).union(0x41...0x5A).union(
            0x61...0x7A)
        for byte in UInt8.min...UInt8.max {
            let name = [0x78, byte]
            let taken = isTaken(name, before: "GET / HTTP/1.0\r\n", behind: ": v\r\n\r\n")
            // A colon ends the name early and begins the value.
            #expect(taken == (token.contains(byte) || byte == 0x3A), "byte \(byte)")
        }
    }

    @Test func `a value consists of blanks, visible bytes and bytes above ASCII`() {
        for byte in UInt8.min...UInt8.max {
            let taken = isTaken(
                [0x78, byte, 0x78], before: "GET / HTTP/1.0\r\nA: ", behind: "\r\n\r\n")
            #expect(taken == (byte == 9 || (byte >= 0x20 && byte != 0x7F)), "byte \(byte)")
        }
    }

    @Test func `a target has visible ASCII without a number sign`() {
        for byte in UInt8.min...UInt8.max {
            let taken = isTaken([byte], before: "GET /", behind: " HTTP/1.0\r\n\r\n")
            #expect(taken == (byte > 0x20 && byte < 0x7F && byte != 0x23), "byte \(byte)")
        }
    }

    @Test func `a value is compared with a name regardless of the case of ASCII letters`() {
        let text = "localhost-127.0.0.1-az"
        for count in 0...text.utf8.count {
            let name = Array(text.utf8.prefix(count))
            let wanted = StaticName(stringLiteral: String(decoding: name, as: UTF8.self))
            #expect((name + [0x61]).matches(0..<count, ignoringCase: wanted))
            #expect(!(name + [0x61]).matches(0..<count + 1, ignoringCase: wanted))
            for index in 0..<count {
                for byte in UInt8.min...UInt8.max {
                    var bytes = name.map { $0 &- 0x61 < 26 ? $0 ^ 0x20 : $0 }
                    bytes[index] = byte
                    let isLetter = byte &- 0x41 < 26
                    let isSame = name[index] == (isLetter ? byte | 0x20 : byte)
                    #expect(bytes.matches(0..<count, ignoringCase: wanted) == isSame)
                }
            }
        }
    }

    @Test func `a host name has unreserved bytes and sub-delimiters`() {
        let name = Set("-._~!$&'()*+,;=".utf8).union(0x30...0x39).union(0x41...0x5A).union(
            0x61...0x7A)
        for byte in UInt8.min...UInt8.max {
            let taken = isTaken(
                [0x78, byte, 0x78], before: "GET / HTTP/1.1\r\nHost: ", behind: "\r\n\r\n")
            #expect(taken == name.contains(byte), "byte \(byte)")
        }
    }
}
