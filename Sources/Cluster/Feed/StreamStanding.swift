internal import NATS

/// Whether a stream is still the one that a node has read from the beginning, judged by what the
/// stream's leader says about it.
///
/// A stream that was deleted and created again has another time of creation. A stream whose
/// servers have lost their disks ends before messages that were read, or has others in their place
/// (see `StreamLandmark`). A stream that was purged lacks its first message. In all cases what the
/// node knows is not what the store has, and must not be shown.
struct StreamStanding {
    /// The meaning of an answer of the leader.
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
    /// When the stream was created, as the leader said at first.
    private(set) var created: ServerTime?
    /// When its first message was stored, as the leader said last.
    private(set) var firstAt: ServerTime?
    /// The stream sequence of the last message, as the leader said last.
    private(set) var lastSequence = 0
    /// The stream sequence of a message that is never removed. It is nil until it was read.
    var first: Int?
    private var truncated = Patience()
    private var gone = Patience()
    private var absent = Patience()
    /// Whether the stream has lost what was read. What was stored since has the same sequences, so
    /// the node cannot tell what of its knowledge still holds.
    private var isTruncated = false

    /// Takes an answer of the stream's leader.
    ///
    /// - Parameter lastKnown: the highest stream sequence that was read, acknowledged to the node,
    ///   or shown by a leader.
    mutating func judge(_ info: StreamInfo, lastKnown: Int, at now: Int64) -> Verdict {
        if let created, created != info.created {
            fault = "the stream was deleted and created again"
            return .replaced
        }
        absent = Patience()
        (created, firstAt) = (info.created, info.state.firstAt)
        checkFirst(info)
        guard !isTruncated else { return .replaced }
        let last = info.state.lastSequence
        guard last < lastKnown else {
            truncated = Patience()
            (fault, lastSequence) = (nil, last)
            return .same(lastSequence: last)
        }
        guard truncated.isOver(at: now) else { return .behind }
        return lose(
            "the stream ends at message \(last), but message \(lastKnown) was stored before")
    }

    /// Takes the leader's answer to a question for the last message that was read.
    mutating func judge(
        _ finding: StreamLandmark.Finding, of number: Int, at now: Int64
    ) -> Verdict {
        switch finding {
        case .same:
            gone = Patience()
            return .same(lastSequence: lastSequence)
        case .gone:
            guard gone.isOver(at: now) else { return .behind }
            return lose("message \(number), which was read before, is gone")
        case .replaced:
            return lose("another message has the number \(number) of one that was read before")
        }
    }

    /// Takes the servers' answer that there is no such stream. Those that were just started do not
    /// know it yet.
    mutating func judgeAbsence(at now: Int64) {
        guard absent.isOver(at: now), !isTruncated else { return }
        fault = "the stream was deleted"
    }

    /// Notices that the beginning of the stream was removed.
    mutating func checkFirst(_ info: StreamInfo) {
        guard !isTruncated, let first, info.state.firstSequence > first else { return }
        _ = lose("the beginning of the stream was removed")
    }

    private mutating func lose(_ text: String) -> Verdict {
        (isTruncated, fault) = (true, text)
        return .replaced
    }
}

/// How long a leader may lack something that was read.
private struct Patience {
    private var since: Int64?
    private var last: Int64 = 0

    /// An election and the replay of a log take less.
    private static let milliseconds: Int64 = 15_000

    /// Whether it has lacked that for too long now.
    mutating func isOver(at now: Int64) -> Bool {
        // Without an answer for a while, it may be that of another leader.
        let isAnother = now - last >= Self.milliseconds
        let start = isAnother ? now : since ?? now
        (since, last) = (start, now)
        return now - start >= Self.milliseconds
    }
}
