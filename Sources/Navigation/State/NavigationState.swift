package import JSON

/// What a user sees and what lies under it: the part of a session that commands change and undo
/// brings back.
package struct NavigationState: Equatable, Sendable {
    /// As declared; never empty.
    package var tabs: [Tab]
    /// The index of the selected tab.
    package var selected: Int
    /// From bottom to top.
    package var sheets: [Sheet]

    package init(tabs: [Tab], selected: Int = 0, sheets: [Sheet] = []) {
        self.tabs = tabs
        self.selected = selected
        self.sheets = sheets
    }
}

/// A tab with the path that was pushed on its root.
package struct Tab: Equatable, Sendable {
    package var id: TabID
    package var badge: Badge?
    package var path: [Entry]

    package init(id: TabID, badge: Badge? = nil, path: [Entry] = []) {
        self.id = id
        self.badge = badge
        self.path = path
    }
}

/// What a tab's icon carries.
package enum Badge: Equatable, Sendable {
    /// Above zero.
    case count(Int)
    /// 1–32 bytes.
    case text(ExactString)
}

/// One pushed screen.
package struct Entry: Equatable, Sendable {
    package var id: EntryID
    package var route: RouteName
    package var params: Params

    package init(id: EntryID, route: RouteName, params: Params = .empty) {
        self.id = id
        self.route = route
        self.params = params
    }
}

package enum SheetStyle: String, CaseIterable, Sendable {
    case sheet
    case fullScreenCover
}

/// What lay on top when a sheet was presented.
package enum Presenter: Equatable, Sendable {
    case tab(TabID)
    case entry(EntryID)
}

/// Something presented over the rest, with a path of its own.
package struct Sheet: Equatable, Sendable {
    package var id: EntryID
    package var style: SheetStyle
    package var route: RouteName
    package var params: Params
    package var tag: ExactString?
    package var detents: [ExactString]
    package var dismissible: Bool
    package var presentedBy: Presenter
    package var path: [Entry]

    package init(
        id: EntryID, style: SheetStyle, route: RouteName, params: Params = .empty,
        tag: ExactString? = nil, detents: [ExactString] = [], dismissible: Bool = true,
        presentedBy: Presenter, path: [Entry] = []
    ) {
        self.id = id
        self.style = style
        self.route = route
        self.params = params
        self.tag = tag
        self.detents = detents
        self.dismissible = dismissible
        self.presentedBy = presentedBy
        self.path = path
    }

    /// The sheet's own screen, as `setParams` and deep links see it.
    package var root: Entry { Entry(id: id, route: route, params: params) }
}

/// A tab or a sheet, by its index.
package enum Container: Hashable, Sendable {
    case tab(Int)
    case sheet(Int)
}

extension NavigationState {
    /// The top sheet if there is one, else the selected tab.
    package var active: Container {
        sheets.isEmpty ? .tab(selected) : .sheet(sheets.count - 1)
    }

    package subscript(path container: Container) -> [Entry] {
        get {
            switch container {
            case .tab(let index): tabs.indices.contains(index) ? tabs[index].path : []
            case .sheet(let index): sheets.indices.contains(index) ? sheets[index].path : []
            }
        }
        _modify {
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

    /// The index of the tab of that name.
    package func tabIndex(_ id: TabID) -> Int? { tabs.firstIndex { $0.id == id } }

    /// The same for a name that a client sent.
    package func tabIndex(named name: String) -> Int? {
        tabs.firstIndex { JSONText.isSame($0.id.rawValue, name) }
    }

    /// The index of the sheet of that id.
    package func sheetIndex(_ id: EntryID) -> Int? { sheets.firstIndex { $0.id == id } }

    /// The container of a pushed entry and its index on the path; nil if it is not on any path.
    package func position(of id: EntryID) -> (container: Container, index: Int)? {
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

    /// Entries and sheets, tabs first, everything from bottom to top.
    package var ids: [EntryID] {
        var ids: [EntryID] = []
        for tab in tabs { ids.append(contentsOf: tab.path.lazy.map(\.id)) }
        for sheet in sheets {
            ids.append(sheet.id)
            ids.append(contentsOf: sheet.path.lazy.map(\.id))
        }
        return ids
    }

    /// The entry or sheet on top; nil on a tab's root.
    package var top: Entry? {
        guard let sheet = sheets.last else { return tabs[selected].path.last }
        return sheet.path.last ?? sheet.root
    }

    /// What a sheet that is presented now would be presented by.
    package var presenter: Presenter {
        top.map { .entry($0.id) } ?? .tab(tabs[selected].id)
    }

    /// Whether one step back would do anything.
    package var canGoBack: Bool {
        if !self[path: active].isEmpty { return true }
        return sheets.last?.dismissible ?? false
    }
}
