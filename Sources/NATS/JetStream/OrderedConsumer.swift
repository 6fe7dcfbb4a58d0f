internal import Bytes
public import JSON

/// An ordered consumer: an ephemeral push consumer that delivers a stream's messages in order, from
/// a given sequence on. It needs no acknowledgements and is kept in the memory of a single server.
/// It sends an idle heartbeat every 500 ms, and the server removes it after 5 s without a
/// subscriber.
public struct OrderedConsumer: Equatable, Sendable {
    public let stream: SubjectToken
    /// The name of the consumer, which must not be in use.
    public let name: SubjectToken
    /// The deliver subject, to which the client subscribes. Idle heartbeats and flow control
    /// requests have this subject. Messages keep the subject under which they were published, and
    /// belong to this subscription by their `sid`.
    public let deliverSubject: Subject
    /// Where to start.
    public let start: Start
    /// The subjects to deliver. If it is nil, all are delivered.
    public let filter: SubjectFilter?
    /// Whether messages are delivered without their payload.
    public let headersOnly: Bool

    /// Where a consumer starts.
    public enum Start: Equatable, Sendable {
        /// At this stream sequence.
        case sequence(Int)
        /// With the last message of each subject that matches the filter, in the order of the
        /// stream, and then with what is stored after them. A filter is required.
        case lastPerSubject
    }

    public init(
        stream: SubjectToken, name: SubjectToken, deliverSubject: Subject, start: Start,
        filter: SubjectFilter? = nil, headersOnly: Bool = false
    ) {
        (self.stream, self.name, self.deliverSubject) = (stream, name, deliverSubject)
        (self.start, self.filter, self.headersOnly) = (start, filter, headersOnly)
    }

    /// The interval of idle heartbeats.
    public static let heartbeatMilliseconds = 500
    /// How long the server keeps a consumer without a subscriber.
    public static let inactiveMilliseconds = 5_000

    /// The JSON body of the request that creates the consumer.
    public var body: [UInt8] {
        var config = JSONObject([
            ("name", .string(name.text)), ("deliver_subject", .string(deliverSubject.text)),
            ("ack_policy", .string("none")), ("max_deliver", .integer(1)),
            ("replay_policy", .string("instant")), ("flow_control", .bool(true)),
            ("idle_heartbeat", .number(Self.heartbeatMilliseconds * 1_000_000)),
            ("inactive_threshold", .number(Self.inactiveMilliseconds * 1_000_000)),
            ("mem_storage", .bool(true)), ("num_replicas", .number(1)),
        ])
        switch start {
        case .sequence(let first):
            config.append("deliver_policy", .string("by_start_sequence"))
            config.append("opt_start_seq", .number(max(first, 1)))
        case .lastPerSubject: config.append("deliver_policy", .string("last_per_subject"))
        }
        if let filter { config.append("filter_subject", .string(filter.text)) }
        if headersOnly { config.append("headers_only", .bool(true)) }
        return JSONBody.text(("stream_name", .string(stream.text)), ("config", .object(config)))
    }
}

/// The response to a request that creates a consumer.
public struct ConsumerCreated: AnswerBody, Equatable {
    /// How many messages the consumer has to deliver.
    public let pending: Int

    public init(_ members: JSONObject) throws(BodyError) {
        pending = try members.number("num_pending")
    }
}
