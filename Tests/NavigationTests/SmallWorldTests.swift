import Navigation
import Testing

/// Every program of up to four commands, each step looked at from all sides.
@Suite struct SmallWorldTests {
    @Test(arguments: SmallWorld.all.indices.prefix(SmallWorld.alphabet))
    func `every program of up to four commands keeps the rules`(_ first: Int) throws {
        let commands = try SmallWorld.commands()
        var walk = Walk(commands: Array(commands.prefix(SmallWorld.alphabet)))
        walk.go(CheckedWorld(try SmallWorld.world()), [first])
        #expect(walk.flaw == nil)
        #expect(walk.steps == 1 + 12 + 144 + 1728)
    }

    @Test func `every program of two commands from the whole list keeps the rules`() throws {
        let commands = try SmallWorld.commands()
        var walk = Walk(commands: commands, depthMax: 2)
        for first in commands.indices { walk.go(CheckedWorld(try SmallWorld.world()), [first]) }
        #expect(walk.flaw == nil)
    }
}

/// A walk through all programs, depth first.
private struct Walk {
    let commands: [Command]
    var depthMax = 4
    private(set) var steps = 0
    /// The first program that broke a rule.
    private(set) var flaw: String?

    init(commands: [Command], depthMax: Int = 4) {
        self.commands = commands
        self.depthMax = depthMax
    }

    mutating func go(_ world: CheckedWorld, _ program: [Int]) {
        guard flaw == nil, let last = program.last else { return }
        var world = world
        steps += 1
        if let flaw = world.step(commands[last]) {
            let text = program.map { "\(SmallWorld.all[$0])" }.joined(separator: "\n")
            self.flaw = "\(flaw)\n\(text)\n\(world.world.text)"
            return
        }
        guard program.count < depthMax else { return }
        for next in commands.indices { go(world, program + [next]) }
    }
}
