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
        text(#"{"id":""#)
        text(session.id.rawValue)
        text(#"","revision":"#)
        integer(session.revision)
        if let app = session.app {
            text(#","app":""#)
            text(app.rawValue)
            quote()
        }
        labels(session.settings.labels)
        times(session)
        text(#","selectedTab":""#)
        text(session.state.tabs[session.state.selected].id.rawValue)
        text(#"","tabs":["#)
        for (index, tab) in session.state.tabs.enumerated() {
            if index > 0 { comma() }
            self.tab(tab)
        }
        text(#"],"sheets":["#)
        for (index, sheet) in session.state.sheets.enumerated() {
            if index > 0 { comma() }
            self.sheet(sheet)
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

    private mutating func tab(_ tab: Tab) {
        text(#"{"id":""#)
        text(tab.id.rawValue)
        quote()
        switch tab.badge {
        case .count(let count):
            text(#","badge":"#)
            integer(count)
        case .text(let badge):
            text(#","badge":"#)
            JSONText.appendString(badge, to: &bytes)
        case nil: break
        }
        path(tab.path)
        close()
    }

    private mutating func path(_ path: [Entry]) {
        guard !path.isEmpty else { return text(#","path":[]"#) }
        text(#","path":["#)
        for (index, entry) in path.enumerated() {
            if index > 0 { comma() }
            text(#"{"id":""#)
            id(entry.id)
            screen(entry)
            close()
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// What comes behind an id whose quote is still open.
    private mutating func screen(_ entry: Entry) {
        text(#"","route":""#)
        text(entry.route.rawValue)
        text(#"","params":"#)
        bytes += entry.params.text
    }

    private mutating func sheet(_ sheet: Sheet) {
        text(#"{"id":""#)
        id(sheet.id)
        text(#"","style":""#)
        text(sheet.style.rawValue)
        screen(sheet.root)
        if let tag = sheet.tag {
            text(#","tag":"#)
            JSONText.appendString(tag, to: &bytes)
        }
        if !sheet.detents.isEmpty {
            text(#","detents":"#)
            JSON.array(sheet.detents.map(JSON.string)).write(to: &bytes)
        }
        if !sheet.dismissible { text(#","dismissible":false"#) }
        text(#","presentedBy":""#)
        switch sheet.presentedBy {
        case .tab(let tab): text(tab.rawValue)
        case .entry(let entry): id(entry)
        }
        quote()
        path(sheet.path)
        close()
    }

    /// What follows from the rest.
    private mutating func derived(_ session: Session, _ app: App?) {
        let state = session.state
        let top = state.top
        let tab = state.tabs[state.selected].id
        let route = top?.route ?? app.root(of: tab)
        text(#""visible":{"container":""#)
        if let sheet = state.sheets.last { id(sheet.id) } else { text(tab.rawValue) }
        if let top {
            text(#"","entry":""#)
            id(top.id)
        }
        text(#"","route":""#)
        text(route.rawValue)
        text(#"","params":"#)
        bytes += top?.params.text ?? Params.empty.text
        let isTabBarHidden = !state.sheets.isEmpty || app.hidesTabBar(route)
        text(isTabBarHidden ? #","tabBarHidden":true}"# : #","tabBarHidden":false}"#)
        text(state.canGoBack ? #","canGoBack":true"# : #","canGoBack":false"#)
        text(session.undoing.undos > 0 ? #","canUndo":true"# : #","canUndo":false"#)
        let canRedo = session.undoing.tip != session.undoing.cursor
        text(canRedo ? #","canRedo":true}"# : #","canRedo":false}"#)
    }

    // MARK: - Pieces

    /// JSON as it stands, or a name: names have nothing that must be escaped.
    private mutating func text(_ text: String) { JSONText.append(text, to: &bytes) }
    private mutating func integer(_ number: Int) { JSONText.appendInteger(number, to: &bytes) }
    private mutating func quote() { bytes.append(UInt8(ascii: "\"")) }
    private mutating func comma() { bytes.append(UInt8(ascii: ",")) }
    private mutating func close() { bytes.append(UInt8(ascii: "}")) }

    /// Without its quotes.
    private mutating func id(_ id: EntryID) {
        bytes.append(UInt8(ascii: "e"))
        integer(id.number)
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
