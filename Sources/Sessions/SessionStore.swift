package import Navigation

/// The index entry of a session. It is valid until the session is deleted, and must not be kept for
/// longer than a turn of the event loop.
package struct SessionHandle: Hashable, Sendable {
    /// The number of the index entry.
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The reason why the store could not carry out an operation.
package enum StoreError: Error, Equatable {
    /// Something has to be loaded first; the caller has it loaded and tries again.
    case notInMemory([LoadRequest])
    /// The disk is full. Reads still work.
    case full
    /// Too many changes are waiting for the disk.
    case busy
    /// The disk failed. It is unknown whether the last changes are stored, and no more are
    /// accepted.
    case unavailable
    /// A stored record is damaged. Nothing was changed, and other sessions are not affected.
    case damaged
}

/// The interface of a store for sessions and apps. It does not assume that the store is on this
/// machine.
///
/// Calls never block. What is not known here is reported as `notInMemory`. It is decided later
/// whether a change is kept, and the ticket that the call returns stands for it until then. Reads
/// may show changes that are not decided yet. They return the tickets as well, and the caller must
/// not show such a state to clients before its ticket is kept. A store that reads only what is kept
/// returns `Ticket.none`.
package protocol SessionStore: AnyObject {
    /// Letters and digits that identify this store. They change when it is restored from a backup.
    var lineage: String { get }
    /// Ordered tickets up to this one are kept; `none` for a store that gives single tickets.
    var keptUpTo: Ticket { get }
    /// The number of the last change that `Engine.takeChanges` has returned, or would have
    /// returned before the start.
    var fedUpTo: SequenceNumber { get }
    /// The changes that reads show and that the feed does not have yet, in their order, without
    /// details, and the ticket of the last of them. None for a store that reads only what is kept.
    var undecided: (changes: [SessionChange], ticket: Ticket) { get }
    /// The reason why changes are refused at present, or nil if they are accepted.
    var refusal: StoreError? { get }
    /// The number of files in which damage was found since the start.
    var damagedFiles: Int { get }
    /// The number of live sessions.
    var sessionCount: Int { get }

    // MARK: Sessions

    /// The session with that id, or nil if it does not exist or has expired.
    func find(_ id: SessionID, now: Milliseconds) throws(StoreError) -> SessionHandle?
    /// The same for an id within the bytes of a request, without copying it.
    func find(
        _ bytes: [UInt8], _ range: Range<Int>, now: Milliseconds
    ) throws(StoreError) -> SessionHandle?
    /// The facts about a session that are in memory.
    func summary(_ handle: SessionHandle) -> SessionSummary
    /// The number of the newest record of a session.
    func sequence(of handle: SessionHandle) -> SequenceNumber
    /// The version of the newest state of a session.
    func version(of handle: SessionHandle) -> StoredVersion
    /// Appends the newest state as JSON text.
    func appendState(
        _ handle: SessionHandle, to bytes: inout [UInt8]
    ) throws(StoreError) -> StoredVersion
    /// The newest record of a session.
    func newest(_ handle: SessionHandle) throws(StoreError) -> StoredRecord
    /// An older revision, or nil if it is no longer stored. The store keeps the 32 revisions before
    /// the newest, and those on the newest record's undo and redo stacks.
    func revision(_ revision: Int, of handle: SessionHandle) throws(StoreError) -> StoredRecord?
    /// The records of a session after a number, newest first, or nil if one of them is no longer
    /// stored or if their size exceeds `bytesLeft`, which is reduced by the size of the records
    /// found.
    func changes(
        of handle: SessionHandle, after: SequenceNumber, bytesLeft: inout Int
    ) throws(StoreError) -> [StoredRecord]?
    /// The result of the request with an idempotency key, for 24 hours.
    func kept(_ key: String, in scope: IdempotencyScope, now: Milliseconds) throws(StoreError)
        -> IdempotentResult?
    /// The id that a session gets which is created with an idempotency key and without an id. A
    /// store that has no table of all keys derives it from the key, so that the session is found
    /// again. Nil if any id will do.
    func creationID(forKey key: String, now: Milliseconds) -> SessionID?
    /// At most `limit` sessions after an id, ordered by id byte by byte.
    func walk(
        after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds
    ) throws(StoreError) -> SessionPage

    /// Writes the next revisions of a session. The caller ensures that they are consecutive and
    /// that the first one follows the newest.
    ///
    /// Either all are kept or none. A store that can only write one record at a time writes the
    /// first, and decides the ticket as `conflict` when that one is kept: the request is then asked
    /// again, and finds it done.
    ///
    /// - Parameters:
    ///   - handle: the session, if the caller has found it already.
    ///   - details: what the feed is to carry of the changes.
    /// - Returns: the version of the last of the records, with the ticket of all of them.
    func put(
        _ records: [SessionRecord], of handle: SessionHandle?, details: FeedDetails
    ) throws(StoreError) -> StoredVersion
    /// Deletes a session.
    ///
    /// - Parameter author: the name of the token that the deletion came with, for the feed.
    func delete(
        _ handle: SessionHandle, at: Milliseconds, key: IdempotencyKey?, author: TokenName?
    ) throws(StoreError) -> Ticket

    // MARK: Tokens

    /// Whether the text of a session's token contains the session's id (see `SessionToken.text`).
    /// Without it the store has to have a table of all tokens.
    var namesSessionsInTokens: Bool { get }
    /// The tokens of a session, including expired ones.
    func tokens(
        of handle: SessionHandle
    ) throws(StoreError) -> (ticket: Ticket, tokens: [SessionToken])
    /// The session that a token belongs to, or nil if there is no such token or it has expired.
    ///
    /// - Parameter id: the session that the text of the token names, if it names one.
    func owner(
        of digest: TokenDigest, in id: SessionID?, now: Milliseconds
    ) throws(StoreError) -> (handle: SessionHandle, token: SessionToken)?
    /// Replaces the tokens of a session. Its revision stays the same.
    func putTokens(
        _ tokens: [SessionToken], of handle: SessionHandle, at: Milliseconds
    ) throws(StoreError) -> Ticket

    // MARK: Apps

    /// All apps, ordered by id.
    var apps: [StoredApp] { get }
    /// A number that changes with `apps`.
    var appsGeneration: UInt64 { get }
    /// Stores the documents of apps, either all or none.
    ///
    /// - Returns: the versions in the same order.
    func putApps(_ documents: [(id: AppID, text: [UInt8])], at: Milliseconds)
        throws(StoreError) -> [StoredVersion]
    /// Deletes an app.
    func deleteApp(_ id: AppID, at: Milliseconds) throws(StoreError) -> Ticket
    /// The number of live sessions that are bound to an app.
    func sessionCount(of app: AppID) throws(StoreError) -> Int
}

extension SessionStore {
    /// Any id will do.
    package func creationID(forKey key: String, now: Milliseconds) -> SessionID? { nil }

    /// Whether all these changes are known to be kept.
    package func hasKept(_ tickets: Tickets) -> Bool {
        tickets.last <= keptUpTo && tickets.singles.isEmpty
    }
}
