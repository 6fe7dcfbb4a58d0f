internal import JSON
internal import Navigation

extension Problem {
    /// What the rules refused, in the words of the wire.
    init(_ rejection: Rejection) {
        switch rejection {
        case .invalidRequest(let faults): self = .invalid(faults)
        case .invalidParams(let faults):
            self.init(.invalidParams, Self.summary(faults), members: Self.errors(faults))
        case .unknownRoute(let name, let near, let pointer):
            self = .unknownRoute(name, near, pointer)
        case .routeNotAllowedHere(let route, let place, let allowed, let pointer):
            self = .routeNotAllowedHere(route, place, allowed, pointer)
        case .limitExceeded(let detail, let pointer):
            let faults = [Fault(pointer: pointer, detail: detail)]
            self.init(.limitExceeded, detail, members: Self.errors(faults))
        case .entryNotFound, .sheetNotFound, .tabNotFound, .noRouteForURL:
            self = .missing(rejection)
        case .atRoot, .sheetOpen, .sheetLocked, .nothingToDo:
            self = .conflict(rejection)
        case .inBatch(let index, let inner):
            self.init(inner)
            detail = "command \(index): \(detail)"
            members["index"] = .integer(Int64(index))
        }
    }

    private static func unknownRoute(
        _ name: String, _ near: [String], _ pointer: String
    ) -> Problem {
        let hint = near.first.map { "did you mean \($0)?" } ?? "look at the app's routes"
        let detail = "there is no route \(name.clipped); \(hint)"
        var members = errors([Fault(pointer: pointer, detail: detail)])
        if !near.isEmpty { members.append("near", .array(near.map(JSON.string))) }
        return Problem(.unknownRoute, detail, members: members)
    }

    private static func routeNotAllowedHere(
        _ route: RouteName, _ place: String, _ allowed: [RouteName], _ pointer: String
    ) -> Problem {
        let detail = "\(route) may not appear \(place)"
        var members = errors([Fault(pointer: pointer, detail: detail)])
        members.append("allowed", .array(allowed.map { .string($0.rawValue) }))
        return Problem(.routeNotAllowedHere, detail, members: members)
    }

    private static func missing(_ rejection: Rejection) -> Problem {
        switch rejection {
        case .entryNotFound("visible"):
            return Problem(.entryNotFound, "a tab's root is visible, which has no params to set")
        case .entryNotFound(let name):
            return Problem(.entryNotFound, "\(name.clipped) is not in the session, or not there")
        case .sheetNotFound(let name):
            return Problem(.sheetNotFound, "no sheet \(name.clipped) is up")
        case .tabNotFound(let name, let known):
            let all = known.map(\.rawValue).joined(separator: ", ")
            return Problem(.tabNotFound, "there is no tab \(name.clipped); there are \(all)")
        case .noRouteForURL(let url):
            return Problem(
                .noRouteForURL, "\(url.clipped) fits no link; look at the app's links")
        case .invalidRequest, .unknownRoute, .routeNotAllowedHere, .invalidParams,
            .limitExceeded, .atRoot, .sheetOpen, .sheetLocked, .nothingToDo, .inBatch:
            preconditionFailure("the caller asks only for what is missing")
        }
    }

    private static func conflict(_ rejection: Rejection) -> Problem {
        switch rejection {
        case .atRoot:
            return Problem(.atRoot, "there is no entry to act on; use mode push or reset")
        case .sheetOpen(let id):
            return Problem(.sheetOpen, "the sheet \(id) is up; dismiss it, or keep it by sheets")
        case .sheetLocked(let id):
            return Problem(.sheetLocked, "the sheet \(id) says dismissible false; use force")
        case .nothingToDo(let reason):
            return Problem(ProblemKind(reason), "there is nothing to do, which is refused here")
        case .invalidRequest, .unknownRoute, .routeNotAllowedHere, .invalidParams,
            .limitExceeded, .entryNotFound, .sheetNotFound, .tabNotFound, .noRouteForURL,
            .inBatch:
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
        }
    }
}
