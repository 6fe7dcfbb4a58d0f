internal import NATS

/// The time by the clocks of the servers, which all nodes of a store have in common.
///
/// The leader of a stream says what time it is whenever it is asked about the stream. The answer
/// was made between the question and its arrival, so the middle of both is at most half of that
/// time off. Leaders are different servers, whose clocks may differ: the median counts, and of two
/// in the middle the earlier one, as a session that ends late is better than one that ends early.
struct ServersClock {
    private struct Reading {
        /// How far the leader's clock is ahead of the node's steady clock, in milliseconds.
        let ahead: Int64
        /// How far `ahead` may be off.
        let error: Int64
        let at: Int64
    }

    private var readings: [Reading?]
    private var ahead: Int64?

    init(streamCount: Int) { readings = Array(repeating: nil, count: streamCount) }

    /// Takes the time that a leader has named.
    ///
    /// - Parameters:
    ///   - stream: the number of the stream.
    ///   - asked: when the leader was asked.
    mutating func note(_ time: ServerTime, of stream: Int, asked: Int64, at now: Int64) {
        let error = (now - asked) / 2
        // The answer of a server that is busy says less than the one before, for a while.
        if let last = readings[stream],
            error > last.error + (now - last.at) / Self.millisecondsPerDrift
        {
            return
        }
        let named = time.milliseconds
        readings[stream] = Reading(ahead: named + error - now, error: error, at: now)
        let known = readings.compactMap { $0?.ahead }.sorted()
        ahead = known[(known.count - 1) / 2]
    }

    /// In how many milliseconds two clocks may drift apart by one.
    private static let millisecondsPerDrift: Int64 = 1_000

    /// The servers' time, in milliseconds since 1970. Nil until a leader has named it.
    func time(at now: Int64) -> Int64? { ahead.map { now + $0 } }
}
