internal import Navigation
internal import POSIX

/// The clock of the links, which never goes back, beside the time of the loop.
final class EngineClock {
    private let monotonic: () -> Int64
    private var difference: Int64 = 0

    /// - Parameter monotonic: milliseconds of a clock that never goes back.
    init(monotonic: @escaping () -> Int64) {
        self.monotonic = monotonic
        wall = Clock.realtimeMilliseconds
    }

    /// Milliseconds of a clock that never goes back.
    var now: Int64 { monotonic() }

    /// The time of the loop, in milliseconds since 1970. It may be set.
    var wall: Milliseconds {
        get { now + difference }
        set { difference = newValue - now }
    }

    /// The loop's time at which `now` will be a time.
    func wallTime(of time: Int64) -> Milliseconds { time + difference }
}
