internal import CBytes

/// CRC-32C (Castagnoli, RFC 3720 §B.4), computed by an instruction of the processor if it has one
/// and by tables otherwise.
///
/// A checksum is computed in steps on a raw value, which is the checksum with all bits inverted.
public enum CRC32C {
    /// The raw value before the first byte.
    public static let start: UInt32 = 0xFFFF_FFFF

    /// The checksum of a range of the array.
    public static func of(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        ~update(start, over: bytes, range)
    }

    /// The checksum of a part of an array.
    public static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        guard ProcessorCRC32C.isAvailable else {
            let own = Array(bytes)
            return ~updateByTables(start, over: own, own.indices)
        }
        return ~ProcessorCRC32C.update(start, over: bytes.span)
    }

    /// The raw value after a range of the array, starting from the raw value before it.
    public static func update(_ value: UInt32, over bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        ProcessorCRC32C.isAvailable
            ? ProcessorCRC32C.update(value, over: bytes, range)
            : updateByTables(value, over: bytes, range)
    }

    /// The raw value after a text, starting from the raw value before it.
    public static func update(_ value: UInt32, over text: borrowing ByteWriter) -> UInt32 {
        guard ProcessorCRC32C.isAvailable else {
            let bytes = text.bytes
            return updateByTables(value, over: bytes, bytes.indices)
        }
        return text.withText { span in ProcessorCRC32C.update(value, over: span) }
    }

    /// The same as `update`, by eight tables and in steps of eight bytes.
    public static func updateByTables(
        _ value: UInt32, over bytes: [UInt8], _ range: Range<Int>
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

    /// Runs the checksum backwards: the raw value from which `update` over these bytes gives
    /// `value`.
    public static func rewind(
        _ value: UInt32, over bytes: [UInt8], _ range: Range<Int>
    ) -> UInt32 {
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

    /// Eight tables of 256 values, concatenated; table k is for the byte k places ahead.
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

/// CRC-32C by an instruction of the processor.
enum ProcessorCRC32C {
    /// Whether the processor has the instruction (SSE 4.2).
    static let isAvailable = navstate_crc32c_available() != 0

    /// The raw value after a text, starting from a raw value.
    static func update(_ value: UInt32, over text: Span<UInt8>) -> UInt32 {
        unsafe text.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return value }
            return unsafe navstate_crc32c(value, base, buffer.count)
        }
    }

    /// The raw value after a range of the array, starting from a raw value.
    static func update(_ value: UInt32, over bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return value }
            return unsafe navstate_crc32c(value, base + range.lowerBound, range.count)
        }
    }
}
