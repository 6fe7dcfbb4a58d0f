import JSON
import Navigation
import Sessions
import Testing

/// The members of a session that only apps and commands which use them bring about.
struct SessionMembersTests {
    private var full: Session {
        get throws {
            var shop = Samples.tab("shop", path: [Samples.entry(1, "item")])
            shop.path[0].mark = MarkName(trusted: "start")
            var inbox = Samples.tab("inbox")
            inbox.isHidden = true
            var sheet = Sheet(
                id: EntryID(number: 2), style: .sheet,
                screen: Screen(route: RouteName(trusted: "login")),
                presentedBy: .entry(EntryID(number: 1)))
            sheet.mark = MarkName(trusted: "ask")
            var session = Samples.session(tabs: [shop, inbox], sheets: [sheet])
            session.settings.tabBack = .history
            session.state.tabHistory = [TabID(trusted: "inbox")]
            session.state.hasOwnOrder = true
            session.facts = Facts([
                (FactName(trusted: "signedIn"), .bool(false)),
                (FactName(trusted: "role"), .object(JSONObject([("name", .string("guest"))]))),
            ])
            session.pending = PendingCommand(
                guardName: GuardName(trusted: "member"),
                command: JSONObject([
                    ("command", .string("navigate")), ("route", .string("account")),
                ]),
                entry: EntryID(number: 2))
            return session
        }
    }

    @Test("Each member has its own position in the text.")
    func text() throws {
        let text = Samples.text(try full)
        #expect(
            text.contains(
                #","facts":{"signedIn":false,"role":{"name":"guest"}},"tabBack":"history","#))
        #expect(
            text.contains(
                #""selectedTab":"shop","tabHistory":["inbox"],"ownOrder":true,"pending":"#
                    + #"{"guard":"member","command":{"command":"navigate","route":"account"},"#
                    + #""entry":"e2"},"tabs":["#))
        #expect(text.contains(#""route":"item","params":{},"mark":"start"}"#))
        #expect(text.contains(#"{"id":"inbox","hidden":true,"path":[]}"#))
        #expect(text.contains(#""route":"login","params":{},"mark":"ask","presentedBy""#))
    }

    @Test("A session with all members is read as it was written.")
    func roundTrip() throws {
        let session = try full
        #expect(try Samples.stored(session) == session)
    }

    @Test("A session without them has none of their names in its text.")
    func absent() {
        let text = Samples.text(Samples.session(tabs: [Samples.tab("main")]))
        for name in ["facts", "tabBack", "tabHistory", "ownOrder", "pending", "hidden", "mark"] {
            #expect(!text.contains(#""\#(name)""#))
        }
    }

    @Test(
        "A stored text with a member of the wrong form is not a session.",
        arguments: [
            #""facts":3"#, #""tabBack":"sideways""#, #""tabHistory":"main""#, #""ownOrder":1"#,
            #""pending":{"guard":"g"}"#, #""pending":{"command":{}}"#, #""pending":[]"#,
        ])
    func wrongForm(member: String) {
        let text = #"{\#(member),"selectedTab":"a","tabs":[{"id":"a","path":[]}],"sheets":[]}"#
        #expect(throws: SessionDecoder.Failure.self) {
            try SessionDecoder.decode(Samples.record(text))
        }
    }

    @Test("A selection shows a hidden tab again.")
    func selectionShows() throws {
        var state = try full.state
        state.apply(.selected(tab: 1))
        #expect(state.selected == 1 && !state.tabs[1].isHidden)
    }
}
