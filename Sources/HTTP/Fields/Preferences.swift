internal import Bytes

/// What `Prefer` asks for (RFC 7240), over all its lines.
///
/// Preferences are wishes: what is unknown or malformed is passed over and nothing is refused. Of
/// a preference that comes more than once the first counts, whatever it says (§2).
package struct Preferences: Equatable, Sendable {
    /// `wait=`, in seconds as they came; the service bounds them.
    package var waitSeconds: Int?
    /// `return=minimal` true, `return=representation` false.
    package var returnsMinimal: Bool?
    /// `handling=strict` true, `handling=lenient` false.
    package var isStrict: Bool?

    package init() {}

    package init(_ request: borrowing Request) {
        var seen: Set<String> = []
        for line in request.lines(of: .prefer) { take(request.bytes, line, &seen) }
    }

    private mutating func take(
        _ bytes: [UInt8], _ line: Range<Int>, _ seen: inout Set<String>
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
            if seen.insert(text).inserted { take(text, value.map(ASCII.lowercased)) }
            while scanner.parameter() != nil {}
            guard scanner.isAtEnd || scanner.take(ASCII.comma) else { return }
            scanner.skipEmptyElements()
        }
    }

    private mutating func take(_ name: String, _ value: [UInt8]) {
        switch name {
        case "wait": waitSeconds = Self.number(value)
        case "return": returnsMinimal = Self.choice(value, "minimal", "representation")
        case "handling": isStrict = Self.choice(value, "strict", "lenient")
        default: break
        }
    }

    /// Whether the value is the first of two words; nil if it is neither. It need not be text.
    private static func choice(
        _ value: [UInt8], _ first: String, _ second: String
    ) -> Bool? {
        if value.elementsEqual(first.utf8) { return true }
        return value.elementsEqual(second.utf8) ? false : nil
    }

    /// Digits alone; a number with more than nine is nine nines.
    private static func number(_ digits: [UInt8]) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return nil }
        return digits.reduce(0) { min($0 * 10 + Int($1 - ASCII.zero), 999_999_999) }
    }
}
