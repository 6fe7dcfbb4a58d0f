import Navigation
import POSIX
import Sessions
import Testing

@testable import Storage

@Suite struct TokenTests {
    private func token(_ number: UInt64, expiresAt: Milliseconds? = nil) -> SessionToken {
        SessionToken(
            id: "t\(number)", scope: number % 2 == 0 ? .read : .control,
            digest: digest(number, 2, 3, .max), expiresAt: expiresAt)
    }

    private func digest(
        _ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64
    ) -> TokenDigest {
        TokenDigest(
            TokenDigest.InlineWords(first: first, second: second, third: third, fourth: fourth))
    }

    private func list(_ test: TestStore, _ id: String) throws -> [SessionToken] {
        test.store.reader.tokens(of: try #require(test.store.handle(id))).tokens
    }

    @Test func `tokens survive a restart and a kill, and change no revision`() throws {
        let test = try TestStore()
        _ = try test.store.put(record("a", 1))
        let a = try #require(test.store.handle("a"))
        let tokens = [token(1), token(2, expiresAt: 1_795_225_100_000)]
        let ticket = try test.store.writer.putTokens(tokens, of: a, at: 2000)
        #expect(test.store.reader.version(of: a).ticket < ticket)
        try test.settle()
        let killed = try test.afterKill()
        #expect(try list(killed, "a") == tokens)
        try test.reopen()
        #expect(try list(test, "a") == tokens)
        #expect(test.store.reader.summary(try #require(test.store.handle("a"))).revision == 1)
        let owner = test.store.owner(of: digest(2, 2, 3, .max), now: 6000)
        #expect(owner?.token.id == "t2")
        #expect(test.store.owner(of: digest(2, 2, 3, 4), now: 6000) == nil)
        #expect(test.store.owner(of: tokens[1].digest, now: 1_795_225_100_000) == nil)
    }

    @Test func `limits survive a restart and a kill, and older tokens have none`() throws {
        let test = try TestStore()
        _ = try test.store.put(record("a", 1))
        let a = try #require(test.store.handle("a"))
        var tokens = [token(1), token(2), token(3), token(4)]
        tokens[1].name = TokenName("n")
        tokens[1].limits = TokenLimits(
            commands: ["back", "signal"].compactMap { TokenCommand($0) },
            routes: ["@people", "product"].compactMap { RouteSelector($0) })
        tokens[2].limits = TokenLimits(commands: [TokenCommand(.undo)], routes: nil)
        tokens[3].limits = TokenLimits(
            commands: nil, routes: (0..<64).compactMap { RouteSelector("@route-\($0)") })
        _ = try test.store.writer.putTokens(tokens, of: a, at: 2000)
        try test.settle()
        #expect(try list(test.afterKill(), "a") == tokens)
        try test.reopen()
        #expect(try list(test, "a") == tokens)
        let owner = test.store.owner(of: tokens[1].digest, now: 6000)
        #expect(owner?.token.limits == tokens[1].limits)
        #expect(try list(test, "a")[0].limits == nil)
    }

    /// A whole list may be the record of a session with as many tokens as there can be.
    @Test func `all tokens of a session may have as many limits as there can be`() throws {
        let test = try TestStore()
        _ = try test.store.put(record("a", 1))
        let a = try #require(test.store.handle("a"))
        let name = String(repeating: "x", count: 60)
        let tokens = (1...64).map { number in
            var token = token(UInt64(number))
            token.limits = TokenLimits(
                commands: TokenCommand.names.compactMap { TokenCommand($0) },
                routes: (0..<TokenLimits.itemsMax).compactMap { RouteSelector("@\(name)\($0)") })
            #expect(token.limits?.routes?.count == TokenLimits.itemsMax)
            return token
        }
        _ = try test.store.writer.putTokens(tokens, of: a, at: 2000)
        try test.settle()
        try test.reopen()
        #expect(try list(test, "a") == tokens)
    }

    @Test func `tokens go with their session and are not those of the next of its name`() throws {
        let test = try TestStore()
        _ = try test.store.put(record("a", 1))
        let first = try #require(test.store.handle("a"))
        _ = try test.store.writer.putTokens([token(1)], of: first, at: 2000)
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
        _ = try test.store.writer.putTokens([token(1), token(2)], of: a, at: 2000)
        _ = try test.store.writer.putTokens([token(2)], of: a, at: 2000)
        #expect(test.store.owner(of: token(1).digest, now: 2000) == nil)
        _ = try test.store.put(record("b", 1))
        let b = try #require(test.store.handle("b"))
        _ = try test.store.writer.putTokens([token(3)], of: b, at: 2000)
        _ = try test.store.writer.putTokens([], of: b, at: 2000)
        try test.settle()
        try test.reopen()
        #expect(try list(test, "a") == [token(2)])
        #expect(try list(test, "b").isEmpty)
    }

    @Test func `compaction keeps the newest list, before all records that are left`() throws {
        let test = try TestStore { $0.segmentBytes = 64 << 10 }
        _ = try test.store.put(record("a", 1, bytes: 400))
        let a = try #require(test.store.handle("a"))
        _ = try test.store.writer.putTokens([token(1)], of: a, at: 2000)
        _ = try test.store.writer.putTokens([token(2)], of: a, at: 2000)
        _ = try test.store.put(record("gone", 1))
        let gone = try #require(test.store.handle("gone"))
        _ = try test.store.writer.putTokens([token(3)], of: gone, at: 2000)
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
        _ = try test.store.writer.putTokens([token(1)], of: a, at: 2000)
        try test.settle()
        faulty.set(.failWrites(SystemError.noSpace))
        _ = try test.store.writer.putTokens([token(2)], of: a, at: 2000)
        #expect(try test.settle().isRolledBack)
        #expect(try list(test, "a") == [token(1)])
        #expect(test.store.owner(of: token(1).digest, now: 2000)?.handle == a)
        #expect(test.store.owner(of: token(2).digest, now: 2000) == nil)
    }

    @Test func `a token can be taken from a session while the disk is full`() throws {
        let before = try TestStore { $0.segmentBytes = 4096 }
        _ = try before.store.put(record("a", 1))
        _ = try before.store.writer.putTokens(
            [token(1), token(2)], of: try #require(before.store.handle("a")), at: 2000)
        try before.settle()
        try before.prepareNextFile()
        let test = try before.afterKill { $0.disk = FullStartTests.FullDisk().disk }
        #expect(test.store.refusal == .full)
        let a = try #require(test.store.handle("a"))
        #expect(throws: StoreError.full) {
            try test.store.writer.putTokens([token(1), token(2), token(3)], of: a, at: 3000)
        }
        _ = try test.store.writer.putTokens([token(2)], of: a, at: 3000)
        try test.settle()
        #expect(test.store.failure == nil)
        #expect(test.store.owner(of: token(1).digest, now: 3000) == nil)
        #expect(test.store.owner(of: token(2).digest, now: 3000)?.handle == a)
    }

    @Test func `a deletion that is taken back brings its tokens back`() throws {
        let faulty = FaultyDisk()
        let test = try TestStore { $0.disk = faulty.disk }
        _ = try test.store.put(record("a", 1))
        let a = try #require(test.store.handle("a"))
        _ = try test.store.writer.putTokens([token(1)], of: a, at: 2000)
        try test.settle()
        faulty.set(.failWrites(SystemError.noSpace))
        _ = try test.store.delete(a, at: 2000, key: nil)
        #expect(try test.settle().isRolledBack)
        #expect(try list(test, "a") == [token(1)])
    }

    @Test func `the name of a token and its time are kept`() throws {
        let test = try TestStore()
        _ = try test.store.put(record("a", 1))
        let a = try #require(test.store.handle("a"))
        let longest = String(repeating: "n", count: 64)
        var tokens = (0..<5).map { token($0, expiresAt: $0 == 2 ? nil : 999_999_999_999_999) }
        (tokens[1].name, tokens[1].createdAt) = (TokenName("wall"), 1_795_225_000_000)
        tokens[2].name = TokenName(longest)
        (tokens[3].name, tokens[3].createdAt) = (TokenName(longest), 999_999_999_999_999)
        _ = try test.store.writer.putTokens(tokens, of: a, at: 2000)
        try test.settle()
        try test.reopen()
        #expect(try list(test, "a") == tokens)
    }

    @Test func `a list of version 0_1_0 has neither names nor times`() throws {
        let digest = String(repeating: "ab", count: 32)
        let line =
            #"{"n":7,"d":6,"op":"tokens","id":"a","at":1000,"born":1,"tokens":["#
            + #"{"id":"t1","scope":"read","sha256":"\#(digest)"},"#
            + #"{"id":"t2","scope":"control","sha256":"\#(digest)","exp":1795225100000}]"#
            + ",\"crc\":\"00000000\"}\n"
        let bytes = Array(line.utf8)
        let header = try #require(RecordHeader(bytes, bytes.indices))
        let tokens = header.sessionTokens(bytes)
        #expect(tokens.map(\.id) == ["t1", "t2"])
        #expect(tokens.map(\.expiresAt) == [nil, 1_795_225_100_000])
        #expect(tokens.allSatisfy { $0.name == nil && $0.createdAt == nil })
    }
}
