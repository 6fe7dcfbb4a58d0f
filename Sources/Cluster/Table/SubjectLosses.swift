/// How many subjects the streams of shards lack of those that were read: sessions, and lists of
/// tokens, whose messages somebody has removed.
///
/// A difference counts only if it is still there some time later. The keeper of a shard removes the
/// messages of sessions that ended a day ago, and the other nodes forget these sessions at about
/// the same time.
struct SubjectLosses {
    /// Since when a shard lacks more than was noticed.
    private var since: [Int: Int64] = [:]
    /// The numbers that were noticed, by shard.
    private var noticed: [Int: Int] = [:]

    private static let patience: Int64 = 15_000

    /// The numbers that were noticed and are still missing, in the order of the shards.
    var all: [(shard: Int, missing: Int)] {
        noticed.sorted { $0.key < $1.key }.map { (shard: $0.key, missing: $0.value) }
    }

    /// Takes how many subjects a shard lacks; a negative number is no loss.
    ///
    /// - Returns: whether it has lost more than was noticed before.
    mutating func take(_ missing: Int, of shard: Int, at now: Int64) -> Bool {
        guard missing > noticed[shard] ?? 0 else {
            since[shard] = nil
            noticed[shard] = missing > 0 ? missing : nil
            return false
        }
        let began = since[shard] ?? now
        since[shard] = began
        guard now - began >= Self.patience else { return false }
        since[shard] = nil
        noticed[shard] = missing
        return true
    }

    /// A loss as a sentence.
    static func text(_ missing: Int, in stream: String) -> String {
        "the stream \(stream) lacks the messages of \(missing) sessions or lists of tokens that were "
            + "read before"
    }
}
