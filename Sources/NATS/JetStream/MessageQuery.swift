internal import JSON

/// Which messages of a stream are asked for; the body of `STREAM.MSG.GET` and of `DIRECT.GET`.
package enum MessageQuery: Equatable, Sendable {
    /// The message with a number.
    case sequence(Int)
    /// The last message with a subject.
    case last(Subject)
    /// The first message from a number on that a filter covers.
    case next(SubjectFilter, from: Int)
    /// The first messages from a number on that a filter covers; only `DIRECT.GET`.
    case batch(SubjectFilter, from: Int, count: Int)
    /// The last message of each subject that one of the filters covers, as the stream was when it
    /// ended with `upTo`; only `DIRECT.GET`, and at most 1,024 messages. `from` and `upTo` ask for
    /// the rest of a batch that was too long.
    case lasts([SubjectFilter], from: Int?, upTo: Int?)

    /// The most subjects that one request may cover.
    package static let lastsMax = 1_024

    /// The body of the request.
    package var body: [UInt8] { JSON.object(members).bytes }

    private var members: JSONObject {
        switch self {
        case .sequence(let number): JSONObject([("seq", .integer(Int64(number)))])
        case .last(let subject): JSONObject([("last_by_subj", .string(subject.text))])
        case .next(let filter, let first):
            JSONObject([
                ("seq", .integer(Int64(first))), ("next_by_subj", .string(filter.text)),
            ])
        case .batch(let filter, let first, let count):
            JSONObject([
                ("seq", .integer(Int64(first))), ("batch", .integer(Int64(count))),
                ("next_by_subj", .string(filter.text)),
            ])
        case .lasts(let filters, let first, let last):
            JSONObject(
                [("multi_last", .array(filters.map { .string($0.text) }))]
                    + [("seq", first), ("up_to_seq", last)].compactMap { name, number in
                        number.map { (name, .integer(Int64($0))) }
                    })
        }
    }
}

/// The subjects of the JetStream API.
package enum JetStreamAPI {
    /// Creates a stream; the body is a `StreamConfig`, the answer a `StreamInfo`.
    package static func streamCreate(_ stream: SubjectToken) -> Subject {
        subject("STREAM.CREATE.\(stream.text)")
    }

    /// Changes a stream's configuration; the body is a `StreamConfig`, the answer a `StreamInfo`.
    package static func streamUpdate(_ stream: SubjectToken) -> Subject {
        subject("STREAM.UPDATE.\(stream.text)")
    }

    /// Asks for a `StreamInfo`, without a body.
    package static func streamInfo(_ stream: SubjectToken) -> Subject {
        subject("STREAM.INFO.\(stream.text)")
    }

    /// Asks the stream's leader for a `StoredMessage` by a `MessageQuery`.
    package static func messageGet(_ stream: SubjectToken) -> Subject {
        subject("STREAM.MSG.GET.\(stream.text)")
    }

    /// Asks any replica for messages by a `MessageQuery`; what comes is a `DirectAnswer`. A replica
    /// may be behind the leader.
    package static func directGet(_ stream: SubjectToken) -> Subject {
        subject("DIRECT.GET.\(stream.text)")
    }

    /// Creates a consumer; the body is an `OrderedConsumer`, the answer a `ConsumerCreated`.
    package static func consumerCreate(_ stream: SubjectToken, _ name: SubjectToken) -> Subject {
        subject("CONSUMER.CREATE.\(stream.text).\(name.text)")
    }

    private static func subject(_ rest: String) -> Subject {
        Subject(trusted: "$JS.API." + rest)
    }
}
