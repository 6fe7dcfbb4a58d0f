internal import Navigation
internal import Sessions

/// The random bits of the environment, and the ids that are made of them.
struct RandomBits: RandomNumberGenerator {
    let source: () -> UInt64

    mutating func next() -> UInt64 { source() }

    /// A session id of 128 random bits, as 26 letters and digits.
    mutating func sessionID() -> SessionID {
        SessionID(bits: (UInt128(next()) << 64) | UInt128(next()))
    }

    /// Letters and digits with almost six random bits each.
    mutating func text(_ count: Int) -> String {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        let text = (0..<count).map { _ in
            alphabet[Int(next(upperBound: UInt64(alphabet.count)))]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
