public import Bytes
public import HTTP
internal import JSON
public import Navigation
public import Sessions

/// An event of a stream, and its bytes in each form that streams want, which are made once. It is a
/// class, as all streams that send it share it.
public final class StreamEvent {
    /// The name of an event.
    public enum Name: String, Sendable {
        case hello, snapshot, change, deleted, expired, watchers, signal

        /// Whether the stream of one session ends with this event.
        public var isEnd: Bool { self == .deleted || self == .expired }
        /// Whether a stream can be resumed from the event.
        var isNumbered: Bool { self != .watchers && self != .signal }
    }

    /// The session that an event is about.
    public struct Subject {
        public let id: SessionID
        let app: AppID?
        let labels: [Label]
        let revision: Int
        /// The tokens that ended with the session.
        var endedTokens: [SessionToken] = []
    }

    /// The source of the event's data.
    private enum Content {
        case text([UInt8])
        case change(SessionChange.Details, EntityTagMember)
        case snapshot(StoredRecord, EntityTagMember, hasGap: Bool)
        case end(Deletion)
    }

    /// The form in which a stream wants its events. One number, since an event compares it for each
    /// stream.
    public struct Form: OptionSet, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The events are JSON lines.
        fileprivate static let lines = Form(rawValue: 1)
        fileprivate static let steps = Form(rawValue: 2)
        fileprivate static let position = Form(rawValue: 4)
        /// The events are sent as chunks.
        fileprivate static let chunks = Form(rawValue: 8)

        public init(_ subscription: Subscription, _ framing: StreamFraming) {
            self = []
            if subscription.format == .ndjson { insert(.lines) }
            if subscription.wantsSteps { insert(.steps) }
            if subscription.sendsPositions { insert(.position) }
            if framing == .chunks { insert(.chunks) }
        }

        fileprivate var framing: StreamFraming { contains(.chunks) ? .chunks : .untilClose }
    }

    /// The name of the event.
    public let name: Name
    /// The sequence number of the change, from which a stream of one session can be resumed.
    public let sequence: SequenceNumber
    /// The position after the event, from which a stream of several sessions can be resumed. In a
    /// store with one log it is the number.
    public internal(set) var position: FeedPosition
    private let content: Content
    private var made: [(form: Form, frame: [UInt8])] = []

    private init(_ name: Name, _ content: Content, sequence: SequenceNumber) {
        self.name = name
        self.content = content
        self.sequence = sequence
        position = FeedPosition(sequence)
    }

    // MARK: - Events

    /// A change, with its steps from the revision before as JSON. The steps are nil if no stream
    /// wants them, and for the first revision of a session.
    convenience init(_ details: SessionChange.Details, _ tag: EntityTagMember) {
        self.init(.change, .change(details, tag), sequence: details.stored.sequence)
    }

    /// The state of a session.
    ///
    /// - Parameter hasGap: whether the client may have missed changes.
    convenience init(snapshot stored: StoredRecord, hasGap: Bool, _ tag: EntityTagMember) {
        self.init(
            .snapshot, .snapshot(stored, tag, hasGap: hasGap), sequence: stored.sequence)
    }

    /// The end of a session.
    convenience init(_ deletion: Deletion) {
        self.init(
            deletion.why == .deleted ? .deleted : .expired, .end(deletion),
            sequence: deletion.sequence)
    }

    /// The end of a session that a client knows and that does not exist any more.
    convenience init(ended id: SessionID, at position: FeedPosition) {
        var data = ByteWriter()
        data.object("id")
        data.append(quoting: id.rawValue)
        data.append(UInt8(ascii: "}"))
        self.init(.deleted, .text(data.finish()), sequence: position.number)
        self.position = position
    }

    /// The beginning of a stream of all sessions.
    convenience init(hello position: FeedPosition, hasGap: Bool) {
        let data = Array((hasGap ? #"{"gap":true}"# : "{}").utf8)
        self.init(.hello, .text(data), sequence: position.number)
        self.position = position
    }

    /// The list of those who watch a session.
    public convenience init(watchers list: [Watcher]) {
        self.init(.watchers, .text(list.json), sequence: 0)
    }

    /// A signal to the streams of a session.
    public convenience init(_ signal: Signal, for session: SessionID) {
        self.init(.signal, .text(signal.data(for: session)), sequence: 0)
    }

    /// The session, if the event is a change of one.
    public var subject: Subject? {
        switch content {
        case .text: nil
        case .change(let details, _): Subject(details.stored.record)
        case .snapshot(let stored, _, _): Subject(stored.record)
        case .end(let deletion):
            Subject(
                id: deletion.id, app: deletion.app, labels: deletion.labels,
                revision: deletion.revision, endedTokens: deletion.tokens)
        }
    }

    // MARK: - Bytes

    /// The steps of a change as JSON, for streams that requested them, if there are any.
    public var steps: [UInt8]? {
        if case .change(let details, _) = content { details.steps } else { nil }
    }

    /// The event as one of the first events of a stream, which each have their own position.
    ///
    /// - Parameter text: the event is written into it first, in place of other text.
    public func firstFrame(_ form: Form, using text: inout ByteWriter) -> [UInt8] {
        encode(form, position, into: &text)
        return form.framing.frame(text)
    }

    /// The event as a stream gets it after its first events.
    ///
    /// - Parameter text: the event is written into it first, in place of other text.
    public func frame(
        for subscription: Subscription, _ form: Form, using text: inout ByteWriter
    ) -> [UInt8] {
        // A client that has resumed a stream here can have been told more of some logs, elsewhere,
        // than the feed has told here. Its ids must not go back.
        if form.contains(.position), name.isNumbered, !position.covers(subscription.after) {
            var own = position
            own.formUnion(subscription.after)
            encode(form, own, into: &text)
            return form.framing.frame(text)
        }
        for index in made.indices where made[index].form == form { return made[index].frame }
        let frame = firstFrame(form, using: &text)
        made.append((form, frame))
        return frame
    }

    /// The line that keeps a stream of JSON lines open while nothing happens.
    public static func append(heartbeatAt now: Milliseconds, to line: inout ByteWriter) {
        line.append(literal: #"{"event":"heartbeat","data":"#)
        line.object("at")
        line.append(time: now)
        line.append(literal: "}}\n")
    }

    /// A larger buffer is not kept for the next event, in bytes.
    private static let textBytesKept = 64 << 10

    private func encode(_ form: Form, _ position: FeedPosition, into out: inout ByteWriter) {
        out.removeAll(keepingCapacity: Self.textBytesKept)
        let hasPosition = name.isNumbered && form.contains(.position)
        let number = name.isNumbered && !hasPosition ? sequence : nil
        guard form.contains(.lines) else {
            if hasPosition { EventStreamEncoder.append(id: position.text, to: &out) }
            EventStreamEncoder.append(event: name.eventName, id: number, to: &out) { out in
                appendData(withSteps: form.contains(.steps), to: &out)
            }
            return
        }
        out.append(literal: "{")
        if name.isNumbered {
            out.append(literal: #""id":"#)
            if let number {
                out.append(Int(number))
            } else {
                out.append(quoting: position.text.span)
            }
        }
        out.member(key: "event")
        out.append(quoting: name.rawValue)
        out.member("data")
        appendData(withSteps: form.contains(.steps), to: &out)
        out.append(literal: "}\n")
    }

    /// The JSON object that the event carries, without the steps.
    public var data: [UInt8] {
        var data = ByteWriter()
        appendData(withSteps: false, to: &data)
        return data.finish()
    }

    private func appendData(withSteps: Bool, to data: inout ByteWriter) {
        switch content {
        case .text(let text): return data.append(text)
        case .change(let details, let tag):
            data.begin(
                tag, revision: details.stored.record.revision, version: details.stored.version)
            data.append(UInt8(ascii: ","))
            data.append(details.stored.record.event.dropFirst().dropLast())
            data.member("session", json: details.stored.record.state)
            if withSteps, let steps = details.steps { data.member("steps", json: steps) }
        case .snapshot(let stored, let tag, let hasGap):
            data.begin(tag, revision: stored.record.revision, version: stored.version)
            data.member("session", json: stored.record.state)
            if hasGap { data.member("gap", true) }
        case .end(let deletion):
            data.object("id")
            data.append(string: deletion.id.rawValue)
            if let author = deletion.author { data.member("by", plain: author.rawValue) }
        }
        data.append(UInt8(ascii: "}"))
    }
}

extension StreamEvent.Subject {
    fileprivate init(_ record: borrowing SessionRecord) {
        self.init(
            id: record.id, app: record.app, labels: record.labels, revision: record.revision)
    }
}

// They get members of a record, since a record would be copied.
extension ByteWriter {
    fileprivate mutating func begin(
        _ tag: EntityTagMember, revision: Int, version: StoredVersion
    ) {
        object("revision")
        append(revision)
        tag.append(version.entity, to: &self)
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
