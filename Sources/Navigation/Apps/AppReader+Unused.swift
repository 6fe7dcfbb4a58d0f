internal import Bytes
internal import JSON

// Warnings about what is declared and not used, and about icons without a drawing.

extension AppReader {
    /// Warns of guards, facts, groups and members of `$defs` that nothing uses.
    mutating func warnOfUnused(_ document: JSONObject) throws(WorkBudgetError) {
        guard checks == .all else { return }
        var uses = AppUses(work: work)
        for member in document.members { try uses.add(member.value, of: member.key) }
        for name in guards.order where !uses.guards.contains(ExactString(name.rawValue)) {
            warnOfUnused(
                .unusedGuard, in: "guards", name: name.rawValue,
                "is not used by any route, tab or link")
        }
        for fact in guards.facts where !uses.facts.contains(ExactString(fact.name.rawValue)) {
            warnOfUnused(
                .unusedFact, in: "facts", name: fact.name.rawValue, "is not used by any guard")
        }
        for (key, _) in document.membersOfObject("groups") {
            guard let name = RouteName(key), let group = groups[name],
                !uses.groups.contains(ExactString(key))
            else { continue }
            // A group with dialogs is what tells a feature's own code apart; no list needs it.
            guard group.allSatisfy({ routes[$0]?.presentation.allowsPush ?? true }) else {
                continue
            }
            warnOfUnused(.unusedGroup, in: "groups", name: key, "is not used by any list of routes")
        }
        let used = try uses.usedDefinitions(document.membersOfObject("$defs"))
        for (key, _) in document.membersOfObject("$defs")
        where !used.contains(ExactString(key)) {
            warnOfUnused(.unusedDefinition, in: "$defs", name: key, "is not used by any schema")
        }
    }

    private mutating func warnOfUnused(
        _ code: AppWarning, in list: String, name: String, _ detail: String
    ) {
        warn(code, at: "/\(list)/\(JSONPointer.escaped(name))", detail)
    }

    /// Warns of an icon that the pages of the server do not draw.
    mutating func warnOfIcon(_ icon: String, at pointer: String) {
        guard checks == .all, !KnownSymbols.contains(icon) else { return }
        let hint = Spelling.proposal(for: icon, among: KnownSymbols.names, work: work)
        let count = KnownSymbols.names.count
        warn(
            .unknownIcon, at: pointer,
            "\(JSON.string(icon.clipped).text) is not one of the \(count) known symbols\(hint)")
    }
}

extension KnownSymbols {
    /// Whether the pages have a drawing for the icon: for its name, or for the longest part of it
    /// that ends before a dot, so that `person.fill` is a `person`; or because it is a letter in a
    /// circle.
    static func contains(_ icon: String) -> Bool {
        let words = icon.split(separator: ".", omittingEmptySubsequences: false)
        if words.count > 1, words[0].utf8.count == 1, words[1].hasPrefix("circle") { return true }
        return words.indices.contains { last in
            let beginning = words[...last].joined(separator: ".")
            return names.contains { $0 == beginning }
        }
    }
}

/// The names of guards, facts, groups and definitions that a document uses.
private struct AppUses {
    private(set) var guards: Set<ExactString> = []
    private(set) var facts: Set<ExactString> = []
    private(set) var groups: Set<ExactString> = []
    /// The definitions that schemas outside `$defs` refer to.
    private var definitions: [ExactString] = []
    private let work: WorkBudget

    init(work: WorkBudget) { self.work = work }

    /// Adds what a member of the document uses.
    mutating func add(_ value: JSON, of list: String) throws(WorkBudgetError) {
        switch list {
        case "routes":
            for (_, route) in value.objects {
                try addLists(route)
                for name in ["params", "result"] { try addReferences(route[name]) }
            }
        case "tabs", "links": for (_, item) in value.objects { try addLists(item) }
        case "groups":
            for (_, group) in value.elements { try addGroups(group) }
        case "guards":
            for (_, body) in value.objects {
                guard case .object(let when)? = body["when"] else { continue }
                for member in when.members { facts.insert(ExactString(member.key)) }
            }
        case "facts": for (_, fact) in value.objects { try addReferences(fact["schema"]) }
        default: break
        }
    }

    /// Adds the guards and the groups that a route, a tab or a link names.
    private mutating func addLists(_ object: JSONObject) throws(WorkBudgetError) {
        for name in ["routes", "on"] { if let list = object[name] { try addGroups(list) } }
        for case .string(let name) in object["guard"].map({ $0.isArray ? $0.items : [$0] }) ?? [] {
            guards.insert(ExactString(name))
        }
    }

    private mutating func addGroups(_ list: JSON) throws(WorkBudgetError) {
        guard case .array(let items) = list else { return }
        try work.spend(.entries(items.count))
        for case .string(let text) in items where text.utf8.first == UInt8(ascii: "@") {
            groups.insert(ExactString(String(text.unicodeScalars.dropFirst())))
        }
    }

    private mutating func addReferences(_ schema: JSON?) throws(WorkBudgetError) {
        schema?.collectReferences(into: &definitions)
        try work.spend(.entries(definitions.count))
    }

    /// The members of `$defs` that are used, directly or by others that are.
    func usedDefinitions(
        _ declared: [(key: String, value: JSON)]
    ) throws(WorkBudgetError) -> Set<ExactString> {
        let bodies = declared.reduce(into: [ExactString: JSON]()) {
            $0[ExactString($1.key)] = $1.value
        }
        var open = definitions
        var used: Set<ExactString> = []
        while let name = open.popLast() {
            try work.spend(.entries(1))
            if used.insert(name).inserted { bodies[name]?.collectReferences(into: &open) }
        }
        return used
    }
}

extension JSON {
    fileprivate var isArray: Bool { type == .array }

    fileprivate var items: [JSON] {
        if case .array(let items) = self { items } else { [] }
    }

    /// The members or the elements.
    fileprivate var elements: [(String, JSON)] {
        switch self {
        case .object(let object): object.members.map { ($0.key, $0.value) }
        case .array(let items): items.enumerated().map { (String($0), $1) }
        case .null, .bool, .integer, .double, .string: []
        }
    }

    /// The members or the elements that are objects.
    fileprivate var objects: [(String, JSONObject)] {
        elements.compactMap { key, value in
            if case .object(let object) = value { (key, object) } else { nil }
        }
    }
}

extension JSONObject {
    /// The members of a member that is an object; otherwise none.
    fileprivate func membersOfObject(_ name: String) -> [(key: String, value: JSON)] {
        guard case .object(let object)? = self[name] else { return [] }
        return object.members.map { ($0.key, $0.value) }
    }
}
