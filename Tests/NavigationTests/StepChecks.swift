import Bytes
import JSON
import Navigation

// Laws of the steps from one state to another, checked step by step.

extension NavigationState {
    /// The first thing that no state may have, or nil if the state is valid.
    var flaw: String? {
        let names = tabs.map(\.id)
        guard !names.isEmpty, Set(names).count == names.count else { return "the tabs \(names)" }
        guard tabs.indices.contains(selected) else { return "no tab is selected" }
        guard !tabs[selected].isHidden else { return "the selected tab is hidden" }
        let ids = ids
        guard Set(ids).count == ids.count else { return "an id is there twice: \(ids)" }
        return nil
    }

    /// The visible part of the state, by which two states can be compared.
    var shown: [String] {
        func text(_ entry: Entry) -> String {
            "\(entry.id) \(entry.route) \(String(decoding: entry.params.text, as: UTF8.self)) "
                + "\(entry.mark?.rawValue ?? "-") \(entry.isLocked)"
        }
        let tabs = tabs.map { tab in
            "\(tab.id) \(tab.badge.map { "\($0)" } ?? "-") \(tab.isHidden) "
                + "\(tab.root.map { String(decoding: $0.text, as: UTF8.self) } ?? "-") "
                + "\(tab.path.map(text))"
        }
        let sheets = sheets.map { sheet in
            "\(text(sheet.root)) \(sheet.style) \(sheet.tag?.text ?? "-") "
                + "\(sheet.detents.map(\.text)) \(sheet.dismissible) \(sheet.dialog?.title ?? "") "
                + "\(sheet.anchor?.rawValue ?? "-") \(sheet.path.map(text))"
        }
        return tabs + ["selected \(self.tabs[selected].id)"] + sheets
    }

    /// Each screen with all that lies beneath it: the rest of its path, and for one on a sheet the
    /// sheets below.
    var foundations: [EntryID: [String]] {
        var found: [EntryID: [String]] = [:]
        for tab in tabs {
            var beneath = ["\(tab.id)"]
            for entry in tab.path {
                beneath.append("\(entry.id) \(entry.route)")
                found[entry.id] = beneath
            }
        }
        var below = ["sheets"]
        for sheet in sheets {
            below.append(
                "\(sheet.id) \(sheet.route) \(sheet.style) \(sheet.tag?.text ?? "-") "
                    + "\(sheet.detents.map(\.text)) \(sheet.dialog?.title ?? "") "
                    + "\(sheet.anchor?.rawValue ?? "-")")
            found[sheet.id] = below
            var beneath = below
            for entry in sheet.path {
                beneath.append("\(entry.id) \(entry.route)")
                found[entry.id] = beneath
            }
        }
        return found
    }
}

/// Carries out the steps between two states.
struct StepWalk {
    private var state: NavigationState
    private let goal: NavigationState
    /// The screens and tabs that are in both states with the same beneath them.
    private let staying: Set<EntryID>
    private let stayingTabs: Set<TabID>
    private var rank = 0
    private var counts: [Int: Int] = [:]

    /// The fault of the steps, or nil if there is none.
    ///
    /// - Parameter isValid: what else holds of each state in between.
    static func flaw(
        from start: NavigationState, to goal: NavigationState,
        isValid: (NavigationState) -> Bool = { _ in true }
    ) -> String? {
        var walk = StepWalk(state: start, goal: goal)
        for step in start.steps(to: goal, app: nil) {
            if let flaw = walk.carryOut(step) ?? walk.state.flaw { return "\(flaw) at \(step)" }
            guard isValid(walk.state) else { return "an invalid state after \(step)" }
        }
        guard walk.state.shown == goal.shown else { return "led to \(walk.state.shown)" }
        return nil
    }

    private init(state: NavigationState, goal: NavigationState) {
        self.state = state
        self.goal = goal
        let before = state.foundations
        staying = Set(goal.foundations.filter { before[$0.key] == $0.value }.keys)
        stayingTabs = Set(state.tabs.map(\.id)).intersection(goal.tabs.map(\.id))
    }

    private mutating func carryOut(_ step: NavigationState.Step) -> String? {
        let next = rank(of: step)
        guard next >= rank else { return "out of order" }
        rank = next
        counts[next, default: 0] += 1
        if [0, 2, 3].contains(next), counts[next] ?? 0 > 1 { return "twice" }
        let before = state
        state.apply(step)
        // States are equal if their params are as JSON; their texts may differ.
        guard state != before || state.shown != before.shown else { return "nothing changed" }
        let left = Set(before.ids).subtracting(state.ids)
        guard left.isDisjoint(with: staying) else { return "something went that stays" }
        let tabs = Set(before.tabs.map(\.id)).subtracting(state.tabs.map(\.id))
        return tabs.isDisjoint(with: stayingTabs) ? nil : "a tab went that stays"
    }

    private func rank(of step: NavigationState.Step) -> Int {
        switch step {
        case .tabs: counts[2] == nil ? 0 : 3
        case .dismiss: 1
        case .select: 2
        case .pop: 4
        case .push(_, .tab): 5
        case .push(_, .sheet(let id)): staying.contains(id) ? 6 : 7
        case .present: 7
        case .params: 8
        case .badge: 9
        }
    }
}
