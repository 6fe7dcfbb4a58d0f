public import CLinux

/// Tells the processor which memory will be read soon. It is inlined into other targets, as a call
/// would cost more than it saves.
public enum Prefetch {
    /// Starts to load an element, or what follows the last element, into the cache. It has no
    /// effect but on time.
    @inlinable @inline(__always)
    public static func element<Element>(_ index: Int, of array: [Element]) {
        precondition(index >= 0 && index <= array.count)
        unsafe array.withUnsafeBufferPointer { buffer in
            if let base = buffer.baseAddress { unsafe navstate_prefetch(base + index) }
        }
    }
}
