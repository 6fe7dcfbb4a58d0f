import Navigation
import TestSupport
import Testing

/// Every program of up to four commands, each step looked at from all sides.
@Suite struct SmallWorldTests {
    @Test(arguments: SmallWorld.all.indices.prefix(SmallWorld.alphabet))
    func `every program of up to four commands keeps the rules`(_ first: Int) throws {
        let commands = try SmallWorld.commands()
        var walk = Walk(SmallWorld.all, Array(commands.prefix(SmallWorld.alphabet)))
        try walk.go(CheckedWorld(try SmallWorld.world()), [first])
        #expect(walk.flaw == nil)
        #expect(walk.steps == Walk.stepCount(of: SmallWorld.alphabet))
    }

    @Test func `every program of two commands from the whole list keeps the rules`() throws {
        let commands = try SmallWorld.commands()
        var walk = Walk(SmallWorld.all, commands, depthMax: 2)
        for first in commands.indices {
            try walk.go(CheckedWorld(try SmallWorld.world()), [first])
        }
        #expect(walk.flaw == nil)
    }
}

/// A walk through all programs, depth first.
struct Walk {
    /// The length of the longest programs: NAVSTATE_PROGRAM_LENGTH, or 4.
    static let depthMax = Environment.number("NAVSTATE_PROGRAM_LENGTH") ?? 4

    /// The steps of all programs with the same first command, for so many different commands.
    static func stepCount(of alphabet: Int) -> Int {
        (0..<depthMax).reduce(0) { count, _ in count * alphabet + 1 }
    }

    private let list: [(CommandName, String)]
    private let commands: [Command]
    private let depthMax: Int
    /// The additional law of a step from one world to another.
    var law: (_ command: Command, _ before: World, _ after: World) throws -> String? = { _, _, _ in
        nil
    }
    private(set) var steps = 0
    /// The first program that broke a rule.
    private(set) var flaw: String?

    /// - Parameter list: the commands as they are written, for reports.
    init(
        _ list: [(CommandName, String)], _ commands: [Command], depthMax: Int = Walk.depthMax
    ) {
        self.list = list
        self.commands = commands
        self.depthMax = depthMax
    }

    mutating func go(_ before: CheckedWorld, _ program: [Int]) throws {
        guard flaw == nil, let last = program.last else { return }
        var world = before
        steps += 1
        let command = commands[last]
        if let flaw = try world.step(command) ?? law(command, before.world, world.world) {
            let text = program.map { "\(list[$0])" }.joined(separator: "\n")
            self.flaw = "\(flaw)\n\(text)\n\(world.world.text)"
            return
        }
        guard program.count < depthMax else { return }
        for next in commands.indices { try go(world, program + [next]) }
    }
}
