internal import API
internal import HTTP
internal import Navigation
internal import Sessions

// Who is watching a session: when clients are told, and when reads that wait for it are answered.
//
// A session is in here only while a client wants to know its watchers, so that all others cost
// nothing. When a list changes, waiting reads are looked at in the same turn, and streams are told
// at most four times a second: a change within a quarter of a second after the last event waits for
// the end of another quarter. The more rows the events have together, the rarer they are, so a
// crowd that watches itself takes a bounded part of the loop's time.
//
// If other servers share the store, they are asked for their watchers of these sessions as often.

/// The sessions whose watchers clients want to know.
struct WatcherChanges {
    /// The interest of clients in one session.
    private struct Interest {
        /// The number of streams that are told.
        var listeners = 0
        /// The revisions that waiting reads want to be shown, by the connection's token.
        var waits: [UInt64: Int] = [:]
        /// Streams are not told before this time.
        var quietUntil: Int64 = 0
        /// Whether streams are to be told of the list, now or later.
        var isQueued = false
        /// Whether the waiting reads are to be looked at.
        var isUnchecked = false
        /// The watchers at other servers, as these have told last.
        var others: [UInt64: [Watcher]] = [:]

        var isEmpty: Bool { listeners == 0 && waits.isEmpty }
    }

    private var sessions: [SessionID: Interest] = [:]
    /// The sessions of the reads that wait, by the connection's token.
    private var waiting: [UInt64: SessionID] = [:]
    private var unchecked = Queue<SessionID>()
    private var due = Queue<SessionID>()
    /// In the order of their times.
    private var later = Queue<(id: SessionID, time: Int64)>()
    /// The other servers that share the store.
    private var peers: Set<UInt64> = []
    private var polling = PeerPolling()

    /// The pause between two events of a session.
    private static let pauseMilliseconds: Int64 = 250
    /// Rows of all events of a session in one pause, about 1 MiB.
    private static let rowsMax = 16 << 10

    // MARK: - Clients

    /// Notes that a stream of the session was opened, or that it has ended.
    ///
    /// - Parameter listens: whether the stream is told who is watching.
    mutating func streamsChanged(
        of id: SessionID, listens: Bool, by change: Int, at now: Int64
    ) {
        if listens {
            noteInterest(in: id)
            sessions[id]?.listeners += change
        }
        listChanged(of: id, at: now)
        removeIfEmpty(id)
    }

    /// Notes that a read waits until a revision is shown.
    mutating func wait(_ token: UInt64, for id: SessionID, toShow revision: Int) {
        waiting[token] = id
        noteInterest(in: id)
        sessions[id]?.waits[token] = revision
        // More may be known than when the read was processed.
        check(id)
    }

    private mutating func check(_ id: SessionID) {
        guard sessions[id]?.isUnchecked == false else { return }
        sessions[id]?.isUnchecked = true
        unchecked.append(id)
    }

    private mutating func noteInterest(in id: SessionID) {
        guard sessions[id] == nil else { return }
        sessions[id] = Interest()
        if !peers.isEmpty { polling.add(id) }
    }

    /// Forgets a read that waits, if there is one on the connection.
    mutating func endWait(_ token: UInt64) {
        guard let id = waiting.removeValue(forKey: token) else { return }
        sessions[id]?.waits[token] = nil
        removeIfEmpty(id)
    }

    private mutating func removeIfEmpty(_ id: SessionID) {
        if sessions[id]?.isEmpty == true { sessions[id] = nil }
    }

    /// The tokens of all reads that wait.
    var allWaiting: [UInt64] { Array(waiting.keys) }

    // MARK: - Changes

    /// Notes that a list has changed.
    mutating func listChanged(of id: SessionID, at now: Int64) {
        if sessions[id]?.waits.isEmpty == false { check(id) }
        guard var interest = sessions[id] else { return }
        if interest.listeners > 0, !interest.isQueued {
            interest.isQueued = true
            if now >= interest.quietUntil {
                due.append(id)
            } else {
                later.append((id, now + Self.pauseMilliseconds))
            }
        }
        sessions[id] = interest
    }

    /// When something that cannot be done now is due, if anything is.
    var nextTime: Int64? {
        let nextQuestion = peers.isEmpty ? nil : polling.time(whileWanted: !sessions.isEmpty)
        return [nextQuestion, later.first?.time].compactMap(\.self).min()
    }

    /// Whether there is something to do now.
    func hasWork(at now: Int64) -> Bool {
        unchecked.count > 0 || due.count > 0 || (later.first.map { $0.time <= now } ?? false)
    }

    // MARK: - Other servers

    /// The watchers at other servers. Nil while one of them has not told its own yet.
    func others(of id: SessionID) -> [Watcher]? {
        guard !peers.isEmpty else { return [] }
        guard let others = sessions[id]?.others, peers.allSatisfy({ others[$0] != nil }) else {
            return nil
        }
        return others.values.reduce([]) { $0.joined(with: $1) }
    }

    /// The sessions to ask the other servers about now, if it is time to ask.
    ///
    /// - Parameter peers: the other servers that share the store.
    mutating func takeQuestion(to peers: Set<UInt64>, at now: Int64) -> [SessionID] {
        if self.peers != peers {
            self.peers = peers
            polling = PeerPolling()
            for (id, interest) in sessions {
                sessions[id]?.others = interest.others.filter { peers.contains($0.key) }
                listChanged(of: id, at: now)
            }
        }
        return peers.isEmpty ? [] : polling.next(of: sessions.keys, at: now)
    }

    /// Takes over what the other servers have answered. What is known of those that have not
    /// answered stays, until they are gone.
    mutating func take(_ round: PeerRound, at now: Int64) {
        guard case .watchers(let ids) = round.question else { return }
        polling.answered()
        for (index, id) in ids.enumerated() {
            guard let former = sessions[id]?.others else { continue }
            for (node, answer) in round.answers
            where peers.contains(node) && index < answer.watchers.count {
                sessions[id]?.others[node] = answer.watchers[index]
            }
            if sessions[id]?.others != former { listChanged(of: id, at: now) }
        }
    }

    // MARK: - Work

    /// Takes out a session whose waiting reads are to be looked at.
    mutating func nextToCheck() -> SessionID? {
        guard let id = unchecked.popFirst() else { return nil }
        sessions[id]?.isUnchecked = false
        return id
    }

    /// The reads of a session that wait for this revision or an earlier one.
    func waits(of id: SessionID, upTo revision: Int) -> [UInt64] {
        (sessions[id]?.waits ?? [:]).filter { $0.value <= revision }.map(\.key)
    }

    /// Whether a read of the session waits on the connection.
    func isWaiting(_ token: UInt64, for id: SessionID) -> Bool { waiting[token] == id }

    /// Takes out a session whose streams are to be told who is watching.
    mutating func nextToSend(at now: Int64) -> SessionID? {
        while let next = later.first, next.time <= now {
            _ = later.popFirst()
            // The id may have been reused, or a large event has extended the pause.
            guard let interest = sessions[next.id], interest.isQueued else { continue }
            if now >= interest.quietUntil {
                due.append(next.id)
            } else {
                later.append((next.id, now + Self.pauseMilliseconds))
            }
        }
        while let id = due.popFirst() {
            guard sessions[id]?.isQueued == true else { continue }
            sessions[id]?.isQueued = false
            return id
        }
        return nil
    }

    /// Records that an event was sent, and starts the pause.
    ///
    /// - Parameter rows: the rows of all these events together.
    mutating func sent(_ id: SessionID, rows: Int, at now: Int64) {
        let pauses = 1 + rows / Self.rowsMax
        sessions[id]?.quietUntil = now + Int64(pauses) * Self.pauseMilliseconds
    }
}
