internal import Bytes

// JSON: text and values, and what may be said about values.
//
// This room turns bytes into JSON values and back, strictly and with places for errors, and checks
// values against a JSON Schema. It knows nothing of navigation, of HTTP or of files; it imports
// nothing but the standard library.
//
// What it is not: it is no `Codable` coder, it keeps no source text, comments or number spellings,
// it never guesses. A text is either JSON as RFC 8259 has it or it is refused with the line and
// the column of the first thing that is wrong.
//
// The rules, by number:
//
//  1. A text is one value. Behind it only blanks may follow; before it no byte order mark.
//  2. Text is UTF-8 without exceptions: no overlong forms, no surrogates, no escape that leaves
//     half of a surrogate pair. Control characters are escaped.
//  3. An object never has two members of one name. Names and strings are the same if their Unicode
//     scalars are: "é" in its composed and decomposed spelling are two names, although `==` of
//     Swift's `String` says otherwise. Inside this room strings are compared by `JSONText.isSame`.
//  4. Objects keep the order of their members; for equality it does not count.
//  5. A number without fraction and exponent is an integer and lies in the range of `Int64`, or it
//     is refused. Any other number is the nearest finite `Double`; one that would be infinite is
//     refused, one too small is zero. `-0` is the integer 0; `-0.0` stays a double.
//  6. 1 equals 1.0. The comparison is exact: 9007199254740993 does not equal 9007199254740992.0.
//  7. Writing is deterministic, compact, and escapes only what must be escaped. What was written
//     reads back as an equal value of the same cases: a double always has a point or an exponent.
//  8. Everything is bounded: nesting, the number of values, and with them memory, stack and time.
//
// Where to read on: `JSONReader` reads text piece by piece (the tree parser is built on it),
// `ByteWriter` writes it piece by piece, `JSONPointer` names a place in a value, `JSONSchema` says
// which values are welcome, `Pattern` is its regular expressions.
//
//     let body = try JSON(parsing: Array(#"{"route": "contactList", "count": 2}"#.utf8))
//     guard case .object(let members) = body else { … }
//     members["route"]        // .string("contactList")
//     body.text               // {"route":"contactList","count":2}

/// A JSON value.
package enum JSON: Sendable {
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
    /// Compares as JSON does: numbers by value, strings by their scalars, objects in any order.
    package static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.double(let a), .double(let b)): a == b
        case (.integer(let a), .double(let b)): wholeNumber(b) == a
        case (.double(let a), .integer(let b)): wholeNumber(a) == b
        case (.string(let a), .string(let b)): JSONText.isSame(a, b)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        case (.null, _), (.bool, _), (.integer, _), (.double, _): false
        case (.string, _), (.array, _), (.object, _): false
        }
    }

    /// The integer that is exactly this number, or nil. It does what `Int64(exactly:)` does, which
    /// would need the C library's mathematics at link time.
    static func wholeNumber(_ number: Double) -> Int64? {
        guard number >= -0x1p63, number < 0x1p63 else { return nil }
        let whole = Int64(number)
        return Double(whole) == number ? whole : nil
    }
}

/// How much one text may ask of us.
package struct JSONLimits: Sendable {
    /// How deep arrays and objects may stand in each other. Reading, writing and comparing values
    /// take stack in proportion to it; 64 is far from any stack's end.
    package var nestingMax: Int
    /// How many values a text may have, itself and its containers included. One takes some
    /// 64 bytes.
    package var valuesMax: Int
    /// Whether a name that is in an object twice is an error; else its last value counts.
    package var refusesRepeats: Bool

    package init(
        nestingMax: Int = 64, valuesMax: Int = 100_000, refusesRepeats: Bool = true
    ) {
        self.nestingMax = nestingMax
        self.valuesMax = valuesMax
        self.refusesRepeats = refusesRepeats
    }
}
