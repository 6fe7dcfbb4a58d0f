import Bytes
import JSON
import Navigation
import TestSupport
import Testing

/// How a user interface gets from one state to another.
@Suite struct StepTests {
    typealias Step = NavigationState.Step

    private func tab(_ id: String, _ path: [Entry] = []) -> Tab {
        Tab(id: TabID(trusted: id), path: path)
    }

    private func entry(_ number: Int, _ route: String = "x", params: String = "{}") -> Entry {
        Entry(
            id: EntryID(number: number), route: RouteName(trusted: route),
            params: Params(trusted: Array(params.utf8)[...]))
    }

    private func sheet(_ number: Int, _ path: [Entry] = []) -> Sheet {
        Sheet(
            id: EntryID(number: number), style: .sheet,
            screen: Screen(route: RouteName(trusted: "s")),
            presentedBy: .tab(TabID(trusted: "a")), path: path)
    }

    private func steps(_ start: NavigationState, _ goal: NavigationState) -> [Step] {
        #expect(StepWalk.flaw(from: start, to: goal) == nil)
        return start.steps(to: goal, app: nil)
    }

    @Test func `new screens come from bottom to top, a sheet before its own path`() {
        let start = NavigationState(tabs: [tab("a")])
        let goal = NavigationState(
            tabs: [tab("a", [entry(1), entry(2)])], sheets: [sheet(3, [entry(4)]), sheet(5)])
        let (a, e3) = (TabID(trusted: "a"), EntryID(number: 3))
        #expect(
            steps(start, goal) == [
                .push(entry(1), on: .tab(a)), .push(entry(2), on: .tab(a)), .present(sheet(3)),
                .push(entry(4), on: .sheet(e3)), .present(sheet(5)),
            ])
        #expect(
            steps(goal, start) == [
                .dismiss(EntryID(number: 5)), .dismiss(e3), .pop(2, from: .tab(a)),
            ])
    }

    @Test func `an entry that moved is popped and comes back with its id`() {
        let start = NavigationState(tabs: [tab("a", [entry(1), entry(2)]), tab("b")])
        let goal = NavigationState(tabs: [tab("a", [entry(2)]), tab("b", [entry(1)])])
        let (a, b) = (TabID(trusted: "a"), TabID(trusted: "b"))
        #expect(
            steps(start, goal) == [
                .pop(2, from: .tab(a)), .push(entry(2), on: .tab(a)), .push(entry(1), on: .tab(b)),
            ])
    }

    @Test func `a tab that is left goes, or is hidden, after the selection`() {
        let start = NavigationState(tabs: [tab("a"), tab("b", [entry(1)]), tab("c")], selected: 1)
        let (a, b, c) = (TabID(trusted: "a"), TabID(trusted: "b"), TabID(trusted: "c"))
        var goal = NavigationState(tabs: [tab("c"), tab("a")], selected: 0)
        #expect(
            steps(start, goal) == [
                .tabs(order: [c, b, a], hidden: []), .select(c), .tabs(order: [c, a], hidden: []),
            ])
        goal = NavigationState(tabs: [tab("a"), tab("b", [entry(1)]), tab("c")], selected: 2)
        goal.tabs[1].isHidden = true
        #expect(steps(start, goal) == [.select(c), .tabs(order: [a, b, c], hidden: [b])])
        #expect(steps(goal, start) == [.tabs(order: [a, b, c], hidden: []), .select(b)])
    }

    @Test func `the only tab is exchanged for another one`() {
        let start = NavigationState(tabs: [tab("a", [entry(1)])])
        let goal = NavigationState(tabs: [tab("b", [entry(1)])])
        let (a, b) = (TabID(trusted: "a"), TabID(trusted: "b"))
        #expect(
            steps(start, goal) == [
                .tabs(order: [a, b], hidden: []), .select(b), .tabs(order: [b], hidden: []),
                .push(entry(1), on: .tab(b)),
            ])
    }

    @Test func `params, marks and badges change in place, also to another text of the same params`()
    {
        var start = NavigationState(
            tabs: [tab("a", [entry(1, params: #"{"n":1}"#)])], sheets: [sheet(2)])
        start.tabs[0].badge = .count(1)
        var goal = start
        goal.tabs[0].path[0] = entry(1, params: #"{"n":1.0}"#)
        goal.sheets[0].mark = MarkName(trusted: "here")
        goal.tabs[0].badge = nil
        var root = goal.sheets[0].root
        #expect(
            steps(start, goal) == [
                .params(goal.tabs[0].path[0].screen, of: .entry(EntryID(number: 1)), sheet: nil),
                .params(root.screen, of: .entry(root.id), sheet: goal.sheets[0]),
                .badge(nil, of: TabID(trusted: "a")),
            ])
        root.mark = nil
        #expect(
            steps(goal, start).contains(
                .params(root.screen, of: .entry(root.id), sheet: start.sheets[0])))
    }

    @Test(
        arguments: [
            { $0.tag = "t" }, { $0.style = .fullScreenCover }, { $0.detents = ["medium"] },
            { $0.anchor = MarkName(trusted: "a") },
            { $0.dialog = Dialog(title: "T", message: nil, buttons: [.ok]) },
            { $0.screen = Screen(route: RouteName(trusted: "t")) },
        ] as [@Sendable (inout Sheet) -> Void])
    func `a sheet that is another one is presented anew`(
        change: @Sendable (inout Sheet) -> Void
    ) {
        let start = NavigationState(tabs: [tab("a")], sheets: [sheet(1, [entry(2)]), sheet(3)])
        var goal = start
        change(&goal.sheets[0])
        #expect(steps(start, goal).count == 5)
    }

    @Test func `the history of tabs and the origin of their order have no steps`() {
        let start = NavigationState(tabs: [tab("a"), tab("b")])
        var goal = start
        (goal.tabHistory, goal.hasOwnOrder) = ([TabID(trusted: "b")], true)
        #expect(steps(start, goal).isEmpty)
    }
}

/// The laws over all pairs of some states.
@Suite struct StepLawTests {
    /// Orders and selections of up to three tabs; a hidden one is in parentheses.
    static let arrangements = [
        "a*", "a* b", "a b*", "b* a", "a* (b)", "(a) b*", "b*", "c b a*", "a c* (b)",
    ]
    /// Where the entries 1 and 2 are: on the first or last tab, or on the first or last sheet.
    static let layouts: [[(place: Int, entry: Int)]] = [
        [], [(0, 1)], [(0, 1), (0, 2)], [(0, 2), (0, 1)], [(1, 1)], [(0, 1), (1, 2)],
        [(2, 1), (2, 2)], [(2, 2), (3, 1)], [(0, 2), (3, 1)],
    ]
    static let stacks: [[Int]] = [[], [3], [4], [3, 4], [4, 3]]

    /// All states; the details vary from one to the next.
    static let states: [NavigationState] = arrangements.flatMap { arrangement in
        layouts.flatMap { layout in stacks.map { state(arrangement, layout, $0) } }
    }.enumerated().map { detailed($1, $0) }

    private static func state(
        _ arrangement: String, _ layout: [(place: Int, entry: Int)], _ stack: [Int]
    ) -> NavigationState {
        var state = NavigationState(tabs: [])
        for (index, word) in arrangement.split(separator: " ").enumerated() {
            var tab = Tab(id: TabID(trusted: String(word.filter(\.isLetter))))
            tab.isHidden = word.hasPrefix("(")
            if word.hasSuffix("*") { state.selected = index }
            state.tabs.append(tab)
        }
        for number in stack {
            state.sheets.append(
                Sheet(
                    id: EntryID(number: number), style: .sheet,
                    screen: Screen(route: RouteName(trusted: "s")),
                    presentedBy: .tab(TabID(trusted: "a"))))
        }
        for (place, number) in layout {
            let entry = Entry(id: EntryID(number: number), route: RouteName(trusted: "x"))
            let sheet = place == 2 ? 0 : stack.count - 1
            if place == 0 {
                state.tabs[0].path.append(entry)
            } else if place == 1 {
                state.tabs[state.tabs.count - 1].path.append(entry)
            } else if stack.indices.contains(sheet) {
                state.sheets[sheet].path.append(entry)
            }
        }
        return state
    }

    private static func detailed(_ state: NavigationState, _ number: Int) -> NavigationState {
        var state = state
        if number % 2 == 1 { state.tabs[0].badge = .count(number % 3 + 1) }
        for tab in state.tabs.indices {
            for entry in state.tabs[tab].path.indices where number % 5 < 2 {
                state.tabs[tab].path[entry].params = Params(trusted: Array(#"{"n":1}"#.utf8)[...])
            }
        }
        if !state.sheets.isEmpty, number % 3 == 0 {
            state.sheets[0].mark = MarkName(trusted: "here")
        }
        if let last = state.sheets.indices.last, number % 7 == 0 { state.sheets[last].tag = "t" }
        return state
    }

    /// Each state with every seventh one, which leaves out no combination of their parts.
    @Test(arguments: 0..<7) func `states lead to one another`(part: Int) {
        for (index, start) in Self.states.enumerated() {
            #expect(start.steps(to: start, app: nil).isEmpty)
            for goal in stride(from: (index + 7 * part) % 49, to: Self.states.count, by: 49) {
                let goal = Self.states[goal]
                guard let flaw = StepWalk.flaw(from: start, to: goal) else { continue }
                Issue.record("\(flaw)\nfrom \(start.shown)\nto \(goal.shown)")
                return
            }
        }
    }

    private static let commandsOfTabs: [(CommandName, String)] = [
        (.setTabs, #"{"order":["b","a"]}"#), (.setTabs, #"{"order":["a","b"],"hidden":["b"]}"#),
        (.setTabs, #"{"hidden":["a"]}"#), (.setTabs, #"{"hidden":[]}"#),
        (.navigate, #"{"route":"x","mark":"m"}"#),
        (.navigate, #"{"route":"x","mode":"single","mark":"n"}"#),
    ]

    @Test(.seeded, arguments: SplitMix64.worlds(8))
    func `the steps between any two revisions of a program keep the rules of its app`(
        round: Int
    ) throws {
        var numbers = SplitMix64(stream: UInt64(round))
        let commands = try SmallWorld.commands() + read(Self.commandsOfTabs)
        var world = CheckedWorld(try SmallWorld.world())
        let app = try #require(world.world.app)
        for _ in 0..<60 { _ = world.step(commands[numbers.below(commands.count)]) }
        let states = world.world.kept.sorted { $0.key < $1.key }.map(\.value.state)
        for start in states {
            for _ in 0..<8 {
                let goal = numbers.one(of: states)
                let flaw = StepWalk.flaw(from: start, to: goal) { state in
                    var state = state
                    // The order of the tabs is the user's own in one of the two states.
                    state.hasOwnOrder = true
                    // No step says who presents a sheet.
                    state.adoptOrphans()
                    let fitting = try? state.reconciled(with: app, .none, work: WorkBudget())
                    return fitting?.state.shown == state.shown
                }
                #expect(flaw == nil, "from \(start.shown) to \(goal.shown)")
            }
        }
    }
}
