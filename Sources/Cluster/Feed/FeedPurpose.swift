internal import NATS

extension Feeds {
    /// What happened, in its order.
    enum Event {
        case message(FedMessage)
        /// Something to log.
        case warning(String)
        /// The stream of a feed is not configured as it must be.
        case misfit(String)
    }

    /// A consumer of a stream.
    struct Consumer: Sendable {
        let feed: Int
        let generation: Int
        /// The first stream sequence that it delivers.
        let start: Int
        /// Whether it delivers headers only.
        let hasHeads: Bool
    }

    /// What a request was sent for.
    enum Purpose: Sendable {
        /// The stream's leader is asked for the last message that was read before this consumer is
        /// created: by its number, and if it is gone, for the next one of its subject.
        case landmark(Consumer, StreamLandmark, isGone: Bool)
        /// Then it is asked about the stream.
        case standing(Consumer, StreamLandmark.Answer?, at: Int64)
        /// The consumer is to be created.
        case creation(Consumer)
        /// A leader is asked whether it is there, and whether its stream is as it must be.
        case probe(feed: Int, at: Int64)

        /// The feed of the leader that was asked about its stream, and when.
        var question: (feed: Int, at: Int64)? {
            switch self {
            case .standing(let consumer, _, let time): (consumer.feed, time)
            case .probe(let feed, let time): (feed, time)
            case .landmark, .creation: nil
            }
        }
    }
}
