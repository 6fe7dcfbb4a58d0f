public import Bytes
internal import JSON

/// A path to a value in the params of a screen: names of members, or digits in arrays, joined by
/// dots, such as `contact.id` or `items.0`.
public struct ParamsPath: Equatable, Sendable {
    /// The names of members, and digits.
    public let steps: [ExactString]

    /// Returns nil for text that is no path.
    init?(_ text: Substring) {
        var steps: [ExactString] = []
        for step in text.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        {
            guard !step.isEmpty, step.allSatisfy(Self.isStepByte) else { return nil }
            steps.append(ExactString(String(Substring(step))))
        }
        guard !steps.isEmpty else { return nil }
        self.steps = steps
    }

    /// Whether the byte may be in a step: letters, digits and `_ ~ -`, as in names, and bytes of
    /// other scripts.
    private static func isStepByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F, 0x7E, 0x80...0xFF: true
        default: false
        }
    }

    /// The value at the path, or nil if there is none.
    func value(in params: JSONObject) -> JSON? {
        var value = JSON.object(params)
        for step in steps {
            switch value {
            case .object(let object):
                guard let member = object[step.text] else { return nil }
                value = member
            case .array(let items):
                guard let index = Self.index(step.text), index < items.count else { return nil }
                value = items[index]
            case .null, .bool, .integer, .double, .string: return nil
            }
        }
        return value
    }

    private static func index(_ text: String) -> Int? {
        guard text.utf8.count == 1 || text.utf8.first != ASCII.zero else { return nil }
        return Decimal.number(text.utf8, digitsMax: 9)
    }
}

extension ParamsPath {
    /// Whether the schema can allow a value at the path.
    func isPossible(in schema: JSONSchema?, work: WorkBudget) throws(WorkBudgetError) -> Bool {
        guard var schema else { return false }
        for step in steps {
            var deeper: JSONSchema?
            if schema.accepts(.object) { deeper = try schema.property(step.text, work: work) }
            if deeper == nil, schema.accepts(.array), let index = Int(step.text) {
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

extension ParamsPath {
    /// A part of a text with `{path}` in it.
    public enum Piece: Equatable, Sendable {
        case text(String)
        case path(ParamsPath)
    }

    /// A path is at most this long; longer text in braces stands for itself.
    private static let bytesMax = 256

    /// The parts of a text. Braces around anything but a path are text.
    static func pieces(of text: String) -> [Piece] {
        var pieces: [Piece] = []
        var plain = text.utf8.startIndex
        var position = plain
        while let open = text.utf8[position...].firstIndex(of: UInt8(ascii: "{")) {
            position = text.utf8.index(after: open)
            let near = text.utf8[position...].prefix(bytesMax + 1)
            guard let close = near.firstIndex(of: UInt8(ascii: "}")),
                let path = ParamsPath(text[position..<close])
            else { continue }
            if plain < open { pieces.append(.text(String(text[plain..<open]))) }
            pieces.append(.path(path))
            position = text.utf8.index(after: close)
            plain = position
        }
        if plain < text.endIndex || pieces.isEmpty { pieces.append(.text(String(text[plain...]))) }
        return pieces
    }
}
