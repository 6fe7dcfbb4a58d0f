/// SHA-256 as in FIPS 180-4 §6.2.
public enum SHA256 {
    /// The digest of all the bytes, at once.
    public static func digest(of bytes: some Collection<UInt8>) -> TokenDigest {
        var message = Array(bytes)
        let bits = UInt64(message.count) * 8
        // §5.1.1: a one bit, zeros, and the length as 64 bits, to a multiple of 64 bytes.
        message.append(0x80)
        let zeros = (120 - message.count % 64) % 64
        message.append(contentsOf: repeatElement(0, count: zeros))
        for index in (0..<8).reversed() {
            message.append(UInt8(truncatingIfNeeded: bits >> UInt64(index * 8)))
        }
        var hash = initial
        for start in stride(from: 0, to: message.count, by: 64) {
            mix(message, from: start, into: &hash)
        }
        func word(_ index: Int) -> UInt64 { UInt64(hash[index]) << 32 | UInt64(hash[index + 1]) }
        return TokenDigest(
            TokenDigest.InlineWords(
                first: word(0), second: word(2), third: word(4), fourth: word(6)))
    }

    /// HMAC-SHA-256 as in RFC 2104: what only those can compute who know the key.
    ///
    /// - Parameter key: at most 64 bytes.
    public static func authenticationCode(
        of bytes: some Collection<UInt8>, key: [UInt8]
    ) -> TokenDigest {
        precondition(key.count <= blockCount, "a longer key would have to be hashed first")
        let padded = key + [UInt8](repeating: 0, count: blockCount - key.count)
        let inner = digest(of: padded.map { $0 ^ 0x36 } + Array(bytes))
        return digest(of: padded.map { $0 ^ 0x5C } + inner.bytes)
    }

    private static let blockCount = 64

    /// §6.2.2, one block of 64 bytes.
    private static func mix(
        _ message: [UInt8], from start: Int, into hash: inout [UInt32]
    ) {
        var schedule = [UInt32](repeating: 0, count: 64)
        for index in 0..<16 {
            let at = start + index * 4
            schedule[index] =
                UInt32(message[at]) << 24 | UInt32(message[at + 1]) << 16
                | UInt32(message[at + 2]) << 8 | UInt32(message[at + 3])
        }
        for index in 16..<64 {
            let (far, near) = (schedule[index - 15], schedule[index - 2])
            let small0 = turned(far, 7) ^ turned(far, 18) ^ far >> 3
            let small1 = turned(near, 17) ^ turned(near, 19) ^ near >> 10
            schedule[index] = schedule[index - 16] &+ small0 &+ schedule[index - 7] &+ small1
        }
        var work = hash
        for index in 0..<64 { round(schedule[index] &+ constants[index], &work) }
        for index in 0..<8 { hash[index] = hash[index] &+ work[index] }
    }

    private static func round(_ input: UInt32, _ work: inout [UInt32]) {
        let (a, e) = (work[0], work[4])
        let big1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
        let choice = (e & work[5]) ^ (~e & work[6])
        let first = work[7] &+ big1 &+ choice &+ input
        let big0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
        let majority = (a & work[1]) ^ (a & work[2]) ^ (work[1] & work[2])
        (work[7], work[6], work[5]) = (work[6], work[5], e)
        work[4] = work[3] &+ first
        (work[3], work[2], work[1]) = (work[2], work[1], a)
        work[0] = first &+ big0 &+ majority
    }

    private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    /// §5.3.3.
    private static let initial: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
        0x5be0_cd19,
    ]

    /// §4.2.2.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
        0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
        0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
        0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
        0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
        0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
        0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
        0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
        0xc671_78f2,
    ]
}
