internal import Bytes

/// Checks the text of a request and drops its white space, at a fifth of the cost of parsing it to
/// values and writing them.
///
/// It knows objects of few members, strings without escapes, and integers. It gives up on
/// everything else, also on what is wrong. The caller then parses the text, which finds the fault,
/// and writes the value: that is the same text in all cases that it knows.
public struct CompactText {
    private let bytes: [UInt8]
    private let end: Int
    private let nestingMax: Int
    private let start: Int
    private var at: Int
    private var hasBlanks = false
    /// Where the members of the value are behind `start`, if it is an object.
    private var members = MemberTable()

    /// Texts that are longer could have more values than a request may have.
    private static let bytesMax = 1 << 16
    private static let nameBytesMax = 64
    private static let membersMax = 12

    /// The value as `JSON.bytes` writes it, or nil to have the text parsed.
    public static func text(
        of bytes: [UInt8], in range: Range<Int>, limits: JSONLimits
    ) -> CompactObject? {
        guard range.count <= bytesMax else { return nil }
        var check = CompactText(bytes, range, nestingMax: min(limits.nestingMax, 16))
        check.skipBlanks()
        let start = check.at
        guard check.value(depth: 0) else { return nil }
        let end = check.at
        check.skipBlanks()
        guard check.at == check.end else { return nil }
        if check.hasBlanks { return CompactObject(check.withoutBlanks(start..<end)) }
        return CompactObject(Array(bytes[start..<end]), check.members)
    }

    private init(_ bytes: [UInt8], _ range: Range<Int>, nestingMax: Int) {
        self.bytes = bytes
        self.nestingMax = nestingMax
        start = range.lowerBound
        at = range.lowerBound
        end = range.upperBound
    }

    /// The next byte; at the end 0, which is never valid outside a string.
    private var byte: UInt8 { at < end ? bytes[at] : 0 }

    @inline(__always)
    private static func isBlank(_ byte: UInt8) -> Bool {
        byte <= 0x20 && (byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09)
    }

    @inline(__always)
    private mutating func skipBlanks() {
        while Self.isBlank(byte) {
            at += 1
            hasBlanks = true
        }
    }

    private mutating func value(depth: Int) -> Bool {
        switch byte {
        case ASCII.quote: string()
        case UInt8(ascii: "{"): depth < nestingMax && object(depth: depth)
        case UInt8(ascii: "["): depth < nestingMax && array(depth: depth)
        case UInt8(ascii: "t"): skip("true")
        case UInt8(ascii: "f"): skip("false")
        case UInt8(ascii: "n"): skip("null")
        default: integer()
        }
    }

    private mutating func object(depth: Int) -> Bool {
        var hashes = InlineArray<12, UInt32>(repeating: 0)
        var (count, isIndexed) = (0, depth == 0)
        at += 1
        skipBlanks()
        if skip(UInt8(ascii: "}")) {
            if depth == 0 { members.isComplete = true }
            return true
        }
        while count < Self.membersMax {
            let nameStart = at + 1
            guard let hash = name() else { return false }
            let key = nameStart - start..<at - 1 - start
            for index in 0..<count where hashes[index] == hash { return false }
            hashes[count] = hash
            count += 1
            skipBlanks()
            guard skip(UInt8(ascii: ":")) else { return false }
            skipBlanks()
            guard value(depth: depth + 1) else { return false }
            if isIndexed {
                isIndexed = members.append(key: key, valueEnd: at - start)
            }
            skipBlanks()
            if skip(UInt8(ascii: "}")) {
                if depth == 0 { members.isComplete = isIndexed }
                return true
            }
            guard skip(UInt8(ascii: ",")) else { return false }
            skipBlanks()
        }
        return false
    }

    private mutating func array(depth: Int) -> Bool {
        at += 1
        skipBlanks()
        if skip(UInt8(ascii: "]")) { return true }
        while value(depth: depth + 1) {
            skipBlanks()
            if skip(UInt8(ascii: "]")) { return true }
            guard skip(UInt8(ascii: ",")) else { return false }
            skipBlanks()
        }
        return false
    }

    /// The hash of the name of a member (FNV-1a). Nil if it is no plain string.
    private mutating func name() -> UInt32? {
        let start = at + 1
        guard byte == ASCII.quote, string(), at - start <= Self.nameBytesMax else { return nil }
        var hash: UInt32 = 0x811C_9DC5
        for index in start..<at - 1 { hash = (hash ^ UInt32(bytes[index])) &* 0x0100_0193 }
        return hash
    }

    private mutating func string() -> Bool {
        at += 1
        while true {
            at = bytes.span.plainEnd(in: at..<end)
            guard byte >= 0x80 else { return skip(ASCII.quote) }
            guard let length = UTF8Sequence.length(in: bytes, at: at, end: end) else {
                return false
            }
            at += length
        }
    }

    private mutating func integer() -> Bool {
        let isNegative = skip(UInt8(ascii: "-"))
        let first = at
        while ASCII.isDigit(byte) { at += 1 }
        let count = at - first
        guard count > 0, count <= 15 else { return false }
        if bytes[first] == ASCII.zero, count > 1 || isNegative { return false }
        return byte != UInt8(ascii: ".") && byte | 0x20 != UInt8(ascii: "e")
    }

    private mutating func skip(_ expected: UInt8) -> Bool {
        guard byte == expected else { return false }
        at += 1
        return true
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        let next = at + word.utf8CodeUnitCount
        guard next <= end, bytes.span.isSame(as: word, in: at..<next) else { return false }
        at = next
        return true
    }

    /// The text, which has been checked, without the white space between its values.
    private func withoutBlanks(_ range: Range<Int>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(range.count)
        var isInString = false
        for index in range {
            let byte = bytes[index]
            if byte == ASCII.quote { isInString.toggle() }
            if isInString || !Self.isBlank(byte) { text.append(byte) }
        }
        return text
    }
}
