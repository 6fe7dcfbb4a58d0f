import JSON
import Navigation
import TestSupport
import Testing

/// Programs of commands about tabs and marks, each step looked at from all sides.
@Suite struct TabWorldTests {
    @Test(arguments: TabWorld.all.indices.prefix(TabWorld.alphabet))
    func `every program of up to four commands keeps the rules of tabs`(_ first: Int) throws {
        let commands = try read(Array(TabWorld.all.prefix(TabWorld.alphabet)))
        var walk = Walk(TabWorld.all, commands)
        walk.law = TabLaws.flaw
        try walk.go(CheckedWorld(try TabWorld.world(.history)), [first])
        #expect(walk.flaw == nil)
        #expect(walk.steps == Walk.stepCount(of: TabWorld.alphabet))
    }

    @Test(arguments: TabBack.allCases, [false, true])
    func `every program of two commands from the whole list keeps them with any way back`(
        _ tabBack: TabBack, _ isFree: Bool
    ) throws {
        let world = try isFree ? TabWorld.freeWorld(tabBack) : TabWorld.world(tabBack)
        let commands = try read(TabWorld.all)
        var walk = Walk(TabWorld.all, commands, depthMax: 2)
        walk.law = TabLaws.flaw
        for first in commands.indices { try walk.go(CheckedWorld(world), [first]) }
        #expect(walk.flaw == nil)
    }

    @Test(.seeded, arguments: TabBack.allCases, SplitMix64.worlds(4))
    func `a long random program keeps them too, and steps back add up`(
        _ tabBack: TabBack, _ round: Int
    ) throws {
        var numbers = SplitMix64(stream: UInt64(round))
        let commands = try read(TabWorld.all)
        var world = CheckedWorld(try TabWorld.world(tabBack))
        for step in 0..<150 {
            let index = Int.random(in: commands.indices, using: &numbers)
            let before = world.world
            let flaw =
                try world.step(commands[index])
                ?? TabLaws.flaw(commands[index], before, world.world) ?? sumFlaw(world.world)
            if let flaw {
                Issue.record("round \(round), step \(step), \(TabWorld.all[index]): \(flaw)")
                return
            }
        }
        #expect(world.world.session.revision > 40, "most programs do something")
    }

    /// Two steps back are a step back and another one.
    private func sumFlaw(_ world: World) throws -> String? {
        var twice = world
        for _ in 0..<2 {
            let decision = try twice.trial(.back(.steps(1, within: .any)))
            twice.adopt(decision)
        }
        var once = world
        let decision = try once.trial(.back(.steps(2, within: .any)))
        once.adopt(decision)
        return once.session.state == twice.session.state ? nil : "two steps are not two"
    }

    @Test(.seeded, arguments: TabBack.allCases, SplitMix64.worlds(4))
    func `guards and tabs of the user's own do not disturb each other`(
        _ tabBack: TabBack, _ round: Int
    ) throws {
        var numbers = SplitMix64(stream: UInt64(round))
        let commands = try GuardedTabs.commands()
        var world = CheckedWorld(try World(app: app(GuardedTabs.document(tabBack))))
        for step in 0..<150 {
            let index = Int.random(in: commands.indices, using: &numbers)
            let flaw =
                try world.step(commands[index]) ?? TabLaws.backFlaw(world.world)
                ?? TabLaws.roundTripFlaw(world.world)
            if let flaw {
                Issue.record("round \(round), step \(step), \(GuardedTabs.all[index]): \(flaw)")
                return
            }
        }
        #expect(world.world.session.revision > 40, "most programs do something")
    }
}
