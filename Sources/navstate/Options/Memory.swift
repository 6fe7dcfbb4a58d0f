internal import Bytes
internal import POSIX

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

/// The memory limit of the cgroups that a process is in: the smallest one from its own cgroup up to
/// the root that it can see, of version 1 and of version 2.
///
/// `/proc/self/cgroup` has the path in each hierarchy, and `/proc/self/mountinfo` the directory in
/// which a hierarchy, or the part of it below some root, is visible (cgroups(7), proc(5)).
package struct CgroupLimit {
    private let read: (String) -> [UInt8]?

    /// - Parameter read: reads a file, or returns nil if that fails.
    package init(read: @escaping (String) -> [UInt8]?) { self.read = read }

    /// The limits of this process.
    static var ofThisProcess: CgroupLimit {
        CgroupLimit { try? FileDescriptor.contents(of: $0) }
    }

    /// The smallest limit in bytes, or nil if there is none or it is unknown.
    package var bytes: Int? {
        let cgroups = lines("/proc/self/cgroup").map {
            $0.split(separator: ASCII.colon, maxSplits: 2, omittingEmptySubsequences: false)
        }
        var limits: [Int] = []
        for fields in lines("/proc/self/mountinfo").map({ $0.split(separator: ASCII.space) }) {
            guard let mount = Mount(fields) else { continue }
            for cgroup in cgroups where cgroup.count == 3 && mount.contains(cgroup[1]) {
                limits += self.limits(of: Array(cgroup[2]), in: mount)
            }
        }
        return limits.min()
    }

    private func lines(_ path: String) -> [ArraySlice<UInt8>] {
        (read(path) ?? []).split(separator: ASCII.lineFeed)
    }

    /// The limits of a cgroup and of those above it.
    private func limits(of path: [UInt8], in mount: Mount) -> [Int] {
        let names = path.split(separator: ASCII.slash)
        // A process outside of what is visible has only the limit of its root.
        var below = names.starts(with: mount.root) ? names.dropFirst(mount.root.count) : []
        var limits: [Int] = []
        while true {
            let place = ([mount.point] + below).joined(separator: [ASCII.slash])
            let file = String(decoding: Array(place), as: UTF8.self) + "/" + mount.fileName
            let digits = (read(file) ?? []).prefix { ASCII.isDigit($0) }
            if let limit = Int(String(decoding: digits, as: UTF8.self)) { limits.append(limit) }
            guard below.popLast() != nil else { return limits }
        }
    }
}

/// A place where cgroups with a limit of memory are visible.
private struct Mount {
    /// The names from the hierarchy's root to the cgroup that is visible at the mount point.
    let root: [ArraySlice<UInt8>]
    let point: ArraySlice<UInt8>
    private let isUnified: Bool

    /// Reads the fields of a line of mountinfo. Nil for other file systems.
    init?(_ fields: [ArraySlice<UInt8>]) {
        guard fields.count >= 10, let dash = fields.firstIndex(of: [UInt8(ascii: "-")]),
            dash >= 6, dash + 3 < fields.count
        else { return nil }
        isUnified = fields[dash + 1].elementsEqual("cgroup2".utf8)
        let isFirst =
            fields[dash + 1].elementsEqual("cgroup".utf8)
            && fields[dash + 3].split(separator: ASCII.comma).contains(where: isMemory)
        guard isUnified || isFirst else { return nil }
        root = Self.unescaped(fields[3]).split(separator: ASCII.slash)
        point = Self.unescaped(fields[4])
    }

    /// Whether the hierarchy has these controllers.
    func contains(_ controllers: ArraySlice<UInt8>) -> Bool {
        isUnified
            ? controllers.isEmpty
            : controllers.split(separator: ASCII.comma).contains(where: isMemory)
    }

    var fileName: String { isUnified ? "memory.max" : "memory.limit_in_bytes" }

    /// Spaces, tabs, line feeds and backslashes are written as a backslash and three octal digits.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var (bytes, rest) = (ArraySlice<UInt8>(), text)
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            guard byte == ASCII.backslash,
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(code)
            rest = rest.dropFirst(digits.count)
        }
        return bytes
    }
}

private func isMemory(_ controller: ArraySlice<UInt8>) -> Bool {
    controller.elementsEqual("memory".utf8)
}
