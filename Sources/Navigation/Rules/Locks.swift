// Locks: navigation does not remove a sheet that is not dismissible, nor a locked entry, unless the
// command says force. Steps back stop there; every other command is refused as a whole.

/// The effects of a command on locked sheets and dialogs, until the answer is made, and the
/// handling that the link that it opens says.
struct CommandEffects {
    /// The sheets and force of the link, where the command has none.
    var clearing: Clearing?
    /// The guard of the link that fails, if one does.
    var failingLink: Guard?
    /// The number of changes before the command if it may have removed something locked and does
    /// not say force.
    var lockedRemoval: Int?
    /// The sheet that the command may remove although it is locked: one that a sheet with the same
    /// tag replaces, or a dialog whose button is pressed.
    var replacedSheet: EntryID?
    /// The buttons that were pressed, by dialog.
    var pressed: [(dialog: EntryID, button: MarkName)] = []
}

/// A screen that navigation must not remove.
enum LockedScreen {
    case entry(EntryID)
    case sheet(EntryID)

    var refusal: RejectionError {
        switch self {
        case .entry(let id): .entryLocked(id)
        case .sheet(let id): .sheetLocked(id)
        }
    }

    var reason: NoChange {
        switch self {
        case .entry: .entryLocked
        case .sheet: .sheetLocked
        }
    }
}

extension Sheet {
    /// Whether the sheet or an entry on it is locked.
    var hasLock: Bool { !dismissible || path.contains { $0.isLocked } }
}

extension NavigationState {
    /// The screen at which a step back stops because it is locked.
    var lockedTop: LockedScreen? {
        if let entry = self[path: active].last { return entry.isLocked ? .entry(entry.id) : nil }
        guard let sheet = sheets.last, !sheet.dismissible else { return nil }
        return .sheet(sheet.id)
    }

    /// The topmost locked screen that another state does not have: sheets from the top, each after
    /// its path, then the path of the selected tab and those of the others.
    fileprivate func topmostLocked(
        missingIn other: NavigationState, but spared: EntryID?
    ) -> LockedScreen? {
        func missing(in path: [Entry]) -> LockedScreen? {
            path.last { $0.isLocked && !other.contains($0.id) }.map { .entry($0.id) }
        }
        for sheet in sheets.reversed() {
            if let found = missing(in: sheet.path) { return found }
            let isGone = other.sheetIndex(sheet.id) == nil
            if !sheet.dismissible, isGone, sheet.id != spared { return .sheet(sheet.id) }
        }
        if let found = missing(in: tabs[selected].path) { return found }
        for tab in tabs {
            if let found = missing(in: tab.path) { return found }
        }
        return nil
    }
}

extension SessionEditor {
    /// Refuses what the command under way has done if it has removed something locked. Guards come
    /// first: a command that is held back removes nothing.
    mutating func refuseUnlocking() throws(RejectionError) {
        guard let start = effects.lockedRemoval, let found = topmostLocked(since: start) else {
            return
        }
        effects.lockedRemoval = nil
        throw found.refusal
    }

    /// Refuses to dismiss sheets that are locked, or have locked entries.
    func refuseLocked(above kept: Int) throws(RejectionError) {
        guard state.sheets.dropFirst(kept).contains(where: { $0.hasLock }) else { return }
        var rest = state
        rest.apply(.dismissed(keeping: kept))
        let found = state.topmostLocked(missingIn: rest, but: effects.replacedSheet)
        if let found { throw found.refusal }
    }

    private func topmostLocked(since start: Int) -> LockedScreen? {
        state(after: start).topmostLocked(missingIn: state, but: effects.replacedSheet)
    }
}
