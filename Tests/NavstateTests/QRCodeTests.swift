import Bytes
import Testing
import navstate

/// QR codes against another encoder: the hashes are those of the matrices that the Python package
/// `qrcode` 8.2 makes of the same text and mask at level L, as rows of 0 and 1 between line feeds.
@Suite struct QRCodeTests {
    private static func text(_ count: Int) -> [UInt8] {
        let url = "http://127.0.0.1:8080/#session=kiosk-1&token="
        let rest = count <= url.count ? "" : String(repeating: "navstate-0123456789", count: 30)
        return Array((url + rest).utf8.prefix(count))
    }

    private static func rows(_ code: QRCode) -> [String] {
        (0..<code.size).map { row in
            (0..<code.size).map { code[row, $0] ? "1" : "0" }.joined()
        }
    }

    /// Bytes, mask, size, hash: the least and the most bytes of each version.
    private static let vectors: [(Int, Int, Int, UInt64)] = [
        (1, 0, 21, 0x569b65adf34588d9),
        (17, 5, 21, 0x6250580a3b297d21),
        (18, 2, 25, 0x538398850f58d073),
        (32, 7, 25, 0xb09606cf8d81917f),
        (33, 4, 29, 0xfff5e9667d27dd78),
        (53, 1, 29, 0x7f62284877f55725),
        (54, 6, 33, 0xa63a072dcb89abbc),
        (78, 3, 33, 0x42b7205fcfa95c24),
        (79, 0, 37, 0x1b39e42f485bc9cd),
        (106, 5, 37, 0x585a5436e4984678),
        (107, 2, 41, 0x1d42c02c35b81692),
        (134, 7, 41, 0x43723e529bbd32b3),
        (135, 4, 45, 0x745d9283e0b35289),
        (154, 1, 45, 0x0acfbaa7b5c51d64),
        (155, 6, 49, 0xd302f09b30c06707),
        (192, 3, 49, 0xf7a9f757b95c694f),
        (193, 0, 53, 0x72199c612a9efa43),
        (230, 5, 53, 0x5a9b25685ee3f4bc),
        (231, 2, 57, 0xd7524fd82ee6ab49),
        (271, 7, 57, 0xc598f1a00184bead),
    ]

    @Test func `the matrices are those of another encoder in every version with every mask`() throws
    {
        #expect(Set(Self.vectors.map(\.1)) == Set(0..<8))
        for (count, mask, size, expected) in Self.vectors {
            let code = try #require(QRCode(Self.text(count), mask: mask))
            #expect(code.size == size, "\(count) bytes")
            var hash = FNV1a()
            hash.mix(Self.rows(code).joined(separator: "\n").utf8)
            #expect(hash.hash == expected, "\(count) bytes, mask \(mask)")
        }
    }

    @Test func `one of the eight masks is used if none is given`() throws {
        let bytes = Array("navstate".utf8)
        let best = Self.rows(try #require(QRCode(bytes)))
        let all = try (0..<8).map { Self.rows(try #require(QRCode(bytes, mask: $0))) }
        #expect(Set(all).count == 8)
        #expect(all.contains(best))
    }

    @Test func `a small code, module by module`() throws {
        let code = try #require(QRCode(Array("navstate".utf8), mask: 4))
        #expect(
            Self.rows(code) == [
                "111111101000101111111",
                "100000101101001000001",
                "101110101111101011101",
                "101110101010101011101",
                "101110100111101011101",
                "100000101010101000001",
                "111111101010101111111",
                "000000000000000000000",
                "110011100000100101111",
                "100100001010101010110",
                "101110101100110010010",
                "011000011111100110001",
                "011000101001011101000",
                "000000001001100111110",
                "111111100111001011110",
                "100000101010011010000",
                "101110101000111001010",
                "101110100010111010111",
                "101110100010110010100",
                "100000101111100110000",
                "111111101111001101001",
            ])
    }

    @Test func `what does not fit is refused`() {
        #expect(QRCode(Self.text(271)) != nil)
        #expect(QRCode(Self.text(272)) == nil)
        #expect(QRCode([])?.size == 21)
    }

    @Test func `a terminal gets black on white, and others light modules`() throws {
        let code = try #require(QRCode(Array("navstate".utf8)))
        let plain = code.text(isTerminal: false).split(separator: "\n")
        #expect(plain.count == (21 + 4 + 1) / 2)
        #expect(plain.allSatisfy { $0.count == 21 + 4 })
        // The quiet zone is light, so it is drawn; the finder pattern below it is not.
        #expect(plain[0] == String(repeating: "█", count: 25)[...])
        #expect(plain[1].hasPrefix("██ ▄▄▄▄▄ █"))
        let colored = code.text(isTerminal: true).split(separator: "\n")
        #expect(colored.count == plain.count)
        #expect(colored.allSatisfy { $0.hasPrefix("\u{1B}[38;5;16;48;5;231m") })
        #expect(colored.allSatisfy { $0.hasSuffix("\u{1B}[0m") })
        #expect(colored[1].contains("m  █▀▀▀▀▀█ "))
    }
}
