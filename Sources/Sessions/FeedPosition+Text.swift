public import Bytes

// The text of a position: the id of an event of several sessions.
//
// A store with one log has the number in decimal. A store with several logs has the letter `p` and
// these bits in base64url digits (RFC 4648 §5), six to a digit, the highest first, with zeros at
// the end of the last digit:
//
//     32      a checksum of the store's lineage
//      6      the width w
//     43      the smallest number n in a log of which something has been delivered; otherwise 0
//     w each  for each log 0 if nothing of it has been delivered, otherwise its number - n + 1
//
// As long as the numbers of 16 logs are less than 2^33 apart, the text has at most 103 characters.

extension FeedPosition {
    /// The maximum number of logs of a position that is written as text. More of them would make
    /// every event of a stream much longer.
    public static let logsInTextMax = 64

    /// The maximum length of a text in bytes.
    public static let textBytesMax =
        1 + (headBits + logsInTextMax * SequenceNumber.numberBits + 5) / 6

    private static let headBits = 32 + 6 + SequenceNumber.numberBits
    private static let letter = UInt8(ascii: "p")

    /// Appends the text.
    public func append(to text: inout ByteWriter) {
        guard let numbers else { return text.append(UInt(number)) }
        let told = numbers.lazy.filter { $0 > 0 }.map { $0.numberInLog }
        let least = told.min() ?? 0
        let width = told.max().map { 64 - ($0 - least + 1).leadingZeroBitCount } ?? 0
        text.append(Self.letter)
        var digits = DigitWriter()
        digits.append(UInt64(mark), bits: 32, to: &text)
        digits.append(UInt64(width), bits: 6, to: &text)
        digits.append(least, bits: SequenceNumber.numberBits, to: &text)
        for number in numbers {
            let value = number > 0 ? number.numberInLog - least + 1 : 0
            digits.append(value, bits: width, to: &text)
        }
        digits.finish(&text)
    }

    /// The text.
    public var text: [UInt8] {
        var text = ByteWriter(capacity: 128)
        append(to: &text)
        return text.finish()
    }

    /// Whether the text has the form of a position in a store with several logs.
    public static func hasForm(_ text: some Collection<UInt8>) -> Bool {
        text.first == letter && text.count > 1 && text.count <= textBytesMax
            && text.dropFirst().allSatisfy { DigitWriter.value(of: $0) != nil }
    }

    /// Reads the text of a position in a store with several logs. Returns nil for any other text,
    /// and for a position in another store.
    ///
    /// - Parameter known: a position in this store.
    public init?(_ text: some Collection<UInt8>, inStoreOf known: FeedPosition) {
        guard let count = known.numbers?.count, Self.hasForm(text) else { return nil }
        var digits = DigitReader(text.dropFirst().compactMap(DigitWriter.value))
        guard digits.next(bits: 32) == UInt64(known.mark), let width = digits.next(bits: 6),
            let least = digits.next(bits: SequenceNumber.numberBits)
        else { return nil }
        guard width <= SequenceNumber.numberBits else { return nil }
        var numbers: [SequenceNumber] = []
        for log in 0..<count {
            guard let value = digits.next(bits: Int(width)) else { return nil }
            let number = value > 0 ? least + value - 1 : 0
            guard number >> UInt64(SequenceNumber.numberBits) == 0 else { return nil }
            numbers.append(value > 0 ? SequenceNumber(number, inLog: log) : 0)
        }
        guard digits.isAtEnd else { return nil }
        self.init(numbers, mark: known.mark)
        // Each position has only one text.
        guard self.text.elementsEqual(text) else { return nil }
    }

    /// The lowest 32 bits of the FNV-1a checksum of a lineage.
    static func mark(of lineage: String) -> UInt32 {
        var hash = FNV1a()
        hash.mix(lineage.utf8)
        return UInt32(truncatingIfNeeded: hash.hash)
    }
}

/// Writes bits as base64url digits.
private struct DigitWriter {
    private var word: UInt64 = 0
    private var count = 0

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// - Parameter bits: at most 58, so that they and those of an unfinished digit fit into a word.
    mutating func append(_ value: UInt64, bits: Int, to text: inout ByteWriter) {
        word = word << UInt64(bits) | value
        count += bits
        while count >= 6 {
            count -= 6
            text.append(Self.alphabet[Int(word >> UInt64(count) & 63)])
        }
        word &= 1 << UInt64(count) - 1
    }

    mutating func finish(_ text: inout ByteWriter) {
        if count > 0 { append(0, bits: 6 - count, to: &text) }
    }

    /// The value of a digit. Nil for any other byte.
    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 0x41...0x5A: digit - 0x41
        case 0x61...0x7A: digit - 0x61 + 26
        case 0x30...0x39: digit - 0x30 + 52
        case ASCII.hyphen: 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

/// Reads bits from the values of base64url digits.
private struct DigitReader {
    private let digits: [UInt8]
    private var next = 0
    private var word: UInt64 = 0
    private var count = 0

    init(_ digits: [UInt8]) { self.digits = digits }

    /// - Parameter bits: at most 58.
    mutating func next(bits: Int) -> UInt64? {
        while count < bits {
            guard next < digits.count else { return nil }
            word = word << 6 | UInt64(digits[next])
            next += 1
            count += 6
        }
        count -= bits
        let value = word >> UInt64(count)
        word &= 1 << UInt64(count) - 1
        return value
    }

    /// Whether only zeros are left in the last digit that was read.
    var isAtEnd: Bool { next == digits.count && word == 0 }
}
