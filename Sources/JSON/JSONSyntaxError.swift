internal import Bytes

/// Why a text is not the expected JSON, and where.
public struct JSONSyntaxError: Error, Equatable, Sendable {
    /// The number of bytes before the error.
    public var offset: Int
    /// The line, from 1. Lines end with a line feed.
    public var line: Int
    /// The column, from 1, in Unicode scalars.
    public var column: Int
    /// The reason.
    public var reason: Reason

    /// The kinds of errors.
    public enum Reason: Equatable, Sendable {
        /// The text ends inside a value, or is empty.
        case textEnds
        /// Something else was found.
        case expected(Expectation)
        case byteOrderMark
        case invalidUTF8
        /// A string contains a character below U+0020 that is not escaped.
        case controlCharacter
        case invalidEscape
        /// An escape is one half of a surrogate pair, and the other one is missing.
        case loneSurrogate
        case leadingZero
        case missingDigit
        case integerOutOfRange
        case doubleOutOfRange
        case duplicateKey(String)
        case tooDeep(nestingMax: Int)
        case tooManyValues(valuesMax: Int)
        case nameTooLong(bytesMax: Int)
    }

    /// The expected character or value.
    public enum Expectation: String, Sendable {
        case value = "a value"
        case key = "a member name in double quotes"
        case colon = "a colon"
        case commaOrEndOfObject = "a comma or }"
        case commaOrEndOfArray = "a comma or ]"
        case endOfText = "the end of the text"
        case object = "an object"
        case array = "an array"
        case string = "a string"
        case integer = "an integer"
        case boolean = "true or false"
    }
}

extension JSONSyntaxError.Reason {
    /// The error as a sentence without a full stop.
    public var sentence: String {
        switch self {
        case .textEnds: "the text ends before the value is complete"
        case .expected(let expectation): "expected \(expectation.rawValue)"
        case .byteOrderMark: "a byte order mark is not allowed"
        case .invalidUTF8: "the text is not valid UTF-8"
        case .controlCharacter: "control characters in strings must be escaped"
        case .invalidEscape: "the escape sequence is invalid"
        case .loneSurrogate: "the escape sequence is half of a surrogate pair"
        case .leadingZero: "a number must not have leading zeros"
        case .missingDigit: "expected a digit"
        case .integerOutOfRange: "the integer does not fit into 64 bits"
        case .doubleOutOfRange: "the number is too large"
        case .duplicateKey(let key): "the name \"\(key)\" is repeated"
        case .tooDeep(let max): "the maximum nesting depth is \(max)"
        case .tooManyValues(let max): "the maximum number of values is \(max)"
        case .nameTooLong(let max): "a name can have at most \(max) bytes"
        }
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    public var description: String {
        "line \(line), column \(column): \(reason.sentence)"
    }
}

extension JSONSyntaxError {
    /// An error at an index of the bytes. The line and the column are counted here, at most once
    /// for a text.
    init(_ reason: Reason, at index: Int, in bytes: [UInt8], from start: Int) {
        let place = TextPosition(of: index, in: bytes, from: start)
        self.reason = reason
        offset = index - start
        (line, column) = (place.line, place.column)
    }
}
