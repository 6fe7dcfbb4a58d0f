internal import Bytes
package import HTTP
internal import JSON
package import Navigation
package import Sessions

// Live streams, as far as they are values: who listens to what, and what is said first. Keeping
// the listeners, and writing to them, is the server's.

/// Something that a stream says.
package struct StreamEvent: Equatable, Sendable {
    package enum Name: String, Sendable {
        case hello, snapshot, change, deleted, expired

        /// Whether a session's own stream ends with it.
        package var isEnd: Bool { self == .deleted || self == .expired }
    }

    package var name: Name
    /// The sequence number of what it tells of: the place to go on from.
    package var sequence: SequenceNumber
    /// A JSON object.
    package var data: [UInt8]
}

/// A change that streams tell of as soon as it is durable.
package struct Announcement: Sendable {
    package var id: SessionID
    package var app: AppID?
    package var labels: [Label]
    package var revision: Int
    package var sequence: SequenceNumber
    package var event: StreamEvent
    /// The tokens that ended with the session; empty for a change.
    package var endedTokens: [SessionToken] = []
}

extension Announcement {
    /// Of a change that was announced before.
    init(_ change: StoredRecord, id: SessionID) {
        self.init(
            id: id, app: change.record.app, labels: change.record.labels,
            revision: change.record.revision, sequence: change.sequence,
            event: .change(change.record, change.sequence))
    }
}

/// What a client asks to be told of.
package struct Subscription: Sendable {
    package enum Scope: Sendable {
        case sessions(Set<SessionID>)
        /// All sessions that the filter takes.
        case all(SessionFilter)
    }

    package var scope: Scope
    /// `.eventStream` or `.ndjson`.
    package var format: ContentType
    /// The stream ends after so many events; nil: never.
    package var eventsMax: Int?
    /// Whether the stream ends with its only session.
    package var endsWithSession: Bool
    /// What is told already: only what comes behind is announced.
    package var after: SequenceNumber
    /// By what it was let in.
    package var credentials: Credentials

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

/// A stream that begins.
package struct StreamOpening: Sendable {
    package var response: Response
    package var subscription: Subscription
    /// What is said first.
    package var events: [StreamEvent]
    /// Nothing of it may leave before this is durable.
    package var visibleAfter: SequenceNumber
}

/// A read that waits for the next change of a session.
package struct LongPoll: Sendable {
    package var id: SessionID
    package var seconds: Int
}

extension StreamEvent {
    /// A change as streams tell of it: revision, the event's members, the session.
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
