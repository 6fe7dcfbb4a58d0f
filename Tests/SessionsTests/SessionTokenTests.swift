import Sessions
import Testing

/// What is kept of a token, and how far it reaches.
@Suite struct SessionTokenTests {
    static let digest = TokenDigest(
        TokenDigest.InlineWords(
            first: 1, second: 0xff, third: .max, fourth: 0x0123_4567_89ab_cdef))

    static let hexadecimal = [
        "0000000000000001", "00000000000000ff", "ffffffffffffffff", "0123456789abcdef",
    ].joined()

    @Test func `a digest is written as 64 hexadecimal digits and read back`() {
        #expect(Self.digest.hexadecimal == Self.hexadecimal)
        #expect(TokenDigest(hexadecimal: Self.hexadecimal.utf8) == Self.digest)
    }

    @Test(
        arguments: [
            "", "0", String(hexadecimal.dropLast()), hexadecimal + "0",
            String(hexadecimal.dropLast()) + "g", String(hexadecimal.dropLast()) + "F",
        ])
    func `any other text is no digest`(text: String) {
        #expect(TokenDigest(hexadecimal: text.utf8) == nil)
    }

    @Test(arguments: 0..<4)
    func `digests differ if one word of them does`(word: Int) {
        var words: [UInt64] = [1, 0xff, .max, 0x0123_4567_89ab_cdef]
        words[word] ^= 1 << 40
        let changed = TokenDigest.InlineWords(
            first: words[0], second: words[1], third: words[2], fourth: words[3])
        #expect(TokenDigest(changed) != Self.digest)
    }

    @Test func `each scope includes the ones before it`() {
        #expect(Scope.allCases.sorted() == [.read, .control, .admin])
    }

    @Test func `a token is good until the moment at which it expires`() {
        let token = SessionToken(id: "t1", scope: .read, digest: Self.digest, expiresAt: 1000)
        #expect(token.isGood(at: 999))
        #expect(!token.isGood(at: 1000))
        let endless = SessionToken(id: "t1", scope: .read, digest: Self.digest, expiresAt: nil)
        #expect(endless.isGood(at: .max))
    }
}
