internal import JSON

/// A set of guards, by their indexes in the order of the declaration. There are at most
/// `AppReader.guardsMax` of them.
public typealias GuardSet = UInt128

/// The guards under which the offer of a guard leads, in the order in which they are asked.
struct GuardedOffer {
    /// Some of the guards, by their indexes.
    private enum Step {
        case guards([Int])
        /// The first of these tabs that is open, else the first of them.
        case tabs([[Int]])
    }

    private var steps: [Step] = []
    /// All of the guards.
    private(set) var all: GuardSet = 0

    /// The first of the guards that fails.
    ///
    /// - Parameter failing: all guards that fail.
    func first(of failing: GuardSet) -> Int? {
        guard all & failing != 0 else { return nil }
        for step in steps {
            switch step {
            case .guards(let list):
                if let found = Self.first(of: failing, in: list) { return found }
            case .tabs(let tabs):
                let isHeld = tabs.allSatisfy { Self.first(of: failing, in: $0) != nil }
                if isHeld, let tab = tabs.first { return Self.first(of: failing, in: tab) }
            }
        }
        return nil
    }

    private static func first(of failing: GuardSet, in list: [Int]) -> Int? {
        list.first { failing & (1 << $0) != 0 }
    }

    private mutating func append(_ step: Step, _ guards: some Sequence<Int>) {
        let before = all
        for index in guards { all |= 1 << index }
        if all != before { steps.append(step) }
    }
}

extension GuardedOffer {
    init(_ command: Command, of app: App, work: WorkBudget) throws(WorkBudgetError) {
        func list(_ guards: GuardList?) -> [Int] {
            (guards?.guards ?? []).map { $0.index }
        }
        let route = { (name: RouteName) in list(app.guards.ofRoutes[name]) }
        func tab(_ name: String) -> [Int] {
            app.tabs.first { $0.id.isNamed(name) }.map { list(app.guards.ofTabs[$0.id]) } ?? []
        }
        switch command {
        case .navigate(let command):
            if case .named(let name) = command.target { append(tab(name)) }
            append(route(command.route))
        case .present(let command):
            append(route(command.route))
            for item in command.path ?? [] { append(route(item.route)) }
        case .select(let command): append(tab(command.tab))
        case .open(let command):
            guard let goal = try app.resolve(command.url, work: work) else { return }
            append(list(goal.placement.guards))
            let tabs = command.tab.map { [$0] } ?? goal.tabs.map { $0.rawValue }
            append(tabs: tabs.map(tab))
            for name in goal.shown(command.mode) { append(route(name)) }
        case .back, .root, .dismiss, .setPath, .setParams, .setBadge, .setTabs, .setFacts, .batch,
            .undo, .redo:
            break
        }
        try work.spend(.steps((1 + steps.count) * app.guards.order.count))
    }

    private mutating func append(_ guards: [Int]) { append(.guards(guards), guards) }

    private mutating func append(tabs: [[Int]]) { append(.tabs(tabs), tabs.joined()) }
}

extension LinkPlace {
    /// The routes that opening the link adds, in the order in which their guards are asked.
    ///
    /// - Parameter mode: the mode that the command asks for.
    fileprivate func shown(_ mode: OpenMode?) -> [RouteName] {
        var routes: [RouteName] = []
        if mode ?? placement.mode ?? .replace == .replace {
            routes = path?.map { $0.route } ?? []
        } else if sheet == nil, let target {
            routes = [target.route]
        }
        if let sheet { routes += [sheet.screen.route] + sheet.path.map({ $0.route }) }
        return routes
    }
}
