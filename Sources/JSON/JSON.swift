// JSON: values, their text, and JSON Schema.
//
// This target parses and writes JSON, strictly and with positions in errors, and validates values
// against a JSON Schema. It knows nothing about navigation, HTTP or files.
//
// It does not implement `Codable`, it does not keep source text, comments or the spelling of
// numbers, and it never guesses. A text is JSON by RFC 8259, or it is refused with the line and the
// column of the first error.
//
// Rules:
//
//  1. A text is one value. It may be followed only by blanks, and no byte order mark may precede
//     it.
//  2. Text is valid UTF-8: no overlong forms, no surrogates, and no escape of half a surrogate
//     pair. Control characters must be escaped.
//  3. The names in an object are unique. Names and strings are equal if their Unicode scalars are:
//     the composed and the decomposed spelling of "é" are two names, although `==` of Swift's
//     `String` says otherwise. `Bytes` replaces it.
//  4. Objects keep the order of their members, but it does not matter for equality.
//  5. A number without fraction and exponent is an integer; it must fit into `Int64`. Any other
//     number is the nearest finite `Double`; one that is too large is refused, one that is too
//     small is zero. `-0` is the integer 0, and `-0.0` remains a double.
//  6. 1 equals 1.0. The comparison is exact: 9007199254740993 does not equal 9007199254740992.0.
//  7. Writing is deterministic and compact, and escapes only what must be escaped. What was written
//     reads back as an equal value of the same cases: a double always has a point or an exponent.
//  8. Everything is bounded: nesting and the number of values, and thereby memory, stack and time.
//
// `JSONReader` reads text piece by piece (the parser for values is built on it), and `ByteWriter`
// writes it piece by piece. `JSONPointer` is the path of a value, `JSONSchema` validates values,
// and `Pattern` implements regular expressions.
//
//     let body = try JSON(parsing: Array(#"{"route": "contactList", "count": 2}"#.utf8))
//     guard case .object(let members) = body else { … }
//     members["route"]        // .string("contactList")
//     body.text               // {"route":"contactList","count":2}

internal import Bytes

/// A JSON value.
public enum JSON: Sendable {
    case null
    case bool(Bool)
    /// A number that was written without fraction and exponent.
    case integer(Int64)
    /// A finite number that was written with a fraction or an exponent.
    case double(Double)
    case string(String)
    case array([JSON])
    case object(JSONObject)
}

extension JSON: Equatable {
    /// Compares numbers by value, strings by their scalars, and objects without regard to order.
    public static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.double(let a), .double(let b)): a == b
        case (.integer(let a), .double(let b)): wholeNumber(b) == a
        case (.double(let a), .integer(let b)): wholeNumber(a) == b
        case (.string(let a), .string(let b)): a == b
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        case (.null, _), (.bool, _), (.integer, _), (.double, _): false
        case (.string, _), (.array, _), (.object, _): false
        }
    }

    /// The integer that equals the number, if there is one. Does what `Int64(exactly:)` does, which
    /// would link the C mathematics library.
    static func wholeNumber(_ number: Double) -> Int64? {
        guard number >= -0x1p63, number < 0x1p63 else { return nil }
        let whole = Int64(number)
        return Double(whole) == number ? whole : nil
    }
}

/// Limits for one text.
public struct JSONLimits: Sendable {
    /// The maximum nesting depth of arrays and objects. Reading, writing and comparing values need
    /// stack in proportion to it; 64 is far below what any stack allows.
    public var nestingMax: Int
    /// The maximum number of values in a text, including the containers. A value takes about 64
    /// bytes.
    public var valuesMax: Int
    /// Whether a repeated name in an object is an error; otherwise its last value counts.
    public var refusesRepeats: Bool
    /// The maximum length of the name of a member, in bytes of UTF-8.
    public var nameBytesMax = Int.max

    /// The limits for requests, unless others are given.
    public init(
        nestingMax: Int = 64, valuesMax: Int = 100_000, refusesRepeats: Bool = true
    ) {
        self.nestingMax = nestingMax
        self.valuesMax = valuesMax
        self.refusesRepeats = refusesRepeats
    }
}
