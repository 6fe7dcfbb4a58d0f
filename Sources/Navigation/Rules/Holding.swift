internal import Bytes
internal import JSON

// Holding back: a command that would leave something under a guard that fails is kept in the
// session as the pending command, and what the guard offers is carried out instead. The pending
// command is resumed when the guard holds, and given up when what was shown instead is gone. A
// batch is decided at its end, so that a login may close itself before it sets the facts.

/// What decides whether the pending command is given up.
struct Waiting {
    /// The state before the command or the batch, or after facts were set in it.
    var start: NavigationState?
    /// Whether it was left before these facts were set.
    var isLeft = false
    /// The id and the tag of what was shown instead and went when the command was resumed.
    var removed: (id: EntryID, tag: ExactString?)?
}

extension SessionEditor {
    /// Carries out what a guard offers instead of a command, and makes the command pending.
    ///
    /// - Throws: `guarded` if the command cannot be held back.
    mutating func hold(
        _ request: CommandRequest, by violated: Guard
    ) throws(RejectionError) -> Answer {
        let refusal = violated.refusal(facts)
        guard let instead = violated.instead, !rules.strict, !isInBatch else { throw refusal }
        let before = state.ids
        // Resuming removes what an earlier guard shows, so the command is kept for the state
        // without it.
        var origin = state
        if let entry = pending?.entry { origin.remove(entry) }
        let start = changeCount
        mayViolateGuards = false
        let entry: EntryID?
        do {
            try perform(instead, nil)
            entry = try destination(of: instead)
            if violatedGuard() == nil { try refuseUnlocking() }
        } catch {
            if case .tooMuchWork = error { throw error }
            throw refusal
        }
        guard violatedGuard() == nil else { throw refusal }
        let wanted = PendingCommand(
            guardName: violated.name, command: request.resumable(in: origin), entry: entry)
        var answer = Answer()
        answer.guarded.held = violated.name
        if changeCount == start, pending == wanted {
            answer.reason = .held
        } else {
            if let pending, pending.command != wanted.command {
                answer.guarded.givenUp = pending.command
            }
            set(wanted)
            (answer.added, answer.removed) = difference(before, state.ids)
        }
        return answer
    }

    /// Where the command that was carried out instead has led: the sheet that it presents,
    /// otherwise the entry at the end of its path. Nil for the root of a tab.
    private func destination(of command: Command) throws(RejectionError) -> EntryID? {
        if case .navigate(let command) = command {
            return state[path: try container(command.target)].last?.id
        }
        if case .select(let command) = command {
            return state.tabs[try tab(command.tab)].path.last?.id
        }
        if case .open(let command) = command {
            let goal = try within { () throws(WorkBudgetError) in
                try rules.app?.resolve(command.url, work: work)
            }
            if let goal, goal.sheet == nil {
                return state.tabIndex(goal.tab).flatMap { state.tabs[$0].path.last?.id }
            }
        }
        return state.sheets.last?.id
    }

    /// Removes what was shown instead of the pending command, and carries the command out as if it
    /// were asked for now. It may be refused, or held back by another guard.
    mutating func resume(_ resumed: PendingCommand) {
        if let entry = resumed.entry {
            waiting.removed = (entry, state.sheetIndex(entry).flatMap { state.sheets[$0].tag })
            var rest = state
            rest.remove(entry)
            if rest != state { perform(.stateSet(rest)) }
        }
        set(PendingCommand?.none)
        guarded.resumed = resumed.command
        let start = savepoint
        let pointer = pointer
        self.pointer = ""
        do {
            let item = JSON.object(resumed.command).withoutFormerDetents
            let command = try Command(item: item, at: "", limits: rules.limits, work: work)
            mayViolateGuards = false
            try perform(command, nil)
            if let violated = violatedGuard() {
                rollBack(to: start)
                let request = CommandRequest(command, body: resumed.body)
                guarded.held = try hold(request, by: violated).guarded.held
            }
            try refuseUnlocking()
        } catch {
            rollBack(to: start)
            guarded.refused = error
        }
        self.pointer = pointer
        mayViolateGuards = true
    }

    /// Notes the state before a command or a batch, if a command is pending then.
    mutating func beginWaiting() {
        if pending != nil { waiting.start = state }
    }

    /// Whether what was shown instead of the pending command is gone or, if that was the root of a
    /// tab, whether another tab is selected. After an answer, whether anything has moved.
    var isPendingLeft: Bool {
        guard let pending, let start = waiting.start else { return false }
        if waiting.isLeft { return true }
        if pending.isAnswered { return !state.isSamePlace(as: start) }
        return pending.entry.map { !state.contains($0) } ?? (state.selectedID != start.selectedID)
    }

    /// Gives the pending command up if it has been left.
    mutating func giveUpPending() {
        guard isPendingLeft, let pending else { return }
        guarded.givenUp = pending.command
        set(PendingCommand?.none)
    }

    /// Keeps track of the pending command after a command.
    ///
    /// - Parameters:
    ///   - isNew: whether the command has made it pending, or answered it.
    ///   - wasLeft: whether it had been left before.
    mutating func follow(_ command: Command, isNew: Bool, wasLeft: Bool) {
        if isNew {
            (waiting.start, waiting.isLeft) = (state, false)
        } else if command.name == .setFacts {
            waiting.isLeft = wasLeft
            if !wasLeft { keepPendingWithoutEntry() }
            waiting.start = state
        }
    }

    /// The pending command stays if what was shown instead was removed because of a guard.
    private mutating func keepPendingWithoutEntry() {
        guard let pending, let entry = pending.entry, !state.contains(entry) else { return }
        set(pending.withoutEntry(isAnswered: pending.isAnswered))
    }
}

extension NavigationState {
    /// Whether there is such an entry or sheet.
    func contains(_ id: EntryID) -> Bool { sheetIndex(id) != nil || position(of: id) != nil }

    var selectedID: TabID { tabs[selected].id }

    /// Whether the selection, the paths and the sheets are the same, whatever their params.
    fileprivate func isSamePlace(as other: NavigationState) -> Bool {
        guard selectedID == other.selectedID, sheets.map(\.id) == other.sheets.map(\.id),
            tabs.count == other.tabs.count
        else { return false }
        func isSame(_ path: [Entry], _ other: [Entry]) -> Bool {
            path.elementsEqual(other) { $0.id == $1.id }
        }
        return zip(sheets, other.sheets).allSatisfy { isSame($0.path, $1.path) }
            && tabs.allSatisfy { tab in
                other.tabIndex(tab.id).map { isSame(tab.path, other.tabs[$0].path) } ?? false
            }
    }
}

extension PendingCommand {
    /// The members of the command without its name.
    fileprivate var body: JSONObject {
        var body = command
        body["command"] = nil
        return body
    }

    /// The pending command, unless its guard is gone or holds, or what was shown instead is gone.
    func kept(in state: NavigationState, _ app: App, _ facts: Facts) -> PendingCommand? {
        guard let held = app.guards.named[guardName], !held.holds(facts),
            entry.map(state.contains) ?? true
        else { return nil }
        return self
    }
}

extension CommandRequest {
    /// The command as it is kept: with its name first, and with the id of the active container, so
    /// that it leads where it was asked for.
    fileprivate func resumable(in state: NavigationState) -> JSONObject {
        var kept = JSONObject([("command", .string(command.name.rawValue))])
        for member in Params(trusted: body[...]).object.members {
            kept.append(member.key, member.value)
        }
        if command.target == .active { kept["in"] = .string(state.nameOfActive) }
        return kept
    }
}

extension NavigationState {
    /// The id of the active container.
    fileprivate var nameOfActive: String {
        sheets.last.map(\.id.description) ?? tabs[selected].id.rawValue
    }
}
