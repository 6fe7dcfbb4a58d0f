internal import CLinux
internal import Glibc

/// What the processor and the C library do faster than a checked loop.
///
/// What is public is so since only then it is inlined into other rooms.
public enum ByteSearch {
    /// memchr(3): where the byte stands first in the range.
    package static func first(_ byte: UInt8, in bytes: [UInt8], _ range: Range<Int>) -> Int? {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        return unsafe bytes.withUnsafeBytes { buffer -> Int? in
            guard let base = buffer.baseAddress,
                let found = unsafe memchr(base + range.lowerBound, Int32(byte), range.count)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }
    }

    /// memcmp(3) over two ranges, the shorter first where one begins the other.
    package static func order(
        _ a: [UInt8], _ rangeA: Range<Int>, _ b: [UInt8], _ rangeB: Range<Int>
    ) -> Int {
        precondition(rangeA.lowerBound >= 0 && rangeA.upperBound <= a.count)
        precondition(rangeB.lowerBound >= 0 && rangeB.upperBound <= b.count)
        let result = unsafe a.withUnsafeBytes { first in
            unsafe b.withUnsafeBytes { second -> Int in
                guard let x = first.baseAddress, let y = second.baseAddress else {
                    return 0
                }
                return unsafe Int(
                    memcmp(
                        x + rangeA.lowerBound, y + rangeB.lowerBound,
                        min(rangeA.count, rangeB.count)))
            }
        }
        return result != 0 ? result : rangeA.count - rangeB.count
    }

    /// Eight bytes as a number, the first the lowest.
    @inlinable @inline(__always)
    public static func word(_ bytes: [UInt8], at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset <= bytes.count - 8)
        return unsafe bytes.withUnsafeBytes { buffer in
            unsafe UInt64(
                littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
    }
}

extension Span<UInt8> {
    /// Eight bytes as a number, the first the lowest.
    @inlinable @inline(__always)
    public func word(at offset: Int) -> UInt64 {
        precondition(offset >= 0 && offset <= count - 8)
        return unsafe UInt64(
            littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension [UInt8] {
    /// Appends a piece of another array; quicker than by a slice, which counts a reference.
    package mutating func append(_ bytes: [UInt8], _ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe append(contentsOf: UnsafeBufferPointer(rebasing: buffer[range]))
        }
    }
}

/// CRC-32C (Castagnoli) by the processor.
package enum ProcessorChecksum {
    /// Whether the processor has it: SSE 4.2.
    package static let isAvailable = navstate_crc32c_available() != 0

    /// What zero bytes make of each byte of a raw value: 256 for its lowest byte, then the next.
    private static let shift: [UInt32] = {
        let zeros = [UInt8](repeating: 0, count: Int(navstate_crc32c_piece))
        let none = [UInt32](repeating: 0, count: 0x400)
        return (0..<0x400).map { index in
            let value = UInt32(index & 0xFF) << UInt32(index >> 8 * 8)
            return update(value, zeros, zeros.indices, shift: none)
        }
    }()

    /// Goes on from a raw value (not inverted) over a piece of the array.
    package static func update(
        _ value: UInt32, _ bytes: [UInt8], _ range: Range<Int>
    ) -> UInt32 {
        update(value, bytes, range, shift: shift)
    }

    /// - Parameter shift: does not matter for a short range.
    private static func update(
        _ value: UInt32, _ bytes: [UInt8], _ range: Range<Int>, shift: [UInt32]
    ) -> UInt32 {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        precondition(shift.count == 0x400)
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe shift.withUnsafeBufferPointer { shift in
                guard let base = buffer.baseAddress, let shift = shift.baseAddress else {
                    return value
                }
                return unsafe navstate_crc32c(value, base + range.lowerBound, range.count, shift)
            }
        }
    }
}
