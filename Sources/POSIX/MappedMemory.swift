internal import Glibc

/// A fixed stretch of memory whose pages exist only once they were written; starts as zeros.
///
/// Every access is checked against its bounds.
@safe
package final class MappedMemory {
    package let count: Int
    private let base: UnsafeMutableRawPointer

    /// mmap(2), anonymous.
    package init(count: Int) throws(SystemError) {
        precondition(count > 0)
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        guard let base = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0),
            unsafe base != MAP_FAILED
        else { throw SystemError("mmap", number: errno) }
        self.count = count
        unsafe self.base = unsafe base
    }

    deinit { unsafe munmap(base, count) }

    /// Copies a piece of the array to a place here.
    package func copy(_ bytes: [UInt8], _ range: Range<Int>, to offset: Int) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        precondition(offset >= 0 && offset <= count - range.count)
        unsafe bytes.withUnsafeBytes { buffer in
            guard let source = buffer.baseAddress else { return }
            unsafe (base + offset).copyMemory(
                from: source + range.lowerBound, byteCount: range.count)
        }
    }

    /// Copies from one place here to another; they may overlap.
    package func move(_ range: Range<Int>, to offset: Int) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        precondition(offset >= 0 && offset <= count - range.count)
        unsafe (base + offset).copyMemory(from: base + range.lowerBound, byteCount: range.count)
    }

    /// Appends a piece of this memory to the array.
    package func append(_ range: Range<Int>, to bytes: inout [UInt8]) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        unsafe bytes.append(
            contentsOf: UnsafeRawBufferPointer(
                start: base + range.lowerBound, count: range.count))
    }

    /// The eight bytes there as a number, in the machine's order.
    package subscript(word offset: Int) -> UInt64 {
        get {
            precondition(offset >= 0 && offset <= count - 8)
            return unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        set {
            precondition(offset >= 0 && offset <= count - 8)
            unsafe base.storeBytes(of: newValue, toByteOffset: offset, as: UInt64.self)
        }
    }
}
