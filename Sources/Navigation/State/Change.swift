/// One change of a navigation state. An event is a list of changes.
package enum Change: Equatable, Sendable {
    case selected(tab: Int)
    case pushed(Entry, on: Container)
    case popped(Int, from: Container)
    case pathSet([Entry], of: Container)
    /// The params of an entry or a sheet.
    case paramsSet(Params, of: EntryID)
    case presented(Sheet)
    /// A sheet whose presenter is gone is presented by another screen.
    case presenterSet(Presenter, of: EntryID)
    /// All sheets above this number were dismissed.
    case dismissed(keeping: Int)
    case badgeSet(Badge?, tab: Int)
    /// An entry or a sheet got a mark.
    case markSet(MarkName, of: EntryID)
    /// The history of tabs was changed by a selection.
    case tabHistorySet([TabID])
    /// The tabs were reordered, hidden or shown.
    case tabsSet([Tab], selected: Int, hasOwnOrder: Bool)
    /// The whole state was replaced, by a restore, undo, redo or reconciliation.
    case stateSet(NavigationState)
}

extension NavigationState {
    /// Applies a change. This cannot fail: a change of something that does not exist has no effect.
    package mutating func apply(_ change: Change) {
        switch change {
        case .selected(let tab):
            select(tab)
        case .pushed(let entry, let container):
            self[path: container].append(entry)
        case .popped(let count, let container):
            self[path: container].removeLast(min(max(count, 0), self[path: container].count))
        case .pathSet(let path, let container):
            self[path: container] = path
        case .paramsSet(let params, let id):
            edit(id) {
                $0.params = params
            } sheet: {
                $0.params = params
            }
        case .presented(let sheet):
            sheets.append(sheet)
        case .presenterSet(let presenter, let id):
            if let index = sheetIndex(id) { sheets[index].presentedBy = presenter }
        case .dismissed(let kept):
            sheets.removeLast(max(sheets.count - max(kept, 0), 0))
        case .badgeSet(let badge, let tab):
            if tabs.indices.contains(tab) { tabs[tab].badge = badge }
        case .markSet(let mark, let id):
            edit(id) {
                $0.mark = mark
            } sheet: {
                $0.mark = mark
            }
        case .tabHistorySet(let history):
            tabHistory = history
        case .tabsSet(let tabs, let selected, let hasOwnOrder):
            self.tabs = tabs
            self.selected = selected
            self.hasOwnOrder = hasOwnOrder
        case .stateSet(let state):
            self = state
        }
    }

    /// Selects a tab, and shows it again if it was hidden.
    private mutating func select(_ tab: Int) {
        guard tabs.indices.contains(tab) else { return }
        selected = tab
        if tabs[tab].isHidden { tabs[tab].isHidden = false }
    }

    /// Changes an entry or a sheet, if it is there.
    mutating func edit(
        _ id: EntryID, entry: (inout Entry) -> Void, sheet: (inout Sheet) -> Void
    ) {
        if let index = sheetIndex(id) {
            sheet(&sheets[index])
        } else if let (container, index) = position(of: id) {
            entry(&self[path: container][index])
        }
    }
}
