import Navigation
import POSIX
import Testing

@testable import Storage

/// The index as a recovery builds it.
@Suite("The index after a recovery")
struct IndexTests {
    private func recovered(_ names: [String]) -> SessionIndex {
        var index = SessionIndex(seed: 7)
        for (number, name) in names.enumerated() {
            let bytes = Array(name.utf8)
            var entry = SessionEntry()
            entry.sequence = UInt64(number + 1)
            let hash = index.hash(bytes, bytes.indices)
            _ = index.recover(bytes, bytes.indices, hash: hash, entry)
        }
        index.sort()
        return index
    }

    private func names(of index: SessionIndex) -> [String] {
        var names: [String] = []
        index.walk(from: [], exclusive: false) { handle in
            names.append(index.id(handle).rawValue)
            return true
        }
        return names
    }

    @Test(
        "walks in the order of the names' bytes",
        arguments: [
            [], ["only"], ["b", "a", "ab", "", "a-"],
            (0..<3000).map { "session-with-a-long-beginning-\($0 * 7919 % 3000)" },
            (0..<1000).map { "\($0 % 10)-the-first-bytes-agree-\($0 * 31 % 1000)" },
            (1..<120).map { String(repeating: "x", count: 120 - $0) },
        ])
    func order(given: [String]) {
        let sorted = given.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        #expect(names(of: recovered(given)) == sorted)
    }

    @Test("a name that comes again is the same session with its newest entry")
    func again() throws {
        let index = recovered(["a", "b", "a", "c", "a"])
        let bytes = Array("a".utf8)
        let handle = try #require(index.find(bytes, bytes.indices))
        #expect(index.count == 3)
        #expect(index[handle].sequence == 5)
    }

    @Test("an interned value is known by its encoded form only as long as it lives")
    func interner() {
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

    @Test func `an interned value that is mostly the same one is counted like any other`() {
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
