internal import Navigation
internal import POSIX
internal import Sessions

/// The engine's sources of time and random bits, and the way it waits while it is opened.
public struct EngineEnvironment {
    /// The clock of the links.
    let clock: EngineClock
    /// Unpredictable random bits.
    let random: () -> UInt64
    /// Called with a number of milliseconds in place of a wait. Nil if the kernel waits.
    var wait: ((Int) -> Void)?

    /// Those of a process.
    public static var process: EngineEnvironment {
        EngineEnvironment(
            clock: EngineClock(monotonic: { Clock.monotonicMilliseconds }),
            random: { Random.word() })
    }

    /// How long the kernel waits, for at most this number of milliseconds.
    func waiting(_ milliseconds: Int) -> Int {
        guard let wait else { return milliseconds }
        wait(milliseconds)
        return 0
    }
}

/// The clock of the links, which never goes back, beside the time of the loop.
public final class EngineClock {
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

/// Which node this is, since its start, and the numbers that it gives.
struct NodeIdentity {
    /// A random number that no other node has, and this one only until it ends.
    let node: UInt64
    private let random: () -> UInt64
    private var lastNumber: UInt64 = 0

    /// - Parameter random: a source of unpredictable bits.
    init(random: @escaping () -> UInt64) {
        self.random = random
        node = random() | 1
    }

    /// A new write, with the ticket that stands for it.
    mutating func nextWrite() -> (id: WriteID, ticket: Ticket) {
        lastNumber += 1
        return (WriteID(node: node, number: lastNumber), Ticket(single: lastNumber))
    }

    /// The number that all records of a new session have in common.
    func birth() -> UInt64 { random() | 1 }
}

/// Random numbers that spread waits and name inboxes. They are fast, and not secret: SplitMix64.
final class Jitter {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// The next number.
    func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
