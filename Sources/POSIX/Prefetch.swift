public import CLinux

/// What the processor is told ahead of its need. Public, since only then it is inlined into other
/// rooms; a call would cost more than it saves.
public enum Prefetch {
    /// That this element, or the place behind the last, will be needed soon; nothing but time
    /// depends on it.
    @inlinable @inline(__always)
    public static func element<Element>(_ index: Int, of array: [Element]) {
        precondition(index >= 0 && index <= array.count)
        unsafe array.withUnsafeBufferPointer { buffer in
            if let base = buffer.baseAddress { unsafe navstate_prefetch(base + index) }
        }
    }
}
