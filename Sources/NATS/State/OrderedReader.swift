// Reading a stream in order, without a gap and without a message twice, from consumers that can
// vanish and over links that can lose, double and reorder messages.
//
// The reader is told what happens, with the time in milliseconds of a clock that does not go back,
// and does nothing but say what to do. A consumer is used until something is wrong with it; then a
// new one is made from the last good number + 1. Each consumer has a *generation*, from which the
// owner makes its name, its deliver subject and its subscription, so that nothing of an old
// consumer can be taken for something of the new one.
//
//     phase      what happens                                   next       action
//     unlinked   linked                                         creating   create
//     waiting    its time has come                              creating   create
//     creating   the consumer is there                          running    none
//     creating   refused, or no answer in time                  waiting    none
//     creating,  an item that fits                              running    deliver, answer, none
//     running    an item that does not fit, or silence          creating   create, or
//                                                               waiting    none
//     any        unlinked                                       unlinked   none
//
// An item fits if it is of the current generation and
//
//  - a delivery that is the next one of the consumer, whose number in the stream is above that of
//    the delivery before it. One whose number is not above the last good one is known already; it
//    counts and is not delivered again. One that this consumer has delivered already is ignored.
//  - a heartbeat that names the last delivery.
//  - flow control, which is answered.
//
// A new consumer is made at once if the last one had anything that fitted, else after a time that
// doubles from 50 ms up to 2 s, with up to as much again at random, so that a server that does
// everything wrong is not asked in a circle.

/// What to do for a reader.
package enum ReaderAction: Equatable, Sendable {
    case none
    /// Unsubscribe from the last consumer, subscribe to a new deliver subject, and ask for a
    /// consumer from this number on.
    case create(generation: Int, from: Int)
    /// The message is the next one of the stream.
    case deliver
    /// Publish an empty message to this subject when all that was delivered before is done.
    case answer(Subject)
}

/// How long a reader waits, in milliseconds.
package struct ReaderTiming: Equatable, Sendable {
    /// How long a consumer may say nothing: two heartbeats and some delay.
    package let silenceMilliseconds: Int64
    /// How long a new consumer may take to appear.
    package let createMilliseconds: Int64

    package init(silenceMilliseconds: Int64 = 1_200, createMilliseconds: Int64 = 3_000) {
        self.silenceMilliseconds = silenceMilliseconds
        self.createMilliseconds = createMilliseconds
    }

    static let backOffMilliseconds: ClosedRange<Int64> = 50...2_000
}

/// Reads one stream in order. See the top of this file.
package struct OrderedReader: Sendable {
    /// The phases of a reader.
    package enum Phase: UInt8, CaseIterable, Sendable {
        case unlinked, waiting, creating, running
    }

    /// The current phase.
    package private(set) var phase = Phase.unlinked
    /// The number of the last message that was delivered, or before which nothing is wanted.
    package private(set) var lastSequence: Int
    /// When to call `expired`, or nil while there is no link.
    package private(set) var deadline: Int64?

    /// The number of the current consumer.
    private var generation = 0
    /// The number of the last delivery of the current consumer, and its number in the stream.
    private var last = (consumer: 0, stream: 0)
    /// How many consumers in a row had nothing that fitted.
    private var failures: Int64 = 0
    private let timing: ReaderTiming

    /// A reader that begins behind a number; 0 for the beginning of the stream.
    package init(after sequence: Int, timing: ReaderTiming = ReaderTiming()) {
        lastSequence = sequence
        self.timing = timing
    }

    /// Whether the reader has seen everything that was kept up to a heartbeat or a message ago. A
    /// state that was read from the feed may be shown then.
    package var isAlive: Bool { phase == .running }

    /// A link is ready.
    package mutating func linked(at now: Int64) -> ReaderAction {
        failures = 0
        return create(at: now)
    }

    /// The link is gone, and the consumer with it.
    package mutating func unlinked() {
        phase = .unlinked
        deadline = nil
    }

    /// The server has made the consumer.
    package mutating func created(generation: Int, at now: Int64) {
        guard generation == self.generation, phase == .creating else { return }
        phase = .running
        deadline = now + timing.silenceMilliseconds
    }

    /// The server has not made the consumer.
    package mutating func refused(generation: Int, at now: Int64, random: UInt64) {
        guard generation == self.generation, phase == .creating else { return }
        wait(at: now, random)
    }

    /// Something came to the subscription of a consumer.
    package mutating func received(
        _ item: FeedItem, generation: Int, at now: Int64, random: UInt64
    ) -> ReaderAction {
        guard generation == self.generation, phase == .creating || phase == .running else {
            return .none
        }
        switch item {
        case .delivery(let delivery):
            guard delivery.consumerSequence > last.consumer else { return .none }
            guard delivery.consumerSequence == last.consumer + 1,
                delivery.streamSequence > last.stream
            else { return restart(at: now, random) }
            last = (delivery.consumerSequence, delivery.streamSequence)
            fitted(at: now)
            guard delivery.streamSequence > lastSequence else { return .none }
            lastSequence = delivery.streamSequence
            return .deliver
        case .heartbeat(let heartbeat):
            guard heartbeat.lastConsumer == last.consumer else { return restart(at: now, random) }
            fitted(at: now)
            return heartbeat.stalled.map { .answer($0) } ?? .none
        case .flowControl(let subject):
            fitted(at: now)
            return .answer(subject)
        case .status: return restart(at: now, random)
        }
    }

    /// What came to the subscription of a consumer was nothing that a consumer sends.
    package mutating func receivedNonsense(
        generation: Int, at now: Int64, random: UInt64
    ) -> ReaderAction {
        guard generation == self.generation, phase == .creating || phase == .running else {
            return .none
        }
        return restart(at: now, random)
    }

    /// Asks whether the deadline has passed.
    package mutating func expired(at now: Int64, random: UInt64) -> ReaderAction {
        guard let deadline, now >= deadline else { return .none }
        switch phase {
        case .unlinked: return .none
        case .waiting: return create(at: now)
        case .creating, .running: return restart(at: now, random)
        }
    }

    private mutating func fitted(at now: Int64) {
        phase = .running
        failures = 0
        deadline = now + timing.silenceMilliseconds
    }

    /// The consumer is of no use any more.
    private mutating func restart(at now: Int64, _ random: UInt64) -> ReaderAction {
        // `creating` means that nothing of the consumer fitted yet.
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
        phase = .creating
        deadline = now + timing.createMilliseconds
        return .create(generation: generation, from: lastSequence + 1)
    }

    private mutating func wait(at now: Int64, _ random: UInt64) {
        let bounds = ReaderTiming.backOffMilliseconds
        let shift = min(max(failures - 1, 0), 6)
        let base = min(bounds.lowerBound << shift, bounds.upperBound)
        phase = .waiting
        deadline = now + base + Int64(random % UInt64(base + 1))
        // A message of the consumer that is given up must not be taken.
        generation += 1
    }
}
