extension [UInt8] {
    /// Where the bytes are in memory. Two arrays that exist at the same time and are not empty
    /// have the same address if they share their bytes.
    public var address: UInt {
        unsafe withUnsafeBufferPointer { buffer in UInt(bitPattern: buffer.baseAddress) }
    }
}
