internal import HTTP

/// The time of the current turn, the same for everything that the turn does.
final class TurnClock {
    private let clock: any LoopClock
    /// Added to the steady clock, it gives the wall clock's time as of the start.
    private let offset: Int64
    /// When the loop was made, in milliseconds since 1970.
    let startedAt: Int64
    /// Milliseconds since 1970, counted by the steady clock from the start: it does not jump.
    private(set) var now: Int64
    /// The `Date` field of answers, by the wall clock.
    private(set) var date: DateField

    init(_ clock: any LoopClock) {
        self.clock = clock
        startedAt = clock.wallMilliseconds
        offset = startedAt - clock.steadyMilliseconds
        now = startedAt
        date = DateField(unixSeconds: startedAt / 1000)
    }

    /// Begins a turn.
    func tick() {
        now = offset + clock.steadyMilliseconds
        let seconds = clock.wallMilliseconds / 1000
        if date.unixSeconds != seconds { date = DateField(unixSeconds: seconds) }
    }

    /// Nanoseconds of a clock that never goes back, for measuring. It advances within a turn.
    var nanoseconds: Int64 { clock.nanoseconds }
}
