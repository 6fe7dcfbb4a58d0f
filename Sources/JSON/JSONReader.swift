/// Reads JSON text piece by piece, without making a tree of it.
///
/// The caller says what should come next and gets it or an error with its place. Every piece is
/// checked strictly; only that names differ within an object is left to the caller, as the reader
/// remembers none.
///
///     var reader = JSONReader(bytes)
///     try reader.beginObject()
///     while try reader.nextKeyRange() != nil {
///         guard reader.keyIs("revision") else { try reader.skipValue(); continue }
///         revision = try reader.readInt()
///     }
///     try reader.expectEnd()
///
/// After `beginObject` the keys are asked for until there is none, and after each key its value is
/// read; after `beginArray` likewise with `nextElement`. Once an error was thrown, the reader's
/// state means nothing more.
package struct JSONReader: Sendable {
    /// The kinds of values that can be told by their first byte.
    package enum Kind: Sendable {
        case null, bool, number, string, array, object
    }

    let bytes: [UInt8]
    let start: Int
    let end: Int
    let limits: JSONLimits
    /// The index in the bytes of what is read next.
    package internal(set) var offset: Int
    private var depth = 0
    private var values = 0
    /// Whether a container was begun and none of its content read.
    private var isAtFirst = false
    private(set) var key = StringToken(range: 0..<0, isEscaped: false)

    /// Reads the bytes in that range, or all of them.
    package init(_ bytes: [UInt8], in range: Range<Int>? = nil, limits: JSONLimits = JSONLimits()) {
        let range = range ?? bytes.indices
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        self.bytes = bytes
        self.limits = limits
        start = range.lowerBound
        end = range.upperBound
        offset = range.lowerBound
    }

    /// The next byte, or 0 (which is never right outside a string) at the end.
    @inline(__always)
    var byte: UInt8 {
        offset < end ? bytes[offset] : 0
    }

    @inline(__always)
    mutating func skipBlanks() {
        while offset < end, bytes[offset] <= 0x20, isBlank(bytes[offset]) {
            offset += 1
        }
    }

    @inline(__always)
    private func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}

// MARK: - Containers

extension JSONReader {
    /// Enters an object.
    package mutating func beginObject() throws(JSONSyntaxError) {
        try begin(UInt8(ascii: "{"), .object)
    }

    /// Enters an array.
    package mutating func beginArray() throws(JSONSyntaxError) {
        try begin(UInt8(ascii: "["), .array)
    }

    /// The name of the next member, or nil: the object has ended.
    package mutating func nextKey() throws(JSONSyntaxError) -> String? {
        guard try nextKeyRange() != nil else { return nil }
        return string(key)
    }

    /// Where the next member's name stands between its quotes, escapes and all; nil: the object
    /// has ended. Makes no string; `keyIs` compares it.
    @inline(__always)
    package mutating func nextKeyRange() throws(JSONSyntaxError) -> Range<Int>? {
        guard try hasNext(before: UInt8(ascii: "}"), .commaOrEndOfObject) else { return nil }
        skipBlanks()
        key = try scanString(.key)
        skipBlanks()
        guard byte == UInt8(ascii: ":") else { throw unexpected(.colon) }
        offset += 1
        return key.range
    }

    /// Whether the key that was read last is this one.
    @inline(__always)
    package func keyIs(_ name: String) -> Bool {
        guard !key.isEscaped else { return JSONText.isSame(string(key), name) }
        return JSONText.isSame(bytes, key.range, name)
    }

    /// Whether the array goes on; false: it has ended.
    package mutating func nextElement() throws(JSONSyntaxError) -> Bool {
        try hasNext(before: UInt8(ascii: "]"), .commaOrEndOfArray)
    }

    /// Checks that nothing but blanks is left.
    package mutating func expectEnd() throws(JSONSyntaxError) {
        skipBlanks()
        guard offset == end else { throw failure(.expected(.endOfText)) }
    }

    private mutating func begin(
        _ open: UInt8, _ expectation: JSONSyntaxError.Expectation
    ) throws(JSONSyntaxError) {
        try approachValue()
        guard byte == open else { throw unexpected(expectation) }
        guard depth < limits.nestingMax else {
            throw failure(.tooDeep(nestingMax: limits.nestingMax))
        }
        depth += 1
        offset += 1
        isAtFirst = true
    }

    @inline(__always)
    private mutating func hasNext(
        before close: UInt8, _ expectation: JSONSyntaxError.Expectation
    ) throws(JSONSyntaxError) -> Bool {
        skipBlanks()
        if byte == close {
            offset += 1
            depth -= 1
            isAtFirst = false
            return false
        }
        if isAtFirst {
            isAtFirst = false
            return true
        }
        guard byte == UInt8(ascii: ",") else { throw unexpected(expectation) }
        offset += 1
        return true
    }
}

// MARK: - Values

extension JSONReader {
    /// The kind of the next value, which is left where it is and not yet checked.
    package mutating func peekKind() throws(JSONSyntaxError) -> Kind {
        skipBlanks()
        switch byte {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: throw unexpected(.value)
        }
    }

    package mutating func readBool() throws(JSONSyntaxError) -> Bool {
        try approachValue()
        if take("true") { return true }
        if take("false") { return false }
        throw unexpected(.boolean)
    }

    /// Reads a null if one comes next; otherwise false, and nothing is read.
    package mutating func readNull() throws(JSONSyntaxError) -> Bool {
        skipBlanks()
        guard byte == UInt8(ascii: "n") else { return false }
        try approachValue()
        guard take("null") else { throw unexpected(.value) }
        return true
    }

    package mutating func readString() throws(JSONSyntaxError) -> String {
        try approachValue()
        return string(try scanString(.string))
    }

    /// Reads a number without fraction and exponent.
    package mutating func readInt() throws(JSONSyntaxError) -> Int {
        try approachValue()
        let place = offset
        guard case .integer(let value) = try scanNumber(.integer) else {
            throw failure(.expected(.integer), at: place)
        }
        return Int(value)
    }

    /// Passes over a whole value, checks it strictly and returns where it stands, without the
    /// blanks around it. The one thing that is not found is a name that is there twice.
    @discardableResult
    package mutating func skipValue() throws(JSONSyntaxError) -> Range<Int> {
        let kind = try peekKind()
        let first = offset
        switch kind {
        case .object:
            try beginObject()
            while try nextKeyRange() != nil { try skipValue() }
        case .array:
            try beginArray()
            while try nextElement() { try skipValue() }
        case .string:
            try approachValue()
            _ = try scanString(.string)
        case .number:
            try approachValue()
            _ = try scanNumber(.value)
        case .bool: _ = try readBool()
        case .null: _ = try readNull()
        }
        return first..<offset
    }

    /// Goes to the next value's first byte and counts the value.
    @inline(__always)
    mutating func approachValue() throws(JSONSyntaxError) {
        skipBlanks()
        values += 1
        guard values <= limits.valuesMax else {
            throw failure(.tooManyValues(valuesMax: limits.valuesMax))
        }
    }

    private mutating func take(_ word: String) -> Bool {
        let length = word.utf8.count
        guard length <= end - offset,
            JSONText.isSame(bytes, offset..<offset + length, word)
        else { return false }
        offset += length
        return true
    }
}

// MARK: - Errors

extension JSONReader {
    @inline(never)
    func failure(
        _ reason: JSONSyntaxError.Reason, at place: Int? = nil
    ) -> JSONSyntaxError {
        JSONSyntaxError(reason, at: place ?? offset, in: bytes, from: start)
    }

    /// What stands here is not what should.
    @inline(never)
    func unexpected(_ expectation: JSONSyntaxError.Expectation) -> JSONSyntaxError {
        guard offset < end else { return failure(.textEnds) }
        let isMark = offset == start && bytes[offset..<end].starts(with: [0xEF, 0xBB, 0xBF])
        return failure(isMark ? .byteOrderMark : .expected(expectation))
    }
}
