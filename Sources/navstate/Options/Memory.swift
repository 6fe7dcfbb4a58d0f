internal import POSIX

/// How much memory each part may take: a fixed size, or its share of what the cgroup allows.
///
/// The shares are nine sixteenths together. The rest is for the index, some 150 bytes a session, for
/// the executable and for what lies between the pieces.
package struct Memory: Sendable {
    /// What the cgroup allows; nil: nothing is known of a limit.
    private let limit: Int?

    package init(limit: Int?) { self.limit = limit }

    /// By what a container sees of its cgroup.
    static var ofThisMachine: Memory {
        let paths = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        for path in paths {
            guard let file = try? FileDescriptor.open(path, .readOnly),
                let bytes = try? file.bytes(at: 0, count: 32)
            else { continue }
            let text = String(decoding: bytes, as: UTF8.self).prefix { $0.isNumber }
            if let limit = Int(text) { return Memory(limit: limit) }
        }
        return Memory(limit: nil)
    }

    /// For records of sessions as they are on the disk.
    package var cacheBytes: Int { share(4, 4 << 20...256 << 20) }

    /// For what lies in buffers of connections.
    package var bufferedBytes: Int { share(8, 2 << 20...256 << 20) }

    /// For changes that wait for the disk.
    package var pendingBytes: Int { share(16, 2 << 20...64 << 20) }

    /// For sessions that stay decoded.
    package var decodedBytes: Int { share(16, 1 << 20...64 << 20) }

    /// What the allocator keeps instead of giving it back.
    package var freedBytes: Int { share(16, 1 << 20...16 << 20) }

    private func share(_ part: Int, _ range: ClosedRange<Int>) -> Int {
        guard let limit else { return range.upperBound }
        return min(range.upperBound, max(range.lowerBound, limit / part))
    }
}
