/// One change of a navigation state. An event is a list of changes.
package enum Change: Equatable, Sendable {
    case selected(tab: Int)
    case pushed(Entry, on: Container)
    case popped(Int, from: Container)
    case pathSet([Entry], of: Container)
    /// The params of an entry or a sheet.
    case paramsSet(Params, of: EntryID)
    case presented(Sheet)
    /// All sheets above this number were dismissed.
    case dismissed(keeping: Int)
    case badgeSet(Badge?, tab: Int)
    /// The whole state was replaced, by a restore, undo, redo or reconciliation.
    case stateSet(NavigationState)
}

extension NavigationState {
    /// Applies a change. This cannot fail: a change of something that does not exist has no effect.
    package mutating func apply(_ change: Change) {
        switch change {
        case .selected(let tab):
            if tabs.indices.contains(tab) { selected = tab }
        case .pushed(let entry, let container):
            self[path: container].append(entry)
        case .popped(let count, let container):
            self[path: container].removeLast(min(max(count, 0), self[path: container].count))
        case .pathSet(let path, let container):
            self[path: container] = path
        case .paramsSet(let params, let id):
            setParams(params, of: id)
        case .presented(let sheet):
            sheets.append(sheet)
        case .dismissed(let kept):
            sheets.removeLast(max(sheets.count - max(kept, 0), 0))
        case .badgeSet(let badge, let tab):
            if tabs.indices.contains(tab) { tabs[tab].badge = badge }
        case .stateSet(let state):
            self = state
        }
    }

    private mutating func setParams(_ params: Params, of id: EntryID) {
        if let sheet = sheetIndex(id) {
            sheets[sheet].params = params
        } else if let (container, index) = position(of: id) {
            self[path: container][index].params = params
        }
    }
}
