import Navigation
import Sessions

/// The storage that several `RemoteEngine`s share. It stands for the servers that keep their
/// changes.
final class SharedStorage {
    /// A change that an engine has proposed.
    struct Proposal {
        enum Kind {
            case put(SessionRecord)
            case delete(key: IdempotencyKey?, author: TokenName?)
            case tokens([SessionToken])
            case apps([(id: AppID, text: [UInt8])])
            case deleteApp(AppID)
        }

        var ticket: Ticket
        /// The session; nil for apps.
        var id: SessionID?
        /// The version that must be the newest one. It is nil if the session must not exist.
        var base: EntityVersion?
        /// The first number of the version that the change makes, or that of an app.
        var born: UInt64 = 0
        var at: Milliseconds
        var kind: Kind
        /// Whether the change is the first of several, so that the request has to be processed
        /// again for the rest.
        var hasMore = false
    }

    /// The number of the last change.
    private(set) var number: SequenceNumber = 0
    /// The position after all changes.
    private(set) var fedUpTo: FeedPosition
    private var changeCount: UInt64 = 0
    /// The records of each session, oldest first.
    private(set) var sessions: [SessionID: [StoredRecord]] = [:]
    private(set) var tokens: [SessionID: [SessionToken]] = [:]
    private(set) var deletions: [SessionID: Deletion] = [:]
    private(set) var creations: [String: StoredRecord] = [:]
    private(set) var apps: [AppID: StoredApp] = [:]
    /// A weak reference to an engine, because the engines have references to the storage.
    private struct Member {
        weak var engine: RemoteEngine?
    }

    private var members: [Member] = []
    private var engines: [RemoteEngine] { members.compactMap(\.engine) }

    /// - Parameter logCount: the number of logs that the sessions are spread over. Nil for a
    ///   storage with one log.
    init(logCount: Int? = nil) {
        fedUpTo =
            logCount.map { FeedPosition(logCount: $0, lineage: "remote") } ?? FeedPosition(0)
    }

    /// The log of a session: that of the first letter of its id.
    private func log(of id: SessionID) -> Int {
        Int(id.rawValue.utf8.first ?? 0) % fedUpTo.logCount
    }

    /// - Returns: the number of the engine.
    func add(_ engine: RemoteEngine) -> Int {
        members.append(Member(engine: engine))
        return members.count
    }

    /// The newest version of a session. Returns nil if the session does not exist.
    func version(of id: SessionID) -> EntityVersion? { sessions[id]?.last?.version.entity }

    /// Keeps a change unless somebody else made one first.
    func decide(_ proposal: Proposal) -> TicketOutcome {
        if let id = proposal.id, version(of: id) != proposal.base { return .conflict }
        changeCount += 1
        number = changeCount
        if let id = proposal.id, fedUpTo.hasSeveralLogs {
            number = SequenceNumber(changeCount, inLog: log(of: id))
        }
        switch proposal.kind {
        case .put(let record): put(record, proposal.born)
        case .delete(let key, let author): delete(proposal, key, author)
        case .tokens(let list): if let id = proposal.id { tokens[id] = list }
        case .apps(let documents):
            for (id, text) in documents {
                apps[id] = StoredApp(id: id, sequence: number, at: proposal.at, document: text)
                apps[id]?.version = StoredVersion(EntityVersion(proposal.born), .none)
            }
        case .deleteApp(let id): apps[id] = nil
        }
        if let id = proposal.id {
            for engine in engines { engine.refresh(id) }
        } else {
            for engine in engines { engine.appsChanged() }
        }
        return proposal.hasMore ? .conflict : .kept
    }

    private func put(_ record: SessionRecord, _ born: UInt64) {
        let version = EntityVersion(born, UInt64(record.revision))
        let stored = StoredRecord(
            sequence: number, version: StoredVersion(version, .none),
            appSequence: record.appSequence, record: record)
        sessions[record.id, default: []].append(stored)
        if record.revision == 1, let key = record.key { creations[key.key] = stored }
        let change = SessionChange(
            id: record.id, revision: record.revision, sequence: number,
            details: SessionChange.Details(stored))
        tell(.put(change))
    }

    private func delete(_ proposal: Proposal, _ key: IdempotencyKey?, _ author: TokenName?) {
        guard let id = proposal.id, let last = sessions[id]?.last?.record else { return }
        var deletion = Deletion(
            id: id, sequence: number, revision: last.revision, at: proposal.at, why: .deleted,
            key: key)
        deletion.ticket = .none
        (deletion.app, deletion.labels, deletion.author) = (last.app, last.labels, author)
        deletion.tokens = tokens[id] ?? []
        (sessions[id], tokens[id], deletions[id]) = (nil, nil, deletion)
        tell(.deleted(deletion))
    }

    private func tell(_ change: StoreChange) {
        fedUpTo.advance(to: change.sequence)
        for engine in engines { engine.receive(change) }
    }
}

extension StoreChange {
    /// The number of the change's record.
    var sequence: SequenceNumber {
        switch self {
        case .put(let put): put.sequence
        case .deleted(let deletion): deletion.sequence
        }
    }
}
