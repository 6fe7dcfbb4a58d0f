internal import Bytes
internal import JSON
internal import Navigation

extension Problem {
    /// The problem for a rejection by the rules.
    init(_ rejection: RejectionError) {
        switch rejection {
        case .invalidRequest(let faults): self = .invalid(faults)
        case .invalidParams(let faults):
            self.init(.invalidParams, Self.summary(faults), members: Self.errors(faults))
        case .unknownRoute(let name, let near, let pointer):
            self = .unknownRoute(name, near: near, at: pointer)
        case .unknownFact(let name, let near, let pointer):
            self = .unknownFact(name, near: near, at: pointer)
        case .routeNotAllowedHere(let route, let place, let allowed, let pointer):
            self = .routeNotAllowedHere(route, place, allowed: allowed, at: pointer)
        case .limitExceeded(let detail, let pointer):
            let faults = [InputFault(pointer: pointer, detail: detail)]
            self.init(.limitExceeded, detail, members: Self.errors(faults))
        case .tooMuchWork(.request):
            self.init(
                .limitExceeded,
                "The request needs more work than one request may cause. Send less at a time, or "
                    + "simplify the schemas of the app.")
        case .tooMuchWork(.state):
            self.init(
                .tooMuchWork,
                "Checking the stored session needs more work than one request may cause. Simplify the "
                    + "schemas and links of its app, or delete the session.")
        case .entryNotFound, .sheetNotFound, .tabNotFound, .noRouteForURL:
            self = .missing(rejection)
        case .atRoot, .sheetOpen, .sheetLocked, .tabNeeded, .nothingToDo, .guarded:
            self = .conflict(rejection)
        case .inBatch(let index, let inner):
            self.init(inner)
            detail = "The command at index \(index) failed. \(detail)"
            members["index"] = .integer(Int64(index))
        }
    }

    private static func unknownRoute(
        _ name: String, near: [String], at pointer: String
    ) -> Problem {
        let hint = near.first.map { "Did you mean \($0)?" } ?? "Look at the app's routes."
        let detail = "There is no route \(name.clipped). \(hint)"
        let aside = near.first.map { " (did you mean \($0)?)" } ?? ""
        let fault = "names the unknown route \(name.clipped)\(aside)"
        var members = errors([InputFault(pointer: pointer, detail: fault)])
        if !near.isEmpty { members.append("near", .array(near.map(JSON.string))) }
        return Problem(.unknownRoute, detail, members: members)
    }

    private static func unknownFact(_ name: String, near: [String], at pointer: String) -> Problem {
        let hint = near.first.map { "Did you mean \($0)?" } ?? "Look at the app's facts."
        let fault = InputFault(pointer: pointer, detail: "is a fact that the app does not declare")
        var members = errors([fault])
        if !near.isEmpty { members.append("near", .array(near.map(JSON.string))) }
        let detail = "There is no fact \(name.clipped). \(hint)"
        return Problem(.unknownFact, detail, members: members)
    }

    private static func routeNotAllowedHere(
        _ route: RouteName, _ place: String, allowed: [RouteName], at pointer: String
    ) -> Problem {
        let detail = "The route \(route) is not allowed \(place)."
        let fault = "names the route \(route), which is not allowed \(place)"
        var members = errors([InputFault(pointer: pointer, detail: fault)])
        members.append("allowed", .array(allowed.map { .string($0.rawValue) }))
        return Problem(.routeNotAllowedHere, detail, members: members)
    }

    private static func missing(_ rejection: RejectionError) -> Problem {
        switch rejection {
        case .entryNotFound(let name) where name == "visible":
            return Problem(.entryNotFound, "A tab's root is visible, and a root has no params.")
        case .entryNotFound(let name):
            return Problem(
                .entryNotFound,
                "There is no entry or sheet \(name.clipped) that this command could act on.")
        case .sheetNotFound(let name):
            return Problem(
                .sheetNotFound, "No sheet with the id or tag \(name.clipped) is presented.")
        case .tabNotFound(let name, let known):
            let all = known.map(\.rawValue).joined(separator: ", ")
            return Problem(.tabNotFound, "There is no tab \(name.clipped). The tabs are \(all).")
        case .noRouteForURL(let url):
            return Problem(
                .noRouteForURL,
                "No deep link of the app matches \(url.clipped). Look at the app's links.")
        case .invalidRequest, .unknownRoute, .routeNotAllowedHere, .invalidParams, .unknownFact,
            .limitExceeded, .tooMuchWork, .atRoot, .sheetOpen, .sheetLocked, .tabNeeded,
            .nothingToDo, .guarded, .inBatch:
            preconditionFailure("the caller asks only for what is missing")
        }
    }

    private static func conflict(_ rejection: RejectionError) -> Problem {
        switch rejection {
        case .atRoot:
            return Problem(
                .atRoot,
                "A root cannot be replaced or removed. Use the mode push or reset, or omit inclusive."
            )
        case .sheetOpen(let id):
            return Problem(
                .sheetOpen,
                "The sheet \(id) covers the target. Dismiss it, or set sheets to keep or dismiss.")
        case .sheetLocked(let id):
            return Problem(
                .sheetLocked,
                "The sheet \(id) is not dismissible. Only the command dismiss with force removes it."
            )
        case .tabNeeded(let tab, isSelected: true):
            return Problem(
                .tabNeeded, "The tab \(tab) is selected. Select another tab before hiding it.")
        case .tabNeeded(let tab, isSelected: false):
            return Problem(
                .tabNeeded,
                "One tab without a guard must be shown. Leave one such as \(tab) out of hidden.")
        case .guarded(let name, let when):
            return Problem(
                .guarded,
                "The guard \(name) does not hold. Set the facts that it names, then ask again.",
                members: JSONObject([
                    ("guard", .string(name.rawValue)), ("when", .object(when)),
                ]))
        case .nothingToDo(let reason):
            return Problem(
                ProblemKind(reason),
                "The command has no effect, and Prefer: handling=strict makes that an error.")
        case .invalidRequest, .unknownRoute, .routeNotAllowedHere, .invalidParams, .unknownFact,
            .limitExceeded, .tooMuchWork, .entryNotFound, .sheetNotFound, .tabNotFound,
            .noRouteForURL, .inBatch:
            preconditionFailure("the caller asks only for conflicts")
        }
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
        case .nothingToUndo: self = .nothingToUndo
        case .nothingToRedo: self = .nothingToRedo
        case .held: self = .guarded
        }
    }
}
