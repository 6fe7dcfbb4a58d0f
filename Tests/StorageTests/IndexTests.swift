import Bytes
import Navigation
import Sessions
import TestSupport
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
            _ = index.recover(bytes, bytes.indices, hash: hash, entry: &entry)
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
            [], ["only"], ["b", "a", "ab", "0", "a-"],
            (0..<3000).map { "session-with-a-long-beginning-\($0 * 7919 % 3000)" },
            (0..<1000).map { "\($0 % 10)-the-first-bytes-agree-\($0 * 31 % 1000)" },
            (1..<120).map { String(repeating: "x", count: 120 - $0) },
            ["\0", "\u{1}", "\0\0\0\0\0\0\0\0\0", "\0\0\0\0\0\0\0\0"],
            ["12345678", "1234567", "123456789", "12345678\u{1}", "12345678\0"],
            (0..<5000).map { "\($0 * 7919 % 5000)" },
            (0..<2000).map { "user-\(String(repeating: "é", count: $0 % 40))-\($0)" },
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

    @Test(.seeded, arguments: [5, 200])
    func `sessions are found and walked as a dictionary has them`(nameBytes: Int) throws {
        var random = SplitMix64(stream: UInt64(nameBytes))
        var index = SessionIndex(seed: random.next())
        var model: [String: (handle: SessionHandle, sequence: UInt64)] = [:]
        for step in UInt64(1)...20_000 {
            let name = name(&random, nameBytes)
            let bytes = Array("<\(name)>".utf8)
            let range = 1..<bytes.count - 1
            let found = index.find(bytes, range)
            #expect(found == model[name]?.handle)
            if let found {
                #expect(index[found].sequence == model[name]?.sequence)
                #expect(index.isLive(found) && index.id(found).rawValue == name)
                if random.oneIn(2) {
                    index.remove(found)
                    model[name] = nil
                    #expect(!index.isLive(found) && index.find(bytes, range) == nil)
                } else {
                    index[found].sequence = step
                    model[name]?.sequence = step
                }
            } else {
                let handle = index.insert(bytes, range)
                index[handle].sequence = step
                model[name] = (handle, step)
            }
            #expect(index.count == model.count)
            if step % 2_000 == 0 { check(index, model.keys.sorted(), &random) }
        }
        let handles = Set(model.values.map(\.handle))
        var all: Set<SessionHandle> = []
        index.forEach { all.insert($0) }
        #expect(all == handles && handles.count == model.count)
    }

    /// A name that comes again after a while.
    private func name(_ random: inout SplitMix64, _ bytes: Int) -> String {
        let number = "\(random.below(4_000))"
        return String(repeating: "n", count: max(0, bytes - number.count)) + number
    }

    private func check(_ index: SessionIndex, _ names: [String], _ random: inout SplitMix64) {
        #expect(self.names(of: index) == names)
        for isExclusive in [false, true] {
            let start = names[random.below(names.count)]
            var found: [String] = []
            index.walk(from: Array(start.utf8), exclusive: isExclusive) { handle in
                found.append(index.id(handle).rawValue)
                return found.count < 50
            }
            let expected = names.drop { isExclusive ? $0 <= start : $0 < start }
            #expect(found == Array(expected.prefix(50)))
        }
    }

    @Test func `a name of every length is found, and no part of it`() {
        var index = SessionIndex(seed: 3)
        let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 255)
        var handles: [SessionHandle] = []
        for count in 0...255 where count % 3 != 0 { handles.append(index.insert(bytes, 0..<count)) }
        for count in 0...255 {
            let found = index.find(bytes, 0..<count)
            #expect((found == nil) == (count % 3 == 0))
            if let found { #expect(index.name(found).count == count) }
        }
        for handle in handles { index.remove(handle) }
        #expect(index.count == 0)
    }

    @Test(.seeded) func `after a recovery sessions come and go as before`() {
        var random = SplitMix64()
        var index = SessionIndex(seed: random.next())
        var model: [String: UInt64] = [:]
        for step in UInt64(1)...5_000 {
            let name = name(&random, 30)
            let bytes = Array(name.utf8)
            let hash = index.hash(bytes, bytes.indices)
            if let sequence = model[name], random.oneIn(4) {
                guard let handle = index.find(bytes, bytes.indices, hash: hash) else { return }
                #expect(index[handle].sequence == sequence)
                index.removeUnsorted(handle)
                model[name] = nil
            } else {
                var entry = SessionEntry()
                entry.sequence = step
                let isNew = index.recover(bytes, bytes.indices, hash: hash, entry: &entry).isNew
                #expect(isNew == (model[name] == nil))
                #expect(isNew ? entry.isLive : entry.sequence == model[name])
                model[name] = step
            }
        }
        index.sort()
        check(index, model.keys.sorted(), &random)
        for name in model.keys.sorted().prefix(500) {
            let bytes = Array(name.utf8)
            if let handle = index.find(bytes, bytes.indices) { index.remove(handle) }
            model[name] = nil
        }
        for number in 0..<500 {
            let bytes = Array("later \(number)".utf8)
            _ = index.insert(bytes, bytes.indices)
            model["later \(number)"] = 1
        }
        check(index, model.keys.sorted(), &random)
    }

    @Test(arguments: [nil, 1_000, 20_000, 1_000_000])
    func `sessions are found however many were expected`(expected: Int?) {
        var index = SessionIndex(seed: 5)
        var sequences: [String: UInt64] = [:]
        for step in UInt64(1)...40_000 {
            let bytes = Array("name \(step)".utf8)
            let hash = index.hash(bytes, bytes.indices)
            var entry = SessionEntry()
            entry.sequence = step
            let handle = index.recover(bytes, bytes.indices, hash: hash, entry: &entry).handle
            if step == 500, let expected { index.reserve(expected) }
            if step % 3 == 0 {
                index.removeUnsorted(handle)
            } else {
                sequences["name \(step)"] = step
            }
        }
        for isSorted in [false, true] {
            if isSorted { index.sort() }
            for step in UInt64(1)...40_000 {
                let bytes = Array("name \(step)".utf8)
                let found = index.find(bytes, bytes.indices)
                #expect(found.map { index[$0].sequence } == sequences["name \(step)"])
            }
        }
    }

    @Test func `hashes differ by seed and by each byte`() {
        let bytes = [UInt8](0..<100)
        var seen: Set<UInt64> = []
        for seed in UInt64(0)..<3 {
            let hasher = SeededHash(seed: seed)
            for count in 0...100 { #expect(seen.insert(hasher.hash(bytes, 0..<count)).inserted) }
            for index in bytes.indices {
                var other = bytes
                other[index] ^= 1
                #expect(seen.insert(hasher.hash(other, 0..<100)).inserted)
            }
            for count in 0...100 {
                let hash = hasher.hash(bytes, 0..<count)
                #expect(hasher.hash([9] + bytes, 1..<1 + count) == hash)
                #expect(hasher.hash(Array(bytes[..<count]), 0..<count) == hash)
            }
        }
    }
}
