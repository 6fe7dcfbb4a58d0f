package import Navigation
package import Sessions

extension Store: SessionStore {
    /// The highest number that a power failure cannot take back, as a ticket.
    package var keptUpTo: Ticket { Ticket(ordered: durable) }

    /// The number of the last change that was taken from the feed.
    package var fedUpTo: FeedPosition { FeedPosition(writer.fedUpTo) }

    /// The changes that are not durable or have not been taken from the feed.
    package var undecided: (changes: [SessionChange], ticket: Ticket) {
        let changes = writer.feed.changesLeft
        return (changes, Ticket(ordered: changes.last?.sequence ?? 0))
    }

    /// The number of live sessions.
    package var sessionCount: Int { state.count }

    /// The session of that id, unless it has expired by `now`.
    package func find(_ id: SessionID, now: Milliseconds) -> SessionHandle? {
        guard let handle = state.find(id), state[handle].expiresAt > now else { return nil }
        return handle
    }

    /// The session of the id in the bytes, unless it has expired by `now`; makes no copy.
    package func find(
        _ bytes: [UInt8], _ range: Range<Int>, now: Milliseconds
    ) -> SessionHandle? {
        guard let handle = state.find(bytes, range), state[handle].expiresAt > now
        else { return nil }
        return handle
    }

    /// What the index stores about a session.
    package func summary(_ handle: SessionHandle) -> SessionSummary { state.summary(of: handle) }

    /// The number of the session's newest record.
    package func sequence(of handle: SessionHandle) -> SequenceNumber { state[handle].sequence }

    /// The version of the session's newest state.
    package func version(of handle: SessionHandle) -> StoredVersion {
        StoredVersion(state[handle].sequence)
    }

    /// Appends the JSON text of the newest state.
    package func appendState(
        _ handle: SessionHandle, to bytes: inout [UInt8]
    ) throws(StoreError) -> StoredVersion {
        StoredVersion(try reader.appendState(handle, to: &bytes))
    }

    /// The session's newest record.
    package func newest(_ handle: SessionHandle) throws(StoreError) -> StoredRecord {
        try reader.newest(handle)
    }

    /// An older revision, or nil if it is not kept.
    package func revision(
        _ revision: Int, of handle: SessionHandle
    ) throws(StoreError) -> StoredRecord? {
        try reader.revision(revision, of: handle)
    }

    /// The session's records after a number, newest first.
    package func changes(
        of handle: SessionHandle, after: SequenceNumber, bytesLeft: inout Int
    ) throws(StoreError) -> [StoredRecord]? {
        try reader.changes(of: handle, after: after, bytesLeft: &bytesLeft)
    }

    /// What an idempotency key of the last 24 hours led to.
    package func kept(
        _ key: String, in scope: IdempotencyScope, now: Milliseconds
    ) throws(StoreError) -> IdempotentResult? {
        try reader.result(ofKey: key, in: scope, now: now)
    }

    /// A page of the sessions in the byte order of their ids.
    package func walk(
        after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds
    ) -> SessionPage {
        state.walk(SessionWalk(after: after, limit: limit), filter: filter, now: now)
    }

    /// Writes a session's next revisions, all of them or none.
    package func put(
        _ records: [SessionRecord], of handle: SessionHandle?, details: FeedDetails
    ) throws(StoreError) -> StoredVersion {
        StoredVersion(try writer.put(records, of: handle, details: details))
    }

    /// Deletes a session.
    package func delete(
        _ handle: SessionHandle, at: Milliseconds, key: IdempotencyKey?, author: TokenName?
    ) throws(StoreError) -> Ticket {
        try writer.remove(handle, at: at, why: .deleted, key: key, author: author).ticket
    }

    /// Always false, because the store has a table of all tokens.
    package var namesSessionsInTokens: Bool { false }

    /// The session's tokens, and the ticket of the record that contains them.
    package func tokens(of handle: SessionHandle) -> (ticket: Ticket, tokens: [SessionToken]) {
        let row = state.tokens(of: handle)
        return (Ticket(ordered: row?.sequence ?? 0), row?.tokens ?? [])
    }

    /// The session that a valid token belongs to.
    package func owner(
        of digest: TokenDigest, in id: SessionID?, now: Milliseconds
    ) -> (handle: SessionHandle, token: SessionToken)? {
        guard let found = state.owner(of: digest), found.token.isGood(at: now),
            state[found.handle].expiresAt > now
        else { return nil }
        return found
    }

    /// Replaces a session's tokens; its revision does not change.
    package func putTokens(
        _ tokens: [SessionToken], of handle: SessionHandle, at: Milliseconds
    ) throws(StoreError) -> Ticket {
        Ticket(ordered: try writer.putTokens(tokens, of: handle, at: at))
    }

    /// All apps by id.
    package var apps: [StoredApp] { state.apps }

    /// The number of changes of apps and of rollbacks so far.
    package var appsGeneration: UInt64 { writer.appsGeneration }

    /// Writes the apps' documents, all of them or none.
    package func putApps(
        _ documents: [(id: AppID, text: [UInt8])], at: Milliseconds
    ) throws(StoreError) -> [StoredVersion] {
        try writer.putApps(documents, at: at).map { StoredVersion($0) }
    }

    /// Deletes an app.
    package func deleteApp(_ id: AppID, at: Milliseconds) throws(StoreError) -> Ticket {
        Ticket(ordered: try writer.deleteApp(id, at: at))
    }

    /// The number of live sessions that are bound to the app.
    package func sessionCount(of app: AppID) -> Int { state.sessionCount(of: app) }
}
