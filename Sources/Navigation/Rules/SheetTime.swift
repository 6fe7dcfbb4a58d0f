// Sheets that go by themselves when their time has come.

extension NavigationState {
    /// The sheet that goes first by itself, and when; the lowest of those that go at the same time.
    public var firstExpiry: (sheet: EntryID, at: Milliseconds)? {
        var first: (sheet: EntryID, at: Milliseconds)?
        for sheet in sheets {
            guard let time = sheet.expiresAt, time < first?.at ?? .max else { continue }
            first = (sheet.id, time)
        }
        return first
    }

    /// Removes the sheets whose time is over, with all above them.
    ///
    /// - Returns: what was removed.
    mutating func dropExpired(at now: Milliseconds) -> [Dropped] {
        guard let lowest = sheets.firstIndex(where: { $0.isExpired(at: now) }) else { return [] }
        let dropped = sheets[lowest...].flatMap { sheet in
            let why = sheet.isExpired(at: now) ? Dropped.Why.expired : .presenterGone
            return [Dropped(id: .entry(sheet.id), route: sheet.route, why: why)]
                + sheet.path.map {
                    Dropped(id: .entry($0.id), route: $0.route, why: .sheetDropped)
                }
        }
        sheets.removeSubrange(lowest...)
        return dropped
    }
}

extension Sheet {
    fileprivate func isExpired(at now: Milliseconds) -> Bool {
        expiresAt.map { $0 <= now } ?? false
    }
}

extension Present {
    /// When a sheet goes that is presented now: in whole seconds, as it is shown, and not earlier
    /// than asked for.
    func expiry(at now: Milliseconds) -> Milliseconds? {
        ttlSeconds.map { (now + Milliseconds($0) * 1000 + 999) / 1000 * 1000 }
    }
}

extension SessionEditor {
    /// Gives a sheet that is presented again another time, if the command has one.
    mutating func setTime(of sheet: EntryID, by command: Present) {
        guard let time = command.expiry(at: now), let index = state.sheetIndex(sheet),
            state.sheets[index].expiresAt != time
        else { return }
        var changed = state.sheets[index]
        changed.expiresAt = time
        perform(.sheetSet(changed))
    }

    /// Removes the sheet whose time came first, with all above it. Locks do not count, and undo
    /// does not lead back.
    ///
    /// - Returns: nil if the time of no sheet has come.
    public mutating func expireSheet(at: Milliseconds) -> (sheet: EntryID, answer: Answer)? {
        guard let first = state.firstExpiry, first.at <= at,
            let index = state.sheetIndex(first.sheet)
        else { return nil }
        now = at
        beginWaiting()
        let removed = NavigationState.ids(of: state.sheets[index...])
        perform(.dismissed(keeping: index))
        giveUpPending()
        var answer = Answer(removed: removed)
        takeGuarded(into: &answer)
        endRevision(.aside, at: at)
        return (first.sheet, answer)
    }
}

extension RestoredState {
    /// Removes the sheets whose time is over. They count as lost.
    public mutating func dropExpired(at now: Milliseconds) {
        losses.entries += state.dropExpired(at: now)
        if let entry = pending?.entry, !state.contains(entry) { pending = nil }
    }
}
