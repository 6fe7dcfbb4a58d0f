import Foundation

/// A JSON value whose structure is known only at run time, such as the params of a route.
///
/// ```swift
/// let params: JSONValue = ["contact": ["id": "42", "name": "Ada"]]
/// params["contact"]?["name"]?.string  // "Ada"
/// ```
///
/// Numbers are compared by value, so `1` equals `1.0`. The order of an object's members is not
/// preserved. Strings and names of members are compared byte by byte: `é` as one scalar differs
/// from `e` with a combining accent. An object that has both as names keeps only one of them, since
/// the names are keys of a Swift dictionary.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    /// A number without a fraction in the range of `Int64`.
    case integer(Int64)
    /// Any other finite number.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue {
    /// The text, if this is a string.
    public var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The value, if this is a Boolean.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The value, if this is a number without a fraction.
    public var integer: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .number(let value): Int(exactly: value)
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// The value, if this is a number. Integers beyond 2^53 are rounded.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// The elements, if this is an array.
    public var array: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The members, if this is an object.
    public var object: [String: JSONValue]? {
        guard case .object(let value) = self else { return nil }
        return value
    }

    /// The member with this name, if this is an object that has one.
    public subscript(member: String) -> JSONValue? { object?[member] }

    /// The element at this index, if this is an array and the index is within its bounds.
    public subscript(index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

extension JSONValue {
    /// Encodes a value of a type of your own.
    ///
    /// ```swift
    /// struct Contact: Codable { var id: String, name: String }
    /// let params = try JSONValue(encoding: ["contact": Contact(id: "42", name: "Ada")])
    /// ```
    public init(encoding value: some Encodable) throws(NavstateError) {
        do {
            let data = try JSONEncoder().encode(value)
            self = try JSONDecoder().decode(JSONValue.self, from: data)
        } catch {
            throw .unencodable("\(error)")
        }
    }

    /// Decodes this value as a type of your own.
    ///
    /// ```swift
    /// let contact = try entry.params["contact"]?.decode(Contact.self)
    /// ```
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self
    ) throws(NavstateError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: JSONEncoder().encode(self))
        } catch {
            throw .unexpected("The value is not a \(type): \(error)")
        }
    }
}

extension JSONValue {
    /// The value as JSON text.
    package var text: String {
        (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    /// The value of a JSON text.
    package static func read(_ text: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }
}

extension JSONValue: Hashable {
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.integer(let left), .number(let right)): left == Int64(exactly: right)
        case (.number(let left), .integer(let right)): Int64(exactly: left) == right
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)):
            left.count == right.count
                && zip(left.sorted, right.sorted).allSatisfy {
                    $0.key == $1.key && $0.value == $1.value
                }
        case (_, _): false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .number(let value):
            // A number equal to an integer must have the same hash.
            if let whole = Int64(exactly: value) {
                hasher.combine(whole)
            } else {
                hasher.combine(value)
            }
        case .string(let value): hasher.combine(Array(value.utf8))
        case .array(let value): hasher.combine(value)
        case .object(let value):
            for member in value.sorted {
                hasher.combine(Array(member.key.utf8))
                hasher.combine(member.value)
            }
        }
    }
}

extension [String: JSONValue] {
    /// The members in the order of their names' bytes. A dictionary compares and hashes its keys by
    /// canonical equivalence, which takes long for names of many combining marks.
    fileprivate var sorted: [Element] { sorted { $0.key < $1.key } }
}

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let members = try? value.decode([String: JSONValue].self) {
            self = .object(members)
        } else if let whole = try? value.decode(Int64.self) {
            self = .integer(whole)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let elements = try? value.decode([JSONValue].self) {
            self = .array(elements)
        } else if let truth = try? value.decode(Bool.self) {
            self = .bool(truth)
        } else if value.decodeNil() {
            self = .null
        } else {
            throw DecodingError.dataCorruptedError(
                in: value, debugDescription: "This is not a JSON value.")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .bool(let truth): try value.encode(truth)
        case .integer(let whole): try value.encode(whole)
        case .number(let number): try value.encode(number)
        case .string(let text): try value.encode(text)
        case .array(let elements): try value.encode(elements)
        case .object(let members): try value.encode(members)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(nilLiteral: ()) { self = .null }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(members) { _, last in last })
    }
}

/// A value that has a form as JSON which cannot fail.
protocol JSONConvertible {
    var json: JSONValue { get }
}

extension JSONValue: JSONConvertible {
    var json: JSONValue { self }
}

extension String: JSONConvertible {
    var json: JSONValue { .string(self) }
}

extension Int: JSONConvertible {
    var json: JSONValue { .integer(Int64(self)) }
}

extension Bool: JSONConvertible {
    var json: JSONValue { .bool(self) }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    var json: JSONValue { .array(map(\.json)) }
}

extension Dictionary: JSONConvertible where Key == String, Value: JSONConvertible {
    var json: JSONValue { .object(mapValues(\.json)) }
}

extension JSONConvertible where Self: RawRepresentable, RawValue == String {
    var json: JSONValue { .string(rawValue) }
}

/// The members of a JSON object. Those that are nil are left out.
typealias JSONMembers = KeyValuePairs<String, (any JSONConvertible)?>

extension [String: JSONValue] {
    /// Adds the members that have a value.
    mutating func add(_ members: JSONMembers) {
        for (name, value) in members {
            if let value { self[name] = value.json }
        }
    }
}

extension JSONValue {
    /// An object of the members that have a value.
    static func members(_ members: JSONMembers) -> JSONValue {
        var object: [String: JSONValue] = [:]
        object.add(members)
        return .object(object)
    }
}

extension Equatable {
    /// Nil if this is the default, which is not sent.
    func unless(_ standard: Self) -> Self? { self == standard ? nil : self }
}
