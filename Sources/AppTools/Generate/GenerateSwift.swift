internal import Bytes
internal import JSON
internal import Navigation

/// Writes the Swift of an app.
struct SwiftPrinter {
    let model: AppModel
    let options: GeneratedCode.Options

    var access: String { options.isPublic ? "public " : "" }
    /// Of types, also in modules whose declarations belong to the main actor.
    var free: String { access + "nonisolated " }
    var name: String { model.name }

    func code() -> [String] {
        let imports = (model.links.isEmpty ? [] : ["Foundation"]) + ["NavstateClient"]
        var body = screen + [""] + tab + [""] + facts
        if !model.guards.isEmpty { body += [""] + guards }
        body += model.types.flatMap { [""] + declaration($0) }
        if !model.links.isEmpty { body += [""] + links }
        body += model.groups.flatMap(protocolCode)
        if options.hasDocument { body += [""] + document }
        var lines = imports.map { "\(access)import \($0)" } + [""]
        lines += comment(["\(model.title): its screens, tabs, facts and links."])
        lines += block("\(free)enum \(name): AppNamespace", body) + [""] + extensionOfScreen
        return lines + model.routes.flatMap(question) + routers
    }

    // MARK: - Words

    func code(_ name: String) -> String { GeneratedLanguage.swift.code(name) }
    func quoted(_ text: String) -> String { text.quoted(.swift) }
    func comment(_ lines: [String]) -> [String] {
        lines.flatMap(\.commentLines).map { "/// " + $0 }
    }

    /// The name of a parameter, or of an argument. Most keywords can be one.
    func label(_ member: MemberModel, isCall: Bool = false) -> String {
        switch member.name {
        case "inout": "`inout`"
        case "let", "var": isCall ? member.name : "`\(member.name)`"
        default: member.name
        }
    }

    /// The name of a type.
    ///
    /// - Parameter isOutside: whether it is used outside of the namespace.
    func type(_ type: ValueType, isOutside: Bool = false) -> String {
        switch type {
        case .string: "String"
        case .integer: "Int"
        case .number: "Double"
        case .boolean: "Bool"
        case .named(let type): isOutside ? "\(name).\(code(type))" : code(type)
        case .list(let item): "[\(self.type(item, isOutside: isOutside))]"
        case .map(let value): "[String: \(self.type(value, isOutside: isOutside))]"
        case .optional(let type): self.type(type, isOutside: isOutside) + "?"
        case .union, .any: "JSONValue"
        }
    }

    /// A value of a type, which it fits.
    private func value(_ value: JSON, _ type: ValueType) -> String {
        switch (type, value) {
        case (.optional(let type), _):
            // The case of that name would be taken for a missing value.
            if value == .null {
                "nil"
            } else {
                self.value(value, type) == ".none" ? ".some(.none)" : self.value(value, type)
            }
        case (.integer, .double(let number)): String(Int64(number))
        case (.list(let type), _):
            "[" + value.items.map { self.value($0, type) }.joined(separator: ", ") + "]"
        case (.map(let type), .object(let object)):
            "["
                + (object.isEmpty
                    ? ":"
                    : object.members.map {
                        "\(quoted($0.key)): \(self.value($0.value, type))"
                    }.joined(separator: ", ")) + "]"
        case (.named(let name), _):
            switch model.type(name) {
            case .alias(let type)?: self.value(value, type)
            case .choice(let names)?:
                "." + code(names.first { $0.key == value.string }?.name ?? "")
            case .record(let members)?: ".init(" + arguments(members, value.object) + ")"
            case nil: "nil"
            }
        case (.any, _), (.union, _): json(value)
        case (.string, _), (.integer, _), (.number, _), (.boolean, _), (.map, _):
            value.string.map(quoted) ?? value.text
        }
    }

    func json(_ value: JSON) -> String {
        switch value {
        case .null: "JSONValue.null"
        case .bool: "JSONValue.bool(\(value.text))"
        case .integer: "JSONValue.integer(\(value.text))"
        case .double: "JSONValue.number(\(value.text))"
        case .string(let text): "JSONValue.string(\(quoted(text)))"
        case .array(let items):
            "JSONValue.array([\(items.map(json).joined(separator: ", "))])"
        case .object: "JSONValue.object(\(self.value(value, .map(.any))))"
        }
    }

    private func arguments(_ members: [MemberModel], _ values: JSONObject) -> String {
        members.compactMap { member in
            values[member.key].map {
                "\(label(member, isCall: true)): \(value($0, member.fullType))"
            }
        }.joined(separator: ", ")
    }

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

    private func fallback(_ member: MemberModel) -> String? {
        if let value = member.fallback { return self.value(value, member.fullType) }
        return member.isOptional ? "nil" : nil
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
        body += codingKeys("CodingKeys", model.routes.map { ($0.name.name, $0.name.key) })
        for route in model.routes {
            body += codingKeys(
                route.name.name.capitalized + "CodingKeys", route.params.map { ($0.name, $0.key) })
        }
        return ["/// Every screen of the app."]
            + block("\(free)enum Screen: AppScreen, Codable", body)
    }

    private var tab: [String] {
        func property(
            _ name: String, type: String, _ value: (TabModel) -> String
        ) -> [String] {
            switched(name, type: type, model.tabs.map { (".\(code($0.name.name))", value($0)) })
        }
        let titles = property("title", type: "String?") { $0.tab.title.map(quoted) ?? "nil" }
        let icons = property("icon", type: "String?") { $0.tab.icon.map(quoted) ?? "nil" }
        let roots = property("root", type: "Screen") { tab in
            let route = model.routes[tab.root]
            let list = arguments(route.params, tab.tab.root.params.object)
            return ".\(code(route.name.name))" + (route.params.isEmpty ? "" : "(\(list))")
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
        switch declared.form {
        case .alias(let type):
            return comment(declared.notes) + ["\(access)typealias \(name) = \(self.type(type))"]
        case .choice(let names):
            return comment(declared.notes)
                + block(
                    "\(free)enum \(name): String, Codable, CaseIterable, Sendable", cases(names))
        case .record(let members):
            return comment(declared.notes)
                + block(
                    "\(free)struct \(name): Codable, Hashable, Sendable", record(members))
        }
    }

    private func record(_ members: [MemberModel]) -> [String] {
        var body = members.flatMap { member in
            comment(member.notes)
                + ["\(access)var \(code(member.name)): \(type(member.fullType))"]
        }
        let hasDefaults = members.contains { $0.fallback != nil }
        body += codingKeys(
            "CodingKeys", members.map { ($0.name, $0.key) }, always: hasDefaults)
        body += block(
            "\(access)init(\(parameters(members)))",
            members.map { "self.\(code($0.name)) = \(code($0.name))" })
        guard hasDefaults else { return body }
        return body
            + block(
                "\(access)init(from decoder: any Decoder) throws",
                ["let members = try decoder.container(keyedBy: CodingKeys.self)"]
                    + members.map { member in
                        let whole = type(member.fullType.present)
                        let isThere =
                            member.fallback == nil && !member.isOptional
                            && member.fullType == member.fullType.present
                        let read = isThere ? "decode" : "decodeIfPresent"
                        let key = "forKey: .\(code(member.name))"
                        let rest = member.fallback.map { " ?? \(value($0, member.fullType))" } ?? ""
                        return
                            "self.\(code(member.name)) = try members.\(read)(\(whole).self, \(key))"
                            + rest
                    })
    }
}
