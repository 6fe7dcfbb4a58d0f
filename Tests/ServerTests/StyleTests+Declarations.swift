/// The needs of the checks of declarations: parameters and stored properties. It reads text, not
/// Swift, and knows the layout that `swift format` gives it.
extension StyleTests.Source {
    struct Declaration {
        var name: String
        /// Counted from 1.
        var line: Int
        var parameters: [String]
    }

    /// All functions and initializers with their parameters.
    var declarations: [Declaration] {
        var found: [Declaration] = []
        let code = code
        for (number, line) in code.enumerated() {
            let words = line.split(separator: " ").drop { Self.modifiers.contains(String($0)) }
            guard let first = words.first else { continue }
            let declared = first == "func" ? words.dropFirst().first : first
            guard first == "func" || first.hasPrefix("init(") || first.hasPrefix("init?("),
                let name = declared?.prefix(while: { !"(<".contains($0) })
            else { continue }
            let rest = [line.drop { $0 != "(" }] + code[(number + 1)...].map { $0[...] }
            found.append(
                Declaration(
                    name: String(name), line: number + 1, parameters: Self.parameters(rest)))
        }
        return found
    }

    /// The parts of a list in parentheses, which may have several lines.
    private static func parameters(_ lines: [Substring]) -> [String] {
        var (parts, depth, before): ([String], Int, Character) = ([""], 0, " ")
        for line in lines {
            for character in line {
                if "([{<".contains(character) { depth += 1 }
                if ")]}".contains(character) || character == ">" && before != "-" { depth -= 1 }
                if depth == 0 {
                    let trimmed = parts.map { String($0.drop { $0 == " " }) }
                    return trimmed.filter { !$0.isEmpty }
                }
                before = character
                if depth == 1, character == "," {
                    parts.append("")
                } else if depth > 1 || character != "(" {
                    parts[parts.count - 1].append(character)
                }
            }
            parts[parts.count - 1].append(" ")
        }
        return []
    }

    /// Whether the function that is declared there does more than assign.
    func decides(after line: Int) -> Bool {
        guard let function = functions.first(where: { $0.lines.lowerBound == line - 1 })
        else { return false }
        return code[function.lines].contains { line in
            line.split(separator: " ").first.map {
                ["guard", "if", "for", "while", "switch", "do"].contains($0)
            } ?? false
        }
    }

    /// The types with the number of their stored properties.
    var types: [(name: String, properties: Int)] {
        var found: [(name: String, properties: Int)] = []
        let code = code
        for (number, line) in code.enumerated() {
            let words = line.split(separator: " ").drop { Self.modifiers.contains(String($0)) }
            guard let kind = words.first, ["struct", "class", "actor"].contains(kind),
                line.hasSuffix("{"), let name = words.dropFirst().first
            else { continue }
            let indent = line.prefix { $0 == " " } + "    "
            let body = code[(number + 1)...].prefix { $0.isEmpty || $0.hasPrefix(indent) }
            let properties = body.filter { Self.isStored($0.dropFirst(indent.count)) }
            found.append((String(name), properties.count))
        }
        return found
    }

    private static func isStored(_ line: Substring) -> Bool {
        guard line.first != " " else { return false }
        let words = line.split(separator: " ")
        if words.contains("static") { return false }
        let access = ["private(set)", "fileprivate(set)", "let", "var", "weak", "lazy"]
        guard
            let kind = words.drop(while: {
                modifiers.contains(String($0)) && !access.contains(String($0))
                    || $0.hasSuffix("(set)") || $0 == "weak" || $0 == "lazy"
            }).first
        else { return false }
        // A computed property has its braces right behind its type.
        return kind == "let" || kind == "var" && (!line.hasSuffix("{") && !line.hasSuffix("}"))
            || kind == "var" && line.contains(" = ") && !line.contains("{ get")
    }
}
