internal import POSIX

/// CRC-32C (Castagnoli, RFC 3720 §B.4), by the processor where it can, else by tables.
package enum Checksum {
    /// The value that a checksum begins with and that is inverted at its end.
    static let start: UInt32 = 0xFFFF_FFFF

    /// The checksum of a piece of the array.
    package static func of(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        ~update(start, bytes, range)
    }

    /// Goes on from a raw value over a piece of the array.
    @inline(__always)
    static func update(_ value: UInt32, _ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        ProcessorChecksum.isAvailable
            ? ProcessorChecksum.update(value, bytes, range) : updateByTables(value, bytes, range)
    }

    /// The same without the processor's help: eight bytes a step by eight tables.
    package static func updateByTables(
        _ value: UInt32, _ bytes: [UInt8], _ range: Range<Int>
    ) -> UInt32 {
        let tables = tables
        var (crc, at) = (value, range.lowerBound)
        while range.upperBound - at >= 8 {
            let word = ByteSearch.word(bytes, at: at) ^ UInt64(crc)
            crc =
                tables[0x700 + Int(word & 0xFF)] ^ tables[0x600 + Int(word >> 8 & 0xFF)]
                ^ tables[0x500 + Int(word >> 16 & 0xFF)] ^ tables[0x400 + Int(word >> 24 & 0xFF)]
                ^ tables[0x300 + Int(word >> 32 & 0xFF)] ^ tables[0x200 + Int(word >> 40 & 0xFF)]
                ^ tables[0x100 + Int(word >> 48 & 0xFF)] ^ tables[Int(word >> 56)]
            at += 8
        }
        while at < range.upperBound {
            crc = crc >> 8 ^ tables[Int((crc ^ UInt32(bytes[at])) & 0xFF)]
            at += 1
        }
        return crc
    }

    /// The raw value from which these bytes lead to `value`: the checksum run backwards.
    static func rewind(_ value: UInt32, _ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        let tables = tables
        var byTop = [UInt32](repeating: 0, count: 256)
        for index in 0..<256 { byTop[Int(tables[index] >> 24)] = UInt32(index) }
        var crc = value
        for at in range.reversed() {
            let index = byTop[Int(crc >> 24)]
            crc = (crc ^ tables[Int(index)]) << 8 | (index ^ UInt32(bytes[at]))
        }
        return crc
    }

    /// Eight tables of 256, one behind the other; table k is for the byte k places ahead.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 0x800)
        for index in 0..<256 {
            var crc = UInt32(index)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
            tables[index] = crc
        }
        for index in 256..<0x800 {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()
}
