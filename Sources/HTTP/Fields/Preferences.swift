internal import Bytes

/// The preferences in all lines of `Prefer` (RFC 7240).
///
/// Preferences are optional: unknown and malformed ones are ignored and no request is refused. The
/// first occurrence of a preference counts (§2).
public struct Preferences: Equatable, Sendable {
    /// `wait=` in seconds, at most 999,999,999.
    public var waitSeconds: Int?
    /// True for `return=minimal`, false for `return=representation`.
    public var returnsMinimal: Bool?
    /// True for `handling=strict`, false for `handling=lenient`.
    public var isStrict: Bool?

    /// No preferences.
    public init() {}

    /// The preferences of a request.
    public init(_ request: borrowing Request) {
        var seen: Set<ExactString> = []
        for line in request.lines(of: .prefer) { read(request.bytes, line, seen: &seen) }
    }

    private mutating func read(
        _ bytes: [UInt8], _ line: Range<Int>, seen: inout Set<ExactString>
    ) {
        var scanner = FieldScanner(bytes, line)
        scanner.skipEmptyElements()
        while !scanner.isAtEnd {
            guard let name = scanner.token() else { return }
            var value: [UInt8] = []
            if scanner.take(ASCII.equals) {
                guard let word = scanner.word() else { return }
                value = word
            }
            let text = scanner.lowercased(name)
            if seen.insert(ExactString(text)).inserted {
                set(text, to: value.map(ASCII.lowercased))
            }
            while scanner.parameter() != nil {}
            guard scanner.isAtEnd || scanner.take(ASCII.comma) else { return }
            scanner.skipEmptyElements()
        }
    }

    private mutating func set(_ name: String, to value: [UInt8]) {
        switch name {
        case "wait": waitSeconds = Self.number(value)
        case "return": returnsMinimal = Self.choice(value, yes: "minimal", no: "representation")
        case "handling": isStrict = Self.choice(value, yes: "strict", no: "lenient")
        default: break
        }
    }

    /// Whether the value is `yes`; nil if it is neither `yes` nor `no`. It may not be text.
    private static func choice(_ value: [UInt8], yes: String, no: String) -> Bool? {
        if value.elementsEqual(yes.utf8) { return true }
        return value.elementsEqual(no.utf8) ? false : nil
    }

    private static func number(_ digits: [UInt8]) -> Int? {
        Decimal.saturated(digits.span).map { min($0, 999_999_999) }
    }
}
