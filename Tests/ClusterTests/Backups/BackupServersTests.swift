import Navigation
import POSIX
import Sessions
import Storage
import TestSupport
import Testing

import Cluster

/// Backups of stores on real servers. See `RealServersTests`.
@Suite(.serialized, .enabled(if: RealServers.store != nil, "NAVSTATE_TEST_STORE is not set"))
struct BackupServersTests {
    private struct Node: AskableStore {
        let world: EngineWorld
        let node: EngineNode

        func ask<Value>(
            _ body: (SessionStore) throws(StoreError) -> Value
        ) throws -> Value {
            try world.ask(node) { engine throws(StoreError) in try body(engine.parts) }
        }
    }

    private func address() throws -> StoreAddress {
        let text = try #require(RealServers.store)
        return try StoreAddress("\(text)/B\(Random.word() % 1_000_000_000)")
    }

    private func options(_ address: StoreAddress) -> SharedRestore.Options {
        var options = SharedRestore.Options(address: address, format: LogBackupFormat())
        (options.shardCount, options.replicas) = (3, min(address.servers.count, 3))
        return options
    }

    private func restore(_ backup: [UInt8], _ address: StoreAddress) throws -> Int {
        var start = 0
        return try SharedRestore.run(options(address)) { buffer throws(SystemError) in
            let count = min(buffer.count, backup.count - start)
            buffer.replaceSubrange(0..<count, with: backup[start..<start + count])
            start += count
            return count
        }.published
    }

    private func backup(_ node: EngineNode, of world: EngineWorld) throws -> [UInt8] {
        _ = node.engine.backups.begin(token: 3, at: Clock.realtimeMilliseconds)
        var bytes: [UInt8] = []
        while true {
            node.engine.backups.read(token: 3)
            let piece = try world.wait { node.engine.backups.takePieces().first }
            let part = try #require(piece.bytes)
            if part.isEmpty { return bytes }
            bytes += part
        }
    }

    /// Servers may be killed or paused meanwhile.
    @Test(.seeded) func `a store moves to the servers, to other streams, and back`() throws {
        let now = Clock.realtimeMilliseconds
        let embedded = try EmbeddedStore(now: now)
        var lives = SampleLives(30, SplitMix64(stream: 41))
        for _ in 0..<1_500 { try embedded.take(lives.next(at: now), at: now) }
        let expected = try StoreView(embedded, depth: 32, now: now)

        let first = try address()
        #expect(try restore(embedded.backup(at: now), first) > expected.sessions.count)
        let world = try EngineWorld(opening: first, cacheBytes: 1 << 20)
        let node = try world.addNode()
        #expect(try StoreView(Node(world: world, node: node), depth: 32, now: now) == expected)
        #expect(throws: SharedRestoreError.self) { try restore([], first) }

        let second = try address()
        _ = try restore(try backup(node, of: world), second)
        let other = try EngineWorld(opening: second, cacheBytes: 1 << 16)
        let moved = try other.addNode()
        #expect(try StoreView(Node(world: other, node: moved), depth: 32, now: now) == expected)
        try other.change(moved, "s0", "new")
        #expect(try other.state(moved, "s0") == "new")

        let back = try EmbeddedStore(restoring: backup(moved, of: other), now: now)
        var view = try StoreView(back, depth: 0, now: now)
        for (id, shown) in expected.sessions where id.rawValue != "s0" {
            #expect(view.sessions[id]?.tokens == shown.tokens)
        }
        view.sessions[SessionID(trusted: "s0")] = nil
        #expect(
            view.sessions.keys.sorted()
                == expected.sessions.keys.filter { $0.rawValue != "s0" }.sorted())
        #expect(view.apps == expected.apps)
    }

    @Test func `a store that exists is not restored into, and a failed restore leaves nothing`()
        throws
    {
        let now = Clock.realtimeMilliseconds
        let embedded = try EmbeddedStore(now: now)
        var lives = SampleLives(3, SplitMix64(seed: 4))
        for _ in 0..<50 { try embedded.take(lives.next(at: now), at: now) }
        let bytes = try embedded.backup(at: now)
        let address = try address()
        do throws(SharedRestoreError) {
            _ = try SharedRestore.run(options(address)) { _ throws(SystemError) in
                throw SystemError("read", number: SystemError.notFound)
            }
        } catch {
            #expect(error == .input(SystemError("read", number: SystemError.notFound)))
        }
        #expect(throws: SharedRestoreError.self) { try restore(Array(bytes.dropLast(9)), address) }
        // Nothing is left, so that the whole backup can be restored, once.
        #expect(try restore(bytes, address) > 0)
        #expect(throws: SharedRestoreError.occupied("\(address.prefix.text)_000")) {
            try restore(bytes, address)
        }
    }
}
