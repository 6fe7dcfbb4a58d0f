/// FNV-1a with 64 bits: the same for the same bytes after every restart, and no protection against
/// somebody who looks for two inputs with one hash.
public struct FNV1a {
    public var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    @inlinable public init() {}

    /// Mixes in some bytes.
    @inlinable
    public mutating func mix(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { mix(UInt64(byte)) }
    }

    /// Mixes in a value that no byte has, so that `ab` + `c` differs from `a` + `bc`.
    @inlinable
    public mutating func mixSeparator() { mix(0x1FF) }

    @inlinable
    mutating func mix(_ value: UInt64) {
        hash = (hash ^ value) &* 0x100_0000_01b3
    }
}
