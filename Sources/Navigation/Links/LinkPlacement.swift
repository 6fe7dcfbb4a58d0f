/// How a link is opened, as far as the app declares it.
public struct LinkPlacement: Equatable, Sendable {
    /// The mode of an `open` that names none.
    public var mode: OpenMode?
    /// The fate of the sheets that the link does not present if `open` does not say it.
    public var sheets: SheetHandling?
    /// The tabs of which one is selected. They are empty if the link names one tab or none.
    public var tabs: [TabID] = []
    /// The guards that are asked before those of the screens.
    public var guards: GuardList?
}

extension LinkPlace {
    /// The tabs of which one is selected.
    public var tabs: [TabID] { placement.tabs.isEmpty ? [tab] : placement.tabs }

    /// The last screen that the link names, on its sheet if it presents one. Nil if it only selects
    /// a tab.
    var target: LinkScreen<Value>? {
        guard let sheet else { return path?.last }
        return sheet.path.last ?? sheet.screen
    }
}

extension NavigationState {
    /// The tab that a link selects: the selected one if the link names it, else the first that is
    /// neither hidden nor under a guard that fails, else the first.
    ///
    /// - Parameter names: the tabs that the link names; not empty.
    func tab(among names: [TabID], _ app: App?, _ facts: Facts) -> TabID {
        if names.contains(selectedID) { return selectedID }
        let usable = names.first { name in
            tabIndex(name).map { !tabs[$0].isHidden } ?? false && app?.isOpen(name, facts) ?? true
        }
        return usable ?? names[0]
    }
}
