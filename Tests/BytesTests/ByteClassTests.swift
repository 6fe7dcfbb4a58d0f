import Bytes
import Testing

@Suite struct ASCIITests {
    @Test func `the classes hold for every byte`() {
        let unreserved = Set("-._~".utf8).union(0x30...0x39).union(0x41...0x5A).union(0x61...0x7A)
        for byte in UInt8.min...UInt8.max {
            #expect(ASCII.isDigit(byte) == (0x30...0x39).contains(byte))
            #expect(ASCII.isBlank(byte) == (byte == 0x20 || byte == 0x09))
            #expect(ASCII.isUnreserved(byte) == unreserved.contains(byte), "byte \(byte)")
            let isUpper = (0x41...0x5A).contains(byte)
            #expect(ASCII.lowercased(byte) == (isUpper ? byte + 0x20 : byte))
        }
    }
}

@Suite struct HexadecimalTests {
    @Test func `digits are read in both cases and nothing else is a digit`() {
        let digits = Dictionary(uniqueKeysWithValues: zip("0123456789abcdef".utf8, UInt8(0)...15))
        for byte in UInt8.min...UInt8.max {
            #expect(Hexadecimal.lowercaseValue(byte) == digits[byte], "byte \(byte)")
            let isUpper = (0x41...0x46).contains(byte)
            let either = isUpper ? digits[byte + 0x20] : digits[byte]
            #expect(Hexadecimal.value(byte) == either, "byte \(byte)")
        }
    }

    @Test func `digits are written in the case that is asked for`() {
        for value in UInt8(0)...15 {
            let text = String(value, radix: 16)
            #expect([Hexadecimal.digit(value)] == Array(text.utf8))
            #expect([Hexadecimal.uppercaseDigit(value)] == Array(text.uppercased().utf8))
        }
    }

    @Test(arguments: ["", "g", "A", "+1", " 1", "1 ", "0x1", "00000000000000000", "１"])
    func `anything but 1 to 16 lower-case digits is not a number`(text: String) {
        #expect(Hexadecimal.number(text.utf8) == nil)
    }

    @Test(arguments: [0, 9, 10, 0xF, 0x10, 0xDEAD_BEEF, UInt64.max, 1 << 63])
    func `numbers are read as they are written`(number: UInt64) {
        #expect(Hexadecimal.number(String(number, radix: 16).utf8) == number)
    }

    @Test(arguments: [0, 1, 9, 10, 0x9A, 0xA9F0, 0x0102_0304, 0xFFFF_FFFF, 0x89AB_CDEF])
    func `the word of a number has its eight digits from the lowest byte up`(number: UInt32) {
        let word = Hexadecimal.word(of: number)
        let digits = (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        let text = String(number, radix: 16)
        let padded = String(repeating: "0", count: 8 - text.utf8.count) + text
        #expect(String(decoding: digits, as: UTF8.self) == padded)
    }
}

@Suite struct DecimalTests {
    @Test(arguments: ["", "+1", "-1", " 1", "1 ", "1e2", "١", "１", "1234"])
    func `anything but a few digits is not a number`(text: String) {
        #expect(Decimal.number(text.utf8, digitsMax: 3) == nil)
    }

    @Test func `the longest numbers that are read do not overflow`() {
        let nines = String(repeating: "9", count: 18)
        #expect(Decimal.number(nines.utf8, digitsMax: 18) == 999_999_999_999_999_999)
        #expect(Decimal.number(nines.utf8, digitsMax: 100) == 999_999_999_999_999_999)
        #expect(Decimal.number((nines + "9").utf8, digitsMax: 100) == nil)
        #expect(Decimal.number("000".utf8, digitsMax: 3) == 0)
    }

    @Test func `eight digits are split from the lowest byte up`() {
        for number: UInt in [0, 7, 12, 999, 1000, 10_000, 99_999_999, 12_345_678, 90_000_001] {
            let word = Decimal.eightDigits(number)
            let digits = (0..<8).map { UInt(UInt8(truncatingIfNeeded: word >> ($0 * 8))) }
            #expect(digits.allSatisfy { $0 < 10 })
            #expect(digits.reduce(0) { $0 * 10 + $1 } == number)
        }
    }
}
