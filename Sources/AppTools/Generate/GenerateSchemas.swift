internal import Bytes
internal import JSON
internal import Navigation

// From the schemas of a document to types.

extension AppModelReader {
    /// The keywords that no type can express.
    private static let untyped = [
        "oneOf", "anyOf", "allOf", "not", "if", "prefixItems", "contains", "patternProperties",
        "unevaluatedProperties",
    ]
    /// The keywords that the rules check and that leave the type as it is.
    private static let checked = [
        "minLength", "maxLength", "pattern", "minimum", "exclusiveMinimum", "maximum",
        "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties",
        "maxProperties", "propertyNames", "dependentRequired", "format",
    ]

    // MARK: - Definitions

    /// Declares a type for each definition. They may refer to each other.
    mutating func readDefinitions(_ list: JSON?, prefix: String, at outer: JSONPointer) {
        var declared: [(index: Int, definition: Definition)] = []
        for member in list.members {
            let place = outer.appending("$defs").appending(member.key)
            guard
                case .named(let name) = declare(
                    prefix + member.key.typeName, at: place, { _ in .alias(.any) })
            else { continue }
            let definition = Definition(schema: member.value, place: place, name: name)
            definitions[ExactString(member.key)] = definition
            declared.append((model.types.count - 1, definition))
        }
        for (index, definition) in declared {
            let (schema, place) = (definition.schema, definition.place)
            model.types[index].notes = notes(of: schema)
            model.types[index].form =
                form(of: schema, named: definition.name, at: place)
                ?? .alias(type(of: schema, named: definition.name + "Value", at: place))
        }
    }

    /// The definition to which a `$ref` leads.
    func definition(_ reference: String) -> Definition? {
        JSONPointer(fragment: reference)?.steps.last.flatMap { definitions[ExactString($0)] }
    }

    /// The type of a whole schema, which may have definitions of its own.
    mutating func wholeType(
        of schema: JSON, named name: String, at place: JSONPointer
    ) -> ValueType {
        let outer = definitions
        defer { definitions = outer }
        readDefinitions(schema.object["$defs"], prefix: name, at: place)
        return type(of: schema, named: name, at: place)
    }

    // MARK: - Types

    /// The type of the values of a schema.
    ///
    /// - Parameter name: the name of the type if it has to be declared.
    mutating func type(of schema: JSON, named name: String, at place: JSONPointer) -> ValueType {
        let words = schema.object
        if let parts = words["anyOf"] ?? words["oneOf"], words["properties"] == nil {
            return union(of: parts.items, named: name, at: place)
        }
        if let word = Self.untyped.first(where: words.contains) { return untyped(word, place) }
        if let target = words["$ref"]?.string.flatMap(definition) {
            if words["properties"] != nil { return untyped("properties beside $ref", place) }
            return .named(target.name)
        }
        if case .array(let types)? = words["type"] {
            let parts = types.map { type -> JSON in
                var part = words
                part["type"] = type
                return .object(part)
            }
            return union(of: parts, named: name, at: place)
        }
        if words.names?.isEmpty == false || words["properties"] != nil {
            return declare(name, at: place) { reader in
                reader.form(of: schema, named: name, at: place) ?? .alias(.any)
            }
        }
        return plainType(words, named: name, at: place)
    }

    private mutating func plainType(
        _ words: JSONObject, named name: String, at place: JSONPointer
    ) -> ValueType {
        if words["enum"] != nil || words["const"] != nil {
            return untyped("values that are not all texts", place)
        }
        switch words["type"]?.string ?? "" {
        case "string": return .string
        case "integer": return .integer
        case "number": return .number
        case "boolean": return .boolean
        case "array":
            guard let items = words["items"], case .object = items else { break }
            return .list(type(of: items, named: name + "Item", at: place.appending("items")))
        case "object":
            guard let rest = words["additionalProperties"], case .object = rest else { break }
            let inner = place.appending("additionalProperties")
            return .map(type(of: rest, named: name + "Value", at: inner))
        default: break
        }
        return untyped("no type", place)
    }

    /// The type of values that fit one of several schemas.
    private mutating func union(
        of parts: [JSON], named name: String, at place: JSONPointer
    ) -> ValueType {
        let others = parts.filter { $0.object["type"] != .string("null") }
        guard others.count == 1 || language.isTypeScript, let first = others.first else {
            return untyped("several types", place)
        }
        var type = type(of: first, named: name, at: place)
        if others.count > 1 {
            let more = others.enumerated().dropFirst().map { index, part in
                self.type(of: part, named: name + String(index + 1), at: place)
            }
            type = .union([type] + more)
        }
        return others.count < parts.count ? .optional(type.present) : type
    }

    private mutating func untyped(_ what: String, _ place: JSONPointer) -> ValueType {
        if !language.isTypeScript {
            refuse(
                place.description, code: "no-type",
                "has \(what), so \(language.anyType) stands for its type", isError: false)
        }
        return .any
    }

    /// The type that a schema declares, if it declares one.
    private mutating func form(
        of schema: JSON, named name: String, at place: JSONPointer
    ) -> TypeModel.Form? {
        let words = schema.object
        guard words["$ref"] == nil, words["type"]?.isArray != true,
            !Self.untyped.contains(where: words.contains)
        else { return nil }
        if let names = words.names { return choice(names, at: place.appending("enum")) }
        guard words["properties"] != nil else { return nil }
        return .record(members(of: words, named: name, at: place))
    }

    /// The members of an object.
    mutating func members(
        of words: JSONObject, named name: String, at place: JSONPointer
    ) -> [MemberModel] {
        let required = Set(
            (words["required"]?.items ?? []).compactMap(\.string).map { ExactString($0) })
        let inner = place.appending("properties")
        var members: [MemberModel] = []
        for (key, schema) in words["properties"].members.map({ ($0.key, $0.value) }) {
            let referred = schema.object["$ref"]?.string.flatMap(definition)?.schema.object
            members.append(
                MemberModel(
                    name: memberName(key), key: key,
                    type: type(
                        of: schema, named: name + key.typeName, at: inner.appending(key)),
                    isRequired: required.contains(ExactString(key)),
                    fallback: schema.object["default"] ?? referred?["default"],
                    notes: notes(of: schema)))
        }
        claim(members.map { ($0.name, $0.key) }, at: inner.description)
        return members
    }

    /// The description of a part of the document, and what the rules check of its values.
    func notes(of body: JSON) -> [String] {
        let words = body.object
        let checks = Self.checked.compactMap { word in
            words[word].map { "\(word) \($0.string ?? $0.text)" }
        }
        let description = words["description"]?.string?.commentLines ?? []
        guard !checks.isEmpty else { return description }
        return description + [
            "It is checked: \(checks.joined(separator: ", ")).".commentLines.joined(separator: " ")
        ]
    }

    // MARK: - After all types are known

    /// Replaces the members by which a value would contain itself: in Swift a struct cannot, and
    /// nowhere can a name for another type.
    mutating func cutCycles() {
        cutCycles { form in
            guard case .alias(let type) = form else { return [] }
            return type.names(inLists: true).map { (0, $0) }
        }
        guard language.isSwift else { return }
        cutCycles { form in
            switch form {
            case .alias(let type): type.names(inLists: false).map { (0, $0) }
            case .record(let members):
                members.enumerated().flatMap { index, member in
                    member.type.names(inLists: false).map { (index, $0) }
                }
            case .choice: []
            }
        }
    }

    /// - Parameter edges: the types that a type consists of, with the indexes of its members.
    private mutating func cutCycles(
        _ edges: (TypeModel.Form) -> [(member: Int, target: String)]
    ) {
        let indexes = model.typeIndexes
        var isDone: [Int: Bool] = [:]
        for start in model.types.indices where isDone[start] == nil {
            var stack = [(type: start, rest: edges(model.types[start].form)[...])]
            isDone[start] = false
            while let (type, rest) = stack.last {
                guard let edge = rest.first else {
                    isDone[type] = true
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].rest.removeFirst()
                guard let target = indexes[ExactString(edge.target)] else { continue }
                switch isDone[target] {
                case nil:
                    isDone[target] = false
                    stack.append((target, edges(model.types[target].form)[...]))
                case false?: cut(edge.member, of: type)
                case true?: break
                }
            }
        }
    }

    private mutating func cut(_ member: Int, of type: Int) {
        let any = language.anyType
        var detail = "has itself as a value, so \(any) stands for its type"
        switch model.types[type].form {
        case .alias: model.types[type].form = .alias(.any)
        case .choice: return
        case .record(var members):
            members[member].type = .any
            detail = "has \(members[member].key), which has it as a value; \(any) stands for it"
            model.types[type].form = .record(members)
        }
        refuse(model.types[type].place.description, code: "recursive", detail, isError: false)
    }

    /// Takes away the defaults that are no values of their types.
    mutating func checkDefaults() {
        for (index, type) in model.types.enumerated() {
            guard case .record(let members) = type.form else { continue }
            model.types[index].form = .record(members.map(checked))
        }
        for index in model.routes.indices {
            model.routes[index].params = model.routes[index].params.map(checked)
        }
        for (index, fact) in model.facts.enumerated()
        where !model.fits(fact.fallback ?? .null, fact.type) {
            model.facts[index].type = .any
        }
    }

    private func checked(_ member: MemberModel) -> MemberModel {
        var member = member
        if let value = member.fallback, !model.fits(value, member.type) { member.fallback = nil }
        return member
    }
}

extension ValueType {
    /// The declared types that are in a value of the type.
    fileprivate func names(inLists: Bool) -> [String] {
        switch self {
        case .named(let name): [name]
        case .optional(let type): type.names(inLists: inLists)
        case .list(let type), .map(let type): inLists ? type.names(inLists: true) : []
        case .union(let types): types.flatMap { $0.names(inLists: inLists) }
        case .string, .integer, .number, .boolean, .any: []
        }
    }
}

extension AppModel {
    /// Whether a value can be written as one of a type.
    func fits(_ value: JSON, _ type: ValueType) -> Bool {
        switch (type, value) {
        case (.any, _), (.string, .string), (.boolean, .bool), (.integer, .integer),
            (.number, .integer), (.number, .double), (.optional, .null):
            true
        case (.integer, .double(let number)): number.rounded() == number && abs(number) < 0x1p53
        case (.optional(let type), _): fits(value, type)
        case (.list(let type), .array(let items)): items.allSatisfy { fits($0, type) }
        case (.map(let type), .object(let object)):
            object.members.allSatisfy { fits($0.value, type) }
        case (.union(let types), _): types.contains { fits(value, $0) }
        case (.named(let name), _):
            switch (self.type(name), value) {
            case (.alias(let type)?, _): fits(value, type)
            case (.choice(let names)?, .string(let text)): names.contains { $0.key == text }
            case (.record(let members)?, .object(let object)):
                members.allSatisfy { member in
                    object[member.key].map { fits($0, member.fullType) } ?? !member.isRequired
                }
            case (_, _): false
            }
        case (_, _): false
        }
    }
}

extension JSONObject {
    /// The values of an enumeration of texts.
    fileprivate var names: [String]? {
        let values = self["enum"]?.items ?? self["const"].map { [$0] } ?? []
        let names = values.compactMap(\.string)
        return values.isEmpty || names.count < values.count ? nil : names
    }
}
