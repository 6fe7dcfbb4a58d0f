internal import Bytes
internal import JSON
internal import Navigation

/// Writes the Kotlin of an app. No compiler has read it yet.
struct KotlinPrinter {
    let model: AppModel
    let options: GeneratedCode.Options

    private var name: String { model.name }

    func code() -> [String] {
        var lines = (options.module.map { ["package \($0)", ""] } ?? []) + Self.head
        lines += model.types.flatMap { declaration($0) + [""] }
        lines += block(
            "@Serializable sealed interface \(name)Screen : NavKey", model.routes.flatMap(screen))
        lines += property("title", type: "String?") { route in
            route.route.texts.fixedTitle.map(quoted) ?? "null"
        }
        lines += property("hidesTabBar", type: "Boolean") {
            $0.route.hidesTabBar ? "true" : "false"
        }
        lines += tabs + [""] + facts
        if !model.guards.isEmpty { lines += [""] + guards }
        lines += model.groups.flatMap(routing)
        return lines + (model.links.isEmpty ? [] : [""] + links)
    }

    private static let head = [
        "import androidx.navigation3.runtime.NavKey", "import kotlinx.serialization.SerialName",
        "import kotlinx.serialization.Serializable", "import kotlinx.serialization.json.Json",
        "import kotlinx.serialization.json.JsonElement", "",
        "/** A screen that asks for an answer. */", "interface Question<Answer>", "",
        "/** The ways back. */", "interface AppRouting {", "    fun navigateBack()",
        "    fun navigateToRoot()", "    fun dismissSheet()", "}", "",
    ]

    private func code(_ name: String) -> String { GeneratedLanguage.kotlin.code(name) }
    private func quoted(_ text: String) -> String { text.quoted(.kotlin) }

    private func comment(_ lines: [String]) -> [String] {
        let lines = lines.flatMap(\.commentLines)
        return lines.isEmpty ? [] : ["/** " + lines.joined(separator: " ") + " */"]
    }

    private func type(_ type: ValueType) -> String {
        switch type {
        case .string: "String"
        case .integer: "Long"
        case .number: "Double"
        case .boolean: "Boolean"
        case .named(let name): name
        case .list(let item): "List<\(self.type(item))>"
        case .map(let value): "Map<String, \(self.type(value))>"
        case .optional(let type): self.type(type) + "?"
        case .union, .any: "JsonElement"
        }
    }

    private func value(_ value: JSON, _ type: ValueType) -> String {
        switch (type, value) {
        case (.optional(let type), _): return value == .null ? "null" : self.value(value, type)
        case (.integer, .double(let number)): return String(Int64(number))
        case (.number, .integer): return value.text + ".0"
        case (.list(let type), _):
            return "listOf(\(value.items.map { self.value($0, type) }.joined(separator: ", ")))"
        case (.map(let type), _):
            let items = value.object.members.map {
                "\(quoted($0.key)) to \(self.value($0.value, type))"
            }
            return "mapOf(\(items.joined(separator: ", ")))"
        case (.named(let name), _):
            switch model.type(name) {
            case .alias(let type)?: return self.value(value, type)
            case .choice(let names)?:
                return "\(name).\(names.first { $0.key == value.string }?.name ?? "")"
            case .record(let members)?: return "\(name)(\(arguments(members, value.object)))"
            case nil: return "null"
            }
        case (.any, _), (.union, _): return "Json.parseToJsonElement(\(quoted(value.text)))"
        case (.string, _), (.integer, _), (.number, _), (.boolean, _):
            return value.string.map(quoted) ?? value.text
        }
    }

    private func arguments(_ members: [MemberModel], _ values: JSONObject) -> String {
        members.compactMap { member in
            values[member.key].map { "\(code(member.name)) = \(value($0, member.fullType))" }
        }.joined(separator: ", ")
    }

    private func parameters(_ members: [MemberModel], prefix: String = "") -> String {
        members.map { member in
            let fallback =
                member.fallback.map { value($0, member.fullType) }
                ?? (member.isOptional ? "null" : nil)
            let isSerial = !prefix.isEmpty && member.name != member.key
            return (isSerial ? "@SerialName(\(quoted(member.key))) " : "")
                + "\(prefix)\(code(member.name)): \(type(member.fullType))"
                + (fallback.map { " = \($0)" } ?? "")
        }.joined(separator: ", ")
    }

    private func constants(_ names: [NameModel]) -> [String] {
        names.map { "@SerialName(\(quoted($0.key))) \(code($0.name))," }
    }

    private func declaration(_ declared: TypeModel) -> [String] {
        switch declared.form {
        case .alias(let type):
            comment(declared.notes) + ["typealias \(declared.name) = \(self.type(type))"]
        case .choice(let names):
            comment(declared.notes)
                + block("@Serializable enum class \(declared.name)", constants(names))
        case .record(let members):
            comment(declared.notes) + [
                "@Serializable \(members.isEmpty ? "" : "data ")class \(declared.name)"
                    + "(\(parameters(members, prefix: "val ")))"
            ]
        }
    }

    private func screen(_ route: RouteModel) -> [String] {
        let question = route.answer.map { ", Question<\(type($0))>" } ?? ""
        let head = "@Serializable @SerialName(\(quoted(route.name.key))) data "
        let own = code(route.name.name.capitalized)
        return comment(route.summary + route.notes) + [
            route.params.isEmpty
                ? "\(head)object \(own) : \(name)Screen\(question)"
                : "\(head)class \(own)(\(parameters(route.params, prefix: "val ")))"
                    + " : \(name)Screen\(question)"
        ]
    }

    private func property(
        _ property: String, type: String, _ value: (RouteModel) -> String
    ) -> [String] {
        let cases = model.routes.map {
            "is \(name)Screen.\(code($0.name.name.capitalized)) -> \(value($0))"
        }
        return [""] + block("val \(name)Screen.\(property): \(type) get() = when (this)", cases)
    }

    private var tabs: [String] {
        let constants = model.tabs.map { tab in
            let route = model.routes[tab.root]
            let list = arguments(route.params, tab.tab.root.params.object)
            let root =
                "\(name)Screen.\(code(route.name.name.capitalized))"
                + (route.params.isEmpty ? "" : "(\(list))")
            let texts = [tab.tab.title, tab.tab.icon].map { $0.map(quoted) ?? "null" }
            return "\(code(tab.name.name))(\(quoted(tab.name.key)), "
                + "\(texts.joined(separator: ", ")), \(root)),"
        }
        let head = "val id: String, val title: String?, val icon: String?, val root: \(name)Screen"
        return [""] + block("enum class \(name)Tab(\(head))", constants)
    }

    private var facts: [String] {
        let members = parameters(
            model.facts.map { fact in
                var fact = fact
                fact.isRequired = false
                return fact
            }, prefix: "val ")
        return [
            "@Serializable \(model.facts.isEmpty ? "" : "data ")class \(name)Facts(\(members))"
        ]
    }

    private var guards: [String] {
        let constants = model.guards.map { item in
            let tests = item.conditions.map { fact, values in
                let list = values.map { value($0, fact.type) }.joined(separator: ", ")
                return "it.\(code(fact.name)) in listOf(\(list))"
            }
            let key = item.name.key
            return "\(code(key.constant))(\(quoted(key)), { \(tests.joined(separator: " && ")) }),"
        }
        return block(
            "enum class \(name)Guard(val id: String, val holds: (\(name)Facts) -> Boolean)",
            constants)
    }

    private func routing(_ group: GroupModel) -> [String] {
        let methods = group.routes.map { model.routes[$0] }.flatMap { route in
            route.verbs.map { verb in
                let head = "fun \(verb)\(route.name.name.capitalized)(\(parameters(route.params)))"
                guard verb == "ask", let answer = route.answer else { return head }
                return "suspend \(head): \(type(answer))?"
            }
        }
        let parents = group.groups.isEmpty ? "AppRouting" : group.groups.joined(separator: ", ")
        return ["", "/** The destinations of the group \(group.name.key), and no others. */"]
            + block("interface \(group.name.name) : \(parents)", methods)
    }

    private var links: [String] {
        let helpers = [
            "private fun `$segment`(value: Any): String = value.toString().toByteArray()",
            "    .joinToString(\"\") { byte ->",
            "        val mark = byte.toInt().toChar()",
            "        val isPlain = byte > 0 && (mark.isLetterOrDigit() || mark in \"-._~\")",
            "        if (isPlain) mark.toString() else \"%%%02X\".format(byte)",
            "    }",
            "private fun `$rest`(value: String): String =",
            "    value.split(\"/\").joinToString(\"/\") { `$segment`(it) }",
            "private fun `$query`(vararg items: Pair<String, Any?>): String =",
            "    items.mapNotNull { (key, value) -> value?.let { key to it } }",
            "        .joinToString(\"&\") { `$segment`(it.first) + \"=\" + `$segment`(it.second) }",
            "        .let { if (it.isEmpty()) \"\" else \"?\" + it }",
        ]
        return block(
            "object \(name)Links",
            helpers
                + model.links.flatMap { link in
                    comment([link.pattern]) + [
                        "fun \(code(link.name))(\(parameters(link.captures))): String ="
                            + " \(link.expression(.kotlin))"
                    ]
                })
    }
}
