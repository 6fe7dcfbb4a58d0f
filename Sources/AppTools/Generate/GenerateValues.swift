internal import Bytes
internal import JSON
internal import Navigation

/// Writes the names, types and values of an app in a language.
protocol CodePrinter {
    var model: AppModel { get }
    var language: GeneratedLanguage { get }
}

extension CodePrinter {
    var name: String { model.name }

    func code(_ name: String) -> String { language.code(name) }
    func quoted(_ text: String) -> String { text.quoted(language) }
    /// The text as a literal, or the language's word for a missing value.
    func quoted(_ text: String?) -> String { text.map(quoted) ?? null }

    private var null: String { pick("nil", "null") }

    /// The text for the language. TypeScript gets that of Kotlin, unless it has its own.
    ///
    /// The other texts are not made: each of them may contain that of a nested type.
    private func pick(
        _ swift: @autoclosure () -> String, _ kotlin: @autoclosure () -> String,
        typescript: @autoclosure () -> String? = nil
    ) -> String {
        language.isSwift ? swift() : language.isKotlin ? kotlin() : typescript() ?? kotlin()
    }

    /// The lines as comments: one for each line in Swift, one for all of them elsewhere.
    func comment(_ lines: [String]) -> [String] {
        let lines = lines.flatMap(\.commentLines)
        if language.isSwift { return lines.map { "/// " + $0 } }
        return lines.isEmpty ? [] : ["/** " + lines.joined(separator: " ") + " */"]
    }

    /// The name of a type.
    ///
    /// - Parameter isOutside: whether it is used outside of the namespace.
    func type(_ type: ValueType, isOutside: Bool = false) -> String {
        func part(_ type: ValueType) -> String { self.type(type, isOutside: isOutside) }
        return switch type {
        case .string: pick("String", "String", typescript: "string")
        case .integer: pick("Int", "Long", typescript: "number")
        case .number: pick("Double", "Double", typescript: "number")
        case .boolean: pick("Bool", "Boolean", typescript: "boolean")
        case .named(let type): isOutside ? "\(name).\(code(type))" : code(type)
        case .list(let item):
            pick(
                "[\(part(item))]", "List<\(part(item))>",
                typescript: "ReadonlyArray<\(part(item))>")
        case .map(let item):
            pick(
                "[String: \(part(item))]", "Map<String, \(part(item))>",
                typescript: "Record<string, \(part(item))>")
        case .optional(let type): part(type) + pick("?", "?", typescript: " | null")
        case .union(let types) where language.isTypeScript:
            types.map(part).joined(separator: " | ")
        case .union, .any: language.anyType
        }
    }

    /// A value of a type that it fits. The code for TypeScript contains no values.
    func value(_ value: JSON, _ type: ValueType) -> String {
        switch (type, value) {
        case (.optional, .null): return null
        case (.optional(let type), _):
            let text = self.value(value, type)
            // The case of that name would be taken for a missing value, in each optional.
            return text == ".none" || text.hasPrefix(".some(") ? ".some(\(text))" : text
        case (.integer, .integer): return integer(value.text)
        case (.integer, .double(let number)):
            return integer(Int64(exactly: number).map { String($0) } ?? value.text)
        case (.number, .integer) where language.isKotlin: return value.text + ".0"
        case (.list(let type), _):
            let items = value.items.map { self.value($0, type) }.joined(separator: ", ")
            return pick("[\(items)]", "listOf(\(items))")
        case (.map(let type), _):
            let items = value.object.members.map {
                quoted($0.key) + pick(": ", " to ") + self.value($0.value, type)
            }.joined(separator: ", ")
            return pick(items.isEmpty ? "[:]" : "[\(items)]", "mapOf(\(items))")
        case (.named(let name), _):
            switch model.type(name) {
            case .alias(let type)?: return self.value(value, type)
            case .choice(let names)?:
                let chosen = names.first { $0.key == value.string }?.name ?? ""
                return "\(pick("", name)).\(code(chosen))"
            case .record(let members)?:
                return pick(".init", name) + "(\(arguments(members, value.object)))"
            case nil: return null
            }
        case (.any, _), (.union, _):
            return language.isSwift
                ? json(value) : "Json.parseToJsonElement(\(quoted(value.text)))"
        case (.string, _), (.integer, _), (.number, _), (.boolean, _):
            return value.string.map(quoted) ?? value.text
        }
    }

    private func integer(_ text: String) -> String {
        // Kotlin reads the digits without the sign, and as a Long these would be too large.
        language.isKotlin && text == String(Int64.min)
            ? "\(Int64.min + 1)L - 1L" : text + pick("", "L")
    }

    /// A value of any type, in Swift.
    func json(_ value: JSON) -> String {
        switch value {
        case .null: "JSONValue.null"
        case .bool: "JSONValue.bool(\(value.text))"
        case .integer: "JSONValue.integer(\(value.text))"
        case .double: "JSONValue.number(\(value.text))"
        case .string(let text): "JSONValue.string(\(quoted(text)))"
        case .array: "JSONValue.array(\(self.value(value, .list(.any))))"
        case .object: "JSONValue.object(\(self.value(value, .map(.any))))"
        }
    }

    /// The members that have a value.
    func arguments(_ members: [MemberModel], _ values: JSONObject) -> String {
        members.compactMap { member in
            values[member.key].map {
                label(member, isCall: true) + pick(": ", " = ") + value($0, member.fullType)
            }
        }.joined(separator: ", ")
    }

    /// The name of a parameter, or of an argument. In Swift most keywords can be one.
    func label(_ member: MemberModel, isCall: Bool = false) -> String {
        guard language.isSwift else { return code(member.name) }
        switch member.name {
        case "inout": return "`inout`"
        case "let", "var": return isCall ? member.name : "`\(member.name)`"
        default: return member.name
        }
    }

    /// The default of a member, if it may be left out.
    func fallback(_ member: MemberModel) -> String? {
        if let value = member.fallback { return self.value(value, member.fullType) }
        return member.isOptional ? null : nil
    }

    /// The screen at the root of a tab.
    func root(of tab: TabModel, _ screen: (RouteModel) -> String) -> String {
        let route = model.routes[tab.root]
        let list = arguments(route.params, tab.tab.root.params.object)
        return screen(route) + (route.params.isEmpty ? "" : "(\(list))")
    }
}
