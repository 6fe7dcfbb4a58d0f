/// One change of a navigation state.
public enum Change: Equatable, Sendable {
    case selected(tab: Int)
    case pushed(Entry, on: Container)
    case popped(Int, from: Container)
    case pathSet([Entry], of: Container)
    /// An entry or a sheet has other params, another mark or another lock.
    case screenSet(Screen, of: EntryID)
    /// The root of a tab has other params or another mark; nil stands for what the app declares.
    case rootSet(Screen?, tab: Int)
    indirect case presented(Sheet)
    /// The sheet with the id of this one is replaced by it, where it is.
    indirect case sheetSet(Sheet)
    /// All sheets above this number were dismissed.
    case dismissed(keeping: Int)
    case badgeSet(Badge?, tab: Int)
    /// The history of tabs was changed by a selection.
    case tabHistorySet([TabID])
    /// The tabs were reordered, hidden or shown.
    case tabsSet([Tab], selected: Int, hasOwnOrder: Bool)
    /// The whole state was replaced, by a restore, undo, redo or reconciliation.
    indirect case stateSet(NavigationState)
}

extension NavigationState {
    /// Applies a change. This cannot fail: a change of something that does not exist has no effect.
    ///
    /// - Returns: the change that undoes it.
    @discardableResult
    public mutating func apply(_ change: Change) -> Change {
        switch change {
        case .selected(let tab):
            return select(tab)
        case .pushed(let entry, let container):
            self[path: container].append(entry)
            return .popped(1, from: container)
        case .popped(let count, let container):
            return pop(count, from: container)
        case .pathSet(let path, let container):
            let old = self[path: container]
            self[path: container] = path
            return .pathSet(old, of: container)
        case .screenSet(let screen, let id):
            return .screenSet(exchange(screen, of: id), of: id)
        case .rootSet(let screen, let tab):
            guard tabs.indices.contains(tab) else { return change }
            defer { tabs[tab].root = screen }
            return .rootSet(tabs[tab].root, tab: tab)
        case .presented(let sheet):
            sheets.append(sheet)
            return .dismissed(keeping: sheets.count - 1)
        case .sheetSet(let sheet):
            guard let index = sheetIndex(sheet.id) else { return change }
            defer { sheets[index] = sheet }
            return .sheetSet(sheets[index])
        case .dismissed(let kept):
            return dismiss(keeping: kept)
        case .badgeSet(let badge, let tab):
            guard tabs.indices.contains(tab) else { return change }
            defer { tabs[tab].badge = badge }
            return .badgeSet(tabs[tab].badge, tab: tab)
        case .tabHistorySet(let history):
            defer { tabHistory = history }
            return .tabHistorySet(tabHistory)
        case .tabsSet(let tabs, let selected, let hasOwnOrder):
            defer { (self.tabs, self.selected, self.hasOwnOrder) = (tabs, selected, hasOwnOrder) }
            return .tabsSet(self.tabs, selected: self.selected, hasOwnOrder: self.hasOwnOrder)
        case .stateSet(let state):
            defer { self = state }
            return .stateSet(self)
        }
    }

    /// Selects a tab, and shows it again if it was hidden.
    private mutating func select(_ tab: Int) -> Change {
        guard tabs.indices.contains(tab) else { return .selected(tab: selected) }
        let undo: Change = tabs[tab].isHidden ? .stateSet(self) : .selected(tab: selected)
        selected = tab
        if tabs[tab].isHidden { tabs[tab].isHidden = false }
        return undo
    }

    private mutating func pop(_ count: Int, from container: Container) -> Change {
        if count == 1, let entry = self[path: container].popLast() {
            return .pushed(entry, on: container)
        }
        let old = self[path: container]
        self[path: container].removeLast(min(max(count, 0), old.count))
        return .pathSet(old, of: container)
    }

    private mutating func dismiss(keeping kept: Int) -> Change {
        let count = max(sheets.count - max(kept, 0), 0)
        if count == 1 { return .presented(sheets.removeLast()) }
        let undo = Change.stateSet(self)
        sheets.removeLast(count)
        return undo
    }

    /// Replaces the screen of an entry or a sheet and returns the old one. Returns the new one if
    /// there is no such entry or sheet.
    private mutating func exchange(_ screen: Screen, of id: EntryID) -> Screen {
        if let index = sheetIndex(id) {
            defer { sheets[index].screen = screen }
            return sheets[index].screen
        }
        guard let (container, index) = position(of: id) else { return screen }
        defer { self[path: container][index].screen = screen }
        return self[path: container][index].screen
    }
}
