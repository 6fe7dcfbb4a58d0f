// The command that arranges the tabs: setTabs.

extension SessionEditor {
    mutating func setTabs(_ command: SetTabs) throws(RejectionError) {
        var tabs = state.tabs
        if let names = command.order {
            let order = try self.tabs(names, of: "order")
            guard order.count == tabs.count else {
                throw .invalidRequest([fault("/order", "must name every tab")])
            }
            tabs = order.map { state.tabs[$0] }
        }
        if let names = command.hidden {
            let hidden = Set(try self.tabs(names, of: "hidden").map { state.tabs[$0].id })
            try checkHidden(hidden)
            for index in tabs.indices { tabs[index].isHidden = hidden.contains(tabs[index].id) }
        }
        arrange(tabs)
    }

    /// The indices of the tabs that a client names. The search stops at the first repetition, so it
    /// is short however long the list is.
    private func tabs(_ names: [String], of member: String) throws(RejectionError) -> [Int] {
        var found: [Int] = []
        for name in names {
            let index = try tab(name)
            guard !found.contains(index) else {
                let detail = "must not name the tab \(state.tabs[index].id) twice"
                throw .invalidRequest([fault("/" + member, detail)])
            }
            found.append(index)
        }
        return found
    }

    /// The selected tab must remain visible, and so must one tab that no guard can close.
    private func checkHidden(_ hidden: Set<TabID>) throws(RejectionError) {
        let selected = state.tabs[state.selected].id
        guard !hidden.contains(selected) else { throw .tabNeeded(selected, isSelected: true) }
        let guards = rules.app?.guards.ofTabs ?? [:]
        let free = state.tabs.map({ $0.id }).filter { guards[$0] == nil }
        guard free.allSatisfy(hidden.contains), let first = free.first else { return }
        throw .tabNeeded(first, isSelected: false)
    }

    private mutating func arrange(_ tabs: [Tab]) {
        let hasOwnOrder = rules.app.map { !$0.declares(tabs) } ?? false
        let isSame = zip(tabs, state.tabs).allSatisfy {
            $0.id == $1.id && $0.isHidden == $1.isHidden
        }
        guard !isSame || hasOwnOrder != state.hasOwnOrder else { return }
        let id = state.tabs[state.selected].id
        guard let selected = tabs.firstIndex(where: { $0.id == id }) else { return }
        perform(.tabsSet(tabs, selected: selected, hasOwnOrder: hasOwnOrder))
    }
}

extension App {
    /// Whether these are the tabs that the app declares, in its order.
    func declares(_ tabs: [Tab]) -> Bool {
        tabs.elementsEqual(self.tabs) { $0.id == $1.id }
    }
}
