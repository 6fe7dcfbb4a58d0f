internal import JSON
internal import Navigation
internal import Sessions

// How a change of a session is made.

extension LocalSession {
    static func rules(_ app: AppDefinition?, strict: Bool = false) -> Rules {
        Rules(app: app?.app, limits: Limits(), strict: strict, work: WorkBudget())
    }

    /// Makes a change on a copy, so that a refused one leaves nothing behind.
    mutating func change(
        _ rules: Rules, at time: Int64?,
        _ body: (inout LocalSession, Rules) throws(Rejection) -> Outcome
    ) throws(Rejection) -> Outcome {
        now = max(now, time ?? now)
        var next = self
        if !fits { try next.reconcile(rules) }
        let outcome = try body(&next, rules)
        self = next
        return outcome
    }

    private mutating func reconcile(_ rules: Rules) throws(Rejection) {
        fits = true
        _ = try edit(rules) { editor, now throws(ProblemContent) in
            do throws(WorkBudgetError) {
                guard let found = try editor.reconcile(at: now) else { return .none("reconcile") }
                let cause = EventText.Cause(command: "reconcile", losses: found.losses)
                return RequestedChange(answer: found.answer, cause: cause)
            } catch {
                throw ProblemContent(.tooMuchWork(.state))
            }
        }
    }

    mutating func carryOut(
        _ request: CommandRequest, _ rules: Rules, isIdle: Bool = false
    ) throws(Rejection) -> Outcome {
        let target = try undoTarget(for: request.command)
        return try edit(rules) { editor, now throws(ProblemContent) in
            do throws(RejectionError) {
                let answer = try editor.carryOut(request, undoTarget: target, at: now)
                let cause = EventText.Cause(
                    command: request.command.name.rawValue, body: request.body, isIdle: isIdle)
                return RequestedChange(answer: answer, cause: cause, isCommand: true)
            } catch {
                throw ProblemContent(error)
            }
        }
    }

    mutating func edit(
        _ rules: Rules,
        _ body: (inout SessionEditor, Int64) throws(ProblemContent) -> RequestedChange
    ) throws(Rejection) -> Outcome {
        let change: RequestedChange
        var editor = SessionEditor(session, rules: rules)
        do { change = try body(&editor, now) } catch { throw Rejection(error) }
        let changed = editor.finish()
        let state = SessionEncoder.encode(changed, app: app?.app)
        guard change.answer.changed else { return Outcome(change, state) }
        guard state.count <= rules.limits.sessionBytesMax else {
            throw Rejection(.sessionTooLarge(rules.limits))
        }
        kept[session.revision] = session.state
        session = changed
        if kept.count > 4 * UndoStacks.stepsMax {
            let runs = session.undoing.undo.runs + session.undoing.redo.runs
            let needed = Set(runs.flatMap { min($0.bottom, $0.top)...$0.highest })
            kept = kept.filter { needed.contains($0.key) }
        }
        return Outcome(change, state)
    }

    private static let stateNotHere = ProblemContent(
        .revisionGone, "That state was not made here. Only the server of the session has it.")

    /// The state that `undo` or `redo` leads to.
    private func undoTarget(for command: Command) throws(Rejection) -> UndoTarget? {
        let (count, stack): (Int, RevisionStack)
        if case .undo(let steps) = command {
            (count, stack) = (steps, session.undoing.undo)
        } else if case .redo(let steps) = command {
            (count, stack) = (steps, session.undoing.redo)
        } else {
            return nil
        }
        let steps = min(count, stack.count)
        guard steps > 0, let revision = stack[steps - 1] else { return nil }
        guard let state = kept[revision] else { throw Rejection(Self.stateNotHere) }
        return UndoTarget(state: state, steps: steps, left: stack.count - steps)
    }
}
