internal import Bytes
package import Navigation

/// The SHA-256 of a token, which is all that is ever kept of it.
///
/// Two of them compare in the same time wherever they differ.
package struct TokenDigest: Hashable, Sendable {
    /// The 32 bytes, the first of them highest in the first word.
    package let words: InlineWords

    /// Four words; a tuple has no conformances.
    package struct InlineWords: Sendable {
        package var first: UInt64
        package var second: UInt64
        package var third: UInt64
        package var fourth: UInt64
    }

    package init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
        words = InlineWords(first: first, second: second, third: third, fourth: fourth)
    }

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
    /// 64 hexadecimal digits in lower case.
    package var hexadecimal: String {
        var text = ByteWriter(capacity: 64)
        for word in [words.first, words.second, words.third, words.fourth] {
            text.append(hexadecimal: word, digits: 16)
        }
        return String(decoding: text.text, as: UTF8.self)
    }

    /// Reads what `hexadecimal` wrote; nil for anything else.
    package init?(hexadecimal text: some Collection<UInt8>) {
        guard text.count == 64 else { return nil }
        var words: [UInt64] = [0, 0, 0, 0]
        for (place, byte) in text.enumerated() {
            guard let digit = Hexadecimal.lowercaseValue(byte) else { return nil }
            words[place / 16] = words[place / 16] << 4 | UInt64(digit)
        }
        self.init(words[0], words[1], words[2], words[3])
    }
}

/// How far a token reaches. Each reaches as far as the one before it, and further.
package enum Scope: String, CaseIterable, Comparable, Sendable {
    /// May look.
    case read
    /// May also create, change and delete sessions.
    case control
    /// May do everything.
    case admin

    private var rank: Int {
        switch self {
        case .read: 0
        case .control: 1
        case .admin: 2
        }
    }

    package static func < (a: Scope, b: Scope) -> Bool { a.rank < b.rank }
}

/// A token that is good for one session alone. It goes when the session goes.
package struct SessionToken: Equatable, Sendable {
    /// Names it within its session: `t1`.
    package var id: String
    /// `read` or `control`.
    package var scope: Scope
    package var digest: TokenDigest
    /// Nil: as long as the session.
    package var expiresAt: Milliseconds?

    package init(id: String, scope: Scope, digest: TokenDigest, expiresAt: Milliseconds?) {
        self.id = id
        self.scope = scope
        self.digest = digest
        self.expiresAt = expiresAt
    }

    package func isGood(at now: Milliseconds) -> Bool { expiresAt.map { now < $0 } ?? true }
}
