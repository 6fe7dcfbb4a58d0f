internal import HTTP
internal import POSIX

/// The time of the current turn, the same for everything that the turn does.
final class TurnClock {
    private let clock: any LoopClock
    /// Added to the steady clock, it gives the time.
    private var offset: Int64
    /// The steady clock's time of the last correction.
    private var correctedAt: Int64
    /// When the loop was made, in milliseconds since 1970.
    let startedAt: Int64
    /// Milliseconds since 1970, counted by the steady clock from the start: it does not jump.
    private(set) var now: Int64
    /// The `Date` field of answers, by the wall clock.
    private(set) var date: DateField

    /// Within ten milliseconds the time is corrected by at most one.
    private static let millisecondsPerCorrection: Int64 = 10

    /// - Parameter time: the store's time, in milliseconds since 1970. Nil if it has none.
    init(_ clock: any LoopClock, storeTime time: Int64? = nil) {
        self.clock = clock
        startedAt = time ?? clock.wallMilliseconds
        correctedAt = clock.steadyMilliseconds
        offset = startedAt - correctedAt
        now = startedAt
        date = DateField(unixSeconds: clock.wallMilliseconds / 1000)
    }

    /// Begins a turn.
    ///
    /// - Parameter time: the store's time, which the clock approaches. Nil if it has none.
    func tick(storeTime time: Int64? = nil) {
        let steady = clock.steadyMilliseconds
        let most = (steady - correctedAt) / Self.millisecondsPerCorrection
        if let time, most > 0 {
            offset += min(max(time - offset - steady, -most), most)
            correctedAt = steady
        }
        now = max(now, offset + steady)
        let seconds = clock.wallMilliseconds / 1000
        if date.unixSeconds != seconds { date = DateField(unixSeconds: seconds) }
    }

    /// Nanoseconds of a clock that never goes back, for measuring. It advances within a turn.
    var nanoseconds: Int64 { clock.nanoseconds }
}

/// Where the event loop reads the time. Tests give it a clock that they set themselves.
public protocol LoopClock: Sendable {
    /// Milliseconds since 1970 by the wall clock, which may jump.
    var wallMilliseconds: Int64 { get }
    /// Milliseconds of a clock that never goes back.
    var steadyMilliseconds: Int64 { get }
    /// Nanoseconds of a clock that never goes back, for measuring.
    var nanoseconds: Int64 { get }
}

/// The clocks of the system.
public struct SystemClock: LoopClock {
    public init() {}

    /// CLOCK_REALTIME.
    public var wallMilliseconds: Int64 { Clock.realtimeMilliseconds }
    /// CLOCK_MONOTONIC.
    public var steadyMilliseconds: Int64 { Clock.monotonicMilliseconds }
    /// CLOCK_MONOTONIC.
    public var nanoseconds: Int64 { Clock.monotonicNanoseconds }
}
