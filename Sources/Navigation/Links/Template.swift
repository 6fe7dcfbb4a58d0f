internal import JSON

/// JSON with `{captures}` in its strings.
///
/// A string that is just one capture becomes a value of the type that the schema asks for at that
/// place; in a longer string captures are replaced as text. A member whose string needs a capture
/// that the URL does not have is left out.
enum Template {
    enum Filled: Equatable {
        case value(JSON)
        case absent
        /// The schema has no value of that text.
        case unfit
    }

    static func fill(
        _ template: JSON, _ captures: [String: String], _ schema: JSONSchema?
    ) -> Filled {
        switch template {
        case .string(let text): fill(text, captures, schema)
        case .object(let object): fill(object, captures, schema)
        case .array(let items): fill(items, captures, schema)
        case .null, .bool, .integer, .double: .value(template)
        }
    }

    private static func fill(
        _ text: String, _ captures: [String: String], _ schema: JSONSchema?
    ) -> Filled {
        let pieces = pieces(text)
        if case .capture(let name)? = pieces.first, pieces.count == 1 {
            guard let value = captures[name] else { return .absent }
            guard let schema else { return .value(.string(value)) }
            return schema.convert(value).map(Filled.value) ?? .unfit
        }
        var filled = ""
        for piece in pieces {
            switch piece {
            case .text(let text): filled += text
            case .capture(let name):
                guard let value = captures[name] else { return .absent }
                filled += value
            }
        }
        return .value(.string(filled))
    }

    private static func fill(
        _ object: JSONObject, _ captures: [String: String], _ schema: JSONSchema?
    ) -> Filled {
        var filled = JSONObject()
        for member in object.members {
            switch fill(member.value, captures, schema?.property(member.key)) {
            case .value(let value): filled.append(member.key, value)
            case .absent: continue
            case .unfit: return .unfit
            }
        }
        return .value(.object(filled))
    }

    private static func fill(
        _ items: [JSON], _ captures: [String: String], _ schema: JSONSchema?
    ) -> Filled {
        var filled: [JSON] = []
        for item in items {
            switch fill(item, captures, schema?.element(at: filled.count)) {
            case .value(let value): filled.append(value)
            case .absent: continue
            case .unfit: return .unfit
            }
        }
        return .value(.array(filled))
    }

    // MARK: - The other way

    /// Finds what the captures must have been; whether they explain the value is for the caller
    /// to prove by filling them in again.
    static func unify(_ template: JSON, _ value: JSON, _ captures: inout [String: String]) {
        switch (template, value) {
        case (.string(let text), _):
            let pieces = pieces(text)
            guard pieces.count == 1, case .capture(let name)? = pieces.first else { return }
            captures[name] = captures[name] ?? plainText(value)
        case (.object(let object), .object(let values)):
            for member in object.members {
                if let value = values[member.key] { unify(member.value, value, &captures) }
            }
        case (.array(let items), .array(let values)):
            for (item, value) in zip(items, values) { unify(item, value, &captures) }
        case (.null, _), (.bool, _), (.integer, _), (.double, _), (.object, _), (.array, _):
            return
        }
    }

    private static func plainText(_ value: JSON) -> String? {
        switch value {
        case .string(let text): text
        case .integer, .double, .bool: value.text
        case .null, .array, .object: nil
        }
    }

    // MARK: - Strings with captures

    enum Piece: Equatable {
        case text(String)
        case capture(String)
    }

    /// The names of all captures in it.
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
        var plain = ""
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "{") {
            let behind = rest[rest.index(after: open)...]
            guard let close = behind.firstIndex(of: "}"),
                RouteName.isValid(behind[..<close].utf8)
            else {
                plain += rest[...open]
                rest = behind
                continue
            }
            plain += rest[..<open]
            if !plain.isEmpty { pieces.append(.text(plain)) }
            plain = ""
            pieces.append(.capture(String(behind[..<close])))
            rest = behind[behind.index(after: close)...]
        }
        plain += rest
        if !plain.isEmpty || pieces.isEmpty { pieces.append(.text(plain)) }
        return pieces
    }
}
