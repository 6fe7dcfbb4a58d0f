import Bytes
import Navigation
import Sessions
import TestSupport
import Testing

/// Positions of feeds, and their text.
@Suite(.seeded) struct FeedPositionTests {
    private typealias Number = SequenceNumber

    /// A position with these numbers; 0 for a log of which nothing has been told.
    private func position(_ numbers: [UInt64], lineage: String = "k3f9") -> FeedPosition {
        var position = FeedPosition(logCount: numbers.count, lineage: lineage)
        for (log, number) in numbers.enumerated() where number > 0 {
            position.advance(to: Number(number, inLog: log))
        }
        return position
    }

    private func text(_ position: FeedPosition) -> String {
        String(decoding: position.text, as: UTF8.self)
    }

    private func read(_ text: String, like known: FeedPosition) -> FeedPosition? {
        FeedPosition(text.utf8, inStoreOf: known)
    }

    // MARK: One log

    @Test func `in a store with one log, a position is a number`() {
        var position = FeedPosition(17)
        #expect(!position.hasSeveralLogs && position.logCount == 1)
        #expect(text(position) == "17")
        #expect(position.covers(17) && !position.covers(18))
        #expect(position.covers(FeedPosition(17)) && !position.covers(FeedPosition(18)))
        #expect(position.last(inLogOf: 3) == 17)
        position.advance(to: 12)
        #expect(position == FeedPosition(17))
        position.advance(to: 19)
        #expect(position == FeedPosition(19))
        position.formUnion(FeedPosition(25))
        position.formUnion(FeedPosition(22))
        #expect(position.number == 25)
        position.retreat(before: 30)
        #expect(position.number == 25)
        position.retreat(before: 20)
        #expect(position.number == 19)
        #expect(position.replacing(with: 7) == FeedPosition(7))
        #expect(read("17", like: position) == nil && read("p17", like: position) == nil)
    }

    @Test func `numbers of another lineage are known, and positions of another store`() {
        let next = FeedPosition(Number(500).lastBeforeNextLineage + 1)
        #expect(!FeedPosition(500).isOfSameLineage(as: next))
        #expect(FeedPosition(500).isOfSameLineage(as: FeedPosition(7)))
        let (old, new) = (position([5, 6]), position([5, 6], lineage: "k3fa"))
        #expect(!old.isOfSameLineage(as: new) && !old.isOfSameLineage(as: position([5])))
        #expect(old.isOfSameLineage(as: position([0, 1 << 40])))
        #expect(!FeedPosition(0).isOfSameLineage(as: old))
    }

    // MARK: Several logs

    @Test func `each log has its own number`() {
        var position = position([4, 0, 9])
        #expect(position.hasSeveralLogs && position.logCount == 3 && position.number == 0)
        #expect(position.covers(Number(4, inLog: 0)) && !position.covers(Number(5, inLog: 0)))
        #expect(!position.covers(Number(1, inLog: 1)) && position.covers(Number(9, inLog: 2)))
        #expect(position.last(inLogOf: Number(100, inLog: 2)) == Number(9, inLog: 2))
        position.advance(to: Number(2, inLog: 1))
        position.advance(to: Number(3, inLog: 2))
        #expect(position == self.position([4, 2, 9]))
        position.retreat(before: Number(10, inLog: 2))
        position.retreat(before: Number(8, inLog: 2))
        position.retreat(before: Number(1, inLog: 1))
        #expect(position == self.position([4, 0, 7]))
        #expect(position.replacing(with: Number(3, inLog: 0)) == self.position([3, 0, 7]))
        #expect(position.replacing(with: Number(3, inLog: 3)) == nil)
    }

    @Test func `one position covers another if it does so in each log`() {
        let (first, second) = (position([4, 2, 9]), position([5, 1, 9]))
        #expect(!first.covers(second) && !second.covers(first) && first.covers(first))
        var both = first
        both.formUnion(second)
        #expect(both == position([5, 2, 9]) && both.covers(first) && both.covers(second))
    }

    @Test func `the number of a change has its log in the lowest bits`() {
        let number = Number(1 << 42, inLog: 999)
        #expect(number < 1 << 53 && number.log == 999 && number.numberInLog == 1 << 42)
        #expect(Number(3, inLog: 0) == 3 << 10)
    }

    // MARK: Text

    /// The highest number in a log, and the last one before a lineage begins.
    private static let (highest, before): (UInt64, UInt64) = (1 << 43 - 1, 3 << 32)
    private static let examples: [[UInt64]] = [
        [0], [1], [0, 0, 0], [1, 0, 2], [7, 7, 7], [1, highest, 0], [highest],
        [before + 1, before + 900, 0, before + 17],
    ]

    @Test(arguments: examples)
    func `what was written is read`(numbers: [UInt64]) {
        let position = position(numbers)
        let text = text(position)
        #expect(FeedPosition.hasForm(text.utf8))
        #expect(read(text, like: self.position(numbers.map { _ in 0 })) == position, "\(text)")
    }

    @Test func `what was written is read, for random positions`() {
        var dice = SplitMix64()
        for _ in 0..<2_000 {
            let (count, bits) = (1 + dice.below(64), 1 + dice.below(43))
            let base = dice.next() >> UInt64(64 - bits)
            let spread = 1 << dice.below(bits)
            let numbers: [UInt64] = (0..<count).map { _ in
                dice.oneIn(4) ? 0 : min(base + UInt64(dice.below(spread)), Self.highest)
            }
            let position = position(numbers)
            #expect(position.text.count <= FeedPosition.textBytesMax)
            #expect(FeedPosition(position.text, inStoreOf: position) == position)
        }
    }

    @Test func `the text of sixteen logs has at most 110 characters, and is usually shorter`() {
        let base: UInt64 = 7 << 32
        let far: [UInt64] = (0..<16).map { $0 == 3 ? base + 1 << 32 - 1 : base + UInt64($0) + 1 }
        #expect(position(far).text.count <= 110)
        let near: [UInt64] = (0..<16).map { 900_000 + UInt64($0) * 7_919 }
        #expect(position(near).text.count == 60)
        #expect(text(position([1, 2])) == "pUqpaeggAAAAAALA")
    }

    @Test func `the most logs have the longest text`() {
        let numbers = (0..<FeedPosition.logsInTextMax).map { $0 == 0 ? 1 : Self.highest }
        #expect(position(numbers).text.count == FeedPosition.textBytesMax)
    }

    @Test func `no other text is read`() {
        let known = position([Self.before + 1, Self.before + 900, 0, Self.before + 17])
        let good = text(known)
        for count in 0..<good.count {
            #expect(read(String(good.prefix(count)), like: known) == nil)
        }
        let letters = Array("A_z9p-.=+ /\u{0}é\n")
        for letter in letters {
            #expect(read(good + String(letter), like: known) == nil)
            for index in good.indices {
                var other = good
                other.replaceSubrange(index...index, with: String(letter))
                // A digit can change to another position of the same store.
                guard other != good, let read = read(other, like: known) else { continue }
                #expect(text(read) == other && read != known)
            }
        }
        let long = "p" + String(repeating: "A", count: 100_000)
        for text in ["", "p", "17", "q" + good.dropFirst(), long] {
            #expect(read(text, like: known) == nil)
        }
        #expect(read(good, like: position([1, 2, 3, 4], lineage: "other")) == nil)
        #expect(read(good, like: position([1, 2, 3])) == nil)
        #expect(read(good, like: FeedPosition(17)) == nil)
    }

    @Test func `random text is read as a position or not at all`() {
        var dice = SplitMix64()
        let known = position((0..<16).map { 1 + UInt64($0) })
        let digits = Array(known.text)
        for _ in 0..<20_000 {
            var text = digits
            for _ in 0...dice.below(4) {
                text[dice.below(text.count)] = UInt8(truncatingIfNeeded: dice.next())
            }
            if dice.oneIn(3) { text = Array(text.prefix(dice.below(text.count + 1))) }
            guard let read = FeedPosition(text, inStoreOf: known) else { continue }
            #expect(read.text == text)
            for log in 0..<16 {
                let last = read.last(inLogOf: Number(1, inLog: log))
                #expect(last == 0 || last.log == log && last < 1 << 53)
            }
        }
    }
}
