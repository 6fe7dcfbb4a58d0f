import Bytes
import Testing

@Suite struct EightBytesTests {
    /// All marks of a word that a loop over its bytes would set first.
    private func count(_ bytes: [UInt8], before isIt: (UInt8) -> Bool) -> Int {
        bytes.firstIndex(where: isIt) ?? 8
    }

    @Test func `a byte is found where it first occurs, among bytes that confuse a subtraction`() {
        let alphabet: [UInt8] = [0x00, 0x01, 0x21, 0x22, 0x23, 0x7F, 0x80, 0xA2, 0xFF]
        var state: UInt64 = 1
        for _ in 0..<50_000 {
            var bytes: [UInt8] = []
            for _ in 0..<8 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes.append(alphabet[Int(state >> 33) % alphabet.count])
            }
            let word = EightBytes(bytes.span, at: 0)
            #expect(word.count(before: 0x22) == count(bytes) { $0 == 0x22 })
            #expect(EightBytes.count(before: word.marks(below: 0x20)) == count(bytes) { $0 < 0x20 })
        }
    }

    @Test func `only letters change their case`() {
        for first in stride(from: UInt8(0), to: 0x80, by: 8) {
            let bytes = (0..<8).map { first + UInt8($0) }
            var word = EightBytes(bytes.span, at: 0)
            word.lowercase()
            let expected = bytes.map { ASCII.lowercased($0) }
            #expect(word.word == ByteSearch.word(expected, at: 0))
        }
    }

    @Test func `the bytes after the kept ones are cleared`() {
        let bytes = [UInt8](repeating: 0xFF, count: 8)
        for kept in 1...8 {
            var word = EightBytes(bytes.span, at: 0)
            word.keep(kept)
            #expect(word.word.nonzeroBitCount == kept * 8)
            #expect(word.word.trailingZeroBitCount == 0)
        }
    }

    @Test func `a byte's place is found in every range`() {
        let bytes = Array("abcdefghijklmnopqrs,tuvwxyz,".utf8)
        for start in bytes.indices {
            for end in start...bytes.count {
                let expected = bytes[start..<end].firstIndex(of: ASCII.comma) ?? end
                #expect(bytes.span.index(of: ASCII.comma, in: start..<end) == expected)
                #expect(
                    ByteSearch.first(ASCII.comma, in: bytes, start..<end)
                        == bytes[start..<end].firstIndex(of: ASCII.comma))
            }
        }
    }
}

@Suite struct ByteSearchTests {
    @Test func `ranges are ordered like their bytes, the shorter one first`() {
        let texts = ["", "a", "ab", "abc", "b", "ba", "\u{7f}", "é", "\u{10FFFF}"]
        for a in texts {
            for b in texts {
                let order = ByteSearch.order(
                    Array(("x" + a).utf8), in: 1..<1 + a.utf8.count, against: Array(b.utf8),
                    in: 0..<b.utf8.count)
                let expected =
                    a.utf8.elementsEqual(b.utf8)
                    ? 0 : (a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1)
                #expect(order.signum() == expected, "\(a) \(b)")
            }
        }
    }

    @Test func `a word has its first byte lowest, at any offset`() {
        let bytes = (0..<24).map { UInt8($0) }
        for offset in 0...16 {
            let word = ByteSearch.word(bytes, at: offset)
            #expect(word == bytes.span.word(at: offset))
            #expect(
                (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
                    == Array(bytes[offset..<offset + 8]))
        }
    }
}

@Suite struct CRC32CTests {
    @Test func `the published values are computed`() {
        let digits = Array("123456789".utf8)
        #expect(CRC32C.of(digits, 0..<9) == 0xE306_9283)
        // RFC 3720 §B.4
        #expect(CRC32C.of([UInt8](repeating: 0, count: 32), 0..<32) == 0x8A91_36AA)
        #expect(CRC32C.of([UInt8](repeating: 0xFF, count: 32), 0..<32) == 0x62A8_AB43)
        #expect(CRC32C.of((0..<32).map { UInt8($0) }, 0..<32) == 0x46DD_794E)
        #expect(CRC32C.of([], 0..<0) == 0)
    }

    @Test func `the instruction, the tables and the reverse agree at every length and offset`() {
        let bytes = (0..<1200).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 3) }
        for count in Array(0..<80) + [111, 112, 335, 336, 337, 671, 672, 681, 1007] {
            for offset in [0, 1, 7, 100] {
                let range = offset..<offset + count
                let value = CRC32C.update(CRC32C.start, over: bytes, range)
                #expect(CRC32C.updateByTables(CRC32C.start, over: bytes, range) == value)
                #expect(CRC32C.rewind(value, over: bytes, range) == CRC32C.start)
                let middle = offset + count / 2
                let first = CRC32C.update(CRC32C.start, over: bytes, offset..<middle)
                #expect(CRC32C.update(first, over: bytes, middle..<range.upperBound) == value)
            }
        }
    }
}

@Suite struct ArrayOutputTests {
    @Test func `pieces are appended`() {
        var out = Array("ab".utf8)
        out.append(Array("xyz".utf8), 1..<3)
        out.append([], 0..<0)
        out.append("é")
        #expect(String(decoding: out, as: UTF8.self) == "abyzé")
    }
}

@Suite struct SpanTests {
    private func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool { a.span.isSame(as: b.span) }

    @Test func `spans are the same if all of their bytes are`() {
        for count in 0...40 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            #expect(isSame(bytes, Array(bytes)))
            #expect(!isSame(bytes, bytes + [0]))
            for index in 0..<count {
                var other = bytes
                other[index] ^= 0x20
                #expect(!isSame(bytes, other))
            }
        }
    }
}
