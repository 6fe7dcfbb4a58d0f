public import JSON

// The beginnings of a session besides the tabs of its app.

extension Session {
    /// Carries a template out as part of the first revision, which undo cannot revert.
    ///
    /// The session has its facts and its selected tab already. Guards are obeyed as in any batch,
    /// unless the rules say otherwise.
    ///
    /// - Throws: the reason why one of the commands is refused; then nothing is changed.
    public mutating func begin(
        with template: AppTemplate, rules: Rules
    ) throws(RejectionError) {
        let command = try Command(
            .batch, body: template.batch, limits: rules.limits, work: rules.work)
        var editor = SessionEditor(self, rules: rules)
        _ = try editor.carryOut(command, at: updatedAt)
        let begun = editor.finish()
        (state, nextEntry, facts) = (begun.state, begun.nextEntry, begun.facts)
    }

    /// Follows a deep link as part of the first revision, which undo cannot revert.
    ///
    /// The session has its facts and its selected tab already. A guard that holds the link back
    /// leaves it as the pending command.
    ///
    /// - Returns: the guard that holds the link back, if one does.
    /// - Throws: the reason why the link is refused; then nothing is changed.
    public mutating func begin(
        at url: String, rules: Rules
    ) throws(RejectionError) -> GuardName? {
        // There is no path yet that a link could be pushed on.
        var command = Open(url: url)
        command.mode = .replace
        let request = CommandRequest(.open(command), body: JSONObject([("url", .string(url))]))
        var editor = SessionEditor(self, rules: rules)
        let answer: Answer
        do {
            answer = try editor.carryOut(request, at: createdAt)
        } catch {
            // The session is new even where the link leads to what it shows anyway.
            if case .nothingToDo = error { return nil }
            throw error
        }
        let begun = editor.finish()
        (state, nextEntry, facts, pending) = (
            begun.state, begun.nextEntry, begun.facts, begun.pending
        )
        return answer.guarded.held
    }

    /// A new session that begins with the app and the state of this one, including its entry ids,
    /// as far as the app allows them now.
    public func copied(
        to id: SessionID, _ settings: SessionSettings, app: App?, at: Milliseconds,
        work: WorkBudget
    ) throws(WorkBudgetError) -> (session: Session, restored: RestoredState) {
        var restored = RestoredState(state: state, nextEntry: nextEntry, parsed: [:])
        if let app {
            // Nothing remains under a guard that fails, and neither does a pending command whose
            // guard holds.
            (restored.facts, restored.pending) = (facts, pending)
            restored = try restored.reconciled(with: app, work: work)
        }
        restored.dropExpired(at: at)
        var settings = settings
        settings.tabBack = self.settings.tabBack
        var copy = Session(
            id: id, app: self.app, settings: settings, at: at, state: restored.state,
            nextEntry: restored.nextEntry)
        copy.facts = restored.facts
        copy.pending = restored.pending
        return (copy, restored)
    }
}
