// The rules of the router, as a value without time, tasks or a network.
//
//   confirmed   the last state that the server has sent
//   pending     what the user has done since, in order, not answered yet
//   target      confirmed with the pending changes applied: what should be shown
//
// 1. One change is sent at a time, the first of the pending ones. Its answer replaces `confirmed`
//    and removes it, whether it was done, done otherwise, or refused. What is shown follows.
// 2. States arrive from the stream as well. While a change is under way they wait, because the
//    state may contain that change already, and would then show it twice. The answer brings a state
//    at least as new as the change, so the newer of the two counts. For the same reason they wait
//    while the router is offline.
// 3. `confirmed` only moves to higher revisions. After a gap it moves to whatever the server has,
//    because the store may have been restored from a backup.
// 4. What was added here keeps its local id in `target`, so that SwiftUI takes it for the same. The
//    answer says the server's id for it, which later changes are sent with.
// 5. If nothing was answered, the router is offline. Changes then only collect. As soon as the
//    stream shows that the connection works, they are dropped and the server's state is shown, or
//    the own state is sent as a whole.
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
        let added = pending.removeFirst().change.added.filter { serverIDs[$0] == nil }
        if result.changed, result.held == nil, added.count == result.added.count {
            for (local, server) in zip(added, result.added) { serverIDs[local] = server }
        }
        accept(result.session)
        settle()
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

    /// A state has arrived. After a gap it counts even if its revision is lower.
    mutating func received(_ session: Session, afterGap: Bool = false) {
        if isSending || isOffline {
            let wasAfterGap = waiting?.afterGap ?? false
            waiting = Waiting(session: session, afterGap: afterGap || wasAfterGap)
        } else {
            accept(session, afterGap: afterGap)
        }
    }

    /// The connection is back. Forgets what was done without it, and returns it.
    @discardableResult
    mutating func returned() -> [Operation] {
        guard isOffline else { return [] }
        let forgotten = pending
        pending = []
        isOffline = false
        settle()
        return forgotten
    }

    /// The server has taken over the own state, as it was shown then. Returns the changes that this
    /// state had already.
    @discardableResult
    mutating func restored(
        _ session: Session, from own: NavigationState, upTo last: Int = .max
    ) -> [Operation] {
        var done: [Operation] = []
        if isOffline {
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
        received(session)
        return done
    }

    private mutating func settle() {
        isSending = false
        if let waiting { accept(waiting.session, afterGap: waiting.afterGap) }
        waiting = nil
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
    /// The own state as a document that replaces the server's. Nil before the server has sent one.
    var ownState: JSONValue? {
        guard let confirmed, let json = try? JSONValue(encoding: confirmed),
            var members = json.object
        else { return nil }
        let state = namedTarget
        members["selectedTab"] = .string(state.selectedTab)
        members["tabs"] = .array(
            state.tabs.map { tab in
                var members: [String: JSONValue] = ["id": .string(tab.id)]
                members.set("badge", tab.badge?.json)
                members.set("hidden", tab.isHidden ? true : nil)
                members["path"] = tab.path.json
                return .object(members)
            })
        members["sheets"] = .array(state.sheets.compactMap(\.document))
        return .object(members)
    }
}

extension [Entry] {
    fileprivate var json: JSONValue { .array(map { .object($0.destination.members) }) }
}

extension Sheet {
    fileprivate var document: JSONValue? {
        guard var members = (try? JSONValue(encoding: self))?.object else { return nil }
        if LocalID.isLocal(id) { members["id"] = nil }
        if LocalID.isLocal(presentedBy) { members["presentedBy"] = nil }
        members["path"] = path.json
        return .object(members)
    }
}
