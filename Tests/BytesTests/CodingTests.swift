import Bytes
import Testing

@Suite struct PercentCodingTests {
    private func decoded(
        _ text: String, plusIsSpace: Bool = false, allowsControls: Bool = false
    ) -> String? {
        PercentCoding.decode(
            Array(text.utf8)[...], plusIsSpace: plusIsSpace, allowsControls: allowsControls)
    }

    @Test(arguments: [
        ("", ""), ("plain", "plain"), ("a%20b", "a b"), ("%2F", "/"), ("%C3%A9", "é"),
        ("%2525", "%25"), ("é", "é"), ("%7e", "~"), ("a+b", "a+b"),
    ])
    func `valid escapes are decoded once`(text: String, expected: String) {
        #expect(decoded(text) == expected)
    }

    @Test(arguments: ["%", "%4", "%4g", "%g4", "a%", "%%41", "%+1", "%C3", "%C3%28", "%FF"])
    func `bad escapes and bytes that are not UTF-8 are refused`(text: String) {
        #expect(decoded(text) == nil)
        #expect(decoded(text, allowsControls: true) == nil)
    }

    @Test(arguments: ["%00", "%1f", "%7F", "a\nb", "\u{7f}"])
    func `control bytes pass only where they are allowed`(text: String) {
        #expect(decoded(text) == nil)
        #expect(decoded(text, allowsControls: true) != nil)
    }

    @Test func `a plus is a space only in queries, and never when it was escaped`() {
        #expect(decoded("a+b%2Bc", plusIsSpace: true) == "a b+c")
        #expect(decoded("a+b%2Bc") == "a+b+c")
    }

    @Test func `encoded text decodes to the same text`() {
        let text = (0x01...0x7F).map { String(UnicodeScalar(UInt8($0))) }.joined() + "é👍"
        let encoded = PercentCoding.encode(text)
        #expect(encoded.utf8.allSatisfy { ASCII.isUnreserved($0) || $0 == ASCII.percent })
        #expect(decoded(encoded, allowsControls: true) == text)
        #expect(PercentCoding.encode("a b/ü") == "a%20b%2F%C3%BC")
    }

    @Test func `a slice is decoded where it is in its array`() {
        let bytes = Array("xx%41yy".utf8)
        #expect(
            PercentCoding.decode(bytes[2..<5], plusIsSpace: false, allowsControls: false) == "A")
        #expect(
            PercentCoding.decode(bytes[2..<4], plusIsSpace: false, allowsControls: false) == nil)
    }
}

@Suite struct CivilDateTests {
    @Test(arguments: [
        (0, 1970, 1, 1, 4), (-1, 1969, 12, 31, 3), (59, 1970, 3, 1, 0), (11_016, 2000, 2, 29, 2),
        (11_017, 2000, 3, 1, 3), (19_782, 2024, 2, 29, 4), (2_932_896, 9999, 12, 31, 5),
        (-719_528, 0, 1, 1, 6), (47_541, 2100, 3, 1, 1),
    ])
    func `known days have their dates`(
        days: Int, year: Int, month: Int, day: Int, weekday: Int
    ) {
        let date = CivilDate(daysSince1970: days)
        #expect(date == CivilDate(year: year, month: month, day: day))
        #expect(date.weekday == weekday)
        #expect(date.daysSince1970 == days)
    }

    @Test func `each day follows the one before for 800 years`() {
        var before = CivilDate(daysSince1970: -146_097)
        for days in -146_096...146_097 {
            let date = CivilDate(daysSince1970: days)
            #expect(date.daysSince1970 == days)
            #expect(date.weekday == (before.weekday + 1) % 7)
            if date.day != 1 {
                #expect(date.day == before.day + 1 && date.month == before.month)
            } else {
                #expect(date.month == before.month % 12 + 1 && before.day >= 28)
            }
            before = date
        }
    }
}

@Suite struct UTF8SequenceTests {
    @Test func `every scalar is one sequence of its length`() {
        for value in UInt32(0)...0x10FFFF where value % 7 == 0 || value < 0x3000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let bytes = Array(String(scalar).utf8)
            #expect(UTF8Sequence.length(in: bytes, at: 0, end: bytes.count) == bytes.count)
            #expect(
                UTF8Sequence.length(in: bytes, at: 0, end: bytes.count - 1) == nil || value < 0x80)
        }
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80],
            [0xF0, 0x8F, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xF0, 0x9F, 0x98, 0x41],
        ] as [[UInt8]])
    func `overlong forms, surrogates and broken sequences are refused`(bytes: [UInt8]) {
        #expect(UTF8Sequence.length(in: bytes, at: 0, end: bytes.count) == nil)
    }
}

@Suite struct FNV1aTests {
    @Test func `the published values are computed`() {
        var hash = FNV1a()
        #expect(hash.hash == 0xcbf2_9ce4_8422_2325)
        hash.mix("foobar".utf8)
        #expect(hash.hash == 0x8594_4171_f739_67e8)
    }

    @Test func `a separator tells where the pieces end`() {
        func hash(_ pieces: [String]) -> UInt64 {
            var hash = FNV1a()
            for piece in pieces {
                hash.mix(piece.utf8)
                hash.mixSeparator()
            }
            return hash.hash
        }
        #expect(hash(["ab", "c"]) != hash(["a", "bc"]))
    }
}

@Suite struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"),
        ("Zm9vYmE=", "fooba"), ("Zm9vYmFy", "foobar"), ("w6k=", "é"),
    ])
    func `the vectors of RFC 4648 are decoded and encoded`(text: String, expected: String) {
        #expect(Base64.decode(text) == Array(expected.utf8))
        #expect(Base64.encode(Array(expected.utf8)) == text)
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zm8", "Zh==", "Zm9=", "=", "====", "Zg==Zg==", "Zm9v\n", "Zm-v", "Zm_v",
        "Zm 9", "é===",
    ])
    func `anything else is refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
