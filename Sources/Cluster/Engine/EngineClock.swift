internal import Navigation
internal import POSIX

/// The clock of the links, which never goes back, beside the time of the loop.
final class EngineClock {
    private let monotonic: () -> Int64
    private let realtime: () -> Milliseconds
    private var difference: Int64 = 0
    /// Whether the clock of this machine is wrong, as far as is known.
    private(set) var isOff = false

    /// From this difference on, in milliseconds, the clock of this machine counts as wrong, and
    /// below the other one as right again.
    private static let (offMilliseconds, rightMilliseconds): (Int64, Int64) = (2_000, 1_000)

    /// - Parameters:
    ///   - monotonic: milliseconds of a clock that never goes back.
    ///   - realtime: milliseconds since 1970 by the clock of this machine.
    init(
        monotonic: @escaping () -> Int64,
        realtime: @escaping () -> Milliseconds = { Clock.realtimeMilliseconds }
    ) {
        self.monotonic = monotonic
        self.realtime = realtime
        wall = realtime()
    }

    /// Milliseconds of a clock that never goes back.
    var now: Int64 { monotonic() }

    /// The time by the clock of this machine, in milliseconds since 1970.
    var machineTime: Milliseconds { realtime() }

    /// The time of the loop, in milliseconds since 1970. It may be set.
    var wall: Milliseconds {
        get { now + difference }
        set { difference = newValue - now }
    }

    /// The loop's time at which `now` will be a time.
    func wallTime(of time: Int64) -> Milliseconds { time + difference }

    /// Takes how far the clock of this machine is ahead of the servers' time.
    ///
    /// - Returns: whether it counts as wrong from now on.
    func compare(_ offset: Milliseconds) -> Bool {
        let wasOff = isOff
        isOff = abs(offset) > (isOff ? Self.rightMilliseconds : Self.offMilliseconds)
        return isOff && !wasOff
    }
}
