internal import Bytes
internal import NATS

/// When the node last heard from the store, and when it should try another server.
///
/// A server that is cut off from the others keeps its clients but cannot answer them, since no
/// stream has a majority there. A node whose requests are not answered for three seconds moves to
/// another server. An election can take longer, and then moving does no harm, but it is not
/// repeated at once.
struct StoreContact {
    private var heardAt: Int64
    private var missedSince: Int64?
    private var movesAgainAt: Int64 = 0

    private static let silenceMilliseconds: Int64 = 3_000
    private static let pauseMilliseconds: Int64 = 5_000
    private static let recentMilliseconds: Int64 = 15_000

    init(at now: Int64) { heardAt = now }

    /// A leader answered.
    mutating func heard(at now: Int64) {
        heardAt = now
        missedSince = nil
    }

    /// A request was not answered in time, or there was nobody to answer it.
    mutating func missed(at now: Int64) { missedSince = missedSince ?? now }

    /// When to ask `shouldMove`. `.max` while all requests are answered.
    var deadline: Int64 {
        missedSince.map { max($0 + Self.silenceMilliseconds, movesAgainAt) } ?? .max
    }

    /// Whether to move to another server now. The question begins to count from the start again.
    mutating func shouldMove(at now: Int64) -> Bool {
        guard now >= deadline else { return false }
        missedSince = nil
        movesAgainAt = now + Self.pauseMilliseconds
        return true
    }

    /// Whether anything was heard within the last 15 s.
    func isRecent(at now: Int64) -> Bool { now - heardAt < Self.recentMilliseconds }
}

extension Message {
    /// Whether a leader has answered. For a stream without one, nobody answers (status 503), or
    /// another server says so. A question about the stream itself is answered by a server that only
    /// has a copy: see `StreamInfo.hasLeader`.
    var isFromLeader: Bool {
        if (try? status())?.code == 503 { return false }
        guard content.count <= Self.errorBytesMax, content.first == UInt8(ascii: "{"),
            case .refused(let error)? = try? answer(as: StreamInfo.self)
        else { return true }
        return error.kind != .temporarilyUnavailable
    }

    /// More than an error of JetStream has.
    private static var errorBytesMax: Int { 512 }
}

extension StreamInfo {
    /// Whether the stream has a leader. A server that is not part of a cluster names none.
    var hasLeader: Bool { leader != nil || followers.isEmpty }
}
