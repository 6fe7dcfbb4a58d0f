internal import Bytes
package import Navigation
package import Sessions

extension ClusterEngine: SessionStore {
    /// The letters and digits that the store was given when it was made.
    package var lineage: String { facts.lineage }
    /// None: every change is decided by itself.
    package var keptUpTo: Ticket { .none }
    /// None: reads show only what is kept.
    package var undecided: (changes: [SessionChange], ticket: Ticket) { ([], .none) }
    /// Nil while anything is heard of the store: other shards may take the change.
    package var refusal: StoreError? {
        isInContact && reader.fault == nil && endangering == nil ? nil : .unavailable
    }
    /// Whether a server is connected, whether the store answers or delivers, whether it is the one
    /// that was opened, and whether its streams keep what they acknowledge.
    package var checks: [(name: String, isWell: Bool)] {
        [
            ("store-link", isLinked), ("store-shards", isInContact),
            ("store-same", reader.fault == nil), ("store-settings", endangering == nil),
        ]
    }
    /// The messages that are damaged, and the sessions whose messages are gone.
    package var damage: (what: String, count: Int) { ("records", replica.damage.count) }
    /// The number of live sessions.
    package var sessionCount: Int { reader.sessionCount }

    // MARK: Sessions

    /// The session with that id, if it exists and has not expired.
    package func find(_ id: SessionID, now: Milliseconds) throws(StoreError) -> SessionHandle? {
        try reader.find(id, now: now)
    }

    /// The session of the id in the bytes, if it exists and has not expired.
    package func find(
        _ bytes: [UInt8], _ range: Range<Int>, now: Milliseconds
    ) throws(StoreError) -> SessionHandle? {
        guard SessionID.isValid(bytes[range]) else { return nil }
        return try reader.find(
            SessionID(trusted: String(decoding: bytes[range], as: UTF8.self)), now: now)
    }

    /// What the node knows of a session without its records.
    package func summary(_ handle: SessionHandle) -> SessionSummary { reader.summary(handle) }

    /// The number of the session's newest record.
    package func sequence(of handle: SessionHandle) -> SequenceNumber {
        reader.summary(handle).sequence
    }

    /// The version of the session's newest state.
    package func version(of handle: SessionHandle) -> StoredVersion { reader.version(of: handle) }

    /// Appends the JSON text of the newest state.
    package func appendState(
        _ handle: SessionHandle, to bytes: inout [UInt8]
    ) throws(StoreError) -> StoredVersion {
        let newest = try reader.records.newest(handle)
        bytes += newest.record.state
        return newest.version
    }

    /// The session's newest record.
    package func newest(_ handle: SessionHandle) throws(StoreError) -> StoredRecord {
        try reader.records.newest(handle)
    }

    /// An older revision. Nil if the stream does not have it any more.
    package func revision(
        _ revision: Int, of handle: SessionHandle
    ) throws(StoreError) -> StoredRecord? {
        try reader.records.revision(revision, of: handle)
    }

    /// The revision before a record that the feed has delivered, if it is in memory.
    package func before(_ stored: StoredRecord) -> StoredRecord? { reader.replica.before(stored) }

    /// The session's records after a number, newest first.
    package func changes(
        of handle: SessionHandle, after: SequenceNumber, bytesLeft: inout Int
    ) throws(StoreError) -> [StoredRecord]? {
        try reader.records.changes(of: handle, after: after, bytesLeft: &bytesLeft)
    }

    /// The result of the request with an idempotency key, for 24 hours and as long as the stream
    /// has its record.
    package func kept(
        _ key: String, in scope: IdempotencyScope, now: Milliseconds
    ) throws(StoreError) -> IdempotentResult? {
        switch scope {
        case .session(let id): return try reader.kept(key, in: id, now: now)
        case .creations:
            for day in Self.days(around: now) {
                let id = facts.creationID(forKey: key, day: day)
                let original = reader.replica.table.ending(id)?.standsFor
                if case .change(let stored)? = try reader.kept(key, in: original ?? id, now: now),
                    stored.record.revision == 1
                {
                    return .change(stored)
                }
            }
            return nil
        }
    }

    /// The days on which a creation of the last 24 hours may have been made. A minute before
    /// midnight, the clock of another node may have come to the next day.
    private static func days(around now: Milliseconds) -> [Int] {
        let day: Milliseconds = 86_400_000
        let (last, today) = (Int((now + 60_000) / day), Int(now / day))
        return Array((today - 1...last).reversed())
    }

    /// The same id for the same key, for a day.
    package func creationID(forKey key: String, now: Milliseconds) -> SessionID? {
        facts.creationID(forKey: key, day: Int(now / 86_400_000))
    }

    /// Waits for a barrier in the session's stream, once for each request.
    package func confirm(_ id: SessionID) throws(StoreError) { try reader.confirm(id) }

    /// Waits for a barrier in the stream of the apps, once for each request.
    package func confirmApps() throws(StoreError) { try reader.confirmApps() }

    /// Waits for a barrier in the stream of each shard, once for each request.
    package func confirmSessions() throws(StoreError) { try reader.confirmSessions() }

    /// Waits until the feed has told of the newest state that is known, once for each request.
    package func awaitFeed(of handle: SessionHandle) throws(StoreError) {
        try reader.awaitFeed(of: handle, fedUpTo: fedUpTo)
    }

    /// A page of the sessions in the byte order of their ids.
    package func walk(
        after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds
    ) throws(StoreError) -> SessionPage {
        try reader.walk(after: after, filter: filter, limit: limit, now: now)
    }

    /// Writes the first of a session's next revisions. If there are more, the request is processed
    /// again when it is kept.
    package func put(
        _ records: [SessionRecord], of handle: SessionHandle?, details: FeedDetails
    ) throws(StoreError) -> StoredVersion {
        try proposer.put(records, details: details)
    }

    /// Ends a session.
    package func delete(
        _ handle: SessionHandle, at: Milliseconds, key: IdempotencyKey?, author: TokenName?
    ) throws(StoreError) -> Ticket {
        try proposer.delete(handle, at: at, key: key, author: author)
    }

    // MARK: Tokens

    /// Yes: there is no table of all tokens.
    package var namesSessionsInTokens: Bool { true }

    /// The session's tokens.
    package func tokens(
        of handle: SessionHandle
    ) throws(StoreError) -> (ticket: Ticket, tokens: [SessionToken]) {
        (.none, try reader.tokens(of: handle))
    }

    /// The session that a valid token belongs to.
    package func owner(
        of digest: TokenDigest, in id: SessionID?, now: Milliseconds
    ) throws(StoreError) -> (handle: SessionHandle, token: SessionToken)? {
        try reader.owner(of: digest, in: id, now: now)
    }

    /// The tokens of the last session of an id, for a day after its end.
    package func endedTokens(of id: SessionID) -> [SessionToken] {
        reader.replica.table.ending(id)?.deletion.tokens ?? []
    }

    /// Runs with reads answered from what the node knows.
    package func asTold<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try reader.asTold(body)
    }

    /// Replaces a session's tokens.
    package func putTokens(
        _ tokens: [SessionToken], of handle: SessionHandle, at: Milliseconds
    ) throws(StoreError) -> Ticket {
        try proposer.putTokens(tokens, of: handle, at: at)
    }

    // MARK: Apps

    /// Waits until the feed is current, if reads need a quorum.
    package func awaitApps() throws(StoreError) { try reader.awaitApps() }

    /// All apps by id.
    package var apps: [StoredApp] { reader.apps.all }

    /// A number that changes with the apps.
    package var appsGeneration: UInt64 { reader.apps.generation }

    /// Writes the documents, each by itself.
    package func putApps(
        _ documents: [(id: AppID, text: [UInt8])], at: Milliseconds
    ) throws(StoreError) -> [StoredVersion] {
        try proposer.putApps(documents, at: at)
    }

    /// Deletes an app.
    package func deleteApp(_ id: AppID, at: Milliseconds) throws(StoreError) -> Ticket {
        try proposer.deleteApp(id, at: at)
    }

    /// The number of live sessions that are bound to the app.
    package func sessionCount(of app: AppID) throws(StoreError) -> Int {
        try reader.sessionCount(of: app)
    }
}
