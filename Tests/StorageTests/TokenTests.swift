import Navigation
import POSIX
import Sessions
import Testing

@testable import Storage

@Suite struct TokenTests {
    private func token(_ number: UInt64, expiresAt: Milliseconds? = nil) -> SessionToken {
        SessionToken(
            id: "t\(number)", scope: number % 2 == 0 ? .read : .control,
            digest: TokenDigest(number, 2, 3, .max), expiresAt: expiresAt)
    }

    private func list(_ test: TestStore, _ id: String) throws -> [SessionToken] {
        test.store.tokens(of: try #require(test.store.handle(id))).tokens
    }

    @Test func `tokens survive a restart and a kill, and change no revision`() throws {
        let test = try TestStore()
        _ = try test.store.put(record("a", 1))
        let a = try #require(test.store.handle("a"))
        let tokens = [token(1), token(2, expiresAt: 1_795_225_100_000)]
        let sequence = try test.store.putTokens(tokens, of: a, at: 2000)
        #expect(test.store.summary(a).sequence < sequence)
        try test.settle()
        let killed = try test.afterKill()
        #expect(try list(killed, "a") == tokens)
        try test.reopen()
        #expect(try list(test, "a") == tokens)
        #expect(test.store.summary(try #require(test.store.handle("a"))).revision == 1)
        let owner = test.store.owner(of: TokenDigest(2, 2, 3, .max), now: 6000)
        #expect(owner?.token.id == "t2")
        #expect(test.store.owner(of: TokenDigest(2, 2, 3, 4), now: 6000) == nil)
        #expect(test.store.owner(of: tokens[1].digest, now: 1_795_225_100_000) == nil)
    }

    @Test func `tokens go with their session and are not those of the next of its name`() throws {
        let test = try TestStore()
        _ = try test.store.put(record("a", 1))
        let first = try #require(test.store.handle("a"))
        _ = try test.store.putTokens([token(1)], of: first, at: 2000)
        _ = try test.store.delete(first, at: 2000, key: nil)
        #expect(test.store.owner(of: token(1).digest, now: 2000) == nil)
        _ = try test.store.put(record("a", 1))
        #expect(try list(test, "a").isEmpty)
        try test.settle()
        try test.reopen()
        #expect(try list(test, "a").isEmpty)
        #expect(test.store.owner(of: token(1).digest, now: 6000) == nil)
    }

    @Test func `the newest list counts, also an empty one`() throws {
        let test = try TestStore()
        _ = try test.store.put(record("a", 1))
        let a = try #require(test.store.handle("a"))
        _ = try test.store.putTokens([token(1), token(2)], of: a, at: 2000)
        _ = try test.store.putTokens([token(2)], of: a, at: 2000)
        #expect(test.store.owner(of: token(1).digest, now: 2000) == nil)
        _ = try test.store.put(record("b", 1))
        let b = try #require(test.store.handle("b"))
        _ = try test.store.putTokens([token(3)], of: b, at: 2000)
        _ = try test.store.putTokens([], of: b, at: 2000)
        try test.settle()
        try test.reopen()
        #expect(try list(test, "a") == [token(2)])
        #expect(try list(test, "b").isEmpty)
    }

    @Test func `compaction keeps the newest list, before all records that are left`() throws {
        let test = try TestStore { $0.segmentBytes = 64 << 10 }
        _ = try test.store.put(record("a", 1, bytes: 400))
        let a = try #require(test.store.handle("a"))
        _ = try test.store.putTokens([token(1)], of: a, at: 2000)
        _ = try test.store.putTokens([token(2)], of: a, at: 2000)
        _ = try test.store.put(record("gone", 1))
        let gone = try #require(test.store.handle("gone"))
        _ = try test.store.putTokens([token(3)], of: gone, at: 2000)
        _ = try test.store.delete(gone, at: 2000, key: nil)
        for revision in 2...1500 {
            _ = try test.store.put(record("a", revision, bytes: 400))
            if revision % 50 == 0 { try test.drain() }
        }
        try test.drain()
        let first = try FileDescriptor.contents(
            of: "\(test.path)/log/\(try Directory.names("\(test.path)/log").sorted()[0])")
        let text = String(decoding: first, as: UTF8.self)
        #expect(!text.contains(#""rev":1,"#), "the file was compacted")
        #expect(text.contains(#""id":"t2""#) && !text.contains(#""id":"t1""#))
        try test.reopen()
        #expect(try list(test, "a") == [token(2)])
        #expect(test.store.owner(of: token(3).digest, now: 6000) == nil)
    }

    @Test func `a full disk takes new tokens back`() throws {
        let faulty = FaultyDisk()
        let test = try TestStore { $0.disk = faulty.disk }
        _ = try test.store.put(record("a", 1))
        let a = try #require(test.store.handle("a"))
        _ = try test.store.putTokens([token(1)], of: a, at: 2000)
        try test.settle()
        faulty.set(.failWrites(SystemError.noSpace))
        _ = try test.store.putTokens([token(2)], of: a, at: 2000)
        #expect(try test.settle().isRolledBack)
        #expect(try list(test, "a") == [token(1)])
        #expect(test.store.owner(of: token(1).digest, now: 2000)?.handle == a)
        #expect(test.store.owner(of: token(2).digest, now: 2000) == nil)
    }

    @Test func `a deletion that is taken back brings its tokens back`() throws {
        let faulty = FaultyDisk()
        let test = try TestStore { $0.disk = faulty.disk }
        _ = try test.store.put(record("a", 1))
        let a = try #require(test.store.handle("a"))
        _ = try test.store.putTokens([token(1)], of: a, at: 2000)
        try test.settle()
        faulty.set(.failWrites(SystemError.noSpace))
        _ = try test.store.delete(a, at: 2000, key: nil)
        #expect(try test.settle().isRolledBack)
        #expect(try list(test, "a") == [token(1)])
    }
}
