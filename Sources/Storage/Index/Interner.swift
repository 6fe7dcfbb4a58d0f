internal import Bytes
internal import POSIX

/// Gives numbers to values that many sessions share, and counts their users. 0 means no value.
public struct Interner<Value: Hashable> {
    private var values: [Value?] = [nil]
    private var counts: [Int] = [0]
    private var numbers: [Value: UInt32] = [:]
    private var free: [UInt32] = []
    private static var recentCount: Int { 256 }
    /// The encoded values that recovery looked up last, with their numbers, each in the slot that
    /// its bytes are hashed to. Recovery sees few other values: without this cache, starting with
    /// sessions that share 50 sets of labels takes 1.4 times as many instructions. It is empty
    /// after recovery.
    private var recent = [(encoded: [UInt8], number: UInt32)](
        repeating: ([], 0), count: recentCount)

    public init() {}

    /// Adds a user to a value that was among the last to be taken in this encoded form, and returns
    /// its number.
    public mutating func takeRecent(_ bytes: [UInt8], _ range: Range<Int>) -> UInt32? {
        let slot = slot(bytes, range)
        guard slot < recent.count else { return nil }
        let number = recent[slot].number
        guard number > 0, recent[slot].encoded.count == range.count else { return nil }
        var (at, own) = (range.lowerBound, 0)
        while range.upperBound - at >= 8 {
            guard
                ByteSearch.word(bytes, at: at) == ByteSearch.word(recent[slot].encoded, at: own)
            else { return nil }
            (at, own) = (at + 8, own + 8)
        }
        while at < range.upperBound {
            guard bytes[at] == recent[slot].encoded[own] else { return nil }
            (at, own) = (at + 1, own + 1)
        }
        counts[Int(number)] += 1
        return number
    }

    /// Adds a user to a value with its encoded form, and returns its number.
    public mutating func take(
        _ value: Value, encoded bytes: [UInt8], _ range: Range<Int>
    ) -> UInt32 {
        let number = take(value)
        let slot = slot(bytes, range)
        if slot < recent.count { recent[slot] = (Array(bytes[range]), number) }
        return number
    }

    /// Drops the encoded values, which only recovery uses.
    public mutating func finishRecovery() { recent = [] }

    private func slot(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
        guard range.count >= 8 else {
            return bytes[range].reduce(0) { ($0 << 1 ^ Int($1)) % Self.recentCount }
        }
        let first = ByteSearch.word(bytes, at: range.lowerBound)
        let last = ByteSearch.word(bytes, at: range.upperBound - 8)
        let mixed = (first &* 0x9E37_79B9_7F4A_7C15 ^ last) &* 0xBF58_476D_1CE4_E5B9
        return Int(mixed >> 56) % Self.recentCount
    }

    /// Adds a user to a value, and returns its number.
    public mutating func take(_ value: Value) -> UInt32 {
        if let number = numbers[value] {
            counts[Int(number)] += 1
            return number
        }
        let number = free.popLast() ?? UInt32(values.count)
        if Int(number) == values.count {
            values.append(value)
            counts.append(1)
        } else {
            values[Int(number)] = value
            counts[Int(number)] = 1
        }
        numbers[value] = number
        return number
    }

    /// The same for a value that is usually the one with `number`, which is compared first.
    public mutating func take(_ value: Value, mostly number: UInt32) -> UInt32 {
        guard let known = values[Int(number)], known == value else { return take(value) }
        counts[Int(number)] += 1
        return number
    }

    /// Removes a user. A value without users is removed.
    public mutating func release(_ number: UInt32) {
        guard number != 0 else { return }
        counts[Int(number)] -= 1
        guard counts[Int(number)] == 0, let value = values[Int(number)] else { return }
        numbers[value] = nil
        values[Int(number)] = nil
        for slot in recent.indices where recent[slot].number == number { recent[slot].number = 0 }
        free.append(number)
    }

    /// The value of a number, or nil if it has no user.
    public subscript(number: UInt32) -> Value? { values[Int(number)] }
    /// The number of a value, or nil if it has no user.
    public func number(_ value: Value) -> UInt32? { numbers[value] }
    /// The number of users of a value.
    public func count(_ value: Value) -> Int { numbers[value].map { counts[Int($0)] } ?? 0 }
}
