internal import Bytes
public import Navigation

/// The SHA-256 of a token. The token itself is never stored.
///
/// A comparison takes the same time wherever two digests differ.
public struct TokenDigest: Hashable, Sendable {
    /// The 32 bytes in big-endian words.
    public let words: InlineWords

    /// Four words; a tuple has no conformances.
    public struct InlineWords: Sendable {
        /// Bytes 0 to 7.
        public var first: UInt64
        /// Bytes 8 to 15.
        public var second: UInt64
        /// Bytes 16 to 23.
        public var third: UInt64
        /// Bytes 24 to 31.
        public var fourth: UInt64

        public init(first: UInt64, second: UInt64, third: UInt64, fourth: UInt64) {
            self.first = first
            self.second = second
            self.third = third
            self.fourth = fourth
        }
    }

    public init(_ words: InlineWords) { self.words = words }

    public static func == (a: TokenDigest, b: TokenDigest) -> Bool {
        let first = a.words.first ^ b.words.first
        let second = a.words.second ^ b.words.second
        let third = a.words.third ^ b.words.third
        let fourth = a.words.fourth ^ b.words.fourth
        return (first | second | third | fourth) == 0
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(words.first) }
}

extension TokenDigest {
    /// The 32 bytes.
    public var bytes: [UInt8] {
        [words.first, words.second, words.third, words.fourth].flatMap { word in
            (0..<8).reversed().map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
        }
    }

    /// 64 hexadecimal digits in lower case.
    public var hexadecimal: String {
        var text = ByteWriter(capacity: 64)
        for word in [words.first, words.second, words.third, words.fourth] {
            text.append(hexadecimal: word, digits: 16)
        }
        return text.string
    }

    /// Reads 64 hexadecimal digits in lower case. Returns nil for other text.
    public init?(hexadecimal text: some Collection<UInt8>) {
        guard text.count == 64 else { return nil }
        var words: [UInt64] = [0, 0, 0, 0]
        for (index, byte) in text.enumerated() {
            guard let digit = Hexadecimal.lowercaseValue(byte) else { return nil }
            words[index / 16] = words[index / 16] << 4 | UInt64(digit)
        }
        self.init(
            InlineWords(
                first: words[0], second: words[1], third: words[2], fourth: words[3]))
    }
}

/// The permissions of a token. Each scope includes the ones before it.
public enum Scope: String, CaseIterable, Comparable, Sendable {
    /// Read sessions and apps.
    case read
    /// Also create, change and delete sessions.
    case control
    /// Everything.
    case admin

    private var rank: Int {
        switch self {
        case .read: 0
        case .control: 1
        case .admin: 2
        }
    }

    /// Orders scopes by what they allow.
    public static func < (a: Scope, b: Scope) -> Bool { a.rank < b.rank }
}

/// The name of a token: whom it was given to. The history of a session shows it.
public struct TokenName: Name {
    /// The text of the name.
    public let rawValue: String
    public init(trusted rawValue: String) { self.rawValue = rawValue }

    /// The name that the history has for those who carry out idle commands.
    public static let idle = TokenName(trusted: "idle")
}

/// A token for a single session. It ends with the session.
public struct SessionToken: Equatable, Sendable {
    /// The id within the session: `t1`.
    public var id: String
    /// `read` or `control`.
    public var scope: Scope
    /// The SHA-256 of the token.
    public var digest: TokenDigest
    /// The time at which the token expires, or nil if it lasts as long as the session.
    public var expiresAt: Milliseconds?
    /// The time at which the token was made, or nil if the version that made it stored no time.
    public var createdAt: Milliseconds?
    /// Whom the token was given to.
    public var name: TokenName?
    /// The commands and routes of the token, or nil if its scope alone decides.
    public var limits: TokenLimits?

    public init(id: String, scope: Scope, digest: TokenDigest, expiresAt: Milliseconds?) {
        self.id = id
        self.scope = scope
        self.digest = digest
        self.expiresAt = expiresAt
    }

    /// The text of a token in a store without a table of tokens: `nvt_kiosk-1_` followed by the
    /// secret, which contains no underscore.
    public static func text(of id: SessionID, secret: String) -> String { "nvt_\(id)_\(secret)" }

    /// The session named in the text of a token. Returns nil if the text names none.
    public static func session(namedIn text: ArraySlice<UInt8>) -> SessionID? {
        guard text.starts(with: "nvt_".utf8), let end = text.lastIndex(of: UInt8(ascii: "_")),
            text.startIndex + 4 < end
        else { return nil }
        return SessionID(String(decoding: text[(text.startIndex + 4)..<end], as: UTF8.self))
    }

    /// Whether the token has not expired.
    public func isValid(at now: Milliseconds) -> Bool { expiresAt.map { now < $0 } ?? true }
}
