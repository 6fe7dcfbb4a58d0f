import Bytes
import JSON
import Navigation
import Sessions
import Testing

/// Sessions that were encoded and are decoded again.
@Suite struct SessionDecoderTests {
    @Test func `a session with every member survives encoding and decoding`() throws {
        let entry = Samples.entry(1, "detail", params: #"{"n":[1,{"x":null}]}"#)
        var sheet = Sheet(
            id: EntryID(number: 2), style: .fullScreenCover,
            screen: Screen(route: RouteName(trusted: "compose")),
            presentedBy: .entry(entry.id))
        sheet.params = Params(trusted: Array(#"{"draft":true}"#.utf8)[...])
        sheet.tag = "t\u{e9}"
        sheet.detents = ["medium", "\"quoted\""]
        sheet.dismissible = false
        sheet.path = [Samples.entry(3, "photo"), Samples.entry(4, "crop")]
        var session = Samples.session(
            tabs: [
                Samples.tab("a", badge: .count(3), path: [entry]),
                Samples.tab("b", badge: .text("n\u{65}w\n")), Samples.tab("c"),
            ], sheets: [sheet], selected: 2)
        session.settings = SessionSettings(
            labels: [Label(key: "room", value: "lobby"), Label(key: "k", value: "")],
            ttlSeconds: 3600)
        session.revision = 9
        session.undoing = UndoStacks(steps: 4, before: 9)
        #expect(try Samples.stored(session) == session)
    }

    @Test(arguments: 0..<3)
    func `the selected tab is found by its id`(selected: Int) throws {
        let tabs = ["a", "b", "c"].map { Samples.tab($0) }
        let session = Samples.session(tabs: tabs, selected: selected)
        #expect(try Samples.stored(session).state.selected == selected)
    }

    @Test(arguments: [
        (#""tab""#, ScreenID.tab(TabID(trusted: "tab"))),
        (#""e5""#, .entry(EntryID(number: 5))),
        // Nothing beneath the sheet has that id, so it is presented by what is visible there.
        (#""e6""#, .tab(TabID(trusted: "a"))),
        // Not the id of an entry, because of its leading zero.
        (#""e05""#, .tab(TabID(trusted: "e05"))),
    ])
    func `a sheet is presented by an entry or a tab`(text: String, presenter: ScreenID) throws {
        let state =
            #"{"tabs":[{"id":"a","path":[]},{"id":"tab"},{"id":"e05","path":[{"id":"e5","route":"r","#
            + #""params":{}}]}],"selectedTab":"a","sheets":[{"id":"e1","#
            + #""style":"sheet","route":"r","params":{},"presentedBy":\#(text)}]"#
        let session = try SessionDecoder.decode(Samples.record(state, nextEntry: 9))
        #expect(session.state.sheets.map(\.presentedBy) == [presenter])
    }

    @Test func `members that are missing have their defaults`() throws {
        let state =
            #"{"tabs":[{"id":"a"}],"selectedTab":"a","sheets":[{"id":"e1","style":"sheet","#
            + #""route":"r","params":{}}]"#
        let session = try SessionDecoder.decode(Samples.record(state, nextEntry: 2))
        let sheet = try #require(session.state.sheets.first)
        #expect(sheet.style == .sheet && sheet.dismissible && sheet.tag == nil)
        #expect(sheet.detents.isEmpty && sheet.path.isEmpty && sheet.params.isEmpty)
        #expect(session.state.tabs.first?.badge == nil)
        #expect(session.settings.ttlSeconds == nil)
    }

    @Test func `unknown members are skipped`() throws {
        let state =
            #"{"later":{"deep":[1]},"tabs":[{"id":"a","later":0}],"selectedTab":"a","#
            + #""sheets":[{"id":"e1","style":"sheet","route":"r","params":{},"later":null,"path":["#
            + #"{"id":"e2","route":"r","params":{},"mark":"m","later":[]}]}]"#
        let session = try SessionDecoder.decode(Samples.record(state, nextEntry: 3))
        #expect(session.state.ids == [EntryID(number: 1), EntryID(number: 2)])
    }

    @Test(arguments: [
        "tabs", "selectedTab", "ttlSeconds", "createdAt", "sheets",
    ])
    func `a member of the wrong type is refused`(name: String) {
        var members = [
            "tabs": #"[{"id":"a"}]"#, "selectedTab": #""a""#, "ttlSeconds": "60",
            "createdAt": #""2026-11-21T12:00:00Z""#,
        ]
        let sheets = name == "sheets" ? "true" : "[]"
        members[name] = name == "sheets" ? nil : "true"
        let state =
            "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)," }.joined()
            + "\"sheets\":\(sheets)"
        #expect(throws: SessionDecoder.Failure.self) {
            try SessionDecoder.decode(Samples.record(state))
        }
    }

    @Test(arguments: [
        ("0", false), ("1", true), ("3155760000", true), ("3155760001", false), ("-5", false),
        ("1.5", false),
    ])
    func `a time to live is between a second and a hundred years`(seconds: String, isValid: Bool) {
        let state =
            "{\"ttlSeconds\":\(seconds),\"tabs\":[{\"id\":\"a\"}],\"selectedTab\":\"a\","
            + "\"sheets\":[]"
        let session = try? SessionDecoder.decode(Samples.record(state))
        #expect((session != nil) == isValid)
    }

    @Test(arguments: [
        (0, true), (-1, false), (Timestamp.timeMax, true), (Timestamp.timeMax + 1, false),
    ])
    func `a time is between the years 1970 and 9999`(at: Milliseconds, isValid: Bool) {
        let state = #"{"tabs":[{"id":"a"}],"selectedTab":"a","sheets":[]"#
        let session = try? SessionDecoder.decode(Samples.record(state, at: at))
        #expect((session != nil) == isValid)
    }

    @Test func `invalid JSON and JSON that is not a session are told apart`() throws {
        let syntax = #expect(throws: SessionDecoder.Failure.self) {
            try SessionDecoder.decode(Samples.record(#"{"tabs":[,]"#))
        }
        guard case .syntax? = syntax else {
            Issue.record("a syntax error is \(String(describing: syntax))")
            return
        }
        let form = #expect(throws: SessionDecoder.Failure.self) {
            try SessionDecoder.decode(Samples.record(#"{"tabs":[],"sheets":[]"#))
        }
        #expect(form == .form("no tab is selected"))
    }

    @Test(arguments: [
        (#"{"tabs":[{"id":"a"}],"selectedTab":"a"}"#, "the sheets are missing"),
        (#"{"tabs":[{}],"sheets":[]}"#, "a tab has no id"),
        (#"{"tabs":[{"id":"a","badge":0}],"sheets":[]}"#, "a badge is out of range"),
        (#"{"createdAt":"today","sheets":[]}"#, "a time is not a timestamp"),
        (#"{"createdAt":17,"sheets":[]}"#, "a time is not a timestamp"),
        (
            #"{"tabs":[{"id":"a","path":[{"id":"a1"}]}],"sheets":[]}"#,
            "an id is not that of an entry"
        ),
        (
            #"{"tabs":[{"id":"a","path":[{"route":"r","id":"e1"}]}],"sheets":[]}"#,
            "an entry has no id"
        ),
        (
            #"{"tabs":[{"id":"a","path":[{"id":"e1","params":{}}]}],"sheets":[]}"#,
            "a screen has no route"
        ),
        (
            #"{"tabs":[{"id":"a","path":[{"id":"e1","route":"r","params":[]}]}],"sheets":[]}"#,
            "a screen has no params"
        ),
        (#"{"sheets":[{"style":"sheet"}]}"#, "a sheet has no id"),
        (#"{"sheets":[{"id":"e1","route":"r"}]}"#, "a sheet has no style"),
        (#"{"sheets":[{"id":"e1","style":"none"}]}"#, "the style of a sheet is unknown"),
        (#"{"facts":3,"sheets":[]}"#, "the facts or the pending command are not an object"),
        (#"{"tabBack":"sideways","sheets":[]}"#, "the value of tabBack is unknown"),
        (#"{"pending":{"guard":"g"},"sheets":[]}"#, "a pending command is incomplete"),
        (#"{"ttlSeconds":0,"sheets":[]}"#, "the time to live is out of range"),
    ])
    func `an error says what is wrong`(state: String, reason: String) {
        let error = #expect(throws: SessionDecoder.Failure.self) {
            try SessionDecoder.decode(Samples.record(state))
        }
        #expect(error == .form(reason))
    }
}
