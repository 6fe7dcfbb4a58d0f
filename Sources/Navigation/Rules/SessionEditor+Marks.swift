// Marks: names that commands give to entries and sheets, and by which `back` finds them.

extension SessionEditor {
    /// Marks an existing entry or sheet, or leaves its mark unchanged if `mark` is nil.
    mutating func mark(_ entry: Entry, as mark: MarkName?) {
        guard let mark, entry.mark != mark else { return }
        let marked = Screen(route: entry.route, params: entry.params, mark: mark)
        perform(.screenSet(marked, of: entry.id))
    }

    /// Goes back to the nearest marked screen as if its id were named.
    mutating func back(
        toMark mark: MarkName, _ inclusive: Bool, _ within: Back.Within
    ) throws(RejectionError) {
        guard let id = state.nearest(mark, within) else { throw .entryNotFound(mark.rawValue) }
        try back(toEntry: id, inclusive, within)
    }
}

extension NavigationState {
    /// The id of the nearest screen with that mark, from the visible one downwards: the path of
    /// each sheet from the top, then the sheet itself, and finally the path of the selected tab.
    fileprivate func nearest(_ mark: MarkName, _ within: Back.Within) -> EntryID? {
        for sheet in sheets.reversed() {
            if let entry = sheet.path.last(where: { $0.mark == mark }) { return entry.id }
            if sheet.mark == mark { return sheet.id }
            // Everything further down is under this sheet, which would have to be dismissed.
            if within == .path { return nil }
        }
        return tabs[selected].path.last { $0.mark == mark }?.id
    }
}
