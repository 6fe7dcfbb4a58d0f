// Answers and promises to clients, and whether all of them agree.
//
//   1. A state that was shown never goes back: whoever asks after that sees it or a newer one,
//     across
//      crashes too.
//   2. A sequence number, and so an ETag or an event's id, means one state of one session for ever,
//      and a session's revision has one sequence number.
//   3. A session that was there is not found only if it may have been deleted since. One that was
//      deleted does not come back.
//   4. What was refused leaves no trace: a change answered with 507 or 4xx is never seen.
//   5. A request that is repeated with its key has the answer of the first time.
//   6. If-Match lets through a change of that very state.
//   7. Apps and tokens that were acknowledged are there, apps never in an older version.
//   8. Streams tell each change of a session once, in order, and leave none out without saying so.
//   9. 507 comes only while the disk is full or shortly after, 503 only when it has failed.
//  10. A guard that fails lets nothing be seen, what it holds back is pending, and only setFacts
//      changes facts (`GuardedState`).
//  11. Each row of a command for many sessions is true, and stays so (`ManyFacts`).
//  12. What is due happens once, over lives too (`Deadlines`).

/// Judges all that clients are told in one run.
final class Oracle {
    private(set) var violations: [String] = []
    /// Counts the moments at which clients send and receive.
    private(set) var stamp = 0
    private var states: [Int: (id: String, state: SeenState)] = [:]
    private var sequences: [BirthRevision: Int] = [:]
    private(set) var sessions: [String: SessionFacts] = [:]
    private var births: [Int: BirthFacts] = [:]
    private var shownMarkers: Set<Int> = []
    private var refusedMarkers: Set<Int> = []
    /// The number of the change that has the marker.
    private var executions: [Int: Int] = [:]
    private var keys: [String: Int] = [:]
    private(set) var apps: [String: AppFacts] = [:]
    private(set) var tokens: Set<String> = []
    var many = ManyFacts()
    /// Whether all deadlines are over, and nothing changes any more.
    var isLast = false
    /// Numbers of changes that were acknowledged or seen, by whoever.
    private(set) var changes: [Int: String] = [:]
    private(set) var acknowledged = 0

    private struct BirthRevision: Hashable {
        var birth: Int
        var revision: Int
    }

    struct SessionFacts {
        var floor: Floor?
        /// Requests that may have deleted it: when they were sent, and when their effect was over.
        var deletions: [(sent: Int, end: Int?)] = []
    }

    private struct BirthFacts {
        var shownAt: Int?
        /// Since when nobody may see it.
        var goneSince: Int?
        var isRefused = false
        /// It was made again by the same request after a deletion.
        var isRepeated = false
    }

    struct AppFacts {
        /// The number of the newest record that was shown.
        var shown = 0
        /// The version in each record that was shown, and the record of each version. A request
        /// whose client has left may be carried out after a later one, so a newer record may have
        /// an older version, but none that another record has had.
        var versions: [Int: Int] = [:]
        var records: [Int: Int] = [:]
        var asked = 0
        var refused: Set<Int> = []
    }

    func complain(_ text: String) {
        if violations.count < 20 { violations.append(text) }
    }

    /// A moment of its own.
    func tick() -> Int {
        stamp += 1
        return stamp
    }

    // MARK: - Requests

    /// Notes what is known before a request is sent.
    func begin(_ exchange: inout Exchange, now: Int64) {
        exchange.sentAt = now
        if exchange.isRepeated {
            _ = tick()
        } else {
            exchange.stamp = tick()
        }
        exchange.floor = sessions[exchange.id]?.floor
        exchange.appFloor = apps[exchange.id]?.shown ?? 0
        exchange.tokenFloor = tokens
        if case .list = exchange.kind { exchange.floors = sessions.compactMapValues(\.floor) }
        if case .many = exchange.kind { exchange.floors = sessions.compactMapValues(\.floor) }
        switch exchange.kind {
        case .delete: sessions[exchange.id, default: SessionFacts()].deletions.append((stamp, nil))
        case .create(let birth): births[birth] = births[birth] ?? BirthFacts()
        case .putApp(let version): apps[exchange.id, default: AppFacts()].asked = version
        case .change, .many, .read, .readOld, .list, .history, .readApp, .addToken, .readTokens,
            .backup, .stream:
            break
        }
    }

    /// The process has ended: what was asked of it has happened or never will.
    func lifeEnded() {
        let now = tick()
        for id in sessions.keys {
            guard var facts = sessions[id] else { continue }
            for index in facts.deletions.indices where facts.deletions[index].end == nil {
                facts.deletions[index].end = now
            }
            sessions[id] = facts
        }
    }

    // MARK: - States

    /// A state was shown to somebody.
    ///
    /// - Parameters:
    ///   - asked: when it was asked for.
    ///   - floor: what was known then, or nil if older states may be shown.
    func see(_ state: SeenState, of id: String, asked: Int, floor: Floor?, _ what: String) {
        if let known = states[state.sequence] {
            if known.id != id || known.state != state {
                complain(
                    "\(what): number \(state.sequence) means two states: \(known.id) "
                        + "\(known.state.text) and \(id) \(state.text)")
            }
        } else {
            states[state.sequence] = (id, state)
        }
        seeNumber(state, of: id, what)
        seeContent(state, of: id, asked: floor == nil ? nil : asked, what)
        if let floor, floor.state.sequence > state.sequence {
            complain(
                "\(what): \(id) is older than what was shown before: \(state.sequence) revision "
                    + "\(state.revision) after \(floor.state.sequence) revision "
                    + "\(floor.state.revision)")
        }
        seeBirth(state, of: id, asked: asked, what)
        changes[state.sequence] = id
        var facts = sessions[id] ?? SessionFacts()
        if state.sequence > facts.floor?.state.sequence ?? 0 {
            facts.floor = Floor(state: state, askedAt: asked)
            sessions[id] = facts
        }
    }

    private func seeNumber(_ state: SeenState, of id: String, _ what: String) {
        let place = BirthRevision(birth: state.birth, revision: state.revision)
        // The keys of a session end with it. A creation that is repeated after that makes it anew.
        if state.revision == 1, sessions[id]?.deletions.isEmpty == false,
            states.contains(where: { $0 < state.sequence && $1.state.birth == state.birth })
        {
            births[state.birth] = BirthFacts(isRepeated: true)
        }
        let isRepeated = births[state.birth]?.isRepeated ?? false
        if let known = sequences[place], known != state.sequence, !isRepeated {
            complain(
                "\(what): \(id) revision \(state.revision) has two numbers, \(known) and "
                    + "\(state.sequence): \(state.text)")
        }
        sequences[place] = state.sequence
    }

    /// - Parameter asked: when it was asked for, or nil if older states may be shown.
    private func seeContent(_ state: SeenState, of id: String, asked: Int?, _ what: String) {
        if let fault = Deadlines.fault(in: state, of: id, isLast: isLast && asked != nil) {
            complain("\(what): \(fault)")
        }
        if let fault = state.guarded.fault { complain("\(what): \(id): \(fault): \(state.text)") }
        for fault in stepFaults(around: state) { complain("\(what): \(id): \(fault)") }
        for fault in many.see(state, of: id, asked: asked) {
            complain("\(what): \(fault)")
        }
        for marker in state.markers {
            shownMarkers.insert(marker)
            if refusedMarkers.contains(marker) {
                complain("\(what): \(id) shows change \(marker), which was refused: \(state.text)")
            }
        }
    }

    /// The fault of the steps to and from a state, whose other ends may be unknown.
    private func stepFaults(around state: SeenState) -> [String] {
        guard births[state.birth]?.isRepeated != true else { return [] }
        let steps: [(SeenState?, SeenState?)] = [
            (neighbor(-1, of: state), state), (state, neighbor(1, of: state)),
        ]
        return steps.compactMap { before, after in
            guard let before, let after else { return nil }
            return before.guarded.faultOfStep(to: after.guarded).map {
                "\($0): \(before.text) and then \(after.text)"
            }
        }
    }

    private func neighbor(_ distance: Int, of state: SeenState) -> SeenState? {
        sequence(birth: state.birth, revision: state.revision + distance)
            .flatMap { states[$0]?.state }
    }

    private func seeBirth(_ state: SeenState, of id: String, asked: Int, _ what: String) {
        var birth = births[state.birth] ?? BirthFacts()
        if birth.isRefused {
            complain("\(what): \(id) shows birth \(state.birth), which was refused")
        }
        if let gone = birth.goneSince, gone < asked {
            complain("\(what): \(id) shows birth \(state.birth), which was deleted before")
        }
        birth.shownAt = birth.shownAt ?? tick()
        births[state.birth] = birth
    }

    /// A session was not there for this request.
    func miss(_ id: String, floor: Floor?, _ what: String) {
        guard let floor, births[floor.state.birth]?.goneSince == nil else { return }
        let deletions = sessions[id]?.deletions ?? []
        if deletions.contains(where: { $0.end ?? .max > floor.askedAt }) { return }
        complain(
            "\(what): \(id) is not there, and nobody can have deleted it since it was shown with "
                + "\(floor.state.sequence) revision \(floor.state.revision)")
    }

    /// A session was deleted by a request sent then: what had been shown before is gone.
    func deleted(_ id: String, sent: Int) {
        let now = tick()
        for state in states.values where state.id == id {
            guard let shown = births[state.state.birth]?.shownAt, shown < sent else { continue }
            if births[state.state.birth]?.goneSince == nil {
                births[state.state.birth]?.goneSince = now
            }
        }
        guard var facts = sessions[id] else { return }
        for index in facts.deletions.indices where facts.deletions[index].sent == sent {
            facts.deletions[index].end = now
        }
        sessions[id] = facts
    }

    /// An event told of a session's deletion: all its states before that are gone.
    func deleted(_ id: String, at sequence: Int) {
        let now = tick()
        changes[sequence] = id
        for state in states.values where state.id == id && state.state.sequence < sequence {
            if births[state.state.birth]?.goneSince == nil {
                births[state.state.birth]?.goneSince = now
            }
        }
    }

    /// The number of a session's revision, if it was ever shown.
    func sequence(birth: Int, revision: Int) -> Int? {
        sequences[BirthRevision(birth: birth, revision: revision)]
    }

    /// Whether the session was there when last seen, and nobody may have deleted it.
    func mustBeThere(_ id: String) -> Bool {
        guard let facts = sessions[id], let floor = facts.floor,
            births[floor.state.birth]?.goneSince == nil
        else { return false }
        return !facts.deletions.contains { $0.end ?? .max > floor.askedAt }
    }

    // MARK: - Outcomes

    /// A change was acknowledged with this state.
    func acknowledge(_ exchange: Exchange, _ state: SeenState, isChange: Bool) {
        acknowledged += 1
        if let key = exchange.key {
            if let known = keys[key], known != state.sequence {
                complain(
                    "key \(key) was answered with \(known) before and with \(state.sequence) now")
            }
            keys[key] = state.sequence
        }
        guard isChange, let condition = exchange.condition else { return }
        if state.revision != condition.revision + 1 || state.birth != condition.birth {
            complain(
                "If-Match of \(condition.sequence) revision \(condition.revision) let a change "
                    + "through that made revision \(state.revision), \(state.sequence)")
        }
    }

    /// A change was refused: it has not happened.
    func refuse(_ exchange: Exchange) {
        guard !exchange.isRepeated else { return }
        switch exchange.kind {
        case .create(let birth):
            if births[birth]?.shownAt != nil {
                complain("birth \(birth) of \(exchange.id) was shown, and then refused")
            }
            births[birth, default: BirthFacts()].isRefused = true
        case .change(let marker?):
            refusedMarkers.insert(marker)
            if shownMarkers.contains(marker) {
                complain("change \(marker) of \(exchange.id) was shown, and then refused")
            }
        case .putApp(let version): apps[exchange.id]?.refused.insert(version)
        case .many(let number): many.refuse(number)
        case .delete:
            let sent = exchange.stamp
            sessions[exchange.id]?.deletions.removeAll { $0.sent == sent }
        case .change(nil), .read, .readOld, .list, .history, .readApp, .addToken, .readTokens,
            .backup, .stream:
            break
        }
    }

    /// A change with this marker is told to have happened with this number; 0: not told which.
    func executed(_ marker: Int, sequence: Int, _ what: String) {
        if refusedMarkers.contains(marker) {
            complain("\(what): change \(marker) has happened, though it was refused")
        }
        guard sequence > 0 else { return }
        if let known = executions[marker], known != sequence {
            complain("\(what): change \(marker) has happened twice, as \(known) and \(sequence)")
        }
        executions[marker] = sequence
    }

    func sawApp(_ id: String, record: Int, version: Int, floor: Int, _ what: String) {
        var facts = apps[id] ?? AppFacts()
        if record < floor {
            complain("\(what): app \(id) is at record \(record), \(floor) was shown before")
        }
        if let known = facts.versions.updateValue(version, forKey: record), known != version {
            complain("\(what): record \(record) of app \(id) has version \(version), not \(known)")
        }
        if let known = facts.records.updateValue(record, forKey: version), known != record {
            complain("\(what): record \(record) of app \(id) has the version of record \(known)")
        }
        if version > facts.asked || facts.refused.contains(version) {
            complain("\(what): app \(id) is at version \(version), which was refused or never sent")
        }
        facts.shown = max(facts.shown, record)
        apps[id] = facts
    }

    func addToken(_ id: String) { tokens.insert(id) }

    func sawTokens(_ found: Set<String>, atLeast expected: Set<String>, _ what: String) {
        let lost = expected.subtracting(found)
        if !lost.isEmpty { complain("\(what): tokens \(lost.sorted()) are gone") }
    }
}
