internal import NATS

// A request is refused because of what the node knows only if that is at least as new as everything
// that was acknowledged before the request arrived. With `reads` set to `quorum`, this also holds
// for reads. To find it out, the node stores a small message, a *barrier*, in the stream:
//
//     request arrives → barrier is published → a majority stores it → the feed delivers it
//
// The stream has one order. What the feed has delivered before the barrier is therefore everything
// that was stored before it, and a server that has been cut off cannot acknowledge a barrier.
//
// All requests of one turn share a barrier. A request that arrives after the barrier was sent needs
// the next one. At most one barrier of each stream is on its way.

/// A barrier in a stream.
struct StreamBarrier: Hashable, Sendable {
    let feed: Int
    let round: Int
}

/// The barriers of all streams. See the top of this file.
struct ReadBarriers {
    private struct Stream {
        /// The barrier that requests join which arrive now.
        var next = 1
        /// Whether any request has joined it.
        var isWanted = false
        /// The barrier that was sent and that the feed has not delivered.
        var current: Int?
        /// The stream sequence of the current barrier. It is nil until it is acknowledged.
        var number: Int?
        /// Whether an answer of the servers is awaited.
        var awaitsAnswer = false
        /// When to send the current barrier again. It is nil if there is no need to.
        var sendsAgainAt: Int64?
        /// The stream sequence up to which the feed has delivered.
        var delivered = 0
    }

    private var streams: [Stream]

    private static let pauseMilliseconds: Int64 = 50

    init(feedCount: Int) { streams = Array(repeating: Stream(), count: feedCount) }

    var deadline: Int64 {
        streams.reduce(.max) { min($0, $1.sendsAgainAt ?? .max) }
    }

    /// The next barrier of a stream, which the request waits for.
    mutating func join(_ feed: Int) -> StreamBarrier {
        streams[feed].isWanted = true
        return StreamBarrier(feed: feed, round: streams[feed].next)
    }

    /// The streams whose barriers are to be sent now.
    ///
    /// - Parameter isNeeded: whether a request waits for a barrier.
    mutating func due(at now: Int64, isNeeded: (StreamBarrier) -> Bool) -> [Int] {
        streams.indices.filter { feed in
            guard !streams[feed].awaitsAnswer else { return false }
            if let round = streams[feed].current {
                if isNeeded(StreamBarrier(feed: feed, round: round)) {
                    guard let time = streams[feed].sendsAgainAt, time <= now else { return false }
                    return begin(feed, round)
                }
                streams[feed].current = nil
                streams[feed].sendsAgainAt = nil
            }
            guard streams[feed].isWanted else { return false }
            streams[feed].isWanted = false
            streams[feed].next += 1
            return begin(feed, streams[feed].next - 1)
        }
    }

    private mutating func begin(_ feed: Int, _ round: Int) -> Bool {
        (streams[feed].current, streams[feed].number) = (round, nil)
        (streams[feed].awaitsAnswer, streams[feed].sendsAgainAt) = (true, nil)
        return true
    }

    /// The barrier of a stream was not sent, or its answer did not come or was a refusal. When a
    /// link ends, this is also reported of a request whose answer came right before that.
    mutating func failed(_ feed: Int, at now: Int64) {
        guard streams[feed].awaitsAnswer else { return }
        streams[feed].awaitsAnswer = false
        guard streams[feed].current != nil else { return }
        streams[feed].sendsAgainAt = now + Self.pauseMilliseconds
    }

    /// The barrier of a stream is stored.
    ///
    /// - Returns: the barrier if the feed has delivered it already.
    mutating func acknowledged(_ feed: Int, number: Int) -> StreamBarrier? {
        streams[feed].awaitsAnswer = false
        streams[feed].number = number
        return reached(feed)
    }

    /// The feed of a stream has delivered a message.
    ///
    /// - Returns: the barrier that was waiting for it.
    mutating func delivered(_ feed: Int, upTo number: Int) -> StreamBarrier? {
        streams[feed].delivered = max(streams[feed].delivered, number)
        return reached(feed)
    }

    private mutating func reached(_ feed: Int) -> StreamBarrier? {
        let stream = streams[feed]
        guard let round = stream.current, let number = stream.number, stream.delivered >= number
        else { return nil }
        (streams[feed].current, streams[feed].number) = (nil, nil)
        return StreamBarrier(feed: feed, round: round)
    }
}
