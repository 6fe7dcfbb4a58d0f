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
        let text = String(decoding: value, as: UTF8.self)
        switch (name, text) {
        case ("wait", _): waitSeconds = Self.number(value)
        case ("return", "minimal"): returnsMinimal = true
        case ("return", "representation"): returnsMinimal = false
        case ("handling", "strict"): isStrict = true
        case ("handling", "lenient"): isStrict = false
        default: break
        }
    }

    /// Digits alone; a number with more than nine is nine nines.
    private static func number(_ digits: [UInt8]) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return nil }
        return digits.reduce(0) { min($0 * 10 + Int($1 - ASCII.zero), 999_999_999) }
    }
}
