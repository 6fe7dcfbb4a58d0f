public import JSON

// The commands that an app declares: its templates and its idle command. They are tried out when
// the app is stored.

extension AppReader {
    /// Reads the document of an app that is to be stored.
    ///
    /// - Parameter id: see `read`.
    /// - Throws: if checking the document takes more work than the budget allows.
    public static func check(
        _ document: JSON, id: AppID, limits: Limits, work: WorkBudget
    ) throws(WorkBudgetError) -> AppReport {
        var report = try read(document, id: id, limits: limits, work: work)
        guard let app = report.app else { return report }
        report.errors += try app.faultsOfCommands(limits: limits, work: work)
        if !report.errors.isEmpty { report.app = nil }
        return report
    }
}

extension App {
    /// The faults of the templates and of the idle command. Each is carried out on a new session;
    /// guards are ignored.
    func faultsOfCommands(
        limits: Limits, work: WorkBudget
    ) throws(WorkBudgetError) -> [InputFault] {
        var faults: [InputFault] = []
        var rules = Rules(app: self, limits: limits, work: work)
        rules.obeysGuards = false
        for template in templates {
            try work.spend(.entries(1))
            var session = newSession
            do { try session.begin(with: template, rules: rules) } catch {
                let pointer = "/templates/" + JSONPointer.escaped(template.name.rawValue)
                faults += try Self.faults(error, at: pointer)
            }
        }
        if let idle {
            var editor = SessionEditor(newSession, rules: rules)
            do { _ = try editor.carryOut(idle.request, at: 0) } catch {
                faults += try Self.faults(error, at: "/idle/command")
            }
        }
        return faults
    }

    private var newSession: Session {
        var session = Session(
            id: SessionID(trusted: "new"), app: id, settings: SessionSettings(), at: 0,
            state: freshState)
        session.facts = defaultFacts
        return session
    }

    private static func faults(
        _ rejection: RejectionError, at pointer: String
    ) throws(WorkBudgetError) -> [InputFault] {
        if rejection.isTooMuchWork { throw WorkBudgetError() }
        let problem = ProblemContent(rejection)
        let faults = problem.faults
        guard faults.isEmpty else {
            let isLimit = problem.kind == .limitExceeded
            return faults.map {
                InputFault(pointer: pointer + $0.pointer, detail: $0.detail, isLimit: isLimit)
            }
        }
        guard case .inBatch(let index, let inner) = rejection else {
            return [InputFault(pointer: pointer, detail: problem.detailOfFault)]
        }
        let detail = ProblemContent(inner).detailOfFault
        return [InputFault(pointer: "\(pointer)/commands/\(index)", detail: detail)]
    }
}

extension RejectionError {
    fileprivate var isTooMuchWork: Bool {
        if case .inBatch(_, let inner) = self { return inner.isTooMuchWork }
        if case .tooMuchWork = self { return true }
        return false
    }
}

extension ProblemContent {
    /// The detail for the list of faults of an app, without the full stop.
    fileprivate var detailOfFault: String {
        "is refused: "
            + (detail.utf8.last == UInt8(ascii: ".") ? String(detail.dropLast()) : detail)
    }
}
