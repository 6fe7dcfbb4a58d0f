internal import JSON

/// Decides the result of a command. The session is not changed.
///
/// - Parameters:
///   - asked: the command, and its members in the request.
///   - undoTarget: the state that `undo` or `redo` leads to. Nil for all other commands, and if
///     there is no such state.
///   - at: the time of the change.
/// - Throws: the reason why the command is refused. A command without an effect is refused only
///   under strict rules.
package func decide(
    _ asked: AskedCommand, in session: Session, rules: consuming Rules,
    undoTarget: UndoTarget? = nil,
    at: Milliseconds
) throws(RejectionError) -> Decision {
    var editor = StateEditor(session, rules: rules)
    var answer = try editor.carryOut(asked.command, undoTarget)
    if let violated = editor.violatedGuard() {
        editor = StateEditor(session, rules: editor.rules)
        answer = try editor.hold(asked, by: violated)
    }
    guard answer.changed else { return .nothing(answer) }
    guard editor.nextEntry <= EntryID.numberMax + 1 else {
        throw .limitExceeded("The session has used up its entry ids.", pointer: "")
    }
    let isStep = !editor.changes.isEmpty
    return .change(
        editor.event(
            answer, at: at, step: isStep ? asked.command.step(to: undoTarget) : .aside),
        answer, state: editor.state)
}

/// Does the same for a command without the members that it has in a request.
package func decide(
    _ command: Command, in session: Session, rules: Rules, undoTarget: UndoTarget? = nil,
    at: Milliseconds
) throws(RejectionError) -> Decision {
    try decide(
        AskedCommand(command, body: JSONObject()), in: session, rules: rules,
        undoTarget: undoTarget, at: at)
}

extension Command {
    fileprivate func step(to target: UndoTarget?) -> Event.Step {
        guard let target else { return .forward }
        return switch self {
        case .undo: .undo(count: target.steps, left: target.left)
        case .redo: .redo(count: target.steps, left: target.left)
        case .navigate, .back, .root, .present, .dismiss, .select, .open, .setPath, .setParams,
            .setBadge, .setTabs, .setFacts, .batch:
            .forward
        }
    }
}

extension StateEditor {
    /// The event of all changes so far.
    fileprivate func event(
        _ answer: Answer, at: Milliseconds, step: Event.Step
    ) -> Event {
        Event(
            at: at, changes: changes, facts: sets.facts > 0 ? facts : nil,
            pending: sets.pending > 0 ? pending.map(PendingChange.set) ?? .dropped : nil,
            added: answer.added, removed: answer.removed, step: step, nextEntry: nextEntry)
    }

    /// Carries out one command and returns its answer.
    fileprivate mutating func carryOut(
        _ command: Command, _ undoTarget: UndoTarget?
    ) throws(RejectionError) -> Answer {
        if case .batch(let commands) = command { return try carryOut(batch: commands) }
        let before = state
        let changesBefore = changes.count
        let setsBefore = sets
        if !isInBatch { waiting.start = state }
        let wasLeft = isPendingLeft
        try perform(command, undoTarget)
        follow(command, isNew: sets.pending != setsBefore.pending, wasLeft: wasLeft)
        if !isInBatch { giveUpPending() }
        var answer = Answer()
        (answer.guarded, guarded) = (guarded, .none)
        if changes.count == changesBefore, sets == setsBefore {
            let reason = reasonForNoChange(by: command)
            guard !rules.strict else { throw .nothingToDo(reason) }
            answer.reason = reason
        } else {
            (answer.added, answer.removed) = try ids(
                changedFrom: before, by: changes[changesBefore...])
        }
        answer.extra = extra(
            of: command, undoTarget, from: before, removed: answer.removed.count)
        return answer
    }

    private func extra(
        of command: Command, _ undoTarget: UndoTarget?, from before: NavigationState,
        removed: Int
    ) -> Answer.Extra {
        switch command {
        case .back(let back): extra(of: back, from: before, removed: removed)
        case .undo: .undone(undoTarget?.steps ?? 0)
        case .redo: .redone(undoTarget?.steps ?? 0)
        case .navigate, .root, .present, .dismiss, .select, .open, .setPath, .setParams,
            .setBadge, .setTabs, .setFacts, .batch:
            .none
        }
    }

    mutating func perform(
        _ command: Command, _ undoTarget: UndoTarget?
    ) throws(RejectionError) {
        let start = changes.count
        try change(by: command, undoTarget)
        guard changes.count > start, !state.sheets.isEmpty else { return }
        for (sheet, presenter) in state.lostPresenters() {
            perform(.presenterSet(presenter, of: sheet))
        }
    }

    private mutating func change(
        by command: Command, _ undoTarget: UndoTarget?
    ) throws(RejectionError) {
        switch command {
        case .navigate(let command): try navigate(command)
        case .back(let command): try back(command)
        case .root(let scope): root(scope)
        case .present(let command): try present(command)
        case .dismiss(let command): try dismiss(command)
        case .select(let command): try select(command)
        case .open(let command): try open(command)
        case .setPath(let command): try setPath(command)
        case .setParams(let command): try setParams(command)
        case .setBadge(let command): try setBadge(command)
        case .setTabs(let command): try setTabs(command)
        case .setFacts(let command): try setFacts(command)
        case .undo, .redo: try restore(undoTarget)
        case .batch: preconditionFailure("the reader refuses a batch inside a batch")
        }
    }

    /// The reason for a command that was carried out and has changed nothing.
    private func reasonForNoChange(by command: Command) -> NoChange {
        switch command {
        case .navigate, .present, .setParams: .sameEntry
        // With an empty path, only a locked sheet prevents a step back from dismissing it.
        case .back(.steps(_, let within)): within == .any && isSheetLocked ? .sheetLocked : .atRoot
        case .back(.to), .open, .setPath, .setBadge, .setTabs, .setFacts: .alreadyThere
        case .root: .atRoot
        case .dismiss: .noSheet
        case .select: .alreadySelected
        case .undo: .nothingToUndo
        case .redo: .nothingToRedo
        case .batch: preconditionFailure("a batch takes the reason of its last command")
        }
    }

    private var isSheetLocked: Bool { state.sheets.last.map { !$0.dismissible } ?? false }

    private mutating func restore(_ target: UndoTarget?) throws(RejectionError) {
        guard let target, target.steps > 0 else { return }
        var state = target.state
        if let app = rules.app {
            do {
                let (fitting, losses) = try state.reconciled(with: app, facts, work: work)
                state = fitting
                let shutOut = losses.entries.filter { $0.why == .guarded }
                if !shutOut.isEmpty { guarded.dropped = shutOut }
            } catch {
                throw .tooMuchWork(.state)
            }
        }
        // A restore may have changed what `back` does in the meantime.
        if tabBack != .history { state.tabHistory = [] }
        perform(.stateSet(state))
    }

    /// Carries out all commands or, if one is refused, none. The batch has changed something if any
    /// of its commands has.
    private mutating func carryOut(batch commands: [Command]) throws(RejectionError) -> Answer {
        let before = state.ids
        isInBatch = true
        waiting.start = state
        var results: [Answer] = []
        for (index, command) in commands.enumerated() {
            pointer = "/commands/\(index)"
            let start = changes.count
            do throws(RejectionError) {
                results.append(try carryOut(command, nil))
                if let violated = violatedGuard(since: start) {
                    throw violated.refusal(facts)
                }
            } catch {
                throw .inBatch(index: index, error)
            }
        }
        giveUpPending()
        var answer = Answer()
        (answer.guarded, guarded) = (guarded, .none)
        if changes.isEmpty, sets == (0, 0) { answer.reason = results.last?.reason }
        (answer.added, answer.removed) = difference(before, state.ids)
        answer.extra = .results(results)
        return answer
    }
}

extension StateEditor {
    /// The ids that changes have added and removed. To compare all ids of both states is paid for;
    /// it is not needed if at most one of the changes adds or removes any.
    private func ids(
        changedFrom before: NavigationState, by changes: ArraySlice<Change>
    ) throws(RejectionError) -> (added: [EntryID], removed: [EntryID]) {
        if let found = simpleDifference(before, changes) { return found }
        let (old, new) = (before.ids, state.ids)
        try within { () throws(WorkBudgetError) in
            try work.spend(.entries(old.count + new.count))
        }
        return difference(old, new)
    }
}

/// The ids that were added and removed, if all changes of ids are in one path, or one change of the
/// sheets or the tabs is the only one. Nil otherwise.
private func simpleDifference(
    _ before: NavigationState, _ changes: ArraySlice<Change>
) -> (added: [EntryID], removed: [EntryID])? {
    if changes.count == 1, let change = changes.first {
        switch change {
        case .pushed(let entry, _): return ([entry.id], [])
        case .popped(let count, let container):
            return ([], before[path: container].suffix(count).map(\.id))
        case .selected, .paramsSet, .presenterSet, .badgeSet, .markSet, .tabHistorySet, .pathSet,
            .presented, .dismissed, .tabsSet, .stateSet:
            break
        }
    }
    var (place, path): (Container?, [EntryID]) = (nil, [])
    var found: (added: [EntryID], removed: [EntryID])?
    func isIn(_ container: Container) -> Bool {
        if place == nil, found == nil {
            (place, path) = (container, before[path: container].map(\.id))
        }
        return place == container
    }
    for change in changes {
        switch change {
        case .selected, .paramsSet, .presenterSet, .badgeSet, .markSet, .tabHistorySet: continue
        case .pushed(let entry, let container):
            guard isIn(container) else { return nil }
            path.append(entry.id)
        case .popped(let count, let container):
            guard isIn(container) else { return nil }
            path.removeLast(min(max(count, 0), path.count))
        case .pathSet(let entries, let container):
            guard isIn(container) else { return nil }
            path = entries.map(\.id)
        case .presented, .dismissed, .tabsSet:
            guard place == nil, found == nil else { return nil }
            found = before.idsChanged(by: change)
        case .stateSet: return nil
        }
    }
    if let place { return difference(before[path: place].map(\.id), path) }
    return found ?? ([], [])
}

extension NavigationState {
    /// The ids that a change of the sheets or the order of the tabs adds and removes.
    fileprivate func idsChanged(by change: Change) -> (added: [EntryID], removed: [EntryID]) {
        switch change {
        case .presented(let sheet): (Self.ids(of: [sheet]), [])
        case .dismissed(let kept): ([], Self.ids(of: sheets.dropFirst(max(kept, 0))))
        case .selected, .paramsSet, .presenterSet, .badgeSet, .markSet, .tabHistorySet, .tabsSet,
            .pushed, .popped,
            .pathSet, .stateSet:
            ([], [])
        }
    }
}

/// The ids that were added and removed, each in the order of its own list.
func difference(
    _ before: [EntryID], _ after: [EntryID]
) -> (added: [EntryID], removed: [EntryID]) {
    var start = 0
    let shorter = min(before.count, after.count)
    while start < shorter, before[start] == after[start] { start += 1 }
    var end = 0
    while end < shorter - start, before[before.count - 1 - end] == after[after.count - 1 - end] {
        end += 1
    }
    let old = before[start..<before.count - end]
    let new = after[start..<after.count - end]
    guard !old.isEmpty else { return (Array(new), []) }
    guard !new.isEmpty else { return ([], Array(old)) }
    let wasThere = Set(old)
    let isThere = Set(new)
    return (new.filter { !wasThere.contains($0) }, old.filter { !isThere.contains($0) })
}
