public import JSON

/// Selects messages of a stream, as the body of a `STREAM.MSG.GET` or `DIRECT.GET` request.
public enum MessageQuery: Equatable, Sendable {
    /// The message with this stream sequence.
    case sequence(Int)
    /// The last message of a subject.
    case last(Subject)
    /// The first message at or after a sequence whose subject matches the filter.
    case next(SubjectFilter, from: Int)
    /// The first messages, up to `count`, at or after a sequence that match the filter. The server
    /// stops after the message with which they have `bytes`. `DIRECT.GET` only.
    case batch(SubjectFilter, from: Int, count: Int, bytes: Int)

    public var body: [UInt8] {
        switch self {
        case .sequence(let number): JSONBody.text(("seq", .number(number)))
        case .last(let subject): JSONBody.text(("last_by_subj", .string(subject.text)))
        case .next(let filter, let first):
            JSONBody.text(("seq", .number(first)), ("next_by_subj", .string(filter.text)))
        case .batch(let filter, let first, let count, let bytes):
            JSONBody.text(
                ("seq", .number(first)), ("batch", .number(count)), ("max_bytes", .number(bytes)),
                ("next_by_subj", .string(filter.text)))
        }
    }
}

/// The subjects of JetStream API requests.
public enum JetStreamAPI {
    /// Creates a stream. The body is a `StreamConfig`, the response a `StreamInfo`.
    public static func streamCreate(_ stream: SubjectToken) -> Subject {
        subject("STREAM.CREATE.\(stream.text)")
    }

    /// Deletes a stream with all its messages. The body is empty, the response `Done`.
    public static func streamDelete(_ stream: SubjectToken) -> Subject {
        subject("STREAM.DELETE.\(stream.text)")
    }

    /// Gets a stream's info. The body is empty, the response a `StreamInfo`.
    public static func streamInfo(_ stream: SubjectToken) -> Subject {
        subject("STREAM.INFO.\(stream.text)")
    }

    /// Removes messages from a stream. The body is that of `purge`, the response `Done`.
    public static func streamPurge(_ stream: SubjectToken) -> Subject {
        subject("STREAM.PURGE.\(stream.text)")
    }

    /// Gets a message from the stream's leader. The body is a `MessageQuery`, the response a
    /// `StoredMessage`.
    public static func messageGet(_ stream: SubjectToken) -> Subject {
        subject("STREAM.MSG.GET.\(stream.text)")
    }

    /// Gets messages from any replica (direct get), which may lag behind the leader. The body is a
    /// `MessageQuery`, each response a `DirectAnswer`.
    public static func directGet(_ stream: SubjectToken) -> Subject {
        subject("DIRECT.GET.\(stream.text)")
    }

    /// Creates a consumer. The body is an `OrderedConsumer`, the response a `ConsumerCreated`.
    public static func consumerCreate(_ stream: SubjectToken, _ name: SubjectToken) -> Subject {
        subject("CONSUMER.CREATE.\(stream.text).\(name.text)")
    }

    /// The body of a request that removes the messages of one subject.
    ///
    /// - Parameter number: messages with this stream sequence or a higher one stay.
    public static func purge(_ subject: Subject, before number: Int) -> [UInt8] {
        JSONBody.text(("filter", .string(subject.text)), ("seq", .number(number)))
    }

    private static func subject(_ rest: String) -> Subject {
        Subject(trusted: "$JS.API." + rest)
    }
}

/// The response to the removal of messages or of a stream.
public struct Done: AnswerBody, Equatable {
    /// Whether it was done.
    public let isDone: Bool

    public init(_ members: JSONObject) throws(BodyError) { isDone = try members.flag("success") }
}
