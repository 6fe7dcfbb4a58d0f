internal import Bytes
internal import JSON
internal import Navigation

/// Writes the Swift of an app.
struct SwiftPrinter: CodePrinter {
    let model: AppModel
    let options: GeneratedCode.Options
    let language = GeneratedLanguage.swift

    var access: String { options.isPublic ? "public " : "" }
    /// Of types, also in modules whose declarations belong to the main actor.
    var free: String { access + "nonisolated " }

    func code() -> [String] {
        let imports = (model.links.isEmpty ? [] : ["Foundation"]) + ["NavstateClient"]
        var body = screen + [""] + tab + [""] + facts
        if !model.guards.isEmpty { body += [""] + guards }
        body += model.types.flatMap { [""] + comment($0.notes) + declaration($0) }
        if !model.links.isEmpty { body += [""] + links }
        body += model.groups.flatMap(protocolCode)
        if options.hasDocument { body += [""] + document }
        var lines = imports.map { "\(access)import \($0)" } + [""]
        lines += comment(["\(model.title): its screens, tabs, facts and links."])
        lines += block("\(free)enum \(name): AppNamespace", body) + [""] + extensionOfScreen
        return lines + model.routes.flatMap(question) + routers
    }

    // MARK: - Words

    func parameters(
        _ members: [MemberModel], isOutside: Bool = false, hasDefaults: Bool = true
    ) -> String {
        members.map { member in
            let text =
                "\(label(member)): \(type(member.fullType, isOutside: isOutside))"
            guard hasDefaults else { return text }
            return text + (fallback(member).map { " = \($0)" } ?? "")
        }.joined(separator: ", ")
    }

    /// The case with its values, which have the names of the params.
    func call(_ name: String, _ members: [MemberModel]) -> String {
        let list = members.map { "\(label($0, isCall: true)): \(code($0.name))" }
        return ".\(code(name))" + (list.isEmpty ? "" : "(\(list.joined(separator: ", ")))")
    }

    private func codingKeys(
        _ name: String, _ keys: [(name: String, key: String)], always: Bool = false
    ) -> [String] {
        guard always || keys.contains(where: { $0.name != $0.key }) else { return [] }
        return block(
            "\(free)enum \(name): String, CodingKey",
            keys.map { "case \(code($0.name)) = \(quoted($0.key))" })
    }

    private func cases(_ names: [NameModel]) -> [String] {
        names.map { name in
            "case \(code(name.name))" + (name.name == name.key ? "" : " = \(quoted(name.key))")
        }
    }

    func switched(
        _ name: String, type: String, _ values: [(pattern: String, value: String)]
    ) -> [String] {
        block("\(access)var \(name): \(type)", choose(values))
    }

    // MARK: - The namespace

    private var screen: [String] {
        var body = model.routes.flatMap { route in
            comment(route.summary + route.notes)
                + [
                    "case \(code(route.name.name))"
                        + (route.params.isEmpty ? "" : "(\(parameters(route.params)))")
                ]
        }
        let tellsNull = model.routes.contains { $0.params.contains(where: model.tellsNull) }
        body += codingKeys(
            "CodingKeys", model.routes.map { ($0.name.name, $0.name.key) }, always: tellsNull)
        for route in model.routes {
            body += codingKeys(
                route.name.name.capitalized + "CodingKeys", route.params.map { ($0.name, $0.key) },
                always: tellsNull && !route.params.isEmpty)
        }
        return ["/// Every screen of the app."]
            + block(
                "\(free)enum Screen: AppScreen, Codable",
                body + (tellsNull ? encodingOfScreen : []))
    }

    /// Writes a nil where null is a value. The function that the compiler makes leaves it out.
    private var encodingOfScreen: [String] {
        let cases = model.routes.flatMap { route in
            let own = code(route.name.name)
            guard !route.params.isEmpty else {
                return [
                    "case .\(own): _ = screen.nestedContainer(keyedBy: CodingKeys.self, "
                        + "forKey: .\(own))"
                ]
            }
            let values = route.params.indices.map { "let value\($0)" }.joined(separator: ", ")
            let keys = route.name.name.capitalized + "CodingKeys"
            return [
                "case .\(own)(\(values)):",
                "    var params = screen.nestedContainer(keyedBy: \(keys).self, forKey: .\(own))",
            ]
                + route.params.enumerated().map { index, param in
                    "    " + encoding(of: param, as: "value\(index)", to: "params")
                }
        }
        return block(
            "\(access)func encode(to encoder: any Encoder) throws",
            ["var screen = encoder.container(keyedBy: CodingKeys.self)", "switch self {"]
                + cases + ["}"])
    }

    private func encoding(of member: MemberModel, as value: String, to container: String) -> String
    {
        let method = member.isOptional ? "encodeIfPresent" : "encode"
        return "try \(container).\(method)(\(value), forKey: .\(code(member.name)))"
    }

    private var tab: [String] {
        func property(
            _ name: String, type: String, _ value: (TabModel) -> String
        ) -> [String] {
            switched(name, type: type, model.tabs.map { (".\(code($0.name.name))", value($0)) })
        }
        let titles = property("title", type: "String?") { quoted($0.tab.title) }
        let icons = property("icon", type: "String?") { quoted($0.tab.icon) }
        let roots = property("root", type: "Screen") { tab in
            root(of: tab) { ".\(code($0.name.name))" }
        }
        return ["/// The tabs."]
            + block(
                "\(free)enum Tab: String, AppTab",
                cases(model.tabs.map(\.name)) + titles + icons + roots)
    }

    private var facts: [String] {
        let body = model.facts.flatMap { fact in
            comment(fact.notes)
                + [
                    "\(access)var \(code(fact.name)): \(type(fact.type)) = "
                        + value(fact.fallback ?? .null, fact.type)
                ]
        }
        return ["/// The facts that guards check."]
            + block(
                "\(free)struct Facts: AppFacts",
                body + codingKeys("CodingKeys", model.facts.map { ($0.name, $0.key) })
                    + ["\(access)init() {}"])
    }

    private var guards: [String] {
        let holds = model.guards.map { item in
            let tests = item.conditions.map { fact, values in
                let texts = values.filter { model.fits($0, fact.type) }
                    .map { value($0, fact.type) }
                return texts.count == 1
                    ? "facts.\(code(fact.name)) == \(texts[0])"
                    : "[\(texts.joined(separator: ", "))].contains(facts.\(code(fact.name)))"
            }
            return (".\(code(item.name.name))", tests.joined(separator: " && "))
        }
        return ["/// The guards."]
            + block(
                "\(free)enum Guard: String, CaseIterable, Sendable",
                cases(model.guards.map(\.name))
                    + block("\(access)func holds(_ facts: Facts) -> Bool", choose(holds)))
    }

    private func declaration(_ declared: TypeModel) -> [String] {
        let name = code(declared.name)
        return switch declared.form {
        case .alias(let type): ["\(access)typealias \(name) = \(self.type(type))"]
        case .choice(let names):
            block("\(free)enum \(name): String, Codable, CaseIterable, Sendable", cases(names))
        case .record(let members):
            block("\(free)struct \(name): Codable, Hashable, Sendable", record(members))
        }
    }

    private func record(_ members: [MemberModel]) -> [String] {
        var body = members.flatMap { member in
            comment(member.notes)
                + ["\(access)var \(code(member.name)): \(type(member.fullType))"]
        }
        let hasDefaults = members.contains { $0.fallback != nil }
        let tellsNull = members.contains(where: model.tellsNull)
        body += codingKeys(
            "CodingKeys", members.map { ($0.name, $0.key) }, always: hasDefaults || tellsNull)
        body += block(
            "\(access)init(\(parameters(members)))",
            members.map { "self.\(code($0.name)) = \(code($0.name))" })
        if tellsNull {
            body += block(
                "\(access)func encode(to encoder: any Encoder) throws",
                ["var members = encoder.container(keyedBy: CodingKeys.self)"]
                    + members.map {
                        encoding(of: $0, as: "self.\(code($0.name))", to: "members")
                    })
        }
        guard hasDefaults else { return body }
        return body
            + block(
                "\(access)init(from decoder: any Decoder) throws",
                ["let members = try decoder.container(keyedBy: CodingKeys.self)"]
                    + members.map { "self.\(code($0.name)) = \(decoding(of: $0))" })
    }

    /// The value of a member, or its default if it is missing.
    private func decoding(of member: MemberModel) -> String {
        let key = ".\(code(member.name))"
        let whole = type(member.fullType.present)
        guard let value = member.fallback.map({ value($0, member.fullType) }) else {
            let isThere = !member.isOptional && member.fullType == member.fullType.present
            let read = isThere ? "decode" : "decodeIfPresent"
            return "try members.\(read)(\(whole).self, forKey: \(key))"
        }
        guard model.tellsNull(member) else {
            return "try members.decodeIfPresent(\(whole).self, forKey: \(key)) ?? \(value)"
        }
        return "try members.contains(\(key)) "
            + "? members.decode(\(type(member.fullType)).self, forKey: \(key)) : \(value)"
    }
}
