import Bytes
import JSON
import Testing

/// Text that is written piece by piece.
@Suite struct WriterTests {
    private func text(_ write: (inout ByteWriter) -> Void) -> String {
        var out = ByteWriter(capacity: 1)
        write(&out)
        return out.string
    }

    @Test func `numbers are written as their decimal digits`() {
        var numbers = Array(0...20_000)
        var power = 10_000
        for _ in 5...18 {
            power *= 10
            numbers += [power - 1, power, power + 1, power * 9 + 7, power / 3]
        }
        for number in numbers + [.max, .min] {
            #expect(text { $0.append(number) } == String(number))
            #expect(text { $0.append(0 &- number) } == String(0 &- number))
        }
        #expect(text { $0.append(UInt.max) } == String(UInt.max))
    }

    @Test func `random numbers are written as their decimal digits`() {
        for _ in 0..<10_000 {
            let number = UInt.random(in: 0...UInt.max) >> UInt.random(in: 0..<64)
            #expect(text { $0.append(number) } == String(number))
        }
    }

    @Test(arguments: [
        ("", #""""#), ("plain, with é and 👍", #""plain, with é and 👍""#),
        ("\"", #""\"""#), ("a\\b", #""a\\b""#), ("a\u{8}\t\n\u{c}\r", #""a\b\t\n\f\r""#),
        ("\u{0}\u{f}\u{10}\u{1f}\u{7f}", "\"\\u0000\\u000f\\u0010\\u001f\u{7f}\""),
        ("line\nline", #""line\nline""#),
    ])
    func `strings are escaped where they must be`(_ string: String, _ expected: String) throws {
        #expect(text { $0.append(string: string) } == expected)
        #expect(try JSON(parsing: Array(expected.utf8)) == .string(string))
    }

    @Test func `the buffer grows for long and short text`() {
        let bytes = Array(repeating: UInt8(ascii: "x"), count: 5000)
        let written = text { out in
            out.append(bytes)
            out.append(bytes[10..<20])
            out.append("é")
            out.append(literal: "ok")
            out.append([])
        }
        #expect(written == String(repeating: "x", count: 5010) + "éok")
    }

    @Test func `members are written as their kind of value`() throws {
        let written = text { out in
            out.append(literal: "{")
            out.member(key: "a\"")
            out.append(literal: "1")
            out.member(key: "b")
            out.append(literal: "2")
            out.member("c", string: "d\n")
            out.member("e", hexadecimal: 0xAB)
            out.member("f", .array([.null, .object([:])]))
            out.member("g", names: ["h", "i"])
            out.member("j", names: [])
            out.append(literal: "}")
        }
        let expected =
            #"{"a\"":1,"b":2,"c":"d\n","e":"00000000000000ab","f":[null,{}],"#
            + #""g":["h","i"],"j":[]}"#
        #expect(written == expected)
        #expect(try JSON(parsing: Array(expected.utf8)) != .null)
    }

    @Test func `removing the text leaves nothing of it`() {
        var out = ByteWriter()
        out.append("a long text that was there before")
        out.removeAll()
        out.append(UInt8(ascii: "1"))
        let text = out.string
        #expect(text == "1")
    }
}
