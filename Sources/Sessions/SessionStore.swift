public import Navigation

/// The index entry of a session. It is valid until the session is deleted, and must not be kept for
/// longer than a turn of the event loop.
public struct SessionHandle: Hashable, Sendable {
    /// The number of the index entry.
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The reason why the store could not carry out an operation.
public enum StoreError: Error, Equatable {
    /// Something has to be loaded first; the caller has it loaded and tries again.
    case notInMemory([LoadRequest])
    /// The disk of the store is full. Reads still work.
    case full
    /// The store cannot make a file that it needs, for another reason. Reads still work.
    case noFile
    /// The server has just started, and has not read this part of the store yet.
    case starting
    /// Too many changes are waiting to be stored.
    case busy
    /// The disk failed, or the servers of a shared store do not answer. It is unknown whether the
    /// last changes are stored.
    case unavailable
    /// A shared store has a setting with which it may lose changes. Nothing was changed, and reads
    /// still work.
    case misconfigured
    /// A stored record is damaged. Nothing was changed, and other sessions are not affected.
    case damaged
    /// A record of the change would be larger than the store accepts. Nothing was changed.
    case tooLarge(bytesMax: Int)

    /// Whether only changes are refused, until the store can write again.
    public var refusesOnlyChanges: Bool { self == .full || self == .noFile }
}

/// A store for sessions and apps, as the service uses it: its parts. None of them assumes that the
/// store is on this machine.
///
/// Calls never block. If something is not in memory, the call throws `notInMemory`. Whether a
/// change is kept is decided later, and until then the ticket that the call returned stands for it.
/// Reads may show changes that are not decided yet. Such reads return tickets too, and the caller
/// must not show the state to clients before its ticket is kept. A store whose reads show only what
/// is kept returns `Ticket.none`.
public struct SessionStore {
    public let reading: any SessionReading
    public let writing: any StoreWriting
    public let tokens: any TokenReading
    public let apps: any AppReading
    public let status: any StatusReading

    public init(
        reading: any SessionReading, writing: any StoreWriting, tokens: any TokenReading,
        apps: any AppReading, status: any StatusReading
    ) {
        (self.reading, self.writing, self.tokens) = (reading, writing, tokens)
        (self.apps, self.status) = (apps, status)
    }
}

/// How far a store is, and whether it is healthy.
public protocol StatusReading: AnyObject {
    /// Letters and digits that identify this store. They change when it is restored from a backup.
    var lineage: String { get }
    /// Ordered tickets up to this one are kept. A store that issues single tickets returns `none`.
    var keptUpTo: Ticket { get }
    /// The position of the feed after the changes that `Engine.takeChanges` has returned. Before it
    /// has returned any, the position at the start.
    var fedUpTo: FeedPosition { get }
    /// The changes that reads already show but the feed has not delivered yet, in order and without
    /// details, and the ticket of the last one. A store whose reads show only what is kept returns
    /// no changes.
    var undecided: (changes: [SessionChange], ticket: Ticket) { get }
    /// The reason why changes are refused at present, or nil if they are accepted.
    var refusal: StoreError? { get }
    /// How much of the store has been read while it is used already. Nil if all of it has.
    var reading: StoreProgress? { get }
    /// The checks of a readiness probe.
    var checks: [(name: String, isHealthy: Bool)] { get }
    /// Settings that an operator should change although the store is used, as sentences.
    var warnings: [String] { get }
    /// The known damage: the plural noun of the units, and their number.
    var damage: (what: String, count: Int) { get }
    /// The answers of the other servers that share the store, as far as they come in time. If there
    /// are others, it throws `notInMemory` the first time that a request needs it.
    func answer(to question: PeerQuestion) throws(StoreError) -> PeerAnswer
}

/// Reads sessions.
public protocol SessionReading: AnyObject {
    /// The number of live sessions.
    var sessionCount: Int { get }
    /// The session with this id. Returns nil if it does not exist or has expired.
    func find(_ id: SessionID, now: Milliseconds) throws(StoreError) -> SessionHandle?
    /// The same for an id within the bytes of a request, without copying it.
    func find(
        _ bytes: [UInt8], _ range: Range<Int>, now: Milliseconds
    ) throws(StoreError) -> SessionHandle?
    /// The facts about a session that are in memory.
    func summary(_ handle: SessionHandle) -> SessionSummary
    /// The labels of a session, as far as they are in memory.
    func labels(of handle: SessionHandle) -> [Label]
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
    /// The revision before a record that the feed has delivered, or nil if it is not in memory. It
    /// has the same answer whether or not other reads have to load something first.
    func before(_ stored: StoredRecord) -> StoredRecord?
    /// The records of a session after a number, newest first, or nil if one of them is no longer
    /// stored or if their size exceeds `bytesLeft`, which is reduced by the size of the records
    /// found.
    func changes(
        of handle: SessionHandle, after: SequenceNumber, bytesLeft: inout Int
    ) throws(StoreError) -> [StoredRecord]?
    /// The result of the request with an idempotency key, for 24 hours.
    func result(
        forKey key: String, in scope: IdempotencyScope, now: Milliseconds
    ) throws(StoreError) -> IdempotentResult?
    /// The id that a session gets which is created with an idempotency key and without an id. A
    /// store that has no table of all keys derives it from the key, so that the session is found
    /// again. Nil if any id will do.
    func creationID(forKey key: String, now: Milliseconds) -> SessionID?
    /// Ensures that everything is known here of a session and its tokens that was acknowledged
    /// before the request arrived. The service calls it before it refuses a request because of what
    /// it knows, answers that a change has no effect, or says that there is no such session.
    ///
    /// A store whose sessions are also changed by other servers throws `notInMemory` the first time
    /// that a request needs it. The request is then processed again with the newest state. For a
    /// store that knows the newest states of all sessions, it does nothing.
    func confirm(_ id: SessionID) throws(StoreError)
    /// The same for all sessions.
    func confirmSessions() throws(StoreError)

    /// Ensures that the feed has delivered the states of a session that were known when the request
    /// arrived. A store whose feed can lag behind its reads throws `notInMemory` until then.
    func awaitFeed(of handle: SessionHandle) throws(StoreError)
    /// Throws while the sessions of the store are still being read, and once it is no longer the
    /// store that was opened. The service calls it before it begins an answer of all sessions. For
    /// a store that is read before it is used, it does nothing.
    func checkSessions() throws(StoreError)
    /// At most `limit` sessions after an id, ordered by id byte by byte.
    func walk(
        after: SessionID?, filter: SessionFilter, limit: Int, now: Milliseconds
    ) throws(StoreError) -> SessionPage
}

/// Reads the tokens of sessions.
public protocol TokenReading: AnyObject {
    /// Whether the text of a session's token contains the session's id (see `SessionToken.text`).
    /// If it does not, the store needs a table of all tokens.
    var namesSessionsInTokens: Bool { get }
    /// The tokens of a session, including expired ones.
    func tokens(
        of handle: SessionHandle
    ) throws(StoreError) -> (ticket: Ticket, tokens: [SessionToken])
    /// The session that a token belongs to. Returns nil if the token does not exist or has expired.
    ///
    /// - Parameter id: the session named in the token's text, if there is one.
    func owner(
        of digest: TokenDigest, in id: SessionID?, now: Milliseconds
    ) throws(StoreError) -> (handle: SessionHandle, token: SessionToken)?
    /// The tokens of the last session of an id, if it is known to have ended. A stream that began
    /// with one of them gets the session's last changes and its end.
    func endedTokens(of id: SessionID) -> [SessionToken]
    /// Runs with reads of sessions and tokens answered from what is known here, without asking
    /// other servers. Whether an open stream may go on is decided so: what ends it is known before
    /// the feed brings the events that it must not show.
    func usingLocalState<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result
}

/// Reads apps.
public protocol AppReading: AnyObject {
    /// Ensures that `storedApps` has everything that was acknowledged before the request arrived. A
    /// store that must ask other servers for that throws `notInMemory` the first time that a
    /// request needs it.
    func awaitApps() throws(StoreError)
    /// All apps, ordered by id.
    var storedApps: [StoredApp] { get }
    /// A number that changes whenever `storedApps` does.
    var appsGeneration: UInt64 { get }
    /// Ensures that everything is known here of the apps that was acknowledged before the request
    /// arrived, as `SessionReading.confirm` does for a session.
    func confirmApps() throws(StoreError)
    /// The number of live sessions that are bound to an app.
    func sessionCount(of app: AppID) throws(StoreError) -> Int
}

/// Makes changes.
public protocol StoreWriting: AnyObject {
    /// Writes the next revisions of a session. The caller ensures that they are consecutive and
    /// that the first one follows the newest.
    ///
    /// Either all of them are kept or none. A store that can write only one record at a time writes
    /// the first, and decides the ticket as `conflict` once that one is kept. The request is then
    /// processed again, and finds that the first change has been made.
    ///
    /// - Parameters:
    ///   - handle: the session, if the caller has found it already.
    ///   - details: what the feed should contain about the changes.
    /// - Returns: the version of the last record, with a ticket for all of them.
    func put(
        _ records: [SessionRecord], of handle: SessionHandle?, details: FeedDetails
    ) throws(StoreError) -> StoredVersion
    /// Deletes a session.
    ///
    /// - Parameter author: the name of the token that made the deletion, for the feed.
    func delete(
        _ handle: SessionHandle, at: Milliseconds, key: IdempotencyKey?, author: TokenName?
    ) throws(StoreError) -> Ticket
    /// Deletes a session whose newest record is damaged or gone.
    ///
    /// - Returns: nil if that is not known of the session, or if the store cannot do it.
    func discard(
        _ id: SessionID, at: Milliseconds, key: IdempotencyKey?, author: TokenName?
    ) throws(StoreError) -> Ticket?
    /// Replaces the tokens of a session. Its revision stays the same.
    func putTokens(
        _ tokens: [SessionToken], of handle: SessionHandle, at: Milliseconds
    ) throws(StoreError) -> Ticket
    /// Stores the documents of apps, either all or none.
    ///
    /// - Returns: their versions, in the same order.
    func putApps(_ documents: [(id: AppID, text: [UInt8])], at: Milliseconds)
        throws(StoreError) -> [StoredVersion]
    /// Deletes an app.
    func deleteApp(_ id: AppID, at: Milliseconds) throws(StoreError) -> Ticket
}

/// How far the reading of a store is.
public struct StoreProgress: Sendable {
    /// How many parts of the store were read, of how many.
    public var parts: (read: Int, all: Int)
    /// How many messages were read, and how many there are as far as is known.
    public var messages: (read: Int, all: Int)

    public init(parts: (read: Int, all: Int), messages: (read: Int, all: Int)) {
        (self.parts, self.messages) = (parts, messages)
    }

    /// The same as a sentence.
    public var sentence: String {
        "It has read \(parts.read) of \(parts.all) shards of the shared store, and "
            + "\(messages.read) of \(messages.all) messages."
    }
}

extension StatusReading {
    /// All of it has been read.
    public var reading: StoreProgress? { nil }

    /// Whether changes are accepted.
    public var checks: [(name: String, isHealthy: Bool)] { [("store", refusal == nil)] }

    /// None.
    public var warnings: [String] { [] }

    /// Whether all of these changes are known to be kept.
    public func hasKept(_ tickets: Tickets) -> Bool {
        tickets.last <= keptUpTo && tickets.singles.isEmpty
    }

    /// No other server shares the store.
    public func answer(to question: PeerQuestion) -> PeerAnswer { PeerAnswer(to: question) }
}

extension SessionReading {
    /// The revision before, as `revision` finds it.
    public func before(_ stored: StoredRecord) -> StoredRecord? {
        let record = stored.record
        guard record.revision > 1, let handle = try? find(record.id, now: record.at) else {
            return nil
        }
        return try? revision(record.revision - 1, of: handle)
    }

    /// Any id will do.
    public func creationID(forKey key: String, now: Milliseconds) -> SessionID? { nil }

    /// The newest states are known.
    public func confirm(_ id: SessionID) {}

    /// The newest states of all sessions are known.
    public func confirmSessions() {}

    /// Changes that the feed has not delivered are in `undecided`.
    public func awaitFeed(of handle: SessionHandle) {}

    /// All sessions have been read.
    public func checkSessions() {}
}

extension TokenReading {
    /// None: the end of a session is delivered at once.
    public func endedTokens(of id: SessionID) -> [SessionToken] { [] }

    /// Runs it, as a store on this machine has no other servers.
    public func usingLocalState<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try body()
    }
}

extension AppReading {
    /// All apps are known.
    public func awaitApps() {}

    /// All apps are known.
    public func confirmApps() {}
}

extension StoreWriting {
    /// Nil: the store cannot do it.
    public func discard(
        _ id: SessionID, at: Milliseconds, key: IdempotencyKey?, author: TokenName?
    ) throws(StoreError) -> Ticket? { nil }
}
