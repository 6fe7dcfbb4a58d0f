internal import Bytes

/// The division of a text into the captures of a segment, which have literal text between them.
///
/// Where there are several divisions, an earlier capture is as short as possible. The time is the
/// length of the text times the number of captures: for each literal text, from the last to the
/// first, a table says where it stands in front of a text that can be divided.
struct SegmentDivision {
    /// Which texts a capture takes.
    enum Rule {
        /// One or more characters; those of an integer where only an integer is taken.
        case typed
        /// One or more characters.
        case untyped
        /// Any text.
        case empty
    }

    private let text: [UInt8]
    private let literals: [[UInt8]]
    private let areIntegers: [Bool]
    private let least: Int
    /// For each position, the end of the digits that begin there; empty without integers.
    private var digitEnds: [Int] = []
    /// For each capture but the last, and for each position, the first position behind it at which
    /// the capture can end.
    private var ends: [[Int]] = []

    init(of text: [UInt8], by segment: LinkSegment, rule: Rule) {
        let folds = segment.literals.contains { $0.ignoresCase }
        self.text = folds ? text.map(ASCII.lowercased) : text
        literals = segment.literals.map { Array($0.text.utf8) }
        areIntegers = segment.captures.map { $0.isInteger && rule == .typed }
        least = rule == .empty ? 0 : 1
        if areIntegers.contains(true) { digitEnds = Self.digitEnds(in: text) }
    }

    /// A division into any texts, one between each two literals.
    init(of text: [UInt8], between literals: [String]) {
        self.text = text
        self.literals = literals.map { Array($0.utf8) }
        areIntegers = Array(repeating: false, count: literals.count - 1)
        least = 0
    }

    /// The ranges of the captures, or nil if the text cannot be divided.
    consuming func ranges() -> [Range<Int>]? {
        guard let first = literals.first, let last = literals.last,
            text.count >= first.count + last.count, text.starts(with: first),
            text.suffix(last.count).elementsEqual(last)
        else { return nil }
        let inner = literals.dropFirst().dropLast()
        ends = Array(repeating: [], count: inner.count)
        for index in inner.indices.reversed() {
            ends[index - 1] = endsOfCapture(before: inner[index], index: index - 1)
        }
        var ranges: [Range<Int>] = []
        var start = first.count
        for index in areIntegers.indices {
            guard let end = end(of: index, from: start) else { return nil }
            ranges.append(start..<end)
            start = end + literals[index + 1].count
        }
        return ranges
    }

    /// The position that stands for none.
    private var nowhere: Int { text.count + 1 }

    private func endsOfCapture(before literal: [UInt8], index: Int) -> [Int] {
        var ends = Array(repeating: nowhere, count: text.count + 1)
        var next = nowhere
        var found = Self.starts(of: literal, in: text)
        for position in text.indices.reversed() {
            if found.last == position {
                found.removeLast()
                if end(of: index + 1, from: position + literal.count) != nil { next = position }
            }
            ends[position] = next
        }
        return ends
    }

    /// The nearest end of a capture that begins at a position, so that the rest can be divided.
    private func end(of index: Int, from start: Int) -> Int? {
        guard areIntegers[index] else { return end(of: index, notBefore: start + least) }
        let isNegative = start < text.count && text[start] == ASCII.hyphen
        let digits = isNegative ? start + 1 : start
        guard digits < text.count, digitEnds[digits] > digits,
            let end = end(of: index, notBefore: digits + 1), end <= digitEnds[digits]
        else { return nil }
        return end
    }

    private func end(of index: Int, notBefore least: Int) -> Int? {
        guard index < ends.count else {
            let last = text.count - literals[literals.count - 1].count
            return least <= last ? last : nil
        }
        guard least <= text.count, ends[index][least] != nowhere else { return nil }
        return ends[index][least]
    }

    private static func digitEnds(in text: [UInt8]) -> [Int] {
        var ends = Array(text.indices)
        for position in text.indices.reversed() where ASCII.isDigit(text[position]) {
            let next = position + 1
            ends[position] = next < text.count ? ends[next] : next
        }
        return ends
    }

    /// All positions of a word, in ascending order, by the algorithm of Knuth, Morris and Pratt:
    /// `borders` has, for each prefix of the word, the length of the longest proper prefix that
    /// also ends it.
    private static func starts(of word: [UInt8], in text: [UInt8]) -> [Int] {
        var borders = [0]
        var length = 0
        for index in word.indices.dropFirst() {
            while length > 0, word[index] != word[length] { length = borders[length - 1] }
            if word[index] == word[length] { length += 1 }
            borders.append(length)
        }
        var starts: [Int] = []
        length = 0
        for index in text.indices {
            while length > 0, length == word.count || text[index] != word[length] {
                length = borders[length - 1]
            }
            if text[index] == word[length] { length += 1 }
            if length == word.count { starts.append(index + 1 - word.count) }
        }
        return starts
    }
}
