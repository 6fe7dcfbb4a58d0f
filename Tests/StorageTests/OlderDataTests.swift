import FoundationEssentials
import Navigation
import POSIX
import Sessions
@testable import Storage
import TestSupport
import Testing

/// A data directory that release 0.1.0 wrote, before sessions had facts, marks and hidden tabs.
@Suite struct OlderDataTests {
    private static let data = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "fixtures/data-0.1.0")

    private func store() throws -> TestStore {
        let directory = try TemporaryDirectory()
        _ = try Directory.make("\(directory.path)/log")
        for file in ["MANIFEST.json", "log/0000000001.jsonl"] {
            let bytes = try Data(contentsOf: Self.data.appending(path: file))
            try bytes.write(to: URL(filePath: "\(directory.path)/\(file)"))
        }
        return try TestStore(in: directory)
    }

    @Test func `every record reads back as it was written`() throws {
        let test = try store()
        #expect(test.report.notes == [])
        for (name, revisions) in [("app-1", 9), ("free-1", 5)] {
            let handle = try #require(
                test.store.reader.find(SessionID(trusted: name), now: 1_795_357_940_000))
            for revision in 1...revisions {
                let found = try test.waiting { store throws(StoreError) in
                    try store.reader.revision(revision, of: handle)
                }
                let record = try #require(found?.record)
                let session = try SessionDecoder.decode(record)
                #expect(session.facts == Facts.none)
                #expect(session.pending == nil)
                #expect(session.revision == revision)
            }
        }
    }

    @Test func `the newest state is written again byte for byte`() throws {
        let test = try store()
        let handle = try #require(
            test.store.reader.find(SessionID(trusted: "free-1"), now: 1_795_357_940_000))
        let newest = try test.waiting { store throws(StoreError) in try store.reader.newest(handle)
        }
        let session = try SessionDecoder.decode(newest.record)
        #expect(SessionEncoder.encode(session, app: nil) == newest.record.state)
        #expect(session.undoing.undo.count == 2)
        #expect(session.undoing.redo.count == 1)
    }

    @Test func `apps, tokens and deletions are there`() throws {
        let test = try store()
        #expect(test.store.state.storedApps.map(\.id.rawValue) == ["shop"])
        let handle = try #require(
            test.store.reader.find(SessionID(trusted: "app-1"), now: 1_795_357_940_000))
        #expect(test.store.reader.tokens(of: handle).tokens.map(\.id) == ["tw5A1UVwu"])
        #expect(test.store.reader.find(SessionID(trusted: "gone-1"), now: 1_795_357_940_000) == nil)
    }
}
