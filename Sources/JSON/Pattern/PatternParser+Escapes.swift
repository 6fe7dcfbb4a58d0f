internal import Bytes

extension PatternParser {
    /// Reads an escape outside a class.
    mutating func parseEscape() throws(PatternError) -> (PatternNode, isRepeatable: Bool) {
        if take(all: "\\b") { return (.wordBoundary(isNegated: false), false) }
        if take(all: "\\B") { return (.wordBoundary(isNegated: true), false) }
        if let reference = try parseReference() { return (reference, true) }
        if let set = try parseSetEscape() { return (.set(set), true) }
        return (.scalar(try parseScalarEscape(inClass: false)), true)
    }

    /// Reads `[…]`.
    mutating func parseClass() throws(PatternError) -> ScalarSet {
        let first = position
        position += 1
        let isNegated = take("^")
        var set = ScalarSet()
        while !take("]") {
            guard !isAtEnd else { throw failure(.classNotClosed, at: first) }
            try parseClassMember(into: &set)
        }
        set.normalize()
        set.isNegated = isNegated
        return set
    }

    private mutating func parseClassMember(into set: inout ScalarSet) throws(PatternError) {
        let first = position
        let low = try parseClassAtom(into: &set)
        guard peek == "-", let after = peek(1), after != "]" else {
            if let low { set.insert(low...low) }
            return
        }
        position += 1
        guard let low, let high = try parseClassAtom(into: &set) else {
            throw failure(.classInRange, at: first)
        }
        guard low <= high else { throw failure(.rangeOutOfOrder, at: first) }
        set.insert(low...high)
    }

    /// Reads a member of a class. Returns nil if it is a set, which is added to the class.
    private mutating func parseClassAtom(into set: inout ScalarSet) throws(PatternError) -> UInt32?
    {
        guard let next = peek else { throw failure(.patternEnds) }
        guard next == "\\" else {
            position += 1
            return next.value
        }
        if let named = try parseSetEscape() {
            set.formUnion(named)
            return nil
        }
        return try parseScalarEscape(inClass: true)
    }

    /// Reads `\d`, `\w`, `\s`, `\p{…}` or one of their complements. Returns nil for other escapes.
    private mutating func parseSetEscape() throws(PatternError) -> ScalarSet? {
        guard let letter = peek(1) else { return nil }
        if let set = ScalarSet.named(letter) {
            position += 2
            return set
        }
        guard letter == "p" || letter == "P" else { return nil }
        let set = try parseProperty()
        return letter == "P" ? set.negated : set
    }

    private mutating func parseProperty() throws(PatternError) -> ScalarSet {
        let first = position
        position += 2
        guard take("{") else { throw failure(.invalidEscape("\\p without {…}"), at: first) }
        var name = ""
        while let next = peek, next != "}" {
            name.unicodeScalars.append(next)
            position += 1
        }
        guard take("}") else { throw failure(.patternEnds) }
        if let set = ScalarSet.property(name) { return set }
        let isScript = ["Script=", "sc=", "Script_Extensions=", "scx="].contains {
            name.hasPrefix($0)
        }
        throw failure(isScript ? .scriptsNotSupported : .unknownProperty(name), at: first)
    }

    /// Reads an escape for one scalar.
    private mutating func parseScalarEscape(inClass: Bool) throws(PatternError) -> UInt32 {
        let first = position
        position += 1
        guard let letter = peek else { throw failure(.patternEnds) }
        position += 1
        switch letter {
        case "t": return 0x09
        case "n": return 0x0A
        case "v": return 0x0B
        case "f": return 0x0C
        case "r": return 0x0D
        case "b" where inClass: return 0x08
        case "-" where inClass: return letter.value
        case "0":
            if let digit = peek, ("0"..."9").contains(digit) { break }
            return 0
        case "c":
            guard let control = peek, control.isASCII, control.properties.isAlphabetic else {
                break
            }
            position += 1
            return control.value % 32
        case "x":
            guard let value = parseHex(digits: 2) else { break }
            return value
        case "u":
            guard let value = parseUnicode() else { break }
            return value
        default:
            if "^$\\.*+?()[]{}|/".unicodeScalars.contains(letter) { return letter.value }
        }
        throw failure(.invalidEscape("\\\(letter)"), at: first)
    }

    /// Reads what follows `\u`: `XXXX`, a pair of surrogates, or `{X…}`.
    private mutating func parseUnicode() -> UInt32? {
        guard take("{") else {
            guard let unit = parseHex(digits: 4) else { return nil }
            return unit & 0xFC00 == 0xD800 ? parsePair(high: unit) : unit
        }
        var value: UInt32 = 0
        let first = position
        while let digit = hexDigit(0) {
            value = value << 4 | digit
            guard value <= 0x10FFFF else { return nil }
            position += 1
        }
        return position > first && take("}") ? value : nil
    }

    /// The scalar of a surrogate pair, or the high surrogate, which never matches, if no low one
    /// follows.
    private mutating func parsePair(high: UInt32) -> UInt32 {
        let before = position
        if take(all: "\\u"), let low = parseHex(digits: 4), low & 0xFC00 == 0xDC00 {
            return 0x1_0000 + (high - 0xD800) << 10 + (low - 0xDC00)
        }
        position = before
        return high
    }

    private mutating func parseHex(digits: Int) -> UInt32? {
        var value: UInt32 = 0
        for distance in 0..<digits {
            guard let digit = hexDigit(distance) else { return nil }
            value = value << 4 | digit
        }
        position += digits
        return value
    }

    private func hexDigit(_ distance: Int) -> UInt32? {
        guard let scalar = peek(distance), let byte = UInt8(exactly: scalar.value) else {
            return nil
        }
        return Hexadecimal.value(byte).map { UInt32($0) }
    }
}
