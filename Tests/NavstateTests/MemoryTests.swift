import Server
import Storage
import Testing
import navstate

/// The limits of each part.
@Suite struct MemoryTests {
    /// The rest is for the index, the executable and the gaps between the pieces.
    @Test(arguments: [64, 128, 512, 1024])
    func `under a limit all parts together leave three eighths of it`(mebibytes: Int) {
        let limit = mebibytes << 20
        let memory = Memory(limit: limit)
        let parts = [
            memory.cacheBytes, memory.bufferedBytes, memory.pendingBytes, memory.decodedBytes,
            memory.freedBytes,
        ]
        #expect(parts.reduce(0, +) <= limit * 5 / 8)
    }

    /// The second is what the older cgroups say of a group without a limit.
    @Test(arguments: [nil, 0x7FFF_FFFF_FFFF_F000])
    func `without a limit there are fixed sizes`(limit: Int?) {
        let memory = Memory(limit: limit)
        #expect(memory.cacheBytes == 256 << 20)
        #expect(memory.bufferedBytes == 256 << 20)
        #expect(memory.pendingBytes == 64 << 20)
    }

    @Test func `what is said is stronger than what the machine allows`() {
        var configuration = Configuration()
        configuration.memory.bufferedBytes = 3 << 20
        configuration.share(Memory(limit: 64 << 20))
        #expect(configuration.server.bufferedBytesMax == 3 << 20)
        #expect(configuration.store.cacheBytes == 16 << 20)
        #expect(configuration.store.pendingBytesMax == 4 << 20)
    }

    private func limit(_ cgroups: String, _ mounts: String, _ files: [String: String]) -> Int? {
        var files = files
        files["/proc/self/cgroup"] = cgroups
        files["/proc/self/mountinfo"] = mounts
        let final = files
        return CgroupLimit { path in final[path].map { Array($0.utf8) } }.bytes
    }

    private static let unified =
        "22 1 8:1 / / rw - ext4 /dev/sda rw\n"
        + "30 22 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
    private static let older =
        "30 22 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        + "31 22 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"

    @Test func `the smallest limit from the own cgroup up to the root counts`() {
        let root = "/sys/fs/cgroup"
        let slice = "\(root)/system.slice/memory.max"
        let unit = "\(root)/system.slice/navstate.service/memory.max"
        let cgroup = "0::/system.slice/navstate.service\n"
        #expect(limit(cgroup, Self.unified, [unit: "67108864\n", slice: "max\n"]) == 64 << 20)
        #expect(limit(cgroup, Self.unified, [unit: "max\n", slice: "67108864\n"]) == 64 << 20)
        let both = [unit: "134217728\n", slice: "67108864\n"]
        #expect(limit(cgroup, Self.unified, both) == 64 << 20)
        #expect(limit(cgroup, Self.unified, [unit: "max\n"]) == nil)
        #expect(limit("0::/\n", Self.unified, ["\(root)/memory.max": "1024\n"]) == 1024)
    }

    @Test func `version 1 has a hierarchy for memory, and one with other controllers is none`() {
        let root = "/sys/fs/cgroup/memory"
        let files = [
            "\(root)/a/b/memory.limit_in_bytes": "67108864\n",
            "\(root)/memory.limit_in_bytes": "9223372036854771712\n",
            "/sys/fs/cgroup/cpu/c/memory.limit_in_bytes": "5\n",
        ]
        #expect(limit("9:cpu:/c\n4:hugetlb,memory:/a/b\n0::/x\n", Self.older, files) == 64 << 20)
        #expect(limit("9:cpu:/a/b\n", Self.older, files) == nil)
    }

    @Test func `below a root of its own, paths are relative to it`() {
        let mounts =
            #"30 22 0:26 /a\040b/x\1342d /cg ro master:1 - cgroup2 cgroup rw"# + "\n"
        let files = ["/cg/memory.max": "4096\n", "/cg/inner/memory.max": "1024\n"]
        #expect(limit("0::/a b/x\\2d/inner\n", mounts, files) == 1024)
        #expect(limit("0::/a b/x\\2d\n", mounts, files) == 4096)
        #expect(limit("0::/../elsewhere/inner\n", mounts, files) == 4096)
    }

    @Test(arguments: ["", "nothing", "0:/a", "1:2:3:4\n::::\n", "0::\n"])
    func `what cannot be understood is no limit`(cgroups: String) {
        #expect(limit(cgroups, Self.unified, [:]) == nil)
        #expect(limit("0::/a\n", cgroups, ["/sys/fs/cgroup/a/memory.max": "1\n"]) == nil)
    }
}
