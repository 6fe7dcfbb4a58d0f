internal import Bytes
package import HTTP
internal import JSON
package import Navigation
package import Sessions

// Streams as values: what clients are told, and the first events of a stream. The server keeps the
// clients and writes to them.

/// An event of a stream.
package struct StreamEvent: Equatable, Sendable {
    /// The name of an event.
    package enum Name: String, Sendable {
        case hello, snapshot, change, deleted, expired, watchers

        /// Whether the stream of one session ends with this event.
        package var isEnd: Bool { self == .deleted || self == .expired }
        /// Whether a stream can be resumed from the event.
        var isNumbered: Bool { self != .watchers }
    }

    /// What has happened.
    package var name: Name
    /// The sequence number of the change, from which a stream of one session can be resumed.
    package var sequence: SequenceNumber
    /// The position after the event, from which a stream of several sessions can be resumed.
    package var position: FeedPosition
    /// A JSON object.
    package var data: [UInt8]
    /// The steps of a change as JSON, for streams that requested them, if there are any.
    package var steps: [UInt8]?

    /// Creates an event whose position is its number, as in a store with one log.
    init(
        name: Name, sequence: SequenceNumber, data: [UInt8], steps: [UInt8]? = nil
    ) {
        self.name = name
        self.sequence = sequence
        position = FeedPosition(sequence)
        self.data = data
        self.steps = steps
    }
}

/// A change to announce to clients.
package struct Announcement: Sendable {
    /// The changed session.
    package var id: SessionID
    /// The app of the session, or nil for a free-form session.
    package var app: AppID?
    /// The labels of the session after the change.
    package var labels: [Label]
    /// The revision that the change made.
    package var revision: Int
    /// The number of the change's record.
    package var sequence: SequenceNumber
    /// What streams tell of the change.
    package var event: StreamEvent
    /// The tokens that ended with the session; empty for a change.
    package var endedTokens: [SessionToken] = []
}

extension Announcement {
    /// Announces a change.
    ///
    /// - Parameter event: what streams are told of it.
    init(_ stored: StoredRecord, _ event: StreamEvent) {
        let record = stored.record
        self.init(
            id: record.id, app: record.app, labels: record.labels, revision: record.revision,
            sequence: stored.sequence, event: event)
    }

    /// Announces the end of a session.
    init(_ deletion: Deletion) {
        self.init(
            id: deletion.id, app: deletion.app, labels: deletion.labels,
            revision: deletion.revision, sequence: deletion.sequence, event: .end(deletion),
            endedTokens: deletion.tokens)
    }
}

/// What a client is to be told about.
package struct Subscription: Sendable {
    /// The sessions of a subscription.
    package enum Scope: Sendable {
        case sessions(Set<SessionID>)
        /// All sessions that the filter selects.
        case all(SessionFilter)
    }

    /// The sessions of which the client wants to be told.
    package var scope: Scope
    /// `.eventStream` or `.ndjson`.
    package var format: ContentType
    /// The stream ends after this number of events. Nil for no limit.
    package var eventsMax: Int?
    /// Whether the stream ends with its only session.
    package var endsWithSession: Bool
    /// Only changes after this position are told; the client knows the others.
    package var after: FeedPosition
    /// Whether the ids of the events are positions. If not, they are the numbers of the changes.
    package var tellsPositions = false
    /// What the stream was admitted with; it is checked again before each event.
    package var credentials: Credentials
    /// What the client calls itself in the list of watchers.
    package var name: WatcherName?
    /// Whether the client is to be told who else is watching.
    package var tellsWatchers = false
    /// Whether the client is to be told the steps of each change.
    package var wantsSteps = false

    /// Whether the client is to be told of the change.
    package func takes(_ announcement: Announcement) -> Bool {
        guard !after.covers(announcement.sequence) else { return false }
        return switch scope {
        case .sessions(let ids): ids.contains(announcement.id)
        case .all(let filter):
            filter.matches(app: announcement.app, labels: announcement.labels)
        }
    }
}

/// The beginning of a stream.
package struct StreamOpening: Sendable {
    /// The head of the stream.
    package var response: Response
    /// What the client wants to be told of after the first events.
    package var subscription: Subscription
    /// The first events.
    package var events: [StreamEvent]
    /// The stream may begin once these changes are kept.
    package var visibleAfter: Tickets
    /// The index of the requested endpoint in `Endpoint.all`.
    package var endpoint: Int?
}

/// A read that waits for something to happen to a session.
package struct LongPoll: Sendable {
    /// The condition that ends a wait.
    package enum Goal: Equatable, Sendable {
        /// The next change of the session.
        case change
        /// Every named watcher has shown this revision or a later one, or is gone.
        case shown(Int)
    }

    /// The maximum duration of a wait.
    static let secondsMax = 60

    /// The session that the client asks about.
    package var id: SessionID
    /// The maximum duration of the wait, from 1 to 60. A request that waits several times waits no
    /// longer.
    package var seconds: Int
    /// The condition that ends the wait earlier.
    package var goal = Goal.change
}

/// Writes the entity tags of states as members of JSON objects: `,"etag":"\"1a20-184320\""`. The
/// value is what a client sends in `If-Match`.
struct EntityTagMember {
    private let start: [UInt8]

    /// - Parameter lineage: letters and digits.
    init(lineage: String) { start = Array(#","etag":"\"\#(lineage)-"#.utf8) }

    /// Appends the member for this version.
    func append(_ version: EntityVersion, to text: inout ByteWriter) {
        text.append(start)
        if version.first > 0 {
            text.append(UInt(version.first))
            text.append(UInt8(ascii: "-"))
        }
        text.append(UInt(version.second))
        text.append(literal: #"\"""#)
    }
}

extension StreamEvent {
    /// A change: its revision and entity tag, the members of its event, and the session.
    static func change(
        _ stored: StoredRecord, tag: EntityTagMember, steps: [UInt8]?
    ) -> StreamEvent {
        let record = stored.record
        var data = ByteWriter(capacity: record.event.count + record.state.count + 128)
        data.append(literal: #"{"revision":"#)
        data.append(record.revision)
        tag.append(stored.version.entity, to: &data)
        data.append(UInt8(ascii: ","))
        data.append(record.event.dropFirst().dropLast())
        data.append(literal: #","session":"#)
        data.append(record.state)
        data.append(UInt8(ascii: "}"))
        return StreamEvent(
            name: .change, sequence: stored.sequence, data: data.finish(), steps: steps)
    }

    static func snapshot(
        _ stored: StoredRecord, hasGap: Bool, _ tag: EntityTagMember
    ) -> StreamEvent {
        let state = stored.record.state
        var data = ByteWriter(capacity: state.count + 128)
        data.append(literal: #"{"revision":"#)
        data.append(stored.record.revision)
        tag.append(stored.version.entity, to: &data)
        data.append(literal: #","session":"#)
        data.append(state)
        data.append(literal: hasGap ? #","gap":true}"# : "}")
        return StreamEvent(name: .snapshot, sequence: stored.sequence, data: data.finish())
    }

    static func hello(_ position: FeedPosition, hasGap: Bool) -> StreamEvent {
        let data = Array((hasGap ? #"{"gap":true}"# : "{}").utf8)
        var event = StreamEvent(name: .hello, sequence: position.number, data: data)
        event.position = position
        return event
    }

    /// The end of a session.
    package static func end(_ deletion: Deletion) -> StreamEvent {
        var data = ByteWriter()
        data.append(literal: #"{"id":"#)
        data.append(string: deletion.id.rawValue)
        if let author = deletion.author {
            data.append(literal: #","by":""#)
            data.append(author.rawValue)
            data.append(literal: #"""#)
        }
        data.append(UInt8(ascii: "}"))
        return StreamEvent(
            name: deletion.why == .deleted ? .deleted : .expired, sequence: deletion.sequence,
            data: data.finish())
    }
}
