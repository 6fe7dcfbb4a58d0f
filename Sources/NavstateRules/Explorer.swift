internal import Bytes
internal import JSON
internal import Navigation

/// Searches the states of an app, breadth first.
struct Explorer {
    typealias Step = Exploration.Step
    typealias Finding = Exploration.Finding

    /// A command that is tried.
    struct Option {
        let step: Step
        let request: CommandRequest
        let kind: Kind
    }

    enum Kind {
        case push(RouteName)
        case present(RouteName)
        case select(TabID)
        /// On a sheet of a route, or nil for every other sheet.
        case dismiss(RouteName?)
        case back
        case open(link: Int)
        case facts
    }

    /// States and findings that the search has met already.
    struct Marks {
        /// The indices of links that lead to what they declare.
        var opened: Set<Int> = []
        /// The states.
        var seen: Set<StateKey> = []
        /// The options that a guard held back at a route.
        var holds: Set<ExactString> = []
        /// The routes that are dead ends.
        var deadEnds: Set<RouteName> = []
        /// The states that the search keeps.
        var statesMax = Exploration.statesMax
        /// Whether there are more.
        var isCutOff = false
    }

    let app: App
    /// The links in the order of the document, with their pointers and the URLs to try.
    let links: [ExploredLink]
    let samples: Samples
    private let trial: Trial
    private let goal: RouteName?
    private(set) var options: [Option] = []
    /// The commands that cannot be tried, since no params were found for their routes. Users may
    /// issue them.
    private let untried: [Kind]
    /// How each state was found, by its number.
    private(set) var nodes: [(parent: Int, option: Int)] = [(-1, -1)]
    private(set) var depth = 0
    private(set) var programs: [ExactString: [Step]] = [:]
    private(set) var marks = Marks()
    var findings: [Finding] = []
    /// A session as the app declares it.
    private var start: Session {
        var start = Session(
            id: SessionID(trusted: "explored"), app: app.id, settings: SessionSettings(), at: 0,
            state: app.freshState)
        start.facts = app.defaultFacts
        return start
    }

    init(_ definition: AppDefinition, to goal: Exploration.Goal?, statesMax: Int) {
        app = definition.app
        self.goal = goal.flatMap { RouteName($0.route) }
        samples = Samples(definition, replacing: self.goal, by: goal?.params)
        links = ExploredLink.all(of: definition, samples)
        trial = Trial(app, links.compactMap { $0.url }, isBatch: goal?.isBatch == true)
        options = samples.options(links)
        let params = samples.params
        untried = app.routeOrder.filter { params[$0] == nil }.flatMap { [.push($0), .present($0)] }
        marks.statesMax = statesMax
    }

    /// - Parameter depthMax: the depth, which does not count while a goal is being looked for.
    mutating func run(depth depthMax: Int) {
        let start = start
        marks.seen.insert(StateKey(start))
        var frontier: [(node: Int, session: Session)] = [(0, start)]
        note(start, 0)
        guard goal == nil || mayReachGoal else { return }
        while !frontier.isEmpty, goal == nil ? depth < depthMax : !isAtGoal {
            var next: [(node: Int, session: Session)] = []
            for (node, session) in frontier where !marks.isCutOff && !isAtGoal {
                expand(session, node, into: &next)
            }
            depth += 1
            frontier = next
        }
    }

    /// Whether a search for the goal can succeed: its params fit, and some facts allow it.
    private var mayReachGoal: Bool {
        guard let goal, samples.isGoalValid else { return false }
        let work = WorkBudget(units: 100 * WorkBudget.unitsMax)
        return (try? ReachableScreens(of: app, work: work))?.routes.contains(goal) ?? true
    }

    private var isAtGoal: Bool { goal.map { programs[ExactString($0.rawValue)] != nil } ?? false }

    /// The commands that lead to a state.
    func program(to node: Int, then option: Int? = nil) -> [Step] {
        var steps: [Step] = option.map { [options[$0].step] } ?? []
        var node = node
        while nodes[node].parent >= 0 {
            steps.append(options[nodes[node].option].step)
            node = nodes[node].parent
        }
        return steps.reversed()
    }

    // MARK: - A state

    private mutating func expand(
        _ session: Session, _ node: Int, into next: inout [(node: Int, session: Session)]
    ) {
        let place = Place(session, app)
        var leadsOn = untried.contains {
            place.offers($0, of: app, samples: samples) && place.isWayOn($0, to: session)
        }
        for index in options.indices
        where place.offers(options[index].kind, of: app, samples: samples) {
            let kind = options[index].kind
            guard let (after, answer) = trial.carryOut(options[index].request, on: session) else {
                leadsOn = leadsOn || place.isGuarded(kind, app)
                continue
            }
            leadsOn = leadsOn || place.isWayOn(kind, to: after)
            if let held = answer.guarded.held {
                judge(held, option: index, node: node, after: after)
            }
            if case .open(let link) = kind, links[link].isShown(by: after, app) {
                marks.opened.insert(link)
            }
            guard marks.seen.insert(StateKey(after)).inserted else { continue }
            guard nodes.count < marks.statesMax else { return marks.isCutOff = true }
            nodes.append((node, index))
            note(after, nodes.count - 1)
            next.append((nodes.count - 1, after))
        }
        if !leadsOn, marks.deadEnds.insert(place.visible).inserted {
            report(
                .deadEnd, at: app.pointer(to: place.visible),
                "is a dead end: nothing can be pushed, presented, selected or dismissed there, "
                    + "and back changes nothing", program: program(to: node))
        }
    }

    /// Notes the visible screen of a new state.
    private mutating func note(_ session: Session, _ node: Int) {
        let visible = Optional(app).visibleScreen(of: session.state)
        let name = ExactString(visible.route.rawValue)
        guard programs[name] == nil, samples.isGoal(visible) else { return }
        programs[name] = program(to: node)
    }

    mutating func report(
        _ code: Exploration.Code, at pointer: String, _ detail: String, program: [Step] = []
    ) {
        findings.append(
            Finding(code: code, pointer: pointer, detail: detail, program: program))
    }

    // MARK: - Held commands

    /// Sets the facts for which a command waits, and checks that it is carried out then.
    private mutating func judge(_ held: GuardName, option: Int, node: Int, after: Session) {
        let visible = app.visibleRoute(of: after.state).rawValue
        guard marks.holds.insert(ExactString("\(option) \(held) \(visible)")).inserted,
            !appears(options[option], on: after, depth: 0)
        else { return }
        let (pointer, name) = subject(of: options[option].kind)
        guard !findings.contains(where: { $0.code == .heldForGood && $0.pointer == pointer })
        else { return }
        report(
            .heldForGood, at: pointer,
            "is held back by \(held), and does not appear when its facts are set: \(name)",
            program: program(to: node, then: option))
    }

    private func appears(_ option: Option, on session: Session, depth: Int) -> Bool {
        guard depth < 8, let pending = session.pending,
            let failing = app.guards.named[pending.guardName]
        else { return false }
        for values in failing.valuesToSet(session.facts) {
            let request = CommandRequest(.setFacts(SetFacts(facts: values)), body: JSONObject())
            guard let (after, answer) = trial.carryOut(request, on: session) else { continue }
            if after.pending != nil, answer.guarded.refused == nil {
                if appears(option, on: after, depth: depth + 1) { return true }
            } else if isShown(option.kind, in: after) {
                return true
            }
        }
        return false
    }

    private func isShown(_ kind: Kind, in session: Session) -> Bool {
        switch kind {
        case .push(let route), .present(let route):
            app.visibleRoute(of: session.state) == route
        case .select(let tab): session.state.tabs[session.state.selected].id == tab
        case .open(let link): links[link].isShown(by: session, app)
        case .back, .dismiss, .facts: true
        }
    }

    /// Why a link does not show what it declares when it is opened at the start. Nil if it does, or
    /// if that depends on facts or on the state.
    func failure(of link: Int, _ url: String) -> String? {
        let request = CommandRequest(
            .open(Open(url: url)), body: JSONObject([("url", .string(url))]))
        var editor = trial.editor(of: start)
        do {
            let answer = try editor.carryOut(request, at: 0)
            if answer.guarded.held != nil { return nil }
            let after = editor.finish()
            if links[link].isShown(by: after, app) { return nil }
            return "shows \(app.visibleRoute(of: after.state)) instead"
        } catch {
            if case .guarded = error { return nil }
            return links[link].declared.path == nil ? nil : "is refused"
        }
    }

    private func subject(of kind: Kind) -> (pointer: String, name: String) {
        switch kind {
        case .push(let route): (app.pointer(to: route), "navigate \(route)")
        case .present(let route): (app.pointer(to: route), "present \(route)")
        case .select(let tab): (app.pointer(to: tab), "select \(tab)")
        case .open(let link): (links[link].pointer, "open \(links[link].declared.pattern)")
        case .back, .dismiss, .facts: ("", "")
        }
    }
}

/// The rules by which commands are tried. A copy of the search would be made for each of them.
private struct Trial {
    private var rules: Rules
    private let isBatch: Bool

    /// - Parameters:
    ///   - urls: those that are opened at many states.
    ///   - isBatch: whether a guard refuses what it would hold back.
    init(_ app: App, _ urls: [String], isBatch: Bool) {
        self.isBatch = isBatch
        rules = Rules(app: app, limits: Limits(), work: WorkBudget())
        for url in urls {
            rules.work.renew()
            rules.goals[ExactString(url)] = (try? app.resolve(url, work: rules.work)) ?? nil
        }
    }

    func editor(of session: Session) -> SessionEditor {
        rules.work.renew()
        return SessionEditor(session, rules: rules)
    }

    /// The session after a command. Nil if it is refused or changes nothing.
    func carryOut(_ request: CommandRequest, on session: Session) -> (Session, Answer)? {
        var editor = editor(of: session)
        guard let answer = try? editor.carryOut(request, at: 0), answer.changed,
            !isBatch || answer.guarded.held == nil
        else { return nil }
        var after = editor.finish()
        after.undoing = UndoStacks()
        return (after, answer)
    }
}

/// The parts of a state that tell it from others: the selected tab, the routes and the facts. A
/// screen that cannot be left counts as another one.
struct StateKey: Hashable {
    private let bytes: [UInt8]

    init(_ session: Session) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        bytes.append(UInt8(truncatingIfNeeded: session.state.selected))
        func add(_ path: [Entry]) {
            for entry in path {
                bytes.append(entry.screen.isLocked ? 5 : 1)
                bytes.append(contentsOf: entry.route.rawValue.utf8)
            }
        }
        for tab in session.state.tabs {
            bytes.append(2)
            add(tab.path)
        }
        for sheet in session.state.sheets {
            bytes.append(sheet.dismissible ? 3 : 6)
            bytes.append(contentsOf: sheet.route.rawValue.utf8)
            add(sheet.path)
        }
        bytes.append(4)
        bytes.append(contentsOf: session.facts.text)
        self.bytes = bytes
    }

    func hash(into hasher: inout Hasher) { bytes.span.hash(into: &hasher) }
}
