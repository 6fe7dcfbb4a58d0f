internal import AppTools
internal import Bytes
internal import JSON
internal import NavstateRules
internal import Navigation

extension Subcommand {
    static let appExplore = aboutDocument(
        "explore", "FILE",
        meaning: "find the screens that users of an app can reach, and its faults",
        details: """
            The states of a session are searched with the rules of the server, from the start and \
            breadth first. Each finding is a line FILE:LINE:COLUMN: CODE: POINTER DETAIL with the \
            commands that lead to it, or with --json an object. The exit code is 1 if there are \
            findings. With --to, the shortest commands that show a screen are printed instead, \
            with --json as the body of a batch, which no guard holds back; with --emit, a test for \
            each screen.
            """, run: AppExploring.run
    ).with(["depth", "to", "emit"])

    static let appGraph = aboutDocument(
        "graph", "FILE", meaning: "draw an app: its screens, the ways to them, guards and links",
        details: """
            Roots of tabs are stadiums, pushed screens boxes, sheets rounded boxes, covers double \
            boxes, guards hexagons and links flags. Solid lines push, dashed ones present, dotted \
            ones lead from a guard to the screen that it offers instead.
            """
    ) { (command: AppCommand) throws(ExitError) in
        let app = try command.document().app
        let format = command.option("format").flatMap { AppGraph.Format(named: $0) }
        command.output.print(AppGraph(of: app).text(format ?? .mermaid))
    }.with(["format"])
}

/// The command `app explore`.
enum AppExploring {
    private static let depth = 5

    static func run(_ command: AppCommand) throws(ExitError) {
        let checked = try command.document()
        let definition: AppDefinition
        do {
            definition = try AppDefinition(
                json: String(decoding: checked.document.bytes, as: UTF8.self),
                id: checked.app.id.rawValue)
        } catch {
            throw ExitError(.configuration, Printable.text(error.description))
        }
        let depth = command.option("depth").flatMap { Int($0) } ?? Self.depth
        if let goal = command.option("to") {
            guard command.option("emit") == nil else {
                throw ExitError(.usage, "give either --to or --emit, not both")
            }
            return try showProgram(to: goal, in: definition, checked.app, command)
        }
        let exploration = Exploration(definition, depth: depth)
        if let runner = command.option("emit").flatMap({ EmittedTests.Runner(named: $0) }) {
            let tests = EmittedTests(exploration, of: checked.app, definition)
            return command.output.print(tests.text(for: runner))
        }
        let report = ExplorationReport(exploration, of: checked.app, checked.document)
        print(command.printsJSON ? report.json : report.text(line), command)
        if !exploration.findings.isEmpty { throw ExitError(.refused, "") }
    }

    /// - Parameter goal: a route, or a route with its params as JSON.
    private static func showProgram(
        to goal: String, in definition: AppDefinition, _ app: App, _ command: AppCommand
    ) throws(ExitError) {
        let words = goal.split(separator: " ", maxSplits: 1)
        let screen = words.first.map(String.init) ?? ""
        let params = words.count > 1 ? String(words[1]) : nil
        let isObject = params.map { (try? JSON(parsing: Array($0.utf8)))?.isObject ?? false }
        guard isObject != false else {
            throw ExitError(.usage, "--to: the params of \(screen.clipped) must be a JSON object")
        }
        let known = app.routeOrder.map(\.rawValue) + app.tabs.map(\.root.route.rawValue)
        guard known.contains(screen) else {
            let near = Spelling.near(screen, among: known, work: WorkBudget())
            let hint = near.first.map { "; did you mean \($0)?" } ?? ""
            throw ExitError(.usage, "--to: the app has no route \(screen.clipped)\(hint)")
        }
        let exploration = Exploration(
            definition, to: .init(screen, params: params, isBatch: command.printsJSON))
        guard let program = exploration.program(to: screen) else {
            let commands = command.printsJSON ? "no batch shows" : "no commands show"
            throw ExitError(
                .refused, "\(commands) \(screen): \(exploration.states) states were searched")
        }
        let lines = program.map { line($0) + "\n" }.joined()
        print(command.printsJSON ? program.batch + "\n" : lines, command)
    }

    /// The command as a line for the shell, such as `navstate navigate ID stock`.
    private static func line(_ step: Exploration.Step) -> String {
        let body = (try? JSON(parsing: Array(step.body.utf8)))?.members ?? []
        let object = JSONObject(of: body)
        return Subcommand.line(step.command, object, session: "ID")
    }

    /// Prints lines, whose text comes from the document.
    private static func print(_ text: String, _ command: AppCommand) {
        for line in text.split(separator: "\n") {
            command.output.print(Printable.text(String(line)) + "\n")
        }
    }
}

extension JSON {
    fileprivate var isObject: Bool { if case .object = self { true } else { false } }
}
