internal import Bytes
internal import JSON

// Holding back: a command that would leave something under a guard that fails is kept in the
// session as the pending command, and what the guard offers is carried out instead. The pending
// command is resumed when the guard holds, and given up when what was shown instead is gone. A
// batch is decided at its end, so that a login may close itself before it sets the facts.

/// The state that decides whether the pending command is given up.
struct Waiting {
    /// The state before the command or the batch, or after facts were set in it.
    var start: NavigationState?
    /// Whether it was left before these facts were set.
    var isLeft = false
    /// The id and the tag of what was shown instead and went when the command was resumed.
    var removed: (id: EntryID, tag: ExactString?)?
}

extension SessionEditor {
    /// Carries out what a guard offers instead of a command, and makes the command pending. If that
    /// is under a guard that fails as well, the offer of the last such guard is carried out, and
    /// the command waits for this guard.
    ///
    /// - Throws: `guarded` if the command cannot be held back.
    mutating func hold(
        _ request: CommandRequest, by violated: Guard
    ) throws(RejectionError) -> Answer {
        let before = state.ids
        // Resuming removes what an earlier guard shows, so the command is kept for the state
        // without it.
        var origin = state
        if let entry = pending?.entry { origin.remove(entry) }
        let start = changeCount
        let (last, entry) = try offer(of: violated)
        let wanted = PendingCommand(
            guardName: last.name, command: try resumable(request, in: origin), entry: entry)
        var answer = Answer()
        answer.guarded.held = last.name
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

    /// Carries out what the guard offers. If a guard holds that back, what that guard offers is
    /// carried out in its place, and so on.
    ///
    /// - Returns: the guard whose offer was carried out, and where the offer has led.
    /// - Throws: `guarded` of a guard that offers nothing or nothing that can be carried out, or to
    ///   which its own offer leads.
    private mutating func offer(
        of violated: Guard
    ) throws(RejectionError) -> (guard: Guard, entry: EntryID?) {
        let start = savepoint
        var asked: Set<GuardName> = []
        var current = violated
        while let instead = current.instead, asked.insert(current.name).inserted {
            if let next = try guardOver(instead) {
                current = next
                continue
            }
            mayViolateGuards = false
            do throws(RejectionError) {
                try perform(instead, nil)
                guard let next = violatedGuard() else {
                    try refuseUnlocking()
                    return (current, try destination(of: instead))
                }
                current = next
            } catch {
                if case .tooMuchWork = error { throw error }
                throw current.refusal(facts)
            }
            rollBack(to: start)
            // The search for a guard that fails looks at the whole state.
            try within { () throws(WorkBudgetError) in
                try work.spend(.entries(state.ids.count + 1))
            }
        }
        throw current.refusal(facts)
    }

    /// The guard over what an offer leads to that fails, as far as the app's document tells it. It
    /// is asked before the offer is carried out, so that asking twice leads to the same guard even
    /// if by then a sheet is presented on which the offer could not be pushed.
    private func guardOver(_ offer: Command) throws(RejectionError) -> Guard? {
        guard let app = rules.app else { return nil }
        let offer = try within { () throws(WorkBudgetError) in
            try GuardedOffer(offer, of: app, work: work)
        }
        guard offer.all != 0 else { return nil }
        return offer.first(of: app.failingGuards(facts)).map { app.guards.declared[$0] }
    }

    /// Where the command that was carried out instead has led: the sheet that it presents or the
    /// screen that it updates, otherwise the entry at the end of its path. Nil for the root of a
    /// tab.
    private func destination(of command: Command) throws(RejectionError) -> EntryID? {
        if case .navigate(let command) = command {
            return state[path: try container(command.target)].last?.id
        }
        if case .select(let command) = command {
            return state.tabs[try tab(command.tab)].path.last?.id
        }
        if case .open(let command) = command {
            let goal = try resolve(command.url)
            if command.mode ?? goal?.placement.mode == .update, let target = goal?.target,
                try isVisible(target)
            {
                return state.top?.id
            }
            if goal?.sheet == nil { return state.tabs[state.selected].path.last?.id }
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
            if let violated = try attempt(command) {
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
        // The resumed link's word on sheets does not count for this command.
        effects.clearing = nil
    }

    /// Carries out a command, and returns the guard that it violates, if any.
    private mutating func attempt(_ command: Command) throws(RejectionError) -> Guard? {
        defer { effects.failingLink = nil }
        mayViolateGuards = false
        try perform(command, nil)
        return violatedGuard()
    }

    /// Notes the state before a command or a batch, if a command is pending then.
    mutating func beginWaiting() {
        if pending != nil { waiting.start = state }
    }

    /// Whether what was shown instead of the pending command is gone or, if that was the root of a
    /// tab, whether another tab is selected. After an answer, whether anything has moved.
    @inline(__always)
    var isPendingLeft: Bool {
        guard session.pending != nil else { return false }
        return hasLeftPending
    }

    private var hasLeftPending: Bool {
        guard let pending, let start = waiting.start else { return false }
        if waiting.isLeft { return true }
        if pending.isAnswered { return !state.isSamePlace(as: start) }
        return pending.entry.map { !state.contains($0) } ?? (state.selectedID != start.selectedID)
    }

    /// Gives the pending command up if it has been left.
    mutating func giveUpPending() {
        guard session.pending != nil, hasLeftPending, let pending else { return }
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
        guard selectedID == other.selectedID, sheets.map({ $0.id }) == other.sheets.map({ $0.id }),
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

extension SessionEditor {
    /// The command as it is kept: with its name first, and with the id of the active container or
    /// the tab of the link, so that it leads where it was asked for.
    private func resumable(
        _ request: CommandRequest, in state: NavigationState
    ) throws(RejectionError) -> JSONObject {
        let command = request.command
        var kept = JSONObject([("command", .string(command.name.rawValue))])
        for member in Params(trusted: request.body[...]).object.members {
            kept.append(member.key, member.value)
        }
        if command.target == .active { kept["in"] = .string(state.nameOfActive) }
        guard case .open(let open) = command else { return kept }
        guard let placement = try resolve(open.url)?.placement else { return kept }
        if open.tab == nil, !placement.tabs.isEmpty {
            kept["tab"] = .string(state.tab(among: placement.tabs, rules.app, facts).rawValue)
        }
        // A creation has the mode `replace`, whatever the link says.
        if let mode = open.mode, mode != placement.mode ?? .replace {
            kept["mode"] = .string(mode.rawValue)
        }
        return kept
    }
}

extension NavigationState {
    /// The id of the active container.
    fileprivate var nameOfActive: String {
        sheets.last.map { $0.id.description } ?? tabs[selected].id.rawValue
    }
}
