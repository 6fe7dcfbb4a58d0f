internal import Bytes
internal import JSON

/// A segment of a pattern: literal texts with captures between them.
///
/// | segment          | matches                                      | rank |
/// | ---------------- | -------------------------------------------- | ---- |
/// | `post`           | exactly this text                            | 0    |
/// | `@{a},{b}`       | one segment with these texts in it           | 1    |
/// | `{name}`         | one segment that is not empty                | 2    |
/// | `{name*}`        | one or more segments                         | 3    |
struct LinkSegment: Sendable {
    /// The literal texts; one more than there are captures.
    private(set) var literals: [LinkLiteral] = []
    private(set) var captures: [Capture] = []
    /// Whether the capture stands for one or more segments.
    private(set) var isRest = false

    struct Capture: Sendable {
        var name: String
        /// Whether it goes into a param that takes only integers.
        var isInteger = false
    }

    /// The most captures in a segment.
    static let capturesMax = 8

    /// Reads a segment of a pattern.
    ///
    /// - Parameter ignoringCase: whether literal texts match in other case, too.
    init(_ piece: LinkURL.Bytes, ignoringCase: Bool) throws(LinkPattern.Malformed) {
        var plain = piece
        while let open = plain.firstIndex(of: UInt8(ascii: "{")) {
            let close = plain[open...].firstIndex(of: UInt8(ascii: "}"))
            guard let close else { throw LinkLiteral.malformed }
            literals.append(try LinkLiteral(plain[..<open], ignoringCase: ignoringCase))
            var name = plain[plain.index(after: open)..<close]
            if name.last == UInt8(ascii: "*") {
                isRest = true
                name = name.dropLast()
            }
            captures.append(Capture(name: try LinkPattern.name(name)))
            plain = plain[plain.index(after: close)...]
        }
        literals.append(try LinkLiteral(plain, ignoringCase: ignoringCase))
        try check()
    }

    private func check() throws(LinkPattern.Malformed) {
        guard captures.count <= Self.capturesMax else {
            throw LinkPattern.Malformed(
                detail: "must have at most \(Self.capturesMax) captures in a segment")
        }
        for (index, literal) in literals.enumerated().dropFirst().dropLast()
        where literal.text.isEmpty {
            let (left, right) = (captures[index - 1].name, captures[index].name)
            throw LinkPattern.Malformed(
                detail: "must have literal text between {\(left)} and {\(right)}")
        }
        if isRest, captures.count > 1 {
            throw LinkPattern.Malformed(
                detail: "must have no other capture in the segment of {name*}")
        }
    }

    var rank: Int {
        if captures.isEmpty { return 0 }
        if isRest { return 3 }
        return isAffixed ? 1 : 2
    }

    /// Whether there is literal text beside the captures.
    var isAffixed: Bool { literals.contains { !$0.text.isEmpty } }

    /// The segment as text, with decoded literals.
    var pattern: String {
        var text = literals[0].spelling
        for (capture, literal) in zip(captures, literals.dropFirst()) {
            text += "{\(capture.name)}" + literal.spelling
        }
        return text
    }

    /// The segment whose literal texts match in other case, too.
    var ignoringCase: LinkSegment {
        var other = self
        other.literals = literals.map { $0.withoutCase }
        return other
    }

    /// Marks the captures that go into params which take only integers.
    mutating func mark(integers: Set<ExactString>) {
        for index in captures.indices {
            captures[index].isInteger = integers.contains(ExactString(captures[index].name))
        }
    }
}

/// A literal text of a pattern.
struct LinkLiteral: Sendable {
    /// The decoded text; in lower case if the case of letters does not count.
    let text: String
    /// The decoded text as the pattern has it.
    let spelling: String
    /// The text as a URL has it.
    let written: String
    let ignoresCase: Bool

    static let malformed = LinkPattern.Malformed(detail: "has an invalid escape or brace")

    init(
        _ raw: LinkURL.Bytes, ignoringCase: Bool, isQuery: Bool = false
    ) throws(LinkPattern.Malformed) {
        guard let text = LinkURL.decoded(raw, plusIsBlank: isQuery),
            !raw.contains(UInt8(ascii: "{")), !raw.contains(UInt8(ascii: "}"))
        else { throw Self.malformed }
        spelling = text
        self.text = ignoringCase ? text.inLowerCase : text
        written = Self.written(raw)
        ignoresCase = ignoringCase
    }

    private init(withoutCase literal: LinkLiteral) {
        text = literal.text.inLowerCase
        (spelling, written) = (literal.spelling, literal.written)
        ignoresCase = true
    }

    /// The text that matches in other case, too.
    fileprivate var withoutCase: LinkLiteral { LinkLiteral(withoutCase: self) }

    /// Whether these bytes are the text.
    func matches(_ bytes: some Collection<UInt8>) -> Bool {
        ignoresCase
            ? bytes.lazy.map(ASCII.lowercased).elementsEqual(text.utf8)
            : bytes.elementsEqual(text.utf8)
    }

    /// The raw text of a pattern in a URL: its escapes stay, and what a URL cannot contain is
    /// escaped.
    static func written(_ raw: LinkURL.Bytes) -> String {
        var out: [UInt8] = []
        for byte in raw {
            if isAllowed(byte) || byte == ASCII.percent {
                out.append(byte)
            } else {
                out.append(ASCII.percent)
                out.append(Hexadecimal.uppercaseDigit(byte >> 4))
                out.append(Hexadecimal.uppercaseDigit(byte & 15))
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// `pchar` of RFC 3986 §3.3 without escapes, and `/` and `?`, which a query can have.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) || "!$&'()*+,;=:@/?".utf8.contains(byte)
    }
}

// MARK: - Matching

extension LinkSegment {
    /// Whether a segment of a URL matches; then the captures have their values. The segment is not
    /// a rest.
    func matches(
        _ text: String, _ found: inout Captures, work: WorkBudget
    ) throws(WorkBudgetError) -> Bool {
        let bytes = text.utf8
        guard let first = literals.first, let last = literals.last, !captures.isEmpty else {
            return literals[0].matches(bytes)
        }
        let (prefix, suffix) = (first.text.utf8.count, last.text.utf8.count)
        guard bytes.count > prefix + suffix, first.matches(bytes.prefix(prefix)),
            last.matches(bytes.suffix(suffix))
        else { return false }
        guard captures.count > 1 else {
            let value = bytes.dropFirst(prefix).dropLast(suffix)
            found[captures[0].name] = String(Substring(value))
            return true
        }
        return try divide(text, into: &found, work: work)
    }

    /// Divides a text into several captures.
    func divide(
        _ text: String, _ rule: SegmentDivision.Rule = .typed, into found: inout Captures,
        work: WorkBudget
    ) throws(WorkBudgetError) -> Bool {
        // Then no literal is longer than the text, whose length is what counts.
        let least = literals.reduce(rule == .empty ? 0 : captures.count) { $0 + $1.text.utf8.count }
        guard text.utf8.count >= least else { return false }
        let bytes = Array(text.utf8)
        try work.spend(.steps((bytes.count + 8) * (captures.count + 1)))
        guard let ranges = SegmentDivision(of: bytes, by: self, rule: rule).ranges() else {
            return false
        }
        for (capture, range) in zip(captures, ranges) {
            found[capture.name] = String(decoding: bytes[range], as: UTF8.self)
        }
        return true
    }

    /// The value of the rest in these segments of a URL, or nil if they do not match.
    func rest(_ texts: ArraySlice<String>) -> String? {
        guard let first = texts.first, let last = texts.last else { return nil }
        let (prefix, suffix) = (literals[0].text.utf8.count, literals[1].text.utf8.count)
        guard isAffixed else { return texts.joined(separator: "/") }
        // There is at least one character beside each text.
        let hasRoom =
            texts.count == 1
            ? first.utf8.count > prefix + suffix
            : (prefix == 0 || first.utf8.count > prefix)
                && (suffix == 0 || last.utf8.count > suffix)
        guard hasRoom, literals[0].matches(first.utf8.prefix(prefix)),
            literals[1].matches(last.utf8.suffix(suffix))
        else { return nil }
        let whole = texts.joined(separator: "/").utf8
        return String(Substring(whole.dropFirst(prefix).dropLast(suffix)))
    }

    /// The segment of a URL that captures these values, or nil if none does.
    func written(_ values: Captures) -> String? {
        var text = literals[0].written
        for (capture, literal) in zip(captures, literals.dropFirst()) {
            guard let value = values[capture.name], isRest || !value.isEmpty else { return nil }
            text += isRest ? PercentCoding.encodePath(value) : PercentCoding.encode(value)
            text += literal.written
        }
        return text
    }
}
