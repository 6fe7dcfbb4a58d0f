/// How long to wait before another attempt.
///
/// The time doubles with each attempt up to a maximum. Half of it is random, so that clients that
/// were disconnected together do not come back together. If the server asks for a time, no attempt
/// is made before it has passed, and a random time is added.
struct Backoff: Sendable, Hashable {
    /// A request is not sent again if the server asks for more than this. A stream waits as long as
    /// it is asked to, up to an hour.
    static let askedSecondsMax = 15

    private static let hourSeconds = 3600

    var firstMilliseconds = 250
    var maxMilliseconds = 15_000

    /// The time before the attempt with this number, counted from 1.
    func milliseconds(
        attempt: Int, askedSeconds: Int?, random: inout some RandomNumberGenerator
    ) -> Int {
        let doublings = min(max(attempt, 1), 16)
        let full = min(maxMilliseconds, firstMilliseconds << doublings)
        let own = Int.random(in: full / 2...full, using: &random)
        guard let askedSeconds, askedSeconds > 0 else { return own }
        let asked = min(askedSeconds, Self.hourSeconds) * 1000
        return max(own, asked + Int.random(in: 0...full / 2, using: &random))
    }
}
