/// How long to wait before a retry.
///
/// The delay doubles with each attempt, up to a maximum. Half of it is random, so that clients that
/// were disconnected together do not all come back together. If the server asks for a certain
/// delay, the client waits at least that long plus a random time.
struct Backoff: Sendable, Hashable {
    /// A request is not retried if the server asks for a longer delay than this. A stream waits for
    /// as long as it is asked to, up to an hour.
    static let askedSecondsMax = 15

    private static let hourSeconds = 3600

    var firstMilliseconds = 250
    var maxMilliseconds = 15_000

    /// The delay after the failed attempt with this number, counted from 1.
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
