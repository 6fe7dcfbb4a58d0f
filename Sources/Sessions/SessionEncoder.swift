package import Bytes
internal import JSON
package import Navigation

/// Encodes a session as the JSON that clients read. The log stores the same text.
///
/// Member order: id, revision, app, labels, facts, tabBack, ttlSeconds, idle, createdAt, updatedAt,
/// expiresAt, selectedTab, tabHistory, ownOrder, pending, tabs, sheets, visible, canGoBack,
/// canUndo, canRedo. `SessionDecoder` stops after `sheets`, so only derived members may follow it.
package struct SessionEncoder: ~Copyable {
    /// The text of the session that was encoded last.
    package internal(set) var out = ByteWriter(capacity: 2 * ByteWriter.smallAllocationCapacity)

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
        out.append(time: session.updatedAt)
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

    mutating func entry(_ entry: Entry) {
        out.append(literal: #"{"id":"e"#)
        out.append(entry.id.number)
        out.append(literal: #"","#)
        out.append(entry.screen.text)
        out.append(literal: "}")
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
        if !sheet.detents.isEmpty {
            out.append(literal: #","detents":"#)
            JSON.array(sheet.detents.map { .string($0.text) }).write(to: &out)
        }
        if !sheet.dismissible { out.append(literal: #","dismissible":false"#) }
        expiry(of: sheet)
        out.append(literal: #","presentedBy":""#)
        switch sheet.presentedBy {
        case .tab(let tab): out.append(tab.rawValue)
        case .entry(let entry): id(entry)
        }
        out.append(literal: #"""#)
        path(sheet.path)
        out.append(literal: "}")
    }

    mutating func expiry(of sheet: Sheet) {
        guard let time = sheet.expiresAt else { return }
        out.append(literal: #","expiresAt":"#)
        out.append(time: time)
    }

    /// Writes the derived members.
    private mutating func derived(_ session: borrowing Session, _ app: App?) {
        let top = session.state.top
        let tab = session.state.tabs[session.state.selected].id
        let sheets = session.state.sheets.span
        out.append(literal: #","visible":{"container":""#)
        if sheets.isEmpty { out.append(tab.rawValue) } else { id(sheets[sheets.count - 1].id) }
        if let top {
            out.append(literal: #"","entry":""#)
            id(top.id)
        }
        out.append(literal: #"","#)
        let route: RouteName
        if let top {
            route = top.route
            out.append(top.screen.textWithoutMark)
        } else {
            route = app.root(of: tab)
            out.append(literal: #""route":""#)
            out.append(route.rawValue)
            out.append(literal: #"","params":{}"#)
        }
        let isTabBarHidden = !sheets.isEmpty || app.hidesTabBar(route)
        out.append(
            literal: isTabBarHidden ? #","tabBarHidden":true}"# : #","tabBarHidden":false}"#)
        let canGoBack = session.canGoBack(app)
        out.append(literal: canGoBack ? #","canGoBack":true"# : #","canGoBack":false"#)
        let canUndo = !session.undoing.undo.isEmpty
        out.append(literal: canUndo ? #","canUndo":true"# : #","canUndo":false"#)
        let canRedo = !session.undoing.redo.isEmpty
        out.append(literal: canRedo ? #","canRedo":true}"# : #","canRedo":false}"#)
    }

    /// Writes an id without its quotes.
    mutating func id(_ id: EntryID) {
        out.append(UInt8(ascii: "e"))
        out.append(id.number)
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
