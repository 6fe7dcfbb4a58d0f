import Bytes
import JSON
import Navigation
import Sessions
import Testing

/// The JSON of a session, member by member.
@Suite struct SessionEncoderTests {
    private let entry = Samples.entry(7, "detail", params: #"{"id":"42"}"#)

    private func sheet(_ number: Int, _ change: (inout Sheet) -> Void = { _ in }) -> Sheet {
        var sheet = Sheet(
            id: EntryID(number: number), style: .sheet,
            screen: Screen(route: RouteName(trusted: "compose")),
            presentedBy: .tab(TabID(trusted: "a")))
        change(&sheet)
        return sheet
    }

    /// The value of a member in the encoded session.
    private func member(_ name: String, of session: Session) throws -> JSON? {
        guard case .object(let object) = try JSON(parsing: Array(Samples.text(session).utf8)) else {
            return nil
        }
        return object[name]
    }

    private func json(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }

    @Test func `the members are in their documented order`() throws {
        var session = Samples.session(tabs: [Samples.tab("a")])
        session.app = AppID(trusted: "chat")
        session.settings = SessionSettings(
            labels: [Label(key: "room", value: "lobby")], ttlSeconds: 60)
        guard case .object(let object) = try json(Samples.text(session)) else {
            Issue.record("a session is an object")
            return
        }
        #expect(
            object.members.map(\.key) == [
                "id", "revision", "app", "labels", "ttlSeconds", "createdAt", "updatedAt",
                "expiresAt", "selectedTab", "tabs", "sheets", "visible", "canGoBack", "canUndo",
                "canRedo", "nextEntry",
            ])
    }

    @Test func `members without a value are omitted`() throws {
        let text = Samples.text(Samples.session(tabs: [Samples.tab("a")]))
        for name in ["app", "labels", "ttlSeconds", "expiresAt", "badge", "root"] {
            #expect(!text.contains("\"\(name)\""))
        }
    }

    @Test(arguments: [
        (Badge.count(1), #"[{"id":"a","badge":1,"path":[]}]"#),
        (.count(.max), #"[{"id":"a","badge":9223372036854775807,"path":[]}]"#),
        (.text("new"), #"[{"id":"a","badge":"new","path":[]}]"#),
        (.text("\"\\\n"), #"[{"id":"a","badge":"\"\\\n","path":[]}]"#),
        (.text("\u{1F600}"), #"[{"id":"a","badge":"😀","path":[]}]"#),
    ])
    func `a badge is a number or a string`(badge: Badge, tabs: String) throws {
        let session = Samples.session(tabs: [Samples.tab("a", badge: badge)])
        #expect(try member("tabs", of: session) == json(tabs))
    }

    @Test func `a sheet has only the members that differ from their defaults`() throws {
        let plain = sheet(3)
        let full = sheet(4) { sheet in
            sheet.style = .fullScreenCover
            sheet.tag = "t"
            sheet.detents = ["medium", "large"]
            sheet.dismissible = false
            sheet.presentedBy = .entry(EntryID(number: 3))
            sheet.path = [entry]
        }
        let session = Samples.session(tabs: [Samples.tab("a")], sheets: [plain, full])
        let expected = """
            [{"id":"e3","style":"sheet","route":"compose","params":{},"presentedBy":"a","path":[]},
            {"id":"e4","style":"fullScreenCover","route":"compose","params":{},"tag":"t",
            "detents":["medium","large"],"dismissible":false,"presentedBy":"e3",
            "path":[{"id":"e7","route":"detail","params":{"id":"42"}}]}]
            """
        #expect(try member("sheets", of: session) == json(expected))
    }

    @Test func `visible is the root of a tab, the top of a path, or a sheet`() throws {
        let cases: [(Session, String)] = [
            (
                Samples.session(tabs: [Samples.tab("a")]),
                #"{"container":"a","entry":"a","route":"a","params":{},"tabBarHidden":false}"#
            ),
            (
                Samples.session(tabs: [Samples.tab("a"), Samples.tab("b")], selected: 1),
                #"{"container":"b","entry":"b","route":"b","params":{},"tabBarHidden":false}"#
            ),
            (
                Samples.session(tabs: [Samples.tab("a", path: [entry])]),
                #"{"container":"a","entry":"e7","route":"detail","params":{"id":"42"},"#
                    + #""tabBarHidden":false}"#
            ),
            (
                Samples.session(tabs: [Samples.tab("a", path: [entry])], sheets: [sheet(9)]),
                #"{"container":"e9","entry":"e9","route":"compose","params":{},"#
                    + #""tabBarHidden":true}"#
            ),
            (
                Samples.session(tabs: [Samples.tab("a")], sheets: [sheet(9) { $0.path = [entry] }]),
                #"{"container":"e9","entry":"e7","route":"detail","params":{"id":"42"},"#
                    + #""tabBarHidden":true}"#
            ),
        ]
        for (session, visible) in cases {
            #expect(try member("visible", of: session) == json(visible))
        }
    }

    @Test func `canGoBack follows the active container`() throws {
        let cases: [(Session, Bool)] = [
            (Samples.session(tabs: [Samples.tab("a")]), false),
            (Samples.session(tabs: [Samples.tab("a", path: [entry])]), true),
            (
                Samples.session(
                    tabs: [Samples.tab("a", path: [entry]), Samples.tab("b")], selected: 1), false
            ),
            (Samples.session(tabs: [Samples.tab("a")], sheets: [sheet(9)]), true),
            (
                Samples.session(
                    tabs: [Samples.tab("a", path: [entry])],
                    sheets: [sheet(9) { $0.dismissible = false }]), false
            ),
        ]
        for (session, canGoBack) in cases {
            #expect(try member("canGoBack", of: session) == .bool(canGoBack))
        }
    }

    @Test func `canUndo and canRedo follow the stacks`() throws {
        var session = Samples.session(tabs: [Samples.tab("a")])
        for (undo, redo) in [(false, false), (true, false), (false, true), (true, true)] {
            session.undoing = UndoStacks()
            session.revision = 5
            if undo { session.undoing.undo = RevisionStack([.init(bottom: 1, top: 2)]) }
            if redo { session.undoing.redo = RevisionStack([.init(bottom: 4, top: 4)]) }
            #expect(try member("canUndo", of: session) == .bool(undo))
            #expect(try member("canRedo", of: session) == .bool(redo))
        }
    }

    @Test func `expiresAt is the time of the last change and the time to live`() throws {
        var session = Samples.session(tabs: [Samples.tab("a")])
        session.settings.ttlSeconds = 90
        session.updatedAt = Samples.noon + 30_000
        #expect(try member("expiresAt", of: session) == .string("2026-11-21T12:02:00Z"))
        #expect(try member("updatedAt", of: session) == .string("2026-11-21T12:00:30Z"))
        #expect(try member("createdAt", of: session) == .string("2026-11-21T12:00:00Z"))
    }
}
