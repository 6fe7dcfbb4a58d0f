import JSON
import Navigation
import TestSupport
import Testing

/// Programs on an app with guards. After each step the invariants are checked, among them that
/// nothing is under a guard that fails; here are the laws beside them.
@Suite struct GuardedWorldTests {
    @Test(arguments: 0..<GuardedWorld.alphabet)
    func `every program of up to four commands keeps the rules and the laws`(
        _ first: Int
    ) throws {
        let commands = try GuardedWorld.commands()
        var walk = GuardedWalk(
            commands: Array(commands.prefix(GuardedWorld.alphabet)), depthMax: Walk.depthMax)
        walk.go(CheckedWorld(try GuardedWorld.world()), [first])
        #expect(walk.flaw == nil)
        #expect(walk.steps == Walk.stepCount(of: GuardedWorld.alphabet))
        #expect(first != 1 || walk.held > 0, "nothing was held back")
    }

    @Test func `every program of two commands from the whole list keeps the rules and the laws`()
        throws
    {
        let commands = try GuardedWorld.commands()
        var walk = GuardedWalk(commands: commands, depthMax: 2)
        for first in commands.indices { walk.go(CheckedWorld(try GuardedWorld.world()), [first]) }
        #expect(walk.flaw == nil)
        #expect(walk.held > 20)
        #expect(walk.resumed > 5)
    }

    @Test(.seeded, arguments: SplitMix64.worlds(12))
    func `random programs keep the rules and the laws`(round: Int) throws {
        var numbers = SplitMix64(stream: UInt64(round))
        let commands = try GuardedWorld.commands()
        var walk = GuardedWalk(commands: commands, depthMax: 0)
        var world = CheckedWorld(try GuardedWorld.world())
        var program: [Int] = []
        for _ in 0..<60 where walk.flaw == nil {
            program.append(Int.random(in: commands.indices, using: &numbers))
            walk.step(&world, program)
        }
        #expect(walk.flaw == nil)
    }
}

/// A walk through programs, depth first.
private struct GuardedWalk {
    let commands: [CommandRequest]
    let depthMax: Int
    private(set) var steps = 0
    private(set) var held = 0
    private(set) var resumed = 0
    /// The first program that broke a rule or a law.
    private(set) var flaw: String?

    init(commands: [CommandRequest], depthMax: Int) {
        self.commands = commands
        self.depthMax = depthMax
    }

    mutating func go(_ world: CheckedWorld, _ program: [Int]) {
        guard flaw == nil else { return }
        var world = world
        step(&world, program)
        guard program.count < depthMax else { return }
        for next in commands.indices { go(world, program + [next]) }
    }

    mutating func step(_ world: inout CheckedWorld, _ program: [Int]) {
        guard let last = program.last else { return }
        steps += 1
        let asked = commands[last]
        let before = world.world
        let found = lawFlaw(asked, before) ?? world.step(asked) ?? factsFlaw(asked, before, world)
        guard let found else { return }
        let text = program.map { "\(GuardedWorld.all[$0])" }.joined(separator: "\n")
        flaw = "\(found)\n\(text)\n\(before.text)\n\(world.world.text)"
    }

    /// Undo and redo leave the facts, and bring no pending command back.
    private func factsFlaw(
        _ asked: CommandRequest, _ before: World, _ after: CheckedWorld
    ) -> String? {
        switch asked.command {
        case .undo, .redo:
            guard after.world.session.facts == before.session.facts else { return "facts changed" }
            let pending = after.world.session.pending
            return pending == nil || pending == before.session.pending ? nil : "something is back"
        default: return nil
        }
    }

    private mutating func lawFlaw(_ asked: CommandRequest, _ world: World) -> String? {
        guard let decision = try? world.trial(asked) else { return nil }
        if decision.answer.guarded.resumed != nil { resumed += 1 }
        guard decision.answer.guarded.held != nil, decision.answer.guarded.resumed == nil
        else { return nil }
        held += 1
        var after = world
        after.adopt(decision)
        return againFlaw(asked, after) ?? resumeFlaw(after)
    }

    /// Who asks for the same twice meets one login.
    private func againFlaw(_ asked: CommandRequest, _ after: World) -> String? {
        switch asked.command {
        case .open, .select, .present: break
        default: return nil
        }
        guard let again = try? after.trial(asked) else {
            return "it is refused when asked again"
        }
        return again.answer.reason == .held ? nil : "asking again changed something"
    }

    /// A command that is held and resumed has the effect of asking when the guard holds, had
    /// nothing been shown instead.
    private func resumeFlaw(_ after: World) -> String? {
        guard let pending = after.session.pending else { return "nothing is pending" }
        // The facts below are those with which every other guard holds.
        if pending.guardName.rawValue == "away" { return nil }
        guard let set = try? after.trial(.setFacts, #"{"facts":{"in":true,"level":2}}"#),
            set.answer.changed
        else { return "the facts cannot be set" }
        let (answer, state) = (set.answer, set.session.state)
        guard answer.guarded.resumed != nil else { return "it was not resumed" }
        var bare = after
        bare.session.facts = Facts([
            (FactName(trusted: "in"), .bool(true)), (FactName(trusted: "level"), .integer(2)),
        ])
        bare.session.pending = nil
        if let open = bare.app.flatMap({
            bare.session.state.removingGuarded(by: $0, bare.session.facts)
        }) {
            bare.session.state = open.state
        }
        if let entry = pending.entry { bare.session.state = bare.session.state.without(entry) }
        let item = JSON.object(pending.command)
        guard
            let command = try? Command(
                item: item, at: "", limits: Limits(), work: WorkBudget())
        else { return "what is pending cannot be read" }
        var body = pending.command
        body["command"] = nil
        do {
            let decision = try bare.trial(CommandRequest(command, body: body))
            if decision.answer.changed { bare.session = decision.session }
            guard answer.guarded.held == decision.answer.guarded.held else {
                return "it is held back otherwise"
            }
        } catch {
            guard answer.guarded.refused != nil else { return "it is not refused" }
        }
        return bare.session.state == state ? nil : "something else was resumed"
    }
}

extension NavigationState {
    /// The state without an entry or a sheet and all that lies above it.
    fileprivate func without(_ id: EntryID) -> NavigationState {
        var rest = self
        if let sheet = sheets.firstIndex(where: { $0.id == id }) {
            rest.sheets = Array(sheets[..<sheet])
        }
        for (tab, index) in tabs.enumerated().map({ ($0.offset, $0.element.path.firstIndex(id)) }) {
            guard let index else { continue }
            rest.tabs[tab].path = Array(tabs[tab].path[..<index])
            if tab == selected { rest.sheets = [] }
        }
        for (sheet, index) in sheets.enumerated().map({
            ($0.offset, $0.element.path.firstIndex(id))
        }) {
            guard let index else { continue }
            rest.sheets = Array(sheets[...sheet])
            rest.sheets[sheet].path = Array(sheets[sheet].path[..<index])
        }
        return rest
    }
}

extension [Entry] {
    fileprivate func firstIndex(_ id: EntryID) -> Int? { firstIndex { $0.id == id } }
}
