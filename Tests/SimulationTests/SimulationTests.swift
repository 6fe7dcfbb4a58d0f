import POSIX
import Testing

/// Runs of the whole server in simulated machines, each determined by a seed.
@Suite struct SimulationTests {
    /// The seeds that are run: one, or many from a first on.
    private struct Seeds: Sendable {
        let isOne: Bool
        /// Prints a number for each seed that says which way it went.
        let showsTraces = Process.environment("NAVSTATE_SIMULATION_TRACES") != nil
        let range: Range<UInt64>

        init() {
            func number(_ name: String) -> UInt64? {
                Process.environment(name).flatMap(UInt64.init)
            }
            if let seed = number("NAVSTATE_SEED") {
                (isOne, range) = (true, seed..<seed + 1)
            } else {
                let first = number("NAVSTATE_SIMULATIONS_FROM") ?? 0
                let count = number("NAVSTATE_SIMULATIONS") ?? 2_000
                (isOne, range) = (false, first..<first + count)
            }
        }
    }

    /// Runs at a time. A run is idle while one of its threads hands its turn to another, so more
    /// runs than the machine has processors are faster.
    private static let runsAtOnce = 4
    /// After this many failures no further seed is run.
    private static let failuresMax = 5

    private struct Progress {
        var next: UInt64
        var failures: [String] = []
    }

    @Test func `whatever happens to the machine, the server keeps its promises`() throws {
        let seeds = Seeds()
        let progress = Lock(Progress(next: seeds.range.lowerBound))
        let threads = try (0..<Self.runsAtOnce).map { number in
            try Thread(named: "runs \(number)") {
                while let seed = Self.take(progress, seeds.range) {
                    guard let failure = Self.run(seed, seeds) else { continue }
                    progress.withLock { $0.failures.append(failure) }
                }
            }
        }
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

    /// Carries out one run; what went wrong, if anything did.
    private static func run(_ seed: UInt64, _ seeds: Seeds) -> String? {
        let run: Run
        do { run = try Run(seed: seed, isTold: seeds.isOne) } catch { return "\(error)" }
        run.carryOut()
        if seeds.isOne { report(run) }
        if seeds.showsTraces { print("trace of seed \(seed): \(run.world.trace)") }
        guard !run.violations.isEmpty else { return nil }
        return """
            seed \(seed): \(run.violations.joined(separator: "\n    "))
            repeat with NAVSTATE_SEED=\(seed) swift test --filter SimulationTests
            """
    }

    private static func report(_ run: Run) {
        let lines = run.story + run.disk.history
        let times = lines.map { Int($0.prefix { $0.isNumber }) ?? 0 }
        for index in lines.indices.sorted(by: { (times[$0], $0) < (times[$1], $1) }) {
            print(lines[index])
        }
        print(
            "\(run.world.steps) steps, trace \(run.world.trace), \(run.oracle.acknowledged) "
                + "changes acknowledged, \(run.disk.callCount) calls of the disk")
    }
}
