internal import Bytes
package import Navigation

/// The SHA-256 of a token. The token itself is never stored.
///
/// A comparison takes the same time wherever two digests differ.
package struct TokenDigest: Hashable, Sendable {
    /// The 32 bytes in big-endian words.
    package let words: InlineWords

    /// Four words; a tuple has no conformances.
    package struct InlineWords: Sendable {
        /// Bytes 0 to 7.
        package var first: UInt64
        /// Bytes 8 to 15.
        package var second: UInt64
        /// Bytes 16 to 23.
        package var third: UInt64
        /// Bytes 24 to 31.
        package var fourth: UInt64

        package init(first: UInt64, second: UInt64, third: UInt64, fourth: UInt64) {
            self.first = first
            self.second = second
            self.third = third
            self.fourth = fourth
        }
    }

    package init(_ words: InlineWords) { self.words = words }

    package static func == (a: TokenDigest, b: TokenDigest) -> Bool {
        let first = a.words.first ^ b.words.first
        let second = a.words.second ^ b.words.second
        let third = a.words.third ^ b.words.third
        let fourth = a.words.fourth ^ b.words.fourth
        return (first | second | third | fourth) == 0
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(words.first) }
}

extension TokenDigest {
    /// The 32 bytes.
    package var bytes: [UInt8] {
        [words.first, words.second, words.third, words.fourth].flatMap { word in
            (0..<8).reversed().map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
        }
    }

    /// 64 hexadecimal digits in lower case.
    package var hexadecimal: String {
        var text = ByteWriter(capacity: 64)
        for word in [words.first, words.second, words.third, words.fourth] {
            text.append(hexadecimal: word, digits: 16)
        }
        return text.string
    }

    /// Reads 64 hexadecimal digits in lower case. Returns nil for other text.
    package init?(hexadecimal text: some Collection<UInt8>) {
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
package enum Scope: String, CaseIterable, Comparable, Sendable {
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
    package static func < (a: Scope, b: Scope) -> Bool { a.rank < b.rank }
}

/// The name of a token: whom it was given to. The history of a session shows it.
package struct TokenName: Name {
    /// The text of the name.
    package let rawValue: String
    package init(trusted rawValue: String) { self.rawValue = rawValue }

    /// The name that the history has for those who carry out idle commands.
    package static let idle = TokenName(trusted: "idle")
}

/// A token for a single session. It ends with the session.
package struct SessionToken: Equatable, Sendable {
    /// The id within the session: `t1`.
    package var id: String
    /// `read` or `control`.
    package var scope: Scope
    /// The SHA-256 of the token.
    package var digest: TokenDigest
    /// The time at which the token expires, or nil if it lasts as long as the session.
    package var expiresAt: Milliseconds?
    /// The time at which the token was made, or nil if the version that made it stored no time.
    package var createdAt: Milliseconds?
    /// Whom the token was given to.
    package var name: TokenName?
    /// The commands and routes of the token, or nil if its scope alone decides.
    package var limits: TokenLimits?

    package init(id: String, scope: Scope, digest: TokenDigest, expiresAt: Milliseconds?) {
        self.id = id
        self.scope = scope
        self.digest = digest
        self.expiresAt = expiresAt
    }

    /// The text of a token in a store without a table of tokens: `nvt_kiosk-1_` followed by the
    /// secret, which contains no underscore.
    package static func text(of id: SessionID, secret: String) -> String { "nvt_\(id)_\(secret)" }

    /// The session named in the text of a token. Returns nil if the text names none.
    package static func session(namedIn text: ArraySlice<UInt8>) -> SessionID? {
        guard text.starts(with: "nvt_".utf8), let end = text.lastIndex(of: UInt8(ascii: "_")),
            text.startIndex + 4 < end
        else { return nil }
        return SessionID(String(decoding: text[(text.startIndex + 4)..<end], as: UTF8.self))
    }

    /// Whether the token has not expired.
    package func isValid(at now: Milliseconds) -> Bool { expiresAt.map { now < $0 } ?? true }
}
