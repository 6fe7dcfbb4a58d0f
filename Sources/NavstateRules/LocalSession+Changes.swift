internal import JSON
internal import Navigation
internal import Sessions

// How a change of a session is made.

extension LocalSession {
    /// A change by means of an editor, and the session before it.
    typealias Editing = (
        inout SessionEditor, _ before: LocalSession
    ) throws(ProblemContent) -> RequestedChange

    static func rules(_ app: AppDefinition?, strict: Bool) -> Rules {
        Rules(app: app?.app, limits: Limits(), strict: strict, work: WorkBudget())
    }

    /// Makes a change on a copy, so that a refused one leaves nothing behind.
    mutating func change(
        strict: Bool = false, at time: Int64?, _ body: Editing
    ) throws(Rejection) -> Outcome {
        now = max(now, time ?? now)
        var next = self
        let rules = Self.rules(app, strict: strict)
        do throws(ProblemContent) {
            if !fits {
                next.fits = true
                _ = try next.edit(rules, Self.reconcile)
            }
            let outcome = try next.edit(rules, body)
            self = next
            return outcome
        } catch {
            throw Rejection(error)
        }
    }

    private static func reconcile(
        _ editor: inout SessionEditor, _ before: LocalSession
    ) throws(ProblemContent) -> RequestedChange {
        do throws(WorkBudgetError) {
            guard let found = try editor.reconcile(at: before.now) else {
                return .none("reconcile")
            }
            let cause = EventText.Cause(command: "reconcile", losses: found.losses)
            return RequestedChange(answer: found.answer, cause: cause)
        } catch {
            throw ProblemContent(.tooMuchWork(.state))
        }
    }

    func carryOut(
        _ request: CommandRequest, in editor: inout SessionEditor, isIdle: Bool = false
    ) throws(ProblemContent) -> RequestedChange {
        let target = try undoTarget(for: request.command)
        do throws(RejectionError) {
            let answer = try editor.carryOut(request, undoTarget: target, at: now)
            let cause = EventText.Cause(
                command: request.command.name.rawValue, body: request.body, isIdle: isIdle)
            return RequestedChange(answer: answer, cause: cause, isCommand: true)
        } catch {
            throw ProblemContent(error)
        }
    }

    private mutating func edit(
        _ rules: Rules, _ body: Editing
    ) throws(ProblemContent) -> Outcome {
        var editor = SessionEditor(session, rules: rules)
        let change = try body(&editor, self)
        let changed = editor.finish()
        let state = SessionEncoder.encode(changed, app: app?.app)
        guard change.answer.changed else { return Outcome(change, state) }
        guard
            rules.limits.allows(
                sessionBytes: state.count,
                former: SessionEncoder.encode(session, app: app?.app).count, after: change.answer)
        else {
            throw .sessionTooLarge(rules.limits)
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

    /// The state that `undo` or `redo` leads to.
    private func undoTarget(for command: Command) throws(ProblemContent) -> UndoTarget? {
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
        guard let state = kept[revision] else {
            throw ProblemContent(
                .revisionGone,
                "That state was not made here. Only the server of the session has it.")
        }
        return UndoTarget(state: state, steps: steps, left: stack.count - steps)
    }
}
