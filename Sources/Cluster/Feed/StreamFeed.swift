internal import Bytes
internal import NATS

/// One stream as it is read from its last messages on: an `OrderedReader` with the names of its
/// consumers.
struct StreamFeed {
    /// What the stream must be like.
    let config: StreamConfig
    /// Why the stream is not like that, by the last answer of its leader.
    private(set) var misfit: StoreOpenError?
    /// Reads in order.
    var reader = OrderedReader(after: 0)
    /// The subscription of the current consumer.
    var subscription: SubscriptionID?
    /// Whether everything has been read that was in the stream when the first consumer was made.
    private(set) var hasCaughtUp = false
    /// Whether the stream is still the same.
    var standing = StreamStanding()
    /// The last message that was read, except barriers.
    private(set) var landmark: StreamLandmark?

    private let barrier: [UInt8]
    private let first: [UInt8]
    private let readsAll: Bool

    /// - Parameters:
    ///   - config: what the stream must be like.
    ///   - shard: the shard whose stream is read. Nil for the stream of apps.
    ///   - readsAll: whether every message is read from the beginning, not only the last one of
    ///     each subject.
    init(
        _ config: StreamConfig, of shard: Int?, in layout: StoreLayout, readsAll: Bool = false
    ) {
        self.config = config
        barrier = Array(layout.barrierSubject(shard).text.utf8)
        first = Array((shard.map(layout.markSubject) ?? layout.metaSubject).text.utf8)
        self.readsAll = readsAll
    }

    /// The stream.
    var stream: SubjectToken { config.name }

    /// The feeds of all streams of a store. That of apps is the last.
    ///
    /// - Parameter replicas: how many servers must keep each message.
    static func all(
        _ layout: StoreLayout, replicas: Int, readsAll: Bool = false
    ) -> [StreamFeed] {
        layout.streams(replicas: replicas).enumerated().map { number, config in
            StreamFeed(
                config, of: number < layout.shardCount ? number : nil, in: layout,
                readsAll: readsAll)
        }
    }

    /// What a consumer of this stream needs.
    ///
    /// Until the stream has been read once, the last message of each subject is enough to know the
    /// state of everything. After that every message counts, also the first of a stream that was
    /// empty.
    ///
    /// - Parameter client: a token that no other client of the servers has.
    func consumer(
        of client: SubjectToken, number: Int, generation: Int, from sequence: Int
    ) -> OrderedConsumer {
        let needsAll = readsAll || hasCaughtUp || sequence > 1
        return OrderedConsumer(
            stream: stream,
            name: SubjectToken(trusted: "\(client.text)_\(number)_\(generation)"),
            deliverSubject: Subject(trusted: "_INBOX.\(client.text)f.\(number).\(generation)"),
            start: needsAll ? .sequence(sequence) : .lastPerSubject, filter: config.subjects[0])
    }

    /// Whether what was read is current, and is of this stream.
    var isAlive: Bool { reader.isAlive && standing.fault == nil }

    /// Takes what the stream's leader says about its configuration.
    ///
    /// - Returns: whether that is new.
    mutating func inspect(_ info: StreamInfo) -> Bool {
        let former = misfit
        misfit = StoreRequirements.fault(of: info, as: config, replicasMin: config.replicas)
        return misfit != former
    }

    /// Notes a message that was read.
    mutating func note(_ message: Message, _ delivery: Delivery) {
        guard message.subjectBytes != barrier[...],
            let subject = try? Subject(message.subjectBytes)
        else { return }
        landmark = StreamLandmark(
            subject: subject, number: delivery.streamSequence, time: delivery.time)
        if message.subjectBytes == first[...] { standing.first = delivery.streamSequence }
    }

    /// Notes whether everything has been read once. It is called after each event.
    mutating func noteProgress() {
        if isAlive { hasCaughtUp = true }
    }
}

/// A message of a stream, as a feed delivers it.
struct FedMessage: Sendable {
    /// The number of the feed.
    let feed: Int
    /// The stream sequence.
    let number: Int
    /// The bytes of the subject.
    let subject: ArraySlice<UInt8>
    /// The payload.
    let content: ArraySlice<UInt8>
    /// When the servers stored it, in milliseconds since 1970.
    let storedAt: Int64
}
