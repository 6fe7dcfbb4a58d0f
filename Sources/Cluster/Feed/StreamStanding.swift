internal import NATS

/// Whether a stream is still the one that a node has read from the beginning, judged by what the
/// stream's leader says about it.
///
/// A stream that was deleted and created again has another time of creation. A stream whose
/// servers have lost their disks ends before messages that were read. In both cases what the node
/// knows is not what the store has, and must not be shown.
struct StreamStanding {
    /// What an answer of the leader means.
    enum Verdict: Equatable {
        /// The stream is the same, and this is its last sequence.
        case same(lastSequence: Int)
        /// The leader does not have what was read. One that was just elected may have to catch up.
        case behind
        /// The stream is not the one that was read.
        case replaced
    }

    /// Why the stream does not count any more, for the operator. It is nil while it counts.
    private(set) var fault: String?
    private var created: Timestamp?
    private var behindSince: Int64?
    /// When the leader was behind the last time.
    private var lastBehind: Int64 = 0
    /// Whether the stream has lost what was read. What was stored since has the same sequences, so
    /// the node cannot tell what of its knowledge still holds.
    private var isTruncated = false

    /// How long a leader may be behind. An election and the replay of a log take less.
    private static let behindMilliseconds: Int64 = 15_000

    /// Takes an answer of the stream's leader.
    ///
    /// - Parameter lastRead: the highest stream sequence that was read.
    mutating func judge(_ info: StreamInfo, lastRead: Int, at now: Int64) -> Verdict {
        if let created, created != info.created {
            fault = "the stream was deleted and created again"
            return .replaced
        }
        created = info.created
        guard !isTruncated else { return .replaced }
        let last = info.state.lastSequence
        guard last < lastRead else {
            (behindSince, fault) = (nil, nil)
            return .same(lastSequence: last)
        }
        // Without an answer for a while, it may be that of another leader.
        let isAnother = now - lastBehind >= Self.behindMilliseconds
        let since = isAnother ? now : behindSince ?? now
        (behindSince, lastBehind) = (since, now)
        guard now - since >= Self.behindMilliseconds else { return .behind }
        isTruncated = true
        fault = "the stream ends at message \(last), but message \(lastRead) was read before"
        return .replaced
    }
}
