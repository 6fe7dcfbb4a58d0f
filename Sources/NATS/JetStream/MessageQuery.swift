package import JSON

/// Selects messages of a stream, as the body of a `STREAM.MSG.GET` or `DIRECT.GET` request.
package enum MessageQuery: Equatable, Sendable {
    /// The message with this stream sequence.
    case sequence(Int)
    /// The last message of a subject.
    case last(Subject)
    /// The first message at or after a sequence whose subject matches the filter.
    case next(SubjectFilter, from: Int)
    /// The first messages, up to `count`, at or after a sequence that match the filter. The server
    /// stops after the message with which they have `bytes`. `DIRECT.GET` only.
    case batch(SubjectFilter, from: Int, count: Int, bytes: Int)

    /// The JSON body of the request.
    package var body: [UInt8] { JSON.object(members).bytes }

    private var members: JSONObject {
        switch self {
        case .sequence(let number): JSONObject([("seq", .integer(Int64(number)))])
        case .last(let subject): JSONObject([("last_by_subj", .string(subject.text))])
        case .next(let filter, let first):
            JSONObject([
                ("seq", .integer(Int64(first))), ("next_by_subj", .string(filter.text)),
            ])
        case .batch(let filter, let first, let count, let bytes):
            JSONObject([
                ("seq", .integer(Int64(first))), ("batch", .integer(Int64(count))),
                ("max_bytes", .integer(Int64(bytes))), ("next_by_subj", .string(filter.text)),
            ])
        }
    }
}

/// The subjects of JetStream API requests.
package enum JetStreamAPI {
    /// Creates a stream. The body is a `StreamConfig`, the response a `StreamInfo`.
    package static func streamCreate(_ stream: SubjectToken) -> Subject {
        subject("STREAM.CREATE.\(stream.text)")
    }

    /// Deletes a stream with all its messages. The body is empty, the response a `StreamDeleted`.
    package static func streamDelete(_ stream: SubjectToken) -> Subject {
        subject("STREAM.DELETE.\(stream.text)")
    }

    /// Gets a stream's info. The body is empty, the response a `StreamInfo`.
    package static func streamInfo(_ stream: SubjectToken) -> Subject {
        subject("STREAM.INFO.\(stream.text)")
    }

    /// Removes messages of a subject from a stream. The body is a `PurgeRequest`, the response a
    /// `PurgeResult`.
    package static func streamPurge(_ stream: SubjectToken) -> Subject {
        subject("STREAM.PURGE.\(stream.text)")
    }

    /// Gets a message from the stream's leader. The body is a `MessageQuery`, the response a
    /// `StoredMessage`.
    package static func messageGet(_ stream: SubjectToken) -> Subject {
        subject("STREAM.MSG.GET.\(stream.text)")
    }

    /// Gets messages from any replica (direct get), which may lag behind the leader. The body is a
    /// `MessageQuery`, each response a `DirectAnswer`.
    package static func directGet(_ stream: SubjectToken) -> Subject {
        subject("DIRECT.GET.\(stream.text)")
    }

    /// Creates a consumer. The body is an `OrderedConsumer`, the response a `ConsumerCreated`.
    package static func consumerCreate(_ stream: SubjectToken, _ name: SubjectToken) -> Subject {
        subject("CONSUMER.CREATE.\(stream.text).\(name.text)")
    }

    private static func subject(_ rest: String) -> Subject {
        Subject(trusted: "$JS.API." + rest)
    }
}

/// Removes the messages of one subject up to a stream sequence.
package struct PurgeRequest: Equatable, Sendable {
    /// The subject.
    package let subject: Subject
    /// Messages with this stream sequence or a higher one stay.
    package let before: Int

    package init(_ subject: Subject, before: Int) {
        self.subject = subject
        self.before = before
    }

    /// The JSON body of the request.
    package var body: [UInt8] {
        JSON.object(
            JSONObject([
                ("filter", .string(subject.text)), ("seq", .integer(Int64(before))),
            ])
        ).bytes
    }
}

/// The response to a `PurgeRequest`.
package struct PurgeResult: AnswerBody, Equatable {
    /// How many messages were removed.
    package let purged: Int

    package init(_ members: JSONObject) throws(BodyError) {
        purged = try members.number("purged")
    }
}

/// The response to the deletion of a stream.
package struct StreamDeleted: AnswerBody, Equatable {
    /// Whether the stream was deleted.
    package let isDeleted: Bool

    package init(_ members: JSONObject) throws(BodyError) {
        isDeleted = try members.flag("success")
    }
}
