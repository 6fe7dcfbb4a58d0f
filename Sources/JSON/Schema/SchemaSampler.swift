internal import Bytes

/// Makes values for a schema from its document. They are guesses: whoever asks keeps those that the
/// compiled schema accepts.
public struct SchemaSampler: Sendable {
    private let definitions: JSONObject
    /// Whether members that are not required get a value.
    private let fillsOptional: Bool
    /// Schemas that refer to themselves have values of this depth only.
    private static let depthMax = 10
    /// More values of one schema are not tried.
    private static let countMax = 16

    /// - Parameter definitions: the `$defs` of the app.
    public init(_ definitions: JSONObject, fillsOptional: Bool = false) {
        (self.definitions, self.fillsOptional) = (definitions, fillsOptional)
    }

    /// Values to try, the best first: those that are listed, the default, examples, the smallest.
    public func values(of schema: JSON) -> [JSON] {
        if case .object(let object) = schema { return values(object, own: object["$defs"], 0) }
        return schema == .bool(false) ? [] : [.object(JSONObject()), .string("a"), .integer(1)]
    }

    private func values(_ schema: JSON?, own: JSON?, _ depth: Int) -> [JSON] {
        guard case .object(let object)? = schema else {
            return schema == .bool(false) ? [] : [.string("a"), .integer(1), .object(JSONObject())]
        }
        return values(object, own: own, depth)
    }

    private func values(_ schema: JSONObject, own: JSON?, _ depth: Int) -> [JSON] {
        guard depth <= Self.depthMax else { return [] }
        if let value = schema["const"] { return [value] }
        if case .array(let values)? = schema["enum"] { return values }
        if let combined = combined(schema, own) {
            return Array(
                combined.flatMap { values($0, own: own, depth + 1) }.prefix(Self.countMax))
        }
        var found: [JSON] = schema["default"].map { [$0] } ?? []
        if case .array(let examples)? = schema["examples"] { found += examples }
        for type in types(schema) {
            switch type {
            case "string": found += strings(schema)
            case "integer", "number": found += numbers(schema, isWhole: type == "integer")
            case "boolean": found += [.bool(true), .bool(false)]
            case "null": found.append(.null)
            case "array": found += arrays(schema, own, depth: depth)
            default: found += objects(schema, own, depth: depth)
            }
        }
        return Array(found.prefix(4 * Self.countMax))
    }

    private func types(_ schema: JSONObject) -> [String] {
        switch schema["type"] {
        case .string(let name)?: return [name]
        case .array(let names)?:
            return names.compactMap { if case .string(let name) = $0 { name } else { nil } }
        case nil, .null?, .bool?, .integer?, .double?, .object?: break
        }
        let known: [(String, [String])] = [
            ("object", ["properties", "required", "patternProperties", "minProperties"]),
            ("string", ["minLength", "maxLength", "pattern"]),
            ("integer", ["minimum", "maximum", "exclusiveMinimum", "multipleOf"]),
            ("array", ["items", "prefixItems", "minItems", "contains"]),
        ]
        let found = known.filter { $0.1.contains { schema.contains($0) } }.map { $0.0 }
        return found.isEmpty ? ["object", "string", "integer", "boolean", "array"] : found
    }

    // MARK: - Schemas within schemas

    /// The schemas that stand for one with references, alternatives or conditions. Nil if there are
    /// none.
    private func combined(_ schema: JSONObject, _ own: JSON?) -> [JSONObject]? {
        var rest = schema
        for (name, parts) in [
            ("$ref", [reference(schema["$ref"], own)]), ("allOf", items(schema["allOf"])),
        ] where schema.contains(name) {
            rest[name] = nil
            return [parts.reduce(rest) { merged($0, $1) }]
        }
        for name in ["anyOf", "oneOf"] where schema.contains(name) {
            rest[name] = nil
            return items(schema[name]).map { merged(rest, $0) }
        }
        guard let test = schema["if"] else { return nil }
        for name in ["if", "then", "else"] { rest[name] = nil }
        return [
            merged(merged(rest, test), schema["then"]), merged(rest, schema["else"]), rest,
        ]
    }

    private func items(_ value: JSON?) -> [JSON?] {
        if case .array(let items)? = value { items.map { $0 } } else { [] }
    }

    private func reference(_ value: JSON?, _ own: JSON?) -> JSON? {
        guard case .string(let text)? = value, let target = JSONPointer(fragment: text),
            target.steps.count == 2
        else { return nil }
        if case .object(let own)? = own, let found = own[target.steps[1]] { return found }
        return definitions[target.steps[1]]
    }

    /// A schema with the keywords of both, of which the second one's win, apart from members and
    /// bounds.
    private func merged(_ schema: JSONObject, _ other: JSON?) -> JSONObject {
        guard case .object(let object)? = other else { return schema }
        var merged = schema
        for member in object.members {
            switch (merged[member.key], member.value) {
            case (.object(let first)?, .object(let second)) where member.key == "properties":
                let all = second.members.map { ($0.key, merging($0.value, first[$0.key])) }
                merged[member.key] = .object(
                    JSONObject(first.members.map { ($0.key, $0.value) } + all))
            case (.array(let first)?, .array(let second)) where member.key == "required":
                merged[member.key] = .array(first + second.filter { !first.contains($0) })
            case (let first?, let second) where member.key.hasPrefix("min"):
                merged[member.key] = [first, second].max { isLess($0, $1) }
            case (let first?, let second) where member.key.hasPrefix("max"):
                merged[member.key] = [first, second].min { isLess($0, $1) }
            default: merged[member.key] = member.value
            }
        }
        return merged
    }

    private func merging(_ schema: JSON, _ other: JSON?) -> JSON {
        guard case .object(let object)? = other else { return schema }
        return .object(merged(object, schema))
    }

    private func isLess(_ a: JSON, _ b: JSON) -> Bool { number(a) ?? 0 < number(b) ?? 0 }

    private func number(_ value: JSON?) -> Double? {
        switch value {
        case .integer(let number)?: Double(number)
        case .double(let number)?: number
        case nil, .null?, .bool?, .string?, .array?, .object?: nil
        }
    }

    private func count(_ schema: JSONObject, _ name: String, or fallback: Int = 0) -> Int {
        number(schema[name]).map { Int(min(max($0, 0), 1000)) } ?? fallback
    }

    // MARK: - Values of one type

    private func strings(_ schema: JSONObject) -> [JSON] {
        let least = count(schema, "minLength")
        let plain = String(
            repeating: "a", count: max(least, min(1, count(schema, "maxLength", or: 1))))
        // A text with a pattern needs examples, but some patterns are frequent.
        let others = [
            "b" + plain.dropFirst(), String(repeating: "1", count: max(least, 1)), "A1",
            "2026-01-01", "2026-01-01T00:00:00Z", "a@example.com", "https://example.com/",
            "123e4567-e89b-12d3-a456-426614174000", "#000000", "",
        ]
        return ([plain] + others).map { .string($0) }
    }

    private func numbers(_ schema: JSONObject, isWhole: Bool) -> [JSON] {
        var low = number(schema["minimum"]) ?? -.infinity
        let least = isWhole ? 1 : 0.5
        if let bound = number(schema["exclusiveMinimum"]) { low = max(low, bound + least) }
        var high = number(schema["maximum"]) ?? .infinity
        if let bound = number(schema["exclusiveMaximum"]) { high = min(high, bound - least) }
        let step = number(schema["multipleOf"]) ?? 1
        var start = max(low, min(0, high))
        start = (start / step).rounded(.up) * step
        let candidates: [Double] = [start, start + step, low, high, (low + high) / 2]
        return candidates.filter { $0.isFinite }.map(Self.json)
    }

    private static func json(_ value: Double) -> JSON {
        let isInteger = value == value.rounded() && value.magnitude < 0x1p53
        return isInteger ? .integer(Int64(value)) : .double(value)
    }

    private func arrays(_ schema: JSONObject, _ own: JSON?, depth: Int) -> [JSON] {
        let prefix = items(schema["prefixItems"])
        let contained = schema["contains"].map { values($0, own: own, depth + 1) } ?? []
        let least = max(
            count(schema, "minItems"),
            contained.isEmpty ? 0 : count(schema, "minContains", or: 1), fillsOptional ? 1 : 0)
        let all = least > prefix.count ? values(schema["items"], own: own, depth + 1) : []
        return (0..<3).map { round in
            .array(
                (0..<least).compactMap { index in
                    if index < prefix.count {
                        return values(prefix[index], own: own, depth + 1).first
                    }
                    if !contained.isEmpty { return contained[(index + round) % contained.count] }
                    return all.isEmpty ? nil : all[(index + round) % all.count]
                })
        }
    }

    private func objects(_ schema: JSONObject, _ own: JSON?, depth: Int) -> [JSON] {
        var names = items(schema["required"]).compactMap { $0 }.compactMap { $0.string }
        var schemas = JSONObject()
        if case .object(let properties)? = schema["properties"] { schemas = properties }
        if fillsOptional, depth < 4 { names += schemas.members.map({ $0.key }) }
        if case .object(let dependents)? = schema["dependentRequired"] {
            for member in dependents.members where names.contains(member.key) {
                names += items(member.value).compactMap { $0 }.compactMap { $0.string }
            }
        }
        let least = count(schema, "minProperties")
        names += schemas.members.map { $0.key }.prefix(max(0, least - names.count))
        names += (0..<max(0, least - names.count)).map { "x\($0)" }
        var choices: [(name: String, values: [JSON])] = []
        for name in names where !choices.contains(where: { $0.name == name }) {
            let other = schema["additionalProperties"] ?? .bool(true)
            choices.append((name, values(schemas[name] ?? other, own: own, depth + 1)))
        }
        guard !choices.contains(where: { $0.values.isEmpty }) else { return [] }
        var found = [JSONObject(choices.map { ($0.name, $0.values[0]) })]
        for (name, values) in choices {
            for value in values.dropFirst() where found.count < Self.countMax {
                var other = found[0]
                other[name] = value
                found.append(other)
            }
        }
        return found.map(JSON.object)
    }
}

extension JSON {
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
}
