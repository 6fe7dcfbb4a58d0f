internal import Bytes
internal import JSON
internal import Navigation

/// Writes the TypeScript of an app: types, and functions for its links.
struct TypeScriptPrinter: CodePrinter {
    let model: AppModel
    let language = GeneratedLanguage.typescript

    func code() -> [String] {
        var lines = model.types.flatMap { comment($0.notes) + declaration($0) }
        lines += ["/** The params of each route. */"]
        lines += block(
            "export interface \(name)Params",
            model.routes.map { route in
                let body = route.params.map { member($0, hasDefaults: true) }.joined(
                    separator: "; ")
                let type = body.isEmpty ? "Record<string, never>" : "{ \(body) }"
                return "\(key(route.name.key)): \(type);"
            })
        lines += ["/** The answers to questions. */"]
        lines += block(
            "export interface \(name)Results",
            model.routes.compactMap { route in
                route.answer.map { "\(key(route.name.key)): \(type($0));" }
            })
        lines += block(
            "export interface \(name)Facts",
            model.facts.map { "\(key($0.key)): \(type($0.type));" })
        lines += ["/** For `client.session<\(name)>(id)`. */"]
        let push = model.routes.filter(\.route.presentation.allowsPush).map(\.name.key)
        let present = model.routes.filter { !$0.route.presentation.styles.isEmpty }
        let defaults = model.routes.compactMap { route -> String? in
            let names = route.params.filter { $0.fallback != nil }.map(\.key)
            return names.isEmpty ? nil : "\(key(route.name.key)): \(literals(names))"
        }
        lines += block(
            "export interface \(name)",
            [
                "params: \(name)Params;", "results: \(name)Results;", "facts: \(name)Facts;",
                "/** The params that may be left out because they have a default. */",
                "defaults: {\(defaults.isEmpty ? "" : " \(defaults.joined(separator: "; ")) ")}",
                "tab: \(literals(model.tabs.map(\.name.key)));", "push: \(literals(push));",
                "present: \(literals(present.map(\.name.key)));",
            ])
        let screen = "{ route: R; params: \(name)Params[R] }"
        return lines + [
            "export type \(name)Screen = { [R in keyof \(name)Params]: \(screen) }"
                + "[keyof \(name)Params];"
        ]
    }

    private func literals(_ names: [String]) -> String {
        names.isEmpty ? "never" : names.map(quoted).joined(separator: " | ")
    }

    /// The name of a member, in quotation marks unless it is plain.
    private func key(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
        return isPlain && !name.isEmpty ? name : quoted(name)
    }

    /// - Parameter hasDefaults: whether the rules give the member its default if it is missing.
    private func member(_ member: MemberModel, hasDefaults: Bool) -> String {
        let isThere = member.isRequired || (hasDefaults && member.fallback != nil)
        return "\(key(member.key))\(isThere ? "" : "?"): \(type(member.type))"
    }

    private func declaration(_ declared: TypeModel) -> [String] {
        switch declared.form {
        case .alias(let type): ["export type \(declared.name) = \(self.type(type));"]
        case .choice(let names): ["export type \(declared.name) = \(literals(names.map(\.key)));"]
        case .record(let members):
            block(
                "export interface \(declared.name)",
                members.flatMap { comment($0.notes) + [member($0, hasDefaults: false) + ";"] })
        }
    }

    // MARK: - Links

    func links() -> [String] {
        if model.links.isEmpty { return ["export {};"] }
        return Self.helpers
            + model.links.flatMap { link in
                let parameters = link.captures.map { capture in
                    "\(code(capture.name))\(capture.isRequired ? "" : "?"): \(plain(capture.type))"
                }
                let list = parameters.joined(separator: ", ")
                return comment([link.pattern])
                    + block(
                        "export function \(code(link.name))(\(list)): string",
                        ["return \(link.expression(language));"])
            }
    }

    /// The type without the names of the other file.
    private func plain(_ type: ValueType) -> String {
        if case .list(let item) = type { return "ReadonlyArray<\(plain(item))>" }
        return model.choices(type).map { literals($0.map(\.key)) } ?? self.type(type)
    }

    /// Functions whose names no name of a document can have.
    private static let helpers = [
        "// A number as a plain decimal, without an exponent. Beyond 64 bits it is no integer.",
        "const $text = (value: unknown): string => {",
        "    const parts = /^(-?)(\\d+)\\.?(\\d*)e([+-]?\\d+)$/.exec(`${value}`);",
        "    if (typeof value !== \"number\") return `${value}`;",
        "    const end = Math.abs(value) < 2 ** 63 ? \"\" : \".0\";",
        "    if (parts === null) return `${value}${end}`;",
        "    const digits = parts[2] + parts[3], point = parts[2].length + +parts[4];",
        "    if (point <= 0) return `${parts[1]}0.${\"0\".repeat(-point)}${digits}`;",
        "    const whole = digits.padEnd(point, \"0\");",
        "    return parts[1] + whole.slice(0, point)",
        "        + (whole.length > point ? \".\" + whole.slice(point) : end);",
        "};",
        "const $segment = (value: unknown): string => globalThis.encodeURIComponent($text(value))",
        "    .replace(/[!'()*]/g, (mark) =>",
        "        \"%\" + mark.charCodeAt(0).toString(16).toUpperCase());",
        "const $rest = (value: string): string => value.split(\"/\").map($segment).join(\"/\");",
        "const $query = (items: [string, unknown][]): string => {",
        "    const texts = items.flatMap(([key, value]) =>",
        "        (value === undefined ? [] : [value].flat()).map((one) =>",
        "            $segment(key) + \"=\" + $segment(one)));",
        "    return texts.length > 0 ? \"?\" + texts.join(\"&\") : \"\";",
        "};",
    ]
}

extension LinkModel {
    /// The URL as a sum of texts.
    func expression(_ language: GeneratedLanguage) -> String {
        func text(_ piece: Piece, isQuery: Bool) -> String {
            switch piece {
            case .text(let text): return text.quoted(language)
            case .capture(let capture, let isRest):
                let name = language.code(capture.name)
                return isQuery ? name : "\(language.helper(isRest ? "rest" : "segment"))(\(name))"
            }
        }
        var terms: [String] = []
        for (index, part) in parts.enumerated() {
            if index > 0 { terms.append("\"#\"") }
            terms += part.path.map { text($0, isQuery: false) }
            guard !part.query.isEmpty else { continue }
            let items = part.query.map { item in
                let value = text(item.value, isQuery: true)
                return language.isKotlin
                    ? "\(item.key.quoted(language)) to \(value)"
                    : "[\(item.key.quoted(language)), \(value)]"
            }
            let list = items.joined(separator: ", ")
            let query =
                language.helper("query") + (language.isKotlin ? "(\(list))" : "([\(list)])")
            guard index > 0, part.path.isEmpty else {
                terms.append(query)
                continue
            }
            // A fragment that is empty would be none.
            terms.append(
                language.isKotlin ? query + ".ifEmpty { \"?\" }" : "(\(query) || \"?\")")
        }
        return terms.isEmpty ? "\"\"" : terms.joined(separator: " + ")
    }
}

extension GeneratedLanguage {
    /// A function of generated code, whose name no name of a document can be.
    func helper(_ name: String) -> String { self.isKotlin ? "`$\(name)`" : "$\(name)" }
}
