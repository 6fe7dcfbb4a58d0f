internal import Bytes
internal import JSON
internal import Navigation
internal import POSIX

// The frame of a line.
//
// A line is valid if and only if it ends in a newline, its last 18 bytes before that are
// `,"crc":"` + 8 lower-case hex digits + `"}`, compared byte by byte, and the digits are the
// CRC-32C of the file's salt followed by the line up to `,"crc"`. The salt is the eight digits
// of the file's header line, whose own checksum has no salt. A line can therefore be checked
// without being parsed, it is JSON, and a line of another file does not pass.

/// A file's salt as the raw checksum value that its lines begin with.
struct Salt: Equatable, Sendable {
    var value: UInt32

    /// The salt of the header line itself.
    static let none = Salt(value: CRC32C.start)

    init(value: UInt32) { self.value = value }

    /// - Parameter digits: the range of the header's eight digits.
    init(digits: Range<Int>, of bytes: [UInt8]) {
        value = CRC32C.update(CRC32C.start, over: bytes, digits)
    }
}

enum Line {
    /// Bytes of `,"crc":"xxxxxxxx"}` and the newline.
    static let endCount = 19
    /// `,"crc":"` as one word, the first byte in the lowest bits.
    private static let beginning: UInt64 = 0x223A_2263_7263_222C

    /// Ends the line that begins at `start`: checksum, brace, newline.
    static func close(_ bytes: inout [UInt8], from start: Int, salt: Salt) {
        let crc = ~CRC32C.update(salt.value, over: bytes, start..<bytes.count)
        bytes.append(addingCapacity: endCount) { (out: inout OutputSpan<UInt8>) in
            out.append(word: beginning)
            out.append(word: Hexadecimal.word(of: crc))
            out.append(UInt8(ascii: "\""))
            out.append(UInt8(ascii: "}"))
            out.append(UInt8(ascii: "\n"))
        }
    }

    /// Ends a line: checksum, brace, newline.
    static func close(_ line: inout ByteWriter, salt: Salt) {
        let crc = ~CRC32C.update(salt.value, over: line)
        line.append(word: beginning, count: 8)
        line.append(word: Hexadecimal.word(of: crc), count: 8)
        line.append(literal: "\"}\n")
    }

    /// Appends a line that has been written up to its checksum.
    static func append(_ text: borrowing ByteWriter, to bytes: inout [UInt8], salt: Salt) {
        let start = bytes.count
        bytes.append(text)
        close(&bytes, from: start, salt: salt)
    }

    /// Appends a seal to a file whose other lines are durable.
    static func appendSeal(
        _ sequence: UInt64, at: Milliseconds, lines: UInt64, to bytes: inout [UInt8], salt: Salt
    ) {
        var seal = ByteWriter()
        seal.append(seal: sequence, durable: sequence - 1, at: at, lines: lines)
        append(seal, to: &bytes, salt: salt)
    }

    /// The range of the digits, if the line (with its newline) has the right form.
    @inline(__always)
    static func digits(of bytes: [UInt8], _ line: Range<Int>) -> Range<Int>? {
        guard line.count > endCount + 2, bytes[line.lowerBound] == 0x7B,
            bytes[line.upperBound - 1] == 0x0A
        else { return nil }
        let end = line.upperBound - endCount
        guard ByteSearch.word(bytes, at: end) == beginning,
            bytes[end + 16] == 0x22, bytes[end + 17] == 0x7D
        else { return nil }
        return end + 8..<end + 16
    }

    @inline(__always)
    static func isValid(_ bytes: [UInt8], _ line: Range<Int>, salt: Salt) -> Bool {
        guard let digits = digits(of: bytes, line) else { return false }
        let crc = ~CRC32C.update(salt.value, over: bytes, line.lowerBound..<digits.lowerBound - 8)
        return ByteSearch.word(bytes, at: digits.lowerBound) == Hexadecimal.word(of: crc)
    }

    /// The salt under which the line is valid. Every line of the right form has one.
    static func salt(of bytes: [UInt8], _ line: Range<Int>) -> Salt? {
        guard let digits = digits(of: bytes, line),
            let claimed = Hexadecimal.number(bytes[digits])
        else { return nil }
        let body = line.lowerBound..<digits.lowerBound - 8
        return Salt(value: CRC32C.rewind(~UInt32(claimed), over: bytes, body))
    }

    /// Copies a line from the bytes of one file to those of another, under the other's salt.
    static func copy(
        _ bytes: [UInt8], _ line: Range<Int>, to target: inout [UInt8], salt: Salt
    ) {
        let start = target.count
        target.append(bytes, line.lowerBound..<line.upperBound - endCount)
        close(&target, from: start, salt: salt)
    }
}
