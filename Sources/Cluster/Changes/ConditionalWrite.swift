internal import Bytes
internal import NATS

// A change of one subject on its way into the stream: a compare-and-set on the sequence of the
// subject's last message.
//
//     phase       what happens                             next        action
//     waiting     its time has come                        publishing  publish
//     publishing  the publish ack                          decided     kept
//     publishing  wrong last sequence, a higher number     looking     look up
//     publishing  wrong last sequence, a lower number,     decided     conflict
//                 and nothing is in doubt
//     publishing  the same, and it is in doubt             waiting     none
//     publishing  another write is in flight, no leader,   waiting     none
//                 nobody listens
//     publishing  no room, and nothing is in doubt         decided     refused
//     publishing  it is too large to be sent               decided     refused
//     publishing  no answer, or one that makes no sense,   waiting     none; now it is in doubt
//                 or the leader failed to store it
//     looking     the successor is this write              decided     kept
//     looking     the successor is another write           decided     conflict
//     looking     the successor is gone                    decided     unknown
//     looking     no answer, or none is there yet          waiting     none
//     any but     the time is up                           decided     unknown, or refused if
//     decided                                                          nothing is in doubt
//
// A write that got no answer may have been stored, or may still be stored later, because it can be
// in the buffer of a server that is paused. Reading therefore proves nothing. Instead, the same
// record is published again with the same expected sequence. Either it is stored now, and then the
// earlier copy no longer can be. Or the server reports a higher sequence, and the record that
// follows the expected one shows whose write came first. There is only one such record, because
// each record names its predecessor.
//
// That record is looked up after every refusal because of a higher sequence, even after the first.
// A network may deliver a message twice, and then the refusal of the second copy can overtake the
// acknowledgement of the first.

/// A change of one subject that is being written. See the top of this file.
struct ConditionalWrite: Sendable {
    /// The next action of the owner of a write.
    enum Action: Equatable, Sendable {
        case none
        /// Publish the record with the expected sequence.
        case publish
        /// Ask the stream's leader for the first message of the subject after this sequence.
        case lookUp(after: Int)
        case decide(Decision)
    }

    /// The outcome of the write.
    enum Decision: Equatable, Sendable {
        /// The record is stored on a majority of the replicas, with this sequence.
        case kept(sequence: Int)
        case conflict
        /// The record is not stored and never will be.
        case refused(Refusal)
        /// The record may be stored, or may still be stored later.
        case unknown
    }

    /// Why the record was not stored.
    enum Refusal: Equatable, Sendable {
        /// The servers have no space left for it.
        case full
        /// The stream did not accept it in time.
        case unavailable
        /// The stream does not accept it at all. The value is the server's description of the
        /// error.
        case rejected(String)
    }

    /// The message that follows the expected one on the leader.
    enum Successor: Equatable, Sendable {
        /// A message, with its own sequence, the sequence that its record says it follows, and the
        /// write that made the record. `writer` is nil if the message is not a valid record.
        case record(sequence: Int, previous: Int, writer: WriteID?)
        /// No message follows the expected one.
        case none
    }

    private enum Phase { case waiting, publishing, looking, decided }

    let id: WriteID
    /// The expected sequence of the subject's last message; 0 if the subject must not have any.
    let expected: Int
    /// When to call `expired`, in milliseconds; `.max` once the write is decided.
    private(set) var wakesAt: Int64

    /// Whether an earlier copy may have been stored or may still be stored later.
    private(set) var isInDoubt = false
    let began: Int64

    private var phase = Phase.waiting
    /// How many attempts in a row have been followed by a pause.
    private var pauses: Int64 = 0
    private let deadline: Int64

    /// Creates a write. The first call of `expired` publishes it.
    ///
    /// - Parameter deadline: when to give up, in milliseconds.
    init(_ id: WriteID, after expected: Int, deadline: Int64, at now: Int64) {
        self.id = id
        self.expected = expected
        self.deadline = deadline
        began = now
        wakesAt = now
    }

    /// Whether the write is decided, even if its outcome is unknown.
    var isDecided: Bool { phase == .decided }

    /// Acts if `wakesAt` has been reached, and does nothing otherwise.
    mutating func expired(at now: Int64) -> Action {
        guard phase != .decided, now >= wakesAt else { return .none }
        guard now < deadline else { return giveUp() }
        // A request that is waiting for its answer has its own time limit.
        guard phase == .waiting else { return .none }
        phase = .publishing
        wakesAt = deadline
        return .publish
    }

    /// Reports that the record cannot be sent at all, because no server would accept it.
    mutating func unsendable(_ reason: String) -> Action {
        guard phase == .publishing else { return .none }
        return decide(isInDoubt ? .unknown : .refused(.rejected(reason)))
    }

    /// Reports that nothing was sent because there was no link.
    mutating func notSent(at now: Int64, random: UInt64) {
        guard phase == .publishing || phase == .looking else { return }
        pause(at: now, random)
    }

    /// Reports that the link was lost or the answer did not come in time.
    mutating func unanswered(at now: Int64, random: UInt64) {
        guard phase == .publishing || phase == .looking else { return }
        if phase == .publishing { isInDoubt = true }
        pause(at: now, random)
    }

    /// Handles the answer to the publish.
    ///
    /// - Parameter stream: the stream that stores the subject.
    mutating func answered(
        _ answer: Answer<PublishAck>, from stream: SubjectToken, at now: Int64, random: UInt64
    ) -> Action {
        guard phase == .publishing else { return .none }
        switch answer {
        case .value(let ack):
            guard ack.stream == stream.text, ack.sequence > expected else {
                // This answer cannot be trusted, so the write is treated as unanswered.
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

    /// Handles the answer to the look-up.
    mutating func found(
        _ successor: Successor, at now: Int64, random: UInt64
    ) -> Action {
        guard phase == .looking else { return .none }
        switch successor {
        case .none:
            // The server that answered lags behind the one that refused.
            pause(at: now, random)
            return .none
        case .record(let sequence, let previous, let writer):
            guard sequence > expected else {
                pause(at: now, random)
                return .none
            }
            // The stream keeps a limited number of messages for each subject, so the successor may
            // be gone.
            guard previous == expected, let writer else { return decide(.unknown) }
            return decide(writer == id ? .kept(sequence: sequence) : .conflict)
        }
    }

    private mutating func refused(
        _ error: JetStreamError, at now: Int64, _ random: UInt64
    ) -> Action {
        switch error.kind {
        case .wrongLastSequence(let number?) where number < expected:
            // The subject was emptied, or this is a different store. It is also what a server says
            // that is cut off from the others and does not know yet that it no longer leads. Then
            // an earlier copy of this write may be stored on the others.
            if !isInDoubt { return decide(.conflict) }
        case .wrongLastSequence: return lookUp()
        case .writeInFlight, .temporarilyUnavailable: break
        case .storeFailed:
            // The leader failed to store what the others may have stored.
            isInDoubt = true
        case .noSpace:
            if !isInDoubt { return decide(.refused(.full)) }
        case .messageNotFound, .streamNotFound, .streamExists, .tooFewPeers, .notClustered,
            .notEnabled, .other:
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

    /// Waits before the next attempt: 5 to 10 ms at first, and twice as long with each further
    /// pause, up to 160 to 320 ms.
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

/// Identifies a write: the node that made it, since its last start, and a number that increases
/// with each write. Every record contains it, so that a node that got no answer can tell its own
/// record from another node's.
struct WriteID: Hashable, Sendable {
    /// A random number that the node chose when it started.
    let node: UInt64
    /// The number of the write, counted from 1.
    let number: UInt64

    /// The id as 32 lower-case hexadecimal digits.
    var text: String {
        var text = ByteWriter(capacity: 32)
        text.append(self)
        return text.string
    }
}

extension ByteWriter {
    /// Appends the digits of an id.
    fileprivate mutating func append(_ id: WriteID) {
        append(hexadecimal: id.node, digits: 16)
        append(hexadecimal: id.number, digits: 16)
    }

    /// Appends a member that is the id of a write.
    mutating func member(_ name: StaticString, _ id: WriteID) {
        member(name)
        append(ASCII.quote)
        append(id)
        append(ASCII.quote)
    }
}

extension WriteID {
    /// Reads 32 hexadecimal digits in lower case. Returns nil for other text.
    init?(_ text: some Collection<UInt8>) {
        guard text.count == 32, let node = Hexadecimal.number(text.prefix(16)),
            let number = Hexadecimal.number(text.dropFirst(16))
        else { return nil }
        self.init(node: node, number: number)
    }
}
