/// The ids that changes add and remove.
struct IDChanges {
    private(set) var added: [EntryID] = []
    private(set) var removed: [EntryID] = []
    /// Whether several changes have added ids, or several removed some, so that only a comparison
    /// of the states tells what they have done together, and in which order.
    private(set) var areMixed = false
    /// Whether something locked may be among the removed.
    private(set) var areLocked = false

    mutating func note(_ change: Change, undoneBy undo: Change) {
        // Most changes push or pop one entry.
        if case .pushed(let entry, _) = change {
            areMixed = areMixed || !added.isEmpty
            added.append(entry.id)
        } else if case .pushed(let entry, _) = undo {
            areMixed = areMixed || !removed.isEmpty || !added.isEmpty
            removed.append(entry.id)
            areLocked = areLocked || entry.isLocked
        } else {
            noteSeveral(change, undoneBy: undo)
        }
    }

    private mutating func noteSeveral(_ change: Change, undoneBy undo: Change) {
        switch (change, undo) {
        case (.presented(let sheet), _): note(added: NavigationState.ids(of: [sheet]))
        case (_, .presented(let sheet)):
            note(removed: NavigationState.ids(of: [sheet]))
            areLocked = areLocked || sheet.hasLock
        case (.popped(let count, _), .pathSet(let old, _)):
            let popped = old.suffix(max(count, 0))
            note(removed: popped.map(\.id))
            areLocked = areLocked || popped.contains { $0.isLocked }
        case (.pathSet(let new, _), .pathSet(let old, _)):
            let (added, removed) = difference(old.map(\.id), new.map(\.id))
            note(added: added, removed: removed)
            areLocked = areLocked || old.contains { $0.isLocked }
        case (.dismissed(let kept), .stateSet(let old)):
            let dismissed = old.sheets.dropFirst(max(kept, 0))
            note(removed: NavigationState.ids(of: dismissed))
            areLocked = areLocked || dismissed.contains { $0.hasLock }
        case (.stateSet, _): areMixed = true
        case (.selected, _), (.screenSet, _), (.rootSet, _), (.sheetSet, _), (.badgeSet, _),
            (.tabHistorySet, _), (.tabsSet, _), (.pushed, _), (.popped, _), (.pathSet, _),
            (.dismissed, _):
            break
        }
    }

    private mutating func note(added more: [EntryID] = [], removed fewer: [EntryID] = []) {
        if !fewer.isEmpty {
            areMixed = areMixed || !removed.isEmpty || !added.isEmpty
            removed += fewer
        }
        if !more.isEmpty {
            areMixed = areMixed || !added.isEmpty
            added += more
        }
    }
}
