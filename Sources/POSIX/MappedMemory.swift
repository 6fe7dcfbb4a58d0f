internal import Glibc

/// A block of memory of fixed size, filled with zeros, whose pages use memory only after they were
/// written. All accesses are checked.
@safe
public final class MappedMemory {
    /// The size in bytes.
    public let count: Int
    private let base: UnsafeMutableRawPointer

    /// Reserves a block of address space: mmap(2), anonymous.
    public init(count: Int) throws(SystemError) {
        precondition(count > 0)
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        guard let base = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, flags, -1, 0),
            unsafe base != MAP_FAILED
        else { throw SystemError("mmap", number: errno) }
        self.count = count
        unsafe self.base = unsafe base
    }

    deinit { unsafe munmap(base, count) }

    /// Copies a range of an array to an offset of this memory.
    public func copy(_ bytes: [UInt8], _ range: Range<Int>, to offset: Int) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        precondition(offset >= 0 && offset <= count - range.count)
        unsafe bytes.withUnsafeBytes { buffer in
            guard let source = buffer.baseAddress else { return }
            unsafe (base + offset).copyMemory(
                from: source + range.lowerBound, byteCount: range.count)
        }
    }

    /// Copies a range of this memory to another offset; the two may overlap.
    public func move(_ range: Range<Int>, to offset: Int) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        precondition(offset >= 0 && offset <= count - range.count)
        unsafe (base + offset).copyMemory(from: base + range.lowerBound, byteCount: range.count)
    }

    /// Appends a range of this memory to an array.
    public func append(_ range: Range<Int>, to bytes: inout [UInt8]) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        unsafe bytes.append(
            contentsOf: UnsafeRawBufferPointer(
                start: base + range.lowerBound, count: range.count))
    }

    /// Eight bytes as a number in the byte order of the machine.
    public subscript(word offset: Int) -> UInt64 {
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
