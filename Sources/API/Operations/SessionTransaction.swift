internal import Navigation
internal import Sessions

/// A session while an operation changes it.
struct SessionTransaction: ~Copyable {
    let handle: SessionHandle
    var editor: SessionEditor
    let app: App?
    /// The version of the newest state; after a change has been stored, that of its last record.
    var version: StoredVersion
    /// The session conforms to every version of its app that was stored before this number.
    var fitsBefore: SequenceNumber
    /// The length of the session's JSON.
    var jsonBytes: Int
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
    private let formerFitsBefore: SequenceNumber

    init(
        _ item: consuming RecentSessions.Item, of handle: SessionHandle, rules: Rules,
        version: StoredVersion
    ) {
        self.handle = handle
        self.version = version
        (fitsBefore, formerFitsBefore) = (item.fitsBefore, item.fitsBefore)
        jsonBytes = item.jsonBytes
        app = rules.app
        editor = SessionEditor(item.session, rules: rules)
    }

    /// Takes the records, which are stored or refused.
    mutating func takeRecords() -> [SessionRecord] {
        defer { records = [] }
        return records
    }

    var session: Session { _read { yield editor.session } }

    /// The session to keep decoded: the newest state that is stored.
    consuming func newest() -> RecentSessions.Item {
        let fitsBefore =
            isStored || editor.changeCount == 0 ? fitsBefore : formerFitsBefore
        let jsonBytes = jsonBytes
        return RecentSessions.Item(
            session: isStored ? editor.finish() : editor.rolledBack(), fitsBefore: fitsBefore,
            jsonBytes: jsonBytes)
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
