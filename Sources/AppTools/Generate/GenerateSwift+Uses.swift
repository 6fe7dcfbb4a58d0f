internal import Bytes
internal import JSON
internal import Navigation

// The declarations outside of the namespace, and its links.

extension SwiftPrinter {
    // MARK: - Links

    var links: [String] {
        let functions = model.links.flatMap { link in
            let parameters = link.captures.map { capture in
                "\(label(capture)): \(type(capture.fullType))"
                    + (capture.isRequired ? "" : " = nil")
            }
            return comment([link.pattern])
                + block(
                    "\(access)static func \(code(link.name))"
                        + "(\(parameters.joined(separator: ", "))) -> URL", [url(link)])
        }
        return ["/// Deep links, as URLs."] + block("\(free)enum Link", functions)
    }

    private func url(_ link: LinkModel) -> String {
        var made = ""
        for (index, part) in link.parts.enumerated() {
            let path = part.path.map(interpolated).joined()
            let items = part.query.map { key, value in
                "(\(quoted(key)), \(texts(of: value)))"
            }
            let query = items.isEmpty ? "" : ", query: [\(items.joined(separator: ", "))]"
            let main = index == 0 ? "" : "\\(\(made).absoluteString)#"
            made = "AppLink.url(\"\(main)\(path)\"\(query))"
        }
        return made
    }

    private func interpolated(_ piece: LinkModel.Piece) -> String {
        switch piece {
        case .text(let text): String(quoted(text).dropFirst().dropLast())
        case .capture(let capture, let isRest):
            "\\(AppLink.\(isRest ? "rest" : "segment")(\(described(capture))))"
        }
    }

    /// A value for a parameter that takes whatever describes itself.
    private func described(_ capture: MemberModel) -> String {
        [.integer, .boolean].contains(capture.type) ? code(capture.name) : raw(capture)
    }

    /// The values of a query item: none, one, or those of a list.
    private func texts(of piece: LinkModel.Piece) -> String {
        switch piece {
        case .text(let text): return "[\(quoted(text))]"
        case .capture(let capture, _):
            guard case .list(let item) = capture.type else { return "[\(raw(capture))]" }
            let text = text(of: "$0", item, isRequired: true)
            let (name, mark) = (code(capture.name), capture.isRequired ? "" : "?")
            let list = text == "$0" ? name : "\(name)\(mark).map { \(text) }"
            return capture.isRequired ? list : "\(list) ?? []"
        }
    }

    private func raw(_ capture: MemberModel) -> String {
        text(of: code(capture.name), capture.type, isRequired: capture.isRequired)
    }

    /// The text of a value, as it is in a URL without escapes.
    private func text(of value: String, _ type: ValueType, isRequired: Bool) -> String {
        let mark = isRequired ? "" : "?"
        if model.choices(type) != nil { return "\(value)\(mark).rawValue" }
        switch type {
        case .number: return isRequired ? "AppLink.text(\(value))" : "\(value).map(AppLink.text)"
        case .integer, .boolean: return "\(value)\(mark).description"
        case .string, .named, .list, .map, .optional, .union, .any: return value
        }
    }

    /// The document as a raw string, with as many `#` as its content needs.
    var document: [String] {
        var (longest, run) = (0, 0)
        for byte in model.document.bytes {
            run = byte == UInt8(ascii: "#") ? run + 1 : 0
            longest = max(longest, run)
        }
        let marks = String(repeating: "#", count: longest + 1)
        let text = model.document.text.escaping { $0.isShown ? nil : $0.escape(isSwift: false) }
        return ["/// The definition that this file was made from."]
            + [
                "\(access)static let document = \(marks)\"\"\"", "    " + text,
                "    \"\"\"\(marks)",
            ]
    }

    // MARK: - Screens

    var extensionOfScreen: [String] {
        var body = [
            "\(access)typealias Tab = \(name).Tab", "\(access)typealias Facts = \(name).Facts",
            "\(access)static var appID: String { \(quoted(model.app.id.rawValue)) }",
        ]
        if !model.guards.isEmpty { body.append("\(access)typealias Guard = \(name).Guard") }
        if options.hasDocument {
            body.append("\(access)static var appDocument: String { \(name).document }")
        }
        body += switched("title", type: "String?", model.routes.map(title))
        body += property("presentation", type: "Presentation") {
            presentation($0.route.presentation)
        }
        body += property("hidesTabBar", type: "Bool") { $0.route.hidesTabBar ? "true" : "false" }
        if !model.guards.isEmpty {
            body += property("`guard`", type: "\(name).Guard?") { route in
                // The guard of that name would be taken for a missing one.
                route.guards.first.map { $0 == "none" ? ".some(.none)" : "." + code($0) } ?? "nil"
            }
        }
        if model.routes.contains(where: { $0.guards.count > 1 }) {
            body += property("guards", type: "[\(name).Guard]") { route in
                "[" + route.guards.map { "." + code($0) }.joined(separator: ", ") + "]"
            }
        }
        return block("nonisolated extension \(name).Screen", body + fallbacks)
    }

    /// A property with a value for each case, without a default.
    private func property(
        _ name: String, type: String, _ value: (RouteModel) -> String
    ) -> [String] {
        switched(name, type: type, model.routes.map { (".\(code($0.name.name))", value($0)) })
    }

    /// The case with what its title needs, and the title.
    private func title(_ route: RouteModel) -> (String, String) {
        let own = ".\(code(route.name.name))"
        guard let title = route.route.texts.title else { return (own, "nil") }
        if title.isFixed { return (own, quoted(title.declared)) }
        var (text, conditions) = ("", [String]())
        // A word with which no name of a param begins.
        var word = "text"
        while route.params.contains(where: { $0.name.hasPrefix(word) }) { word += "_" }
        var used: Set<ExactString> = []
        for piece in title.pieces {
            switch piece {
            case .text(let plain): text += quoted(plain).dropFirst().dropLast()
            case .path(let path):
                let steps = path.steps.map(\.text)
                guard let value = value(at: steps, of: route.params) else {
                    return (own, quoted(route.name.key))
                }
                let isOptional = value.isOptional
                used.insert(path.steps[0])
                let part = isOptional ? "\(word)\(conditions.count)" : value.text
                text += "\\(\(value.isNumber ? "AppTitle.text(\(part))" : part))"
                if isOptional { conditions.append("let \(part) = \(value.text)") }
            }
        }
        let bindings = route.params.map {
            used.contains(ExactString($0.key)) ? "let \(code($0.name))" : "_"
        }
        let found = conditions.joined(separator: ", ")
        let otherwise = quoted(route.name.key)
        return (
            "\(own)(\(bindings.joined(separator: ", ")))",
            found.isEmpty ? "\"\(text)\"" : "if \(found) { \"\(text)\" } else { \(otherwise) }"
        )
    }

    /// The expression for the value at a path of params, and whether it may be missing. Nil if
    /// nothing with a text is there.
    private func value(
        at steps: [String], of params: [MemberModel]
    ) -> (text: String, isOptional: Bool, isNumber: Bool)? {
        var (text, isOptional, type) = ("", false, ValueType.any)
        for (index, step) in steps.enumerated() {
            // Behind a `?`, Swift takes the value of the chain for present. So only a step that is
            // optional itself has one, which does not unwrap the steps in front of it again.
            let mark = String(repeating: "?", count: model.optionals(type))
            isOptional = isOptional || !mark.isEmpty
            type = model.whole(type)
            switch (type, index == 0 ? params : model.members(type)) {
            case (_, let members?):
                guard let member = members.first(where: { $0.key == step }) else { return nil }
                text += (text.isEmpty ? "" : mark + ".") + code(member.name)
                type = member.fullType
            case (.list(let item), nil):
                // An item that can be null would be an optional in an optional.
                guard let place = Int(step), String(place) == step, place >= 0,
                    !model.isNullable(item)
                else { return nil }
                text += "\(mark).dropFirst(\(place)).first"
                type = .optional(item)
            case (.map(let item), nil):
                guard !model.isNullable(item) else { return nil }
                text += "\(mark)[\(quoted(step))]"
                type = .optional(item)
            case (_, nil): return nil
            }
        }
        let depth = model.optionals(type)
        isOptional = isOptional || depth > 0
        type = model.whole(type)
        if model.choices(type) != nil {
            return (text + String(repeating: "?", count: depth) + ".rawValue", isOptional, false)
        }
        guard [.string, .integer, .number, .boolean].contains(type) else { return nil }
        text += String(repeating: ".flatMap({ $0 })", count: max(depth - 1, 0))
        return (text, isOptional, type == .number)
    }

    private func presentation(_ presentation: Presentation) -> String {
        if presentation == .any { return ".any" }
        let names =
            (presentation.allowsPush ? [".push"] : [])
            + presentation.styles.map { ".\($0.rawValue)" }
        return names.count == 1 ? names[0] : "[\(names.joined(separator: ", "))]"
    }

    /// Gives params that are not there their defaults, as the rules do.
    private var fallbacks: [String] {
        let values = model.routes.compactMap { route -> String? in
            let members = route.params.compactMap { param in
                param.fallback.map { "\(quoted(param.key)): \(json($0))" }
            }
            guard !members.isEmpty else { return nil }
            return "\(quoted(route.name.key)): [\(members.joined(separator: ", "))],"
        }
        guard !values.isEmpty else { return [] }
        return ["private static let fallbacks: [String: [String: JSONValue]] = ["]
            + values.map { "    " + $0 } + ["]"]
            + block(
                "\(access)init?(route: String, params: JSONValue)",
                [
                    "let own = \(name).Screen.fallbacks[route, default: [:]]",
                    "let all = own.merging(params.object ?? [:]) { $1 }",
                    "let whole = JSONValue.object([route: .object(all)])",
                    "guard let screen = try? whole.decode(\(name).Screen.self) else { return nil }",
                    "self = screen",
                ])
    }

    // MARK: - Questions and routing

    func question(_ route: RouteModel) -> [String] {
        guard let answer = route.answer else { return [] }
        let (own, type) = (code(route.name.name), type(answer, isOutside: true))
        let parameters = parameters(route.params, isOutside: true)
        let condition = "where Screen == \(name).Screen, Answer == \(type)"
        return [""]
            + block(
                "nonisolated extension Question \(condition)",
                block(
                    // Without params it is written as its screen is: `.confirm`.
                    route.params.isEmpty
                        ? "\(access)static var \(own): Self"
                        : "\(access)static func \(own)(\(parameters)) -> Self",
                    ["Self(\(call(route.name.name, route.params)))"]))
            + block(
                "nonisolated extension Answering \(condition)",
                ["\(access)static var \(own): Self { Self(\(quoted(route.name.key))) }"])
    }

    /// The methods that show a route: what they are called with, and what they do.
    private func methods(
        _ route: RouteModel, isOutside: Bool
    ) -> [(name: String, head: String, body: String)] {
        let list = parameters(route.params, isOutside: isOutside, hasDefaults: false)
        let screen = "\(name).Screen" + call(route.name.name, route.params)
        return route.verbs.map { verb in
            let method = verb + route.name.name.capitalized
            guard verb == "ask", let answer = route.answer else {
                let body =
                    verb == "show" ? "self.navigate(to: \(screen))" : "self.present(\(screen))"
                return (method, "func \(method)(\(list))", body)
            }
            let type = type(answer, isOutside: isOutside)
            return (
                method, "func \(method)(\(list)) async throws(NavstateError) -> \(type)?",
                "try await self.ask(Question<\(name).Screen, \(type)>(\(screen)))"
            )
        }
    }

    func protocolCode(_ group: GroupModel) -> [String] {
        let heads = group.routes.flatMap { methods(model.routes[$0], isOutside: false).map(\.head) }
        return ["", "/// The destinations of the group \(group.name.key), and no others."]
            + block("@MainActor \(access)protocol \(group.name.name): \(group.parents)", heads)
    }

    var routers: [String] {
        guard !model.groups.isEmpty else { return [] }
        let functions = Set(model.groups.flatMap(\.routes)).sorted().flatMap { index in
            methods(model.routes[index], isOutside: true).flatMap {
                block(access + $0.head, [$0.body])
            }
        }
        return [""] + block("extension Router where Screen == \(name).Screen", functions)
            + model.groups.map {
                "extension Router: \(name).\($0.name.name) where Screen == \(name).Screen {}"
            }
    }

    // MARK: - Mocks

    /// Classes that record what a feature asks for, one for each group.
    func mocks() -> [String] {
        let module = options.module.map { ["@testable import \($0)"] } ?? []
        return ["import NavstateClient"] + module + model.groups.flatMap(mock)
    }

    private func mock(_ group: GroupModel) -> [String] {
        let routes = model.allRoutes(of: group).map { model.routes[$0] }
        var (cases, answers, functions) = ([String](), [String](), [String]())
        for route in routes {
            let list = parameters(route.params, isOutside: true, hasDefaults: false)
            if let answer = route.answer {
                let type = type(answer, isOutside: true)
                answers.append("var answerTo\(route.name.name.capitalized): \(type)?")
            }
            for method in methods(route, isOutside: true) {
                cases.append("case \(method.name)" + (list.isEmpty ? "" : "(\(list))"))
                let call = "self.calls.append(\(call(method.name, route.params)))"
                let isQuestion = method.name.hasPrefix("ask") && route.answer != nil
                functions += block(
                    method.head,
                    [call]
                        + (isQuestion ? ["return self.answerTo\(route.name.name.capitalized)"] : [])
                )
            }
        }
        let back = ["navigateBack", "navigateToRoot", "dismissSheet"]
        return ["", "/// Records the calls of a feature."]
            + block(
                "@MainActor final class \(group.name.name)Mock: \(name).\(group.name.name)",
                block("enum Call: Equatable", cases + ["case \(back.joined(separator: ", "))"])
                    + ["private(set) var calls: [Call] = []"] + answers + functions
                    + back.map { "func \($0)() { calls.append(.\($0)) }" })
    }
}
