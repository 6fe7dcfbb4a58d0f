package import Bytes
internal import JSON
package import Navigation

/// Encodes a session as the JSON that clients read. The log stores the same text.
///
/// Member order: id, revision, app, labels, facts, tabBack, ttlSeconds, idle, createdAt, updatedAt,
/// expiresAt, selectedTab, tabHistory, ownOrder, pending, tabs, sheets, visible, canGoBack,
/// canUndo, canRedo, nextEntry. `SessionDecoder` stops after `sheets`, so only derived members may
/// follow it. The titles of screens are derived as well, and the decoder skips them.
package struct SessionEncoder: ~Copyable {
    /// The text of the session that was encoded last.
    package internal(set) var out = ByteWriter(capacity: 2 * ByteWriter.smallAllocationCapacity)
    /// The titles that the screens of the session have, if they have any.
    var titles: TitleReading?
    /// The time of the last change.
    private var lastUpdate = TimeText()

    /// Encodes a session.
    ///
    /// - Parameter app: the app that the session is bound to, which declares the roots of its tabs.
    package static func encode(_ session: Session, app: App?) -> [UInt8] {
        var encoder = SessionEncoder()
        encoder.encode(session, app: app)
        return encoder.finish()
    }

    package init() {}

    consuming func finish() -> [UInt8] { out.finish() }

    /// The largest buffer that is used for more than one session, in bytes.
    private static let capacityMax = 64 << 10

    // Names are written without escaping, because they contain no character that needs it.

    /// Encodes a session in place of the one before.
    package mutating func encode(_ session: borrowing Session, app: App?) {
        out.removeAll(keepingCapacity: Self.capacityMax)
        titles = TitleReading(app)
        out.append(literal: #"{"id":""#)
        out.append(session.id.rawValue)
        out.append(literal: #"","revision":"#)
        out.append(session.revision)
        if let app = session.app {
            out.append(literal: #","app":""#)
            out.append(app.rawValue)
            out.append(literal: #"""#)
        }
        if !session.settings.labels.isEmpty {
            out.append(literal: #","labels":"#)
            out.append(session.settings.labels)
        }
        declared(session)
        times(session)
        out.append(literal: #","selectedTab":""#)
        out.append(session.state.tabs[session.state.selected].id.rawValue)
        out.append(literal: #"""#)
        order(session.state)
        if let pending = session.pending { self.pending(pending) }
        out.append(literal: #","tabs":["#)
        for index in session.state.tabs.indices {
            if index > 0 { out.append(literal: ",") }
            tab(index, of: session.state.tabs)
        }
        out.append(literal: #"],"sheets":["#)
        let sheets = session.state.sheets.span
        for index in sheets.indices {
            if index > 0 { out.append(literal: ",") }
            sheet(sheets[index])
        }
        out.append(literal: "]")
        derived(session, app)
    }

    private mutating func declared(_ session: borrowing Session) {
        if !session.facts.isEmpty {
            out.append(literal: #","facts":"#)
            out.append(session.facts.text)
        }
        if session.settings.tabBack != .stay {
            out.append(literal: #","tabBack":""#)
            out.append(session.settings.tabBack.rawValue)
            out.append(literal: #"""#)
        }
    }

    private mutating func order(_ state: NavigationState) {
        if !state.tabHistory.isEmpty {
            out.append(literal: #","tabHistory":["#)
            for (index, tab) in state.tabHistory.enumerated() {
                out.append(literal: index == 0 ? #"""# : #",""#)
                out.append(tab.rawValue)
                out.append(literal: #"""#)
            }
            out.append(literal: "]")
        }
        if state.hasOwnOrder { out.append(literal: #","ownOrder":true"#) }
    }

    private mutating func pending(_ pending: PendingCommand) {
        out.append(literal: #","pending":{"guard":""#)
        out.append(pending.guardName.rawValue)
        out.append(literal: #"","command":"#)
        JSON.object(pending.command).write(to: &out)
        if let entry = pending.entry {
            out.append(literal: #","entry":""#)
            id(entry)
            out.append(literal: #"""#)
        }
        if pending.isAnswered { out.append(literal: #","answered":true"#) }
        out.append(literal: "}")
    }

    private mutating func times(_ session: borrowing Session) {
        if let seconds = session.settings.ttlSeconds {
            out.append(literal: #","ttlSeconds":"#)
            out.append(seconds)
        }
        if let idle = session.settings.idle {
            out.append(literal: #","idle":"#)
            out.append(idle.text)
        }
        out.append(literal: #","createdAt":"#)
        out.append(time: session.createdAt)
        out.append(literal: #","updatedAt":"#)
        lastUpdate.append(session.updatedAt, to: &out)
        if let end = session.expiresAt {
            out.append(literal: #","expiresAt":"#)
            out.append(time: end)
        }
    }

    /// Reads the members of a tab where they are, since a copy of the tab would take longer.
    private mutating func tab(_ index: Int, of tabs: [Tab]) {
        out.append(literal: #"{"id":""#)
        out.append(tabs[index].id.rawValue)
        out.append(literal: #"""#)
        if let badge = tabs[index].badge { self.badge(badge) }
        if tabs[index].isHidden { out.append(literal: #","hidden":true"#) }
        if let root = tabs[index].root {
            out.append(literal: #","root":"#)
            self.root(root, of: tabs[index].id)
        }
        path(tabs[index].path)
        out.append(literal: "}")
    }

    mutating func badge(_ badge: Badge) {
        out.append(literal: #","badge":"#)
        switch badge {
        case .count(let count): out.append(count)
        case .text(let badge): out.append(string: badge.text)
        }
    }

    private mutating func path(_ path: [Entry]) {
        out.append(literal: #","path":["#)
        let entries = path.span
        for index in entries.indices {
            if index > 0 { out.append(literal: ",") }
            entry(entries[index])
        }
        out.append(literal: "]")
    }

    mutating func entry(_ entry: borrowing Entry) {
        out.append(literal: #"{"id":"e"#)
        out.append(entry.id.number)
        out.append(literal: #"","#)
        out.append(entry.screen.text)
        if let titles { title(titles.title(of: entry.screen)) }
        out.append(literal: "}")
    }

    mutating func root(_ root: Screen, of tab: TabID) {
        out.append(literal: #"{"id":""#)
        out.append(tab.rawValue)
        out.append(literal: #"","#)
        out.append(root.text)
        if let titles { title(titles.title(ofRoot: root, of: tab)) }
        out.append(literal: "}")
    }

    mutating func title(_ title: String) {
        out.append(literal: #","title":"#)
        out.append(string: title)
    }

    mutating func sheet(_ sheet: Sheet) {
        out.append(literal: #"{"id":"e"#)
        out.append(sheet.id.number)
        out.append(literal: #"","style":""#)
        out.append(sheet.style.rawValue)
        out.append(literal: #"","#)
        out.append(sheet.screen.text)
        if let tag = sheet.tag {
            out.append(literal: #","tag":"#)
            out.append(string: tag.text)
        }
        if let dialog = sheet.dialog {
            self.dialog(dialog)
        } else if let titles {
            title(titles.title(of: sheet.screen))
        }
        if let anchor = sheet.anchor {
            out.append(literal: #","anchor":""#)
            out.append(anchor.rawValue)
            out.append(literal: #"""#)
        }
        if !sheet.detents.isEmpty {
            out.append(literal: #","detents":"#)
            JSON.array(sheet.detents.map { .string($0.text) }).write(to: &out)
        }
        if !sheet.dismissible { out.append(literal: #","dismissible":false"#) }
        expiry(of: sheet)
        out.append(literal: #","presentedBy":""#)
        id(sheet.presentedBy)
        out.append(literal: #"""#)
        path(sheet.path)
        out.append(literal: "}")
    }

    mutating func expiry(of sheet: Sheet) {
        guard let time = sheet.expiresAt else { return }
        out.append(literal: #","expiresAt":"#)
        out.append(time: time)
    }

    private mutating func dialog(_ dialog: Dialog) {
        title(dialog.title)
        if let message = dialog.message {
            out.append(literal: #","message":"#)
            out.append(string: message)
        }
        out.append(literal: #","buttons":["#)
        for (index, button) in dialog.buttons.enumerated() {
            out.append(literal: index == 0 ? #"{"id":""# : #",{"id":""#)
            out.append(button.id.rawValue)
            out.append(literal: #"","title":"#)
            out.append(string: button.title)
            if let role = button.role {
                out.append(literal: #","role":""#)
                out.append(role.rawValue)
                out.append(literal: #"""#)
            }
            out.append(literal: "}")
        }
        out.append(literal: "]")
    }

    /// Writes the derived members.
    private mutating func derived(_ session: borrowing Session, _ app: App?) {
        visible(session.state, app)
        let canGoBack = session.canGoBack(app)
        out.append(literal: canGoBack ? #","canGoBack":true"# : #","canGoBack":false"#)
        let canUndo = !session.undoing.undo.isEmpty
        out.append(literal: canUndo ? #","canUndo":true"# : #","canUndo":false"#)
        let canRedo = !session.undoing.redo.isEmpty
        out.append(literal: canRedo ? #","canRedo":true"# : #","canRedo":false"#)
        out.append(literal: #","nextEntry":"#)
        out.append(session.nextEntry)
        out.append(literal: "}")
    }

    private mutating func visible(_ state: NavigationState, _ app: App?) {
        let tab = state.tabs[state.selected].id
        let sheets = state.sheets.span
        out.append(literal: #","visible":{"container":""#)
        if sheets.isEmpty { out.append(tab.rawValue) } else { id(sheets[sheets.count - 1].id) }
        out.append(literal: #"","entry":""#)
        let screen: Screen?
        if let top = state.top {
            id(top.id)
            screen = top.screen
        } else {
            out.append(tab.rawValue)
            screen =
                app == nil
                ? state.tabs[state.selected].root : app.root(of: state.tabs[state.selected])
        }
        out.append(literal: #"","#)
        if let screen {
            out.append(screen.textOfContent)
        } else {
            // The root of a free-form session without params, which has no text of its own.
            out.append(literal: #""route":""#)
            out.append(tab.rawValue)
            out.append(literal: #"","params":{}"#)
        }
        if let titles, let screen { visibleTitles(titles, of: state, showing: screen, app: app) }
        let isCovered = state.sheets.contains { $0.style.coversTabBar }
        let isTabBarHidden = isCovered || app.hidesTabBar(state)
        out.append(
            literal: isTabBarHidden ? #","tabBarHidden":true}"# : #","tabBarHidden":false}"#)
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
        out.append(literal: #","backTitle":"#)
        out.append(string: below)
    }

    /// Writes an id without its quotes.
    mutating func id(_ id: EntryID) {
        out.append(UInt8(ascii: "e"))
        out.append(id.number)
    }

    /// Writes an id without its quotes.
    mutating func id(_ id: ScreenID) {
        switch id {
        case .tab(let tab): out.append(tab.rawValue)
        case .entry(let entry): self.id(entry)
        }
    }
}

extension ByteWriter {
    /// Appends labels as a JSON object.
    package mutating func append(_ labels: [Label]) {
        append(UInt8(ascii: "{"))
        for (index, label) in labels.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            append(string: label.key)
            append(UInt8(ascii: ":"))
            append(string: label.value)
        }
        append(UInt8(ascii: "}"))
    }
}
