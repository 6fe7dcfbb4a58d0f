internal import Bytes
internal import HTTP
internal import JSON
internal import Navigation

// The commands, from body to answer.

extension Service {
    func command(_ name: CommandName, _ call: Call) throws(Interruption) -> Reply {
        let asked = try changeRequest(call)
        let body = try call.body(limits: options.limits)
        if asked.key != nil, let scope = try keyScope(call),
            case .change(let first)? = try kept(asked, in: scope, call)
        {
            return answer(
                EventText.answer(remembered: first.record.event), first.record.state,
                revision: first.record.revision, sequence: first.sequence, asked)
        }
        var draft = try draft(call)
        let command = try ruled { () throws(Rejection) in
            try Command(name, body: body, limits: options.limits)
        }
        try reconcile(&draft, call)
        let answer = try carryOut(name, command, body, in: &draft, asked, call)
        try store(&draft, asked)
        return self.answer(
            EventText.answer(answer), state(draft), revision: draft.session.revision,
            sequence: draft.sequence, asked)
    }

    private func carryOut(
        _ name: CommandName, _ command: Command, _ body: JSONObject, in draft: inout Draft,
        _ asked: ChangeRequest, _ call: Call
    ) throws(Interruption) -> Answer {
        let rules = Rules(app: draft.app, limits: options.limits, strict: asked.isStrict)
        let past = try past(for: command, of: draft)
        let decision = try ruled { () throws(Rejection) in
            try decide(command, in: draft.session, rules: rules, past: past, at: call.now)
        }
        switch consume decision {
        case .nothing(let answer): return answer
        case .change(let event, let answer):
            let text = EventText.event(event, command: name.rawValue, body: body, answer: answer)
            try note(event, text, key: asked.key, in: &draft)
            return answer
        }
    }

    /// - Parameter head: the answer's beginning, without its closing brace.
    private func answer(
        _ head: consuming ByteWriter, _ state: [UInt8], revision: Int, sequence: SequenceNumber,
        _ asked: ChangeRequest
    ) -> Reply {
        if asked.isMinimal {
            head.append(literal: #","revision":"#)
            head.append(revision)
        } else {
            head.append(literal: #","session":"#)
            head.append(state)
        }
        head.append(UInt8(ascii: "}"))
        var response = Response(.ok, contentType: .json, body: head.finish())
        if !asked.isDry { response.etag = etag(sequence) }
        response.fields = applied(asked, canBeStrict: true)
        return Reply(response, visibleAfter: sequence)
    }
}

// MARK: - Undo and redo

extension Service {
    /// Where `undo` or `redo` leads, found by following the records; nil if nowhere.
    private func past(for command: Command, of draft: Draft) throws(Interruption) -> Past? {
        switch command {
        case .undo(let count): try undone(count, draft)
        case .redo(let count): try redone(count, draft)
        case .navigate, .back, .root, .present, .dismiss, .select, .open, .setPath, .setParams,
            .setBadge, .batch:
            nil
        }
    }

    /// A step goes from the cursor `c` to revision `c - 1`, which shows what was before.
    private func undone(_ count: Int, _ draft: Draft) throws(Interruption) -> Past? {
        var cursor = draft.session.undoing.cursor
        var found: Session?
        let steps = min(count, draft.session.undoing.undos)
        for _ in 0..<steps {
            let earlier = try revision(cursor - 1, of: draft)
            cursor = earlier.undoing.cursor
            found = earlier
        }
        return found.map { Past(state: $0.state, cursor: cursor, steps: steps) }
    }

    /// The way forward is the way back from the tip, so it is walked from there.
    private func redone(_ count: Int, _ draft: Draft) throws(Interruption) -> Past? {
        let undoing = draft.session.undoing
        var way: [Int] = []
        var revision = undoing.tip
        while revision != undoing.cursor {
            way.append(revision)
            revision = try self.revision(revision - 1, of: draft).undoing.cursor
        }
        guard !way.isEmpty else { return nil }
        let steps = min(count, way.count)
        let cursor = way[way.count - steps]
        let goal = try self.revision(cursor, of: draft)
        return Past(state: goal.state, cursor: cursor, steps: steps)
    }

    private func revision(_ revision: Int, of draft: Draft) throws(Interruption) -> Session {
        if revision == draft.session.revision { return draft.session }
        if let own = draft.records.last, own.revision == revision { return draft.session }
        guard let handle = store.find(draft.session.id, now: draft.session.updatedAt) else {
            preconditionFailure("the session was there a moment ago")
        }
        let found = try stored { () throws(StoreError) in
            try store.revision(revision, of: handle)
        }
        guard let found else {
            preconditionFailure("the store keeps what undo and redo reach: revision \(revision)")
        }
        return session(found)
    }
}
