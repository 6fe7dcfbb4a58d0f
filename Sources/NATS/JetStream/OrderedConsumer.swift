package import JSON

/// A consumer that pushes a stream's messages in order from a number on. It acknowledges nothing,
/// lives in the memory of one server, says every half second that it is there, and is forgotten by
/// the server when nobody has listened to it for five seconds.
package struct OrderedConsumer: Equatable, Sendable {
    /// The stream that is read.
    package let stream: SubjectToken
    /// The name of the consumer, which must be new.
    package let name: SubjectToken
    /// The subject of heartbeats and flow control. Messages keep their own subjects; they belong to
    /// the subscription to this one.
    package let deliverSubject: Subject
    /// The number of the first message.
    package let firstSequence: Int
    /// Which messages, or nil for all.
    package let filter: SubjectFilter?
    /// Whether the messages come without their content.
    package let headersOnly: Bool

    package init(
        stream: SubjectToken, name: SubjectToken, deliverSubject: Subject, firstSequence: Int,
        filter: SubjectFilter? = nil, headersOnly: Bool = false
    ) {
        self.stream = stream
        self.name = name
        self.deliverSubject = deliverSubject
        self.firstSequence = firstSequence
        self.filter = filter
        self.headersOnly = headersOnly
    }

    /// How often a consumer that has nothing to send says so.
    package static let heartbeatMilliseconds = 500
    /// After how long without a listener the server forgets the consumer.
    package static let inactiveMilliseconds = 5_000

    /// The body of the request.
    package var body: [UInt8] {
        let million: Int64 = 1_000_000
        var config = JSONObject([
            ("name", .string(name.text)), ("deliver_subject", .string(deliverSubject.text)),
            ("deliver_policy", .string("by_start_sequence")),
            ("opt_start_seq", .integer(Int64(max(firstSequence, 1)))),
            ("ack_policy", .string("none")), ("max_deliver", .integer(1)),
            ("replay_policy", .string("instant")), ("flow_control", .bool(true)),
            ("idle_heartbeat", .integer(Int64(Self.heartbeatMilliseconds) * million)),
            ("inactive_threshold", .integer(Int64(Self.inactiveMilliseconds) * million)),
            ("mem_storage", .bool(true)), ("num_replicas", .integer(1)),
        ])
        if let filter { config.append("filter_subject", .string(filter.text)) }
        if headersOnly { config.append("headers_only", .bool(true)) }
        return JSON.object(
            JSONObject([("stream_name", .string(stream.text)), ("config", .object(config))])
        ).bytes
    }
}

/// The answer to the request for a consumer.
package struct ConsumerCreated: AnswerBody, Equatable {
    /// The name of the consumer.
    package let name: String
    /// How many messages it has to deliver.
    package let pending: Int

    package init(_ members: JSONObject) throws(BodyError) {
        name = try members.text("name")
        pending = try members.number("num_pending")
    }
}
