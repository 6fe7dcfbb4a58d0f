internal import Bytes
public import JSON

/// The configuration of a stream: the settings that differ between streams. All streams of navstate
/// have file storage, limits retention and direct get, discard old messages first, and do not allow
/// rollups.
///
/// They are not compressed. With S2 compression, a server of version 2.15.1 that was killed may
/// damage the last block of its replica when it starts again ("error reading compression reader:
/// s2: corrupt input"). A stream then loses its quorum for good, although every message was synced.
public struct StreamConfig: Equatable, Sendable {
    public let name: SubjectToken
    /// The subjects whose messages the stream stores.
    public let subjects: [SubjectFilter]
    public let replicas: Int
    /// How many messages the stream keeps for each subject.
    public let messagesPerSubjectMax: Int
    /// The maximum size of a message, including its headers.
    public let messageBytesMax: Int
    /// The sequence of the first message of a new stream. 0 means the server's default; use it for
    /// a stream that already has messages.
    public let firstSequence: Int

    public init(
        name: SubjectToken, subjects: [SubjectFilter], replicas: Int, messagesPerSubjectMax: Int,
        messageBytesMax: Int, firstSequence: Int = 0
    ) {
        (self.name, self.subjects, self.replicas) = (name, subjects, replicas)
        (self.messagesPerSubjectMax, self.messageBytesMax, self.firstSequence) =
            (messagesPerSubjectMax, messageBytesMax, firstSequence)
    }

    /// The JSON body of a request that creates or updates the stream.
    public var body: [UInt8] { JSON.object(members).bytes }

    /// The names of the settings in which an existing stream differs from this configuration: those
    /// of the request in its order, and then all others that the server names and that are not
    /// neutral, which is false, zero or empty. So a setting that is not known here counts as well.
    public func differences(in info: StreamInfo) -> [String] {
        let wanted = members
        let different = wanted.members.filter { info.config[$0.key] != $0.value }
        let others = info.config.members.filter { wanted[$0.key] == nil && !$0.value.isNeutral }
        return (different + others).map(\.key).filter { !Self.free.contains(ExactString($0)) }
    }

    /// Members that do not change how a stream works: where its servers are, people's notes on it,
    /// and what only matters when it is created.
    private static let free: Set<ExactString> = [
        "first_seq", "placement", "description", "metadata",
    ]

    /// Two minutes, the server's default. No message of navstate has the header that it is for.
    private static let duplicateNanoseconds = 120_000_000_000

    private var members: JSONObject {
        var members = JSONObject([
            ("name", .string(name.text)),
            ("subjects", .array(subjects.map { .string($0.text) })),
            ("retention", .string("limits")), ("storage", .string("file")),
            ("discard", .string("old")), ("num_replicas", .number(replicas)),
            ("max_msgs", .number(-1)), ("max_bytes", .number(-1)), ("max_age", .number(0)),
            ("max_msgs_per_subject", .number(messagesPerSubjectMax)),
            ("max_msg_size", .number(messageBytesMax)), ("max_consumers", .number(-1)),
            ("duplicate_window", .number(Self.duplicateNanoseconds)),
            ("compression", .string("none")), ("allow_direct", .bool(true)),
        ])
        if firstSequence > 0 { members.append("first_seq", .number(firstSequence)) }
        return members
    }
}

extension JSON {
    /// Whether a setting with this value has no effect.
    fileprivate var isNeutral: Bool {
        switch self {
        case .null, .bool(false), .integer(0): true
        case .bool(true), .integer, .double: false
        case .string(let text): text.isEmpty || text == "default"
        case .array(let elements): elements.isEmpty
        case .object(let members): members.members.allSatisfy(\.value.isNeutral)
        }
    }
}

/// The server's report on a stream.
public struct StreamInfo: AnswerBody {
    /// The configuration as the server has it.
    public let config: JSONObject
    /// The content of the stream.
    public let state: State
    /// When the stream was created. A stream that was deleted and created again has another time.
    public let created: ServerTime
    /// The time by the clock of the server that answered. It is nil if the server does not
    /// say so.
    public let time: ServerTime?
    /// The name of the server that leads the stream. It is nil during an election, and a standalone
    /// server may omit it.
    public let leader: String?
    /// The servers that follow the leader.
    public let followers: [Follower]

    /// How many servers should have a copy of the stream. It is 0 if the server does not say so.
    public var replicas: Int { (try? config.number("num_replicas")) ?? 0 }

    /// A server that keeps a copy of the stream and does not lead it.
    public struct Follower: Equatable, Sendable {
        public let name: String
        /// Whether it has everything that the leader has.
        public let isCurrent: Bool
        /// Whether the other servers do not reach it.
        public let isOffline: Bool
        public let lag: Int

        init(_ members: JSONObject) throws(BodyError) {
            name = try members.text("name")
            isCurrent = try members.flag("current")
            isOffline = try members.flag("offline")
            lag = try members.number("lag", or: 0)
        }
    }

    /// The contents of a stream.
    public struct State: Equatable, Sendable {
        public let messages: Int
        /// The total size of the messages in bytes, as the server counts it.
        public let bytes: Int
        /// The sequence of the first message. In an empty stream, the sequence that the next
        /// message will get.
        public let firstSequence: Int
        /// When the first message was stored. It is nil if the stream is empty.
        public let firstAt: ServerTime?
        /// The sequence of the last message that was stored, even if it has been removed since.
        public let lastSequence: Int
        /// The number of distinct subjects.
        public let subjects: Int
    }

    public init(_ members: JSONObject) throws(BodyError) {
        config = try members.required("config")
        let state = try members.required("state")
        self.state = State(
            messages: try state.number("messages"), bytes: try state.number("bytes"),
            firstSequence: try state.number("first_seq"),
            firstAt: ServerTime(try state.text("first_ts", or: "").utf8),
            lastSequence: try state.number("last_seq"),
            subjects: try state.number("num_subjects", or: 0))
        // A standalone server reports itself as the leader or omits the cluster.
        let cluster = try members.object("cluster")
        let name = try cluster?.text("leader", or: "") ?? ""
        leader = name.isEmpty ? nil : name
        var followers: [Follower] = []
        for replica in try cluster?.elements("replicas") ?? [] {
            guard case .object(let peer) = replica else { throw .member("replicas") }
            followers.append(try Follower(peer))
        }
        self.followers = followers
        created = try members.time("created")
        time = ServerTime(try members.text("ts", or: "").utf8)
    }
}
