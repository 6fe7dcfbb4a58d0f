/// FNV-1a with 64 bits, a hash that is the same in every run of the program. It does not withstand
/// a search for two inputs that have the same hash.
public struct FNV1a {
    /// The hash of what was mixed in so far.
    public var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    @inlinable public init() {}

    /// Mixes in some bytes.
    @inlinable
    public mutating func mix(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { mix(UInt64(byte)) }
    }

    /// Mixes in a byte.
    @inlinable
    public mutating func mix(_ byte: UInt8) { mix(UInt64(byte)) }

    /// Mixes in a value that no byte has, so that `ab`, `c` and `a`, `bc` have different hashes.
    @inlinable
    public mutating func mixSeparator() { mix(UInt64(0x1FF)) }

    @inlinable
    mutating func mix(_ value: UInt64) {
        hash = (hash ^ value) &* 0x100_0000_01b3
    }
}
