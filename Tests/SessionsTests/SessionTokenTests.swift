import Navigation
import Sessions
import Testing

/// The stored part of a token, and its reach.
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
        #expect(token.isValid(at: 999))
        #expect(!token.isValid(at: 1000))
        let endless = SessionToken(id: "t1", scope: .read, digest: Self.digest, expiresAt: nil)
        #expect(endless.isValid(at: .max))
    }

    @Test(
        arguments: [
            ("nvt_kiosk-1_abc", "kiosk-1"), ("nvt_a_b_abc", "a_b"), ("nvt_a_", "a"),
            ("nvt__abc", nil), ("nvt_abc", nil), ("nst_a_abc", nil), ("nvt_/_abc", nil), ("", nil),
        ] as [(String, String?)])
    func `a token may name its session`(text: String, id: String?) {
        #expect(SessionToken.session(namedIn: Array(text.utf8)[...])?.rawValue == id)
    }

    @Test(arguments: ["a", "kiosk-1", "a_b", "0_"] + [String(repeating: "x", count: 128)])
    func `the text of a token names its session`(id: String) {
        let text = SessionToken.text(of: SessionID(trusted: id), secret: "aB3-~")
        // Within the bytes of a request.
        let bytes = Array("Bearer \(text)".utf8)
        #expect(SessionToken.session(namedIn: bytes[7...]) == SessionID(id))
        #expect(SessionToken.session(namedIn: bytes[6...]) == nil)
    }

    @Test func `a name that is too long is that of no session`() {
        let id = SessionID(trusted: String(repeating: "x", count: 129))
        let text = SessionToken.text(of: id, secret: "abc")
        #expect(SessionToken.session(namedIn: Array(text.utf8)[...]) == nil)
    }

    @Test(arguments: 0..<64)
    func `each digit of a digest is half a byte at its place`(place: Int) {
        var digits = [UInt8](repeating: UInt8(ascii: "0"), count: 64)
        digits[place] = UInt8(ascii: "c")
        var words: [UInt64] = [0, 0, 0, 0]
        words[place / 16] = 0xC << UInt64(60 - place % 16 * 4)
        let digest = TokenDigest(
            TokenDigest.InlineWords(
                first: words[0], second: words[1], third: words[2], fourth: words[3]))
        #expect(TokenDigest(hexadecimal: digits) == digest)
        #expect(digest.hexadecimal == String(decoding: digits, as: UTF8.self))
        #expect(Set([digest, digest, Self.digest]).count == 2)
        digits[place] = UInt8(ascii: "C")
        #expect(TokenDigest(hexadecimal: digits) == nil)
    }
}
