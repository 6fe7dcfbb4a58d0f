package import NATS

// One change of a subject on its way into the stream: a compare-and-set on the number of the
// subject's last message.
//
//     phase       what happens                             next        action
//     waiting     its time has come                        publishing  publish
//     publishing  the publish ack                          decided     kept
//     publishing  wrong last sequence, a higher number     looking     look up
//     publishing  wrong last sequence, a lower number      decided     conflict
//     publishing  another write is in flight, no leader,   waiting     none
//                 nobody listens
//     publishing  no room, and nothing is in doubt         decided     refused
//     publishing  no answer, or one that makes no sense    waiting     none; now it is in doubt
//     looking     the successor is this write              decided     kept
//     looking     the successor is another write           decided     conflict
//     looking     the successor is gone                    decided     unknown
//     looking     no answer, or none is there yet          waiting     none
//     any but     the time is up                           decided     unknown, or refused if
//     decided                                                          nothing is in doubt
//
// A write that got no answer may have been stored, or may be stored later: it can lie in the buffer
// of a server that is paused. So reading proves nothing, and the same record is published again
// with the same expected number. Either it is stored now, and the earlier copy cannot be any more;
// or the server names a higher number, and the record that follows the expected one tells whose
// write was first. There is only one such record, since each one names its predecessor.
//
// That record is looked up after every refusal by number, also after the first: a network may
// deliver a message twice, and then the refusal of the second copy can overtake the
// acknowledgement of the first.

/// A change of one subject that is being written. See the top of this file.
package struct ConditionalWrite: Sendable {
    /// What to do next.
    package enum Action: Equatable, Sendable {
        case none
        /// Publish the record with the expected number.
        case publish
        /// Ask the stream's leader for the first message of the subject after this number.
        case lookUp(after: Int)
        case decide(Decision)
    }

    /// How the write ended.
    package enum Decision: Equatable, Sendable {
        /// It is stored on a majority of the replicas, with this number.
        case kept(sequence: Int)
        /// Another write was first.
        case conflict
        /// It is not stored and will not be.
        case refused(Refusal)
        /// It may be stored, or may be stored later.
        case unknown
    }

    /// Why nothing was stored.
    package enum Refusal: Equatable, Sendable {
        /// The servers have no room for it.
        case full
        /// The stream did not take it in time.
        case unavailable
        /// The stream does not take it at all, in the server's words.
        case rejected(String)
    }

    /// What the leader has after the expected message.
    package enum Successor: Equatable, Sendable {
        /// A record, with the number of the message that it follows and whose write it is. The
        /// writer is nil if the message is not a valid record.
        case record(sequence: Int, previous: Int, writer: WriteID?)
        /// There is no message after the expected one.
        case none
    }

    private enum Phase { case waiting, publishing, looking, decided }

    /// The id in the record.
    package let id: WriteID
    /// The number of the subject's last message, 0 if it must have none.
    package let expected: Int
    /// When to call `expired`. `.max` once it is decided.
    package private(set) var wakesAt: Int64

    private var phase = Phase.waiting
    /// Whether an earlier copy may have been stored, or may be stored later.
    private var isInDoubt = false
    /// How often the servers could not take the write in a row.
    private var pauses: Int64 = 0
    private let deadline: Int64

    /// A write that is published at once, when `expired` is called.
    ///
    /// - Parameter deadline: when to give up, in milliseconds.
    package init(_ id: WriteID, after expected: Int, deadline: Int64, at now: Int64) {
        self.id = id
        self.expected = expected
        self.deadline = deadline
        wakesAt = now
    }

    /// Whether the outcome is known, or has been given up.
    package var isDecided: Bool { phase == .decided }

    /// Asks whether there is something to do, or the time is up.
    package mutating func expired(at now: Int64) -> Action {
        guard phase != .decided, now >= wakesAt else { return .none }
        guard now < deadline else { return giveUp() }
        // A request that waits for its answer has its own time limit.
        guard phase == .waiting else { return .none }
        phase = .publishing
        wakesAt = deadline
        return .publish
    }

    /// There was no link, so nothing was sent.
    package mutating func notSent(at now: Int64, random: UInt64) {
        guard phase == .publishing || phase == .looking else { return }
        pause(at: now, random)
    }

    /// The link broke, or the answer did not come in time.
    package mutating func unanswered(at now: Int64, random: UInt64) {
        guard phase == .publishing || phase == .looking else { return }
        if phase == .publishing { isInDoubt = true }
        pause(at: now, random)
    }

    /// The answer to the publication came.
    ///
    /// - Parameter stream: the stream that the subject belongs to.
    package mutating func answered(
        _ answer: Answer<PublishAck>, from stream: SubjectToken, at now: Int64, random: UInt64
    ) -> Action {
        guard phase == .publishing else { return .none }
        switch answer {
        case .value(let ack):
            guard ack.stream == stream.text, ack.sequence > expected else {
                // This answer is not to be trusted, so the write counts as one without an answer.
                unanswered(at: now, random: random)
                return .none
            }
            return decide(.kept(sequence: ack.sequence))
        case .noResponders:
            pause(at: now, random)
            return .none
        case .refused(let error): return refused(error, at: now, random)
        }
    }

    /// The answer to the look-up came.
    package mutating func found(
        _ successor: Successor, at now: Int64, random: UInt64
    ) -> Action {
        guard phase == .looking else { return .none }
        switch successor {
        case .none:
            // The server that answered is behind the one that refused.
            pause(at: now, random)
            return .none
        case .record(let sequence, let previous, let writer):
            guard sequence > expected else {
                pause(at: now, random)
                return .none
            }
            // Only so many messages of a subject are kept, so the successor may be gone.
            guard previous == expected, let writer else { return decide(.unknown) }
            return decide(writer == id ? .kept(sequence: sequence) : .conflict)
        }
    }

    private mutating func refused(
        _ error: JetStreamError, at now: Int64, _ random: UInt64
    ) -> Action {
        switch error.kind {
        case .wrongLastSequence(let number?) where number < expected:
            // The subject was emptied, or the store is another one. Numbers only rise, so no copy
            // of this write can be stored any more.
            return decide(.conflict)
        case .wrongLastSequence: return lookUp()
        case .writeInFlight, .temporarilyUnavailable: break
        case .insufficientResources, .insufficientStorage, .accountLimits, .storeFailed:
            if !isInDoubt { return decide(.refused(.full)) }
        case .messageNotFound, .streamNotFound, .consumerNotFound, .streamExists,
            .consumerNotCreated, .other:
            if !isInDoubt { return decide(.refused(.rejected(error.description))) }
        }
        pause(at: now, random)
        return .none
    }

    private mutating func lookUp() -> Action {
        phase = .looking
        isInDoubt = true
        wakesAt = deadline
        return .lookUp(after: expected)
    }

    /// Publishes again after 5 to 10 ms, and after twice as long with each pause, up to 320 ms.
    private mutating func pause(at now: Int64, _ random: UInt64) {
        phase = .waiting
        let base = Self.pauseMilliseconds << min(pauses, 5)
        pauses += 1
        wakesAt = min(deadline, now + base + Int64(random % UInt64(base + 1)))
    }

    private static let pauseMilliseconds: Int64 = 5

    private mutating func giveUp() -> Action {
        decide(isInDoubt || phase == .publishing ? .unknown : .refused(.unavailable))
    }

    private mutating func decide(_ decision: Decision) -> Action {
        phase = .decided
        wakesAt = .max
        return .decide(decision)
    }
}
