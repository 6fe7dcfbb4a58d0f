/// The memory that each part may use by default: a share of the smallest limit
/// of its cgroups, between bounds.
///
/// The shares add up to nine sixteenths. The rest is for the index, about 150 bytes a session, for
/// the executable, and for fragmentation.
package struct Memory: Sendable {
    /// The limit of the cgroup in bytes, or nil if it has none or it is unknown.
    private let limit: Int?

    package init(limit: Int?) { self.limit = limit }

    /// The memory of this machine or container, by the cgroups of the process.
    static var ofThisMachine: Memory { Memory(limit: CgroupLimit.ofThisProcess.bytes) }

    /// Bytes for cached session records.
    package var cacheBytes: Int { share(4, 4 << 20...256 << 20) }

    /// Bytes for the buffers of connections.
    package var bufferedBytes: Int { share(8, 2 << 20...256 << 20) }

    /// Bytes for changes that wait for the disk.
    package var pendingBytes: Int { share(16, 2 << 20...64 << 20) }

    /// Bytes for the cache of decoded sessions.
    package var decodedBytes: Int { share(16, 1 << 20...64 << 20) }

    /// Bytes that the allocator keeps instead of returning them to the kernel.
    package var freedBytes: Int { share(16, 1 << 20...16 << 20) }

    private func share(_ part: Int, _ range: ClosedRange<Int>) -> Int {
        guard let limit else { return range.upperBound }
        return min(range.upperBound, max(range.lowerBound, limit / part))
    }
}
