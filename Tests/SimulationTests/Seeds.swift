import POSIX
import Testing

/// The seeds of a suite's runs: NAVSTATE_SEED alone, or NAVSTATE_SIMULATIONS of them from
/// NAVSTATE_SIMULATIONS_FROM on.
struct Seeds: Sendable {
    /// Whether there is one seed, whose story is told.
    let isOne: Bool
    /// Whether to print a number for each seed that says which way it went.
    let showsTraces = Process.environment("NAVSTATE_SIMULATION_TRACES") != nil
    let range: Range<UInt64>

    /// Runs at a time. A run is idle while one of its threads hands its turn to another, so more
    /// runs than the machine has processors are faster.
    private static let runsAtOnce = 4
    /// After this many failures no further seed is run.
    private static let failuresMax = 5

    private struct Progress {
        var next: UInt64
        var failures: [String] = []
    }

    /// - Parameter count: how many seeds are run if the environment does not say it.
    init(count: UInt64) {
        func number(_ name: String) -> UInt64? {
            Process.environment(name).flatMap(UInt64.init)
        }
        if let seed = number("NAVSTATE_SEED") {
            (isOne, range) = (true, seed..<seed + 1)
        } else {
            let first = number("NAVSTATE_SIMULATIONS_FROM") ?? 0
            (isOne, range) = (false, first..<first + (number("NAVSTATE_SIMULATIONS") ?? count))
        }
    }

    /// Carries out a run for each seed, on threads of their own. The caller's thread is free
    /// meanwhile, for the other tests.
    ///
    /// - Parameter body: says what went wrong, or nothing.
    func run(_ suite: String, _ body: @escaping @Sendable (UInt64) -> [String]) async throws {
        let range = range
        let (endings, ending) = AsyncStream<Void>.makeStream()
        let progress = Lock(Progress(next: range.lowerBound))
        let threads = try (0..<Self.runsAtOnce).map { number in
            try Thread(named: "runs \(number)") {
                while let seed = Self.take(progress, range) {
                    let faults = body(seed)
                    guard !faults.isEmpty else { continue }
                    let command = "swift test --filter 'SimulationTests\\.\(suite)'"
                    let failure = """
                        seed \(seed): \(faults.joined(separator: "\n    "))
                        repeat with SWIFT_DETERMINISTIC_HASHING=1 NAVSTATE_SEED=\(seed) \(command)
                        """
                    progress.withLock { $0.failures.append(failure) }
                }
                ending.yield()
            }
        }
        for await _ in endings.prefix(threads.count) {}
        for thread in threads { thread.join() }
        for failure in progress.withLock({ $0.failures }) { Issue.record("\(failure)") }
    }

    private static func take(_ progress: Lock<Progress>, _ range: Range<UInt64>) -> UInt64? {
        progress.withLock { progress in
            guard progress.next < range.upperBound, progress.failures.count < failuresMax else {
                return nil
            }
            progress.next += 1
            return progress.next - 1
        }
    }
}
