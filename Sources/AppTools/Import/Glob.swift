internal import JSON

/// The wildcards of an `apple-app-site-association`: `*` for any text, `?` for one character, and
/// `$(name)` for a variable.
struct Glob {
    /// The variables that the file defines.
    let variables: JSONObject
    var ignoresCase = false
    /// The parts that pieces do not express, with their replacements.
    private(set) var lost: [String] = []

    mutating func pieces(_ text: String) -> [URLPiece] {
        var pieces: [URLPiece] = []
        var literal = ""
        var rest = text[...]
        func flush() {
            if !literal.isEmpty { pieces.append(.literal(literal)) }
            literal = ""
        }
        while let first = rest.unicodeScalars.first {
            if first == "*" || first == "?" {
                flush()
                let run = rest.unicodeScalars.prefix { $0 == "*" || $0 == "?" }
                pieces.append(Self.piece(run.count { $0 == "?" }, hasStar: run.contains("*")))
                rest = rest[run.endIndex...]
            } else if rest.hasPrefix("$("), let end = rest.firstIndex(of: ")") {
                flush()
                let name = rest[rest.index(rest.startIndex, offsetBy: 2)..<end]
                pieces.append(variable(String(name)))
                rest = rest[rest.utf8.index(after: end)...]
            } else {
                literal.unicodeScalars.append(first)
                rest = rest[rest.unicodeScalars.index(after: rest.startIndex)...]
            }
        }
        flush()
        return pieces
    }

    /// The piece that a run of `?` and `*` stands for.
    private static func piece(_ count: Int, hasStar: Bool) -> URLPiece {
        if hasStar { return .rest(minLength: count) }
        var schema = URLPiece.text
        schema.append("minLength", .integer(Int64(count)))
        schema.append("maxLength", .integer(Int64(count)))
        return .part(name: nil, schema: schema)
    }

    // MARK: - Variables

    /// The variables that every file has, each with the expression of its values.
    private static let predefined: [(name: String, values: String)] = [
        ("alpha", "[A-Za-z]"), ("upper", "[A-Z]"), ("lower", "[a-z]"), ("alnum", "[A-Za-z0-9]"),
        ("digit", "[0-9]"), ("xdigit", "[A-Fa-f0-9]"), ("lang", "[a-z]{2,3}"),
        ("region", "[A-Z]{2}"),
    ]

    private mutating func variable(_ name: String) -> URLPiece {
        // The file has one note for all variables of its own.
        if variables.contains(name) { return .part(name: name, schema: URLPiece.text) }
        guard var values = Self.predefined.first(where: { $0.name == name })?.values else {
            lost.append("$(\(name)) is not defined, and becomes a capture of any text in a segment")
            return .part(name: name, schema: URLPiece.text)
        }
        if ignoresCase {
            values = values.replacing("[A-Z]", with: "[A-Za-z]")
                .replacing("[a-z]", with: "[A-Za-z]")
        }
        // These two have hundreds of values, which change with the system.
        if name == "lang" { lost.append("$(lang) becomes a capture of any two or three letters") }
        if name == "region" { lost.append("$(region) becomes a capture of any two letters") }
        return .part(
            name: name,
            schema: ["type": .string("string"), "pattern": .string("^\(values)$")])
    }

    // MARK: - Query values

    /// The schema of a query value that has the form of these pieces.
    static func schema(_ pieces: [URLPiece]) -> JSONObject {
        if pieces.count == 1 {
            switch pieces[0] {
            case .rest(0): return URLPiece.text
            case .rest(let length): return notEmpty(minLength: length)
            case .part(_, let schema): return schema == URLPiece.text ? notEmpty() : schema
            case .literal: break
            }
        }
        let pattern = pieces.map(expression).joined()
        return ["type": .string("string"), "pattern": .string("^\(pattern)$")]
    }

    /// A query value can be empty, unlike a capture of a path.
    private static func notEmpty(minLength: Int = 1) -> JSONObject {
        ["type": .string("string"), "minLength": .integer(Int64(minLength))]
    }

    /// The regular expression of a piece.
    private static func expression(_ piece: URLPiece) -> String {
        switch piece {
        case .literal(let text): escaped(text)
        case .rest(0): ".*"
        case .rest(let length): ".{\(length),}"
        case .part(_, let schema):
            if case .string(let pattern)? = schema["pattern"] {
                String(pattern.dropFirst().dropLast())
            } else {
                schema["maxLength"].map { ".{\($0.text)}" } ?? ".+"
            }
        }
    }

    /// The text as a regular expression that matches it alone.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            if "^$\\.*+?()[]{}|/".unicodeScalars.contains(scalar) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
    }
}
