internal import POSIX

/// Where the event loop reads the time. Tests give it a clock that they set themselves.
package protocol LoopClock: Sendable {
    /// Milliseconds since 1970 by the wall clock, which may jump.
    var wallMilliseconds: Int64 { get }
    /// Milliseconds of a clock that never goes back.
    var steadyMilliseconds: Int64 { get }
    /// Nanoseconds of a clock that never goes back, for measuring.
    var nanoseconds: Int64 { get }
}

/// The clocks of the system.
package struct SystemClock: LoopClock {
    package init() {}

    /// CLOCK_REALTIME.
    package var wallMilliseconds: Int64 { Clock.realtimeMilliseconds }
    /// CLOCK_MONOTONIC.
    package var steadyMilliseconds: Int64 { Clock.monotonicMilliseconds }
    /// CLOCK_MONOTONIC.
    package var nanoseconds: Int64 { Clock.monotonicNanoseconds }
}
