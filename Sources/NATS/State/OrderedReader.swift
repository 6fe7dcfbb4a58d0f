// Reads a stream in order, without gaps and duplicates, from consumers that can disappear and over
// links that can lose, duplicate and reorder messages.
//
// The reader is told what happens, with the time in milliseconds of a monotonic clock, and returns
// what the owner has to do. It uses a consumer until something goes wrong, and then has a new one
// created that starts after the last message delivered. Each consumer has a *generation*, from
// which the owner derives its name, its deliver subject and its subscription, so that nothing from
// an old consumer can be mistaken for an item from the new one.
//
//     phase      event                                          next       action
//     unlinked   the link is ready                              creating   create
//     waiting    the deadline passes                            creating   create
//     creating   the consumer is created                        running    none
//     creating   refused, or no response in time                waiting    none
//     creating,  valid item                                     running    deliver, answer, none
//     running    invalid item, or silence                       creating   create, or
//                                                               waiting    none
//     any        the link is lost                               unlinked   none
//
// An item is valid if it belongs to the current generation and is one of these:
//
//  - A delivery with the next consumer sequence and a higher stream sequence than the delivery
//    before it. If the reader already has the message from an earlier consumer, the delivery is
//    accepted, but the message is not delivered again. The last delivery may be repeated, which is
//    ignored. An older one may not: a server that has lost the consumer's state, in a restart,
//    counts from 1 again, and its deliveries are not those that had these numbers before.
//  - An idle heartbeat that names the last delivery.
//  - A flow control request, which is answered.
//
// A new consumer is created immediately if the last one sent a valid item. Otherwise the reader
// backs off, so that a misbehaving server is not flooded with requests: the delay doubles from
// 50 ms up to 2 s, plus a random time of up to the same length.
//
// A running consumer is not necessarily a current one. After a pause it first delivers what was
// missed, and it may be on a server whose copy of the stream is behind. The owner therefore asks
// the stream's leader for its last sequence before it creates a consumer (`expect`), and the
// reader is *alive* only once it has read up to there.

/// The next action of the owner of a reader.
public enum ReaderAction: Equatable, Sendable {
    case none
    /// Unsubscribe from the last consumer, subscribe to a new deliver subject, and create a
    /// consumer that starts at this stream sequence.
    case create(generation: Int, from: Int)
    /// Pass the message on: it is the next one of the stream.
    case deliver
    /// Publish an empty message to this flow control subject once everything delivered before has
    /// been processed.
    case answer(Subject)
}

/// Reads one stream in order. See the top of this file.
public struct OrderedReader: Sendable {
    /// The phases of a reader.
    public enum Phase: UInt8, CaseIterable, Sendable {
        case unlinked, waiting, creating, running
    }

    public private(set) var phase = Phase.unlinked
    /// The stream sequence of the last message delivered, or the one after which the reader
    /// started.
    public private(set) var lastSequence: Int
    /// When to call `expired`, in milliseconds. It is nil while there is no link.
    public private(set) var deadline: Int64?

    /// The generation of the current consumer.
    private var generation = 0
    /// The consumer sequence and the stream sequence of the current consumer's last delivery.
    private var last = (consumer: 0, stream: 0)
    /// The stream sequence up to which the current consumer has read.
    private var position = 0
    /// The stream sequence that the current consumer must have reached before the reader is alive.
    /// It is nil until the stream's leader has named it.
    private var goal: Int?
    /// How many consumers in a row have sent no valid item, including the current one.
    private var failures: Int64 = 0

    /// How long a consumer may be silent: two idle heartbeats and some delay.
    private static let silenceMilliseconds: Int64 = 1_200
    /// How long the creation of a consumer may take.
    public static let createMilliseconds: Int64 = 3_000
    private static let backOffMilliseconds: ClosedRange<Int64> = 50...2_000

    /// Creates a reader that starts after this stream sequence; 0 is the beginning of the stream.
    public init(after sequence: Int) { lastSequence = sequence }

    /// Whether the reader has a consumer, has seen everything that it sent up to its last message
    /// or idle heartbeat, and has reached the end that the stream had when the consumer was
    /// created. State that was read from the feed may be shown then.
    public var isAlive: Bool {
        guard phase == .running, let goal else { return false }
        return position >= goal
    }

    /// Whether the consumer of this generation is the current one and is being created.
    public func isCreating(_ generation: Int) -> Bool {
        phase == .creating && generation == self.generation
    }

    /// Reports that a link is ready.
    public mutating func linked(at now: Int64) -> ReaderAction {
        failures = 0
        return create(at: now)
    }

    /// Has another consumer created in place of the current one.
    ///
    /// - Parameter sequence: the stream sequence after which it starts. Nil for the one of the last
    ///   message delivered.
    public mutating func renew(after sequence: Int? = nil, at now: Int64) -> ReaderAction {
        lastSequence = sequence ?? lastSequence
        guard phase != .unlinked else { return .none }
        failures = 0
        return create(at: now)
    }

    /// Reports that the link is lost, and the consumer with it.
    public mutating func unlinked() {
        phase = .unlinked
        deadline = nil
    }

    /// Reports that the server has created the consumer.
    public mutating func created(generation: Int, at now: Int64) {
        guard generation == self.generation, phase == .creating else { return }
        phase = .running
        deadline = now + Self.silenceMilliseconds
    }

    /// Reports the last sequence of the stream, as its leader named it for the consumer of this
    /// generation.
    public mutating func expect(upTo sequence: Int, generation: Int) {
        if generation == self.generation { goal = sequence }
    }

    /// Reports that the server has refused to create the consumer.
    public mutating func refused(generation: Int, at now: Int64, random: UInt64) {
        guard generation == self.generation, phase == .creating else { return }
        wait(at: now, random)
    }

    /// Handles an item received on the deliver subject of a consumer.
    public mutating func received(
        _ item: FeedItem, generation: Int, at now: Int64, random: UInt64
    ) -> ReaderAction {
        guard generation == self.generation, phase == .creating || phase == .running else {
            return .none
        }
        switch item {
        case .delivery(let delivery):
            let place = (delivery.consumerSequence, delivery.streamSequence)
            guard place != last else { return .none }
            guard delivery.consumerSequence == last.consumer + 1,
                delivery.streamSequence > last.stream
            else { return restart(at: now, random) }
            last = (delivery.consumerSequence, delivery.streamSequence)
            position = max(position, delivery.streamSequence)
            acceptedItem(at: now)
            guard delivery.streamSequence > lastSequence else { return .none }
            lastSequence = delivery.streamSequence
            return .deliver
        case .heartbeat(let lastConsumer, let lastStream, let stalled):
            guard lastConsumer == last.consumer else { return restart(at: now, random) }
            // Messages that were removed from the stream are passed over without a delivery.
            position = max(position, lastStream)
            acceptedItem(at: now)
            return stalled.map { .answer($0) } ?? .none
        case .flowControl(let subject):
            acceptedItem(at: now)
            return .answer(subject)
        case .status: return restart(at: now, random)
        }
    }

    /// Handles a message on the deliver subject that cannot be parsed as an item.
    public mutating func receivedMalformed(
        generation: Int, at now: Int64, random: UInt64
    ) -> ReaderAction {
        guard generation == self.generation, phase == .creating || phase == .running else {
            return .none
        }
        return restart(at: now, random)
    }

    /// Acts if the deadline has passed, and does nothing otherwise.
    public mutating func expired(at now: Int64, random: UInt64) -> ReaderAction {
        guard let deadline, now >= deadline else { return .none }
        switch phase {
        case .unlinked: return .none
        case .waiting: return create(at: now)
        case .creating, .running: return restart(at: now, random)
        }
    }

    private mutating func acceptedItem(at now: Int64) {
        phase = .running
        failures = 0
        deadline = now + Self.silenceMilliseconds
    }

    /// Gives up the current consumer.
    private mutating func restart(at now: Int64, _ random: UInt64) -> ReaderAction {
        // In `creating`, the consumer has not sent a valid item yet.
        guard phase == .running, failures == 0 else {
            wait(at: now, random)
            return .none
        }
        return create(at: now)
    }

    private mutating func create(at now: Int64) -> ReaderAction {
        generation += 1
        failures += 1
        last = (0, 0)
        (position, goal) = (lastSequence, nil)
        phase = .creating
        deadline = now + Self.createMilliseconds
        return .create(generation: generation, from: lastSequence + 1)
    }

    private mutating func wait(at now: Int64, _ random: UInt64) {
        let bounds = Self.backOffMilliseconds
        let shift = min(max(failures - 1, 0), 6)
        let base = min(bounds.lowerBound << shift, bounds.upperBound)
        phase = .waiting
        deadline = now + base + Int64(random % UInt64(base + 1))
        // Items from the abandoned consumer must not be accepted.
        generation += 1
    }
}
