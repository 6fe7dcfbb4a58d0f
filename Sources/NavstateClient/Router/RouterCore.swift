// The rules of the router, as a value without time, tasks or a network.
//
//   confirmed   the last state that the server sent
//   pending     what the user has done since then and the server has not answered yet, in order
//   target      `confirmed` with the pending changes applied, which is what should be shown
//
// 1. Only one change is sent at a time, the first pending one. Its answer removes the change from
//    `pending`, whether it was made, made differently, or refused. Unless it was refused, the
//    answer also replaces `confirmed`. What is shown follows from that.
// 2. States also arrive from the stream. While a change is being sent they have to wait, because
//    they may contain that change already, which would then be shown twice. They are taken over
//    just before the answer is, and the newer of the two counts. For the same reason they wait
//    while the router is offline.
// 3. States from the stream only move `confirmed` to higher revisions. The exceptions are the first
//    one and one after a gap, which move it to whatever the server has, because the store may have
//    been restored from a backup, or the session may have been deleted and created again. An answer
//    does the same, unless a state from the stream was waiting.
// 4. What was added here keeps its local id in `target`, so that SwiftUI treats it as the same
//    item. The answer contains the server's id for it, which later commands use.
// 5. If there is no answer, the router is offline. From then on, changes are only collected. As
//    soon as the stream shows that the connection works, the server's state is read, because it may
//    contain the unanswered change. Then either the collected changes are dropped and that state is
//    shown, or its paths, sheets and selected tab are replaced by those that are shown here.
//
// Once every change has been answered and the stream has delivered everything, nothing is pending
// and `target` is the server's state. `RouterCoreTests` checks this for random orders of events.

/// The state of a router, which follows the rules above.
struct RouterCore: Sendable {
    /// A change that the server has not answered yet.
    struct Operation: Sendable, Hashable {
        var number: Int
        var change: LocalChange
        var isStrict = false
    }

    /// A state that arrived while a change was being sent or the router was offline.
    private struct Waiting: Sendable {
        var session: Session
        var afterGap: Bool
    }

    private(set) var confirmed: Session?
    private(set) var pending: [Operation] = []
    private(set) var isSending = false
    private(set) var isOffline = false
    /// The server's ids for entries and sheets that have a local id.
    private(set) var serverIDs: [String: String] = [:]
    private var waiting: Waiting?
    /// Whether the next state is accepted even if its revision is lower.
    private var isStarting = false
    private var count = 0

    /// What should be shown.
    var target: NavigationState {
        guard let confirmed else { return NavigationState() }
        var state = NavigationState(confirmed).renamed(localIDs)
        for operation in pending where isShownAtOnce(operation.change) {
            state.apply(operation.change)
        }
        return state
    }

    /// Whether a change is shown before the server has answered it. Only the app knows the style of
    /// a sheet that names none, so such a sheet waits for the answer unless none will come.
    func isShownAtOnce(_ change: LocalChange) -> Bool {
        if case .present(let sheet, let style) = change {
            // The texts of a dialog that the app declares come from the server as well.
            if sheet.isDialog, sheet.title == nil { return false }
            if style == nil, confirmed?.app != nil { return isOffline }
        }
        return true
    }

    private var localIDs: [String: String] {
        Dictionary(serverIDs.map { ($0.value, $0.key) }) { _, last in last }
    }

    /// The id under which `target` has the container that has this id on the server or here.
    func shownID(of container: String) -> String { localIDs[container] ?? container }

    /// The server's id for what has this id in `target`. Returns nil if it is not known yet.
    func serverID(of id: String) -> String? { LocalID.isLocal(id) ? serverIDs[id] : id }

    /// Whether every change has been answered.
    var isQuiet: Bool { pending.isEmpty }

    /// Returns a new local id.
    mutating func makeID() -> String {
        count += 1
        return LocalID.make(count)
    }

    /// Adds a change that the user has made. Returns its number.
    @discardableResult
    mutating func perform(_ change: LocalChange, isStrict: Bool = false) -> Int {
        count += 1
        pending.append(Operation(number: count, change: change, isStrict: isStrict))
        return count
    }

    /// Returns the next change to send, as a command. Returns nil if there is nothing to send,
    /// another change is still being sent, or the router is offline. Changes to something that the
    /// server never had are dropped.
    mutating func nextToSend() -> (operation: Operation, command: Command)? {
        guard !isSending, !isOffline else { return nil }
        while let first = pending.first {
            if let command = first.change.renamed(serverIDs).command {
                isSending = true
                return (first, command)
            }
            pending.removeFirst()
        }
        return nil
    }

    /// Handles the answer to the change that was sent.
    mutating func answered(_ result: CommandResult) {
        let wasNewest = waiting == nil
        isStarting = false
        // The change is still pending here, so that none of its ids is forgotten.
        takeWaiting()
        let added = pending.removeFirst().change.added.filter { serverIDs[$0] == nil }
        if result.changed, result.held == nil, added.count == result.added.count {
            for (local, server) in zip(added, result.added) { serverIDs[local] = server }
        }
        isSending = false
        accept(result.session, afterGap: wasNewest)
    }

    /// Handles a refusal of the change that was sent.
    mutating func refused() {
        pending.removeFirst()
        settle()
    }

    /// Handles the lack of an answer. It is unknown whether the change was made, so it stays
    /// pending, together with those that follow it.
    mutating func lost() {
        isSending = false
        isOffline = true
    }

    /// Notes that a stream has begun. Its first state is accepted whatever its revision.
    mutating func started() { isStarting = true }

    /// Handles a state from the stream. After a gap it is accepted even if its revision is lower.
    mutating func received(_ session: Session, afterGap: Bool = false) {
        let counts = afterGap || isStarting
        isStarting = false
        if isSending || isOffline {
            let wasAfterGap = waiting?.afterGap ?? false
            waiting = Waiting(session: session, afterGap: counts || wasAfterGap)
        } else {
            accept(session, afterGap: counts)
        }
    }

    /// Goes back online, after `received` was called with the current state of the server. Drops
    /// the changes that were made offline, and returns them.
    @discardableResult
    mutating func returned() -> [Operation] {
        guard isOffline else { return [] }
        let forgotten = pending
        pending = []
        isOffline = false
        settle()
        return forgotten
    }

    /// Handles the state that the server has after `own` was written to it. Returns the changes
    /// that `own` contained.
    @discardableResult
    mutating func restored(
        _ session: Session, from own: NavigationState, upTo last: Int = .max
    ) -> [Operation] {
        var done: [Operation] = []
        let wasOffline = isOffline
        if wasOffline {
            done = pending.filter { $0.number <= last }
            pending.removeAll { $0.number <= last }
            isOffline = false
            settle()
        }
        let ids = NavigationState(session).ids
        if ids.count == own.ids.count {
            for (local, server) in zip(own.ids, ids) where LocalID.isLocal(local) {
                serverIDs[local] = server
            }
        }
        received(session, afterGap: wasOffline)
        return done
    }

    private mutating func settle() {
        isSending = false
        takeWaiting()
    }

    private mutating func takeWaiting() {
        guard let next = waiting else { return }
        waiting = nil
        accept(next.session, afterGap: next.afterGap)
    }

    private mutating func accept(_ session: Session, afterGap: Bool = false) {
        guard afterGap || session.revision >= confirmed?.revision ?? 0 else { return }
        confirmed = session
        guard pending.isEmpty else { return }
        let ids = Set(NavigationState(session).ids)
        serverIDs = serverIDs.filter { ids.contains($0.value) }
    }
}

extension RouterCore {
    /// A state of the server, but with the selected tab, the paths and the sheets that are shown
    /// here. A tab that others have hidden stays hidden.
    func own(over session: Session) -> NavigationState {
        let target = target
        var own = NavigationState(session)
        for index in own.tabs.indices {
            guard let tab = target.tabs.first(where: { $0.id == own.tabs[index].id }) else {
                continue
            }
            own.tabs[index].path = tab.path
            own.tabs[index].root = tab.root
        }
        own.sheets = target.sheets
        let isShown = own.tabs.contains { $0.id == target.selectedTab && !$0.isHidden }
        if isShown { own.selectedTab = target.selectedTab }
        return own
    }

    /// The document that makes `own(over:)` the state of the server. Everything else in it is the
    /// same as in the session.
    func document(of own: NavigationState, over session: Session) throws(NavstateError) -> JSONValue
    {
        let named = own.renamed(serverIDs)
        var session = session
        session.selectedTab = named.selectedTab
        session.tabs = named.tabs
        session.sheets = named.sheets
        return try JSONValue(encoding: session).withoutLocalIDs
    }
}

extension JSONValue {
    /// The document of a session without the local ids. The server replaces them with ids of its
    /// own.
    fileprivate var withoutLocalIDs: JSONValue {
        var session = object ?? [:]
        for name in ["tabs", "sheets"] {
            let containers = session[name]?.array ?? []
            session[name] = .array(
                containers.map { container in
                    var members = container.withoutLocalID.object ?? [:]
                    let path = members["path"]?.array ?? []
                    members["path"] = .array(path.map(\.withoutLocalID))
                    return .object(members)
                })
        }
        return .object(session)
    }

    private var withoutLocalID: JSONValue {
        var members = object ?? [:]
        for name in ["id", "presentedBy"] where LocalID.isLocal(members[name]?.string ?? "") {
            members[name] = nil
        }
        return .object(members)
    }
}
