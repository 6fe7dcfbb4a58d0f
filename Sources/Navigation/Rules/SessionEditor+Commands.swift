internal import JSON

// How a command is carried out. What each command does is in the other extensions.

extension SessionEditor {
    /// Carries out a command. If it changes something, the session gets its next revision.
    ///
    /// - Parameters:
    ///   - request: the command, and its members in the request.
    ///   - undoTarget: the state that `undo` or `redo` leads to. Nil for all other commands, and if
    ///     there is no such state.
    ///   - at: the time of the change.
    /// - Throws: the reason why the command is refused. Then the session is to be rolled back. A
    ///   command without an effect is refused only under strict rules.
    public mutating func carryOut(
        _ request: borrowing CommandRequest, undoTarget: UndoTarget? = nil, at: Milliseconds
    ) throws(RejectionError) -> Answer {
        var answer = Answer()
        try carryOut(request, undoTarget: undoTarget, at: at, &answer)
        return answer
    }

    /// The same with an answer that is empty at first. It is not copied.
    public mutating func carryOut(
        _ request: borrowing CommandRequest, undoTarget: UndoTarget?, at: Milliseconds,
        _ answer: inout Answer
    ) throws(RejectionError) {
        now = at
        mayViolateGuards = false
        let before = changeCount
        let nextEntry = session.nextEntry
        let start = rules.watchesGuards ? savepoint : nil
        try carryOut(request.command, undoTarget, into: &answer)
        if let start, let violated = violatedGuard() {
            rollBack(to: start)
            guard !rules.strict, !isInBatch else { throw violated.refusal(facts) }
            answer = try hold(request, by: violated)
        }
        try refuseUnlocking()
        guard answer.changed else { return setNextEntry(nextEntry) }
        guard session.nextEntry <= EntryID.numberMax + 1 else {
            throw .limitExceeded("The session has used up its entry ids.", pointer: "")
        }
        endRevision(
            hasNavigated(since: before) ? request.command.move(to: undoTarget) : .aside, at: at)
    }

    /// Carries out a command that has no members in a request.
    public mutating func carryOut(
        _ command: Command, undoTarget: UndoTarget? = nil, at: Milliseconds
    ) throws(RejectionError) -> Answer {
        try carryOut(
            CommandRequest(command, body: JSONObject()), undoTarget: undoTarget, at: at)
    }

    /// Carries out one command and makes its answer.
    private mutating func carryOut(
        _ command: Command, _ undoTarget: UndoTarget?, into answer: inout Answer
    ) throws(RejectionError) {
        if case .batch(let commands) = command { return try carryOut(batch: commands, &answer) }
        let before = changeCount
        let selected = state.selected
        beginCommand()
        if !isInBatch { beginWaiting() }
        let wasLeft = isPendingLeft
        try perform(command, undoTarget)
        if rules.routes != nil { try checkRoutes(shownBy: command, since: before) }
        follow(command, isNew: hasSetPending(since: before), wasLeft: wasLeft)
        if !isInBatch { giveUpPending() }
        takeGuarded(into: &answer)
        if !effects.pressed.isEmpty {
            answer.pressed = effects.pressed
            effects.pressed = []
        }
        if changeCount == before {
            let reason = reasonForNoChange(by: command)
            guard !rules.strict || effects.failingLink != nil else { throw .nothingToDo(reason) }
            answer.reason = reason
        } else {
            (answer.added, answer.removed) = try changedIDs(since: before)
        }
        if case .back(let back, _) = command {
            answer.extra = extra(of: back, from: selected, removed: answer.removed.count)
        }
        if case .undo = command { answer.extra = .undone(undoTarget?.steps ?? 0) }
        if case .redo = command { answer.extra = .redone(undoTarget?.steps ?? 0) }
    }

    /// Moves the effects of guards to the answer.
    mutating func takeGuarded(into answer: inout Answer) {
        guard !guarded.isNone else { return }
        answer.guarded = guarded
        guarded = .none
    }

    mutating func perform(
        _ command: Command, _ undoTarget: UndoTarget?
    ) throws(RejectionError) {
        let start = changeCount
        effects = CommandEffects()
        try change(by: command, undoTarget)
        guard changeCount > start else { return }
        let clearing = effects.clearing ?? command.clearing
        settleOrphans(keepsSheets: clearing.sheets == .keep)
        if ids.areLocked, !clearing.force { effects.lockedRemoval = start }
    }

    private mutating func change(
        by command: Command, _ undoTarget: UndoTarget?
    ) throws(RejectionError) {
        switch command {
        case .navigate(let command): try navigate(command)
        case .back(let command, let force): try back(command, force: force)
        case .root(let command): try root(command)
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
        case .batch(let commands): for command in commands { try change(by: command, nil) }
        }
    }

    /// The reason for a command that was carried out and has changed nothing.
    private func reasonForNoChange(by command: Command) -> NoChange {
        switch command {
        case .navigate, .present, .setParams: .sameEntry
        case .back(.steps(_, let within), _): reasonForNoStep(within)
        case .back(.to, _), .open, .setPath, .setBadge, .setTabs, .setFacts: .alreadyThere
        case .root: .atRoot
        case .dismiss: .noSheet
        case .select: .alreadySelected
        case .undo: .nothingToUndo
        case .redo: .nothingToRedo
        case .batch(let commands):
            if let last = commands.last { reasonForNoChange(by: last) } else { .alreadyThere }
        }
    }

    /// The reason why no step back was taken: a locked screen, unless it is a sheet that the steps
    /// were not to leave anyway.
    private func reasonForNoStep(_ within: Back.Within) -> NoChange {
        switch state.lockedTop {
        case .entry?: .entryLocked
        case .sheet? where within == .any: .sheetLocked
        case .sheet?, nil: .atRoot
        }
    }

    private mutating func restore(_ target: UndoTarget?) throws(RejectionError) {
        guard let target, target.steps > 0 else { return }
        var state = target.state
        if let app = rules.app {
            do {
                let (fitting, losses) = try state.reconciled(with: app, facts, work: work)
                state = fitting
                let removed = losses.entries.filter {
                    $0.why == .guarded || $0.why == .presenterGone
                }
                if !removed.isEmpty { guarded.dropped = removed }
            } catch {
                throw .tooMuchWork(.state)
            }
        }
        guarded.dropped += state.dropExpired(at: now)
        // A restore may have changed what `back` does in the meantime.
        if tabBack != .history { state.tabHistory = [] }
        perform(.stateSet(state))
    }

    /// Carries out all commands or, if one is refused, none. The batch has changed something if any
    /// of its commands has.
    private mutating func carryOut(
        batch commands: [Command], _ answer: inout Answer
    ) throws(RejectionError) {
        let before = state.ids
        let start = changeCount
        isInBatch = true
        beginWaiting()
        var results: [Answer] = []
        for (index, command) in commands.enumerated() {
            pointer = "/commands/\(index)"
            mayViolateGuards = false
            do throws(RejectionError) {
                var result = Answer()
                try carryOut(command, nil, into: &result)
                results.append(result)
                if let violated = violatedGuard() { throw violated.refusal(facts) }
                try refuseUnlocking()
            } catch {
                throw .inBatch(index: index, error)
            }
        }
        giveUpPending()
        takeGuarded(into: &answer)
        if changeCount == start { answer.reason = results.last?.reason }
        (answer.added, answer.removed) = difference(before, state.ids)
        answer.extra = .results(results)
        let pressed = results.flatMap { $0.pressed }
        if !pressed.isEmpty { answer.pressed = pressed }
    }
}

extension Command {
    fileprivate func move(to target: UndoTarget?) -> UndoStacks.Move {
        guard let target else { return .forward }
        if case .undo = self { return .undo(count: target.steps, left: target.left) }
        if case .redo = self { return .redo(count: target.steps, left: target.left) }
        return .forward
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
