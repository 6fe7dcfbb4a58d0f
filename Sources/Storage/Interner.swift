internal import POSIX

/// Numbers for values that many share, counted; 0 stands for no value.
struct Interner<Value: Hashable> {
    private var values: [Value?] = [nil]
    private var counts: [Int] = [0]
    private var numbers: [Value: UInt32] = [:]
    private var free: [UInt32] = []
    /// Encoded values that were taken last and their numbers; a recovery meets few others.
    private var recent = [(encoded: [UInt8], number: UInt32)](repeating: ([], 0), count: 16)

    /// Takes a value by its encoded form, which is decoded only if it was not among the last.
    mutating func take(
        encoded bytes: [UInt8], _ range: Range<Int>, _ decode: () -> Value
    ) -> UInt32 {
        let slot = (range.count ^ Int(bytes[range.lowerBound + range.count / 2])) % recent.count
        let known = recent[slot]
        if known.number > 0,
            ByteSearch.order(known.encoded, known.encoded.indices, bytes, range) == 0
        {
            counts[Int(known.number)] += 1
            return known.number
        }
        let number = take(decode())
        recent[slot] = (Array(bytes[range]), number)
        return number
    }

    /// The value's number, with one more user.
    mutating func take(_ value: Value) -> UInt32 {
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

    /// One user less; the value goes with its last.
    mutating func release(_ number: UInt32) {
        guard number != 0 else { return }
        counts[Int(number)] -= 1
        guard counts[Int(number)] == 0, let value = values[Int(number)] else { return }
        numbers[value] = nil
        values[Int(number)] = nil
        for slot in recent.indices where recent[slot].number == number { recent[slot].number = 0 }
        free.append(number)
    }

    subscript(number: UInt32) -> Value? { values[Int(number)] }
    func number(_ value: Value) -> UInt32? { numbers[value] }
    func count(_ value: Value) -> Int { numbers[value].map { counts[Int($0)] } ?? 0 }
}
