import Testing

/// Runs of several nodes on one store in simulated machines, each determined by a seed.
///
/// With SWIFT_DETERMINISTIC_HASHING=1 a seed takes the same way in each process.
@Suite struct ClusterSimulationTests {
    @Test
    func `whatever happens to nodes and servers, the nodes keep their promises`() async throws {
        let seeds = Seeds(count: 60)
        try await seeds.run("ClusterSimulationTests") { Self.run($0, seeds) }
    }

    /// Carries out one run.
    ///
    /// - Returns: what went wrong.
    private static func run(_ seed: UInt64, _ seeds: Seeds) -> [String] {
        let run: ClusterRun
        do { run = try ClusterRun(seed: seed, isTold: seeds.isOne) } catch { return ["\(error)"] }
        run.carryOut()
        if seeds.isOne {
            for line in run.story { print(line) }
            print(
                "\(run.world.steps) steps, \(run.oracle.acknowledged) changes acknowledged, "
                    + "\(run.oracle.slowest / 1_000_000) ms for the slowest answer")
        }
        if seeds.showsTraces { print("trace of seed \(seed): \(run.world.trace)") }
        return run.violations
    }
}
