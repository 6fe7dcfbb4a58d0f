import Testing

/// Runs of the whole server in simulated machines, each determined by a seed.
@Suite struct SimulationTests {
    @Test func `whatever happens to the machine, the server keeps its promises`() async throws {
        let seeds = Seeds(count: 1_000)
        try await seeds.run("SimulationTests") { Self.run($0, seeds) }
    }

    /// Carries out one run.
    ///
    /// - Returns: what went wrong.
    private static func run(_ seed: UInt64, _ seeds: Seeds) -> [String] {
        let run: Run
        do { run = try Run(seed: seed, isTold: seeds.isOne) } catch { return ["\(error)"] }
        run.carryOut()
        if seeds.isOne { report(run) }
        if seeds.showsTraces { print("trace of seed \(seed): \(run.world.trace)") }
        return run.violations
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
