import JSON
import Navigation
import TestSupport
import Testing

/// Every change of a state, and what undoes it.
///
/// The changes are random, and also of tabs, sheets and entries that do not exist.
@Suite struct ChangeTests {
    static let streams: [UInt64] = Array(1...12)

    @Test(.seeded, arguments: streams)
    func `what a change returns undoes it`(_ stream: UInt64) throws {
        var numbers = SplitMix64(stream: stream)
        var state = NavigationState(tabs: ["a", "b", "c"].map { Tab(id: TabID(trusted: $0)) })
        var nextEntry = 1
        var past: [(state: NavigationState, undo: Change)] = []
        for step in 0..<300 {
            let before = state
            let change = Self.change(of: state, &nextEntry, &numbers)
            past.append((before, state.apply(change)))
            if let undone = past.last.map({ Self.applied($0.undo, to: state) }), undone != before {
                Issue.record("stream \(stream), step \(step): \(change) is not undone")
            }
        }
        for (index, item) in past.enumerated().reversed() {
            state.apply(item.undo)
            #expect(state == item.state, "stream \(stream): undone down to step \(index)")
        }
    }

    /// Two revisions by one editor: a change of the app, and commands on top of it.
    @Test(.seeded, arguments: streams)
    func `an editor rolls back several revisions`(_ stream: UInt64) throws {
        var numbers = SplitMix64(stream: stream)
        let commands = try GuardedWorld.commands()
        var world = try GuardedWorld.world()
        for step in 0..<60 {
            var editor = SessionEditor(world.session, rules: world.rules())
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let request = commands[Int.random(in: commands.indices, using: &numbers)]
                // A batch is the last command of an editor.
                if case .batch = request.command { continue }
                do throws(RejectionError) {
                    _ = try editor.carryOut(request, at: world.now + 5000)
                } catch { break }
            }
            editor.takeBack()
            let undone = editor.session
            #expect(undone == world.session, "stream \(stream), step \(step)")
            let next = commands[Int.random(in: commands.indices, using: &numbers)]
            if let trial = try? world.trial(next) { world.adopt(trial) }
        }
    }

    private static func applied(_ change: Change, to state: NavigationState) -> NavigationState {
        var state = state
        state.apply(change)
        return state
    }

    private static func change(
        of state: NavigationState, _ nextEntry: inout Int, _ numbers: inout SplitMix64
    ) -> Change {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }
        func newID() -> EntryID {
            defer { nextEntry += 1 }
            return EntryID(number: nextEntry)
        }
        func entry() -> Entry { Entry(id: newID(), route: RouteName(trusted: "r\(number(0...2))")) }
        func entries() -> [Entry] { (0..<number(0...3)).map { _ in entry() } }
        let tab = number(0...3)
        let container: Container = number(0...2) == 0 ? .sheet(number(0...2)) : .tab(tab)
        let ids = state.ids
        let id = ids.isEmpty ? EntryID(number: 0) : ids[number(0...ids.count - 1)]
        let name = TabID(trusted: "abc".map(String.init)[number(0...2)])
        switch number(0...12) {
        case 0: return .selected(tab: tab)
        case 1, 2: return .pushed(entry(), on: container)
        case 3: return .popped(number(0...3), from: container)
        case 4:
            let path = state[path: container].shuffled(using: &numbers)
            return .pathSet(path + entries(), of: container)
        case 5:
            let mark = MarkName(trusted: "m\(number(0...2))")
            return .screenSet(Screen(route: RouteName(trusted: "r"), mark: mark), of: id)
        case 6:
            return .presented(
                Sheet(
                    id: newID(), style: .sheet, screen: Screen(route: RouteName(trusted: "s")),
                    presentedBy: state.visible, path: entries()))
        case 7:
            guard var sheet = state.sheets.randomElement(using: &numbers) else {
                return .rootSet(Screen(route: RouteName(trusted: "r")), tab: tab)
            }
            sheet.presentedBy = .tab(name)
            sheet.dismissible.toggle()
            return .sheetSet(sheet)
        case 8: return .dismissed(keeping: number(0...3))
        case 9: return .badgeSet(number(0...1) == 0 ? nil : .count(number(1...9)), tab: tab)
        case 10: return .tabHistorySet([name])
        case 11:
            var tabs = state.tabs.shuffled(using: &numbers)
            let hidden = number(0...2)
            let selected = (hidden + 1) % 3
            tabs[hidden].isHidden.toggle()
            tabs[selected].isHidden = false
            return .tabsSet(tabs, selected: selected, hasOwnOrder: number(0...1) == 0)
        default:
            var other = state
            other.apply(.dismissed(keeping: 0))
            other.apply(.pathSet(entries(), of: .tab(number(0...2))))
            return .stateSet(other)
        }
    }
}
