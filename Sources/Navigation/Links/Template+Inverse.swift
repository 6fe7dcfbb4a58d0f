internal import Bytes
internal import JSON

// From values to the captures that a template was filled with.

extension Template {
    /// Finds the values of the captures by comparing a template with a value. The caller verifies
    /// the result by filling the template again.
    ///
    /// - Parameter longer: whether to look at strings that have more than a capture in them. They
    ///   are divided with the captures that are known, so they come last.
    static func unify(
        _ template: JSON, with value: JSON, into captures: inout Captures, longer: Bool,
        work: WorkBudget
    ) throws(WorkBudgetError) {
        switch (template, value) {
        case (.string(let text), _):
            try work.spend(.steps(10 + text.utf8.count))
            let pieces = pieces(text)
            if pieces.count == 1, case .capture(let name)? = pieces.first {
                if !longer { unify(name, with: value, into: &captures) }
            } else if longer, case .string(let whole) = value {
                try unify(pieces, with: whole, into: &captures, work: work)
            }
        case (.object(let object), .object(let values)):
            try work.spend(.steps(object.count * values.count))
            for member in object.members {
                guard let value = values[member.key] else { continue }
                try unify(member.value, with: value, into: &captures, longer: longer, work: work)
            }
        case (.array(let items), .array(let values)):
            for (item, value) in zip(items, values) {
                try unify(item, with: value, into: &captures, longer: longer, work: work)
            }
        case (.null, _), (.bool, _), (.integer, _), (.double, _), (.object, _), (.array, _):
            return
        }
    }

    private static func unify(_ name: String, with value: JSON, into captures: inout Captures) {
        switch value {
        case .null, .bool, .integer, .double, .string:
            if captures[name] == nil { captures[name] = value.plainText }
        case .array(let items):
            // A list has more to say than its first value.
            guard captures.list(name) == nil else { return }
            let texts = items.compactMap(scalarText)
            if texts.count == items.count { captures.set(name, to: texts) }
        case .object: return
        }
    }

    private static func scalarText(_ value: JSON) -> String? {
        switch value {
        case .null, .bool, .integer, .double, .string: value.plainText
        case .array, .object: nil
        }
    }

    /// Divides a text into the captures of a longer string that are not known yet.
    private static func unify(
        _ pieces: [Piece], with text: String, into captures: inout Captures, work: WorkBudget
    ) throws(WorkBudgetError) {
        var literals = [""]
        var names: [String] = []
        for piece in pieces {
            switch piece {
            case .text(let plain): literals[names.count] += plain
            case .capture(let name):
                if let known = captures[name] {
                    literals[names.count] += known
                } else {
                    names.append(name)
                    literals.append("")
                }
            }
        }
        let bytes = literals.reduce(text.utf8.count + 8) { $0 + $1.utf8.count }
        try work.spend(.steps(bytes * (names.count + 1)))
        guard !names.isEmpty, Set(names.map { ExactString($0) }).count == names.count,
            !literals.dropFirst().dropLast().contains(where: { $0.isEmpty })
        else { return }
        let whole = Array(text.utf8)
        let ranges = SegmentDivision(of: whole, between: literals).ranges()
        for (name, range) in zip(names, ranges ?? []) {
            captures[name] = String(decoding: whole[range], as: UTF8.self)
        }
    }
}
