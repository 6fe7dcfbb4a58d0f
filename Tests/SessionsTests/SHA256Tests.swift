import Sessions
import Testing

@Suite struct SHA256Tests {
    /// FIPS 180-4's examples and those of NIST's CAVP that are short enough to be read.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ])
    func `text has the digest that NIST gives`(text: String, digest: String) {
        #expect(SHA256.digest(of: text.utf8).hexadecimal == digest)
    }

    @Test(
        arguments: [
            ([0xd3], "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"),
            ([0x11, 0xaf], "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98"),
            (
                [0x74, 0xba, 0x25, 0x21],
                "b16aa56be3880d18cd41e68384cf1ec8c17680c45a02b1575dc1518923ae8b0e"
            ),
            (
                [0xc2, 0x99, 0x20, 0x96, 0x82],
                "f0887fe961c9cd3beab957e8222494abb969b1ce4c6557976df8b0f6d20e9166"
            ),
        ] as [([UInt8], String)])
    func `bytes have the digest that NIST gives`(bytes: [UInt8], digest: String) {
        #expect(SHA256.digest(of: bytes).hexadecimal == digest)
    }

    @Test func `a million letters a`() {
        let digest = SHA256.digest(of: repeatElement(0x61, count: 1_000_000))
        #expect(
            digest.hexadecimal
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func `a message of every length about a block's end differs from its neighbours`() {
        let digests = (0...130).map { SHA256.digest(of: repeatElement(0, count: $0)) }
        #expect(Set(digests).count == digests.count)
    }

    @Test func `a digest reads back from its digits`() throws {
        let digest = SHA256.digest(of: "abc".utf8)
        #expect(TokenDigest(hexadecimal: digest.hexadecimal.utf8) == digest)
        #expect(TokenDigest(hexadecimal: "ab".utf8) == nil)
        #expect(TokenDigest(hexadecimal: String(repeating: "G", count: 64).utf8) == nil)
    }

    /// Test cases 1 and 2 of RFC 4231.
    @Test(
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
        ])
    func `a text has the authentication code of RFC 4231`(
        key: [UInt8], text: String, code: String
    ) {
        #expect(SHA256.authenticationCode(of: text.utf8, key: key).hexadecimal == code)
    }
}
