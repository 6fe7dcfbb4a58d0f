import Navigation
import POSIX
import Sessions

/// An engine whose sessions are stored elsewhere. A test controls it: the engine can forget
/// sessions, decides each change separately and in any order, and gets the changes that others
/// make.
final class RemoteEngine: Engine {
    /// The engine as a service uses it.
    var parts: SessionStore {
        SessionStore(reading: self, writing: self, tokens: self, apps: self, status: self)
    }

    let lineage = "remote"
    let keptUpTo = Ticket.none
    private(set) var fedUpTo: FeedPosition
    let undecided: (changes: [SessionChange], ticket: Ticket) = ([], .none)
    var refusal: StoreError?
    let damage = (what: "files", count: 0)
    var sessionCount: Int { storage.sessions.count }
    let namesSessionsInTokens = true

    let storage: SharedStorage
    /// Whether changes are decided at the end of the turn in which they were made.
    var isPrompt = true
    /// Whether what others do stays unknown here until it is loaded or this is off again.
    var isBehind = false {
        didSet {
            guard !isBehind else { return }
            for id in cells.keys { refresh(id) }
            loadApps()
            wakeUp.signal()
        }
    }
    /// Whether each request has to load its session, as if reads needed a quorum.
    var readsFromQuorum = false
    /// The undecided changes, oldest first.
    var proposals: [SharedStorage.Proposal] = []
    /// How many times something was loaded.
    private(set) var loads = 0

    /// The session whose changes the feed has lost.
    private var lost: SessionID?
    private var isLosing = false

    private let wakeUp: WakeUp
    /// The records of the sessions in memory. The list is empty for a session that is known not to
    /// exist.
    var cells: [SessionID: [StoredRecord]] = [:]
    var ids: [SessionID] = []
    var handles: [SessionID: SessionHandle] = [:]
    var lastTicket: UInt64 = 0
    /// The random number of the session that was created here last.
    var lastBirth: UInt64
    private var outcomes: [DecidedTicket] = []
    private var feed: [StoreChange] = []
    private var asked: [Load] = []
    private(set) var storedApps: [StoredApp] = []
    private(set) var appsGeneration: UInt64 = 1

    init(_ storage: SharedStorage) throws {
        self.storage = storage
        fedUpTo = storage.fedUpTo
        wakeUp = try WakeUp()
        lastBirth = 0
        lastBirth = UInt64(storage.add(self)) * 1_000_000
        loadApps()
    }

    // MARK: What tests do

    /// Forgets all sessions.
    func forget() { cells = [:] }

    /// Decides the oldest change of a session.
    ///
    /// - Parameter outcome: the outcome of the change; nil lets the storage decide.
    func decide(_ id: String, _ outcome: TicketOutcome? = nil) {
        guard let index = proposals.firstIndex(where: { $0.id?.rawValue == id }) else { return }
        decide(at: index, outcome)
    }

    private func decide(at index: Int, _ outcome: TicketOutcome? = nil) {
        let proposal = proposals.remove(at: index)
        let decided = outcome ?? storage.decide(proposal)
        outcomes.append(DecidedTicket(proposal.ticket, decided))
        if let id = proposal.id {
            // An engine with a conflict has not seen the change that came first.
            cells[id] = decided == .conflict ? nil : storage.sessions[id] ?? []
        }
        wakeUp.signal()
    }

    /// Runs the body while the feed loses the changes of a session. The next one follows a gap.
    func loseChanges(of id: String, _ body: () throws -> Void) rethrows {
        lost = SessionID(trusted: id)
        isLosing = true
        defer { isLosing = false }
        try body()
    }

    // MARK: What the storage tells

    func receive(_ change: StoreChange) {
        var change = change
        if case .put(var put) = change, put.id == lost {
            guard !isLosing else { return }
            put.followsGap = true
            change = .put(put)
            lost = nil
        }
        feed.append(change)
        wakeUp.signal()
    }

    func refresh(_ id: SessionID) {
        if cells[id] != nil, !isBehind { cells[id] = storage.sessions[id] ?? [] }
    }

    func appsChanged() {
        if !isBehind { loadApps() }
    }

    private func loadApps() {
        storedApps = storage.apps.values.sorted { $0.id < $1.id }
        appsGeneration += 1
    }

    // MARK: Turns

    var wakeDescriptorNumber: Int32 { wakeUp.descriptor.number }

    func collect() -> Collected {
        wakeUp.clear()
        defer { outcomes = [] }
        var collected = Collected()
        collected.outcomes = outcomes
        return collected
    }

    func takeChanges() -> [StoreChange] {
        guard !isBehind else { return [] }
        defer { feed = [] }
        for change in feed { fedUpTo.advance(to: change.sequence) }
        return feed
    }

    func submit() {
        while isPrompt, !proposals.isEmpty { decide(at: 0) }
        if asked.contains(where: isReady) { wakeUp.signal() }
    }

    func tick(now: Milliseconds) {}
    let nextTick: Milliseconds? = nil

    // MARK: Loading

    struct Loaded: LoadResult {
        let token: UInt64
        let requests: [LoadRequest]
    }

    /// The load that a request waits for.
    private struct Load {
        let token: UInt64
        let requests: [LoadRequest]
        /// The items that were loaded for the same request before.
        let earlier: [LoadRequest]
    }

    /// The items that were loaded for the request that is being processed.
    private(set) var loaded: [LoadRequest] = []

    func load(_ requests: [LoadRequest], token: UInt64, earlier: (any LoadResult)?) {
        loads += 1
        asked.append(
            Load(
                token: token, requests: requests, earlier: (earlier as? Loaded)?.requests ?? []))
        wakeUp.signal()
    }

    func takeLoaded() -> [any LoadResult] {
        let ready = asked.filter(isReady)
        asked.removeAll(where: isReady)
        for request in ready.flatMap(\.requests) {
            switch request {
            case .session(let id), .history(let id), .tokens(let id), .turn(let id),
                .acknowledged(let id):
                cells[id] = storage.sessions[id] ?? []
            case .allSessions:
                for id in Array(cells.keys) + storage.sessions.keys {
                    cells[id] = storage.sessions[id] ?? []
                }
            case .apps: loadApps()
            case .records, .feed, .peers: break
            }
        }
        return ready.map { Loaded(token: $0.token, requests: $0.earlier + $0.requests) }
    }

    /// A turn is ready once the change before it is decided, and a feed once it has come that far.
    private func isReady(_ asked: Load) -> Bool {
        !asked.requests.contains { request in
            switch request {
            case .turn(let id): isBusy(id)
            case .feed(let number): !fedUpTo.covers(number)
            case .records, .session, .history, .tokens, .acknowledged, .apps, .allSessions, .peers:
                false
            }
        }
    }

    func with<Result, Failure: Error>(
        _ loaded: (any LoadResult)?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        self.loaded = (loaded as? Loaded)?.requests ?? []
        defer { self.loaded = [] }
        return try body()
    }

    // MARK: The rest

    let nextExpiry: Milliseconds? = nil
    func expire(now: Milliseconds, limit: Int) throws(StoreError) -> [Deletion] { [] }
    let backups: any BackupReading = NoBackups()
    let refusalText: String? = nil
    func takeReports() -> [StoreReport] { [] }
    let metrics: [StoreMetric] = []
}

/// The backups of an engine that makes none.
private final class NoBackups: BackupReading {
    func begin(token: UInt64, at: Milliseconds) -> Ticket { .none }
    func read(token: UInt64) {}
    func end(token: UInt64) {}
    func takePieces() -> [BackupPiece] { [] }
}
