internal import Bytes
internal import HTTP
internal import JSON
public import Navigation
public import Sessions

// Changes that a session makes without a request: a sheet expires, or an idle command runs. They
// are recorded and announced like all other changes.

/// The result of carrying out a due command.
public enum DueOutcome {
    /// The session was changed.
    case changed(DueChange)
    /// Load this, then try again.
    case load([LoadRequest])
    /// Nothing is due now. Something may be at this time, or never.
    case notDue(until: Milliseconds?)
    /// The idle command has no effect, or is refused.
    case withoutEffect
    /// It cannot be done now: the session is unreadable, its app is missing, or the store refuses
    /// changes.
    case failed
}

/// A change that no client has asked for.
public struct DueChange {
    /// The ticket of the change.
    public var ticket: Ticket
    /// The approximate number of clients to notify of it.
    public var audience: Int
    /// The revision before it, if the same change has reconciled the session. A store that writes
    /// one revision at a time may have written this one only.
    public var reconciled: Int?
}

extension Service {
    /// Carries out what is due in a session.
    ///
    /// - Parameter reconciled: the revision that an earlier attempt has made, after which the idle
    ///   command is still due.
    public func carryOut(
        _ due: DueSession, at now: Milliseconds, after reconciled: Int? = nil
    ) -> DueOutcome {
        work.renew()
        state.refreshApps()
        do throws(OperationError) {
            return try DueChanges(due, at: now, in: state).carryOut(after: reconciled)
        } catch {
            if case .load(let requests) = error { return .load(requests) }
            return .failed
        }
    }

    /// The idle times of all apps that have an idle command, in seconds, if the apps have changed
    /// since the last call.
    public func takeIdleSeconds() -> [AppID: Int]? {
        state.refreshApps()
        let generation = state.caches.apps.generation
        guard generation != idleGeneration else { return nil }
        idleGeneration = generation
        return state.caches.apps.idleSeconds
    }
}

/// Carries out what is due in one session.
struct DueChanges {
    private let due: DueSession
    private let context: RequestContext
    private let writer: SessionWriter

    init(_ due: DueSession, at now: Milliseconds, in service: ServiceState) {
        self.due = due
        let endpoint = Endpoint.of(.commandSessions) ?? Endpoint.all[0]
        context = RequestContext(
            Self.request, to: endpoint, PathTemplate.Variables(), at: now, in: service)
        writer = SessionWriter(ChangeRequest(isIdle: true), context)
    }

    /// A request that asks for nothing: operations read from it how to make a change.
    private static let request: Request = {
        let text = Array("POST /v1/commands HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        var parser = RequestParser(limits: ParserLimits())
        guard case .request(let request, _) = parser.parse(text, from: 0, to: text.count) else {
            preconditionFailure("the text is a request")
        }
        return request
    }()

    /// - Parameter reconciled: see `Service.carryOut`.
    func carryOut(after reconciled: Int?) throws(OperationError) -> DueOutcome {
        guard let handle = try context.find(due.id) else { return .notDue(until: nil) }
        let version = context.store.reading.version(of: handle)
        return try writer.change(handle, at: version) { transaction throws(OperationError) in
            let expiry = transaction.session.state.firstExpiry?.at ?? .max
            let idle = idle(of: transaction, after: reconciled)
            let idleTime = idle?.at ?? .max
            guard min(expiry, idleTime) <= context.now else {
                let next = min(expiry, idleTime)
                return .notDue(until: next == .max ? nil : next)
            }
            if let idle, idleTime < expiry { return try carryOut(idle.command, in: transaction) }
            return try expire(in: transaction)
        }
    }

    /// The idle command of a session, and when it is due.
    private func idle(
        of transaction: SessionTransaction, after reconciled: Int?
    ) -> (command: IdleCommand, at: Milliseconds)? {
        guard due.mayBeIdle,
            let command = transaction.session.settings.idle ?? transaction.app?.idle
        else { return nil }
        guard transaction.session.revision != reconciled else { return (command, context.now) }
        return (command, transaction.session.updatedAt + Milliseconds(command.seconds) * 1000)
    }

    // MARK: - The changes

    /// Removes the sheet whose time came first.
    private func expire(
        in transaction: SessionTransaction
    ) throws(OperationError) -> DueOutcome {
        try writer.reconcile(transaction)
        if let (sheet, answer) = transaction.editor.expireSheet(at: context.now) {
            let cause = EventText.Cause(
                command: EventText.expire, body: Array(#"{"sheet":"\#(sheet)"}"#.utf8))
            try writer.record(answer, to: cause, in: transaction)
        }
        try writer.store(transaction)
        return outcome(of: transaction)
    }

    /// Carries the idle command out as if it were asked for.
    private func carryOut(
        _ idle: IdleCommand, in transaction: SessionTransaction
    ) throws(OperationError) -> DueOutcome {
        context.author = .idle
        let commands = SessionCommands(idle.request.command.name, writer)
        var answer = Answer()
        do throws(OperationError) {
            try commands.carryOut(idle.request, in: transaction, &answer)
        } catch {
            guard case .problem(let problem) = error, problem.kind.status.code < 500 else {
                throw error
            }
            return .withoutEffect
        }
        commands.signalReselection(by: idle.request.command, answer, in: transaction)
        return transaction.isStored ? outcome(of: transaction) : .withoutEffect
    }

    private func outcome(of transaction: SessionTransaction) -> DueOutcome {
        guard transaction.isStored else { return .notDue(until: nil) }
        let first = transaction.records.first?.revision
        return .changed(
            DueChange(
                ticket: transaction.version.ticket, audience: transaction.audience,
                reconciled: transaction.records.count > 1 ? first : nil))
    }
}
