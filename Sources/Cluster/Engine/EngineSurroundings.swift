internal import POSIX

/// What an engine takes from outside: time, random bits, and the way it waits while it is opened.
struct EngineSurroundings {
    /// The clock of the links.
    let clock: EngineClock
    /// Random bits that nobody can foresee.
    let random: () -> UInt64
    /// Called with a number of milliseconds in place of a wait. Nil if the kernel waits.
    var wait: ((Int) -> Void)?

    /// Those of a process.
    static var process: EngineSurroundings {
        EngineSurroundings(
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
