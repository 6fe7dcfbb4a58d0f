internal import Bytes
internal import JSON

/// What the pages say about a problem: the file `problems.json` among the embedded files.
struct ProblemGuide {
    let kind: ProblemKind
    /// Why it happens.
    let cause: String
    /// What to do.
    let advice: String
    /// A curl line that has this problem as its answer. Empty if no single request leads to it.
    let request: String
    /// That answer, without the id of the request. Nil if there is no line.
    let answer: JSON?

    /// All problems in the order of the file, which is that of their statuses.
    static func all(in file: [UInt8]) -> [ProblemGuide] {
        guard case .array(let items) = try? JSON(parsing: file) else { return [] }
        return items.compactMap { item in
            guard case .object(let members) = item else { return nil }
            return ProblemGuide(members)
        }
    }

    private init?(_ members: JSONObject) {
        func text(_ name: String) -> String? {
            if case .string(let text) = members[name] { text } else { nil }
        }
        guard let kind = text("type").flatMap(ProblemKind.init(named:)),
            let cause = text("cause"), let advice = text("advice"), let request = text("request")
        else { return nil }
        self.kind = kind
        self.cause = cause
        self.advice = advice
        self.request = request
        if case .object(let answer) = members["answer"] {
            self.answer = .object(answer)
        } else {
            answer = nil
        }
    }
}

extension JSON {
    /// The value on several lines, for people.
    func indented(_ indent: String = "") -> String {
        let inner = indent + "  "
        switch self {
        case .null, .bool, .integer, .double, .string: return text
        case .array(let items):
            guard !items.isEmpty else { return "[]" }
            let lines = items.map { inner + $0.indented(inner) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
        case .object(let object):
            guard !object.members.isEmpty else { return "{}" }
            let lines = object.members.map { member in
                "\(inner)\(JSON.string(member.key).text): \(member.value.indented(inner))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        }
    }
}
