package import JSON

/// The configuration of a stream: what differs from stream to stream. The rest is the same for all
/// streams of navstate: kept in files, within limits, the oldest message of a subject discarded
/// first, never rolled up, and readable from every replica.
package struct StreamConfig: Equatable, Sendable {
    /// The name of the stream.
    package let name: SubjectToken
    /// The subjects whose messages it stores.
    package let subjects: [SubjectFilter]
    /// On how many servers it is.
    package let replicas: Int
    /// How many messages of each subject are kept.
    package let messagesPerSubjectMax: Int
    /// The largest message, with its headers.
    package let messageBytesMax: Int
    /// The number of the first message; 0 for a stream that is not empty.
    package let firstSequence: Int
    /// Where messages are published again once they are stored, or nil.
    package let republish: Republish?

    /// A subject to which stored messages are published again.
    package struct Republish: Equatable, Sendable {
        /// Which messages.
        package let source: SubjectFilter
        /// Under which subject, with the same tokens for the wildcards.
        package let destination: SubjectFilter

        package init(source: SubjectFilter, destination: SubjectFilter) {
            self.source = source
            self.destination = destination
        }
    }

    package init(
        name: SubjectToken, subjects: [SubjectFilter], replicas: Int, messagesPerSubjectMax: Int,
        messageBytesMax: Int, firstSequence: Int = 0, republish: Republish? = nil
    ) {
        self.name = name
        self.subjects = subjects
        self.replicas = replicas
        self.messagesPerSubjectMax = messagesPerSubjectMax
        self.messageBytesMax = messageBytesMax
        self.firstSequence = firstSequence
        self.republish = republish
    }

    /// The body of a request that creates or changes the stream.
    package var body: [UInt8] { JSON.object(members).bytes }

    /// The names of the members in which a stream that exists differs from this one, in the order
    /// of the request. What is not part of the request may be anything. The number of the first
    /// message matters only when a stream is created.
    package func differences(in info: StreamInfo) -> [String] {
        let different = members.members.filter { member in
            member.key != "first_seq" && info.config[member.key] != member.value
        }
        return different.map(\.key)
    }

    private var members: JSONObject {
        var members = JSONObject([
            ("name", .string(name.text)),
            ("subjects", .array(subjects.map { .string($0.text) })),
            ("retention", .string("limits")), ("storage", .string("file")),
            ("discard", .string("old")), ("num_replicas", .integer(Int64(replicas))),
            ("max_msgs", .integer(-1)), ("max_bytes", .integer(-1)), ("max_age", .integer(0)),
            ("max_msgs_per_subject", .integer(Int64(messagesPerSubjectMax))),
            ("max_msg_size", .integer(Int64(messageBytesMax))),
            ("compression", .string("s2")), ("allow_direct", .bool(true)),
        ])
        if firstSequence > 0 { members.append("first_seq", .integer(Int64(firstSequence))) }
        if let republish {
            members.append(
                "republish",
                .object(
                    JSONObject([
                        ("src", .string(republish.source.text)),
                        ("dest", .string(republish.destination.text)),
                    ])))
        }
        return members
    }
}

/// What a server says of a stream.
package struct StreamInfo: AnswerBody {
    /// The configuration, as the server has it.
    package let config: JSONObject
    /// What is in the stream.
    package let state: State
    /// The server that leads the stream, or nil during an election.
    package let leader: String?
    /// How many replicas besides the leader have all that the leader has.
    package let followersCurrent: Int

    /// What is in a stream.
    package struct State: Equatable, Sendable {
        /// The number of messages.
        package let messages: Int
        /// Their size on the disk.
        package let bytes: Int
        /// The sequence number of the first message. In an empty stream, the number that the next
        /// message will get.
        package let firstSequence: Int
        /// The number of the last message that was stored, even if it is no longer there.
        package let lastSequence: Int
        /// The number of different subjects.
        package let subjects: Int
    }

    package init(_ members: JSONObject) throws(BodyError) {
        config = try members.required("config")
        let state = try members.required("state")
        self.state = State(
            messages: try state.number("messages"), bytes: try state.number("bytes"),
            firstSequence: try state.number("first_seq"),
            lastSequence: try state.number("last_seq"),
            subjects: try state.number("num_subjects", or: 0))
        // A server that is alone names itself here, or says nothing.
        let cluster = try members.object("cluster")
        let name = try cluster?.text("leader", or: "") ?? ""
        leader = name.isEmpty ? nil : name
        var current = 0
        for replica in try cluster?.elements("replicas") ?? [] {
            guard case .object(let peer) = replica else { throw .member("replicas") }
            if try peer.flag("current") { current += 1 }
        }
        followersCurrent = current
    }
}
