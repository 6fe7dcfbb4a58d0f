internal import Navigation
internal import Sessions

/// A session while an operation changes it.
struct SessionTransaction {
    let handle: SessionHandle
    var session: Session
    let app: App?
    /// The version of the newest state; after a change has been stored, that of its last record.
    var version: StoredVersion
    /// The session conforms to every version of its app that was stored before this number.
    var fitsBefore: SequenceNumber
    /// The length of the session's JSON.
    var jsonBytes: Int
    /// The changes so far, one revision each. They are not stored yet.
    var records: [SessionRecord] = []
    /// The steps of the changes as JSON, by revision, if any client wants them.
    var steps: [Int: [UInt8]] = [:]
    /// The approximate number of clients to notify of the stored changes.
    var audience = 0
}

/// A revision of a session as a response shows it.
struct ShownRevision {
    let id: SessionID
    let revision: Int
    /// The session as JSON; empty if the client does not want it.
    let state: [UInt8]
    /// The version of the state. It is nil for a dry run, whose state is not stored.
    let version: StoredVersion?
    /// The changes that must be kept before the revision is shown.
    var visibleAfter: Tickets
    /// The approximate number of clients to notify of the change.
    var audience = 0
}

extension ShownRevision {
    /// Creates the revision that an earlier attempt of the same request stored.
    init(_ earlier: StoredRecord) {
        id = earlier.record.id
        revision = earlier.record.revision
        state = earlier.record.state
        version = earlier.version
        visibleAfter = Tickets(earlier.version.ticket)
    }
}
