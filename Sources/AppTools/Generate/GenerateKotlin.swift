internal import Bytes
internal import JSON
internal import Navigation

/// Writes the Kotlin of an app. No compiler has read it yet.
struct KotlinPrinter: CodePrinter {
    let model: AppModel
    let options: GeneratedCode.Options
    let language = GeneratedLanguage.kotlin

    func code() -> [String] {
        var lines = (options.module.map { ["package \($0)", ""] } ?? []) + Self.head
        lines += model.types.flatMap { comment($0.notes) + declaration($0) + [""] }
        lines += block(
            "@Serializable sealed interface \(name)Screen : NavKey", model.routes.flatMap(screen))
        lines += property("title", type: "String?") { quoted($0.route.texts.fixedTitle) }
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

    private func parameters(_ members: [MemberModel], prefix: String = "") -> String {
        members.map { member in
            let isSerial = !prefix.isEmpty && member.name != member.key
            return (isSerial ? "@SerialName(\(quoted(member.key))) " : "")
                + "\(prefix)\(code(member.name)): \(type(member.fullType))"
                + (fallback(member).map { " = \($0)" } ?? "")
        }.joined(separator: ", ")
    }

    private func constants(_ names: [NameModel]) -> [String] {
        names.map { "@SerialName(\(quoted($0.key))) \(code($0.name))," }
    }

    private func declaration(_ declared: TypeModel) -> [String] {
        switch declared.form {
        case .alias(let type): ["typealias \(declared.name) = \(self.type(type))"]
        case .choice(let names):
            block("@Serializable enum class \(declared.name)", constants(names))
        case .record(let members): [data("class \(declared.name)", members)]
        }
    }

    /// A class of members. A data class must have one at least.
    private func data(_ head: String, _ members: [MemberModel]) -> String {
        "@Serializable \(members.isEmpty ? "" : "data ")\(head)"
            + "(\(parameters(members, prefix: "val ")))"
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
            let root = root(of: tab) { "\(name)Screen.\(code($0.name.name.capitalized))" }
            return "\(code(tab.name.name))(\(quoted(tab.name.key)), \(quoted(tab.tab.title)), "
                + "\(quoted(tab.tab.icon)), \(root)),"
        }
        let head = "val id: String, val title: String?, val icon: String?, val root: \(name)Screen"
        return [""] + block("enum class \(name)Tab(\(head))", constants)
    }

    private var facts: [String] {
        let members = model.facts.map { fact in
            var fact = fact
            fact.isRequired = false
            return fact
        }
        return [data("class \(name)Facts", members)]
    }

    private var guards: [String] {
        let constants = model.guards.map { item in
            let tests = item.conditions.map { fact, values in
                let list = values.filter { model.fits($0, fact.type) }
                    .map { value($0, fact.type) }.joined(separator: ", ")
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
        return ["", "/** The destinations of the group \(group.name.key), and no others. */"]
            + block("interface \(group.name.name) : \(group.parents)", methods)
    }

    private var links: [String] {
        let helpers = [
            "private fun `$text`(value: Any): String =",
            "    if (value is Double) java.math.BigDecimal(value.toString()).toPlainString()",
            "        .let { if ('.' in it) it else it + \".0\" }",
            "    else value.toString()",
            "private fun `$segment`(value: Any): String = `$text`(value).toByteArray()",
            "    .joinToString(\"\") { byte ->",
            "        val mark = byte.toInt().toChar()",
            "        val isPlain = byte > 0 && (mark.isLetterOrDigit() || mark in \"-._~\")",
            "        if (isPlain) mark.toString() else \"%%%02X\".format(byte)",
            "    }",
            "private fun `$rest`(value: String): String =",
            "    value.split(\"/\").joinToString(\"/\") { `$segment`(it) }",
            "private fun `$query`(vararg items: Pair<String, Any?>): String =",
            "    items.flatMap { (key, value) ->",
            "        (if (value is List<*>) value else listOf(value)).mapNotNull { it?.let { key to it } }",
            "    }",
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
