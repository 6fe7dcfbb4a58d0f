internal import Bytes
public import JSON

/// A name that clients choose: letters, digits and `_ ~ . -`, beginning with a letter or digit.
public protocol Name: Hashable, Comparable, Sendable, CustomStringConvertible {
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
    public static var charactersMax: Int { 64 }

    /// Takes text that is a valid name of this kind. Returns nil for other text.
    public init?(_ text: String) {
        guard Self.isValid(text) else { return nil }
        self.init(trusted: text)
    }

    /// Whether the bytes are a name of this kind.
    public static func isValid(_ bytes: Span<UInt8>) -> Bool {
        isName(bytes, charactersMax: charactersMax)
    }

    /// Whether the text is a name of this kind.
    public static func isValid(_ text: String) -> Bool {
        text.withBytes { isValid($0) }
    }

    public static func == (a: Self, b: Self) -> Bool { a.rawValue == b.rawValue }
    public func hash(into hasher: inout Hasher) { ExactString(rawValue).hash(into: &hasher) }
    /// Orders names byte by byte.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    public var description: String { rawValue }
    /// The name as JSON.
    public var json: JSON { .string(rawValue) }
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
public struct SessionID: Name {
    /// Longer than other names, so that ids of other systems fit.
    public static let charactersMax = 128
    /// The text of the name.
    public let rawValue: String
    public init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// The id of an app.
public struct AppID: Name {
    /// The text of the name.
    public let rawValue: String
    public init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// The name of a route: a destination that the app knows how to show.
public struct RouteName: Name {
    /// The text of the name.
    public let rawValue: String
    public init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// A name that a command gives to an entry or a sheet, by which `back` finds it.
public struct MarkName: Name {
    /// The text of the name.
    public let rawValue: String
    public init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// The name of a signal.
public struct SignalName: Name {
    /// The text of the name.
    public let rawValue: String
    public init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// The name of a fact that an app declares.
public struct FactName: Name {
    /// The text of the name.
    public let rawValue: String
    public init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// The name of a guard that an app declares.
public struct GuardName: Name {
    /// The text of the name.
    public let rawValue: String
    public init(trusted rawValue: String) { self.rawValue = rawValue }
}

/// The id of a tab. `active`, `visible` and anything like the id of an entry are reserved.
public struct TabID: Name {
    /// The text of the name.
    public let rawValue: String
    public init(trusted rawValue: String) { self.rawValue = rawValue }

    /// Takes text that is a valid id of a tab. Returns nil for other text and for reserved names.
    public init?(_ text: String) {
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
public struct EntryID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// From 0 to `numberMax`.
    public let number: Int

    /// Fifteen digits, so that clients with numbers of type double keep it exact.
    public static let numberMax = 999_999_999_999_999
    /// The highest number that a restore may bring to a session that has not used it, so that no
    /// single request uses up the ids.
    public static let restoredMax = 1 << 31

    public init(number: Int) { self.number = number }

    /// Reads `e` and 1–15 digits without a leading zero.
    public init?(_ text: String) {
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
    public static func read(_ text: Span<UInt8>, at: inout Int) -> EntryID? {
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
    public static func < (a: Self, b: Self) -> Bool { a.number < b.number }
    public var description: String { "e\(number)" }
}
