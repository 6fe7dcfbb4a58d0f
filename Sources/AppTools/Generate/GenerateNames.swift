internal import Bytes

/// A language that code is generated in.
public enum GeneratedLanguage: String, CaseIterable, Sendable {
    case swift, typescript, kotlin

    // The operator would compare the raw values.
    public var isSwift: Bool { if case .swift = self { true } else { false } }
    public var isTypeScript: Bool { if case .typescript = self { true } else { false } }
    var isKotlin: Bool { if case .kotlin = self { true } else { false } }

    /// The types that generated code uses, whose names those of a document cannot have.
    static let types = words(
        """
        Any AppFacts AppLink AppNamespace AppRouting AppScreen AppTab AppTitle Answering Array \
        Bool Boolean CaseIterable Codable CodingKey CodingKeys Decoder Dictionary Double Encoder \
        Equatable Facts Foundation Guard Hashable Int JSONValue JsonElement Link List Long \
        MainActor Map NavKey NavstateClient NavstateError Nav Never Optional Presentation Question \
        RawValue ReadonlyArray Record Router Screen Self Sendable SerialName Serializable String \
        Swift Tab URL
        """)
    private static let swiftKeywords = words(
        """
        Any Protocol Self Type as associatedtype await break case catch class continue default \
        defer deinit do else enum extension fallthrough false fileprivate for func guard if import \
        in init inout internal is let nil operator precedencegroup private protocol public repeat \
        rethrows return self static struct subscript super switch throw throws true try typealias \
        var where while
        """)
    private static let otherKeywords = words(
        """
        arguments as await break case catch class const continue debugger default delete do else \
        enum eval export extends false finally for fun function globalThis if implements import in \
        instanceof \
        interface is let new null object package private protected public return static super \
        switch this throw true try typealias typeof undefined val var void when while with yield
        """)

    /// The names of enumerations in Swift that a constant would declare again.
    private static let constants = words("allCases AllCases RawValue Screen")
    /// The type of any value.
    var anyType: String { self.isSwift ? "JSONValue" : self.isKotlin ? "JsonElement" : "unknown" }

    private static func words(_ text: String) -> Set<ExactString> {
        Set(text.split(separator: " ").map { ExactString(String($0)) })
    }

    /// A name as it stands in code.
    func code(_ name: String) -> String {
        let keywords = self.isSwift ? Self.swiftKeywords : Self.otherKeywords
        guard keywords.contains(ExactString(name)) else { return name }
        return self.isTypeScript ? name + "_" : "`\(name)`"
    }
}

// Names that a language, or the generated code itself, uses in the same place get an underscore.
extension GeneratedLanguage {
    /// The name of a member, a param, a fact or a capture.
    func member(_ key: String) -> String {
        let name = ExactString(key.identifier)
        let isTaken =
            name == ExactString("self")
            || self.isSwift && (Self.types.contains(name) || name == ExactString("hashValue"))
        return isTaken ? key.identifier + "_" : key.identifier
    }

    /// The name of a constant of an enumeration.
    func constant(_ key: String) -> String {
        guard !self.isKotlin else { return key.constant }
        let isTaken = self.isSwift && Self.constants.contains(ExactString(key.identifier))
        return isTaken ? key.identifier + "_" : key.identifier
    }

    /// The name of a guard. Kotlin makes its constant where it declares it.
    func guardName(_ key: String) -> String { isKotlin ? key.identifier : constant(key) }
}

extension GeneratedCode {
    /// Whether a namespace can have the name.
    public static func isNamespace(_ name: String) -> Bool {
        name.identifier == name && GeneratedLanguage.swift.code(name) == name
            && !GeneratedLanguage.types.contains(ExactString(name))
    }

    /// Whether a module of Swift, or a package of Kotlin, can have the name.
    public static func isModule(_ name: String, _ language: GeneratedLanguage) -> Bool {
        let parts = name.utf8.split(omittingEmptySubsequences: false) {
            language.isKotlin && $0 == UInt8(ascii: ".")
        }
        return parts.map { String(Substring($0)) }.allSatisfy {
            $0.identifier == $0 && language.code($0) == $0
        }
    }
}

extension String {
    /// The text as an identifier: as it is, or else its words in camel case.
    var identifier: String {
        let words = unicodeScalars.split { !$0.isInIdentifier }.map { String($0) }
        guard let first = words.first, words.contains(where: { $0.utf8.contains { $0 != 0x5F } })
        else {
            let codes = unicodeScalars.map { "u" + String($0.value, radix: 16, uppercase: true) }
            return isEmpty ? "empty" : codes.joined()
        }
        let head = first == self ? first : first.prefix(1).lowercased() + first.dropFirst()
        let name = head + words.dropFirst().map(\.capitalized).joined()
        return name.unicodeScalars.first.map { $0.isDigit } ?? false ? "_" + name : name
    }

    /// The text as the name of a type.
    var typeName: String { identifier.capitalized }

    /// The text with a capital at its beginning.
    var capitalized: String { prefix(1).uppercased() + dropFirst() }

    /// The text as a constant of Kotlin.
    var constant: String {
        identifier.unicodeScalars.reduce(into: "") { text, scalar in
            let follows = text.unicodeScalars.last.map { !$0.properties.isUppercase } ?? false
            if scalar.properties.isUppercase, follows { text += "_" }
            text += scalar.properties.uppercaseMapping
        }
    }

    /// The text with everything escaped that no literal or line shows: control and format
    /// characters, and line ends.
    func escaping(_ escape: (Unicode.Scalar) -> String?) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            text += escape(scalar) ?? String(Character(scalar))
        }
    }

    /// The text in the quotation marks of a language.
    func quoted(_ language: GeneratedLanguage) -> String {
        let text = escaping { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "$" where language.isKotlin: "\\$"
            default: scalar.isShown ? nil : scalar.escape(isSwift: language.isSwift)
            }
        }
        return "\"\(text)\""
    }

    /// The lines of the text, which neither begin nor end a comment.
    var commentLines: [String] {
        split { $0.isNewline }.map { line in
            var last: Unicode.Scalar = " "
            return String(line.drop { $0.isWhitespace }).escaping { scalar in
                defer { last = scalar }
                let isMark = (last == "*" && scalar == "/") || (last == "/" && scalar == "*")
                return scalar.isShown ? isMark ? "\\\(scalar)" : nil : " "
            }
        }
    }
}

extension Unicode.Scalar {
    private static let letters: Set<Unicode.GeneralCategory> = [
        .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
    ]
    private static let unseen: Set<Unicode.GeneralCategory> = [
        .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
        .unassigned,
    ]

    fileprivate var isDigit: Bool { properties.generalCategory == .decimalNumber }

    /// In Swift, one of the letters of Unicode cannot be in an identifier.
    fileprivate var isInIdentifier: Bool {
        self == "_" || isDigit
            || (Self.letters.contains(properties.generalCategory) && self != "\u{2E2F}")
    }

    /// Whether the character is seen where it stands.
    var isShown: Bool { !Self.unseen.contains(properties.generalCategory) }

    /// The escape of a literal: one of UTF-16, as in JSON, except in Swift.
    func escape(isSwift: Bool) -> String {
        func hexadecimal(_ value: UInt32) -> String {
            let digits = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
        if isSwift { return "\\u{\(hexadecimal(value))}" }
        return String(self).utf16.map { "\\u" + hexadecimal(UInt32($0)) }.joined()
    }
}
