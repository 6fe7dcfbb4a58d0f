public import Navigation

extension SessionID {
    /// An id of 128 bits, as 26 letters and digits.
    public init(bits: UInt128) {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        var (bits, text) = (bits, [UInt8]())
        for _ in 0..<26 {
            text.append(alphabet[Int(bits & 31)])
            bits >>= 5
        }
        self.init(trusted: String(decoding: text, as: UTF8.self))
    }
}
