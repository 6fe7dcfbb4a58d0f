import Bytes
import JSON
import Navigation
import TestSupport
import Testing

/// Laws that tie commands together, over every state that random programs come to.
///
/// A failure names the program and the step.
@Suite(.seeded) struct LawTests {
    static let programs = SplitMix64.worlds(12)
    static let steps = 40

    /// Calls the body with every state of the program; says which steps were wrong.
    private func walk(
        _ program: Int, _ body: (World, inout SplitMix64) throws -> String?
    ) throws -> [String] {
        var numbers = SplitMix64(stream: UInt64(program))
        let commands = try SmallWorld.commands()
        var world = CheckedWorld(try SmallWorld.world())
        var flaws: [String] = []
        for step in 0..<Self.steps {
            if let flaw = try body(world.world, &numbers) {
                flaws.append(
                    "program \(program), step \(step): \(flaw) in \(world.world.picture)")
            }
            let index = Int.random(in: commands.indices, using: &numbers)
            if let flaw = world.step(commands[index]) {
                flaws.append(
                    "program \(program), step \(step): \(flaw) by \(SmallWorld.all[index])")
            }
        }
        return flaws
    }

    /// The world after the command, or nil if it is refused.
    private func after(_ command: Command, _ world: World) -> World? {
        var world = world
        guard let decision = try? world.trial(command) else { return nil }
        world.adopt(decision)
        return world
    }

    @Test(arguments: programs)
    func `back a and back b are back a + b`(_ program: Int) throws {
        let flaws = try walk(program) { world, numbers in
            let (a, b) = (
                Int.random(in: 1...4, using: &numbers), Int.random(in: 1...4, using: &numbers)
            )
            for within in Back.Within.allCases {
                let twice = after(.back(.steps(a, within: within)), world)
                    .flatMap { after(.back(.steps(b, within: within)), $0) }
                let once = after(.back(.steps(a + b, within: within)), world)
                if twice?.session.state != once?.session.state { return "\(a), \(b), \(within)" }
            }
            return nil
        }
        #expect(flaws.isEmpty)
    }

    @Test(arguments: programs)
    func `a push on the active container and a back are as nothing`(_ program: Int) throws {
        let flaws = try walk(program) { world, _ in
            for route in ["x", "y", "t"] {
                var push = Navigate(route: RouteName(trusted: route))
                push.mode = .push
                guard let pushed = after(.navigate(push), world) else { continue }
                let back = after(.back(.steps(1, within: .any)), pushed)
                if back?.session.state != world.session.state { return route }
            }
            return nil
        }
        #expect(flaws.isEmpty)
    }

    @Test(arguments: programs)
    func `root twice is root`(_ program: Int) throws {
        let flaws = try walk(program) { world, _ in
            for scope in RootScope.allCases {
                let once = after(.root(Root(scope: scope)), world)
                let twice = once.flatMap { after(.root(Root(scope: scope)), $0) }
                // A locked sheet is in the way of both.
                if once == nil, world.session.state.sheets.contains(where: { !$0.dismissible }) {
                    continue
                }
                if once == nil || once?.session != twice?.session { return "\(scope)" }
            }
            return nil
        }
        #expect(flaws.isEmpty)
    }

    @Test(arguments: programs)
    func `dismissing all leaves every path of a tab`(_ program: Int) throws {
        let flaws = try walk(program) { world, _ in
            var all = Dismiss()
            (all.which, all.force) = (.all, true)
            guard let bare = after(.dismiss(all), world)?.session.state else { return "refused" }
            let state = world.session.state
            return bare == NavigationState(tabs: state.tabs, selected: state.selected)
                ? nil : "something else went"
        }
        #expect(flaws.isEmpty)
    }

    @Test(arguments: programs)
    func `the same link twice is the same state`(_ program: Int) throws {
        let flaws = try walk(program) { world, _ in
            for url in ["app://x/1", "app://s"] {
                for handling in SheetHandling.allCases {
                    var open = Open(url: url)
                    open.clearing = Clearing(sheets: handling)
                    guard let once = after(.open(open), world) else { continue }
                    let answer = try once.trial(.open(open)).answer
                    if answer.reason != .alreadyThere { return "\(url) \(handling)" }
                }
            }
            return nil
        }
        #expect(flaws.isEmpty)
    }

    @Test(arguments: programs)
    func `a URL whose goal is known is opened as any other`(_ program: Int) throws {
        let flaws = try walk(program) { world, _ in
            for url in ["app://x/1", "app://s"] {
                var rules = world.rules()
                rules.goals[ExactString(url)] = try world.app?.resolve(url, work: .unlimited)
                let states = [world.rules(), rules].map { rules in
                    var editor = SessionEditor(world.session, rules: rules)
                    let answer = try? editor.carryOut(.open(Open(url: url)), at: 0)
                    return (answer, editor.finish())
                }
                if states[0] != states[1] { return url }
            }
            return nil
        }
        #expect(flaws.isEmpty)
    }

    @Test(arguments: programs)
    func `undo after any change restores everything but the revision, and redo brings it back`(
        _ program: Int
    ) throws {
        let commands = try SmallWorld.commands()
        let flaws = try walk(program) { world, _ in
            for (index, command) in commands.enumerated() {
                guard let changed = after(command, world), changed.session != world.session else {
                    continue
                }
                if case .undo = command { continue }
                if case .redo = command { continue }
                guard let undone = after(.undo(count: 1), changed),
                    let redone = after(.redo(count: 1), undone)
                else { return "refused after \(SmallWorld.all[index])" }
                let restored =
                    undone.session.state == world.session.state
                    && undone.session.settings == world.session.settings
                    && undone.session.revision == world.session.revision + 2
                    && redone.session.state == changed.session.state
                if !restored { return "\(SmallWorld.all[index])" }
            }
            return nil
        }
        #expect(flaws.isEmpty)
    }

    @Test(arguments: programs)
    func `a batch equals its commands one by one, and is refused where the first of them is`(
        _ program: Int
    ) throws {
        let commands = try SmallWorld.commands().filter { command in
            switch command {
            case .batch, .undo, .redo: false
            default: true
            }
        }
        let flaws = try walk(program) { world, numbers in
            let batch = (0..<4).map { _ in commands.randomElement(using: &numbers) ?? .root(Root())
            }
            return try batchFlaw(batch, world)
        }
        #expect(flaws.isEmpty)
    }

    private func batchFlaw(_ batch: [Command], _ world: World) throws -> String? {
        var single = world
        var answers: [Answer] = []
        for (index, command) in batch.enumerated() {
            do throws(RejectionError) {
                let decision = try single.trial(command)
                answers.append(decision.answer)
                single.adopt(decision)
            } catch {
                return refusedIndex(batch, world) == index ? nil : "not refused at \(index)"
            }
        }
        guard let whole = after(.batch(batch), world) else { return "the batch is refused" }
        guard whole.session.state == single.session.state,
            whole.session.nextEntry == single.session.nextEntry
        else { return "another state: \(batch)" }
        let answer = try world.trial(.batch(batch)).answer
        guard answer.extra == .results(answers) else { return "other results: \(batch)" }
        let changes = whole.session.revision - world.session.revision
        return changes == (answer.changed ? 1 : 0) ? nil : "\(changes) revisions"
    }

    private func refusedIndex(_ batch: [Command], _ world: World) -> Int? {
        do throws(RejectionError) {
            _ = try world.trial(.batch(batch))
            return nil
        } catch {
            return error.index
        }
    }

    @Test(arguments: programs)
    func `one may go back just when a step back does something`(_ program: Int) throws {
        let flaws = try walk(program) { world, _ in
            let answer = try world.trial(.back(.steps(1, within: .any))).answer
            return answer.changed == world.session.canGoBack(world.app) ? nil : "canGoBack"
        }
        #expect(flaws.isEmpty)
    }

    @Test(arguments: SplitMix64.worlds(3))
    func `a long random program keeps the rules`(_ program: Int) throws {
        var numbers = SplitMix64(stream: UInt64(program))
        let commands = try SmallWorld.commands()
        var world = CheckedWorld(try SmallWorld.world())
        for step in 0..<400 {
            let index = Int.random(in: commands.indices, using: &numbers)
            if let flaw = world.step(commands[index]) {
                Issue.record("program \(program), step \(step), \(SmallWorld.all[index]): \(flaw)")
                return
            }
        }
        #expect(world.world.session.revision > 100, "most programs do something")
    }
}
