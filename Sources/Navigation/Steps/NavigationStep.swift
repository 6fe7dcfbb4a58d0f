extension NavigationState {
    /// One animation of a user interface on its way from one state to another.
    ///
    /// Steps name tabs, sheets and entries by their ids, so a client can carry them out on a copy
    /// of the session that it has as JSON.
    public enum Step: Equatable, Sendable {
        /// The tabs get this order. A tab that is not in it is removed with its path, and a new one
        /// has an empty path. The tabs in `hidden` are hidden, and the others are shown.
        case tabs(order: [TabID], hidden: [TabID])
        /// The top sheet is removed with its path.
        case dismiss(EntryID)
        case select(TabID)
        /// That many entries are popped.
        case pop(Int, from: ContainerID)
        case push(Entry, on: ContainerID)
        /// A sheet is presented on top. Its path is empty.
        case present(Sheet)
        /// The entry, the sheet or the root with that id gets these params, and this mark and this
        /// lock or none. A sheet becomes as dismissible as the one that is given, and gets its
        /// time; the path of that one does not matter.
        case params(Screen, of: ScreenID, sheet: Sheet?)
        /// The tab gets this badge, or none.
        case badge(Badge?, of: TabID)
    }

    /// A tab or a sheet, by its id.
    public enum ContainerID: Equatable, Sendable {
        case tab(TabID)
        case sheet(EntryID)
    }
}

extension NavigationState {
    /// Carries out a step. This cannot fail: a step with something that does not exist has no
    /// effect.
    public mutating func apply(_ step: Step) {
        switch step {
        case .tabs(let order, let hidden): arrange(order, hidden: Set(hidden))
        case .dismiss(let id):
            if let index = sheetIndex(id) { apply(.dismissed(keeping: index)) }
        case .select(let id):
            if let index = tabIndex(id) { apply(.selected(tab: index)) }
        case .pop(let count, let id):
            if let container = container(id) { apply(.popped(count, from: container)) }
        case .push(let entry, let id):
            if let container = container(id) { apply(.pushed(entry, on: container)) }
        case .present(let sheet): apply(.presented(sheet))
        case .params(let screen, .tab(let id), _):
            if let index = tabIndex(id) { apply(.rootSet(screen, tab: index)) }
        case .params(let screen, .entry(let id), let sheet):
            apply(.screenSet(screen, of: id))
            if let sheet, let index = sheetIndex(id) {
                sheets[index].dismissible = sheet.dismissible
                sheets[index].expiresAt = sheet.expiresAt
            }
        case .badge(let badge, let id):
            if let index = tabIndex(id) { apply(.badgeSet(badge, tab: index)) }
        }
    }

    private mutating func arrange(_ order: [TabID], hidden: Set<TabID>) {
        guard let index = order.firstIndex(of: tabs[selected].id) else { return }
        let known: [TabID: Tab] = tabs.reduce(into: [:]) { $0[$1.id] = $1 }
        tabs = order.map { id in
            var tab = known[id] ?? Tab(id: id)
            tab.isHidden = hidden.contains(id)
            return tab
        }
        selected = index
    }

    private func container(_ id: ContainerID) -> Container? {
        switch id {
        case .tab(let id): tabIndex(id).map(Container.tab)
        case .sheet(let id): sheetIndex(id).map(Container.sheet)
        }
    }
}
