internal import Bytes
public import JSON

/// The body of a PUT: a whole session, for example one that was exported.
///
/// The revision, the times and derived members are ignored. Entries and sheets without an id get a
/// new one.
public struct RestoreSession: Sendable {
    /// The app. Nil for a free-form session, and to keep the app that the session has.
    public private(set) var app: AppID?
    /// The labels and the time to live.
    public private(set) var settings = SessionSettings()
    private(set) var tabs: [RestoredTab] = []
    private(set) var selectedTab: String?
    private(set) var tabHistory: [TabID] = []
    private(set) var hasOwnOrder = false
    /// Whether the body says what `back` does on the root of a tab.
    private(set) var namesTabBack = false
    var sheets: [RestoredSheet] = []
    /// The facts, and the name of the first one in the body, whether it can be declared or not.
    private(set) var facts: (all: Facts, first: String?) = (.none, nil)
    private(set) var pending: PendingCommand?
    /// The ids of entries and sheets read so far.
    private var ids: Set<EntryID> = []
    let limits: Limits

    struct RestoredTab: Sendable {
        var id: TabID
        var badge: Badge?
        var isHidden: Bool
        var root: RestoredRoot?
        var path: [RestoredEntry]
    }

    /// The root of a tab.
    struct RestoredRoot: Sendable {
        var entry: RestoredEntry
        /// Whether the body has a route for it; otherwise it is of the route that it is to have.
        var namesRoute: Bool
    }

    struct RestoredEntry: Sendable {
        var id: EntryID?
        var route: RouteName
        var params: Params
        var object: JSONObject
        var mark: MarkName?
        var isLocked = false

        var screen: Screen {
            Screen(route: route, params: params, mark: mark, isLocked: isLocked)
        }
    }

    struct RestoredSheet: Sendable {
        var root: RestoredEntry
        var style: SheetStyle
        var tag: ExactString?
        var dialog: Dialog?
        var anchor: MarkName?
        var detents: [ExactString]
        var dismissible: Bool
        var expiresAt: Milliseconds?
        var presentedBy: ScreenID?
        var path: [RestoredEntry]
    }

    /// Reads a body.
    ///
    /// - Parameter id: the id in the URL; an id in the body must be the same.
    /// - Throws: `invalidRequest` with all faults.
    public init(
        _ body: JSONObject, id: SessionID, limits: Limits, work: WorkBudget
    ) throws(RejectionError) {
        self.limits = limits
        var reader = ObjectReader(body, at: "", work: work)
        let own: SessionID? = reader.name("id")
        if let own, own != id { reader.refuse("id", "must be \(id), as in the URL") }
        app = reader.name("app")
        let tabBack: TabBack? = reader.choice("tabBack")
        namesTabBack = tabBack != nil
        settings = SessionSettings(
            labels: reader.labels(limits) ?? [], ttlSeconds: reader.ttl(),
            tabBack: tabBack ?? .stay, idle: reader.idle(limits))
        hasOwnOrder = reader.flag("ownOrder", default: false)
        let history = reader.array("tabHistory") ?? []
        selectedTab = reader.text("selectedTab")
        facts.all = reader.facts()
        if case .object(let object)? = body["facts"] { facts.first = object.members.first?.key }
        pending = reader.pending(limits)
        for name in Self.ignored { _ = reader.value(name) }
        let tabItems = reader.requiredArray("tabs")
        let sheetItems = reader.array("sheets") ?? []
        reader.refuseUnknown()
        if let tabItems { readTabs(tabItems, &reader) }
        readSheets(sheetItems, &reader)
        // Without a fault, the tabs that were read have the indices of those in the body.
        if reader.faults.isEmpty { tabHistory = readHistory(history, &reader) }
        guard reader.faults.isEmpty else { throw .invalidRequest(reader.faults) }
    }

    private static let ignored = [
        "revision", "createdAt", "updatedAt", "expiresAt", "visible", "canGoBack", "canUndo",
        "canRedo", "nextEntry", "dropped", "droppedTabs", "moved",
    ]

    // MARK: - Reading

    private mutating func readTabs(_ items: [JSON], _ reader: inout ObjectReader) {
        guard (1...limits.tabsMax).contains(items.count) else {
            return reader.refuse(
                "tabs", "must have 1 to \(limits.tabsMax) tabs", isLimit: !items.isEmpty)
        }
        var names: Set<TabID> = []
        tabs = reader.objects("tabs", of: items) { inner in
            guard let tab = readTab(&inner) else { return nil }
            if !names.insert(tab.id).inserted {
                inner.refuse("id", "is already used by another tab")
            }
            return tab
        }
    }

    private mutating func readTab(_ reader: inout ObjectReader) -> RestoredTab? {
        let id: TabID? = reader.requiredName("id")
        var badge: Badge?
        if let value = reader.value("badge") {
            switch Badge.read(value, limits) {
            case .some(let read): badge = read
            case .none:
                reader.refuse(
                    "badge", Badge.rule(limits),
                    isLimit: value.isText(longerThan: limits.badgeBytesMax))
            }
        }
        let isHidden = reader.flag("hidden", default: false)
        let root = readRoot(of: id, &reader)
        let path = readPath(&reader)
        reader.refuseUnknown()
        return id.map {
            RestoredTab(id: $0, badge: badge, isHidden: isHidden, root: root, path: path)
        }
    }

    mutating func readPath(_ reader: inout ObjectReader) -> [RestoredEntry] {
        let items = reader.array("path") ?? []
        if items.count > limits.pathDepthMax {
            reader.refuse(
                "path", "must have at most \(limits.pathDepthMax) entries", isLimit: true)
        }
        return reader.objects("path", of: items) { inner in
            defer { inner.refuseUnknown() }
            _ = inner.value("title")
            let isLocked = inner.flag("locked", default: false)
            var entry = readEntry(&inner)
            entry?.isLocked = isLocked
            return entry
        }
    }

    /// Reads what entries and sheets have in common.
    mutating func readEntry(_ reader: inout ObjectReader) -> RestoredEntry? {
        let name = reader.text("id")
        let id = name.flatMap { EntryID($0) }
        if name != nil, id == nil {
            reader.refuse("id", "must be e and a number of at most 15 digits, or absent")
        }
        if let id, !ids.insert(id).inserted {
            reader.refuse("id", "is already used by another entry or sheet")
        }
        let route: RouteName? = reader.requiredName("route")
        return route.map { readScreen($0, id: id, &reader) }
    }

    /// Reads the params and the mark of a screen.
    func readScreen(
        _ route: RouteName, id: EntryID?, _ reader: inout ObjectReader
    ) -> RestoredEntry {
        let object = reader.object("params") ?? JSONObject()
        let params = Params(object)
        if params.text.count > limits.paramsBytesMax {
            reader.refuse(
                "params", "must be at most \(limits.paramsBytesMax) bytes as JSON", isLimit: true)
        }
        return RestoredEntry(
            id: id, route: route, params: params, object: object, mark: reader.name("mark"))
    }

    private var entries: [RestoredEntry] {
        tabs.flatMap { $0.path } + sheets.flatMap { [$0.root] + $0.path }
    }

    // MARK: - The state

    /// The state to restore, with ids for all entries and sheets.
    ///
    /// - Parameters:
    ///   - nextEntry: the number of the session's next new entry; higher ids in the body raise it,
    ///     up to `EntryID.restoredMax`.
    ///   - app: the app of the session, or nil for a free-form session.
    /// - Throws: `limitExceeded` if an id in the body is too high, or if the session would use up
    ///   its ids; `tabNotFound` if the tab to select does not exist; `invalidRequest` for members
    ///   that a session with or without an app cannot have.
    public func state(nextEntry: Int, app: App?) throws(RejectionError) -> RestoredState {
        try check(for: app)
        if let selectedTab, !tabs.contains(where: { $0.id.rawValue == selectedTab }) {
            throw .tabNotFound(selectedTab, known: tabs.map { $0.id })
        }
        var maker = EntryMaker(next: try firstFreeEntry(nextEntry))
        var state = NavigationState(tabs: [], selected: selected)
        state.tabHistory = tabHistory
        state.hasOwnOrder = hasOwnOrder
        for restored in tabs {
            let path = restored.path.map { maker.entry($0) }
            var tab = Tab(id: restored.id, badge: restored.badge, path: path)
            tab.isHidden = restored.isHidden
            tab.root = maker.root(restored, app)
            state.tabs.append(tab)
        }
        state.sheets = sheets.map { maker.sheet($0, in: state) }
        state.adoptOrphans()
        var whole = RestoredState(state: state, nextEntry: maker.next, parsed: maker.parsed)
        (whole.facts, whole.pending) = (facts.all, pending)
        return whole
    }

    /// The number of the first entry that gets a new id.
    private func firstFreeEntry(_ nextEntry: Int) throws(RejectionError) -> Int {
        let highest = entries.compactMap { $0.id }.max()?.number ?? 0
        guard highest < nextEntry || highest <= EntryID.restoredMax else {
            throw .limitExceeded(
                "A restore can bring entry ids up to e\(EntryID.restoredMax).", pointer: "")
        }
        let next = max(nextEntry, highest + 1)
        let fresh = entries.count { $0.id == nil }
        guard next + fresh <= EntryID.numberMax + 1 else {
            throw .limitExceeded("The session has used up its entry ids.", pointer: "")
        }
        return next
    }
}

/// Makes the entries of a restored state, with new ids for those that have none.
private struct EntryMaker {
    var next: Int
    private(set) var parsed: [ScreenID: JSONObject] = [:]

    init(next: Int) { self.next = next }

    mutating func entry(_ restored: RestoreSession.RestoredEntry) -> Entry {
        defer { if restored.id == nil { next += 1 } }
        let id = restored.id ?? EntryID(number: next)
        if !restored.object.isEmpty { parsed[.entry(id)] = restored.object }
        return Entry(id: id, screen: restored.screen)
    }

    mutating func sheet(
        _ restored: RestoreSession.RestoredSheet, in state: NavigationState
    ) -> Sheet {
        let root = entry(restored.root)
        var sheet = Sheet(
            id: root.id, style: restored.style, screen: root.screen, tag: restored.tag,
            detents: restored.detents, dismissible: restored.dismissible,
            // A tab without an id in the text stands for a presenter that is not there.
            presentedBy: restored.presentedBy ?? .tab(TabID(trusted: "")),
            path: restored.path.map { entry($0) })
        (sheet.dialog, sheet.anchor) = (restored.dialog, restored.anchor)
        sheet.expiresAt = restored.expiresAt
        return sheet
    }

    /// The root of a tab, or nil if it is as the app declares it.
    mutating func root(_ tab: RestoreSession.RestoredTab, _ app: App?) -> Screen? {
        guard var root = tab.root else { return nil }
        let declared = app.declaredRoot(of: tab.id)
        if !root.namesRoute { root.entry.route = declared.route }
        if !root.entry.object.isEmpty { parsed[.tab(tab.id)] = root.entry.object }
        let screen = root.entry.screen
        return screen == declared ? nil : screen
    }
}
