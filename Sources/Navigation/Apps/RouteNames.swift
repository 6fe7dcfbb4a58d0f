internal import Bytes
internal import JSON

/// Names in an app that stand for routes: those of groups, and the former names of routes.
public struct RouteNames: Sendable {
    /// The routes of each group, including those of the groups in it.
    public var groups: [RouteName: Set<RouteName>] = [:]
    /// The routes that replace others, by the names of the others.
    public var replacements: [RouteName: RouteReplacement] = [:]
}

/// A route that replaces another one, and the params that its screens get.
public struct RouteReplacement: Sendable {
    /// The route that the app has now.
    public var route: RouteName
    /// The params with `{path}` for the values of the old ones, or nil if they stay as they are.
    var params: JSONObject?

    /// The params of a screen, made from those that it had.
    ///
    /// - Parameters:
    ///   - old: the params that it had.
    ///   - bytes: their length as text.
    func params(
        from old: JSONObject, bytes: Int, work: WorkBudget
    ) throws(WorkBudgetError) -> JSONObject {
        guard let params else { return old }
        let source = ParamsSource(params: old, bytes: bytes, work: work)
        guard case .object(let made)? = try source.filled(.object(params)) else {
            return JSONObject()
        }
        return made
    }

    /// The size in bytes up to which params may grow when they are made from others.
    static let paramsBytesMax = Limits().paramsBytesMax
}

/// The params from which others are made.
private struct ParamsSource {
    let params: JSONObject
    /// Their length as text, which no value in them exceeds.
    let bytes: Int
    let work: WorkBudget

    /// A value in which each `{path}` is replaced by the value that is there. Nil if a text has
    /// no value for one of them. The documents of apps are nested as deeply as a body may be.
    func filled(_ template: JSON) throws(WorkBudgetError) -> JSON? {
        switch template {
        case .string(let text): return try filled(text)
        case .object(let object):
            var filled = JSONObject()
            for member in object.members {
                guard let value = try self.filled(member.value) else { continue }
                filled.append(member.key, value)
            }
            return .object(filled)
        case .array(let items):
            var filled: [JSON] = []
            for item in items {
                if let value = try self.filled(item) { filled.append(value) }
            }
            return .array(filled)
        case .null, .bool, .integer, .double: return template
        }
    }

    /// A text that is one path becomes the value. In others, texts, numbers and truth values take
    /// the places of paths.
    private func filled(_ text: String) throws(WorkBudgetError) -> JSON? {
        try work.spend(.steps(10 + text.utf8.count))
        let pieces = ParamsPath.pieces(of: text)
        if pieces.count == 1, case .path(let path)? = pieces.first { return try value(at: path) }
        var filled = ""
        for piece in pieces {
            switch piece {
            case .text(let plain): filled += plain
            case .path(let path):
                guard let plain = try value(at: path)?.textInText else { return nil }
                filled += plain
            }
        }
        return .string(filled)
    }

    private func value(at path: ParamsPath) throws(WorkBudgetError) -> JSON? {
        try work.spend(.steps(10 * path.steps.count))
        try work.spend(.moving(bytes: bytes))
        return path.value(in: params)
    }
}

extension JSON {
    /// The text that stands for the value within a text, or nil if no text does.
    var textInText: String? {
        switch self {
        case .string, .bool, .integer, .double: plainText
        case .null, .array, .object: nil
        }
    }
}

// MARK: - Reading

extension AppReader {
    /// Reads the `was` of each route, after all routes are known.
    mutating func readReplacements(_ routesObject: JSONObject) -> [RouteName: RouteReplacement] {
        var replacements: [RouteName: RouteReplacement] = [:]
        for member in routesObject.members {
            guard let route = RouteName(member.key), case .object(let body) = member.value,
                case .object(let former)? = body["was"]
            else { continue }
            let pointer = "/routes/\(JSONPointer.escaped(member.key))/was/"
            for item in former.members where !errors.isFull {
                let place = pointer + JSONPointer.escaped(item.key)
                guard let name = RouteName(item.key) else {
                    refuse(place, "has an invalid name: it " + nameRule(RouteName.self))
                    continue
                }
                var replacement = RouteReplacement(route: route)
                switch item.value {
                case .bool(true): break
                case .object(let params): replacement.params = params
                case .null, .bool, .integer, .double, .string, .array:
                    refuse(place, "must be true, or an object with the new params")
                }
                if routes[name] != nil {
                    refuse(place, "names a route that the app declares")
                } else if replacements[name] != nil {
                    refuse(place, "names a route that another one replaces already")
                }
                replacements[name] = replacement
            }
        }
        return replacements
    }
}
