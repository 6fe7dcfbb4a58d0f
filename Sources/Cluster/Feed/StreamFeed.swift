internal import Bytes
internal import NATS

/// One stream as it is read from its last messages on: an `OrderedReader` with the names of its
/// consumers.
///
///     reads     the consumer delivers                                    until
///     heads     the headers of the last message of each subject, and     the end of the stream, or
///               of what is stored after them                             a message without a head
///     newest    the last message of each subject, and what follows       the end of the stream
///     all       every message after the last one that was read
final class StreamFeed {
    /// The part of the stream that is read.
    enum Extent { case heads, newest, all }

    /// The last answer of the stream's leader.
    struct Inspection {
        /// Why the stream is not configured as it must be.
        var misfit: StoreOpenError?
        /// When the leader was asked.
        var askedAt: Int64 = 0
    }

    /// A message that was read. No object is made of the subject of each of them.
    private struct LastRead {
        var subject: [UInt8] = []
        var number = 0
        var time = ServerTime(nanoseconds: 0)
    }

    let config: StreamConfig
    /// The last answer of its leader about that.
    private(set) var inspection = Inspection()
    var reader = OrderedReader(after: 0)
    /// The subscription of the current consumer.
    var subscription: SubscriptionID?
    /// Whether everything has been read that was in the stream when the first consumer was made.
    private(set) var hasCaughtUp = false
    /// Whether the stream is still the same.
    var standing = StreamStanding()
    /// Whether barriers were stored in the stream.
    private(set) var hasBarrier = false
    /// The last message that was read, except barriers.
    var landmark: StreamLandmark? {
        guard let subject = try? Subject(lastRead.subject[...]) else { return nil }
        return StreamLandmark(subject: subject, number: lastRead.number, time: lastRead.time)
    }
    private var lastRead = LastRead()
    private(set) var extent: Extent
    /// How many messages were read before it has caught up, and how many the consumer still has to
    /// deliver.
    private(set) var progress = FeedProgress()

    private let barrier: [UInt8]
    private let first: [UInt8]

    /// - Parameters:
    ///   - config: what the stream must be like.
    ///   - shard: the shard whose stream is read. Nil for the stream of apps.
    init(
        _ config: StreamConfig, of shard: Int?, in layout: StoreLayout, reading extent: Extent
    ) {
        self.config = config
        self.extent = extent
        barrier = Array(layout.barrierSubject(shard).text.utf8)
        first = Array((shard.map(layout.markSubject) ?? layout.metaSubject).text.utf8)
    }

    var stream: SubjectToken { config.name }
    /// Why the stream is not configured as it must be, by the last answer of its leader.
    var misfit: StoreOpenError? { inspection.misfit }

    /// The feeds of all streams of a store. The last one is that of apps, whose messages have no
    /// heads.
    ///
    /// - Parameter replicas: how many servers must keep each message.
    static func all(
        _ layout: StoreLayout, replicas: Int, reading extent: Extent
    ) -> [StreamFeed] {
        layout.streams(replicas: replicas).enumerated().map { number, config in
            let shard = number < layout.shardCount ? number : nil
            let own = shard == nil && extent == .heads ? .newest : extent
            return StreamFeed(config, of: shard, in: layout, reading: own)
        }
    }

    /// The needs of a consumer of this stream.
    ///
    /// Until the stream has been read once, the last message of each subject is enough to know the
    /// state of everything. After that every message counts, also the first of a stream that was
    /// empty.
    ///
    /// - Parameter client: a token that no other client of the servers has.
    func consumer(
        of client: SubjectToken, number: Int, generation: Int, from sequence: Int
    ) -> OrderedConsumer {
        OrderedConsumer(
            stream: stream,
            name: SubjectToken(trusted: "\(client.text)_\(number)_\(generation)"),
            deliverSubject: Subject(trusted: "_INBOX.\(client.text)f.\(number).\(generation)"),
            start: extent == .all || sequence > 1 ? .sequence(sequence) : .lastPerSubject,
            filter: config.subjects[0], headersOnly: extent == .heads)
    }

    /// Whether what was read is current, and is of this stream.
    var isAlive: Bool { reader.isAlive && standing.fault == nil }

    /// Takes what the stream's leader says about its configuration.
    ///
    /// - Returns: whether that is new.
    func inspect(_ info: StreamInfo, askedAt time: Int64) -> Bool {
        let former = misfit
        inspection = Inspection(
            misfit: StoreRequirements.fault(of: info, as: config, replicasMin: config.replicas),
            askedAt: time)
        return misfit != former
    }

    /// How many subjects the stream has at most of those that were read, except that of barriers,
    /// by an answer of its leader. Nil if that is not known.
    func subjectCount(_ info: StreamInfo) -> Int? {
        guard hasCaughtUp, info.state.subjects > 0 else { return nil }
        // The messages between the answer and the last one that was read may have other subjects.
        let later = max(0, reader.lastSequence - info.state.lastSequence)
        return info.state.subjects + later - (hasBarrier ? 1 : 0)
    }

    /// Notes a message that was read.
    func note(_ message: Message, _ delivery: Delivery) {
        let subject = message.subjectBytes
        guard subject != barrier[...] else {
            hasBarrier = true
            return
        }
        lastRead.subject.removeAll(keepingCapacity: true)
        lastRead.subject.append(contentsOf: subject)
        (lastRead.number, lastRead.time) = (delivery.streamSequence, delivery.time)
        if subject == first[...] { standing.first = delivery.streamSequence }
    }

    /// Notes how many messages the consumer still has to deliver.
    ///
    /// - Parameter read: how many it has just delivered.
    func noteProgress(read: Int, pending: Int) {
        guard !hasCaughtUp else { return }
        progress = FeedProgress(read: progress.read + read, pending: pending)
    }

    /// Notes whether everything has been read once. It is called after each event.
    ///
    /// - Returns: what to do if the heads were all that was read.
    func noteEnd(at now: Int64) -> ReaderAction {
        guard isAlive else { return .none }
        let former = extent
        extent = .all
        guard former == .heads else {
            hasCaughtUp = true
            return .none
        }
        return reader.renew(at: now)
    }

    /// A message has no head, so that whole messages have to be read from the beginning.
    func readWhole(at now: Int64) -> ReaderAction {
        guard !hasCaughtUp, extent != .newest else { return .none }
        extent = .newest
        return reader.renew(after: 0, at: now)
    }
}

/// How far the reading of streams is, in messages.
public struct FeedProgress: Equatable, Sendable {
    public var read = 0
    /// How many are known to be left.
    public var pending = 0
}

/// A message of a stream, as a feed delivers it.
struct FedMessage: Sendable {
    let feed: Int
    let number: Int
    let subject: ArraySlice<UInt8>
    /// The payload, or the short form of it.
    let content: ArraySlice<UInt8>
    /// Whether it is the short form: see `MessageHead`.
    var isHead = false
    /// Whether it was delivered after everything that the stream had at the start.
    var isNew = false
    /// When the servers stored it, in milliseconds since 1970.
    let storedAt: Int64
}

extension FedMessage {
    /// A message of the first feed that was read by another way.
    init(_ message: StoredMessage) {
        self.init(
            feed: 0, number: message.sequence, subject: Array(message.subject.text.utf8)[...],
            content: message.payload, storedAt: message.time.milliseconds)
    }
}
