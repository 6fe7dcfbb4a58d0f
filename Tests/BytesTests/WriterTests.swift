import Bytes
import Testing

@Suite struct ByteWriterTests {
    @Test(
        arguments: [
            (0, 1, "0"), (0xF, 1, "f"), (0xF, 4, "000f"), (0xDEAD_BEEF, 8, "deadbeef"),
            (0x1234, 2, "34"), (UInt64.max, 16, "ffffffffffffffff"),
        ] as [(UInt64, Int, String)])
    func `the lowest hexadecimal digits are written`(
        _ number: UInt64, _ digits: Int, _ expected: String
    ) {
        var out = ByteWriter()
        out.append(hexadecimal: number, digits: digits)
        let text = out.string
        #expect(text == expected)
    }

    @Test(arguments: [1, 2, 255, 256, 257, 10_000])
    func `the buffer grows and keeps the text`(_ count: Int) {
        var out = ByteWriter(capacity: 1)
        for index in 0..<count { out.append(UInt8(truncatingIfNeeded: index)) }
        let expected = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let written = out.count
        #expect(written == count)
        let spanned = out.withText { text in text.indices.map { text[$0] } }
        #expect(spanned == expected)
        let text = out.finish()
        #expect(text == expected)
    }

    @Test(arguments: 1...40)
    func `members and elements are separated by commas`(capacity: Int) {
        var out = ByteWriter(capacity: capacity)
        out.object("a")
        out.append(-1)
        out.member("b", UInt64(1) << 62)
        out.member("c", false)
        out.member("d", plain: "{")
        out.member("e", json: [0x7B, 0x7D])
        out.member("f")
        out.append(literal: "[")
        for _ in 0..<3 {
            out.element()
            out.object("g")
            out.append(true)
            out.append(literal: "}")
        }
        out.append(literal: "]}")
        let text = out.string
        let expected =
            #"{"a":-1,"b":4611686018427387904,"c":false,"d":"{","e":{},"#
            + #""f":[{"g":true},{"g":true},{"g":true}]}"#
        #expect(text == expected)
    }

    @Test func `text gets quotes, also where the buffer ends`() {
        for before in 0...40 {
            for count in 0...40 {
                var out = ByteWriter(capacity: 32)
                let start = [UInt8](repeating: 0x2E, count: before)
                let text = (0..<count).map { UInt8(0x61 + $0 % 26) }
                out.append(start)
                out.append(quoting: text.span)
                let quoted = out.finish()
                #expect(quoted == start + [0x22] + text + [0x22])
            }
        }
    }
}

@Suite struct EditDistanceTests {
    @Test(arguments: [
        ("", "", 0), ("", "abc", 3), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "ab", 1),
        ("abc", "xabc", 1), ("abc", "acb", 1), ("ca", "abc", 3), ("kitten", "sitting", 3),
        ("flaw", "lawn", 2), ("a", "é", 1), ("intention", "execution", 5),
    ])
    func `changes and swaps of neighbours are counted`(_ a: String, _ b: String, _ distance: Int) {
        let (a, b) = (Array(a.unicodeScalars), Array(b.unicodeScalars))
        #expect(EditDistance.between(a, b, atMost: 9) == distance)
        #expect(EditDistance.between(b, a, atMost: 9) == distance)
        #expect(EditDistance.between(a, b, atMost: distance) == distance)
        #expect(distance == 0 || EditDistance.between(a, b, atMost: distance - 1) == nil)
    }

    @Test func `distances of all short words keep the laws of a distance`() {
        var words: [[Unicode.Scalar]] = [[]]
        for length in 0..<4 {
            for word in words where word.count == length { words += [word + ["a"], word + ["b"]] }
        }
        for a in words {
            for b in words {
                guard let distance = EditDistance.between(a, b, atMost: 4) else {
                    Issue.record("more than as many changes as the longer word has letters")
                    continue
                }
                #expect((distance == 0) == (a == b))
                #expect(distance == EditDistance.between(b, a, atMost: 4))
                #expect(distance >= abs(a.count - b.count))
                #expect(EditDistance.between(a, b, atMost: distance) == distance)
                #expect(EditDistance.between(a, b, atMost: distance - 1) == nil)
            }
        }
    }
}

@Suite struct SaturatedDecimalTests {
    @Test(arguments: [
        ("0", 0), ("007", 7), ("65535", 65_535), ("9223372036854775806", Int.max - 1),
        ("9223372036854775807", .max), ("9223372036854775808", .max),
        ("00000000000000000000000000001", 1), ("99999999999999999999999999999", .max),
    ])
    func `a number that is too large is the largest`(_ text: String, _ expected: Int) {
        #expect(Decimal.saturated(Array(text.utf8).span) == expected)
    }

    @Test(arguments: ["", "+1", "-1", " 1", "1 ", "1.0", "x", "99999999999999999999x", "１"])
    func `anything but digits is not a number`(_ text: String) {
        #expect(Decimal.saturated(Array(text.utf8).span) == nil)
    }
}
