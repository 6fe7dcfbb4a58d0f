internal import Bytes
internal import JSON
public import Navigation

/// Decodes a session from the JSON that `SessionEncoder` wrote. The derived members after `sheets`
/// are not read.
///
/// The text comes from the store, which has verified its checksum. Invalid text is therefore damage
/// or a bug, and an error in either case. Only text without white space is accepted, with the id of
/// an entry or a sheet, the style of a sheet and the members of a screen in the encoder's order.
/// Unknown members behind them are skipped, since a later version may have written them.
public struct SessionDecoder: ~Copyable {
    let text: [UInt8]
    var at = 0
    /// The name of the route that was read last, and where it is with its quotes.
    private var lastRouteName = RouteName(trusted: "")
    private var lastRoute = 0..<0

    /// More revisions than a session can ever have, so that adding one cannot overflow.
    private static let revisionMax = 1 << 53

    /// The reason why a text cannot be decoded.
    public enum Failure: Error, Equatable {
        /// The text is not JSON without white space, from this byte on.
        case syntax(at: Int)
        /// The JSON is not a session.
        case form(String)
    }

    /// Decodes the session of a record.
    public static func decode(_ record: SessionRecord) throws(Failure) -> Session {
        var decoder = SessionDecoder(text: record.state)
        var session = Session(
            id: record.id, app: record.app, settings: SessionSettings(labels: record.labels),
            at: record.at, state: NavigationState(tabs: []), nextEntry: record.nextEntry)
        session.revision = record.revision
        session.undoing = record.undoing
        try decoder.read(into: &session)
        guard (1...revisionMax).contains(session.revision),
            (1...EntryID.numberMax + 1).contains(session.nextEntry),
            (0...Timestamp.timeMax).contains(session.updatedAt)
        else { throw .form("the revision, the next entry or the time is out of range") }
        // Versions before 1.2 kept a sheet whose presenter was gone.
        if !session.state.sheets.isEmpty { session.state.adoptOrphans() }
        return session
    }

    private init(text: [UInt8]) { self.text = text }

    private mutating func read(into session: inout Session) throws(Failure) {
        var selected = ""
        var hasSheets = false
        try pass(UInt8(ascii: "{"))
        while !hasSheets, try next() {
            if accept(#""tabs":"#) {
                session.state.tabs = try list { d throws(Failure) in try d.tab() }
            } else if accept(#""sheets":"#) {
                session.state.sheets = try list { d throws(Failure) in try d.sheet() }
                hasSheets = true
            } else if accept(#""selectedTab":"#) {
                selected = try string()
            } else if accept(#""ttlSeconds":"#) {
                session.settings.ttlSeconds = try ttl()
            } else if accept(#""createdAt":"#) {
                session.createdAt = try time()
            } else {
                try readRareMember(of: &session)
            }
        }
        guard hasSheets else { throw .form("the sheets are missing") }
        guard let index = session.state.tabIndex(named: selected) else {
            throw .form("no tab is selected")
        }
        session.state.selected = index
    }

    /// Reads a member that few sessions have.
    private mutating func readRareMember(of session: inout Session) throws(Failure) {
        if accept(#""facts":"#) {
            session.facts = try facts()
        } else if accept(#""tabBack":"#) {
            session.settings.tabBack = try tabBack()
        } else if accept(#""tabHistory":"#) {
            session.state.tabHistory = try list { d throws(Failure) in
                TabID(trusted: try d.string())
            }
        } else if accept(#""ownOrder":"#) {
            session.state.hasOwnOrder = try flag()
        } else if accept(#""pending":"#) {
            session.pending = try pending()
        } else if accept(#""idle":"#) {
            session.settings.idle = try idle()
        } else {
            try skipMember()
        }
    }

    private mutating func tab() throws(Failure) -> Tab {
        var (id, entries): (String, [Entry]) = ("", [])
        var (badge, isHidden, root): (Badge?, Bool, Screen?) = (nil, false, nil)
        try pass(UInt8(ascii: "{"))
        while try next() {
            if accept(#""id":"#) {
                id = try string()
            } else if accept(#""path":"#) {
                entries = try path()
            } else if accept(#""badge":"#) {
                badge = try self.badge()
            } else if accept(#""hidden":"#) {
                isHidden = try flag()
            } else if accept(#""root":"#) {
                root = try self.root()
            } else {
                try skipMember()
            }
        }
        guard !id.isEmpty else { throw .form("a tab has no id") }
        return Tab(
            id: TabID(trusted: id), path: entries, badge: badge, isHidden: isHidden, root: root)
    }

    private mutating func badge() throws(Failure) -> Badge {
        if byte == UInt8(ascii: "\"") { return .text(ExactString(try string())) }
        let count = try integer()
        guard count > 0 else { throw .form("a badge is out of range") }
        return .count(count)
    }

    private mutating func path() throws(Failure) -> [Entry] {
        try list(reserving: 8) { d throws(Failure) in try d.entry() }
    }

    private mutating func entry() throws(Failure) -> Entry {
        guard accept(#"{"id":"#) else { throw .form("an entry has no id") }
        let id = try entryID()
        let entry = Entry(id: id, screen: try screen())
        try skipMembers()
        return entry
    }

    private mutating func root() throws(Failure) -> Screen {
        guard accept(#"{"id":"#) else { throw .form("a root has no id") }
        _ = try string()
        let root = try screen()
        try skipMembers()
        return root
    }

    private mutating func sheet() throws(Failure) -> Sheet {
        guard accept(#"{"id":"#) else { throw .form("a sheet has no id") }
        let id = try entryID()
        guard accept(#","style":"#) else { throw .form("a sheet has no style") }
        let style = try style()
        var sheet = Sheet(
            id: id, style: style, screen: try screen(), presentedBy: .tab(TabID(trusted: "")))
        while try next() {
            if accept(#""tag":"#) {
                sheet.tag = ExactString(try string())
            } else if style.isDialog, accept(#""title":"#) {
                sheet.dialog = try dialog()
            } else if accept(#""anchor":"#) {
                sheet.anchor = MarkName(trusted: try string())
            } else if accept(#""detents":"#) {
                sheet.detents = try list { d throws(Failure) in ExactString(try d.string()) }
            } else if accept(#""dismissible":"#) {
                sheet.dismissible = try flag()
            } else if accept(#""expiresAt":"#) {
                sheet.expiresAt = try time()
            } else if accept(#""presentedBy":"#) {
                let name = try string()
                sheet.presentedBy =
                    EntryID(name).map(ScreenID.entry) ?? .tab(TabID(trusted: name))
            } else if accept(#""path":"#) {
                sheet.path = try path()
            } else {
                try skipMember()
            }
        }
        guard style.isDialog == (sheet.dialog != nil) else { throw .form("a dialog has no title") }
        return sheet
    }

    /// Reads the title of a dialog, and its message and buttons, which follow.
    private mutating func dialog() throws(Failure) -> Dialog {
        let title = try string()
        let message = accept(#","message":"#) ? try string() : nil
        guard accept(#","buttons":"#) else { throw .form("a dialog has no buttons") }
        let buttons = try list { d throws(Failure) in try d.button() }
        return Dialog(title: title, message: message, buttons: buttons)
    }

    private mutating func button() throws(Failure) -> DialogButton {
        var button = DialogButton(id: MarkName(trusted: ""), title: "")
        try pass(UInt8(ascii: "{"))
        while try next() {
            if accept(#""id":"#) {
                button.id = MarkName(trusted: try string())
            } else if accept(#""title":"#) {
                button.title = try string()
            } else if accept(#""role":"#) {
                button.role = DialogButton.Role(named: try string())
            } else {
                try skipMember()
            }
        }
        return button
    }

    /// Reads the name of a route. Many entries have the same one, which is made once.
    private mutating func route() throws(Failure) -> RouteName {
        let (start, end) = (at, at + lastRoute.count)
        if !lastRoute.isEmpty, end <= text.count, text.span.isSame(in: start..<end, as: lastRoute) {
            at = end
            return lastRouteName
        }
        lastRouteName = RouteName(trusted: try string())
        lastRoute = start..<at
        return lastRouteName
    }

    /// Reads the members of a screen, which follow each other, and keeps their text.
    private mutating func screen() throws(Failure) -> Screen {
        try pass(UInt8(ascii: ","))
        let start = at
        guard accept(#""route":"#) else { throw .form("a screen has no route") }
        let route = try route()
        guard accept(#","params":"#), byte == UInt8(ascii: "{") else {
            throw .form("a screen has no params")
        }
        let params = try value()
        let mark = accept(#","mark":"#) ? MarkName(trusted: try string()) : nil
        let isLocked = accept(#","locked":true"#)
        return Screen(
            stored: text[start..<at], route: route, params: params, mark: mark,
            isLocked: isLocked)
    }
}

// MARK: - Members

extension SessionDecoder {
    private mutating func object() throws(Failure) -> JSONObject {
        let range = try value()
        if case .object(let object)? = try? JSON(parsing: text, in: range, limits: .stored) {
            return object
        }
        throw .form("the facts or the pending command are not an object")
    }

    private mutating func facts() throws(Failure) -> Facts {
        Facts(try object().members.map { (FactName(trusted: $0.key), $0.value) })
    }

    private mutating func idle() throws(Failure) -> IdleCommand {
        guard let idle = IdleCommand(stored: try object()) else {
            throw .form("the idle command is invalid")
        }
        return idle
    }

    private mutating func tabBack() throws(Failure) -> TabBack {
        guard let tabBack = TabBack(named: try string()) else {
            throw .form("the value of tabBack is unknown")
        }
        return tabBack
    }

    private mutating func pending() throws(Failure) -> PendingCommand {
        var name: GuardName?
        var command: JSONObject?
        var entry: EntryID?
        var isAnswered = false
        try pass(UInt8(ascii: "{"))
        while try next() {
            if accept(#""guard":"#) {
                name = GuardName(trusted: try string())
            } else if accept(#""command":"#) {
                command = try object()
            } else if accept(#""entry":"#) {
                entry = try entryID()
            } else if accept(#""answered":"#) {
                isAnswered = try flag()
            } else {
                try skipMember()
            }
        }
        guard let name, let command else { throw .form("a pending command is incomplete") }
        return PendingCommand(
            guardName: name, command: command, entry: entry, isAnswered: isAnswered)
    }

    private mutating func ttl() throws(Failure) -> Int {
        let seconds = try integer()
        guard (1...Limits.ttlSecondsMax).contains(seconds) else {
            throw .form("the time to live is out of range")
        }
        return seconds
    }

    private mutating func time() throws(Failure) -> Milliseconds {
        guard byte == UInt8(ascii: "\""), let time = Timestamp.read(text, try quoted()) else {
            throw .form("a time is not a timestamp")
        }
        return time
    }

    private mutating func entryID() throws(Failure) -> EntryID {
        var end = at + 1
        guard byte == ASCII.quote, let id = EntryID.read(text.span, at: &end), end < text.count,
            text[end] == ASCII.quote
        else { throw .form("an id is not that of an entry") }
        at = end + 1
        return id
    }

    private mutating func style() throws(Failure) -> SheetStyle {
        guard let style = SheetStyle(named: try string()) else {
            throw .form("the style of a sheet is unknown")
        }
        return style
    }
}
