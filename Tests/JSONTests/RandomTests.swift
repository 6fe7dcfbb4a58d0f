import JSON
import TestSupport
import Testing

extension SplitMix64 {
    mutating func string() -> String {
        let alphabet = Array("aZ09 \"\\/\n\u{1}\u{7f}é\u{301}€𝄞\u{10FFFF}".unicodeScalars)
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &self) {
            scalars.append(alphabet[Int.random(in: alphabet.indices, using: &self)])
        }
        return String(scalars)
    }

    mutating func double() -> Double {
        let value = Double(bitPattern: next())
        return value.isFinite ? value : 0.5
    }

    mutating func value(depth: Int) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &self) {
        case 0: .null
        case 1: .bool(Bool.random(using: &self))
        case 2: .integer(Int64(bitPattern: next()) >> Int64.random(in: 0..<64, using: &self))
        case 3: .double(double())
        case 4, 5: .string(string())
        case 6:
            .array((0..<Int.random(in: 0...4, using: &self)).map { _ in value(depth: depth - 1) })
        default:
            .object(
                JSONObject(
                    (0..<Int.random(in: 0...5, using: &self)).map { _ in
                        (string(), value(depth: depth - 1))
                    }))
        }
    }
}

@Suite(.seeded) struct RandomTests {
    @Test func `written values read back the same`() throws {
        var generator = SplitMix64()
        for _ in 0..<200 {
            let value = generator.value(depth: 4)
            let bytes = value.bytes
            let read = try JSON(parsing: bytes)
            #expect(read == value)
            #expect(read.bytes == bytes)
            var reader = JSONReader(bytes)
            #expect(try reader.skipValue() == bytes.indices)
        }
    }

    @Test func `a number reads as the standard library reads it`() throws {
        var generator = SplitMix64()
        for _ in 0..<5_000 {
            let whole = String(generator.next() >> UInt64.random(in: 4...63, using: &generator))
            let fraction = String(generator.next() >> UInt64.random(in: 4...63, using: &generator))
            let zeros = String(repeating: "0", count: Int.random(in: 0...3, using: &generator))
            let sign = Bool.random(using: &generator) ? "-" : ""
            let text = "\(sign)\(whole).\(zeros)\(fraction)"
            let expected = try #require(Double(text))
            #expect(try JSON(parsing: Array(text.utf8)) == .double(expected))
        }
    }

    @Test func `no prefix of a text is a text`() {
        var generator = SplitMix64()
        for _ in 0..<20 {
            let bytes = JSON.array([generator.value(depth: 3)]).bytes
            for end in 0..<min(bytes.count, 300) {
                #expect(throws: JSONSyntaxError.self) {
                    try JSON(parsing: bytes, in: 0..<end)
                }
            }
        }
    }

    @Test func `a damaged text is refused or is another text, and never a trap`() {
        var generator = SplitMix64()
        let interesting =
            Array("{}[],:\"\\u0dD8e.-+ \n\0".utf8) + [0x80, 0xC0, 0xE2, 0xED, 0xF4, 0xFF]
        for _ in 0..<2_000 {
            var bytes = generator.value(depth: 2).bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: bytes.indices, using: &generator)
                bytes[place] = interesting[Int.random(in: interesting.indices, using: &generator)]
            }
            var reader = JSONReader(bytes)
            let isSkipped = (try? reader.skipValue()) != nil && (try? reader.expectEnd()) != nil
            if let value = try? JSON(parsing: bytes) {
                #expect(isSkipped)
                #expect((try? JSON(parsing: value.bytes)) == value)
            }
        }
    }
}
