internal import Bytes
internal import JSON

/// The configuration of a screen of React Navigation: its paths, and the screens in it.
struct ScreenConfig {
    /// Its path, and its aliases.
    private(set) var paths: [ScreenPath] = []
    /// The screens in it; nil if there are none.
    private(set) var screens: JSONObject?
    /// Whether it is a navigator without a screen.
    private(set) var isEmpty = false
    private(set) var initialRouteName: String?
    /// The params that are not texts, each with the name of the function that reads them.
    private(set) var parse: [(name: String, function: String)] = []
    /// Members without a meaning here.
    private(set) var others: [JSONObject.Member] = []

    /// Returns nil for a value that is neither a path nor an object.
    init?(_ value: JSON) {
        switch value {
        case .string(let text): paths = [ScreenPath(text)]
        case .object(let object): for member in object.members { read(member, of: object) }
        case .null, .bool, .integer, .double, .array: return nil
        }
    }

    private mutating func read(_ member: JSONObject.Member, of object: JSONObject) {
        switch (member.key, member.value) {
        case ("path", .string(let text)):
            paths.insert(ScreenPath(text, isExact: object["exact"] == .bool(true)), at: 0)
        case ("exact", .bool): break
        case ("alias", .array(let items)):
            for item in items {
                switch item {
                case .string(let text): paths.append(ScreenPath(text))
                case .object(let alias):
                    guard case .string(let text)? = alias["path"] else { continue }
                    paths.append(ScreenPath(text, isExact: alias["exact"] == .bool(true)))
                case .null, .bool, .integer, .double, .array: others.append(member)
                }
            }
        case ("screens", .object(let inner)):
            isEmpty = inner.isEmpty
            screens = isEmpty ? nil : inner
        case ("initialRouteName", .string(let name)): initialRouteName = name
        case ("parse", .object(let functions)):
            for function in functions.members {
                guard case .string(let name) = function.value else { continue }
                parse.append((function.key, name))
            }
        default: others.append(member)
        }
    }

    /// Whether its path takes every URL that no other one takes.
    var isWildcard: Bool { paths.contains(where: \.isWildcard) }

    /// The params that a path and its query fill, and the names of those in the query: the ones
    /// that `parse` names and the path does not.
    func params(of path: ScreenPath) -> (params: [ImportedParam], query: [String]) {
        var params = path.params
        var query: [String] = []
        for (key, function) in parse {
            guard let name = ImportedApp.name(from: key) else { continue }
            if !params.contains(where: { $0.name == name }) {
                query.append(name)
                params.append(
                    ImportedParam(name: name, schema: URLPiece.text, isRequired: false))
            }
            guard let index = params.firstIndex(where: { $0.name == name }) else { continue }
            if let type = Self.type(of: function) {
                if type != "string" { params[index].schema = ["type": .string(type)] }
            } else {
                params[index].schema.append("x-parse", .string(function))
            }
        }
        return (params, query)
    }

    /// The params that are not expressed.
    func lost(of path: ScreenPath) -> [String] {
        parse.filter { Self.type(of: $0.function) == nil }
            .map { "the function \($0.function) is not known, so \($0.name) is a text" }
    }

    /// The type of what a function of JavaScript makes of a text, if it is a usual one.
    private static func type(of function: String) -> String? {
        switch function {
        case "Number", "parseFloat", "Number.parseFloat": "number"
        case "parseInt", "Number.parseInt": "integer"
        case "Boolean": "boolean"
        case "String", "decodeURIComponent": "string"
        default: nil
        }
    }
}

/// A path of React Navigation: `users/:id/posts/:post?`.
struct ScreenPath {
    private(set) var isExact = false
    private var segments: [Segment] = []
    /// The parts that are not expressed.
    private(set) var lost: [String] = []

    private struct Segment {
        var text: String
        /// The name of the param, for `:name`.
        var name: String?
        var isOptional = false
        var pattern: String?
        var isRest: Bool { text == "*" && name == nil }
    }

    static let empty = ScreenPath("")

    init(_ text: String, isExact: Bool = false) {
        self.isExact = isExact
        for part in Self.parts(of: text) {
            guard part.hasPrefix(":") else {
                segments.append(Segment(text: part))
                continue
            }
            var rest = part.dropFirst()
            let isOptional = rest.hasSuffix("?")
            if isOptional { rest.removeLast() }
            var pattern: String?
            if rest.hasSuffix(")"), let open = rest.firstIndex(of: "(") {
                pattern = String(rest[rest.utf8.index(after: open)...].dropLast())
                rest = rest[..<open]
            }
            let name = URLShape.unused(String(rest), captures)
            if name != String(rest) { lost.append("the param \(rest) is named \(name)") }
            if let source = pattern, (try? Pattern("^(?:\(source))$")) == nil {
                lost.append("the expression (\(source)) is not supported, so any text is taken")
                pattern = nil
            }
            segments.append(
                Segment(text: part, name: name, isOptional: isOptional, pattern: pattern))
        }
    }

    /// The segments; a slash within the parentheses of an expression divides nothing.
    private static func parts(of text: String) -> [String] {
        var parts = [""]
        var depth = 0
        for scalar in text.unicodeScalars {
            if scalar == "(" { depth += 1 }
            if scalar == ")" { depth -= 1 }
            if scalar == "/", depth <= 0 {
                parts.append("")
            } else {
                parts[parts.count - 1].unicodeScalars.append(scalar)
            }
        }
        return parts.filter { !$0.isEmpty }
    }

    /// The path with another one behind it.
    func appending(_ other: ScreenPath) -> ScreenPath {
        var longer = self
        longer.isExact = false
        longer.segments += other.segments
        longer.lost += other.lost
        return longer
    }

    /// Whether it takes every URL that no other path takes.
    var isWildcard: Bool { segments.count == 1 && segments[0].isRest }

    /// The names of the params.
    var captures: [String] { segments.compactMap(\.name) }

    /// The params that it fills.
    var params: [ImportedParam] {
        segments.compactMap { segment in
            if segment.isRest {
                return ImportedParam(name: "rest", schema: URLPiece.text, isRequired: true)
            }
            guard let name = segment.name else { return nil }
            var schema = URLPiece.text
            if let pattern = segment.pattern {
                schema.append("pattern", .string("^(?:\(pattern))$"))
            }
            return ImportedParam(
                name: name, schema: schema, isRequired: !segment.isOptional)
        }
    }

    /// The paths as patterns have them: two for each param that may be absent.
    var variants: [URLShape.Variant] {
        var found = [URLShape.Variant(text: "", names: [])]
        for segment in segments {
            var next: [URLShape.Variant] = []
            for variant in found {
                var longer = variant
                longer.text += (variant.text.isEmpty ? "" : "/") + Self.text(of: segment)
                if let name = segment.name { longer.names.append(name) }
                if segment.isRest { longer.names.append("rest") }
                next.append(longer)
                if segment.isOptional, found.count < Self.variantsMax { next.append(variant) }
            }
            found = next
        }
        return found
    }

    private static let variantsMax = 64

    private static func text(of segment: Segment) -> String {
        if let name = segment.name { return "{\(name)}" }
        return segment.isRest ? "{rest*}" : URLShape.escaped(segment.text)
    }
}
