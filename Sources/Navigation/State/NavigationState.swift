public import Bytes
internal import JSON

/// The tabs, paths and sheets of a session: the part that commands change and undo restores.
public struct NavigationState: Equatable, Sendable {
    /// The tabs in the order in which they are shown; never empty.
    public var tabs: [Tab]
    /// The index of the selected tab.
    public var selected: Int
    /// The presented sheets from bottom to top.
    public var sheets: [Sheet]
    /// The tabs by the time when they were last left, newest last, without the selected one. Empty
    /// unless `back` follows the history of tabs.
    public var tabHistory: [TabID] = []
    /// Whether the order of the tabs is the user's own, and not that of the app.
    public var hasOwnOrder = false

    public init(tabs: [Tab], selected: Int = 0, sheets: [Sheet] = []) {
        self.tabs = tabs
        self.selected = selected
        self.sheets = sheets
    }
}

/// A tab with its root and the path that was pushed on it.
public struct Tab: Equatable, Sendable {
    /// The id of the tab.
    public var id: TabID
    /// The badge on the tab's icon.
    public var badge: Badge?
    /// Whether the user has hidden the tab; never true of the selected tab.
    public var isHidden = false
    /// The screen of the root, whose id is that of the tab. Nil if it is as the app declares it, or
    /// without params in a free-form session.
    public var root: Screen?
    /// The entries from bottom to top, without the root.
    public var path: [Entry]
}

extension Tab {
    public init(id: TabID, badge: Badge? = nil, path: [Entry] = []) {
        self.init(id: id, path: path, badge: badge, isHidden: false, root: nil)
    }

    public init(id: TabID, path: [Entry], badge: Badge?, isHidden: Bool, root: Screen?) {
        self.init(id: id, badge: badge, isHidden: isHidden, root: root, path: path)
    }
}

/// The badge on the icon of a tab.
public enum Badge: Equatable, Sendable {
    /// Above zero.
    case count(Int)
    /// 1 to 32 bytes of UTF-8, unless the limit is changed.
    case text(ExactString)
}

/// One pushed screen.
public struct Entry: ScreenHolder, Equatable, Sendable {
    /// The id, which is never used again in the session.
    public var id: EntryID
    public var screen: Screen

    public init(id: EntryID, screen: Screen) {
        self.id = id
        self.screen = screen
    }

    public init(
        id: EntryID, route: RouteName, params: Params = .empty, mark: MarkName? = nil
    ) {
        self.init(id: id, screen: Screen(route: route, params: params, mark: mark))
    }
}

/// An entry or a sheet: it has an id and shows a screen.
public protocol ScreenHolder {
    /// The screen that is shown.
    var screen: Screen { get set }
}

extension ScreenHolder {
    /// The route of the screen.
    public var route: RouteName { screen.route }
    /// The params of the screen.
    public var params: Params {
        get { screen.params }
        set { screen = screen.with(params: newValue) }
    }
    /// The name by which `back` finds the screen, or nil if it has none.
    public var mark: MarkName? {
        get { screen.mark }
        set {
            screen = Screen(route: route, params: params, mark: newValue, isLocked: isLocked)
        }
    }
    /// Whether navigation must not remove the entry.
    public var isLocked: Bool { screen.isLocked }
}

/// How a sheet is presented.
public enum SheetStyle: String, CaseIterable, Sendable {
    case sheet
    case fullScreenCover
    case popover
    case inspector
    case alert
    case confirmationDialog

    /// Whether the sheet has texts and buttons in place of a path.
    public var isDialog: Bool { self == .alert || self == .confirmationDialog }
    /// Whether the sheet covers the tab bar.
    public var coversTabBar: Bool { self == .sheet || self == .fullScreenCover }
}

/// The id of an entry, of a sheet, or of a root, which has the id of its tab.
public enum ScreenID: Hashable, Sendable {
    case tab(TabID)
    case entry(EntryID)

    /// The id as clients see it.
    public var text: String {
        switch self {
        case .tab(let id): id.rawValue
        case .entry(let id): id.description
        }
    }

    /// Takes text that is the id of an entry or can be that of a tab. Returns nil for other text.
    public init?(_ text: String) {
        if let id = EntryID(text) {
            self = .entry(id)
        } else if let id = TabID(text) {
            self = .tab(id)
        } else {
            return nil
        }
    }
}

/// A sheet or full-screen cover, with a path of its own.
public struct Sheet: ScreenHolder, Equatable, Sendable {
    /// The id, which is never used again in the session.
    public var id: EntryID
    /// How the sheet is presented.
    public var style: SheetStyle
    /// The root of the sheet.
    public var screen: Screen
    /// A name by which clients find the sheet.
    public var tag: ExactString?
    /// The texts and buttons of a dialog; nil for all other styles.
    public var dialog: Dialog?
    /// The place at which a popover points, as the client names it.
    public var anchor: MarkName?
    /// The heights at which the sheet can rest.
    public var detents: [ExactString]
    /// Whether `back` and `dismiss` without force may dismiss the sheet.
    public var dismissible: Bool
    /// When the sheet goes by itself, in whole seconds, or nil if it does not.
    public var expiresAt: Milliseconds?
    /// The screen that was visible when the sheet was presented.
    public var presentedBy: ScreenID
    /// The entries from bottom to top, without the root.
    public var path: [Entry]

    public init(
        id: EntryID, style: SheetStyle, screen: Screen, tag: ExactString? = nil,
        detents: [ExactString] = [],
        dismissible: Bool = true, presentedBy: ScreenID, path: [Entry] = []
    ) {
        self.id = id
        self.style = style
        self.screen = screen
        self.tag = tag
        self.detents = detents
        self.dismissible = dismissible
        self.presentedBy = presentedBy
        self.path = path
    }

    /// The root screen of the sheet as an entry.
    public var root: Entry { Entry(id: id, screen: screen) }
}

/// A tab or a sheet, by its index.
public enum Container: Hashable, Sendable {
    case tab(Int)
    case sheet(Int)
}

extension NavigationState {
    /// The active container: the top sheet if there is one, otherwise the selected tab.
    public var active: Container {
        sheets.isEmpty ? .tab(selected) : .sheet(sheets.count - 1)
    }

    /// The path of a container; empty, and without effect when set, if there is no such container.
    public subscript(path container: Container) -> [Entry] {
        get {
            switch container {
            case .tab(let index): tabs.indices.contains(index) ? tabs[index].path : []
            case .sheet(let index): sheets.indices.contains(index) ? sheets[index].path : []
            }
        }
        @inline(__always) _modify {
            var none: [Entry] = []
            switch container {
            case .tab(let index) where tabs.indices.contains(index):
                yield &tabs[index].path
            case .sheet(let index) where sheets.indices.contains(index):
                yield &sheets[index].path
            case .tab, .sheet:
                yield &none
            }
        }
    }

    /// The index of a tab.
    public func tabIndex(_ id: TabID) -> Int? { tabs.firstIndex { $0.id == id } }

    /// The index of a tab whose id a client sent.
    public func tabIndex(named name: String) -> Int? {
        tabs.firstIndex { $0.id.rawValue == name }
    }

    /// The index of a sheet.
    public func sheetIndex(_ id: EntryID) -> Int? { sheets.firstIndex { $0.id == id } }

    /// The container of a pushed entry and its index on the path, or nil if it is not on any path.
    public func position(of id: EntryID) -> (container: Container, index: Int)? {
        for (number, tab) in tabs.enumerated() {
            if let index = tab.path.firstIndex(where: { $0.id == id }) {
                return (.tab(number), index)
            }
        }
        for (number, sheet) in sheets.enumerated() {
            if let index = sheet.path.firstIndex(where: { $0.id == id }) {
                return (.sheet(number), index)
            }
        }
        return nil
    }

    /// The ids of all entries and sheets: those of the tabs first, each path from bottom to top.
    public var ids: [EntryID] {
        var ids: [EntryID] = []
        for tab in tabs { ids.append(contentsOf: tab.path.lazy.map({ $0.id })) }
        return ids + Self.ids(of: sheets[...])
    }

    /// The ids of sheets and of the entries on them, from bottom to top.
    static func ids(of sheets: ArraySlice<Sheet>) -> [EntryID] {
        sheets.flatMap { sheet in [sheet.id] + sheet.path.map { $0.id } }
    }

    /// The visible entry or sheet, or nil if the root of a tab is visible.
    public var top: Entry? {
        guard let sheet = sheets.last else { return tabs[selected].path.last }
        return sheet.path.last ?? sheet.root
    }

    /// The id of the visible screen.
    public var visible: ScreenID { top.map { .entry($0.id) } ?? .tab(tabs[selected].id) }

    /// The index of the tab with a root of that id, or nil for the id of anything else.
    public func rootIndex(_ id: ScreenID) -> Int? {
        if case .tab(let id) = id { tabIndex(id) } else { nil }
    }

    /// Whether there is such a tab, entry or sheet.
    func contains(_ id: ScreenID) -> Bool {
        switch id {
        case .tab(let id): tabIndex(id) != nil
        case .entry(let id): contains(id)
        }
    }
}
