internal import Bytes
internal import JSON

/// The way to a value in the params of a screen: names of members, or digits in arrays, joined by
/// dots, as in `contact.id`.
package struct ParamPath: Equatable, Sendable {
    /// The names and digits from the outside to the inside; never empty.
    let parts: [ExactString]

    /// Reads a path. Returns nil for other text.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(Self.isNameByte) }) else {
            return nil
        }
        self.parts = parts.map { ExactString(String($0)) }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// The value at the path, or nil if there is none.
    func value(in params: JSON) -> JSON? {
        var value = params
        for part in parts {
            switch value {
            case .object(let object):
                guard let member = object[part.text] else { return nil }
                value = member
            case .array(let items):
                guard let index = Int(part.text), String(index) == part.text,
                    items.indices.contains(index)
                else { return nil }
                value = items[index]
            case .null, .bool, .integer, .double, .string: return nil
            }
        }
        return value
    }

    /// Whether the schema can allow a value at the path.
    func isPossible(in schema: JSONSchema?, work: WorkBudget) throws(WorkBudgetError) -> Bool {
        guard var schema else { return false }
        for part in parts {
            var deeper: JSONSchema?
            if schema.accepts(.object) { deeper = try schema.property(part.text, work: work) }
            if deeper == nil, schema.accepts(.array), let index = Int(part.text) {
                deeper = try schema.element(at: index, work: work)
            }
            // Without a schema for the member, any value is allowed there.
            guard let deeper else { return schema.accepts([.object, .array]) }
            guard !deeper.acceptedTypes.isEmpty else { return false }
            schema = deeper
        }
        return true
    }
}
