internal import Navigation
internal import Sessions

/// A session while an operation changes it.
struct SessionTransaction {
    let handle: SessionHandle
    var session: Session
    let app: App?
    /// The version of the newest state; after a change has been stored, that of its last record.
    var version: StoredVersion
    /// The session fits every version of its app that was stored before this number.
    var fitsBefore: SequenceNumber
    /// The length of the session's JSON.
    var jsonBytes: Int
    /// The changes so far, each a revision, which are not stored yet.
    var records: [SessionRecord] = []
    /// The steps of the changes as JSON, by their revisions, if any client wants them.
    var steps: [Int: [UInt8]] = [:]
    /// Roughly the number of clients that are to be told of the stored changes.
    var audience = 0
}

/// A revision of a session as a response shows it.
struct ShownRevision {
    let id: SessionID
    let revision: Int
    /// The session as JSON; empty if the client does not want it.
    let state: [UInt8]
    /// Nil for a dry run, which shows a state that is not stored.
    let version: StoredVersion?
    /// What must be kept before it is shown.
    var visibleAfter: Tickets
    /// Roughly the number of clients that are to be told of it.
    var audience = 0
}

extension ShownRevision {
    /// A change that was stored before, for the same request.
    init(_ earlier: StoredRecord) {
        id = earlier.record.id
        revision = earlier.record.revision
        state = earlier.record.state
        version = earlier.version
        visibleAfter = Tickets(earlier.version.ticket)
    }
}
