/// One plain fact about a session's navigation. Events are lists of these.
package enum Change: Equatable, Sendable {
    case selected(tab: Int)
    case pushed(Entry, on: Container)
    case popped(Int, from: Container)
    case pathSet([Entry], of: Container)
    /// The params of an entry or a sheet.
    case paramsSet(Params, of: EntryID)
    case presented(Sheet)
    /// All sheets above that many went.
    case dismissed(keeping: Int)
    case badgeSet(Badge?, tab: Int)
    /// Everything at once: restored, undone, reconciled.
    case stateSet(NavigationState)
}

extension NavigationState {
    /// Cannot fail: a fact about something that is not there changes nothing.
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
