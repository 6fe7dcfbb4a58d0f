internal import Bytes
package import JSON

/// A name that clients choose: letters, digits and `_ ~ . -`, beginning with a letter or digit.
package protocol Name: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The maximum length of a name of this kind.
    static var charactersMax: Int { get }
    /// The text of the name.
    var rawValue: String { get }
    /// Takes text without checking it, for text that this program wrote.
    init(trusted rawValue: String)
    /// Takes text that is a valid name of this kind. Returns nil for other text.
    init?(_ text: String)
}

extension Name {
    /// 64, unless a kind of names has another limit.
    package static var charactersMax: Int { 64 }

    /// Takes text that is a valid name of this kind. Returns nil for other text.
    package init?(_ text: String) {
        guard Self.isValid(text) else { return nil }
        self.init(trusted: text)
    }

    /// Whether the bytes are a name of this kind.
    package static func isValid(_ bytes: Span<UInt8>) -> Bool {
        isName(bytes, charactersMax: charactersMax)
    }

    /// Whether the text is a name of this kind.
    package static func isValid(_ text: String) -> Bool {
        text.withBytes { isValid($0) }
    }

    package static func == (a: Self, b: Self) -> Bool { a.rawValue == b.rawValue }
    package func hash(into hasher: inout Hasher) { ExactString(rawValue).hash(into: &hasher) }
    /// Orders names byte by byte.
    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    package var description: String { rawValue }
    /// The name as JSON.
    package var json: JSON { .string(rawValue) }
}

private func isName(_ bytes: Span<UInt8>, charactersMax: Int) -> Bool {
    guard bytes.count > 0, bytes.count <= charactersMax, isLetterOrDigit(bytes[0]) else {
        return false
    }
    for index in bytes.indices where !isNameByte(bytes[index]) { return false }
    return true
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

/// The id of a session.
package struct SessionID: Name {
    /// Longer than other names, so that ids of other systems fit.
    package static let charactersMax = 128
    /// The text of the name.
    package let rawValue: String
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// The id of an app.
package struct AppID: Name {
    /// The text of the name.
    package let rawValue: String
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// The name of a route: a destination that the app knows how to show.
package struct RouteName: Name {
    /// The text of the name.
    package let rawValue: String
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// A name that a command gives to an entry or a sheet, by which `back` finds it.
package struct MarkName: Name {
    /// The text of the name.
    package let rawValue: String
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// The name of a signal.
package struct SignalName: Name {
    /// The text of the name.
    package let rawValue: String
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// The name of a fact that an app declares.
package struct FactName: Name {
    /// The text of the name.
    package let rawValue: String
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// The name of a guard that an app declares.
package struct GuardName: Name {
    /// The text of the name.
    package let rawValue: String
    package init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// The id of a tab. `active`, `visible` and anything like the id of an entry are reserved.
package struct TabID: Name {
    /// The text of the name.
    package let rawValue: String
    package init(trusted rawValue: String) { self.rawValue = rawValue }

    /// Takes text that is a valid id of a tab. Returns nil for other text and for reserved names.
    package init?(_ text: String) {
        guard Self.isValid(text), text != "active", text != "visible", !Self.isEntryLike(text)
        else { return nil }
        self.rawValue = text
    }

    /// Whether the text is `e` and digits, even ones that no entry can have.
    private static func isEntryLike(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.utf8.first == 0x65 && !digits.isEmpty
            && digits.allSatisfy { ASCII.isDigit($0) }
    }
}

/// The id of a pushed entry or a sheet: `e` and a number that the session never uses again.
package struct EntryID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// From 0 to `numberMax`.
    package let number: Int

    /// Fifteen digits, so that clients with numbers of type double keep it exact.
    package static let numberMax = 999_999_999_999_999
    /// The highest number that a restore may bring to a session that has not used it, so that no
    /// single request uses up the ids.
    package static let restoredMax = 1 << 31

    package init(number: Int) { self.number = number }

    /// Reads `e` and 1–15 digits without a leading zero.
    package init?(_ text: String) {
        let id = text.withBytes { bytes in
            var end = 0
            let id = Self.read(bytes, at: &end)
            return end == bytes.count ? id : nil
        }
        guard let id else { return nil }
        self = id
    }

    /// Reads `e` and 1–15 digits without a leading zero, and moves behind them. Returns nil for
    /// anything else.
    package static func read(_ text: Span<UInt8>, at: inout Int) -> EntryID? {
        guard at < text.count, text[at] == 0x65 else { return nil }
        let start = at + 1
        let longest = min(text.count, start + 15)
        var number = 0
        at = start
        while at < longest, ASCII.isDigit(text[at]) {
            number = number * 10 + Int(text[at] &- ASCII.zero)
            at += 1
        }
        guard at > start, text[start] != ASCII.zero || at == start + 1 else { return nil }
        return EntryID(number: number)
    }

    /// Orders ids by their age.
    package static func < (a: Self, b: Self) -> Bool { a.number < b.number }
    package var description: String { "e\(number)" }
}
