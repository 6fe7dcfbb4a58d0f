internal import Bytes

// Conditions on other parts of the same value, and keywords that check nothing.

extension SchemaCompiler {
    mutating func addConditions(_ words: JSONObjectIndex, to node: inout SchemaNode) {
        addBranches(words, to: &node)
        addContents(words, to: &node)
        addDependents(words, to: &node)
        node.unevaluated = words["unevaluatedProperties"].map {
            add($0, at: "unevaluatedProperties")
        }
    }

    /// `then` and `else` are compiled even without `if`, so that their problems are found.
    private mutating func addBranches(_ words: JSONObjectIndex, to node: inout SchemaNode) {
        let test = words["if"].map { add($0, at: "if") }
        let then = words["then"].map { add($0, at: "then") }
        let otherwise = words["else"].map { add($0, at: "else") }
        if let test {
            let condition = SchemaCondition(test: test, then: then, otherwise: otherwise)
            node.assertions.append(.condition(condition))
        } else {
            if then != nil { warn(at: "then", "has no effect without if") }
            if otherwise != nil { warn(at: "else", "has no effect without if") }
        }
    }

    private mutating func addContents(_ words: JSONObjectIndex, to node: inout SchemaNode) {
        let (least, most) = (count("minContains", words), count("maxContains", words))
        guard let schema = words["contains"] else { return }
        let contents = SchemaContents(
            node: add(schema, at: "contains"), least: least ?? 1, most: most)
        node.assertions.append(.contains(contents))
    }

    private mutating func addDependents(_ words: JSONObjectIndex, to node: inout SchemaNode) {
        guard let value = words["dependentRequired"] else { return }
        guard case .object(let object) = value else {
            return problem(
                at: "dependentRequired", "must be an object whose values are lists of names")
        }
        var dependents: [(name: String, required: [String])] = []
        pointer.append("dependentRequired")
        let lists = JSONObjectIndex(object)
        for member in object.members {
            if let names = names(member.key, lists) { dependents.append((member.key, names)) }
        }
        pointer.removeLast()
        if !dependents.isEmpty { node.assertions.append(.dependents(dependents)) }
    }

    // MARK: - Notes

    /// The names of the version of JSON Schema as which every schema is read.
    private static let versions = [
        "https://json-schema.org/draft/2020-12/schema",
        "https://json-schema.org/draft/2020-12/schema#",
    ]

    /// Checks the form of keywords that check nothing.
    mutating func checkNotes(_ words: JSONObjectIndex) {
        for word in ["title", "description", "format", "$comment"] { _ = string(word, words) }
        if let version = string("$schema", words),
            !Self.versions.contains(where: { $0 == version })
        {
            warn(at: "$schema", "is read as 2020-12")
        }
        _ = array("examples", words)
        for word in ["deprecated", "readOnly", "writeOnly"] {
            if let value = words[word], value.type != .boolean {
                problem(at: word, "must be true or false")
            }
        }
    }
}

extension JSONObject.Member {
    /// Whether the name is of those that are left to applications.
    public var isExtension: Bool { key.hasPrefix("x-") }
}
