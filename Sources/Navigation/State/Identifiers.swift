internal import Bytes

/// A name as the service accepts it: letters, digits and `_ ~ . -`, the first a letter or digit.
package protocol Name: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The most characters that a name of this kind has.
    static var charactersMax: Int { get }
    var rawValue: String { get }
    /// Takes the text without looking at it; for text that this program wrote itself.
    init(trusted rawValue: String)
    /// Refuses, with nil, text that breaks the rule of names of this kind.
    init?(_ text: String)
}

extension Name {
    package static var charactersMax: Int { 64 }

    package init?(_ text: String) {
        guard Self.isValid(text.utf8) else { return nil }
        self.init(trusted: text)
    }

    package static func isValid(_ bytes: some Collection<UInt8>) -> Bool {
        guard let first = bytes.first, isLetterOrDigit(first) else { return false }
        return bytes.count <= charactersMax && bytes.allSatisfy(isNameByte)
    }

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    package var description: String { rawValue }
}

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
}

private func isNameByte(_ byte: UInt8) -> Bool {
    isLetterOrDigit(byte) || byte == 0x2D || byte == 0x2E || byte == 0x5F || byte == 0x7E
}

/// One user's or one screen's navigation state.
package struct SessionID: Name {
    package static let charactersMax = 128
    package let rawValue: String
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// A declared navigation graph.
package struct AppID: Name {
    package let rawValue: String
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// A destination that the app knows how to show.
package struct RouteName: Name {
    package let rawValue: String
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// A tab. `active`, `visible` and anything that reads as an entry's id are no tabs' names.
package struct TabID: Name {
    package let rawValue: String
    package init(trusted rawValue: String) { self.rawValue = rawValue }

    package init?(_ text: String) {
        guard Self.isValid(text.utf8), text != "active", text != "visible", !Self.isEntryLike(text)
        else { return nil }
        self.rawValue = text
    }

    /// `e` and digits, also those that no entry has.
    private static func isEntryLike(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.utf8.first == 0x65 && !digits.isEmpty
            && digits.allSatisfy { ASCII.isDigit($0) }
    }
}

/// A pushed entry or a sheet: `e` and a number that the session never uses again.
package struct EntryID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Between 0 and `numberMax`.
    package let number: Int

    /// Fifteen digits, so that numbers stay exact in clients that count in doubles.
    package static let numberMax = 999_999_999_999_999

    package init(number: Int) { self.number = number }

    /// Reads `e` and 1–15 digits without a leading zero.
    package init?(_ text: String) {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == 0x65,
            let number = Decimal.number(digits, digitsMax: 15),
            digits.count == 1 || digits.first != ASCII.zero
        else { return nil }
        self.number = number
    }

    package static func < (a: Self, b: Self) -> Bool { a.number < b.number }
    package var description: String { "e\(number)" }
}
