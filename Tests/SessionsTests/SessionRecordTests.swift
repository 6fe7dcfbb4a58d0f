import JSON
import Navigation
import Sessions
import Testing

/// Records, their order, and the sessions that a filter takes.
@Suite struct SessionRecordTests {
    @Test(arguments: [0, 1, 4_294_967_295, 4_294_967_296, 9_007_199_254_740_991])
    func `a lineage begins after the numbers of the one before it`(number: SequenceNumber) {
        let last = number.lastBeforeNextLineage
        #expect(last >= number)
        #expect((last + 1).isOfSameLineage(as: last))
        #expect(!last.isOfSameLineage(as: number))
    }

    @Test func `a filter selects the sessions that have all of its labels`() {
        let filter = SessionFilter(labels: [
            Label(key: "room", value: "lobby"), Label(key: "kind", value: "kiosk"),
        ])
        let room = Label(key: "room", value: "lobby")
        let kind = Label(key: "kind", value: "kiosk")
        #expect(filter.matches(app: nil, labels: [kind, Label(key: "x", value: ""), room]))
        #expect(!filter.matches(app: nil, labels: [room]))
        let other = Label(key: "kind", value: "Kiosk")
        #expect(!filter.matches(app: nil, labels: [room, other]))
        #expect(SessionFilter().matches(app: nil, labels: []))
    }

    @Test func `a filter selects the sessions of its app`() {
        let shop = AppID(trusted: "shop")
        #expect(SessionFilter(app: shop).matches(app: shop, labels: []))
        #expect(!SessionFilter(app: shop).matches(app: AppID(trusted: "chat"), labels: []))
        #expect(!SessionFilter(app: shop).matches(app: nil, labels: []))
        #expect(SessionFilter().matches(app: shop, labels: []))
    }

    @Test func `labels are compared byte by byte`() {
        let composed = Label(key: "name", value: "caf\u{e9}")
        let decomposed = Label(key: "name", value: "cafe\u{301}")
        #expect(!SessionFilter(labels: [composed]).matches(app: nil, labels: [decomposed]))
        #expect(SessionFilter(labels: [composed]).matches(app: nil, labels: [composed]))
    }

    static let valid =
        #"{"id":"s","revision":1,"selectedTab":"a","tabs":[{"id":"a","path":[]}],"sheets":[]"#

    static func record(_ state: String, revision: Int = 1, nextEntry: Int = 1) -> SessionRecord {
        SessionRecord(
            id: SessionID(trusted: "s"), revision: revision, at: 0, undoing: UndoStacks(),
            nextEntry: nextEntry, event: [], state: Array(state.utf8))
    }

    @Test func `the stored text of a session ends with its sheets; the rest is not read`() throws {
        let session = try SessionDecoder.decode(Self.record(Self.valid + ", not even JSON"))
        #expect(session.state.tabs.map(\.id.rawValue) == ["a"])
        #expect(session.state.selected == 0)
    }

    /// Every beginning of a session's text, each of which lacks something.
    @Test(arguments: 0..<(valid.utf8.count - 1))
    func `a text that was cut is no session`(count: Int) {
        let text = String(decoding: Self.valid.utf8.prefix(count), as: UTF8.self)
        #expect(throws: SessionDecoder.Failure.self) {
            try SessionDecoder.decode(Self.record(text))
        }
    }

    @Test(arguments: [
        (0, 1), (-1, 1), (1, 0), (1, .min),
    ])
    func `a revision and a next entry below 1 are refused`(revision: Int, nextEntry: Int) {
        let record = Self.record(Self.valid, revision: revision, nextEntry: nextEntry)
        #expect(throws: SessionDecoder.Failure.self) { try SessionDecoder.decode(record) }
    }

    @Test(arguments: [
        (1, 1, true), (1 << 53, EntryID.numberMax + 1, true),
        (1 << 53 + 1, 1, false), (1, EntryID.numberMax + 2, false),
    ])
    func `a revision and a next entry have an upper bound`(
        revision: Int, nextEntry: Int, isValid: Bool
    ) {
        let record = Self.record(Self.valid, revision: revision, nextEntry: nextEntry)
        #expect(((try? SessionDecoder.decode(record)) != nil) == isValid)
    }

    @Test(arguments: [
        #"{"tabs":[{"id":"a"}],"selectedTab":"b","sheets":[]"#,
        #"{"tabs":[{}],"selectedTab":"a","sheets":[]"#,
        #"{"tabs":[{"id":"a","path":[{"id":"e1"}]}],"selectedTab":"a","sheets":[]"#,
        #"{"tabs":[{"id":"a","path":[{"id":"x","route":"r"}]}],"selectedTab":"a","sheets":[]"#,
        #"{"tabs":[{"id":"a"}],"selectedTab":"a","ttlSeconds":0,"sheets":[]"#,
        #"{"tabs":[{"id":"a"}],"selectedTab":"a","createdAt":"today","sheets":[]"#,
        #"{"tabs":[{"id":"a"}],"selectedTab":"a","sheets":[{"id":"e1"}]"#,
        #"{"tabs":[{"id":"a"}],"selectedTab":"a","sheets":[{"route":"r"}]"#,
    ])
    func `text that is no session is refused`(text: String) {
        #expect(throws: SessionDecoder.Failure.self) {
            try SessionDecoder.decode(Self.record(text))
        }
    }
}
