import JSON
import Navigation

/// A session on one line, drawn from its JSON alone:
///
///     chats* [list, detail{"id":1}] settings#3 [] | compose [] <cover>about []
extension JSONObject {
    var picture: String {
        let selected = string("selectedTab")
        let tabs = objects("tabs").map { tab in
            let star = tab.string("id") == selected ? "*" : ""
            let badge = tab["badge"].map { "#" + ($0.plainText ?? $0.text) } ?? ""
            return "\(tab.string("id"))\(badge)\(star) \(tab.path)"
        }
        let sheets = objects("sheets").map { sheet in
            let cover = sheet.string("style") == "fullScreenCover" ? "<cover>" : ""
            return "\(cover)\(sheet.screen) \(sheet.path)"
        }
        let line = tabs.joined(separator: " ")
        return sheets.isEmpty ? line : line + " | " + sheets.joined(separator: " ")
    }

    private var path: String {
        "[" + objects("path").map(\.screen).joined(separator: ", ") + "]"
    }

    private var screen: String {
        guard case .object(let params)? = self["params"], !params.isEmpty else {
            return string("route")
        }
        return string("route") + JSON.object(params).sorted.text
    }

    func string(_ name: String) -> String { self[name]?.plainText ?? "" }

    func flag(_ name: String) -> Bool? {
        guard case .bool(let flag)? = self[name] else { return nil }
        return flag
    }

    func integer(_ name: String) -> Int? { self[name]?.wholeNumber }

    func objects(_ name: String) -> [JSONObject] {
        guard case .array(let items)? = self[name] else { return [] }
        return items.compactMap { item in
            if case .object(let object) = item { object } else { nil }
        }
    }

    func object(_ name: String) -> JSONObject {
        guard case .object(let object)? = self[name] else { return JSONObject() }
        return object
    }
}

extension JSON {
    var plainText: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// With the members of all objects by name.
    var sorted: JSON {
        switch self {
        case .object(let object):
            let members = object.members.sorted { $0.key < $1.key }
            return .object(JSONObject(members.map { ($0.key, $0.value.sorted) }))
        case .array(let items): return .array(items.map(\.sorted))
        case .null, .bool, .integer, .double, .string: return self
        }
    }
}

// MARK: - Refusals as clients see them

extension RejectionError {
    /// The last part of the problem's type.
    var problem: String {
        switch self {
        case .invalidRequest: "invalid-request"
        case .unknownRoute: "unknown-route"
        case .routeNotAllowedHere: "route-not-allowed-here"
        case .invalidParams: "invalid-params"
        case .unknownFact: "unknown-fact"
        case .limitExceeded, .tooMuchWork(.request): "limit-exceeded"
        case .tooMuchWork(.state): "too-much-work"
        case .entryNotFound: "entry-not-found"
        case .sheetNotFound: "sheet-not-found"
        case .tabNotFound: "tab-not-found"
        case .noRouteForURL: "no-route-for-url"
        case .atRoot: "at-root"
        case .sheetOpen: "sheet-open"
        case .sheetLocked: "sheet-locked"
        case .entryLocked: "entry-locked"
        case .dialogOpen: "dialog-open"
        case .unknownButton: "invalid-request"
        case .tabNeeded: "tab-needed"
        case .guarded: "guarded"
        case .routeNotPermitted: "forbidden"
        case .nothingToDo(let reason): reason.rawValue
        case .inBatch(_, let inner): inner.problem
        }
    }

    /// Where the faults are, in the order in which they are told.
    var pointers: [String] {
        switch self {
        case .invalidRequest(let faults), .invalidParams(let faults): faults.map(\.pointer)
        case .unknownRoute(_, _, let pointer), .limitExceeded(_, let pointer),
            .routeNotAllowedHere(_, _, _, _, let pointer), .unknownFact(_, _, let pointer):
            [pointer]
        case .unknownButton(_, _, _, let pointer): [pointer]
        case .inBatch(_, let inner): inner.pointers
        case .entryNotFound, .sheetNotFound, .tabNotFound, .noRouteForURL, .atRoot, .sheetOpen,
            .sheetLocked, .entryLocked, .dialogOpen, .tabNeeded, .guarded, .nothingToDo,
            .tooMuchWork, .routeNotPermitted:
            []
        }
    }
}
