internal import Bytes
internal import JSON
package import Navigation

/// Decodes a session from the JSON that `SessionEncoder` wrote. The derived members after `sheets`
/// are not read.
///
/// The text comes from the store, which has verified its checksum. Invalid text is therefore damage
/// or a bug, and an error in either case. Only text without white space is accepted, with the id of
/// an entry or a sheet, the style of a sheet and the members of a screen in the encoder's order.
/// Unknown members behind them are skipped, since a later version may have written them.
package struct SessionDecoder {
    let text: [UInt8]
    var at = 0
    /// The name of the route that was read last, and where it is with its quotes.
    private var lastRouteName = RouteName(trusted: "")
    private var lastRoute = 0..<0
    /// The name of the member that is read, without its quotes.
    var key = 0..<0

    /// More revisions than a session can ever have, so that adding one cannot overflow.
    private static let revisionMax = 1 << 53

    /// The reason why a text cannot be decoded.
    package enum Failure: Error, Equatable {
        /// The text is not JSON without white space, from this byte on.
        case syntax(at: Int)
        /// The JSON is not a session.
        case form(String)
    }

    /// Decodes the session of a record.
    package static func decode(_ record: SessionRecord) throws(Failure) -> Session {
        var decoder = SessionDecoder(text: record.state)
        return try decoder.session(record)
    }

    private init(text: [UInt8]) { self.text = text }

    private mutating func session(_ record: SessionRecord) throws(Failure) -> Session {
        var session = Session(
            id: record.id, app: record.app, settings: SessionSettings(labels: record.labels),
            at: record.at,
            state: NavigationState(tabs: []), nextEntry: record.nextEntry)
        session.revision = record.revision
        session.undoing = record.undoing
        try read(into: &session)
        guard (1...Self.revisionMax).contains(session.revision),
            (1...EntryID.numberMax + 1).contains(session.nextEntry),
            (0...Timestamp.timeMax).contains(session.updatedAt)
        else { throw .form("the revision, the next entry or the time is out of range") }
        // Versions before 1.2 kept a sheet whose presenter was gone.
        if !session.state.sheets.isEmpty { session.state.adoptOrphans() }
        return session
    }

    private mutating func read(into session: inout Session) throws(Failure) {
        var selected = ""
        var hasSheets = false
        try pass(UInt8(ascii: "{"))
        while !hasSheets, try nextKey() {
            if keyIs("tabs") {
                session.state.tabs = try list { d throws(Failure) in try d.tab() }
            } else if keyIs("sheets") {
                session.state.sheets = try list { d throws(Failure) in try d.sheet() }
                hasSheets = true
            } else if keyIs("selectedTab") {
                selected = try string()
            } else if keyIs("ttlSeconds") {
                session.settings.ttlSeconds = try ttl()
            } else if keyIs("createdAt") {
                session.createdAt = try time()
            } else {
                try optionalMember(of: &session)
            }
        }
        guard hasSheets else { throw .form("the sheets are missing") }
        guard let index = session.state.tabIndex(named: selected) else {
            throw .form("no tab is selected")
        }
        session.state.selected = index
    }

    /// Reads a member that few sessions have.
    private mutating func optionalMember(of session: inout Session) throws(Failure) {
        if keyIs("facts") {
            session.facts = try facts()
        } else if keyIs("tabBack") {
            session.settings.tabBack = try tabBack()
        } else if keyIs("tabHistory") {
            session.state.tabHistory = try list { d throws(Failure) in
                TabID(trusted: try d.string())
            }
        } else if keyIs("ownOrder") {
            session.state.hasOwnOrder = try flag()
        } else if keyIs("pending") {
            session.pending = try pending()
        } else if keyIs("idle") {
            session.settings.idle = try idle()
        } else {
            _ = try value()
        }
    }

    private mutating func tab() throws(Failure) -> Tab {
        var tab = Tab(id: TabID(trusted: ""))
        if accept(#"{"id":"#) {
            tab.id = TabID(trusted: try string())
            if accept(#","path":"#) { tab.path = try path() }
        } else {
            try pass(UInt8(ascii: "{"))
        }
        while try nextKey() {
            if keyIs("id") {
                tab.id = TabID(trusted: try string())
            } else if keyIs("badge") {
                tab.badge = try badge()
            } else if keyIs("hidden") {
                tab.isHidden = try flag()
            } else if keyIs("root") {
                tab.root = try root()
            } else if keyIs("path") {
                tab.path = try path()
            } else {
                _ = try value()
            }
        }
        guard !tab.id.rawValue.isEmpty else { throw .form("a tab has no id") }
        return tab
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
        while try nextKey() { _ = try value() }
        return entry
    }

    private mutating func root() throws(Failure) -> Screen {
        guard accept(#"{"id":"#) else { throw .form("a root has no id") }
        _ = try string()
        let root = try screen()
        while try nextKey() { _ = try value() }
        return root
    }

    private mutating func sheet() throws(Failure) -> Sheet {
        guard accept(#"{"id":"#) else { throw .form("a sheet has no id") }
        let id = try entryID()
        guard accept(#","style":"#) else { throw .form("a sheet has no style") }
        let style = try style()
        var sheet = Sheet(
            id: id, style: style, screen: try screen(), presentedBy: .tab(TabID(trusted: "")))
        while try nextKey() {
            if keyIs("tag") {
                sheet.tag = ExactString(try string())
            } else if style.isDialog, keyIs("title") {
                sheet.dialog = try dialog()
            } else if keyIs("anchor") {
                sheet.anchor = MarkName(trusted: try string())
            } else if keyIs("detents") {
                sheet.detents = try list { d throws(Failure) in ExactString(try d.string()) }
            } else if keyIs("dismissible") {
                sheet.dismissible = try flag()
            } else if keyIs("expiresAt") {
                sheet.expiresAt = try time()
            } else if keyIs("presentedBy") {
                let name = try string()
                sheet.presentedBy =
                    EntryID(name).map(ScreenID.entry) ?? .tab(TabID(trusted: name))
            } else if keyIs("path") {
                sheet.path = try path()
            } else {
                _ = try value()
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
        while try nextKey() {
            if keyIs("id") {
                button.id = MarkName(trusted: try string())
            } else if keyIs("title") {
                button.title = try string()
            } else if keyIs("role") {
                button.role = DialogButton.Role(named: try string())
            } else {
                _ = try value()
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
        while try nextKey() {
            if keyIs("guard") {
                name = GuardName(trusted: try string())
            } else if keyIs("command") {
                command = try object()
            } else if keyIs("entry") {
                entry = try entryID()
            } else if keyIs("answered") {
                isAnswered = try flag()
            } else {
                _ = try value()
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
        guard let end = CompactValue.stringEnd(in: text, from: at),
            let id = EntryID(text, in: at + 1..<end - 1)
        else { throw .form("an id is not that of an entry") }
        at = end
        return id
    }

    private mutating func style() throws(Failure) -> SheetStyle {
        guard let style = SheetStyle(named: try string()) else {
            throw .form("the style of a sheet is unknown")
        }
        return style
    }
}
