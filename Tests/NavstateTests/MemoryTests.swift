import Server
import Storage
import Testing
import navstate

/// What each part may take.
@Suite struct MemoryTests {
    /// What is left is for the index, the executable and what lies between the pieces.
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
}
