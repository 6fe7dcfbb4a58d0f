internal import Bytes
internal import Navigation
internal import Sessions

/// Reads sessions from the replica and from what was loaded for the request that is being
/// processed.
///
/// The replica's knowledge of a session counts if the feed of its shard is alive, or, if reads need
/// a quorum, after a barrier (see `ReadBarriers`). Otherwise the stream's leader is asked, and also
/// if a session or a token is not known. A leader that has been cut off from the others answers
/// with an older state for some seconds, so the service calls `confirm` before it refuses a request
/// because of what it knows of a session, or answers that a change has no effect. Tokens are the
/// exception: clients without access must not cause writes.
final class ReplicaReader: SessionReading, TokenReading, AppReading {
    let replica: Replica
    private let links: StoreLinks
    private let news: EngineNews
    /// The facts with which the store was opened.
    let facts: StoreFacts
    private let reads: ClusterOptions.Reads
    /// The items loaded for the request that is being processed.
    private(set) var loaded: LoadedItems?
    /// Whether what the node knows counts without further questions.
    private var usesLocalState = false

    init(
        _ replica: Replica, links: StoreLinks, news: EngineNews, facts: StoreFacts,
        reads: ClusterOptions.Reads
    ) {
        self.replica = replica
        self.links = links
        self.news = news
        self.facts = facts
        self.reads = reads
    }

    /// Runs with what was loaded visible.
    func with<Result, Failure: Error>(
        _ loaded: LoadedItems?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        self.loaded = loaded
        defer { self.loaded = nil }
        return try body()
    }

    /// Runs with reads answered from what the node knows.
    func usingLocalState<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        usesLocalState = true
        defer { usesLocalState = false }
        return try body()
    }

    // MARK: Sessions

    /// The session with that id, if it exists and has not expired.
    func find(
        _ id: SessionID, now: Milliseconds
    ) throws(StoreError) -> SessionHandle? {
        let handle = replica.table.find(id)
        // A session that has expired, as far as is known, may have been changed meanwhile.
        if let handle, isCurrent(handle), let live = live(handle, now: now) { return live }
        let shard = replica.layout.shard(of: id)
        guard !isReplaced else { throw .unavailable }
        if usesLocalState { return nil }
        try checkRead([shard])
        try checkBarriers([shard, controlFeed], .session(id))
        let item = loaded?.items[.history(id)] ?? loaded?.items[.newest(id)]
        switch item {
        case .newest, .history:
            guard let live = handle.flatMap({ live($0, now: now) }) else { return nil }
            if item?.isEmpty == true {
                try checkLoss(of: id)
            } else if replica.hasTokensOfNext(live) {
                // The list came after the answer about the session.
                throw .unavailable
            }
            return live
        case .damaged: throw .damaged
        case .unanswered: throw .unavailable
        case .tokens, nil: throw .notInMemory([.session(id)])
        }
    }

    /// The session of the id in the bytes, if it exists and has not expired.
    func find(
        _ bytes: [UInt8], _ range: Range<Int>, now: Milliseconds
    ) throws(StoreError) -> SessionHandle? {
        guard SessionID.isValid(bytes.span.extracting(range)) else { return nil }
        return try find(
            SessionID(trusted: String(decoding: bytes[range], as: UTF8.self)), now: now)
    }

    /// The leader has no message of a session that lives. Throws unless it has some after all, once
    /// it is certain that it is not behind.
    private func checkLoss(of id: SessionID) throws(StoreError) {
        try confirm(id)
        guard let history = loaded?.items[.history(id)] else { throw .notInMemory([.history(id)]) }
        guard history.isEmpty else { return }
        replica.noteLost(id)
        throw .damaged
    }

    /// Ensures that everything is known of a session that was acknowledged before the request.
    func confirm(_ id: SessionID) throws(StoreError) {
        try reach([replica.layout.shard(of: id)], .acknowledged(id))
    }

    /// The same for the apps.
    func confirmApps() throws(StoreError) { try reach([controlFeed], .apps) }

    /// The same for all sessions.
    func confirmSessions() throws(StoreError) {
        try checkSessions()
        try reach(0..<controlFeed, .allSessions)
    }

    /// Throws if some shard has not been read, or a stream is not the one that was read.
    func checkSessions() throws(StoreError) {
        guard !isReplaced else { throw .unavailable }
        try checkRead(0..<controlFeed)
    }

    /// Waits until the feed has told of the newest state of a session that is known, once for each
    /// request. The session may be changed again and again meanwhile.
    func awaitFeed(of handle: SessionHandle) throws(StoreError) {
        let newest = sequence(of: handle)
        guard !news.fedUpTo.covers(newest) else { return }
        let awaited = loaded?.awaited.filter { $0.key.log == newest.log } ?? [:]
        guard !awaited.values.contains(false) else { throw .unavailable }
        guard !awaited.isEmpty else { throw .notInMemory([.feed(newest)]) }
    }

    private func live(_ handle: SessionHandle, now: Milliseconds) -> SessionHandle? {
        replica.table[handle].expiresAt > now ? handle : nil
    }

    var sessionCount: Int { replica.table.count }

    /// The number of live sessions that are bound to an app.
    func sessionCount(of app: AppID) throws(StoreError) -> Int {
        try checkSessions()
        try checkBarriers(0..<controlFeed, .allSessions)
        return replica.table.sessionCount(of: app)
    }

    /// A page of the sessions in the byte order of their ids.
    func walk(
        after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds
    ) throws(StoreError) -> SessionPage {
        try checkSessions()
        try checkBarriers(0..<controlFeed, .allSessions)
        return replica.table.walk(after: after, filter: filter, limit: limit, now: now)
    }

    /// The node's knowledge of a session without its records.
    func summary(_ handle: SessionHandle) -> SessionSummary {
        let entry = replica.table[handle]
        return SessionSummary(
            id: entry.id, sequence: entry.place.sequence, revision: entry.revision,
            expiresAt: entry.expiresAt == SharedEntry.never ? nil : entry.expiresAt,
            app: entry.app, bytes: entry.bytes)
    }

    /// The labels of a session.
    func labels(of handle: SessionHandle) -> [Label] { replica.table[handle].labels }

    /// The number of the session's newest record.
    func sequence(of handle: SessionHandle) -> SequenceNumber {
        replica.table[handle].place.sequence
    }

    /// The version of the session's newest state.
    func version(of handle: SessionHandle) -> StoredVersion {
        let entry = replica.table[handle]
        return StoredVersion(EntityVersion(entry.born, UInt64(entry.revision)), .none)
    }

    /// Why nothing is served: a stream is not the one that was read. Nil if all are.
    var fault: String? { replica.identity.fault ?? links.feeds?.fault }

    private var isReplaced: Bool { fault != nil }

    /// Why streams are not as they must be any more.
    var misfits: [StoreOpenError] { links.feeds?.misfits ?? [] }

    /// Why changes are refused until a stream is configured as it must be.
    var endangering: StoreOpenError? { misfits.first(where: \.endangersChanges) }

    /// The number of the feed of apps and facts.
    private var controlFeed: Int { replica.layout.shardCount }

    /// Throws if these feeds have not been read, so that little is known of their sessions.
    func checkRead(_ feeds: some Sequence<Int>) throws(StoreError) {
        guard let unread = links.feeds?.overview.unread, !unread.isEmpty else { return }
        if feeds.contains(where: unread.contains) { throw .starting }
    }

    /// If reads need a quorum, ensures that these feeds are current as of the request.
    ///
    /// - Parameter request: has barriers stored in the streams of these feeds.
    private func checkBarriers(
        _ feeds: some Sequence<Int>, _ request: LoadRequest
    ) throws(StoreError) {
        if reads == .quorum { try reach(feeds, request) }
    }

    /// Ensures that these feeds are current as of the request.
    private func reach(
        _ feeds: some Sequence<Int>, _ request: LoadRequest
    ) throws(StoreError) {
        for feed in feeds {
            guard let isReached = loaded?.barriers[feed] else { throw .notInMemory([request]) }
            guard isReached else { throw .unavailable }
        }
    }

    /// Whether what the node knows of a session is current.
    private func isCurrent(_ handle: SessionHandle) -> Bool {
        let entry = replica.table[handle]
        guard !isReplaced else { return false }
        if usesLocalState { return true }
        guard !entry.isStale else { return false }
        switch reads {
        case .feed: return links.feeds?.isAlive(entry.shard) == true
        case .quorum: return loaded?.barriers[entry.shard] == true
        }
    }

    // MARK: Peers

    /// The answers of the other nodes to a question of the request.
    func answer(to question: PeerQuestion) throws(StoreError) -> PeerAnswer {
        if let answer = loaded?.peers[question] { return answer }
        guard case .watcherCounts(let ids) = question else {
            throw .notInMemory([.peers(question)])
        }
        // Sessions may have been created since the other nodes were asked. They are not asked
        // again, and a new session has no watchers there.
        var counts: [SessionID: Int]?
        for case (.watcherCounts(let asked), let answer) in loaded?.peers ?? [:] {
            counts = Dictionary(zip(asked, answer.counts)) { first, _ in first }
        }
        guard let counts else { throw .notInMemory([.peers(question)]) }
        var answer = PeerAnswer()
        answer.counts = ids.map { counts[$0] ?? 0 }
        return answer
    }

    // MARK: Tokens and apps

    /// Waits until the feed of apps is current, if reads need a quorum.
    func awaitApps() throws(StoreError) {
        guard !isReplaced else { throw .unavailable }
        try checkBarriers([controlFeed], .apps)
    }

    /// All apps by id.
    var storedApps: [StoredApp] { replica.apps.all }

    /// A number that changes with the apps.
    var appsGeneration: UInt64 { replica.apps.generation }

    /// Yes: there is no table of all tokens.
    var namesSessionsInTokens: Bool { true }

    /// The session's tokens.
    func tokens(
        of handle: SessionHandle
    ) throws(StoreError) -> (ticket: Ticket, tokens: [SessionToken]) {
        if !hasCurrentTokens(handle) { try awaitTokens(of: replica.table[handle].id) }
        return (.none, replica.tokens(of: handle))
    }

    /// The tokens of the last session of an id, for a day after its end.
    func endedTokens(of id: SessionID) -> [SessionToken] {
        replica.table.ending(id)?.deletion.tokens ?? []
    }

    /// Whether what the node knows of a session's tokens is current.
    private func hasCurrentTokens(_ handle: SessionHandle) -> Bool {
        usesLocalState || isCurrent(handle) && !replica.hasStaleTokens(handle)
    }

    /// Ensures that the stream's leader was asked for the tokens of a session.
    private func awaitTokens(of id: SessionID) throws(StoreError) {
        switch loaded?.items[.tokens(id)] {
        case .tokens: return
        case .damaged: throw .damaged
        case .unanswered: throw .unavailable
        case .newest, .history, nil: throw .notInMemory([.tokens(id)])
        }
    }

    /// The session that a valid token belongs to.
    func owner(
        of digest: TokenDigest, in id: SessionID?, now: Milliseconds
    ) throws(StoreError) -> (handle: SessionHandle, token: SessionToken)? {
        let named = id ?? replica.owner(of: digest)
        if named == nil, facts.hasUnnamedTokens { try checkRead(0..<controlFeed) }
        guard let id = named, let handle = try find(id, now: now) else {
            return nil
        }
        let token = replica.tokens(of: handle).first { $0.digest == digest }
        // A token that is not known here may have just been made.
        if token == nil && !usesLocalState || !hasCurrentTokens(handle) { try awaitTokens(of: id) }
        return token.flatMap { $0.isValid(at: now) ? (handle, $0) : nil }
    }
}
