internal import JSON

/// Writes a session as the JSON that clients see, which is also what the journal keeps.
///
/// Member order: id, revision, app, labels, ttlSeconds, createdAt, updatedAt, expiresAt,
/// selectedTab, tabs, sheets, visible, canGoBack, canUndo, canRedo. `SessionDecoder` reads it back.
package struct SessionEncoder {
    private var bytes: [UInt8] = []

    /// - Parameter app: the one that the session is bound to; it names the tabs' roots.
    package static func encode(_ session: Session, app: App?) -> [UInt8] {
        var encoder = SessionEncoder()
        encoder.bytes.reserveCapacity(1024)
        encoder.session(session, app)
        return encoder.bytes
    }

    private init() {}

    private mutating func session(_ session: Session, _ app: App?) {
        text(#"{"id":"#)
        string(session.id.rawValue)
        text(#","revision":"#)
        integer(session.revision)
        if let app = session.app {
            text(#","app":"#)
            string(app.rawValue)
        }
        labels(session.settings.labels)
        times(session)
        text(#","selectedTab":"#)
        string(session.state.tabs[session.state.selected].id.rawValue)
        text(#","tabs":["#)
        for (index, tab) in session.state.tabs.enumerated() { self.tab(tab, isFirst: index == 0) }
        text(#"],"sheets":["#)
        for (index, sheet) in session.state.sheets.enumerated() {
            self.sheet(sheet, isFirst: index == 0)
        }
        text("],")
        derived(session, app)
    }

    private mutating func labels(_ labels: [Label]) {
        guard !labels.isEmpty else { return }
        text(#","labels":"#)
        labels.appendJSON(to: &bytes)
    }

    private mutating func times(_ session: Session) {
        if let seconds = session.settings.ttlSeconds {
            text(#","ttlSeconds":"#)
            integer(seconds)
        }
        text(#","createdAt":"#)
        Timestamp.append(session.createdAt, to: &bytes)
        text(#","updatedAt":"#)
        Timestamp.append(session.updatedAt, to: &bytes)
        if let end = session.expiresAt {
            text(#","expiresAt":"#)
            Timestamp.append(end, to: &bytes)
        }
    }

    private mutating func tab(_ tab: Tab, isFirst: Bool) {
        text(isFirst ? #"{"id":"# : #",{"id":"#)
        string(tab.id.rawValue)
        switch tab.badge {
        case .count(let count):
            text(#","badge":"#)
            integer(count)
        case .text(let badge):
            text(#","badge":"#)
            string(badge)
        case nil: break
        }
        path(tab.path)
        text("}")
    }

    private mutating func path(_ path: [Entry]) {
        text(#","path":["#)
        for (index, entry) in path.enumerated() {
            text(index == 0 ? #"{"id":"# : #",{"id":"#)
            id(entry.id)
            screen(entry)
            text("}")
        }
        text("]")
    }

    private mutating func screen(_ entry: Entry) {
        text(#","route":"#)
        string(entry.route.rawValue)
        text(#","params":"#)
        bytes += entry.params.text
    }

    private mutating func sheet(_ sheet: Sheet, isFirst: Bool) {
        text(isFirst ? #"{"id":"# : #",{"id":"#)
        id(sheet.id)
        text(#","style":"#)
        string(sheet.style.rawValue)
        screen(sheet.root)
        if let tag = sheet.tag {
            text(#","tag":"#)
            string(tag)
        }
        if !sheet.detents.isEmpty {
            text(#","detents":"#)
            JSON.array(sheet.detents.map(JSON.string)).write(to: &bytes)
        }
        if !sheet.dismissible { text(#","dismissible":false"#) }
        text(#","presentedBy":"#)
        switch sheet.presentedBy {
        case .tab(let tab): string(tab.rawValue)
        case .entry(let entry): id(entry)
        }
        path(sheet.path)
        text("}")
    }

    /// What follows from the rest.
    private mutating func derived(_ session: Session, _ app: App?) {
        let state = session.state
        let top = state.top
        let tab = state.tabs[state.selected].id
        let route = top?.route ?? app.root(of: tab)
        text(#""visible":{"container":"#)
        if let sheet = state.sheets.last { id(sheet.id) } else { string(tab.rawValue) }
        if let top {
            text(#","entry":"#)
            id(top.id)
        }
        text(#","route":"#)
        string(route.rawValue)
        text(#","params":"#)
        bytes += top?.params.text ?? Params.empty.text
        text(#","tabBarHidden":"#)
        flag(!state.sheets.isEmpty || app.hidesTabBar(route))
        text(#"},"canGoBack":"#)
        flag(state.canGoBack)
        text(#","canUndo":"#)
        flag(session.undoing.undos > 0)
        text(#","canRedo":"#)
        flag(session.undoing.tip != session.undoing.cursor)
        text("}")
    }

    // MARK: - Pieces

    private mutating func text(_ text: String) { JSONText.append(text, to: &bytes) }
    private mutating func string(_ string: String) { JSONText.appendString(string, to: &bytes) }
    private mutating func integer(_ number: Int) { JSONText.appendInteger(number, to: &bytes) }
    private mutating func flag(_ flag: Bool) { text(flag ? "true" : "false") }

    private mutating func id(_ id: EntryID) {
        text(#""e"#)
        integer(id.number)
        text(#"""#)
    }
}

extension [Label] {
    /// As a JSON object.
    package func appendJSON(to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        for (index, label) in enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONText.appendString(label.key, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            JSONText.appendString(label.value, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
