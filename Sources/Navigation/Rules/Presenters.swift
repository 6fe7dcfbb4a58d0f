// The presenter of a sheet is always a tab, an entry or a sheet beneath it. A command that removes
// the presenter removes the sheet as well, with all above it, unless it says that sheets stay.

extension NavigationState {
    /// The screen that is visible beneath a sheet.
    func visibleScreen(beneath sheet: Int) -> ScreenID {
        guard sheet > 0 else {
            return tabs[selected].path.last.map { .entry($0.id) } ?? .tab(tabs[selected].id)
        }
        let below = sheets[sheet - 1]
        return .entry(below.path.last?.id ?? below.id)
    }

    /// Whether a screen is a root, is on the path of a tab, or is on a sheet beneath another one.
    private func has(_ screen: ScreenID, beneath sheet: Int) -> Bool {
        switch screen {
        case .tab(let id): return tabIndex(id) != nil
        case .entry(let id):
            for tab in tabs where tab.path.contains(where: { $0.id == id }) { return true }
            return sheets[..<sheet].contains { below in
                below.id == id || below.path.contains { $0.id == id }
            }
        }
    }

    /// The index of the lowest sheet whose presenter is not beneath it.
    func firstOrphan(from start: Int = 0) -> Int? {
        sheets.indices.dropFirst(start).first { !has(sheets[$0].presentedBy, beneath: $0) }
    }

    /// Lets sheets whose presenters are not beneath them be presented by what is visible there.
    public mutating func adoptOrphans() {
        var start = 0
        while let index = firstOrphan(from: start) {
            sheets[index].presentedBy = visibleScreen(beneath: index)
            start = index + 1
        }
    }
}

extension SessionEditor {
    /// Settles the sheets whose presenters a command has removed.
    ///
    /// - Parameter keepsSheets: whether the command has said that all sheets stay.
    mutating func settleOrphans(keepsSheets: Bool) {
        guard !state.sheets.isEmpty, let first = state.firstOrphan() else { return }
        guard keepsSheets else { return dismissSheets(keeping: first) }
        var next: Int? = first
        while let index = next {
            var sheet = state.sheets[index]
            sheet.presentedBy = state.visibleScreen(beneath: index)
            perform(.sheetSet(sheet))
            next = state.firstOrphan(from: index + 1)
        }
    }
}
