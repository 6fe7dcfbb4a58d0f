internal import Bytes
internal import JSON

// The `groups` in the document of an app, and the lists of routes that refer to them.

/// A list of routes and groups as it is declared.
private struct RouteList {
    var routes: Set<RouteName> = []
    /// The groups that it includes as `@name`.
    var groups: Set<RouteName> = []
}

extension AppReader {
    /// Reads the groups and resolves the ones that include others.
    mutating func readGroups(_ object: JSONObject) throws(WorkBudgetError) {
        var declared: [(name: RouteName, items: [JSON], pointer: String)] = []
        for member in object.members {
            guard let (name, pointer): (RouteName, String) = declaredName(member.key, in: "groups")
            else { continue }
            groups[name] = []
            guard case .array(let items) = member.value else {
                refuse(pointer, "must be an array of routes and groups")
                continue
            }
            declared.append((name, items, pointer))
        }
        var lists: [RouteName: RouteList] = [:]
        for group in declared { lists[group.name] = routeList(group.items, at: group.pointer) }
        try resolve(declared.map { $0.name }, lists)
    }

    /// The routes of a list, including those of its groups.
    mutating func routes(
        _ items: [JSON], at pointer: String
    ) throws(WorkBudgetError) -> Set<RouteName> {
        try allRoutes(of: routeList(items, at: pointer))
    }

    private func allRoutes(of list: RouteList) throws(WorkBudgetError) -> Set<RouteName> {
        var routes = list.routes
        for name in list.groups {
            let members = groups[name] ?? []
            // Each name is hashed, and the set grows several times.
            try work.spend(.entries(1 + 4 * members.count))
            routes.formUnion(members)
        }
        return routes
    }

    private mutating func routeList(_ items: [JSON], at pointer: String) -> RouteList {
        var list = RouteList()
        for (index, item) in items.enumerated() {
            guard case .string(let text) = item else {
                refuse("\(pointer)/\(index)", "must be the name of a route, or @ and a group")
                continue
            }
            if text.utf8.first == UInt8(ascii: "@") {
                let name = RouteName(String(text.unicodeScalars.dropFirst()))
                if let name, groups[name] != nil {
                    list.groups.insert(name)
                } else {
                    refuse("\(pointer)/\(index)", "names the unknown group \(text.clipped)")
                }
            } else if let route = declared(text, at: "\(pointer)/\(index)") {
                list.routes.insert(route)
            }
        }
        return list
    }

    // MARK: - Groups in groups

    /// Resolves each group after the groups it includes. Chains of groups can be long, so this uses
    /// a list instead of recursion.
    private mutating func resolve(
        _ names: [RouteName], _ lists: [RouteName: RouteList]
    ) throws(WorkBudgetError) {
        var begun: Set<RouteName> = []
        var resolved: Set<RouteName> = []
        var hasCycles = false
        for first in names {
            var open = [first]
            while let name = open.last {
                guard let list = lists[name], !resolved.contains(name) else {
                    open.removeLast()
                    continue
                }
                try work.spend(.entries(1 + list.groups.count))
                let isNew = begun.insert(name).inserted
                // `subtracting` would walk all groups that are resolved.
                let missing = list.groups.filter { !resolved.contains($0) }
                if isNew, !missing.isEmpty {
                    // A group that is begun but not resolved includes this one, directly or not.
                    if !missing.isDisjoint(with: begun) { hasCycles = true }
                    open += missing.filter { !begun.contains($0) }
                } else {
                    groups[name] = try allRoutes(of: list)
                    resolved.insert(name)
                }
            }
        }
        if hasCycles { try refuseCycles(names, lists) }
    }

    private mutating func refuseCycles(
        _ names: [RouteName], _ lists: [RouteName: RouteList]
    ) throws(WorkBudgetError) {
        for name in names where !errors.isFull {
            guard try reaches(name, from: name, lists) else { continue }
            refuse("/groups/" + JSONPointer.escaped(name.rawValue), "must not include itself")
        }
    }

    private func reaches(
        _ goal: RouteName, from start: RouteName, _ lists: [RouteName: RouteList]
    ) throws(WorkBudgetError) -> Bool {
        var open = [start]
        var seen: Set<RouteName> = []
        while let list = open.popLast().flatMap({ lists[$0] }) {
            try work.spend(.entries(1 + list.groups.count))
            if list.groups.contains(goal) { return true }
            for name in list.groups where seen.insert(name).inserted { open.append(name) }
        }
        return false
    }
}
