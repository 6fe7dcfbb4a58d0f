/// How long to wait before another attempt.
///
/// The time doubles with each attempt up to a maximum. Half of it is random, so that clients that
/// were disconnected together do not come back together. A longer time that the server asks for is
/// used instead, up to the maximum.
struct Backoff: Sendable, Hashable {
    var firstMilliseconds = 250
    var maxMilliseconds = 15_000

    /// The time before the attempt with this number, counted from 1.
    func milliseconds(
        attempt: Int, askedSeconds: Int?, random: inout some RandomNumberGenerator
    ) -> Int {
        let doublings = min(max(attempt, 1), 16)
        let full = min(maxMilliseconds, firstMilliseconds << doublings)
        let spread = Int.random(in: full / 2...full, using: &random)
        let asked = min(max(askedSeconds ?? 0, 0), maxMilliseconds / 1000) * 1000
        return max(asked, spread)
    }
}
