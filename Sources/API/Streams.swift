internal import Bytes
package import HTTP
internal import JSON
package import Navigation
package import Sessions

// Streams as values: what clients are told of, and the first events of a stream. The server keeps
// the clients and writes to them.

/// An event of a stream.
package struct StreamEvent: Equatable, Sendable {
    /// The name of an event.
    package enum Name: String, Sendable {
        case hello, snapshot, change, deleted, expired

        /// Whether the stream of one session ends with this event.
        package var isEnd: Bool { self == .deleted || self == .expired }
    }

    /// What has happened.
    package var name: Name
    /// The sequence number of what it tells, from which the stream can be resumed.
    package var sequence: SequenceNumber
    /// A JSON object.
    package var data: [UInt8]
}

/// A change that clients are to be told of when it is durable.
package struct Announcement: Sendable {
    /// The changed session.
    package var id: SessionID
    /// The app of the session; nil for a free-form session.
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
    /// The announcement of a change that was announced before.
    init(_ change: StoredRecord, id: SessionID) {
        self.init(
            id: id, app: change.record.app, labels: change.record.labels,
            revision: change.record.revision, sequence: change.sequence,
            event: .change(change.record, change.sequence))
    }
}

/// What a client wants to be told of.
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
    /// The stream ends after this number of events; nil: never.
    package var eventsMax: Int?
    /// Whether the stream ends with its only session.
    package var endsWithSession: Bool
    /// Only changes after this number are told; the client knows the others.
    package var after: SequenceNumber
    /// What the stream was admitted with; it is checked again before each event.
    package var credentials: Credentials

    /// Whether the client is to be told of the change.
    package func takes(_ announcement: Announcement) -> Bool {
        guard announcement.sequence > after else { return false }
        return switch scope {
        case .sessions(let ids): ids.contains(announcement.id)
        case .all(let filter):
            (filter.app == nil || filter.app == announcement.app)
                && filter.takes(announcement.labels)
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
    /// The stream may begin when the store is durable up to this number.
    package var visibleAfter: SequenceNumber
    /// The index of the requested endpoint in `Endpoint.all`.
    package var endpoint: Int?
}

/// A read that waits for the next change of a session.
package struct LongPoll: Sendable {
    /// The session for whose next change the client waits.
    package var id: SessionID
    /// The wait at most, from 1 to 60.
    package var seconds: Int
}

extension StreamEvent {
    /// A change: the revision, the members of its event, and the session.
    static func change(_ record: SessionRecord, _ sequence: SequenceNumber) -> StreamEvent {
        var data = ByteWriter(capacity: record.event.count + record.state.count + 64)
        data.append(literal: #"{"revision":"#)
        data.append(record.revision)
        data.append(UInt8(ascii: ","))
        data.append(record.event.dropFirst().dropLast())
        data.append(literal: #","session":"#)
        data.append(record.state)
        data.append(UInt8(ascii: "}"))
        return StreamEvent(name: .change, sequence: sequence, data: data.finish())
    }

    static func snapshot(_ stored: StoredRecord, hasGap: Bool) -> StreamEvent {
        let state = stored.record.state
        var data = ByteWriter(capacity: state.count + 64)
        data.append(literal: #"{"revision":"#)
        data.append(stored.record.revision)
        data.append(literal: #","session":"#)
        data.append(state)
        data.append(literal: hasGap ? #","gap":true}"# : "}")
        return StreamEvent(name: .snapshot, sequence: stored.sequence, data: data.finish())
    }

    static func hello(_ sequence: SequenceNumber, hasGap: Bool) -> StreamEvent {
        let data = Array((hasGap ? #"{"gap":true}"# : "{}").utf8)
        return StreamEvent(name: .hello, sequence: sequence, data: data)
    }

    /// The end of a session.
    package static func end(_ deletion: Deletion) -> StreamEvent {
        var data = ByteWriter()
        data.append(literal: #"{"id":"#)
        data.append(string: deletion.id.rawValue)
        data.append(UInt8(ascii: "}"))
        return StreamEvent(
            name: deletion.why == .deleted ? .deleted : .expired, sequence: deletion.sequence,
            data: data.finish())
    }

    /// The event as a part of a stream's body.
    package func encoded(as format: ContentType) -> [UInt8] {
        guard format == .ndjson else {
            var out: [UInt8] = []
            EventStreamEncoder.append(
                event: name.eventName, id: sequence, data: data, to: &out)
            return out
        }
        var out = ByteWriter(capacity: data.count + 64)
        out.append(literal: #"{"id":"#)
        out.append(Int(sequence))
        out.append(literal: #","event":""#)
        out.append(name.rawValue)
        out.append(literal: #"","data":"#)
        out.append(data)
        out.append(literal: "}\n")
        return out.finish()
    }
}

extension StreamEvent.Name {
    fileprivate var eventName: StaticName {
        switch self {
        case .hello: "hello"
        case .snapshot: "snapshot"
        case .change: "change"
        case .deleted: "deleted"
        case .expired: "expired"
        }
    }
}
