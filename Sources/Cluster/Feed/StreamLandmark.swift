internal import NATS

/// The last message that was read of a stream. As long as the stream has it, it has everything
/// before it.
///
/// Servers that went back in time have lost the messages after a number, and give the next ones
/// the numbers of those that were lost. So the stream's leader is asked for the message with this
/// number or, if it is gone, for the next one of its subject:
///
///     found                                  the stream
///     this message                           is the same
///     another one with this number           went back
///     a later one, which follows this one    is the same: newer messages have displaced it
///     or a later one
///     a later one, which follows an          went back, unless the messages of a session were
///     earlier one; or none                   removed, which is done a day after its end
///
/// Barriers are not landmarks. Nothing is lost with them.
///
/// A running node asks for the last message that it has read itself, and a node that starts for the
/// one in the mark of the shard: see `ShardMark`.
struct StreamLandmark: Equatable, Sendable {
    /// The meaning of the leader's answer.
    enum Finding: Equatable {
        case same
        case gone
        case replaced
    }

    /// The message that the leader has in place of the landmark. Nil if it has none.
    struct Answer {
        let landmark: StreamLandmark
        let found: StoredMessage?
    }

    let subject: Subject
    let number: Int
    let time: ServerTime

    /// The first question for the leader, and the one if that message is gone.
    var byNumber: MessageQuery { .sequence(number) }
    var nextOfSubject: MessageQuery { .next(SubjectFilter(subject), from: number) }

    /// The messages of a session are removed a day after its end. Half of that allows for clocks
    /// that differ.
    private static let removalMilliseconds: Int64 = 12 * 3_600_000

    /// - Parameters:
    ///   - found: what the leader has. Nil if it has no message.
    ///   - now: the time of the server.
    func judge(_ found: StoredMessage?, at now: ServerTime?) -> Finding {
        guard let found else { return isOld(at: now) ? .same : .gone }
        if found.sequence == number { return found.time == time ? .same : .replaced }
        guard case .record(let sequence, let previous, .some) = ConditionalWrite.Successor(found),
            sequence > number, previous < number
        else { return .same }
        return isOld(at: now) ? .same : .replaced
    }

    /// Whether the messages of the session may have been removed.
    private func isOld(at now: ServerTime?) -> Bool {
        (now ?? time).milliseconds - time.milliseconds >= Self.removalMilliseconds
    }
}
