/// When to ask the leader of a stream whether it is there.
///
/// The consumers of the feeds are on the server that the node is connected to. If that server is
/// cut off from the others, they go on to send heartbeats, but no messages. The leaders of most
/// streams do not answer then.
///
/// Each stream is asked once in a minute at least, since the answer also has its configuration.
struct LeaderProbe {
    /// How many streams there are.
    private let streamCount: Int
    private var next = 0
    /// When to ask, in milliseconds.
    private(set) var deadline: Int64

    private let pauseMilliseconds: Int64

    private static let pauseMillisecondsMax: Int64 = 2_000
    private static let roundMilliseconds: Int64 = 60_000
    /// One stream may lack a leader while all others have theirs.
    private static let pauseAfterMissMilliseconds: Int64 = 500
    /// How long an answer may take.
    static let answerMilliseconds: Int64 = 1_500

    init(of streamCount: Int, at now: Int64) {
        self.streamCount = streamCount
        pauseMilliseconds = min(
            Self.pauseMillisecondsMax, Self.roundMilliseconds / Int64(streamCount))
        deadline = now + pauseMilliseconds
    }

    /// The number of the stream whose leader is to be asked now: another one each time.
    mutating func take(at now: Int64) -> Int? {
        guard now >= deadline else { return nil }
        deadline = now + pauseMilliseconds
        defer { next = (next + 1) % streamCount }
        return next
    }

    /// Has a stream asked next, and at once.
    mutating func hurry(to stream: Int) { (next, deadline) = (stream, 0) }

    /// A leader did not answer.
    mutating func missed(at now: Int64) {
        deadline = min(deadline, now + Self.pauseAfterMissMilliseconds)
    }
}
