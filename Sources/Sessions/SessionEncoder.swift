public import Bytes
internal import JSON
public import Navigation

/// Encodes a session as the JSON that clients read. The log stores the same text.
///
/// Member order: id, revision, app, labels, facts, tabBack, ttlSeconds, idle, createdAt, updatedAt,
/// expiresAt, selectedTab, tabHistory, ownOrder, pending, tabs, sheets, visible, canGoBack,
/// canUndo, canRedo, nextEntry. `SessionDecoder` stops after `sheets`, so only derived members may
/// follow it. The titles of screens are derived as well, and the decoder skips them.
public struct SessionEncoder: ~Copyable {
    /// The text of the session that was encoded last.
    public internal(set) var out = ByteWriter(capacity: 2 * ByteWriter.smallAllocationCapacity)
    /// The titles that the screens of the session have, if they have any.
    var titles: TitleReading?
    /// The time of the last change.
    private var lastUpdate = TimeText()

    /// Encodes a session.
    ///
    /// - Parameter app: the app that the session is bound to, which declares the roots of its tabs.
    public static func encode(_ session: Session, app: App?) -> [UInt8] {
        var encoder = SessionEncoder()
        encoder.encode(session, app: app)
        return encoder.finish()
    }

    public init() {}

    consuming func finish() -> [UInt8] { out.finish() }

    /// The largest buffer that is used for more than one session, in bytes.
    private static let capacityMax = 64 << 10

    // Names are written without escaping, because they contain no character that needs it.

    /// Encodes a session in place of the one before.
    public mutating func encode(_ session: borrowing Session, app: App?) {
        out.removeAll(keepingCapacity: Self.capacityMax)
        titles = TitleReading(app)
        out.object("id")
        out.append(quoting: session.id.rawValue)
        out.member("revision", session.revision)
        if let app = session.app { out.member("app", plain: app.rawValue) }
        if !session.settings.labels.isEmpty { out.member("labels", session.settings.labels) }
        declared(session)
        times(session)
        out.member("selectedTab", plain: session.state.tabs[session.state.selected].id.rawValue)
        order(session.state)
        if let pending = session.pending { self.pending(pending) }
        out.member("tabs")
        out.append(literal: "[")
        for index in session.state.tabs.indices {
            out.element()
            tab(index, of: session.state.tabs)
        }
        out.append(literal: "]")
        out.member("sheets")
        out.append(literal: "[")
        let sheets = session.state.sheets.span
        for index in sheets.indices {
            out.element()
            sheet(sheets[index])
        }
        out.append(literal: "]")
        derived(session, app)
    }

    private mutating func declared(_ session: borrowing Session) {
        if !session.facts.isEmpty { out.member("facts", json: session.facts.text) }
        if session.settings.tabBack != .stay {
            out.member("tabBack", plain: session.settings.tabBack.rawValue)
        }
    }

    private mutating func order(_ state: NavigationState) {
        if !state.tabHistory.isEmpty {
            out.member("tabHistory", names: state.tabHistory.map { $0.rawValue })
        }
        if state.hasOwnOrder { out.member("ownOrder", true) }
    }

    private mutating func pending(_ pending: PendingCommand) {
        out.member("pending")
        out.object("guard")
        out.append(quoting: pending.guardName.rawValue)
        out.member("command", .object(pending.command))
        if let entry = pending.entry { out.member("entry", id: entry) }
        if pending.isAnswered { out.member("answered", true) }
        out.append(literal: "}")
    }

    private mutating func times(_ session: borrowing Session) {
        if let seconds = session.settings.ttlSeconds { out.member("ttlSeconds", seconds) }
        if let idle = session.settings.idle { out.member("idle", json: idle.text) }
        out.member("createdAt", time: session.createdAt)
        out.member("updatedAt")
        lastUpdate.append(session.updatedAt, to: &out)
        if let end = session.expiresAt { out.member("expiresAt", time: end) }
    }

    /// Reads the members of a tab where they are, since a copy of the tab would take longer.
    private mutating func tab(_ index: Int, of tabs: [Tab]) {
        out.object("id")
        out.append(quoting: tabs[index].id.rawValue)
        if let badge = tabs[index].badge { self.badge(badge) }
        if tabs[index].isHidden { out.member("hidden", true) }
        if let root = tabs[index].root {
            out.member("root")
            self.root(root, of: tabs[index].id)
        }
        path(tabs[index].path)
        out.append(literal: "}")
    }

    mutating func badge(_ badge: Badge) {
        switch badge {
        case .count(let count): out.member("badge", count)
        case .text(let badge): out.member("badge", string: badge.text)
        }
    }

    private mutating func path(_ path: [Entry]) {
        out.member("path")
        out.append(literal: "[")
        let entries = path.span
        for index in entries.indices {
            if index > 0 { out.append(ASCII.comma) }
            entry(entries[index])
        }
        out.append(literal: "]")
    }

    mutating func entry(_ entry: borrowing Entry) {
        out.object("id")
        out.append(entry.id)
        out.append(literal: ",")
        out.append(entry.screen.text)
        if let titles { title(titles.title(of: entry.screen)) }
        out.append(literal: "}")
    }

    mutating func root(_ root: Screen, of tab: TabID) {
        out.object("id")
        out.append(quoting: tab.rawValue)
        out.append(literal: ",")
        out.append(root.text)
        if let titles { title(titles.title(ofRoot: root, of: tab)) }
        out.append(literal: "}")
    }

    mutating func title(_ title: String) {
        out.member("title", string: title)
    }

    mutating func sheet(_ sheet: Sheet) {
        out.object("id")
        out.append(sheet.id)
        out.member("style", plain: sheet.style.rawValue)
        out.append(literal: ",")
        out.append(sheet.screen.text)
        if let tag = sheet.tag { out.member("tag", string: tag.text) }
        if let dialog = sheet.dialog {
            self.dialog(dialog)
        } else if let titles {
            title(titles.title(of: sheet.screen))
        }
        if let anchor = sheet.anchor { out.member("anchor", plain: anchor.rawValue) }
        if !sheet.detents.isEmpty {
            out.member("detents", .array(sheet.detents.map { .string($0.text) }))
        }
        if !sheet.dismissible { out.member("dismissible", false) }
        expiry(of: sheet)
        out.member("presentedBy", id: sheet.presentedBy)
        path(sheet.path)
        out.append(literal: "}")
    }

    mutating func expiry(of sheet: Sheet) {
        guard let time = sheet.expiresAt else { return }
        out.member("expiresAt", time: time)
    }

    private mutating func dialog(_ dialog: Dialog) {
        title(dialog.title)
        if let message = dialog.message { out.member("message", string: message) }
        out.member("buttons")
        out.append(literal: "[")
        for button in dialog.buttons {
            out.element()
            out.object("id")
            out.append(quoting: button.id.rawValue)
            out.member("title", string: button.title)
            if let role = button.role { out.member("role", plain: role.rawValue) }
            out.append(literal: "}")
        }
        out.append(literal: "]")
    }

    /// Writes the derived members.
    private mutating func derived(_ session: borrowing Session, _ app: App?) {
        visible(session.state, app)
        out.member("canGoBack", session.canGoBack(app))
        out.member("canUndo", !session.undoing.undo.isEmpty)
        out.member("canRedo", !session.undoing.redo.isEmpty)
        out.member("nextEntry", session.nextEntry)
        out.append(literal: "}")
    }

    private mutating func visible(_ state: NavigationState, _ app: App?) {
        let tab = state.tabs[state.selected].id
        let sheets = state.sheets.span
        out.member("visible")
        out.object("container")
        if sheets.isEmpty {
            out.append(quoting: tab.rawValue)
        } else {
            out.append(sheets[sheets.count - 1].id)
        }
        let screen: Screen?
        if let top = state.top {
            out.member("entry", id: top.id)
            screen = top.screen
        } else {
            out.member("entry", plain: tab.rawValue)
            screen =
                app == nil
                ? state.tabs[state.selected].root : app.root(of: state.tabs[state.selected])
        }
        if let screen {
            out.append(literal: ",")
            out.append(screen.textOfContent)
        } else {
            // The root of a free-form session without params, which has no text of its own.
            out.member("route", plain: tab.rawValue)
            out.append(literal: #","params":{}"#)
        }
        if let titles, let screen { visibleTitles(titles, of: state, showing: screen, app: app) }
        let isCovered = state.sheets.contains { $0.style.coversTabBar }
        out.member("tabBarHidden", isCovered || app.hidesTabBar(state))
        out.append(literal: "}")
    }

    /// Writes the title of the visible screen, and the text on the button that leads back from it.
    private mutating func visibleTitles(
        _ titles: TitleReading, of state: NavigationState, showing screen: Screen, app: App?
    ) {
        let tab = state.tabs[state.selected]
        let path = state[path: state.active]
        if let dialog = state.openDialog?.dialog {
            title(dialog.title)
        } else if path.isEmpty, state.sheets.isEmpty {
            title(titles.title(ofRoot: screen, of: tab.id))
        } else {
            title(titles.title(of: screen))
        }
        guard !path.isEmpty else { return }
        let below: String
        if path.count > 1 {
            let screen = path[path.count - 2].screen
            below = titles.backTitle(of: screen, titled: titles.title(of: screen))
        } else if let sheet = state.sheets.last {
            below = titles.backTitle(of: sheet.screen, titled: titles.title(of: sheet.screen))
        } else {
            let root = app.root(of: tab)
            below = titles.backTitle(of: root, titled: titles.title(ofRoot: root, of: tab.id))
        }
        out.member("backTitle", string: below)
    }
}

extension ByteWriter {
    /// Appends a member that is the id of an entry or a sheet.
    @inline(__always)
    public mutating func member(_ name: StaticString, id: EntryID) {
        member(name)
        append(id)
    }

    /// Appends a member that is the id of an entry or a tab.
    mutating func member(_ name: StaticString, id: ScreenID) {
        switch id {
        case .tab(let tab): member(name, plain: tab.rawValue)
        case .entry(let entry): member(name, id: entry)
        }
    }

    /// Appends a member that is an array of ids.
    @inline(__always)
    mutating func member(_ name: StaticString, ids: [EntryID]) {
        member(name)
        append(ids)
    }

    private mutating func append(_ ids: [EntryID]) {
        append(literal: "[")
        for index in ids.indices {
            if index > 0 { append(ASCII.comma) }
            append(ids[index])
        }
        append(literal: "]")
    }

    /// Appends an id in quotes.
    @inline(__always)
    mutating func append(_ id: EntryID) {
        append(literal: "\"e")
        append(id.number)
        append(ASCII.quote)
    }

    /// Appends a member that is an object of labels.
    public mutating func member(_ name: StaticString, _ labels: [Label]) {
        member(name)
        append(UInt8(ascii: "{"))
        for label in labels {
            member(key: label.key)
            append(string: label.value)
        }
        append(UInt8(ascii: "}"))
    }
}
