@testable import Cluster
import NATS
import Navigation
import Sessions
import TestSupport
import Testing

@Suite struct SharedRecordTests {
    private let writer = WriteID(node: 0x8D02, number: 3)

    private func record() throws -> SharedRecord {
        var record = SessionRecord(
            id: try #require(SessionID("kiosk-1")), revision: 29, at: 1_795_225_000_412,
            expiresAt: 1_797_817_000_412, app: AppID("chat"),
            labels: [Label(key: "room", value: "l\"obby\n")],
            undoing: UndoStacks(steps: 3, before: 29),
            nextEntry: 12, key: IdempotencyKey(key: "9f\\1c", digest: 0xC0FFEE),
            event: Array(#"{"command":{}}"#.utf8), state: Array(#"{"id":"kiosk-1"}"#.utf8))
        record.appSequence = 17
        return self.record(record)
    }

    private func record(_ revision: SessionRecord) -> SharedRecord {
        SharedRecord(.revision(revision), previous: 184_320, born: 0xC5A, writer: writer)
    }

    private func tombstone() throws -> SharedRecord {
        let end = SharedRecord.Tombstone(
            id: try #require(SessionID("old")), revision: 4, at: 5, why: .expired, key: nil)
        return SharedRecord(.end(end), previous: 7, born: 9, writer: writer)
    }

    private func deletion() throws -> SharedRecord {
        let end = SharedRecord.Tombstone(
            id: try #require(SessionID("old")), revision: 4, at: 5, why: .deleted,
            key: IdempotencyKey(key: "9f", digest: 1, bytesDigest: 2), author: TokenName("wall"))
        return SharedRecord(.end(end), previous: 7, born: 9, writer: writer)
    }

    private func signpost() throws -> SharedRecord {
        var end = SharedRecord.Tombstone(
            id: try #require(SessionID("3fd0")), revision: 1, at: 5, why: .deleted,
            key: IdempotencyKey(key: "9f1c", digest: 1))
        end.standsFor = SessionID("kiosk-1")
        return SharedRecord(.end(end), previous: 0, born: 9, writer: writer)
    }

    @Test func `the text is the one of the documentation`() throws {
        let lines = String(decoding: try record().text, as: UTF8.self).split(separator: "\n")
        let head =
            #"{"op":"put","id":"kiosk-1","rev":29,"at":1795225000412,"exp":1797817000412,"#
            + #""prev":184320,"born":"0000000000000c5a","by":"0000000000008d020000000000000003","#
            + #""undos":3,"next":12,"app":"chat","appv":17,"labels":{"room":"l\"obby\n"},"#
            + #""key":"9f\\1c","dig":"0000000000c0ffee","elen":14,"crc":""#
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix(head) && lines[0].count == head.count + 10)
        #expect(lines[1] == #"{"command":{}}"#)
        #expect(lines[2] == #"{"id":"kiosk-1"}"#)
    }

    @Test(
        arguments: [
            (DueTimes(idleSeconds: 60), #","due":{"idle":60},"key""#),
            (DueTimes(idleSeconds: 0, sheetsExpireAt: 9), #","due":{"idle":0,"sheet":9},"key""#),
            (DueTimes(sheetsExpireAt: 9), #","due":{"sheet":9},"key""#),
        ])
    func `when something is due is in a record and in its head`(
        due: DueTimes, member: String
    ) throws {
        guard case .revision(var revision) = try record().content else { return }
        revision.due = due
        let shared = record(revision)
        #expect(String(decoding: shared.text, as: UTF8.self).contains(member))
        #expect(try SharedRecord(shared.text[...]) == shared)
        let head = try SharedRecord(short(.session(shared)))
        guard case .revision(let head) = head.content else { return }
        #expect(head.due == due)
    }

    @Test func `a key has the digest for older servers, too`() throws {
        let text = String(decoding: try deletion().text, as: UTF8.self)
        #expect(text.contains(#""dig":"0000000000000002","jdig":"0000000000000001""#))
    }

    /// The short form of a message, as a node reads it.
    private func short(_ message: StoreMessage) throws -> ArraySlice<UInt8> {
        let header = try #require(message.message.head)
        var bytes = Array("NATS/1.0\r\n".utf8)
        bytes += "\(header.name): ".utf8 + header.value + "\r\n\r\n".utf8
        return MessageHead.content(try Headers(bytes, bytes.indices))
    }

    @Test func `the short form of a message is in its header`() throws {
        let full = try record()
        let brief = try SharedRecord(short(.session(full)))
        #expect(brief.size == 30 && full.size == nil)
        #expect(brief.previous == full.previous && brief.born == full.born && brief.id == full.id)
        let entries = try [(full, nil), (brief, 30)].map { record, size in
            guard case .revision(let revision) = record.content else { throw StoreError.damaged }
            let place = StreamPlace(shard: 1, number: 2)
            return "\(SharedEntry(revision, born: record.born, at: place, size: size))"
        }
        #expect(entries[0] == entries[1])
        for end in try [tombstone(), deletion(), signpost()] {
            #expect(try SharedRecord(short(.session(end))) == end)
        }
        var list = SharedTokens(
            id: full.id, born: 3, at: 4, link: SharedLink(previous: 1, writer: writer), tokens: [])
        #expect(try SharedTokens(short(.tokens(list))) == list)
        list.tokens = [
            SessionToken(
                id: "t4k", scope: .read, digest: SHA256.digest(of: "t".utf8), expiresAt: 7)
        ]
        #expect(try SharedTokens(short(.tokens(list))) == list)
        list.tokens[0].limits = TokenLimits(
            commands: [TokenCommand(.back), .signal],
            routes: ["@people", "product"].compactMap { RouteSelector($0) })
        list.tokens.append(list.tokens[0])
        list.tokens[1].limits = TokenLimits(commands: nil, routes: [])
        #expect(try SharedTokens(list.text[...]) == list)
        for (old, new) in [
            (#"["back","signal"]"#, #"["back","fly"]"#), (#"["back","signal"]"#, #""back""#),
            (#""@people""#, #""@""#), (#""@people""#, "1"),
        ] {
            let text = String(decoding: list.text, as: UTF8.self).replacing(old, with: new)
            let forged = try SharedRecordForger.message(Array(text.utf8)) { $0 }
            #expect(throws: SharedRecordError.self) { try SharedTokens(forged[...]) }
        }
        let name = String(repeating: "x", count: 60)
        list.tokens[0].limits = TokenLimits(
            commands: TokenCommand.names.compactMap { TokenCommand($0) },
            routes: (0..<TokenLimits.itemsMax).compactMap { RouteSelector("@\(name)\($0)") })
        let one = list.tokens[0]
        list.tokens = Array(repeating: one, count: 64)
        #expect(try SharedTokens(list.text[...]) == list)
        #expect(list.text.count < 1 << 20)
        list.tokens = Array(repeating: list.tokens[0], count: 100)
        #expect(StoreMessage.tokens(list).message.head == nil)
        #expect(MessageHead.content(nil).isEmpty)
    }

    @Test func `a first line with repeated or very many members is refused`() throws {
        let many = (0..<64).map { "\"m\($0)\":1," }.joined()
        for more in [#""rev":29,"#, many] {
            let forged = try SharedRecordForger.message(try record().text) {
                $0.replacing(#""op":"#, with: more + #""op":"#)
            }
            #expect(throws: SharedRecordError.form) { try SharedRecord(forged[...]) }
        }
    }

    @Test func `what was written is read`() throws {
        let first = try record()
        #expect(try SharedRecord(first.text[...]) == first)
        let last = try tombstone()
        #expect(try SharedRecord(last.text[...]) == last)
        let deleted = try deletion()
        #expect(try SharedRecord(deleted.text[...]) == deleted)
        let other = try signpost()
        #expect(try SharedRecord(other.text[...]) == other)
        let forged = try SharedRecordForger.message(other.text) {
            $0.replacing(#""for":"kiosk-1""#, with: #""for":"""#)
        }
        #expect(throws: SharedRecordError.member("for")) { try SharedRecord(forged[...]) }
        // A message may lie anywhere in a buffer.
        let bytes = Array("HMSG".utf8) + last.text + Array("PING".utf8)
        #expect(try SharedRecord(bytes[4..<bytes.count - 4]) == last)
    }

    @Test(.seeded) func `undo and redo stacks are kept`() throws {
        var dice = SplitMix64()
        for _ in 0..<500 {
            guard case .revision(var session) = try record().content else { return }
            func stack() -> RevisionStack {
                let runs = (0..<dice.below(5)).map { _ in
                    let bottom = 1 + dice.below(24)
                    return RevisionStack.Run(bottom: bottom, top: bottom + dice.below(5))
                }
                return RevisionStack(runs)
            }
            session.undoing.undo = stack()
            session.undoing.redo = stack()
            let record = record(session)
            #expect(try SharedRecord(record.text[...]) == record)
        }
    }

    @Test(.seeded) func `a message that was changed anywhere is refused`() throws {
        var dice = SplitMix64()
        for original in [try record(), try tombstone(), try deletion(), try signpost()] {
            let text = original.text
            for index in text.indices {
                var changed = text
                changed[index] ^= UInt8(1 << dice.below(8))
                #expect(throws: SharedRecordError.self) { try SharedRecord(changed[...]) }
                #expect(throws: SharedRecordError.self) { try SharedRecord(text[..<index]) }
            }
            #expect(throws: SharedRecordError.self) { try SharedRecord((text + [10])[...]) }
        }
    }

    /// The message with another head, and the checksum that goes with it.
    private func forged(_ replace: (String) -> String) throws -> [UInt8] {
        try SharedRecordForger.message(record().text, replace)
    }

    @Test(arguments: [
        (#""op":"put""#, #""op":"app""#, SharedRecordError.member("op")),
        (#""op":"put""#, #""op":"delete""#, .member("why")),
        (#""id":"kiosk-1""#, #""id":"-""#, .member("id")),
        (#""rev":29"#, #""rev":0"#, .member("rev")),
        (#""rev":29"#, #""rev":9007199254740992"#, .member("rev")),
        (#""rev":29"#, #""rev":"29""#, .member("rev")),
        (#""at":1795225000412,"#, "", .member("at")),
        (#""prev":184320"#, #""prev":-1"#, .member("prev")),
        (#""born":"0000000000000c5a""#, #""born":"c5a""#, .member("born")),
        (#""by":"00"#, #""by":"0g"#, .member("by")),
        (#""undos":3"#, #""undos":true"#, .member("undos")),
        (#""app":"chat""#, #""app":"""#, .member("app")),
        (#""labels":{"room":"#, #""labels":{"a":1,"room":"#, .member("labels")),
        (#""next":12"#, #""next":12,"undo":[[29,29]]"#, .member("undo")),
        (#""next":12"#, #""next":12,"undo":[[0,3]]"#, .member("undo")),
        (#""next":12"#, #""next":12,"redo":[[1,2,3]]"#, .member("redo")),
        (#""next":12"#, #""next":12,"redo":[[1,33]]"#, .member("redo")),
        (#""dig":"0000000000c0ffee""#, #""dig":"C0FFEE0000000000""#, .member("dig")),
        (#""elen":14"#, #""elen":13"#, .form), (#""elen":14"#, #""elen":999"#, .form),
        (#""elen":14"#, #""elen":-1"#, .form),
    ])
    func `a valid checksum does not make a record valid`(
        part: String, other: String, expected: SharedRecordError
    ) throws {
        let message = try forged { $0.replacing(part, with: other, maxReplacements: 1) }
        #expect(throws: expected) { try SharedRecord(message[...]) }
    }

    @Test(arguments: [
        (#""why":"deleted""#, #""why":"bored""#, "why"),
        (#""author":"wall""#, #""author":"""#, "author"),
        (#""author":"wall""#, #""author":1"#, "author"),
    ])
    func `a valid checksum does not make the end of a session valid`(
        part: String, other: String, member: String
    ) throws {
        let message = try SharedRecordForger.message(deletion().text) { head in
            head.replacing(part, with: other, maxReplacements: 1)
        }
        #expect(throws: SharedRecordError.member(member)) { try SharedRecord(message[...]) }
    }

    @Test func `a forged message without a change is valid`() throws {
        let message = try forged { $0 }
        #expect(try SharedRecord(message[...]) == record())
    }
}
