package import JSON

/// Decides what a command comes to; changes nothing.
///
/// - Parameters:
///   - past: where `undo` or `redo` would lead; nil when there is nothing, or for other commands.
///   - at: the time of the change.
///   - work: the request's budget; with too little left the command is refused.
package func decide(
    _ command: Command, in session: Session, rules: Rules, past: Past? = nil, at: Milliseconds,
    work: WorkBudget
) throws(RejectionError) -> Decision {
    var editor = StateEditor(session, rules: rules, work: work)
    let answer = try editor.carryOut(command, past: past)
    guard answer.changed else { return .nothing(answer) }
    guard editor.nextEntry <= EntryID.numberMax + 1 else {
        throw .limitExceeded("The session has used up its entry ids.", pointer: "")
    }
    let event = Event(
        at: at, changes: editor.changes, added: answer.added, removed: answer.removed,
        nextEntry: editor.nextEntry, step: command.step(past))
    return .change(event, answer)
}

extension Command {
    fileprivate func step(_ past: Past?) -> Event.Step {
        guard let past else { return .forward }
        return switch self {
        case .undo: .undo(count: past.steps, left: past.left)
        case .redo: .redo(count: past.steps, left: past.left)
        case .navigate, .back, .root, .present, .dismiss, .select, .open, .setPath, .setParams,
            .setBadge, .batch:
            .forward
        }
    }
}

extension StateEditor {
    /// Carries one command out and tells what it did.
    mutating func carryOut(_ command: Command, past: Past?) throws(RejectionError) -> Answer {
        if case .batch(let commands) = command { return try carryOut(batch: commands) }
        let before = state
        let changesBefore = changes.count
        let reason = try perform(command, past)
        var answer = Answer()
        if changes.count == changesBefore {
            guard !rules.strict else { throw .nothingToDo(reason) }
            answer.reason = reason
        } else {
            (answer.added, answer.removed) =
                simpleDifference(before, changes[changesBefore...])
                ?? difference(before.ids, state.ids)
        }
        answer.extra = extra(of: command, past, answer)
        return answer
    }

    private func extra(of command: Command, _ past: Past?, _ answer: Answer) -> Answer.Extra {
        switch command {
        case .back: .popped(answer.removed.count)
        case .undo: .undone(past?.steps ?? 0)
        case .redo: .redone(past?.steps ?? 0)
        case .navigate, .root, .present, .dismiss, .select, .open, .setPath, .setParams,
            .setBadge, .batch:
            .none
        }
    }

    /// Each rule changes the draft and says which reason holds if it changed nothing.
    private mutating func perform(
        _ command: Command, _ past: Past?
    ) throws(RejectionError) -> NoChange {
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
        case .undo: try moveInTime(past, .nothingToUndo)
        case .redo: try moveInTime(past, .nothingToRedo)
        case .batch: preconditionFailure("the reader refuses a batch inside a batch")
        }
    }

    private mutating func moveInTime(
        _ past: Past?, _ nothing: NoChange
    ) throws(RejectionError) -> NoChange {
        guard let past, past.steps > 0 else { return nothing }
        var state = past.state
        if let app = rules.app {
            do {
                state = try state.reconciled(with: app, work: work).state
            } catch {
                throw .tooMuchWork(.state)
            }
        }
        perform(.stateSet(state))
        return nothing
    }

    /// All or nothing; something has changed if any of the commands changed something.
    private mutating func carryOut(batch commands: [Command]) throws(RejectionError) -> Answer {
        let before = state.ids
        var results: [Answer] = []
        for (index, command) in commands.enumerated() {
            pointer = "/commands/\(index)"
            do {
                results.append(try carryOut(command, past: nil))
            } catch {
                throw .inBatch(index: index, error)
            }
        }
        var answer = Answer()
        if changes.isEmpty { answer.reason = results.last?.reason }
        (answer.added, answer.removed) = difference(before, state.ids)
        answer.extra = .results(results)
        return answer
    }
}

/// Which ids came and which went, where the changes tell it: at most one of them pushes or pops.
private func simpleDifference(
    _ before: NavigationState, _ changes: ArraySlice<Change>
) -> (added: [EntryID], removed: [EntryID])? {
    var (added, removed): ([EntryID], [EntryID]) = ([], [])
    for change in changes {
        let isFirst = added.isEmpty && removed.isEmpty
        switch change {
        case .selected, .paramsSet, .badgeSet: break
        case .pushed(let entry, _) where isFirst: added = [entry.id]
        case .popped(let count, let container) where isFirst:
            removed = before[path: container].suffix(count).map(\.id)
        case .pushed, .popped, .pathSet, .presented, .dismissed, .stateSet: return nil
        }
    }
    return (added, removed)
}

/// Which ids came and which went, each in the order of its own list.
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
