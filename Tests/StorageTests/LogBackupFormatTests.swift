import Bytes
import Navigation
import Sessions
import TestSupport
import Testing

@testable import Storage

/// Backups as items, for stores that keep sessions in another way.
@Suite struct LogBackupFormatTests {
    private static func items(of bytes: [UInt8]) throws -> (items: [BackupItem], highest: UInt64) {
        var reader = LogBackupFormat().reader()
        var items: [BackupItem] = []
        for start in stride(from: 0, to: bytes.count, by: 333) {
            reader.append(bytes[start..<min(start + 333, bytes.count)])
            while let item = try reader.next() { items.append(item) }
        }
        try reader.finish()
        return (items, try #require(reader.highestNumber))
    }

    /// A backup with one session after the other and the apps at the end, in pieces.
    private static func backup(
        _ items: [BackupItem], after highest: UInt64 = 5, pieceBytes: Int = 1 << 10
    ) -> [UInt8] {
        var writer = LogBackupFormat().writer(lineage: "abc", after: highest, at: 9)
        var bytes: [UInt8] = []
        for item in items {
            writer.append(item)
            if writer.count > pieceBytes { bytes += writer.take() }
        }
        writer.finish(omitted: 0)
        return bytes + writer.take()
    }

    /// The items in the order that a writer wants, without what is void.
    private static func inOrder(_ items: [BackupItem]) -> [BackupItem] {
        var revisions: [SessionID: [(record: SessionRecord, birth: UInt64)]] = [:]
        var (ends, tokens) = ([BackupItem](), [SessionID: BackupTokens]())
        var apps: [AppID: BackupItem] = [:]
        for item in items {
            switch item {
            case .revision(let record, let birth):
                if revisions[record.id]?.last?.birth != birth { revisions[record.id] = [] }
                revisions[record.id, default: []].append((record, birth))
            case .end(let end):
                revisions[end.id] = nil
                if end.key != nil { ends.append(item) }
            case .tokens(let list): tokens[list.id] = list
            case .app(let app): apps[app.id] = item
            }
        }
        var all = ends
        for (id, records) in revisions {
            all += records.map { .revision($0.record, birth: $0.birth) }
            if let list = tokens[id] { all.append(.tokens(list)) }
        }
        return all + apps.values
    }

    private func digest(_ number: UInt64) -> TokenDigest {
        TokenDigest(TokenDigest.InlineWords(first: number, second: 1, third: 2, fourth: 3))
    }

    // MARK: Whole stores

    @Test(.seeded) func `a store made of the items of a backup undoes and redoes as before`() throws
    {
        let test = try TestStore(on: .memory) { $0.segmentBytes = 32 << 10 }
        var dice = SplitMix64()
        var callers = (0..<4).map { UndoCaller(test, "s\($0)") }
        for _ in 0..<1_000 {
            let index = dice.below(4)
            switch dice.below(8) {
            case 0: _ = try callers[index].undo()
            case 1: _ = try callers[index].undo(1 + dice.below(12))
            case 2: _ = try callers[index].redo(1 + dice.below(12))
            case 3, 4: try callers[index].set()
            default: try callers[index].change()
            }
            try test.settle()
        }
        let items = try Self.items(of: test.backup()).items
        let other = try TestStore(restoring: Self.backup(Self.inOrder(items))) {
            $0.cacheBytes = 1 << 16
        }
        for start in 0..<2 {
            for caller in callers {
                var moved = UndoCaller(other, caller.id)
                (moved.revision, moved.undoing) = (caller.revision, caller.undoing)
                try moved.check()
                let handle = try #require(other.store.handle(caller.id))
                for back in 0...min(32, caller.revision - 1) {
                    let found = try other.waiting { store throws(StoreError) in
                        try store.reader.revision(caller.revision - back, of: handle)
                    }
                    #expect(found?.record.revision == caller.revision - back)
                }
                if start == 1 { while try moved.undo() {} }
            }
            try other.settle()
            try other.reopen()
        }
    }

    @Test func `what belongs to a session comes along: its labels, expiry, tokens and keys`() throws
    {
        let test = try TestStore()
        let key = IdempotencyKey(key: "k\u{1}", digest: 77)
        let labels = [Label(key: "room", value: "\"lobby\"")]
        let made = record(
            "a", 1, expiresAt: 1_000_000, app: "shop", labels: labels, key: key)
        _ = try test.store.put(made)
        let a = try #require(test.store.handle("a"))
        var token = SessionToken(id: "t1", scope: .control, digest: digest(1), expiresAt: 900_000)
        (token.createdAt, token.name) = (1_500, TokenName("wall"))
        _ = try test.store.writer.putTokens([token], of: a, at: 2_000)
        _ = try test.store.put(record("gone", 1))
        let gone = try #require(test.store.handle("gone"))
        let endKey = IdempotencyKey(key: "end", digest: 78)
        _ = try test.store.delete(gone, at: 2_100, key: endKey)
        let shop = AppID(trusted: "shop")
        _ = try test.store.putApp(shop, document: Array("{}".utf8), at: 2_200)
        _ = try test.store.putApp(AppID(trusted: "old"), document: [0x5B, 0x5D], at: 2_200)
        _ = try test.store.writer.deleteApp(AppID(trusted: "old"), at: 2_300)
        try test.settle()

        let items = try Self.items(of: test.backup()).items
        let other = try TestStore(restoring: Self.backup(Self.inOrder(items)))
        let handle = try #require(other.store.handle("a"))
        #expect(
            try other.waiting { s throws(StoreError) in try s.reader.newest(handle) }.record == made
        )
        #expect(other.store.owner(of: digest(1), now: 2_000)?.token == token)
        #expect(other.store.state.storedApps.map(\.id) == [shop])
        #expect(other.store.state.storedApps.first?.document == Array("{}".utf8))
        for scope in [IdempotencyScope.creations, .session(SessionID(trusted: "a"))] {
            let kept = try other.waiting { store throws(StoreError) in
                try store.reader.result(forKey: key.key, in: scope, now: 3_000)
            }
            guard case .change(let stored)? = kept else {
                Issue.record("the key is not known")
                continue
            }
            #expect(stored.record == made)
        }
        let ended = try other.waiting { store throws(StoreError) in
            try store.reader.result(
                forKey: "end", in: .session(SessionID(trusted: "gone")), now: 3_000)
        }
        guard case .deletion(let deletion)? = ended else {
            Issue.record("the key of the deletion is not known")
            return
        }
        #expect(deletion.key == endKey && deletion.revision == 1 && deletion.at == 2_100)
    }

    // MARK: Numbers

    @Test func `a revision whose predecessor is missing is the end of its history`() throws {
        var stacks = UndoStacks()
        stacks.undo = RevisionStack([RevisionStack.Run(bottom: 4, top: 5)])
        let revisions = [4, 5] + Array(70...80)
        let items = revisions.map { revision -> BackupItem in
            let undoing = revision >= 70 ? stacks : UndoStacks()
            return .revision(record("a", revision, undoing: undoing), birth: 7)
        }
        let other = try TestStore(
            restoring: Self.backup([.revision(record("b", 1), birth: 1)] + items))
        for _ in 0..<2 {
            let handle = try #require(other.store.handle("a"))
            for wanted in 1...80 {
                let found = try other.waiting { store throws(StoreError) in
                    try store.reader.revision(wanted, of: handle)
                }
                #expect(found?.record.revision == (revisions.contains(wanted) ? wanted : nil))
            }
            var bytesLeft = 1 << 20
            let all = try other.waiting { store throws(StoreError) in
                try store.reader.changes(of: handle, after: 1, bytesLeft: &bytesLeft)
            }
            #expect(all == nil, "changes are missing")
            try other.reopen()
        }
    }

    @Test func `numbers of the store and of its backup are of earlier lineages`() throws {
        for highest: UInt64 in [0, 5, 1 << 32, (9 << 32) + 77] {
            let items: [BackupItem] = [.revision(record("a", 1), birth: 3)]
            let bytes = Self.backup(items, after: highest)
            let (read, last) = try Self.items(of: bytes)
            guard case .revision(let found, _)? = read.first else {
                Issue.record("no revision")
                continue
            }
            #expect(found == record("a", 1) && read.count == 1)
            #expect(last >> 32 > (highest >> 32) + 1)
            let other = try TestStore(restoring: bytes)
            _ = try other.store.put(record("b", 1))
            let number = other.store.last
            #expect(number >> 32 > last >> 32)
        }
    }

    @Test func `a backup of this store says which number is its highest`() throws {
        let test = try TestStore()
        for revision in 1...3 { _ = try test.store.put(record("a", revision)) }
        try test.settle()
        #expect(try Self.items(of: test.backup()).highest == test.store.last)
    }

    @Test func `a large backup has several files`() throws {
        let items = (1...70).map { number -> BackupItem in
            .revision(record("s\(number)", 1, bytes: 1 << 20), birth: UInt64(number))
        }
        let other = try TestStore(restoring: Self.backup(items, pieceBytes: 1 << 22))
        #expect(other.report.files >= 3)
        #expect(other.store.reader.sessionCount == 70)
    }

    // MARK: Damage

    @Test func `tokens without their session, and void ones, are left out`() throws {
        let token = SessionToken(id: "t1", scope: .read, digest: digest(1), expiresAt: nil)
        let lists = [("a", UInt64(3)), ("b", 1)].map { id, birth in
            BackupItem.tokens(
                BackupTokens(
                    id: SessionID(trusted: id), birth: birth, at: 1, tokens: [token]))
        }
        let bytes = Self.backup([.revision(record("a", 1), birth: 4)] + lists)
        #expect(try Self.items(of: bytes).items.count == 1)
    }

    @Test(arguments: [
        (
            #""op":"put","id":"a b","rev":1,"at":5,"born":1,"undos":0,"next":1,"elen":2,"#
                + #""event":{},"s":{}"#,
            "the id is not that of a session"
        ),
        (#""op":"tokens","id":"","at":5,"born":1,"tokens":[]"#, "the line is damaged"),
        (
            #""op":"delete","id":"ä","rev":1,"at":5,"born":1,"why":"deleted""#,
            "the id is not that of a session"
        ),
        (#""op":"app","id":"A/B","at":5,"doc":{}"#, "the id is not that of an app"),
        (#""op":"app-delete","id":"A/B","at":5"#, "the id is not that of an app"),
        (#""op":"app-delete","id":"a","at":5"#, "the number is higher than all numbers should be"),
    ])
    func `a forged record is refused`(text: String, reason: String) throws {
        let upTo: UInt64 = reason.hasPrefix("the number") ? 0 : 1
        var bytes = Backup.opening(lineage: "l", upTo: upTo, at: 1)
        let salt = SegmentHeader(lineage: "l", file: 1, first: 1, at: 1).append(to: &bytes)
        var line = ByteWriter()
        line.append(literal: #"{"n":1,"d":0,"#)
        line.append(text)
        Line.append(line, to: &bytes, salt: salt)
        bytes += Backup.closing(bytes: bytes.count)
        #expect(throws: BackupError(line: 3, reason: reason)) { try Self.items(of: bytes) }
    }
}
