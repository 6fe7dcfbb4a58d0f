extension [UInt8] {
    /// The address of the bytes in memory. If two arrays that exist at the same time and are not
    /// empty have the same address, they share their storage.
    public var address: UInt {
        unsafe withUnsafeBufferPointer { buffer in UInt(bitPattern: buffer.baseAddress) }
    }
}
