import POSIX
import Testing

/// Runs of the whole server in simulated machines, each determined by a seed.
@Suite struct SimulationTests {
    /// The seeds that are run: one, or many from a first on.
    private struct Seeds {
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
                let count = number("NAVSTATE_SIMULATIONS") ?? 400
                (isOne, range) = (false, first..<first + count)
            }
        }
    }

    private static let parts: UInt64 = 8

    @Test(arguments: 0..<parts)
    func `whatever happens to the machine, the server keeps its promises`(part: UInt64) throws {
        let seeds = Seeds()
        var failures = 0
        for seed in seeds.range where seed % Self.parts == part && failures < 5 {
            let run = try Run(seed: seed, isTold: seeds.isOne)
            run.carryOut()
            if seeds.isOne { report(run) }
            if seeds.showsTraces { print("trace of seed \(seed): \(run.world.trace)") }
            guard !run.violations.isEmpty else { continue }
            failures += 1
            Issue.record(
                """
                seed \(seed): \(run.violations.joined(separator: "\n    "))
                repeat with NAVSTATE_SEED=\(seed) swift test --filter SimulationTests
                """)
        }
    }

    private func report(_ run: Run) {
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
