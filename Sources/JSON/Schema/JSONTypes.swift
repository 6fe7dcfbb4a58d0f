internal import Bytes

/// A set of the types that `type` of a schema distinguishes.
public struct JSONTypes: OptionSet, Sendable, Hashable {
    /// One bit for each type.
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The null value.
    public static let null = JSONTypes(rawValue: 1 << 0)
    /// True and false.
    public static let boolean = JSONTypes(rawValue: 1 << 1)
    /// Numbers without a fraction, also if written as `1.0`.
    public static let integer = JSONTypes(rawValue: 1 << 2)
    /// Numbers with a fraction.
    public static let fraction = JSONTypes(rawValue: 1 << 3)
    /// Strings.
    public static let string = JSONTypes(rawValue: 1 << 4)
    /// Arrays.
    public static let array = JSONTypes(rawValue: 1 << 5)
    /// Objects.
    public static let object = JSONTypes(rawValue: 1 << 6)

    /// All numbers.
    public static let number: JSONTypes = [.integer, .fraction]
    /// All types.
    public static let any: JSONTypes = [.null, .boolean, .number, .string, .array, .object]

    /// The types by their names in JSON Schema.
    static let words: [(word: String, types: JSONTypes)] = [
        ("null", .null), ("boolean", .boolean), ("integer", .integer), ("number", .number),
        ("string", .string), ("array", .array), ("object", .object),
    ]

    init?(word: String) {
        guard let found = Self.words.first(where: { $0.word == word }) else {
            return nil
        }
        self = found.types
    }

    /// The types in words, such as "a string, an integer or null".
    public var sentence: String {
        var left = self
        var names: [String] = []
        for (word, types) in Self.words.reversed() where left.isSuperset(of: types) {
            left.subtract(types)
            names.insert(Self.withArticle(word), at: 0)
        }
        if !left.isEmpty { names.append("a number with a fraction") }
        guard let last = names.popLast() else { return "nothing" }
        return names.isEmpty ? last : names.joined(separator: ", ") + " or " + last
    }

    private static func withArticle(_ word: String) -> String {
        switch word {
        case "null": word
        case "integer", "array", "object": "an \(word)"
        default: "a \(word)"
        }
    }
}

extension JSON {
    /// The type of the value.
    public var type: JSONTypes {
        switch self {
        case .null: .null
        case .bool: .boolean
        case .integer: .integer
        case .double(let value): JSON.isWhole(value) ? .integer : .fraction
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    /// Doubles of 2^53 or more have no fraction.
    private static func isWhole(_ number: Double) -> Bool {
        number.magnitude >= 0x1p53 || wholeNumber(number) != nil
    }
}
