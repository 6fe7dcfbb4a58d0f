// The rules of the router, as a value without time, tasks or a network.
//
//   confirmed   the last state that the server has sent
//   pending     what the user has done since, in order, not answered yet
//   target      confirmed with the pending changes applied: what should be shown
//
// 1. One change is sent at a time, the first of the pending ones. Its answer replaces `confirmed`
//    and removes it, whether it was done, done otherwise, or refused. What is shown follows.
// 2. States arrive from the stream as well. While a change is under way they wait, because the
//    state may contain that change already, and would then show it twice. They are taken over
//    before the answer, and the newer of the two counts. For the same reason they wait while the
//    router is offline.
// 3. States from the stream only move `confirmed` to higher revisions. The first one, and one after
//    a gap, moves it to whatever the server has, because the store may have been restored from a
//    backup, or the session deleted and created again. So does an answer, unless states waited.
// 4. What was added here keeps its local id in `target`, so that SwiftUI takes it for the same. The
//    answer says the server's id for it, which later changes are sent with.
// 5. If nothing was answered, the router is offline. Changes then only collect. As soon as the
//    stream shows that the connection works, the server's state is read, because it may contain the
//    change that was not answered. Then the collected changes are dropped and that state is shown,
//    or what is shown here is written over the tabs' paths, the sheets and the selection in it.
//
// After every change was answered and the stream has delivered everything, nothing is pending and
// `target` is the server's state. `RouterCoreTests` checks that for random orders of events.

/// What the router knows, and what follows from it.
struct RouterCore: Sendable {
    /// A change that was not answered yet.
    struct Operation: Sendable, Hashable {
        var number: Int
        var change: LocalChange
        var isStrict = false
    }

    /// A state that arrived while a change was under way or the router was offline.
    private struct Waiting: Sendable {
        var session: Session
        var afterGap: Bool
    }

    private(set) var confirmed: Session?
    private(set) var pending: [Operation] = []
    private(set) var isSending = false
    private(set) var isOffline = false
    /// The server's ids of what has a local one.
    private var serverIDs: [String: String] = [:]
    private var waiting: Waiting?
    /// Whether the next state counts even if its revision is lower.
    private var isStarting = false
    private var count = 0

    /// What should be shown.
    var target: NavigationState {
        guard let confirmed else { return NavigationState() }
        var state = NavigationState(confirmed).renamed(localIDs)
        for operation in pending { state.apply(operation.change) }
        return state
    }

    /// What should be shown, with the ids that the server has given.
    var namedTarget: NavigationState { target.renamed(serverIDs) }

    private var localIDs: [String: String] {
        Dictionary(serverIDs.map { ($0.value, $0.key) }) { _, last in last }
    }

    /// The id in `target` of a container with this id on the server or here.
    func shownID(of container: String) -> String { localIDs[container] ?? container }

    /// The server's id of what has this one in `target`. Nil if the server has not named it yet.
    func serverID(of id: String) -> String? { LocalID.isLocal(id) ? serverIDs[id] : id }

    /// Whether every change was answered.
    var isQuiet: Bool { pending.isEmpty }

    /// A new local id.
    mutating func makeID() -> String {
        count += 1
        return LocalID.make(count)
    }

    /// The user has done something. Returns the number of the change.
    @discardableResult
    mutating func perform(_ change: LocalChange, isStrict: Bool = false) -> Int {
        count += 1
        pending.append(Operation(number: count, change: change, isStrict: isStrict))
        return count
    }

    /// The next change to send, as a command. Nil if there is none, or if another one is under way.
    /// A change of something that the server never had is dropped.
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

    /// The change under way was answered.
    mutating func answered(_ result: CommandResult) {
        let wasNewest = waiting == nil
        isStarting = false
        // The change is still pending here, so that no id of it is forgotten.
        takeWaiting()
        let added = pending.removeFirst().change.added.filter { serverIDs[$0] == nil }
        if result.changed, result.held == nil, added.count == result.added.count {
            for (local, server) in zip(added, result.added) { serverIDs[local] = server }
        }
        isSending = false
        accept(result.session, afterGap: wasNewest)
    }

    /// The change under way was refused.
    mutating func refused() {
        pending.removeFirst()
        settle()
    }

    /// Nothing was answered, so whether the change was made is unknown. It stays with those that
    /// follow.
    mutating func lost() {
        isSending = false
        isOffline = true
    }

    /// A stream begins, so its first state counts whatever its revision is.
    mutating func started() { isStarting = true }

    /// A state has arrived. After a gap it counts even if its revision is lower.
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

    /// The connection is back, and `received` was called with the present state of the server.
    /// Forgets what was done without it, and returns it.
    @discardableResult
    mutating func returned() -> [Operation] {
        guard isOffline else { return [] }
        let forgotten = pending
        pending = []
        isOffline = false
        settle()
        return forgotten
    }

    /// The server has taken over what `own` returned. Returns the changes that it contained.
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
    /// A state of the server with the selection, the paths and the sheets that are shown here. What
    /// others have hidden stays hidden.
    func own(over session: Session) -> NavigationState {
        let target = target
        var own = NavigationState(session)
        for index in own.tabs.indices {
            if let path = target[path: own.tabs[index].id] { own.tabs[index].path = path }
        }
        own.sheets = target.sheets
        let isShown = own.tabs.contains { $0.id == target.selectedTab && !$0.isHidden }
        if isShown { own.selectedTab = target.selectedTab }
        return own
    }

    /// The document that makes `own(over:)` the state of the server. Everything else in it is as it
    /// was in the session.
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
    /// The document of a session without the ids that the server does not know. It makes new ones.
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
