package import Bytes
package import HTTP
internal import JSON
package import Navigation
package import Sessions

/// An event of a stream, and its bytes in each form that streams want, which are made once. It is a
/// class, as all streams that send it share it.
package final class StreamEvent {
    /// The name of an event.
    package enum Name: String, Sendable {
        case hello, snapshot, change, deleted, expired, watchers, signal

        /// Whether the stream of one session ends with this event.
        package var isEnd: Bool { self == .deleted || self == .expired }
        /// Whether a stream can be resumed from the event.
        var isNumbered: Bool { self != .watchers && self != .signal }
    }

    /// The session that an event is about.
    package struct Subject {
        package let id: SessionID
        let app: AppID?
        let labels: [Label]
        let revision: Int
        /// The tokens that ended with the session.
        var endedTokens: [SessionToken] = []
    }

    /// The source of the event's data.
    private enum Content {
        case text([UInt8])
        case change(StoredRecord, EntityTagMember)
        case snapshot(StoredRecord, EntityTagMember, hasGap: Bool)
        case end(Deletion)
    }

    /// The form in which a stream wants its events.
    private struct Form: Equatable {
        let format: ContentType
        let framing: StreamFraming
        let withSteps: Bool
        let withPosition: Bool
    }

    /// The name of the event.
    package let name: Name
    /// The session, if the event is a change of one.
    package let subject: Subject?
    /// The sequence number of the change, from which a stream of one session can be resumed.
    package let sequence: SequenceNumber
    /// The position after the event, from which a stream of several sessions can be resumed. In a
    /// store with one log it is the number.
    package internal(set) var position: FeedPosition
    private let content: Content
    /// The steps of a change as JSON, for streams that requested them, if there are any.
    package let steps: [UInt8]?
    private var made: [(form: Form, frame: [UInt8])] = []

    private init(
        _ name: Name, _ content: Content, subject: Subject? = nil, sequence: SequenceNumber,
        steps: [UInt8]? = nil
    ) {
        self.name = name
        self.content = content
        self.subject = subject
        self.sequence = sequence
        self.steps = steps
        position = FeedPosition(sequence)
    }

    // MARK: - Events

    /// A change, with its steps from the revision before as JSON. The steps are nil if no stream
    /// wants them, and for the first revision of a session.
    convenience init(_ stored: StoredRecord, _ tag: EntityTagMember, steps: [UInt8]? = nil) {
        self.init(
            .change, .change(stored, tag), subject: Subject(stored), sequence: stored.sequence,
            steps: steps)
    }

    /// The state of a session.
    ///
    /// - Parameter hasGap: whether the client may have missed changes.
    convenience init(snapshot stored: StoredRecord, hasGap: Bool, _ tag: EntityTagMember) {
        self.init(
            .snapshot, .snapshot(stored, tag, hasGap: hasGap), subject: Subject(stored),
            sequence: stored.sequence)
    }

    /// The end of a session.
    convenience init(_ deletion: Deletion) {
        let subject = Subject(
            id: deletion.id, app: deletion.app, labels: deletion.labels,
            revision: deletion.revision, endedTokens: deletion.tokens)
        self.init(
            deletion.why == .deleted ? .deleted : .expired, .end(deletion), subject: subject,
            sequence: deletion.sequence)
    }

    /// The beginning of a stream of all sessions.
    convenience init(hello position: FeedPosition, hasGap: Bool) {
        let data = Array((hasGap ? #"{"gap":true}"# : "{}").utf8)
        self.init(.hello, .text(data), sequence: position.number)
        self.position = position
    }

    /// The list of those who watch a session.
    package convenience init(watchers list: [Watcher]) {
        self.init(.watchers, .text(list.json), sequence: 0)
    }

    /// A signal to the streams of a session.
    package convenience init(_ signal: Signal, for session: SessionID) {
        self.init(.signal, .text(signal.data(for: session)), sequence: 0)
    }

    // MARK: - Bytes

    /// The event as one of the first events of a stream, which each have their own position.
    package func firstFrame(for subscription: Subscription, _ framing: StreamFraming) -> [UInt8] {
        framing.frame(encoded(for: subscription, position))
    }

    /// The event as a stream gets it after its first events.
    package func frame(for subscription: Subscription, _ framing: StreamFraming) -> [UInt8] {
        // A client that has resumed a stream here can have been told more of some logs, elsewhere,
        // than the feed has told here. Its ids must not go back.
        if subscription.sendsPositions, name.isNumbered, !position.covers(subscription.after) {
            var own = position
            own.formUnion(subscription.after)
            return framing.frame(encoded(for: subscription, own))
        }
        let form = Form(
            format: subscription.format, framing: framing, withSteps: subscription.wantsSteps,
            withPosition: subscription.sendsPositions)
        for known in made where known.form == form { return known.frame }
        let frame = framing.frame(encoded(for: subscription, position))
        made.append((form, frame))
        return frame
    }

    /// The line that keeps a stream of JSON lines open while nothing happens.
    package static func append(heartbeatAt now: Milliseconds, to line: inout ByteWriter) {
        line.append(literal: #"{"event":"heartbeat","data":{"at":"#)
        line.append(time: now)
        line.append(literal: "}}\n")
    }

    private func encoded(
        for subscription: Subscription, _ position: FeedPosition
    ) -> ByteWriter {
        let data = writtenData(withSteps: subscription.wantsSteps)
        var out = ByteWriter(capacity: data.count + 64)
        guard subscription.format == .ndjson else {
            let hasNumber = name.isNumbered && !subscription.sendsPositions
            if name.isNumbered, !hasNumber {
                EventStreamEncoder.append(id: position.text, to: &out)
            }
            data.withText { text in
                EventStreamEncoder.append(
                    event: name.eventName, id: hasNumber ? sequence : nil, data: text, to: &out)
            }
            return out
        }
        out.append(UInt8(ascii: "{"))
        if name.isNumbered {
            out.append(literal: #""id":"#)
            if subscription.sendsPositions {
                out.append(quoting: position.text.span)
            } else {
                out.append(Int(sequence))
            }
            out.append(UInt8(ascii: ","))
        }
        out.append(literal: #""event":""#)
        out.append(name.rawValue)
        out.append(literal: #"","data":"#)
        out.append(data)
        out.append(literal: "}\n")
        return out
    }

    /// The JSON object that the event carries, without the steps.
    package var data: [UInt8] { writtenData(withSteps: false).finish() }

    private func writtenData(withSteps: Bool) -> ByteWriter {
        var data = ByteWriter(capacity: 2048)
        switch content {
        case .text(let text):
            data.append(text)
            return data
        case .change(let stored, let tag):
            data.begin(stored, tag)
            data.append(UInt8(ascii: ","))
            data.append(stored.record.event.dropFirst().dropLast())
            data.append(session: stored)
            if withSteps, let steps {
                data.append(literal: #","steps":"#)
                data.append(steps)
            }
        case .snapshot(let stored, let tag, let hasGap):
            data.begin(stored, tag)
            data.append(session: stored)
            if hasGap { data.append(literal: #","gap":true"#) }
        case .end(let deletion):
            data.append(literal: #"{"id":"#)
            data.append(string: deletion.id.rawValue)
            if let author = deletion.author {
                data.append(literal: #","by":""#)
                data.append(author.rawValue)
                data.append(literal: #"""#)
            }
        }
        data.append(UInt8(ascii: "}"))
        return data
    }
}

extension StreamEvent.Subject {
    fileprivate init(_ stored: StoredRecord) {
        let record = stored.record
        self.init(
            id: record.id, app: record.app, labels: record.labels, revision: record.revision)
    }
}

extension ByteWriter {
    fileprivate mutating func begin(_ stored: StoredRecord, _ tag: EntityTagMember) {
        append(literal: #"{"revision":"#)
        append(stored.record.revision)
        tag.append(stored.version.entity, to: &self)
    }

    fileprivate mutating func append(session stored: StoredRecord) {
        append(literal: #","session":"#)
        append(stored.record.state)
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
        case .watchers: "watchers"
        case .signal: "signal"
        }
    }
}
