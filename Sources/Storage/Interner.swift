/// Numbers for values that many share, counted; 0 stands for no value.
struct Interner<Value: Hashable> {
    private var values: [Value?] = [nil]
    private var counts: [Int] = [0]
    private var numbers: [Value: UInt32] = [:]
    private var free: [UInt32] = []

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
        free.append(number)
    }

    subscript(number: UInt32) -> Value? { values[Int(number)] }
    func number(_ value: Value) -> UInt32? { numbers[value] }
    func count(_ value: Value) -> Int { numbers[value].map { counts[Int($0)] } ?? 0 }
}
