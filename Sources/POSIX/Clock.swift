internal import Glibc

/// The clocks.
public enum Clock {
    /// Milliseconds since 1970 by the system's clock, which may be set. A time before 1970 or after
    /// 9999 is replaced by the nearest time between them, so that the year of every date has four
    /// digits and sums of times do not overflow.
    public static var realtimeMilliseconds: Int64 {
        let time = read(CLOCK_REALTIME)
        return milliseconds(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    /// Milliseconds of a clock that never goes back and also runs while the machine is suspended.
    public static var monotonicMilliseconds: Int64 {
        let time = read(CLOCK_BOOTTIME)
        return milliseconds(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    /// Nanoseconds of a clock that never goes back, for measuring.
    public static var monotonicNanoseconds: Int64 {
        let time = read(CLOCK_MONOTONIC)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    /// The last second of the year 9999.
    private static let secondsMax: Int64 = 253_402_300_799

    /// A time in milliseconds since 1970, clamped to the years 1970 to 9999.
    public static func milliseconds(seconds: Int64, nanoseconds: Int64) -> Int64 {
        guard seconds >= 0 else { return 0 }
        return min(seconds, secondsMax) * 1000 + nanoseconds / 1_000_000
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        if let simulation {
            let nanoseconds =
                clock == CLOCK_REALTIME
                ? simulation.realtimeNanoseconds : simulation.monotonicNanoseconds
            time.tv_sec = Int(nanoseconds / 1_000_000_000)
            time.tv_nsec = Int(nanoseconds % 1_000_000_000)
        } else {
            unsafe clock_gettime(clock, &time)
        }
        return time
    }
}
