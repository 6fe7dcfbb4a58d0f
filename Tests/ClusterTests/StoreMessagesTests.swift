@testable import Cluster
import Navigation
import Sessions
import TestSupport
import Testing

/// The messages of tokens, of apps and of the store's facts.
@Suite struct StoreMessagesTests {
    private let link = SharedLink(previous: 7, writer: WriteID(node: 0x8D02, number: 3))

    private func tokens() -> SharedTokens {
        let words = TokenDigest.InlineWords(first: 1, second: .max, third: 3, fourth: 4)
        var token = SessionToken(
            id: "t4k", scope: .control, digest: TokenDigest(words), expiresAt: 1_795_225_100_000)
        let plain = SessionToken(
            id: "t5", scope: .read, digest: TokenDigest(words), expiresAt: nil)
        token.createdAt = 1_795_225_000_000
        token.name = TokenName("wall")
        return SharedTokens(
            id: SessionID(trusted: "kiosk-1"), born: 0xC5A, at: 1_795_225_000_412, link: link,
            tokens: [token, plain])
    }

    private func app(_ document: String?) -> SharedApp {
        SharedApp(
            id: AppID(trusted: "shop"), at: 1_795_225_000_412, link: link,
            document: document.map { Array($0.utf8) })
    }

    private let facts = StoreFacts(
        lineage: "k3f9", shardCount: 16, secret: String(repeating: "7f", count: 32))

    @Test func `what was written is read`() throws {
        #expect(try SharedTokens(tokens().text[...]) == tokens())
        var empty = tokens()
        empty.tokens = []
        #expect(try SharedTokens(empty.text[...]) == empty)
        for document in [#"{"a":1}"#, nil] {
            #expect(try SharedApp(app(document).text[...]) == app(document))
        }
        #expect(try StoreFacts(facts.text[...]) == facts)
        let restored = StoreFacts(
            lineage: "k3f9", shardCount: 16, secret: facts.secret, hasUnnamedTokens: true)
        #expect(try StoreFacts(restored.text[...]) == restored)
        #expect(String(decoding: restored.text, as: UTF8.self).contains(#""tokens":"unnamed""#))
        let other = try forged(restored.text, "unnamed", "named")
        #expect(throws: SharedRecordError.member("tokens")) { try StoreFacts(other[...]) }
        let bytes = Array("MSG".utf8) + facts.text + Array("PING".utf8)
        #expect(try StoreFacts(bytes[3..<bytes.count - 4]) == facts)
    }

    @Test func `the text is the one of the documentation`() throws {
        func head(_ text: [UInt8]) -> String {
            String(decoding: text.prefix { $0 != 10 }.dropLast(18), as: UTF8.self)
        }
        let by = #""by":"0000000000008d020000000000000003","elen":0"#
        #expect(
            head(tokens().text)
                == #"{"op":"tokens","id":"kiosk-1","at":1795225000412,"#
                + #""born":"0000000000000c5a","prev":7,"# + by)
        #expect(
            head(app("{}").text)
                == #"{"op":"app","id":"shop","at":1795225000412,"prev":7,"# + by)
        #expect(head(app(nil).text).hasPrefix(#"{"op":"appDelete","id":"shop""#))
        #expect(
            head(facts.text)
                == #"{"op":"store","format":1,"lineage":"k3f9","shards":16,"elen":0"#)
    }

    private func expectRefused(
        _ text: [UInt8], _ dice: inout SplitMix64,
        _ read: (ArraySlice<UInt8>) throws(SharedRecordError) -> Void
    ) {
        for index in text.indices {
            var changed = text
            changed[index] ^= UInt8(1 << dice.below(8))
            #expect(throws: SharedRecordError.self) { try read(changed[...]) }
            #expect(throws: SharedRecordError.self) { try read(text[..<index]) }
        }
        #expect(throws: SharedRecordError.self) { try read((text + [10])[...]) }
        #expect(throws: SharedRecordError.self) { try read(([32] + text)[...]) }
    }

    @Test(.seeded) func `a message that was changed anywhere is refused`() {
        var dice = SplitMix64()
        expectRefused(tokens().text, &dice) { bytes throws(SharedRecordError) in
            _ = try SharedTokens(bytes)
        }
        for document in [#"{"a":1}"#, nil] {
            expectRefused(app(document).text, &dice) { bytes throws(SharedRecordError) in
                _ = try SharedApp(bytes)
            }
        }
        expectRefused(facts.text, &dice) { bytes throws(SharedRecordError) in
            _ = try StoreFacts(bytes)
        }
    }

    @Test func `a message of one kind is not one of another`() throws {
        let session = SharedRecord(
            .end(
                SharedRecord.Tombstone(
                    id: SessionID(trusted: "s"), revision: 1, at: 1, why: .deleted, key: nil)),
            previous: 0, born: 1, writer: link.writer)
        let texts = [tokens().text, app("{}").text, facts.text, session.text]
        for (index, text) in texts.enumerated() {
            #expect(((try? SharedTokens(text[...])) != nil) == (index == 0))
            #expect(((try? SharedApp(text[...])) != nil) == (index == 1))
            #expect(((try? StoreFacts(text[...])) != nil) == (index == 2))
            #expect(((try? SharedRecord(text[...])) != nil) == (index == 3))
        }
    }

    private func forged(_ text: [UInt8], _ part: String, _ other: String) throws -> [UInt8] {
        try SharedRecordForger.message(text) { head in
            head.replacing(part, with: other, maxReplacements: 1)
        }
    }

    @Test(arguments: [
        (#""id":"kiosk-1""#, #""id":".""#, SharedRecordError.member("id")),
        (#""at":1795225000412"#, #""at":-1"#, .member("at")),
        (#""born":"00"#, #""born":"0"#, .member("born")),
        (#""prev":7"#, #""prev":9007199254740992"#, .member("prev")),
        (#""by":"00"#, #""by":"0"#, .member("by")),
        (#""elen":0"#, #""elen":1"#, .form),
    ])
    func `a valid checksum does not make tokens valid`(
        part: String, other: String, expected: SharedRecordError
    ) throws {
        let message = try forged(tokens().text, part, other)
        #expect(throws: expected) { try SharedTokens(message[...]) }
    }

    @Test(arguments: [
        "{}", "[1]", #"[{"id":"t"}]"#, "[", "",
        #"[{"id":"t","scope":"root","sha256":"\#(String(repeating: "0", count: 64))"}]"#,
        #"[{"id":"t","scope":"read","sha256":"\#(String(repeating: "0", count: 63))"}]"#,
        #"[{"id":"t","scope":"read","sha256":"\#(String(repeating: "0", count: 64))","exp":-1}]"#,
        #"[{"id":"t","scope":"read","sha256":"\#(String(repeating: "0", count: 64))","name":""}]"#,
    ])
    func `a list that is not one of tokens is refused`(list: String) throws {
        let text = tokens().text
        let head = text.prefix { $0 != 10 }
        let message = try SharedRecordForger.message(
            Array(head) + Array("\n\n\(list)\n".utf8)
        ) { $0 }
        #expect(throws: SharedRecordError.self) { try SharedTokens(message[...]) }
    }

    @Test(arguments: [
        (#""format":1"#, #""format":2"#, SharedRecordError.newerFormat(2)),
        (#""format":1"#, #""format":0"#, .member("format")),
        (#""lineage":"k3f9""#, #""lineage":"""#, .member("lineage")),
        (#""lineage":"k3f9""#, #""lineage":"K3F9""#, .member("lineage")),
        (#""lineage":"k3f9""#, #""lineage":"01234567890123456""#, .member("lineage")),
        (#""shards":16"#, #""shards":0"#, .member("shards")),
        (#""shards":16"#, #""shards":1000"#, .member("shards")),
        (#""op":"store""#, #""op":"app""#, .member("op")),
    ])
    func `a valid checksum does not make facts valid`(
        part: String, other: String, expected: SharedRecordError
    ) throws {
        let message = try forged(facts.text, part, other)
        #expect(throws: expected) { try StoreFacts(message[...]) }
    }

    @Test func `a deleted app has no document`() throws {
        let message = try forged(app("{}").text, #""op":"app""#, #""op":"appDelete""#)
        #expect(throws: SharedRecordError.form) { try SharedApp(message[...]) }
        let short = StoreFacts(lineage: "a", shardCount: 1, secret: "7f")
        #expect(throws: SharedRecordError.form) { try StoreFacts(short.text[...]) }
    }
}
