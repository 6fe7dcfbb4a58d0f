internal import Navigation
internal import Sessions

/// A session while an operation changes it.
///
/// It is large, so it is a class. The service uses the same one for one operation after another,
/// with the memory of its lists.
final class SessionTransaction {
    private(set) var handle = SessionHandle(rawValue: 0)
    var editor = SessionEditor.empty
    /// The place of the session, which the editor has meanwhile.
    private var place: RecentSession?
    /// The version of the newest state; after a change has been stored, that of its last record.
    var version = StoredVersion(0)
    /// The session conforms to every version of its app that was stored before this number.
    var fitsBefore: SequenceNumber = 0
    /// The number of the app's document, if the session is bound to an app.
    var appSequence: SequenceNumber?
    /// The length of the session's JSON.
    var jsonBytes = 0
    /// The changes so far, one revision each. They are not stored yet.
    var records: [SessionRecord] = []
    /// The number of changes of the editor that the records have.
    var recordedChanges = 0
    /// Whether the records are stored.
    var isStored = false
    /// The steps of the changes as JSON, by revision, if any client wants them.
    var steps: [Int: [UInt8]] = [:]
    /// The approximate number of clients to notify of the stored changes.
    var audience = 0

    /// Begins with a session.
    func begin(
        _ place: RecentSession, of handle: SessionHandle, rules: consuming Rules,
        version: StoredVersion
    ) {
        self.handle = handle
        self.version = version
        fitsBefore = place.fitsBefore
        jsonBytes = place.jsonBytes
        editor.begin(&place.session, rules: rules)
        self.place = place
    }

    var app: App? { editor.rules.app }
    var session: Session { _read { yield editor.session } }

    /// Ends, and returns the session to keep decoded: the newest state that is stored.
    func end() -> RecentSession? {
        guard let place = place.take() else { return nil }
        editor.end(&place.session, keepsChanges: isStored)
        if isStored || recordedChanges == 0 { place.fitsBefore = fitsBefore }
        place.jsonBytes = jsonBytes
        records.removeAll(keepingCapacity: true)
        if !steps.isEmpty { steps = [:] }
        (recordedChanges, isStored, audience) = (0, false, 0)
        return place
    }
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
