internal import Bytes
internal import JSON

/// JSON with `{captures}` in its strings.
///
/// A string that consists of one capture becomes a value of the type that the schema requires for
/// it; where the schema takes only arrays, a query capture becomes the list of its values. In a
/// longer string, captures are replaced as text. A member whose string uses a capture that the URL
/// does not have is omitted.
enum Template {
    enum Filled {
        case value(JSON)
        case absent
        /// The text of the capture cannot be converted to a value of the schema.
        case unfit(String, text: String, JSONSchema)
    }

    static func fill(
        _ template: JSON, captures: Captures, schema: JSONSchema?, work: WorkBudget
    ) throws(WorkBudgetError) -> Filled {
        switch template {
        case .string(let text): try fill(text, captures: captures, schema: schema, work: work)
        case .object(let object): try fill(object, captures: captures, schema: schema, work: work)
        case .array(let items): try fill(items, captures: captures, schema: schema, work: work)
        case .null, .bool, .integer, .double: .value(template)
        }
    }

    private static func fill(
        _ text: String, captures: Captures, schema: JSONSchema?, work: WorkBudget
    ) throws(WorkBudgetError) -> Filled {
        try work.spend(.steps(10 + text.utf8.count))
        let pieces = pieces(text)
        if case .capture(let name)? = pieces.first, pieces.count == 1 {
            guard let value = captures[name] else { return .absent }
            guard let schema else { return .value(.string(value)) }
            if schema.acceptedTypes == .array, let values = captures.list(name) {
                return try fill(values, of: name, schema: schema, work: work)
            }
            return try schema.convert(value, work: work).map(Filled.value)
                ?? .unfit(name, text: value, schema)
        }
        var filled = ""
        for piece in pieces {
            switch piece {
            case .text(let text): filled += text
            case .capture(let name):
                guard let value = captures[name] else { return .absent }
                try work.spend(.moving(bytes: value.utf8.count))
                filled += value
            }
        }
        return .value(.string(filled))
    }

    /// The list of all values of a query capture.
    private static func fill(
        _ values: [String], of name: String, schema: JSONSchema, work: WorkBudget
    ) throws(WorkBudgetError) -> Filled {
        var items: [JSON] = []
        for text in values {
            try work.spend(.steps(10 + text.utf8.count))
            guard let schema = try schema.element(at: items.count, work: work) else {
                items.append(.string(text))
                continue
            }
            guard let item = try schema.convert(text, work: work) else {
                return .unfit(name, text: text, schema)
            }
            items.append(item)
        }
        return .value(.array(items))
    }

    private static func fill(
        _ object: JSONObject, captures: Captures, schema: JSONSchema?, work: WorkBudget
    ) throws(WorkBudgetError) -> Filled {
        var filled = JSONObject()
        for member in object.members {
            let deeper = try schema?.property(member.key, work: work)
            switch try fill(member.value, captures: captures, schema: deeper, work: work) {
            case .value(let value): filled.append(member.key, value)
            case .absent: continue
            case .unfit(let name, let text, let schema):
                return .unfit(name, text: text, schema)
            }
        }
        return .value(.object(filled))
    }

    private static func fill(
        _ items: [JSON], captures: Captures, schema: JSONSchema?, work: WorkBudget
    ) throws(WorkBudgetError) -> Filled {
        var filled: [JSON] = []
        for item in items {
            let deeper = try schema?.element(at: filled.count, work: work)
            switch try fill(item, captures: captures, schema: deeper, work: work) {
            case .value(let value): filled.append(value)
            case .absent: continue
            case .unfit(let name, let text, let schema):
                return .unfit(name, text: text, schema)
            }
        }
        return .value(.array(filled))
    }

    // MARK: - Strings with captures

    enum Piece: Equatable {
        case text(String)
        case capture(String)
    }

    /// The names of all captures in a template.
    static func captures(in template: JSON) -> [String] {
        switch template {
        case .string(let text):
            pieces(text).compactMap { piece in
                switch piece {
                case .capture(let name): name
                case .text: nil
                }
            }
        case .object(let object): object.members.flatMap { captures(in: $0.value) }
        case .array(let items): items.flatMap(captures)
        case .null, .bool, .integer, .double: []
        }
    }

    static func pieces(_ text: String) -> [Piece] {
        var pieces: [Piece] = []
        var plain = text.utf8.startIndex
        var position = plain
        while let open = text.utf8[position...].firstIndex(of: UInt8(ascii: "{")) {
            position = text.utf8.index(after: open)
            let near = text.utf8[position...].prefix(RouteName.charactersMax + 1)
            guard let close = near.firstIndex(of: UInt8(ascii: "}")),
                RouteName.isValid(String(text[position..<close]))
            else { continue }
            if plain < open { pieces.append(.text(String(text[plain..<open]))) }
            pieces.append(.capture(String(text[position..<close])))
            position = text.utf8.index(after: close)
            plain = position
        }
        if plain < text.endIndex || pieces.isEmpty { pieces.append(.text(String(text[plain...]))) }
        return pieces
    }
}
