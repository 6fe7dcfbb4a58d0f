package import HTTP
internal import JSON
package import Navigation

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
    package var admission: Admission

    package func takes(_ announcement: Announcement) -> Bool {
        guard announcement.sequence > after else { return false }
        return switch scope {
        case .sessions(let ids): ids.contains(announcement.id)
        case .all(let filter):
            (filter.app == nil || filter.app == announcement.app)
                && filter.labels.allSatisfy(announcement.labels.contains)
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
package struct Waiting: Sendable {
    package var id: SessionID
    package var seconds: Int
}

extension StreamEvent {
    /// A change as streams tell of it: revision, the event's members, the session.
    static func change(_ record: SessionRecord, _ sequence: SequenceNumber) -> StreamEvent {
        var data: [UInt8] = []
        data.reserveCapacity(record.event.count + record.state.count + 48)
        JSONText.append(#"{"revision":"#, to: &data)
        JSONText.appendInteger(record.revision, to: &data)
        data.append(UInt8(ascii: ","))
        data.append(contentsOf: record.event.dropFirst().dropLast())
        JSONText.append(#","session":"#, to: &data)
        data.append(contentsOf: record.state)
        data.append(UInt8(ascii: "}"))
        return StreamEvent(name: .change, sequence: sequence, data: data)
    }

    static func snapshot(_ stored: Stored, hasGap: Bool) -> StreamEvent {
        var data: [UInt8] = []
        JSONText.append(#"{"revision":"#, to: &data)
        JSONText.appendInteger(stored.record.revision, to: &data)
        JSONText.append(#","session":"#, to: &data)
        data.append(contentsOf: stored.record.state)
        JSONText.append(hasGap ? #","gap":true}"# : "}", to: &data)
        return StreamEvent(name: .snapshot, sequence: stored.sequence, data: data)
    }

    static func hello(_ sequence: SequenceNumber, hasGap: Bool) -> StreamEvent {
        let data = Array((hasGap ? #"{"gap":true}"# : "{}").utf8)
        return StreamEvent(name: .hello, sequence: sequence, data: data)
    }

    /// The end of a session.
    package static func end(_ deletion: Deletion) -> StreamEvent {
        var data: [UInt8] = []
        JSONText.append(#"{"id":"#, to: &data)
        JSONText.appendString(deletion.id.rawValue, to: &data)
        data.append(UInt8(ascii: "}"))
        return StreamEvent(
            name: deletion.why == .deleted ? .deleted : .expired, sequence: deletion.sequence,
            data: data)
    }

    /// The event as a part of a stream's body.
    package func encoded(as format: ContentType) -> [UInt8] {
        var out: [UInt8] = []
        if format == .ndjson {
            JSONText.append(#"{"id":"#, to: &out)
            JSONText.appendInteger(Int(sequence), to: &out)
            JSONText.append(#","event":""#, to: &out)
            JSONText.append(name.rawValue, to: &out)
            JSONText.append(#"","data":"#, to: &out)
            out.append(contentsOf: data)
            JSONText.append("}\n", to: &out)
        } else {
            EventStreamEncoder.append(
                event: name.eventName, id: sequence, data: data, to: &out)
        }
        return out
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
