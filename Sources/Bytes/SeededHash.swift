/// A hash of bytes that cannot be predicted without its seed; 64 bits, eight bytes a step.
public struct SeededHash: Sendable {
    private let seed: UInt64
    private let factor: UInt64

    /// A hash that differs for each seed.
    public init(seed: UInt64) {
        self.seed = Self.mix(seed ^ 0x9E37_79B9_7F4A_7C15)
        factor = Self.mix(seed &+ 0xD1B5_4A32_D192_ED03) | 1
    }

    /// The hash of a range of bytes.
    public func hash(_ bytes: [UInt8], _ range: Range<Int>) -> UInt64 {
        hash(bytes.span.extracting(range))
    }

    /// The hash of text.
    public func hash(_ text: String) -> UInt64 { text.withBytes { hash($0) } }

    /// The hash of bytes.
    @inline(__always)
    public func hash(_ bytes: Span<UInt8>) -> UInt64 {
        var (value, at) = (seed ^ UInt64(bytes.count), 0)
        while bytes.count - at >= 8 {
            value = step(value ^ EightBytes(bytes, at: at).word)
            at += 8
        }
        // If there are at least eight bytes, some of them are read again.
        var rest: UInt64 = 0
        if bytes.count >= 8 {
            rest = EightBytes(bytes, at: bytes.count - 8).word
        } else {
            for index in bytes.indices { rest = rest << 8 | UInt64(bytes[index]) }
        }
        return Self.mix(step(value ^ rest))
    }

    @inline(__always)
    private func step(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: factor)
        return product.high ^ product.low
    }

    /// The finisher of SplitMix64.
    private static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
