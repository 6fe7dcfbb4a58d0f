internal import Bytes

/// Reads JSON text piece by piece, without building a `JSON` value.
///
/// The caller asks for what should come next and gets it, or an error with its position. Everything
/// is checked strictly, except that the names in an object are unique, since the reader does not
/// store them.
///
///     var reader = JSONReader(bytes)
///     try reader.beginObject()
///     while try reader.nextKeyRange() != nil {
///         guard reader.keyIs("revision") else { try reader.skipValue(); continue }
///         revision = try reader.readInt()
///     }
///     try reader.expectEnd()
///
/// After `beginObject`, ask for keys until there is none, and read the value after each key; after
/// `beginArray`, do the same with `nextElement`. The reader cannot be used after an error.
///
/// Four functions are always inlined: `skipBlanks`, `hasNext`, `scanString` and `skipPlain`.
/// Without that, parsing the body of a change takes 10 % more instructions.
public struct JSONReader: Sendable {
    /// The kinds of values, which differ in their first bytes.
    public enum Kind: Sendable {
        case null, bool, number, string, array, object
    }

    let bytes: [UInt8]
    let start: Int
    let end: Int
    let limits: JSONLimits
    /// The index of the next byte.
    public internal(set) var offset: Int
    private var depth = 0
    private var values = 0
    /// Whether a container was entered and nothing in it has been read.
    private var isAtFirst = false
    private(set) var key = StringToken(range: 0..<0, isEscaped: false)

    /// A reader for a range of the bytes, by default for all of them.
    public init(_ bytes: [UInt8], in range: Range<Int>? = nil, limits: JSONLimits = JSONLimits()) {
        let range = range ?? bytes.indices
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        self.bytes = bytes
        self.limits = limits
        start = range.lowerBound
        end = range.upperBound
        offset = range.lowerBound
    }

    /// The next byte; at the end 0, which is never valid outside a string.
    var byte: UInt8 {
        offset < end ? bytes[offset] : 0
    }

    @inline(__always)
    mutating func skipBlanks() {
        while offset < end, bytes[offset] <= 0x20, isBlank(bytes[offset]) {
            offset += 1
        }
    }

    private func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}

// MARK: - Containers

extension JSONReader {
    /// Enters an object.
    public mutating func beginObject() throws(JSONSyntaxError) {
        try begin(UInt8(ascii: "{"), .object)
    }

    /// Enters an array.
    public mutating func beginArray() throws(JSONSyntaxError) {
        try begin(UInt8(ascii: "["), .array)
    }

    /// Reads the name of the next member. Returns nil if the object has ended.
    public mutating func nextKey() throws(JSONSyntaxError) -> String? {
        guard try nextKeyRange() != nil else { return nil }
        return string(key)
    }

    /// Reads the name of the next member without creating a string; `keyIs` compares it.
    ///
    /// - Returns: the range between the quotes, with escapes, or nil if the object has ended.
    public mutating func nextKeyRange() throws(JSONSyntaxError) -> Range<Int>? {
        guard try hasNext(before: UInt8(ascii: "}"), .commaOrEndOfObject) else { return nil }
        skipBlanks()
        key = try scanString(.key)
        skipBlanks()
        guard byte == UInt8(ascii: ":") else { throw unexpected(.colon) }
        offset += 1
        return key.range
    }

    /// Whether the key that was read last equals a name.
    public func keyIs(_ name: String) -> Bool {
        guard !key.isEscaped else { return string(key) == name }
        return has(name, at: key.range)
    }

    /// Moves to the next element. Returns false at the end of the array.
    public mutating func nextElement() throws(JSONSyntaxError) -> Bool {
        try hasNext(before: UInt8(ascii: "]"), .commaOrEndOfArray)
    }

    /// Checks that only blanks are left.
    public mutating func expectEnd() throws(JSONSyntaxError) {
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
    /// The kind of the next value, which is not read and not checked.
    public mutating func peekKind() throws(JSONSyntaxError) -> Kind {
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

    /// Reads `true` or `false`.
    public mutating func readBool() throws(JSONSyntaxError) -> Bool {
        try approachValue()
        if take("true") { return true }
        if take("false") { return false }
        throw unexpected(.boolean)
    }

    /// Reads `null` if it comes next; otherwise returns false and reads nothing.
    public mutating func readNull() throws(JSONSyntaxError) -> Bool {
        skipBlanks()
        guard byte == UInt8(ascii: "n") else { return false }
        try approachValue()
        guard take("null") else { throw unexpected(.value) }
        return true
    }

    /// Reads a string and decodes its escapes.
    public mutating func readString() throws(JSONSyntaxError) -> String {
        try approachValue()
        return string(try scanString(.string))
    }

    /// Reads an integer.
    public mutating func readInt() throws(JSONSyntaxError) -> Int {
        try approachValue()
        let first = offset
        guard case .integer(let value) = try scanNumber(.integer) else {
            throw failure(.expected(.integer), at: first)
        }
        return Int(value)
    }

    /// Skips a complete value and checks it, except for repeated names in objects.
    ///
    /// - Returns: the range of the value without the blanks around it.
    @discardableResult
    public mutating func skipValue() throws(JSONSyntaxError) -> Range<Int> {
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

    /// Moves to the first byte of the next value and counts the value.
    mutating func approachValue() throws(JSONSyntaxError) {
        skipBlanks()
        values += 1
        guard values <= limits.valuesMax else {
            throw failure(.tooManyValues(valuesMax: limits.valuesMax))
        }
    }

    /// Whether a range of the text is a string.
    private func has(_ text: String, at range: Range<Int>) -> Bool {
        text.withBytes { bytes.span.extracting(range).isSame(as: $0) }
    }

    private mutating func take(_ word: String) -> Bool {
        let length = word.utf8.count
        guard length <= end - offset,
            has(word, at: offset..<offset + length)
        else { return false }
        offset += length
        return true
    }
}

// MARK: - Errors

extension JSONReader {
    @inline(never)
    func failure(
        _ reason: JSONSyntaxError.Reason, at position: Int? = nil
    ) -> JSONSyntaxError {
        JSONSyntaxError(reason, at: position ?? offset, in: bytes, from: start)
    }

    /// The error for a byte that is not what was expected.
    @inline(never)
    func unexpected(_ expectation: JSONSyntaxError.Expectation) -> JSONSyntaxError {
        guard offset < end else { return failure(.textEnds) }
        let isMark = offset == start && bytes[offset..<end].starts(with: [0xEF, 0xBB, 0xBF])
        return failure(isMark ? .byteOrderMark : .expected(expectation))
    }
}
