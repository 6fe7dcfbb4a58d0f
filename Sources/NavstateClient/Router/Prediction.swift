internal import NavstateRules

// The state that a router shows: the confirmed one with the pending commands carried out by the
// rules.
//
// 1. One command is sent at a time, the first pending one. Its answer removes it, whether it was
//    carried out or refused. A command that the rules refuse is not shown. It is sent all the same,
//    because the server may know a newer state; without a connection the rules decide.
// 2. While a command is unanswered, states from the stream wait, because they may contain it. They
//    are taken over just before the answer is, and the newer of the two counts.
// 3. States from the stream only move `confirmed` to higher revisions, apart from the first one and
//    one after a gap: the store may have been restored from a backup, or the session deleted and
//    created again. An answer does the same, unless a state from the stream was waiting.
// 4. The predicted ids are those of the server, unless somebody else was faster. Then the pending
//    commands are carried out again, and the ids that they name are replaced. A sheet that was
//    presented here keeps its identity for SwiftUI.
// 5. If there is no answer, the router is offline, and commands are only collected. Once the stream
//    shows that the connection works, they are sent in their order, the unanswered one with its old
//    idempotency key; or they are dropped, and the server's state is shown.

/// A command that the server has not answered yet.
struct PendingChange: Sendable {
    let number: Int
    var command: Nav.Command
    var options: ChangeOptions
    /// The ids that the command adds, as long as nobody else is faster.
    var added: [String] = []
    /// Whether the rules here carry it out, so that a refusal is unexpected.
    var isPredicted = false
}

/// The state of a router, which follows the rules above.
struct Prediction: Sendable {
    private(set) var confirmed: Nav.Session?
    private(set) var pending: [PendingChange] = []
    /// The state to show. Sheets have the ids under which they are shown.
    private(set) var shown: Nav.Session?
    /// The last commands, oldest first.
    private(set) var recent: [Nav.Command] = []
    private(set) var definition: AppDefinition?
    private var sending = Sending.idle
    private var base: LocalSession?
    private var predicted: LocalSession?
    /// The identities of sheets that were presented here, by their ids in the session.
    private var identities: [String: String] = [:]
    private var waiting: (session: Nav.Session, afterGap: Bool)?
    /// Whether the next state is accepted even if its revision is lower.
    private var isStarting = false
    private var count = 0

    private enum Sending {
        case idle, waiting, offline
    }

    /// With this begins the identity of a sheet that was presented here. No id in a session does.
    static let ownPrefix = "*"
}

extension Prediction {
    /// A session without a server, or the beginning of one that is still to be read.
    init(_ session: LocalSession?, _ definition: AppDefinition?) {
        (base, predicted, self.definition) = (session, session, definition)
        refresh()
    }

    var isOffline: Bool { sending == .offline }

    /// Whether every command has been answered.
    var isQuiet: Bool { pending.isEmpty }

    /// Sets the declaration of the app, and carries the pending commands out by it.
    mutating func use(_ definition: AppDefinition) {
        self.definition = definition
        guard let confirmed else { return }
        base = local(confirmed)
        replay()
    }

    /// The id in the session of what is shown under this id.
    func id(of shown: String) -> String {
        identities.first { $0.value == shown }?.key ?? shown
    }

    /// Whether the app has a link for the URL, as far as that is known.
    func hasLink(_ url: String) -> Bool {
        definition?.opens(url) ?? (shown == nil || shown?.app != nil)
    }

    /// Whether there is something that can be sent.
    var canSend: Bool { sending == .idle && !pending.isEmpty }

    // MARK: - Commands

    /// Carries a command out here. Returns its number and, if it is carried out, its outcome.
    ///
    /// - Throws: the reason why the rules refuse it, if no server decides.
    mutating func perform(
        _ command: Nav.Command, isStrict: Bool, isLocal: Bool
    ) throws(Rejection) -> (number: Int, outcome: Outcome?) {
        var next = predicted
        var outcome: Outcome?
        do throws(Rejection) {
            outcome = try next?.perform(command, isStrict: isStrict)
        } catch {
            if isLocal { throw error }
        }
        count += 1
        recent = recent.suffix(9) + [command]
        let change = PendingChange(
            number: count, command: command, options: ChangeOptions(isStrict: isStrict).keyed,
            added: outcome?.added ?? [], isPredicted: outcome != nil)
        if outcome != nil { predicted = next }
        if outcome?.added.isEmpty == false {
            for sheet in predicted?.state.sheets ?? [] where change.added.contains(sheet.id) {
                count += 1
                identities[sheet.id] = Self.ownPrefix + String(count)
            }
        }
        pending.append(change)
        refresh()
        return (change.number, outcome)
    }

    /// Makes the predicted state the confirmed one, if there is no server.
    mutating func confirmAll() {
        pending = []
        base = predicted
        refresh()
    }

    /// Returns the next command to send. Returns nil if there is none, another one is being sent,
    /// or the router is offline.
    mutating func nextToSend() -> PendingChange? {
        guard canSend, let first = pending.first else { return nil }
        sending = .waiting
        return first
    }

    /// Handles the answer to the command that was sent. Returns whether it shows that the rules
    /// here have another document of the app.
    mutating func answered(_ result: CommandResult) -> Bool {
        let wasNewest = waiting == nil
        let before = base?.revision
        (isStarting, sending) = (false, .idle)
        let change = pending.removeFirst()
        // The event of the change may have arrived before the answer.
        let wasAwaited = takeWaiting(by: change)
        let names =
            change.added.count == result.added.count
            ? Dictionary(zip(change.added, result.added)) { $1 } : [:]
        let wasPredicted = accept(result.session, by: change, afterGap: wasNewest)
        replay(names)
        return !(wasAwaited && wasPredicted) && differs(result.session, after: before)
    }

    /// Handles a refusal of the command that was sent. Commands to what it would have added are
    /// dropped, too, and returned.
    mutating func refused() -> [PendingChange] {
        sending = .idle
        takeWaiting()
        let gone = Set(pending.removeFirst().added)
        let dropped = pending.filter { $0.command.names(one: gone) }
        pending.removeAll { $0.command.names(one: gone) }
        replay()
        return dropped
    }

    /// Handles the lack of an answer. It is unknown whether the command was carried out, so it
    /// stays pending, together with those that follow it.
    mutating func lost() { sending = .offline }

    // MARK: - States

    /// Notes that a stream has begun. Its first state is accepted whatever its revision.
    mutating func started() { isStarting = true }

    /// Handles a state from the stream. After a gap it is accepted even if its revision is lower.
    /// Returns whether it shows that the rules here have another document of the app.
    @discardableResult
    mutating func received(
        _ session: Nav.Session, by command: Nav.Command? = nil, afterGap: Bool = false
    ) -> Bool {
        let counts = afterGap || isStarting
        isStarting = false
        guard sending == .idle else {
            waiting = (session, counts || waiting?.afterGap ?? false)
            return false
        }
        let before = command == nil ? nil : base?.revision
        let change = command.map { PendingChange(number: 0, command: $0, options: .standard) }
        let wasPredicted = accept(session, by: change, afterGap: counts)
        replay()
        return !wasPredicted && differs(session, after: before)
    }

    /// Whether a state that was not predicted has come about by a single change, cannot be
    /// continued by the rules here, or has another title than they give it.
    private func differs(_ session: Nav.Session, after revision: Int?) -> Bool {
        guard confirmed?.revision == session.revision else { return false }
        if let revision, revision + 1 == session.revision { return true }
        guard let base else { return session.app != nil && definition != nil }
        return base.state.visible.title != session.visible.title
    }

    /// Goes back online. The pending commands are sent then.
    mutating func returned() { if isOffline { sending = .idle } }

    /// Goes back online, after `received` was called with the server's state. Drops the pending
    /// commands, and returns them.
    mutating func dropAll() -> [PendingChange] {
        let dropped = pending
        (pending, sending) = ([], .idle)
        takeWaiting()
        replay()
        return dropped
    }

    /// Returns whether there was no such state, or the change was predicted to lead to it.
    @discardableResult
    private mutating func takeWaiting(by change: PendingChange? = nil) -> Bool {
        guard let next = waiting else { return true }
        waiting = nil
        return accept(next.session, by: change, afterGap: next.afterGap)
    }

    /// Makes a state the confirmed one. Returns whether the change was predicted to lead to it.
    @discardableResult
    private mutating func accept(
        _ session: Nav.Session, by change: PendingChange? = nil, afterGap: Bool = false
    ) -> Bool {
        guard afterGap || session.revision >= confirmed?.revision ?? 0 else { return true }
        // The answer and the event of a change show the same state.
        if let known = confirmed, known.isSame(as: session) {
            confirmed = session
            return true
        }
        // The rules know the states for undo as long as they have carried out every change.
        var next = base
        var isPredicted = false
        if let change {
            _ = try? next?.perform(change.command, isStrict: change.options.isStrict)
            isPredicted = next?.state.isSame(as: session) ?? false
        }
        confirmed = session
        base = isPredicted ? next : local(session)
        return isPredicted
    }

    /// The state as a session of the rules. It is nil if the declaration of its app is not known.
    private func local(_ session: Nav.Session) -> LocalSession? {
        let definition = session.app == nil ? nil : definition
        guard session.app == definition?.id else { return nil }
        return try? LocalSession(definition, continuing: session)
    }

    /// Carries out the pending commands on the confirmed state. If somebody else was faster, the
    /// ids that they add are other ones than before.
    private mutating func replay(_ names: [String: String] = [:]) {
        var names = names
        predicted = base
        for index in pending.indices {
            let old = pending[index]
            let command = old.command.renamed { names[$0] ?? $0 }
            let outcome = try? predicted?.perform(command, isStrict: old.options.isStrict)
            let added = outcome?.added ?? []
            if added.count == old.added.count {
                for (old, new) in zip(old.added, added) { names[old] = new }
            }
            pending[index].command = command
            pending[index].added = added
            pending[index].isPredicted = outcome != nil
        }
        identities = Dictionary(identities.map { (names[$0] ?? $0, $1) }) { $1 }
        refresh()
    }

    private mutating func refresh() {
        shown = pending.isEmpty ? confirmed ?? predicted?.state : predicted?.state ?? confirmed
        let sheets = Set((shown?.sheets ?? []).map(\.id))
        identities = identities.filter { sheets.contains($0.key) }
        for index in shown?.sheets.indices ?? 0..<0 {
            guard let sheet = shown?.sheets[index], let own = identities[sheet.id] else { continue }
            shown?.sheets[index].id = own
        }
    }
}
