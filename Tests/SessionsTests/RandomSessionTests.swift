import Bytes
import JSON
import Navigation
import Sessions
import TestSupport
import Testing

/// Sessions with random members, which are encoded and decoded again.
@Suite struct RandomSessionTests {
    @Test(.seeded) func `whatever a session has survives encoding and decoding`() throws {
        var sessions = RandomSessions(dice: SplitMix64(stream: 0x53E5))
        for _ in 0..<300 {
            let session = sessions.next()
            let stored = try Samples.stored(session)
            #expect(stored == session)
            // Sessions are compared as JSON; their texts are the same byte by byte.
            #expect(
                SessionEncoder.encode(stored, app: nil)
                    == SessionEncoder.encode(session, app: nil))
        }
    }

    @Test(.seeded) func `a damaged text is refused, or is a session with a selected tab`() {
        var sessions = RandomSessions(dice: SplitMix64(stream: 0xDA3A6E))
        var (refused, read) = (0, 0)
        for _ in 0..<1_000 {
            let session = sessions.next()
            var record = Samples.record("", nextEntry: session.nextEntry)
            record.state = SessionEncoder.encode(session, app: nil)
            record.state[sessions.dice.below(record.state.count)] = sessions.dice.bytes(1)[0]
            do throws(SessionDecoder.Failure) {
                let state = try SessionDecoder.decode(record).state
                #expect(state.tabs.indices.contains(state.selected))
                #expect(state.tabs.allSatisfy { !$0.id.rawValue.isEmpty })
                read += 1
            } catch {
                refused += 1
            }
        }
        #expect(refused > 0 && read > 0)
    }
}

/// Makes sessions; about half of their members have a value.
struct RandomSessions {
    var dice: SplitMix64
    private var entries = 0

    init(dice: SplitMix64) { self.dice = dice }

    /// A session with one to four tabs and up to three sheets.
    mutating func next() -> Session {
        entries = dice.below(1_000)
        let tabs = (0...dice.below(4)).map { tab("t\($0)") }
        let sheets = (0..<dice.below(4)).map { _ in sheet() }
        var state = NavigationState(tabs: tabs, selected: dice.below(tabs.count), sheets: sheets)
        state.hasOwnOrder = dice.oneIn(2)
        state.tabHistory = tabs.map(\.id).filter { _ in dice.oneIn(2) }
        var session = Session(
            id: SessionID(trusted: "s"), app: dice.oneIn(2) ? AppID(trusted: "chat") : nil,
            settings: settings(), at: Milliseconds(dice.below(Int(Timestamp.timeMax))),
            state: state)
        session.updatedAt = Samples.noon + Milliseconds(dice.below(1 << 40))
        session.revision = 1 + dice.below(1_000)
        session.undoing = UndoStacks(steps: dice.below(40), before: session.revision)
        if dice.oneIn(2) {
            session.facts = Facts(
                (0..<dice.below(4)).map { (FactName(trusted: "f\($0)"), value(depth: 2)) })
        }
        if dice.oneIn(2) {
            session.pending = PendingCommand(
                guardName: GuardName(trusted: "member"), command: object(depth: 2),
                entry: dice.oneIn(2) ? newID() : nil)
        }
        session.nextEntry = entries + 1
        session.state.adoptOrphans()
        return session
    }

    private mutating func settings() -> SessionSettings {
        let labels = (0..<dice.below(3)).map { Label(key: "k\($0)", value: text()) }
        return SessionSettings(
            labels: labels, ttlSeconds: dice.oneIn(2) ? 1 + dice.below(Limits.ttlSecondsMax) : nil,
            tabBack: dice.one(of: TabBack.allCases))
    }

    private mutating func newID() -> EntryID {
        entries += 1 + dice.below(3)
        return EntryID(number: entries)
    }

    private mutating func mark() -> MarkName? { dice.oneIn(2) ? MarkName(trusted: "m") : nil }

    private mutating func entry() -> Entry {
        Entry(
            id: newID(), route: RouteName(trusted: "r\(dice.below(9))"),
            params: Params(object(depth: 2)), mark: mark())
    }

    private mutating func screen(_ route: String) -> Screen {
        Screen(
            route: RouteName(trusted: route), params: Params(object(depth: 2)), mark: mark(),
            isLocked: dice.oneIn(3))
    }

    private mutating func dialog() -> Dialog {
        Dialog(
            title: text(), message: dice.oneIn(2) ? text() : nil,
            buttons: (0...dice.below(3)).map { index in
                DialogButton(
                    id: MarkName(trusted: "b\(index)"), title: text(),
                    role: dice.one(of: [nil, .cancel, .destructive]))
            })
    }

    private mutating func tab(_ id: String) -> Tab {
        var tab = Tab(id: TabID(trusted: id), path: (0..<dice.below(4)).map { _ in entry() })
        tab.isHidden = dice.oneIn(2)
        if dice.oneIn(3) { tab.root = screen(id) }
        if let last = tab.path.last, dice.oneIn(3) {
            tab.path[tab.path.count - 1].screen = last.screen.with(mark: nil, isLocked: true)
        }
        tab.badge = dice.one(of: [nil, .count(1 + dice.below(.max)), .text(ExactString(text()))])
        return tab
    }

    private mutating func sheet() -> Sheet {
        let id = newID()
        var sheet = Sheet(
            id: id, style: dice.one(of: SheetStyle.allCases),
            screen: Screen(route: RouteName(trusted: "sheet"), params: Params(object(depth: 2))),
            tag: dice.oneIn(2) ? ExactString(text()) : nil,
            detents: (0..<dice.below(3)).map { _ in ExactString(text()) },
            dismissible: dice.oneIn(2), presentedBy: .tab(TabID(trusted: "t0")),
            path: (0..<dice.below(3)).map { _ in entry() })
        if dice.oneIn(2) { sheet.presentedBy = .entry(EntryID(number: dice.below(id.number))) }
        sheet.mark = mark()
        if sheet.style.isDialog { sheet.dialog = dialog() }
        if dice.oneIn(4) { sheet.anchor = MarkName(trusted: "a") }
        return sheet
    }

    /// Text with characters that JSON escapes, and ones of one to four bytes.
    private mutating func text() -> String {
        let pieces = ["a", "\"", "\\", "/", "\n", "\u{0}", "\u{7f}", "é", "e\u{301}", "€", "😀"]
        return (0...dice.below(6)).map { _ in dice.one(of: pieces) }.joined()
    }

    private mutating func object(depth: Int) -> JSONObject {
        JSONObject((0..<dice.below(3)).map { ("m\($0)", value(depth: depth - 1)) })
    }

    private mutating func value(depth: Int) -> JSON {
        switch dice.below(depth > 0 ? 6 : 4) {
        case 0: .null
        case 1: .bool(dice.oneIn(2))
        case 2: .integer(Int64(bitPattern: dice.next()))
        case 3: .string(text())
        case 4: .array((0..<dice.below(3)).map { _ in value(depth: depth - 1) })
        default: .object(object(depth: depth))
        }
    }
}
