internal import Bytes
public import JSON

extension ProblemContent {
    /// The problem for a rejection by the rules.
    public init(_ rejection: RejectionError) {
        switch rejection {
        case .invalidRequest(let faults): self = .invalid(faults)
        case .invalidParams(let faults):
            self.init(.invalidParams, Self.summary(faults), members: Self.errors(faults))
        case .routeNotPermitted(let route, let allowed):
            self = .routeNotPermitted(route, allowed: allowed)
        case .unknownRoute(let name, let near, let pointer):
            self = .unknownRoute(name, near: near, at: pointer)
        case .unknownFact(let name, let near, let pointer):
            self = .unknownFact(name, near: near, at: pointer)
        case .routeNotAllowedHere(let route, let place, let allowed, let remedy, let pointer):
            self = .notAllowed(route, place, there: allowed, remedy: remedy, at: pointer)
            members.append("allowed", .array(allowed.map { .string($0.rawValue) }))
        case .limitExceeded(let detail, let pointer):
            let faults = [InputFault(pointer: pointer, detail: detail)]
            self.init(.limitExceeded, detail, members: Self.errors(faults))
        case .tooMuchWork(let cause): self = .tooMuchWork(cause)
        case .entryNotFound(let name): self = .entryNotFound(name)
        case .sheetNotFound(let name):
            self.init(.sheetNotFound, "No sheet with the id or tag \(name.clipped) is presented.")
        case .tabNotFound(let name, let known): self = .tabNotFound(name, known)
        case .noRouteForURL(let url, let near): self = .noRoute(for: url, near)
        case .atRoot:
            self.init(
                .atRoot,
                "A root cannot be replaced or removed. Use the mode push or reset, or omit "
                    + "inclusive.")
        case .sheetOpen(let id):
            self.init(
                .sheetOpen,
                "The sheet \(id) covers the target. Dismiss it, or set sheets to keep or dismiss.")
        case .sheetLocked(let id):
            self = .locked(
                .sheetLocked, naming: id, as: "sheet",
                "The sheet \(id) is not dismissible. Set force to true to remove it all the same.")
        case .entryLocked(let id):
            self = .locked(
                .entryLocked, naming: id, as: "entry",
                "The entry \(id) is locked. Unlock it with setParams, or set force to true to "
                    + "remove it all the same.")
        case .dialogOpen(let id, let buttons): self = .dialogOpen(id, buttons)
        case .unknownButton(let name, let known, let near, let pointer):
            self = .unknownButton(name, known, near: near, at: pointer)
        case .tabNeeded(let tab, let isSelected):
            self.init(
                .tabNeeded,
                isSelected
                    ? "The tab \(tab) is selected. Select another tab before hiding it."
                    : "One tab without a guard must be shown. Leave one such as \(tab) out of "
                        + "hidden.")
        case .guarded(let name, let when, let facts): self = .guarded(by: name, when: when, facts)
        case .nothingToDo(let reason): self = .nothingToDo(reason)
        case .inBatch(let index, let inner):
            self.init(inner)
            detail = "The command at index \(index) failed. \(detail)"
            members["index"] = .integer(Int64(index))
        }
    }

    /// The refusal of a screen that the token may not show.
    private static func routeNotPermitted(
        _ route: RouteName, allowed: [RouteName]
    ) -> ProblemContent {
        let names = allowed.map { $0.rawValue }
        let shown = names.isEmpty ? "no screen" : names.listed(with: "and")
        return ProblemContent(
            .forbidden, "This token may show \(shown), but not \(route).",
            members: ["route": route.json, "routes": .array(names.map(JSON.string))])
    }

    private static func notAllowed(
        _ route: RouteName, _ place: RoutePlace, there allowed: [RouteName], remedy: Remedy?,
        at pointer: String
    ) -> ProblemContent {
        let clause = place.clause
        var detail = "\(route) cannot be \(clause)."
        if case .presentedOn = place {
            detail += " It is presented on \(allowed.phrase)."
        } else if !allowed.isEmpty {
            detail += " Allowed there: \(allowed.phrase)."
        } else if case .pushedOn = place {
            detail += " Nothing can be pushed there."
        }
        if let remedy { detail += " " + remedy.sentence }
        let fault = "names the route \(route), which cannot be \(clause)"
        return ProblemContent(
            .routeNotAllowedHere, detail,
            members: errors([InputFault(pointer: pointer, detail: fault)]))
    }

    private static func nothingToDo(_ reason: NoChange) -> ProblemContent {
        ProblemContent(
            ProblemKind(reason),
            "The command has no effect, and Prefer: handling=strict makes that an error.")
    }

    private static func locked(
        _ kind: ProblemKind, naming id: EntryID, as member: String, _ detail: String
    ) -> ProblemContent {
        ProblemContent(kind, detail, members: JSONObject([(member, .string(id.description))]))
    }

    private static func dialogOpen(_ id: EntryID, _ buttons: [MarkName]) -> ProblemContent {
        let names = buttons.map { $0.rawValue }
        let choice =
            names.count > 1
            ? names.dropLast().joined(separator: ", ") + " or \(names[names.count - 1])"
            : names.joined()
        return ProblemContent(
            .dialogOpen,
            "The dialog \(id) waits for an answer: \(choice). Press a button with dismiss; nothing "
                + "can be put on a dialog.",
            members: [
                "sheet": .string(id.description), "buttons": .array(names.map(JSON.string)),
            ])
    }

    private static func unknownButton(
        _ name: String, _ known: [String], near: [String], at pointer: String
    ) -> ProblemContent {
        let fault = InputFault(pointer: pointer, detail: "is not a button of the dialog")
        return ProblemContent(
            .invalidRequest, "The dialog has no button \(name.clipped).", near: near,
            otherwise: "Its buttons are \(known.joined(separator: ", ")).",
            members: errors([fault]))
    }

    private static func tooMuchWork(_ cause: WorkCause) -> ProblemContent {
        switch cause {
        case .request:
            ProblemContent(
                .limitExceeded,
                "The request needs more work than one request may cause. Send less at a time, or "
                    + "simplify the schemas of the app.")
        case .state:
            ProblemContent(
                .tooMuchWork,
                "Checking the stored session needs more work than one request may cause. Simplify "
                    + "the schemas and links of its app, or delete the session.")
        }
    }

    private static func unknownRoute(
        _ name: String, near: [String], at pointer: String
    ) -> ProblemContent {
        let aside = near.first.map { " (did you mean \($0)?)" } ?? ""
        let fault = "names the unknown route \(name.clipped)\(aside)"
        return ProblemContent(
            .unknownRoute, "There is no route \(name.clipped).", near: near,
            otherwise: "Look at the app's routes.",
            members: errors([InputFault(pointer: pointer, detail: fault)]))
    }

    private static func unknownFact(
        _ name: String, near: [String], at pointer: String
    ) -> ProblemContent {
        let fault = InputFault(pointer: pointer, detail: "is a fact that the app does not declare")
        return ProblemContent(
            .unknownFact, "There is no fact \(name.clipped).", near: near,
            otherwise: "Look at the facts that the app declares. Without an app there are none.",
            members: errors([fault]))
    }

    private static func entryNotFound(_ name: String) -> ProblemContent {
        ProblemContent(
            .entryNotFound,
            "There is no entry or sheet \(name.clipped) that this command could act on.")
    }

    private static func tabNotFound(_ name: String, _ known: [TabID]) -> ProblemContent {
        let names = known.map { $0.rawValue }
        let near = Spelling.near(name, among: names, work: WorkBudget())
        let all = "The tabs are \(names.joined(separator: ", "))."
        var problem = ProblemContent(
            .tabNotFound, "There is no tab \(name.clipped).", near: near, otherwise: all)
        if !near.isEmpty { problem.detail += " " + all }
        return problem
    }

    private static func noRoute(for url: String, _ near: [NearLink]) -> ProblemContent {
        let reason = near.first.map { ": in \($0.pattern.clipped), \($0.detail)" }
        return ProblemContent(
            .noRouteForURL,
            "No deep link of the app matches \(url.clipped)"
                + (reason.map { $0 + "." } ?? ". Look at the app's links."),
            members: ["nearLinks": near.json])
    }

    private static func guarded(
        by name: GuardName, when: JSONObject, _ facts: [UnmetFact]
    ) -> ProblemContent {
        let reasons = facts.map { $0.clause }.joined(separator: "; ")
        return ProblemContent(
            .guarded, "The guard \(name) does not hold: \(reasons).",
            members: [
                "guard": name.json, "when": .object(when),
                "facts": .object(JSONObject(facts.map { ($0.name.rawValue, $0.json) })),
            ])
    }
}

extension RoutePlace {
    /// Where the route cannot be, after "cannot be".
    fileprivate var clause: String {
        switch self {
        case .pushedOn(.root(let tab)): "pushed on the root of the tab \(tab)"
        case .pushedOn(.screen(let route)): "pushed on \(route)"
        case .presentedOn(let route): "presented on \(route)"
        case .presentedAs(let style): "presented with the style \(style.rawValue)"
        }
    }
}

extension [RouteName] {
    /// The names for a sentence; more than ten are left out.
    fileprivate var phrase: String {
        let names = prefix(10).map { $0.rawValue }.joined(separator: ", ")
        return count > 10 ? "\(names) and \(count - 10) more" : names
    }
}

extension Remedy {
    /// The advice, as a sentence.
    fileprivate var sentence: String {
        switch self {
        case .present: "It is presented, not pushed: use present."
        case .navigate: "It is pushed, not presented: use navigate."
        case .style(let style): "It can be presented as a \(style.rawValue)."
        case .add(let tab): "It can be pushed on the tab \(tab): add \"in\": \"\(tab)\"."
        case .pathOf(let tab): "It can be pushed on the tab \(tab)."
        }
    }
}

extension UnmetFact {
    /// More values are left out of a sentence.
    private static let valuesMax = 10

    /// A clause with the value of the fact and the values that the guard needs.
    fileprivate var clause: String {
        var values = needs.prefix(Self.valuesMax).map { $0.text.clipped }
        if needs.count > values.count { values.append("\(needs.count - values.count) others") }
        return "\(name) is \(value.text.clipped) and has to be "
            + values.joined(separator: " or ")
    }

    fileprivate var json: JSON {
        .object(["is": value, "needs": .array(needs)])
    }
}

extension [NearLink] {
    /// The list, or nil if it is empty.
    public var json: JSON? {
        isEmpty
            ? nil
            : .array(
                map { link in
                    .object([
                        "pattern": .string(link.pattern), "why": .string(link.why.rawValue),
                        "at": .string(link.at), "detail": .string(link.detail),
                    ])
                })
    }
}

extension ProblemKind {
    init(_ reason: NoChange) {
        switch reason {
        case .atRoot: self = .atRoot
        case .noSheet: self = .noSheet
        case .alreadyThere: self = .alreadyThere
        case .sameEntry: self = .sameEntry
        case .alreadySelected: self = .alreadySelected
        case .sheetLocked: self = .sheetLocked
        case .entryLocked: self = .entryLocked
        case .nothingToUndo: self = .nothingToUndo
        case .nothingToRedo: self = .nothingToRedo
        case .held: self = .guarded
        }
    }
}

extension [String] {
    /// More names are left out of a sentence.
    private static let listedMax = 10

    /// The names as a part of a sentence: `a, b and c`.
    public func listed(with word: String) -> String {
        var names = Array(prefix(Self.listedMax))
        if count > names.count { names.append("\(count - names.count) others") }
        guard let last = names.popLast() else { return "nothing" }
        return names.isEmpty ? last : "\(names.joined(separator: ", ")) \(word) \(last)"
    }
}
