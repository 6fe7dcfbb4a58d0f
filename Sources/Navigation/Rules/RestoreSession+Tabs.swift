internal import Bytes
internal import JSON

// The order of the tabs, hidden tabs, and the history of tabs in a restore.

extension RestoreSession {
    /// The index of the selected tab; without a name, the first one that is not hidden.
    var selected: Int {
        let named = selectedTab.map { name in
            tabs.firstIndex { $0.id.rawValue == name }
        }
        return (named ?? tabs.firstIndex { !$0.isHidden }) ?? 0
    }

    /// Reads the history of tabs, and checks that the selected tab is neither in it nor hidden.
    func readHistory(_ items: [JSON], _ reader: inout ObjectReader) -> [TabID] {
        let selected = selected
        if tabs[selected].isHidden {
            reader.refuse(at: "/tabs/\(selected)/hidden", "must not be true of the selected tab")
        }
        guard items.count < tabs.count else {
            reader.refuse("tabHistory", "must be shorter than the list of tabs")
            return []
        }
        var history: [TabID] = []
        for (index, item) in items.enumerated() {
            guard case .string(let name) = item,
                let tab = tabs.firstIndex(where: { $0.id.rawValue == name }),
                tab != selected, !history.contains(tabs[tab].id)
            else {
                reader.refuse(
                    at: "/tabHistory/\(index)",
                    "must be the id of a tab that is not selected, and not repeat another one")
                continue
            }
            history.append(tabs[tab].id)
        }
        return history
    }

    /// Refuses what only a session that is bound to an app has, or only one that is not.
    ///
    /// - Parameter app: the app of the session, or nil for a free-form session.
    func check(for app: App?) throws(RejectionError) {
        var faults = Faults()
        func refuse(_ pointer: String, _ detail: String) {
            faults.append(InputFault(pointer: pointer, detail: detail))
        }
        if app != nil {
            if namesTabBack { refuse("/tabBack", "cannot be combined with app, which declares it") }
        } else {
            if let firstFact = facts.first {
                let pointer = "/facts/" + JSONPointer.escaped(firstFact)
                throw .unknownFact(firstFact, near: [], pointer: pointer)
            }
            if pending != nil { refuse("/pending", "must be absent without an app") }
            for (index, tab) in tabs.enumerated() {
                guard let root = tab.root, root.namesRoute,
                    root.entry.route.rawValue != tab.id.rawValue
                else { continue }
                let detail = "must be \(tab.id), the id of the tab, in a free-form session"
                refuse("/tabs/\(index)/root/route", detail)
            }
            if hasOwnOrder { refuse("/ownOrder", "must be false or absent without an app") }
            if !tabHistory.isEmpty, settings.tabBack != .history {
                refuse("/tabHistory", "must be empty or absent unless tabBack is history")
            }
        }
        guard faults.isEmpty else { throw .invalidRequest(faults.all) }
    }
}
