internal import Bytes

/// A pattern as a tree.
indirect enum PatternNode: Sendable {
    case scalar(UInt32)
    case set(ScalarSet)
    case sequence([PatternNode])
    case alternatives([PatternNode])
    /// A group that captures; groups are numbered from 1.
    case capture(Int, PatternNode)
    case textStart, textEnd
    case wordBoundary(isNegated: Bool)
    case look(PatternNode, isBehind: Bool, isNegated: Bool)
    case reference(Int)
    case namedReference(ExactString)
    case repeated(PatternNode, PatternRepeats)
}

/// The bounds of a repetition, and the groups whose captures it clears.
struct PatternRepeats: Sendable {
    var least: Int
    /// `Int.max` for no limit.
    var most: Int
    var isLazy = false
    var groups = 0..<0
}

/// Parses the grammar of ECMA-262 §22.2.1 with the `u` flag.
struct PatternParser {
    private let scalars: [Unicode.Scalar]
    var position = 0
    private var depth = 0
    private(set) var groupCount = 0
    private(set) var names: [ExactString: Int] = [:]
    /// References may precede their groups, so they are checked at the end.
    private var references: [(name: ExactString, position: Int)] = []

    init(_ source: String) {
        scalars = Array(source.unicodeScalars)
    }

    mutating func parse() throws(PatternError) -> PatternNode {
        guard scalars.count <= Pattern.lengthMax else { throw failure(.tooLong) }
        let tree = try parseAlternatives()
        guard isAtEnd else { throw failure(.unmatchedParenthesis) }
        for reference in references where !isKnown(reference.name) {
            throw failure(.unknownReference(reference.name.text), at: reference.position)
        }
        return tree
    }

    private func isKnown(_ reference: ExactString) -> Bool {
        if names[reference] != nil { return true }
        return Int(reference.text).map { $0 <= groupCount } ?? false
    }

    private mutating func parseAlternatives() throws(PatternError) -> PatternNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Pattern.nestingMax else { throw failure(.tooDeep) }
        var alternatives = [try parseSequence()]
        while take("|") {
            alternatives.append(try parseSequence())
        }
        return alternatives.count == 1 ? alternatives[0] : .alternatives(alternatives)
    }

    private mutating func parseSequence() throws(PatternError) -> PatternNode {
        var nodes: [PatternNode] = []
        while let next = peek, next != "|", next != ")" {
            nodes.append(try parseTerm(next))
        }
        return nodes.count == 1 ? nodes[0] : .sequence(nodes)
    }

    private mutating func parseTerm(_ next: Unicode.Scalar) throws(PatternError) -> PatternNode {
        let first = position
        let groupsBefore = groupCount
        let (node, isRepeatable) = try parseAtom(next)
        guard let peek, "*+?{".unicodeScalars.contains(peek) else { return node }
        guard isRepeatable else { throw failure(.nothingToRepeat, at: first) }
        var repeats = try parseRepeats()
        repeats.isLazy = take("?")
        repeats.groups = groupsBefore + 1..<groupCount + 1
        return .repeated(node, repeats)
    }

    private mutating func parseAtom(
        _ next: Unicode.Scalar
    ) throws(PatternError) -> (PatternNode, isRepeatable: Bool) {
        switch next {
        case "^":
            position += 1
            return (.textStart, false)
        case "$":
            position += 1
            return (.textEnd, false)
        case "(": return try parseGroup()
        case "[": return (.set(try parseClass()), true)
        case ".":
            position += 1
            return (.set(.anyButLineEnds), true)
        case "\\": return try parseEscape()
        case "*", "+", "?": throw failure(.nothingToRepeat)
        case "]", "{", "}": throw failure(.loneBracket(next))
        default:
            position += 1
            return (.scalar(next.value), true)
        }
    }

    private mutating func parseRepeats() throws(PatternError) -> PatternRepeats {
        if take("*") { return PatternRepeats(least: 0, most: .max) }
        if take("+") { return PatternRepeats(least: 1, most: .max) }
        if take("?") { return PatternRepeats(least: 0, most: 1) }
        let first = position
        position += 1
        guard let least = try parseNumber() else { throw failure(.loneBracket("{"), at: first) }
        var most = least
        if take(",") { most = try parseNumber() ?? .max }
        guard take("}") else { throw failure(.loneBracket("{"), at: first) }
        guard least <= most else { throw failure(.repeatsOutOfOrder, at: first) }
        return PatternRepeats(least: least, most: most)
    }

    /// Reads a decimal number, or returns nil if the next character is not a digit.
    mutating func parseNumber() throws(PatternError) -> Int? {
        var number: Int?
        while let digit = peek, ("0"..."9").contains(digit) {
            number = (number ?? 0) * 10 + Int(digit.value - 0x30)
            guard number ?? 0 <= Pattern.repeatsMax else { throw failure(.tooManyRepeats) }
            position += 1
        }
        return number
    }
}

// MARK: - Groups and references

extension PatternParser {
    private mutating func parseGroup() throws(PatternError) -> (PatternNode, isRepeatable: Bool) {
        let first = position
        position += 1
        guard take("?") else { return (try parseCapture(from: first), true) }
        if take(":") { return (try parseClosed(from: first), true) }
        for (mark, isBehind, isNegated) in [
            ("=", false, false), ("!", false, true), ("<=", true, false), ("<!", true, true),
        ] where take(all: mark) {
            let node = try parseClosed(from: first)
            return (.look(node, isBehind: isBehind, isNegated: isNegated), false)
        }
        guard peek == "<" else { throw failure(.unknownGroup, at: first) }
        let name = try parseGroupName()
        guard names[name] == nil else { throw failure(.duplicateGroupName(name.text), at: first) }
        names[name] = groupCount + 1
        return (try parseCapture(from: first), true)
    }

    private mutating func parseCapture(from first: Int) throws(PatternError) -> PatternNode {
        groupCount += 1
        let number = groupCount
        return .capture(number, try parseClosed(from: first))
    }

    private mutating func parseClosed(from first: Int) throws(PatternError) -> PatternNode {
        let node = try parseAlternatives()
        guard take(")") else { throw failure(.groupNotClosed, at: first) }
        return node
    }

    /// Reads `<name>`.
    private mutating func parseGroupName() throws(PatternError) -> ExactString {
        guard take("<") else { throw failure(.invalidGroupName) }
        var name = ""
        while let next = peek, next != ">" {
            let properties = next.properties
            let isFirst = next == "_" || next == "$" || properties.isIDStart
            guard isFirst || (!name.isEmpty && properties.isIDContinue) else {
                throw failure(.invalidGroupName)
            }
            name.unicodeScalars.append(next)
            position += 1
        }
        guard take(">"), !name.isEmpty else { throw failure(.invalidGroupName) }
        return ExactString(name)
    }

    /// Reads `\1` or `\k<name>`. Returns nil if there is neither.
    mutating func parseReference() throws(PatternError) -> PatternNode? {
        let first = position
        if take(all: "\\k") {
            let name = try parseGroupName()
            references.append((name, first))
            return .namedReference(name)
        }
        guard let digit = peek(1), ("1"..."9").contains(digit) else { return nil }
        position += 1
        let number = try parseNumber() ?? 0
        references.append((ExactString(String(number)), first))
        return .reference(number)
    }
}

// MARK: - Reading scalars

extension PatternParser {
    var isAtEnd: Bool { position >= scalars.count }
    var peek: Unicode.Scalar? { peek(0) }

    func peek(_ distance: Int) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        position += 1
        return true
    }

    mutating func take(all text: String) -> Bool {
        guard scalars[min(position, scalars.count)...].starts(with: text.unicodeScalars) else {
            return false
        }
        position += text.unicodeScalars.count
        return true
    }

    func failure(_ reason: PatternError.Reason, at offset: Int? = nil) -> PatternError {
        PatternError(
            offset: offset ?? position, reason: isAtEnd && offset == nil ? atEnd(reason) : reason)
    }

    /// At the end of the pattern, most errors mean that something is missing.
    private func atEnd(_ reason: PatternError.Reason) -> PatternError.Reason {
        reason == .tooLong || reason == .tooDeep ? reason : .patternEnds
    }
}
