import Storage
import TestSupport
import Testing

@Suite(.seeded) struct InternerTests {
    @Test func `values are counted as a dictionary would count them`() {
        var random = SplitMix64()
        var interner = Interner<String>()
        var (counts, held) = ([String: Int](), [(value: String, number: UInt32)]())
        for _ in 0..<20_000 {
            let value = String(repeating: "v", count: random.below(3)) + "\(random.below(60))"
            switch random.below(7) {
            case 0, 1:
                held.append((value, interner.take(value)))
            case 2:
                let usual = held.isEmpty ? 0 : random.one(of: held).number
                held.append((value, interner.take(value, mostly: usual)))
            case 3:
                // As a recovery does, with the encoded form somewhere in a line.
                let line = Array("x\"\(value)\"y".utf8)
                let number =
                    interner.takeRecent(line, 1..<line.count - 1)
                    ?? interner.take(value, encoded: line, 1..<line.count - 1)
                held.append((value, number))
            default:
                guard !held.isEmpty else { continue }
                let gone = held.remove(at: random.below(held.count))
                interner.release(gone.number)
                counts[gone.value, default: 0] -= 1
                #expect(interner.count(gone.value) == counts[gone.value])
                if counts[gone.value] == 0 {
                    #expect(interner[gone.number] == nil && interner.number(gone.value) == nil)
                }
                continue
            }
            counts[value, default: 0] += 1
            #expect(interner.count(value) == counts[value])
            #expect(interner.number(value) == held.last?.number)
        }
        for (value, number) in held { #expect(interner[number] == value && number != 0) }
        let numbers = Dictionary(grouping: held, by: \.number).mapValues { Set($0.map(\.value)) }
        #expect(numbers.values.allSatisfy { $0.count == 1 }, "a number is one value's")
    }

    @Test func `no value is number 0, which is never released`() {
        var interner = Interner<String>()
        interner.release(0)
        #expect(interner[0] == nil)
        #expect(interner.take("a") == 1)
        #expect(interner.take("a", mostly: 0) == 1)
        #expect(interner.takeRecent([], 0..<0) == nil)
    }

    @Test func `a value is known by its encoded form only as long as it has users`() {
        var interner = Interner<String>()
        let (one, two) = (Array("1-one".utf8), Array("2-two".utf8))
        func take(_ bytes: [UInt8]) -> UInt32 {
            interner.takeRecent(bytes, 2..<5)
                ?? interner.take(
                    String(decoding: bytes[2..<5], as: UTF8.self), encoded: bytes, 2..<5)
        }
        let first = take(one)
        #expect(take(one) == first)
        interner.release(first)
        #expect(interner[first] == "one")
        interner.release(first)
        #expect(interner[first] == nil)
        let second = take(two)
        #expect(interner[second] == "two")
        let third = take(one)
        #expect(third != second)
        #expect(interner[third] == "one")
        #expect(interner.count("one") == 1)
    }

    @Test func `after a recovery values are counted as before, and no encoded form is known`() {
        var interner = Interner<String>()
        let bytes = Array(#"{"room":"lobby"}"#.utf8)
        let number = interner.take("lobby", encoded: bytes, bytes.indices)
        #expect(interner.takeRecent(bytes, bytes.indices) == number)
        interner.finishRecovery()
        #expect(interner.takeRecent(bytes, bytes.indices) == nil)
        #expect(interner.take("lobby", encoded: bytes, bytes.indices) == number)
        #expect(interner.count("lobby") == 3)
        for _ in 0..<3 { interner.release(number) }
        #expect(interner[number] == nil)
    }

    @Test func `encoded forms that share a slot are told apart`() {
        var interner = Interner<String>()
        for round in 0..<2 {
            for number in 0..<2000 {
                let value = "\(number)"
                for bytes in [Array(value.utf8), Array(#"{"room":"\#(value)"}"#.utf8)] {
                    let known = interner.takeRecent(bytes, bytes.indices)
                    let taken = known ?? interner.take(value, encoded: bytes, bytes.indices)
                    #expect(interner[taken] == value)
                }
            }
            #expect(interner.count("7") == 2 * (round + 1))
        }
    }

    @Test func `a value that is mostly the same one is counted like any other`() {
        var interner = Interner<String>()
        let one = interner.take("one", mostly: 0)
        #expect(interner.take("one", mostly: one) == one)
        let two = interner.take("two", mostly: one)
        #expect(two != one)
        #expect(interner.take("one", mostly: two) == one)
        #expect(interner.count("one") == 3)
        for _ in 0..<3 { interner.release(one) }
        #expect(interner[one] == nil)
        #expect(interner.take("two", mostly: one) == two)
    }
}
