package import JSON
package import Navigation

/// Decodes a session from the JSON that `SessionEncoder` wrote. The derived members after `sheets`
/// are not read.
///
/// The text comes from the store, which has verified its checksum. Invalid text is therefore damage
/// or a bug, and an error in either case.
package struct SessionDecoder {
    private var reader: JSONReader
    private let text: [UInt8]

    /// More revisions than a session can ever have, so that adding one cannot overflow.
    private static let revisionMax = 1 << 53

    /// The reason why a text cannot be decoded.
    package enum Failure: Error, Equatable {
        /// The text is not JSON.
        case syntax(JSONSyntaxError)
        /// The JSON is not a session.
        case form(String)
    }

    /// Decodes the session of a record.
    package static func decode(_ record: SessionRecord) throws(Failure) -> Session {
        var decoder = SessionDecoder(
            reader: JSONReader(record.state, limits: .stored), text: record.state)
        return try decoder.session(record)
    }

    private mutating func session(_ record: SessionRecord) throws(Failure) -> Session {
        var session = Session(
            id: record.id, app: record.app, settings: SessionSettings(labels: record.labels),
            at: record.at,
            state: NavigationState(tabs: []), nextEntry: record.nextEntry)
        session.revision = record.revision
        session.undoing = record.undoing
        var selected = ""
        var hasSheets = false
        try step { r throws(JSONSyntaxError) in try r.beginObject() }
        while !hasSheets, try hasKey() {
            if reader.keyIs("tabs") {
                session.state.tabs = try list { d throws(Failure) in try d.tab() }
            } else if reader.keyIs("sheets") {
                session.state.sheets = try list { d throws(Failure) in try d.sheet() }
                hasSheets = true
            } else if reader.keyIs("selectedTab") {
                selected = try string()
            } else if reader.keyIs("ttlSeconds") {
                session.settings.ttlSeconds = try ttl()
            } else if reader.keyIs("createdAt") {
                session.createdAt = try time()
            } else {
                try optionalMember(of: &session)
            }
        }
        guard hasSheets else { throw .form("the sheets are missing") }
        guard (1...Self.revisionMax).contains(session.revision),
            (1...EntryID.numberMax + 1).contains(session.nextEntry),
            (0...Timestamp.timeMax).contains(session.updatedAt)
        else { throw .form("the revision, the next entry or the time is out of range") }
        let index = session.state.tabIndex(named: selected)
        guard let index else { throw .form("no tab is selected") }
        session.state.selected = index
        return session
    }

    /// Reads a member that few sessions have.
    private mutating func optionalMember(of session: inout Session) throws(Failure) {
        if reader.keyIs("facts") {
            session.facts = try facts()
        } else if reader.keyIs("tabBack") {
            session.settings.tabBack = try tabBack()
        } else if reader.keyIs("tabHistory") {
            session.state.tabHistory = try list { d throws(Failure) in
                TabID(trusted: try d.string())
            }
        } else if reader.keyIs("ownOrder") {
            session.state.hasOwnOrder = try flag()
        } else if reader.keyIs("pending") {
            session.pending = try pending()
        } else {
            try skip()
        }
    }

    private mutating func tab() throws(Failure) -> Tab {
        var tab = Tab(id: TabID(trusted: ""))
        try step { r throws(JSONSyntaxError) in try r.beginObject() }
        while try hasKey() {
            if reader.keyIs("id") {
                tab.id = TabID(trusted: try string())
            } else if reader.keyIs("badge") {
                tab.badge = try badge()
            } else if reader.keyIs("hidden") {
                tab.isHidden = try flag()
            } else if reader.keyIs("path") {
                tab.path = try list { d throws(Failure) in try d.entry() }
            } else {
                try skip()
            }
        }
        guard !tab.id.rawValue.isEmpty else { throw .form("a tab has no id") }
        return tab
    }

    private mutating func badge() throws(Failure) -> Badge {
        let kind = try step { r throws(JSONSyntaxError) in try r.peekKind() }
        if kind == .string { return .text(ExactString(try string())) }
        let count = try integer()
        guard count > 0 else { throw .form("a badge is out of range") }
        return .count(count)
    }

    private mutating func entry() throws(Failure) -> Entry {
        var id: EntryID?
        var route: RouteName?
        var params = Params.empty
        var mark: MarkName?
        try step { r throws(JSONSyntaxError) in try r.beginObject() }
        while try hasKey() {
            if reader.keyIs("id") {
                id = try entryID()
            } else if reader.keyIs("route") {
                route = RouteName(trusted: try string())
            } else if reader.keyIs("params") {
                params = try self.params()
            } else if reader.keyIs("mark") {
                mark = MarkName(trusted: try string())
            } else {
                try skip()
            }
        }
        guard let id, let route else { throw .form("an entry has no id or no route") }
        return Entry(id: id, route: route, params: params, mark: mark)
    }

    private mutating func sheet() throws(Failure) -> Sheet {
        var sheet = Sheet(
            id: EntryID(number: -1), style: .sheet, route: RouteName(trusted: ""),
            presentedBy: .tab(TabID(trusted: "")))
        try step { r throws(JSONSyntaxError) in try r.beginObject() }
        while try hasKey() {
            if reader.keyIs("id") {
                sheet.id = try entryID()
            } else if reader.keyIs("style") {
                sheet.style = try style()
            } else if reader.keyIs("route") {
                sheet.route = RouteName(trusted: try string())
            } else if reader.keyIs("params") {
                sheet.params = try params()
            } else if reader.keyIs("mark") {
                sheet.mark = MarkName(trusted: try string())
            } else if reader.keyIs("tag") {
                sheet.tag = ExactString(try string())
            } else if reader.keyIs("detents") {
                sheet.detents = try list { d throws(Failure) in ExactString(try d.string()) }
            } else if reader.keyIs("dismissible") {
                sheet.dismissible = try flag()
            } else if reader.keyIs("presentedBy") {
                let name = try string()
                sheet.presentedBy =
                    EntryID(name).map(Presenter.entry) ?? .tab(TabID(trusted: name))
            } else if reader.keyIs("path") {
                sheet.path = try list { d throws(Failure) in try d.entry() }
            } else {
                try skip()
            }
        }
        guard sheet.id.number >= 0, !sheet.route.rawValue.isEmpty else {
            throw .form("a sheet has no id or no route")
        }
        return sheet
    }

    // MARK: - Pieces

    /// Calls the JSON reader and converts its errors.
    @inline(__always)
    private mutating func step<Value>(
        _ body: (inout JSONReader) throws(JSONSyntaxError) -> Value
    ) throws(Failure) -> Value {
        do { return try body(&reader) } catch { throw .syntax(error) }
    }

    private mutating func hasKey() throws(Failure) -> Bool {
        try step { r throws(JSONSyntaxError) in try r.nextKeyRange() != nil }
    }

    private mutating func skip() throws(Failure) {
        _ = try step { r throws(JSONSyntaxError) in try r.skipValue() }
    }

    private mutating func string() throws(Failure) -> String {
        try step { r throws(JSONSyntaxError) in try r.readString() }
    }

    private mutating func integer() throws(Failure) -> Int {
        try step { r throws(JSONSyntaxError) in try r.readInt() }
    }

    private mutating func flag() throws(Failure) -> Bool {
        try step { r throws(JSONSyntaxError) in try r.readBool() }
    }

    private mutating func object() throws(Failure) -> JSONObject {
        let range = try step { r throws(JSONSyntaxError) in try r.skipValue() }
        do {
            if case .object(let object) = try JSON(parsing: text, in: range, limits: .stored) {
                return object
            }
        } catch {
            throw .syntax(error)
        }
        throw .form("the facts or the pending command are not an object")
    }

    private mutating func facts() throws(Failure) -> Facts {
        Facts(try object().members.map { (FactName(trusted: $0.key), $0.value) })
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
        try step { r throws(JSONSyntaxError) in try r.beginObject() }
        while try hasKey() {
            if reader.keyIs("guard") {
                name = GuardName(trusted: try string())
            } else if reader.keyIs("command") {
                command = try object()
            } else if reader.keyIs("entry") {
                entry = try entryID()
            } else {
                try skip()
            }
        }
        guard let name, let command else { throw .form("a pending command is incomplete") }
        return PendingCommand(guardName: name, command: command, entry: entry)
    }

    private mutating func ttl() throws(Failure) -> Int {
        let seconds = try integer()
        guard (1...Limits.ttlSecondsMax).contains(seconds) else {
            throw .form("the time to live is out of range")
        }
        return seconds
    }

    private mutating func time() throws(Failure) -> Milliseconds {
        let range = try step { r throws(JSONSyntaxError) in try r.skipValue() }
        let inner = range.dropFirst().dropLast()
        guard let time = Timestamp.read(text, inner) else {
            throw .form("a time is not a timestamp")
        }
        return time
    }

    private mutating func entryID() throws(Failure) -> EntryID {
        guard let id = EntryID(try string()) else { throw .form("an id is not that of an entry") }
        return id
    }

    private mutating func style() throws(Failure) -> SheetStyle {
        guard let style = SheetStyle(named: try string()) else {
            throw .form("the style of a sheet is unknown")
        }
        return style
    }

    private mutating func params() throws(Failure) -> Params {
        let kind = try step { r throws(JSONSyntaxError) in try r.peekKind() }
        guard kind == .object else { throw .form("params are not an object") }
        let range = try step { r throws(JSONSyntaxError) in try r.skipValue() }
        return range.count == 2 ? .empty : Params(trusted: Array(text[range]))
    }

    private mutating func list<Element>(
        _ element: (inout SessionDecoder) throws(Failure) -> Element
    ) throws(Failure) -> [Element] {
        var list: [Element] = []
        try step { r throws(JSONSyntaxError) in try r.beginArray() }
        while try step({ r throws(JSONSyntaxError) in try r.nextElement() }) {
            list.append(try element(&self))
        }
        return list
    }
}
