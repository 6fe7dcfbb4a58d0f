internal import Bytes

extension SchemaCompiler {
    /// The supported keywords, besides those that begin with `x-`.
    private static let keywords = [
        "type", "enum", "const", "properties", "required", "additionalProperties",
        "patternProperties", "propertyNames", "minProperties", "maxProperties", "items",
        "prefixItems", "minItems", "maxItems", "uniqueItems", "minLength", "maxLength", "pattern",
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "allOf",
        "anyOf", "oneOf", "not", "$ref", "$defs", "default", "title", "description", "if", "then",
        "else", "dependentRequired", "contains", "minContains", "maxContains",
        "unevaluatedProperties", "$schema", "$comment", "format", "examples", "deprecated",
        "readOnly", "writeOnly",
    ]

    /// Keywords of JSON Schema that are not supported, which are not meant as names of members.
    private static let unsupportedKeywords = [
        "$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary", "definitions",
        "dependentSchemas", "dependencies", "unevaluatedItems", "additionalItems",
    ]

    /// Compiles the members of a schema object.
    ///
    /// - Parameter isTop: whether it is the whole schema.
    mutating func compileKeywords(_ object: JSONObject, isTop: Bool) -> SchemaNode {
        var node = SchemaNode()
        let words = JSONObjectIndex(object)
        addGeneral(words, to: &node)
        addNumbers(words, to: &node)
        addStrings(words, to: &node)
        addArrays(words, to: &node)
        addObjects(words, to: &node)
        addConditions(words, to: &node)
        checkNotes(words)
        node.defaultValue = words["default"]
        if let definitions = words["$defs"] {
            if !isTop {
                problem(at: "$defs", "is only supported at the top of a schema")
            } else if definitions.type != .object {
                problem(at: "$defs", "must be an object whose values are schemas")
            }
        }
        for member in object.members
        where !Self.knownKeywords.contains(ExactString(member.key)) && !member.isExtension {
            let (work, name) = (work, isTop ? pointer.steps.last : nil)
            problem(at: member.key, Self.unsupported(member, ofSchema: name, work))
        }
        return node
    }

    private static let knownKeywords = Set(keywords.map { ExactString($0) })

    /// - Parameter name: the name of the member that is the whole schema, if this is it.
    private static func unsupported(
        _ member: JSONObject.Member, ofSchema name: String?, _ work: WorkBudget
    ) -> String {
        let hint = Spelling.hint(for: member.key, among: keywords, work: work)
        // The nearest keyword to a name of two letters, such as `id`, is `if`.
        guard let name, case .object = member.value, hint.isEmpty || member.key.utf8.count < 3,
            !unsupportedKeywords.contains(where: { $0 == member.key })
        else {
            return "is not a supported keyword\(hint)"
        }
        return "is not a supported keyword; \(name) is a JSON Schema: put \(member.key.clipped) "
            + "under properties"
    }

    private mutating func addGeneral(_ words: JSONObjectIndex, to node: inout SchemaNode) {
        if let types = types(words) { node.assertions.append(.types(types)) }
        if let value = words["const"] {
            node.assertions.append(.enumeration(SchemaChoice([value])))
        }
        if let values = array("enum", words) {
            node.assertions.append(.enumeration(SchemaChoice(values)))
        }
        if let reference = string("$ref", words), let target = resolve(reference) {
            node.assertions.append(.reference(target))
        }
        if let nodes = schemas("allOf", words) { node.assertions.append(.all(nodes)) }
        if let nodes = schemas("anyOf", words) { node.assertions.append(.any(nodes)) }
        if let nodes = schemas("oneOf", words) { node.assertions.append(.one(nodes)) }
        if let schema = words["not"] { node.assertions.append(.not(add(schema, at: "not"))) }
    }

    private mutating func addNumbers(_ words: JSONObjectIndex, to node: inout SchemaNode) {
        if let bound = number("minimum", words) {
            node.assertions.append(.lower(bound, isExclusive: false))
        }
        if let bound = number("exclusiveMinimum", words) {
            node.assertions.append(.lower(bound, isExclusive: true))
        }
        if let bound = number("maximum", words) {
            node.assertions.append(.upper(bound, isExclusive: false))
        }
        if let bound = number("exclusiveMaximum", words) {
            node.assertions.append(.upper(bound, isExclusive: true))
        }
        guard let divisor = number("multipleOf", words) else { return }
        guard divisor > .integer(0) else {
            return problem(at: "multipleOf", "must be greater than 0")
        }
        node.assertions.append(.multiple(divisor))
    }

    private mutating func addStrings(_ words: JSONObjectIndex, to node: inout SchemaNode) {
        let (least, most) = (count("minLength", words), count("maxLength", words))
        if least != nil || most != nil {
            node.assertions.append(.lengths(least: least, most: most))
        }
        guard let source = string("pattern", words) else { return }
        if let pattern = pattern(source, at: "pattern") {
            node.assertions.append(.pattern(pattern))
        }
    }

    private mutating func addArrays(_ words: JSONObjectIndex, to node: inout SchemaNode) {
        let (least, most) = (count("minItems", words), count("maxItems", words))
        if least != nil || most != nil {
            node.assertions.append(.elementCount(least: least, most: most))
        }
        var elements = SchemaElements()
        elements.prefix = schemas("prefixItems", words) ?? []
        elements.rest = words["items"].map { add($0, at: "items") }
        if elements.rest != nil || !elements.prefix.isEmpty {
            node.elements = elements
            node.assertions.append(.elements(elements))
        }
        guard let isUnique = words["uniqueItems"] else { return }
        guard case .bool(let isUnique) = isUnique else {
            return problem(at: "uniqueItems", "must be true or false")
        }
        if isUnique { node.assertions.append(.uniqueElements) }
    }

    private mutating func addObjects(_ words: JSONObjectIndex, to node: inout SchemaNode) {
        if let names = names("required", words) { node.assertions.append(.required(names)) }
        let (least, most) = (count("minProperties", words), count("maxProperties", words))
        if least != nil || most != nil {
            node.assertions.append(.memberCount(least: least, most: most))
        }
        if let schema = words["propertyNames"] {
            node.assertions.append(.memberNames(add(schema, at: "propertyNames")))
        }
        var members = SchemaMembers()
        for member in object("properties", words) {
            members.names.append(member.key)
            members.nodes[ExactString(member.key)] =
                add(member.value, at: "properties", member.key)
        }
        for member in object("patternProperties", words) {
            let target = add(member.value, at: "patternProperties", member.key)
            guard let pattern = pattern(member.key, at: "patternProperties") else { continue }
            members.patterns.append((pattern, target))
        }
        members.rest = words["additionalProperties"].map { add($0, at: "additionalProperties") }
        if members.rest != nil || !members.names.isEmpty || !members.patterns.isEmpty {
            node.members = members
            node.assertions.append(.members(members))
        }
    }
}

// MARK: - Values of keywords

extension SchemaCompiler {
    private mutating func types(_ words: JSONObjectIndex) -> JSONTypes? {
        guard let value = words["type"] else { return nil }
        let listed: [JSON]
        if case .array(let values) = value { listed = values } else { listed = [value] }
        var types: JSONTypes = []
        for word in listed {
            guard case .string(let word) = word, let named = JSONTypes(word: word) else {
                let known = JSONTypes.words.map { "\"\($0.word)\"" }.joined(separator: ", ")
                problem(at: "type", "must be one of \(known), or an array of them")
                return nil
            }
            types.formUnion(named)
        }
        if listed.isEmpty { problem(at: "type", "must name at least one type") }
        return types
    }

    mutating func string(_ word: String, _ words: JSONObjectIndex) -> String? {
        guard let value = words[word] else { return nil }
        guard case .string(let text) = value else {
            problem(at: word, "must be a string")
            return nil
        }
        return text
    }

    private mutating func number(_ word: String, _ words: JSONObjectIndex) -> JSONNumber? {
        guard let value = words[word] else { return nil }
        guard let number = JSONNumber(value) else {
            problem(at: word, "must be a number")
            return nil
        }
        return number
    }

    mutating func count(_ word: String, _ words: JSONObjectIndex) -> Int? {
        switch words[word] {
        case nil: return nil
        case .integer(let count) where count >= 0: return Int(count)
        case .double(let number) where number >= 0 && words[word]?.type == .integer:
            return JSON.wholeNumber(number).map { Int($0) } ?? .max
        case .some:
            problem(at: word, "must be a non-negative integer")
            return nil
        }
    }

    mutating func array(_ word: String, _ words: JSONObjectIndex) -> [JSON]? {
        guard let value = words[word] else { return nil }
        guard case .array(let elements) = value else {
            problem(at: word, "must be an array")
            return nil
        }
        return elements
    }

    private mutating func object(
        _ word: String, _ words: JSONObjectIndex
    ) -> [JSONObject.Member] {
        guard let value = words[word] else { return [] }
        guard case .object(let object) = value else {
            problem(at: word, "must be an object whose values are schemas")
            return []
        }
        return object.members
    }

    mutating func names(_ word: String, _ words: JSONObjectIndex) -> [String]? {
        guard let elements = array(word, words) else { return nil }
        var names: [String] = []
        var known: Set<ExactString> = []
        for element in elements {
            guard case .string(let name) = element,
                known.insert(ExactString(name)).inserted
            else {
                problem(at: word, "must be an array of unique strings")
                return nil
            }
            names.append(name)
        }
        return names
    }

    private mutating func schemas(_ word: String, _ words: JSONObjectIndex) -> [Int]? {
        guard let elements = array(word, words) else { return nil }
        if elements.isEmpty { problem(at: word, "must contain at least one schema") }
        return elements.enumerated().map { add($1, at: word, String($0)) }
    }
}
