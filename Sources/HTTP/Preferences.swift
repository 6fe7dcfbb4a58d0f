/// What `Prefer` asks for (RFC 7240), over all its lines.
///
/// Preferences are wishes: what is unknown or malformed is passed over and nothing is refused. Of
/// a preference that comes more than once the first counts (§2).
package struct Preferences: Equatable, Sendable {
    /// `wait=`, in seconds as they came; the service bounds them.
    package var waitSeconds: Int?
    /// `return=minimal` true, `return=representation` false.
    package var returnsMinimal: Bool?
    /// `handling=strict` true, `handling=lenient` false.
    package var isStrict: Bool?

    package init() {}

    package init(_ request: Request) {
        for line in request.lines(of: .prefer) { take(request.bytes, line) }
    }

    private mutating func take(_ bytes: [UInt8], _ line: Range<Int>) {
        var scanner = FieldScanner(bytes, line)
        scanner.skipEmptyElements()
        while !scanner.isAtEnd {
            guard let name = scanner.token() else { return }
            var value: [UInt8] = []
            if scanner.take(ASCII.equals) {
                guard let word = scanner.word() else { return }
                value = word
            }
            take(scanner.lowercased(name), value.map(ASCII.lowercased))
            while scanner.parameter() != nil {}
            guard scanner.isAtEnd || scanner.take(ASCII.comma) else { return }
            scanner.skipEmptyElements()
        }
    }

    private mutating func take(_ name: String, _ value: [UInt8]) {
        let text = String(decoding: value, as: UTF8.self)
        switch (name, text) {
        case ("wait", _) where waitSeconds == nil: waitSeconds = Self.number(value)
        case ("return", "minimal") where returnsMinimal == nil: returnsMinimal = true
        case ("return", "representation") where returnsMinimal == nil: returnsMinimal = false
        case ("handling", "strict") where isStrict == nil: isStrict = true
        case ("handling", "lenient") where isStrict == nil: isStrict = false
        default: break
        }
    }

    /// Digits alone; a number with more than nine is nine nines.
    private static func number(_ digits: [UInt8]) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy(ASCII.isDigit) else { return nil }
        return digits.reduce(0) { min($0 * 10 + Int($1 - ASCII.zero), 999_999_999) }
    }
}
